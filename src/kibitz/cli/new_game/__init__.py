"""kibitz new-game: write a package for a new game that can be played at once."""

from __future__ import annotations

import keyword
import sys
from importlib import metadata
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText
from kibitz.core.faults import name_fault
from kibitz.core.version import __version__

FILES = {
    "README.md": "readme.md.tmpl",
    "pyproject.toml": "pyproject.toml.tmpl",
    "src/$module/__init__.py": "init.py.tmpl",
    "src/$module/rules.py": "rules.py.tmpl",
    "src/$module/package.py": "package.py.tmpl",
    "tests/test_$module.py": "test.py.tmpl",
}
"""Path in the new package -> its template in this folder."""
RESERVED_CLASSES = frozenset({"State", "GridGame", "GridState", "GamePackage", "GameContract"})
"""Class names that the templates use themselves, so the game's own class cannot have them."""


def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Short name of the game, as in hex or nine-mens-morris.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Folder to write to; named like the game by default.")
    ] = None,
) -> None:
    """Write a package with a small working game, ready to install, play and change."""
    if fault := name_fault(name):
        raise BadOption(f"{fault}.")
    if taken := _taken(name):
        raise BadOption(f"{name!r} is {taken}: choose another name.")
    target = folder or Path(name)
    written = write_package(name, target)
    for path in written:
        typer.echo(path)
    typer.echo(f"\nNext:\n  pip install -e {target}\n  kibitz play {name}\n  kibitz serve\n  pytest {target}/tests")


def _taken(name: str) -> str:
    """Return what already has this name, or an empty string if it is free."""
    module, cls = _module(name), _class(name)
    if name in registry.names():
        return "an installed game"
    if keyword.iskeyword(module) or keyword.iskeyword(cls):
        return "a word of Python"
    if module in sys.stdlib_module_names:
        return "a module of Python"
    if cls in RESERVED_CLASSES:
        return f"the name of a class of kibitz, {cls}"
    found = find_spec(module)
    if found is not None and found.origin is not None:  # a plain folder has no origin
        return "an installed module"
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return ""
    return "an installed package"


def _module(name: str) -> str:
    return name.replace("-", "_")


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def write_package(name: str, folder: Path) -> list[Path]:
    """Write the files of a new game and return them. Raise BadText if the folder is in use or cannot be written."""
    words = {
        "name": name,
        "module": _module(name),
        "cls": _class(name),
        "title": " ".join(part.capitalize() for part in name.split("-")),
        "version": __version__,
    }
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BadText(f"{folder} exists and is not an empty folder: name another one.")
        written = []
        for path, template in FILES.items():
            target = folder / Template(path).substitute(words)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = (files(__package__) / template).read_text(encoding="utf-8")
            target.write_text(Template(text).substitute(words), encoding="utf-8")
            written.append(target)
    except OSError as error:
        raise BadText(f"Cannot write {folder}: {error.strerror}.") from None
    return written
