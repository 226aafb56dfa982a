"""The blocks of README.md, SECURITY.md and docs/: each page's examples and commands run in order, in one folder."""

from __future__ import annotations

import doctest
import json
import pkgutil
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import documented as doc
import kibitz
from docsite import trust
from docsite.boards import boards
from docsite.pages import FOLDER, all_pages, bent, on_site, targets, write
from documented import PAGES, ROOT, Block, Command, check_shown, commands
from kibitz.core import registry

LANGUAGES = {"console", "diff", "json", "nginx", "python", "text", "toml", "yaml"}
FOUND = {page.relative_to(ROOT).as_posix(): found for page in PAGES if (found := doc.blocks(page))}


def test_no_block_is_missed() -> None:
    fences = sum(line.lstrip().startswith("```") for page in PAGES for line in page.read_text("utf-8").splitlines())
    assert fences == 2 * sum(map(len, FOUND.values()))
    comments = sum(page.read_text("utf-8").count("<!--") for page in PAGES)
    assert comments == sum(bool(block.directive) for found in FOUND.values() for block in found)


def test_the_figures_of_the_readme_are_stored_results() -> None:
    assert f"\n{trust.table()}\n" in trust.README.read_text("utf-8")


def test_shown_output_must_match() -> None:
    check_shown(["a  ", "...", "c in 1.5 s"], "a\nb\n\nc in 20 s\n")
    check_shown(["> question", "< answer"], "answer\n")
    for shown in (["a", "c"], ["b", "..."], ["...", "b"], ["< a"]):
        with pytest.raises(AssertionError):
            check_shown(shown, "a\nb\nc\n")


@pytest.mark.parametrize("line", ["kibitz play uttt --tiem 2", "kibitz solve", "python -m bench.levels", "make tea"])
def test_commands_that_are_not_run_are_parsed(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises((Exception, SystemExit)):
        doc.parse(Command(line.split(), []), monkeypatch)


def test_every_block_names_its_language() -> None:
    assert [str(block) for found in FOUND.values() for block in found if block.language not in LANGUAGES] == []


@pytest.mark.parametrize("page", FOUND)
def test_blocks_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doc.furnish(tmp_path, monkeypatch)
    known = registry.names()
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # as in a program, a class can find its module
    for block in FOUND[page]:
        if block.directive == "file":
            (tmp_path / block.argument).write_text(block.code, encoding="utf-8")
        match block.language:
            case "python" if block.directive != "file":
                code = "\n" * block.line + block.code  # so that the numbers of lines are the page's
                exec(compile(code, block.page, "exec", dont_inherit=True), module.__dict__)
            case "console":
                run_commands(block, monkeypatch)
            case "json":
                json.loads(block.code)
            case "toml":
                tomllib.loads(block.code)
            case "yaml":
                yaml.safe_load(block.code)
            case "diff":
                check_diff(block)
    for name in set(registry.names()) - set(known):  # that a block has added, as a notebook would
        registry.remove(name)


def run_commands(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands of a block, or only parse them where the page says why, and compare what is shown."""
    for command in commands(block):
        with monkeypatch.context() as patch:
            try:
                if block.directive == "not run":
                    doc.parse(command, patch)
                else:
                    more = shlex.split(block.argument) if block.directive == "run with" else []
                    printed = doc.execute(command, more, patch)
                    if command.shown:
                        check_shown(command.shown, printed)
            except Exception as error:
                pytest.fail(f"{block}: {shlex.join(command.words)}: {error}")


def check_diff(block: Block) -> None:
    """Check that the unchanged lines of a diff occur in a source file."""
    kept = [line[1:] for line in block.code.splitlines() if line.startswith(" ")]
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    assert any(all(line in text for line in kept) for text in texts), f"{block} changes what is not there"


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    assert [page for page in all_pages() if f": {on_site(page)}\n" not in navigation] == []


def test_the_site_is_complete_and_needs_no_network(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="make docs installs MkDocs")
    write(FOLDER)
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    made = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")]
    assert len(made) >= len(all_pages())
    assert [
        found for text in made for found in re.findall(r"<(?:script|link|img|iframe)[^>]*=\"?https?:[^>]*>", text)
    ] == []


def test_links_lead_somewhere() -> None:
    pages = all_pages()
    for page, text in pages.items():
        for path in targets(page, text):
            assert path in pages or (ROOT / path).is_file(), f"{page} links to {path}"


def test_files_named_in_the_text_exist() -> None:
    known, named = doc.ends_of_paths(), [(page.name, name) for page in PAGES for name in doc.named_files(page)]
    assert [each for each in named if each[1] not in known] == []
    assert len(named) > 400


def test_the_length_of_the_example_is_right() -> None:
    files = [path for ending in ("py", "css") for path in (ROOT / "examples" / "connect-four").rglob(f"*.{ending}")]
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in files)
    assert f"in {lines} lines of Python and CSS" in (ROOT / "docs" / "adding-a-game.md").read_text("utf-8")


def test_links_are_bent_for_the_site() -> None:
    text = "[a](SECURITY.md) [b](docs/page.md#keys) ![c](docs/images/page-go.png) [d](src/kibitz/core/game.py) [e](#f)"
    assert bent("README.md", text) == (
        "[a](security.md) [b](page.md#keys) ![c](images/page-go.png) [d](source/src/kibitz/core/game.py.md) [e](#f)"
    )
    rules = "docs/games/go/rules.md"
    assert bent(rules, "[a](../../page.md) [b](../../../README.md)") == "[a](../../page.md) [b](../../index.md)"
    assert on_site(rules) == "games/go/rules.md"


def test_the_boards_of_the_readme_are_up_to_date() -> None:
    old = [str(path) for path, text in boards() if path.read_text(encoding="utf-8") != text]
    assert not old, "draw them again: python -m docsite.boards"


def test_names_in_the_reference_exist() -> None:
    names = re.findall(r"^::: (\S+)", (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) > 10
    for name in names:
        pkgutil.resolve_name(name)


def test_the_example_in_the_package_works() -> None:
    found = doctest.testmod(kibitz)
    assert found.attempted > 0
    assert found.failed == 0
