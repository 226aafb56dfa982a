"""The shape of the source: which way imports point, who may import numba, what files say of themselves."""

from __future__ import annotations

import ast
import subprocess
import sys

from docsite.imports import FILES, LAYERS, PICTURE, SOURCE, draw, imports, layer, module
from docsite.map import MAP, written

PARTS_ABOVE = {
    ("kibitz.games.go.package", "kibitz.patterns.players.agents.AGENTS"),
    ("kibitz.games.go.package", "kibitz.interop.gtp_bot.GtpBot"),
    ("kibitz.games.uttt.package", "kibitz.interop.codingame.CodinGameBot"),
}
"""Parts of games that lie in layers above them, and that their packages import when they are first asked for."""


def test_imports_point_one_way() -> None:
    upward = {
        (module(path), name)
        for path in FILES
        if path.parent != SOURCE
        for name in imports(path)
        if name.split(".")[0] == "kibitz" and not may_import(layer(module(path)), layer(name))
    }
    assert upward == PARTS_ABOVE


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
        assert own <= {f"{game}.rules", f"{game}.view"}


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


def test_every_file_says_what_it_knows() -> None:
    silent = [module(path) for path in FILES if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert not silent
