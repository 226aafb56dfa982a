"""The shape of the source: which way imports point, who may import numba, and how long files may be."""

from __future__ import annotations

import ast
import subprocess
import sys

from docsite.imports import FILES, LAYERS, PICTURE, SOURCE, draw, imports, layer, module
from docsite.map import MAP, written


def test_imports_point_one_way() -> None:
    wrong = [
        f"{module(path)} imports {name}"
        for path in FILES
        if path.parent != SOURCE and path.name != "package.py"  # loaders of a game's parts, wherever they are
        for name in imports(path)
        if name.split(".")[0] == "kibitz" and not may_import(layer(module(path)), layer(name))
    ]
    assert not wrong, "\n".join(wrong)


def may_import(here: str, there: str) -> bool:
    """Whether one layer may import another; the public names of the package itself are for those above everything."""
    return LAYERS.index(there) <= LAYERS.index(here) if there in LAYERS else here in ("cli", "testing")


def test_the_diagram_shows_these_imports() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "draw it again: python -m docsite.imports"


def test_the_map_is_up_to_date() -> None:
    assert MAP.read_text(encoding="utf-8") == written(), "write it again: python -m docsite.map"


def test_the_page_starts_no_outside_program() -> None:
    outside = [
        f"{module(path)} imports {name}"
        for path in FILES
        if layer(module(path)) == "web"
        for name in imports(path)
        if layer(name) == "interop" or name.split(".")[0] == "subprocess"
    ]
    assert not outside, "\n".join(outside)


def test_every_folder_is_a_layer() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(LAYERS)


def test_only_compiled_imports_numba() -> None:
    users = {
        layer(module(path)) for path in FILES for name in imports(path) if name.split(".")[0] in ("numba", "llvmlite")
    }
    assert users == {"compiled"}


def test_core_and_pictures_load_neither_numpy_nor_rich() -> None:
    code = "import kibitz.core.registry, kibitz.core.shown, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "rich", "typer", "platformdirs"} & set(loaded)
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


def test_files_stay_readable() -> None:
    texts = {module(path): path.read_text(encoding="utf-8") for path in FILES}
    wrong = [f"{name} has more than 400 lines" for name, text in texts.items() if len(text.splitlines()) > 400]
    silent = [name for name, text in texts.items() if not ast.get_docstring(ast.parse(text))]
    wrong += [f"{name} does not say what it knows" for name in silent]
    assert not wrong, "\n".join(wrong)
