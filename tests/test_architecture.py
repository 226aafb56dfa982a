"""The shape of the source: direction of imports, use of numba and of game names, types, class names and wording."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docsite import imports as tree
from docsite.imports import FILES, SOURCE, imports, layer, module
from docsite.map import MAP, written

ROOT = SOURCE.parents[1]
GAMES = sorted(path.parent.name for path in (SOURCE / "games").glob("*/package.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


# Imports


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
    """Return whether a module may import another; only the top layers may import the package itself."""
    own, other = layer(here), layer(there)
    if other not in tree.LAYERS:
        return own in ("cli", "testing")
    if own == "games":
        part = here.split(".")[3] if here.count(".") > 2 else ""
        return other in tree.GAME_LAYERS or part in tree.UPWARD
    is_below = tree.LAYERS.index(other) <= tree.LAYERS.index(own)
    return is_below and other != "games" and (own, other) not in tree.NOT_BESIDE


EXTEND = {f"kibitz.{part}.extend" for part in ("arena", "interop", "web", "cli")}


def test_a_package_imports_its_rules_and_nothing_else_of_its_game() -> None:
    """Listing games imports every package; all other parts are imported on first use."""
    packages = [path for path in FILES if path.name == "package.py" and layer(module(path)) == "games"]
    assert len(packages) == 4
    for path in packages:
        top = parsed(path).body
        imported = {node.module for node in top if isinstance(node, ast.ImportFrom)}
        assert not [node for node in top if isinstance(node, ast.Import)], path
        game = module(path).removesuffix(".package")
        own = {name for name in imported if name and name.startswith("kibitz.") and layer(name) != "core"}
        assert f"{game}.rules" in own
        assert own <= {f"{game}.rules", f"{game}.rules.view"} | EXTEND


def test_the_diagram_is_up_to_date() -> None:
    assert tree.PICTURE.read_text(encoding="utf-8") == tree.draw(), "draw it again: python -m docsite.imports"


def test_the_map_is_up_to_date() -> None:
    assert MAP.read_text(encoding="utf-8") == written(), "write it again: python -m docsite.map"


def test_the_page_starts_no_external_program() -> None:
    assert not [module(path) for path in FILES if layer(module(path)) == "web" and "subprocess" in imports(path)]


def test_every_folder_is_a_layer() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(tree.LAYERS)


def test_only_compiled_imports_numba() -> None:
    users = {
        layer(module(path)) for path in FILES for name in imports(path) if name.split(".")[0] in ("numba", "llvmlite")
    }
    assert users == {"compiled"}


def test_what_is_not_needed_is_not_loaded() -> None:
    code = "import sys, kibitz.core.registry, kibitz.core.defaults.shown; print(*sys.modules)"
    code += "; del sys.modules['kibitz.picture.svg'], sys.modules['xml.etree.ElementTree']"  # not for the command line
    code += "; import kibitz.cli.app; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    core, cli = (set(line.split()) for line in ran.stdout.splitlines())
    assert not {"numpy", "rich", "typer", "platformdirs"} & core
    assert not {"numpy", "numba", "kibitz.picture.svg", "xml.etree.ElementTree"} & cli
    assert not [name for name in core | cli if name.startswith("kibitz.games.")]


def test_no_game_imports_another() -> None:
    for path in FILES:
        if layer(module(path)) == "games" and len(module(path).split(".")) > 3:
            game = module(path).split(".")[2]
            others = [name for name in imports(path) if name.startswith("kibitz.games.")]
            assert all(name.split(".")[2] == game for name in others), module(path)


def test_rules_reach_nothing_compiled() -> None:
    files = {module(path): path for path in FILES}
    rules = [name for name in files if name.endswith(".rules")]
    assert rules
    for start in rules:
        reached, todo = set[str](), [start]
        while todo:
            name = todo.pop()
            if name in files and name not in reached:
                reached.add(name)
                names = [(name, name.rpartition(".")[0]) for name in imports(files[name])]  # modules, or names in them
                todo += [each for pair in names for each in pair if each != "kibitz"]
        assert len(reached) > 5
        assert {layer(name) for name in reached} <= {"picture", "core", "games"}, start
        assert not [name for name in reached if name.endswith("kernel")], start


def test_every_module_has_a_docstring() -> None:
    assert not [module(path) for path in FILES if not ast.get_docstring(parsed(path))]


# Types and names

MAX_ANY = 195
"""The maximum number of `Any` in src; what is left mostly stands for objects of torch and pyspiel."""
MAX_ISINSTANCE_ASSERTS = 6
"""The maximum number of `assert isinstance` in src."""
CORE_ANY = {"untrusted.py": 1, "game.py": 3, "parts.py": 2, "package.py": 2, "defaults/grid.py": 1}
"""`Any` in core: JsonObject, defaults of type variables, and the extras of a package."""


def test_any_is_rare() -> None:
    counts = {
        path: sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(parsed(path))) for path in FILES
    }
    assert sum(counts.values()) <= MAX_ANY, Counter(counts).most_common(5)
    core = {
        path.relative_to(SOURCE / "core").as_posix(): n for path, n in counts.items() if SOURCE / "core" in path.parents
    }
    assert {name: n for name, n in core.items() if n} == CORE_ANY


def test_types_need_few_asserts() -> None:
    places = [
        f"{module(path)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Assert) and ast.unparse(node.test).startswith("isinstance(")
    ]
    assert len(places) <= MAX_ISINSTANCE_ASSERTS, places
    assert not [place for place in places if place.startswith("kibitz.core.")]


def test_a_class_name_means_one_thing() -> None:
    names = Counter(node.name for path in FILES for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef))
    assert len(names) > 400
    assert not {name for name, n in names.items() if n > 1}


# Wording

MAX_PHRASES = {
    r"Raises [A-Z]\w+": 0,  # docstrings are imperative: "Raise BadText if ..."
    r"(?i)\bwho(ever)? is to move\b": 1,  # the player to move
    r"(?i)\bso (many|much)\b(?! (that|as)\b)": 4,  # a number: "up to n moves"
    r"\b(?<!there )(is|are|was) none\b|\bthere (is|are) none of\b|\bhas it not\b": 5,  # "if it is unknown"
    r"(?i)\b(is|are|was|were|be) told\b|\b(is|are) said\b": 4,  # shown, notified, reported
    r"(?i)\bby (lot|chance(?! (nodes|[0-9])))\b|\bin its head\b": 0,  # random
    r"(?i)\bf(ind|ound) out\b": 1,  # determine, autodetect
    r"(?i)\b(of which|wherein|thereof|all the same)\b": 3,
    r"(?i)\bheld (for|by who)\b": 0,
    r"(?i)\bif need be\b": 0,  # if necessary
}
"""Pattern of a phrase to avoid -> how often docstrings, comments, messages, pages and docs may still have it. The goal
is 0."""


def prose_of(path: Path) -> Iterator[str]:
    """Yield the texts of a file: of Python the strings and comments, of other files everything."""
    if path.suffix != ".py":
        yield path.read_text(encoding="utf-8")
        return
    yield from (
        node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    with path.open("rb") as file:
        yield from (token.string for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT)


@cache
def all_prose() -> dict[str, list[str]]:
    """Return the texts of every file of the sources and the documentation, each text on one line."""
    paths = [*FILES, *(path for kind in ("*.js", "*.html") for path in SOURCE.rglob(kind))]
    paths += [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")]
    texts = {path.relative_to(ROOT).as_posix(): list(prose_of(path)) for path in paths if path != MAP}
    return {path: [" ".join(text.split()) for text in found] for path, found in texts.items()}


@pytest.mark.parametrize("phrase", MAX_PHRASES)
def test_phrases_to_avoid_become_fewer(phrase: str) -> None:
    pattern = re.compile(phrase)
    places = [
        f"{path}: {text[max(match.start() - 30, 0) : match.end() + 30]}"
        for path, texts in all_prose().items()
        for text in texts
        for match in pattern.finditer(text)
    ]
    assert len(places) <= MAX_PHRASES[phrase], "\n".join(places)
    ours = ("src/kibitz/core/", "src/kibitz/picture/", "src/kibitz/compiled/", "src/kibitz/testing/")
    assert not [place for place in places if place.startswith(ours)]


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
    """Return the games that a file names, except in comments and docstrings.

    A name that is not an English word counts wherever it appears; any name counts if it is a text of its own, part of
    a path or module, follows `kibitz` in a command, or is a CSS class.
    """
    if path.suffix == ".py":
        nodes = list(ast.walk(parsed(path)))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        constants = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in docstrings]
        texts = [node.value for node in constants if isinstance(node.value, str)] + list(imports(path))
    else:
        text = re.sub(r"/\*.*?\*/|//[^\n]*|<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        texts = [text] if path.suffix == ".css" else re.findall(r'"[^"\n]*"|`[^`]*`', text)
    return {name for name in GAMES if any(is_named(name, each.strip('"`')) for each in texts)}


def is_named(game: str, text: str) -> bool:
    """Return whether a text names a game; "go" and "dots" are also English words."""
    if game not in ("go", "dots") and re.search(rf"\b{game}\b", text):
        return True
    return text == game or re.search(rf"[./]{game}\b(?! )|\bkibitz {game}\b|\bgame-{game}\b", text) is not None
