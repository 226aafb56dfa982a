"""The sources that a compiled kernel depends on: those of its game, wherever they are, and no pages."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from compiled.conftest import Forked
from conftest import OURS
from distributions import plant
from kibitz.compiled import jit, objects, sources
from kibitz.core import installed, registry
from kibitz.search import perft

ENTRIES = [
    ".".join(path.relative_to(Path(jit.__file__).parents[2]).with_suffix("").parts)
    for path in sorted(Path(jit.__file__).parents[1].rglob("*.py"))
    if "\n@entry\n" in path.read_text(encoding="utf-8")
]
"""The modules with functions that are compiled."""
ANY_GAME = [name for name in ENTRIES if name.startswith("kibitz.search.")]


# Our games


SHOWN = {"package", "registry", "defaults"}
"""The modules and folders of core that show games or look for them."""
ASK_FOR_AGENTS = {"kibitz.games.battleline.players.train.searched", "kibitz.games.dots.players.project_2024_kernel"}
"""They import agents, and with them the registry."""
SHOWN_OF_GAMES = [["page"], ["package"], ["notations"], ["words"], ["commands"], ["study"]]
"""Parts of a game that no kernel needs."""
ABOVE = ("picture", "analysis", "web", "cli", "arena", "bots", "interop")
"""Layers that no kernel needs."""


def is_for_people(name: str) -> bool:
    """Return whether a module shows games or looks for them, so that no kernel should depend on it."""
    words = name.split(".")
    if words[0] != "kibitz" or len(words) == 1 or words[1] in ABOVE:
        return True
    if words[1] == "core":
        return len(words) > 2 and words[2] in SHOWN
    return words[1] == "games" and words[3:4] in SHOWN_OF_GAMES


@pytest.mark.parametrize("game", OURS)
def test_a_kernel_does_not_depend_on_pages(game: str) -> None:
    """An edit of a page would otherwise compile every search of its game again."""
    kernel = f"kibitz.games.{game}.kernel.position"
    assert len(ANY_GAME) >= 5
    for search in ANY_GAME:
        found = sources.reachable((search, kernel))
        assert {kernel, f"kibitz.games.{game}.rules.rules", "kibitz.compiled.position"} <= set(found)
        assert [name for name in found if is_for_people(name)] == [], search
        assert not [name for name in found if name.startswith("kibitz.games.") and name.split(".")[2] != game]


def test_no_other_kernel_does_either() -> None:
    assert len(ENTRIES) > 20
    assert set(ENTRIES) >= ASK_FOR_AGENTS
    for start in ENTRIES:
        found = {name for name in sources.reachable((start,)) if is_for_people(name)}
        if start in ASK_FOR_AGENTS:
            found = {name for name in found if not name.startswith(("kibitz.core.", "kibitz.picture"))}
        assert found == set(), start


@pytest.mark.parametrize("game", OURS)
def test_a_kernel_starts_from_the_module_of_its_operations(game: str) -> None:
    kernel = registry.kernel(game)
    kind = type(kernel.pack(registry.game(game).start()))
    assert jit._operations[kind] == f"kibitz.games.{game}.kernel.position"
    assert jit._operations[kind] in jit.sources_of(sources.reachable, (0, kernel.pack(registry.game(game).start())))


# A position whose type is in one module and its operations in another

LAYOUT = """
from typing import Any, NamedTuple

class Position(NamedTuple):
    words: Any
"""
OPERATIONS = """
import sys

from kibitz.compiled.position import register
from {package}.layout import Position

def mover(pos):
    return pos.words[0] + {step}

register(Position, sys.modules[__name__])
"""
SEARCH = """
from kibitz.compiled import position
from kibitz.compiled.jit import entry

@entry
def ask(pos):
    return position.mover(pos)
"""
CALLER = """
import json, os, sys
from pathlib import Path

from kibitz.compiled import sources
from kibitz.compiled.notice import compilations

site = str(Path.cwd() / "site")
if os.path.isdir(site):  # as if pip had installed it
    sys.path.insert(0, site)
    sources._INSTALLED.append(site)

import numpy as np
from planted.search import ask
from {package}.layout import Position
import {package}.operations

compiled = []
with compilations(lambda name: compiled.append(name) if name else None):
    answer = int(ask(Position(np.zeros(1, np.int64))))
print(json.dumps([answer, compiled]))
"""


def write(folder: Path, files: dict[str, str], **values: Any) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.format(**values) if values else text, encoding="utf-8")


def plant_operations(folder: Path) -> None:
    write(folder / "planted", {"__init__.py": "", "layout.py": LAYOUT, "search.py": SEARCH})
    write(folder / "planted", {"caller.py": CALLER, "operations.py": OPERATIONS}, package="planted", step=1)


def kept(folder: Path) -> set[str]:
    return {path.name for path in (folder / "cache" / "objects").glob("*.o")}


def test_an_edit_of_operations_beside_the_type_is_noticed(tmp_path: Path, forked: Forked) -> None:
    plant_operations(tmp_path)
    assert forked(tmp_path) == [[1, ["ask"]]]
    assert forked(tmp_path) == [[1, []]]
    before = kept(tmp_path)
    write(tmp_path / "planted", {"operations.py": OPERATIONS}, package="planted", step=20)
    assert forked(tmp_path) == [[20, ["ask"]]]
    assert len(kept(tmp_path) - before) == 1


def test_a_constant_made_by_a_function_that_imports_is_noticed(tmp_path: Path, forked: Forked) -> None:
    lazy = "def make():\n    from planted.numbers import STEP\n    return STEP\n"
    operations = OPERATIONS.replace("{step}", "STEP").replace("def mover", lazy + "\nSTEP = make()\n\ndef mover")
    write(tmp_path / "planted", {"__init__.py": "", "layout.py": LAYOUT, "search.py": SEARCH, "numbers.py": "STEP = 1"})
    write(tmp_path / "planted", {"caller.py": CALLER, "operations.py": operations}, package="planted")
    assert forked(tmp_path) == [[1, ["ask"]]]
    write(tmp_path / "planted", {"numbers.py": "STEP = 300"})
    assert forked(tmp_path) == [[300, ["ask"]]]


# A game that somebody else has installed


def install(folder: Path, games: dict[str, str]) -> Path:
    """Put a package with a kernel into a folder of installed packages, and the program that uses it beside."""
    site = folder / "site"
    plant(site, "outside-game", "1.0", games=games)
    write(folder / "planted", {"__init__.py": "", "search.py": SEARCH})
    write(folder / "planted", {"caller.py": CALLER}, package="outside")
    write(site / "outside", {"__init__.py": "", "layout.py": LAYOUT})
    write(site / "outside", {"operations.py": OPERATIONS}, package="outside", step=1)
    return site


def test_an_edit_of_an_installed_game_is_noticed(tmp_path: Path, forked: Forked) -> None:
    """As when somebody upgrades it."""
    site = install(tmp_path, {"outside": "outside.package:GAME"})
    assert forked(tmp_path) == [[1, ["ask"]]]
    assert forked(tmp_path) == [[1, []]]
    before = kept(tmp_path)
    write(site / "outside", {"operations.py": OPERATIONS}, package="outside", step=4000)
    assert forked(tmp_path) == [[4000, ["ask"]]]
    assert len(kept(tmp_path) - before) == 1


@pytest.mark.parametrize("games", [{"outside": "outside.package:GAME"}, {}], ids=["a game", "no game"])
def test_an_installed_package_counts_if_it_has_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, games: dict[str, str]
) -> None:
    site = install(tmp_path, games)
    monkeypatch.syspath_prepend(site)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sources, "_INSTALLED", [*sources._INSTALLED, str(site)])
    installed.entries.cache_clear()
    try:
        found = sources.reachable(("planted.search", "outside.operations"))
        first = sources.sources_digest.__wrapped__("planted.search", "outside.operations")
        write(site / "outside", {"operations.py": OPERATIONS}, package="outside", step=2)
        second = sources.sources_digest.__wrapped__("planted.search", "outside.operations")
    finally:
        monkeypatch.undo()
        installed.entries.cache_clear()
        for name in [name for name in sys.modules if name.split(".")[0] in ("planted", "outside")]:
            del sys.modules[name]
    ours = {name for name in found if not name.startswith("kibitz.")}
    assert ours - {"outside", "outside.layout", "outside.operations"} == {"planted.search"}
    assert ("outside.operations" in ours, "outside.layout" in ours, first != second) == (bool(games),) * 3


# What is not used any more


def test_kernels_unused_for_long_are_removed(tmp_path: Path) -> None:
    """Kernels that were moved or uninstalled have names that nobody asks for again."""
    day, now = 86_400, time.time()
    days = {"search.mcts-1.o": 61, "search.gone-1.o": 59, "games.gone-2.o": 400, "games.uttt-1.o": 0, "note.txt": 900}
    for name, age in days.items():
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (now - age * day, now - age * day))
    objects.prune(tmp_path / "games.uttt-1.o")
    assert {path.name for path in tmp_path.iterdir()} == {"search.gone-1.o", "games.uttt-1.o", "note.txt"}


def test_use_keeps_a_kernel(tmp_path: Path, forked: Forked) -> None:
    plant_operations(tmp_path)
    forked(tmp_path)
    (used,) = (tmp_path / "cache" / "objects").glob("*.o")
    os.utime(used, (1e9, 1e9))
    assert forked(tmp_path) == [[1, []]]
    assert time.time() - used.stat().st_mtime < 3600


# Sources are read again only if one has changed


def test_sources_are_traced_once(tmp_path: Path, forked: Forked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_CACHE_DIR", str(tmp_path / "cache"))
    start = perft.__name__  # imported, as the module of every kernel is
    first = sources.sources_digest.__wrapped__(start)
    with monkeypatch.context() as patched:
        patched.setattr(sources, "reachable", lambda modules: pytest.fail("traced again"))
        assert sources.sources_digest.__wrapped__(start) == first
    (note,) = (tmp_path / "cache" / "sources").iterdir()
    for text in ("", "[]", "{}", '{"digest": 1, "files": [[1]]}', note.read_text().replace(".py", ".pyx")):
        note.write_text(text)
        assert sources.sources_digest.__wrapped__(start) == first
