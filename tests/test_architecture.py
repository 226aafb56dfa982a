"""The shape of the source: which way imports point, who may import numba, and how long files may be."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from docsite.imports import FILES, LAYERS, PICTURE, SOURCE, draw, imports, layer, module


@pytest.mark.parametrize("path", [path for path in FILES if path.parent != SOURCE], ids=module)
def test_imports_point_one_way(path: Path) -> None:
    here = LAYERS.index(layer(module(path)))
    for name in imports(path):
        if name.split(".")[0] == "kibitz":
            there = layer(name)
            if there in LAYERS:
                assert LAYERS.index(there) <= here, f"{module(path)} imports {name}"
            else:  # the public names of the package itself are for those above everything
                assert LAYERS[here] == "cli", f"{module(path)} imports {name}"


def test_the_diagram_shows_these_imports() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "draw it again: python -m docsite.imports"


def on_the_map() -> set[Path]:
    """Return the source files that the tree of folders in docs/architecture.md names, in words or by a pattern."""
    lines = (
        (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8").split("```text\n")[1].splitlines()
    )
    named, folders = set[Path](), {-2: SOURCE.parent}
    for line in lines:
        depth = len(line) - len(line.lstrip())
        above = folders[max(at for at in folders if at < depth)]
        if found := re.match(r" *([\w/]+)/ ", f"{line} "):
            above = folders[depth] = SOURCE if depth == 0 else above / found[1]
            folders = {at: folder for at, folder in folders.items() if at <= depth}
        named |= {path for name in re.findall(r"[\w*]+\.py", line) for path in above.glob(name)}
    return named


def test_the_map_names_every_file() -> None:
    unnamed = {path for path in FILES if not path.name.startswith("__")} - on_the_map()
    assert sorted(map(module, unnamed)) == []


def test_the_page_starts_no_outside_program() -> None:
    for path in FILES:
        if layer(module(path)) == "web":
            used = list(imports(path))
            assert not [name for name in used if layer(name) == "interop" or name.split(".")[0] == "subprocess"], path


def test_every_folder_is_a_layer() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(LAYERS)


def test_only_compiled_imports_numba() -> None:
    users = {
        layer(module(path)) for path in FILES for name in imports(path) if name.split(".")[0] in ("numba", "llvmlite")
    }
    assert users == {"compiled"}


def test_core_imports_neither_numpy_nor_rich() -> None:
    heavy = {"numpy", "rich", "typer", "platformdirs"}
    assert not [
        name for path in FILES if layer(module(path)) == "core" for name in imports(path) if name.split(".")[0] in heavy
    ]


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
        assert {layer(name) for name in reached} <= {"core", "games"}, law
        assert not [name for name in reached if name.endswith("kernel")], law


@pytest.mark.parametrize("path", FILES, ids=module)
def test_files_stay_readable(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= 400
    assert ast.get_docstring(ast.parse("\n".join(lines))), f"{module(path)} does not say what it knows"
