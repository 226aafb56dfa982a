"""The shape of the source: which way imports point, who may import numba, what files say of themselves."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from docsite.imports import (
    FILES,
    GAME_LAYERS,
    LAYERS,
    NOT_BESIDE,
    PICTURE,
    SOURCE,
    UPWARD,
    draw,
    imports,
    layer,
    module,
)
from docsite.map import MAP, written

GAMES = sorted(path.parent.name for path in (SOURCE / "games").glob("*/package.py"))


def test_imports_point_one_way() -> None:
    upward = [
        f"{module(path)} imports {name}"
        for path in FILES
        if path.parent != SOURCE
        for name in imports(path)
        if name.split(".")[0] == "kibitz" and not may_import(module(path), name)
    ]
    assert not upward, "\n".join(upward)


def may_import(here: str, there: str) -> bool:
    """Return whether a module may import another; the names of the package itself are for those above everything."""
    own, other = layer(here), layer(there)
    if other not in LAYERS:
        return own in ("cli", "testing")
    if own == "games":
        part = here.split(".")[3] if here.count(".") > 2 else ""
        return other in GAME_LAYERS or part in UPWARD
    return LAYERS.index(other) <= LAYERS.index(own) and other != "games" and (own, other) not in NOT_BESIDE


EXTEND = {f"kibitz.{part}.extend" for part in ("arena", "interop", "web", "cli")}


def test_a_package_imports_its_rules_and_nothing_else_of_its_game() -> None:
    """Whoever lists games imports every package; all other parts wait until they are asked for."""
    packages = [path for path in FILES if path.name == "package.py" and layer(module(path)) == "games"]
    assert len(packages) == 4
    for path in packages:
        top = ast.parse(path.read_text(encoding="utf-8")).body
        found = {node.module for node in top if isinstance(node, ast.ImportFrom)}
        assert not [node for node in top if isinstance(node, ast.Import)], path
        game = module(path).removesuffix(".package")
        own = {name for name in found if name and name.startswith("kibitz.") and layer(name) != "core"}
        assert f"{game}.rules" in own
        assert own <= {f"{game}.rules", f"{game}.rules.view"} | EXTEND


def test_the_diagram_shows_these_imports() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "draw it again: python -m docsite.imports"


def test_the_map_is_up_to_date() -> None:
    assert MAP.read_text(encoding="utf-8") == written(), "write it again: python -m docsite.map"


def test_the_page_starts_no_outside_program() -> None:
    outside = [module(path) for path in FILES if layer(module(path)) == "web" and "subprocess" in imports(path)]
    assert not outside


def test_every_folder_is_a_layer() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(LAYERS)


def test_only_compiled_imports_numba() -> None:
    users = {
        layer(module(path)) for path in FILES for name in imports(path) if name.split(".")[0] in ("numba", "llvmlite")
    }
    assert users == {"compiled"}


def test_core_and_pictures_load_neither_numpy_nor_rich() -> None:
    code = "import kibitz.core.registry, kibitz.core.defaults.shown, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "rich", "typer", "platformdirs"} & set(loaded)
    assert not [name for name in loaded if name.startswith("kibitz.games.")]


def test_the_program_starts_without_what_only_some_commands_need() -> None:
    code = "import kibitz.cli.app, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "numba", "kibitz.picture.svg", "xml.etree.ElementTree"} & set(loaded)
    assert not [name for name in loaded if name.startswith("kibitz.games.")]


def test_no_game_knows_another() -> None:
    for path in FILES:
        if layer(module(path)) == "games" and len(module(path).split(".")) > 3:
            game = module(path).split(".")[2]
            others = [name for name in imports(path) if name.startswith("kibitz.games.")]
            assert all(name.split(".")[2] == game for name in others), module(path)


def test_rules_reach_nothing_compiled() -> None:
    files = {module(path): path for path in FILES}
    laws = [name for name in files if name.endswith(".rules")]
    assert laws
    for law in laws:
        reached, todo = set[str](), [law]
        while todo:
            name = todo.pop()
            if name in files and name not in reached:
                reached.add(name)
                for found in imports(files[name]):  # a module, or a name in one
                    todo += [found, found.rpartition(".")[0]]
        assert len(reached) > 5
        assert {layer(name) for name in reached} <= {"picture", "core", "games"}, law
        assert not [name for name in reached if name.endswith("kernel")], law


def test_every_file_says_what_it_knows() -> None:
    silent = [module(path) for path in FILES if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert not silent


# The platform names no game

ALLOWED = {
    ("bots/engine.py", "go"),  # a word of the line protocol
    ("bots/protocol.py", "go"),
    ("cli/show.py", "dots"),  # a spinner of rich
}
"""(file, name) where the name of a game is another word."""


def test_the_platform_names_no_game() -> None:
    files = [
        path
        for kind in ("*.py", "*.js", "*.css", "*.html")
        for path in sorted(SOURCE.rglob(kind))
        if path.relative_to(SOURCE).parts[0] != "games"
    ]
    assert len(files) > 150
    named = {(path.relative_to(SOURCE).as_posix(), name) for path in files for name in names_in(path)}
    assert named == ALLOWED, sorted(named ^ ALLOWED)


def names_in(path: Path) -> set[str]:
    """Return the games that a file names, comments and docstrings apart.

    A name that is no English word counts wherever it stands, any name where it is a text of its own, part of a path
    or of a module, after `kibitz` in a command, or a class of a style sheet.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tree = ast.parse(text)
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
        ]
        texts += imports(path)
    else:
        text = re.sub(r"/\*.*?\*/|//[^\n]*|<!--.*?-->", "", text, flags=re.DOTALL)
        texts = [text] if path.suffix == ".css" else re.findall(r'"[^"\n]*"|`[^`]*`', text)
    return {name for name in GAMES if any(is_named(name, each.strip('"`')) for each in texts)}


def is_named(game: str, text: str) -> bool:
    """Return whether a text names a game; "go" and "dots" are English words too."""
    if game not in ("go", "dots") and re.search(rf"\b{game}\b", text):
        return True
    return text == game or re.search(rf"[./]{game}\b(?! )|\bkibitz {game}\b|\bgame-{game}\b", text) is not None
