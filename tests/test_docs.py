"""The Python examples of README.md and docs/: each page's blocks run in order, in one namespace."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^(?P<indent> *)```python\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


def examples(page: Path) -> list[str]:
    """Return the Python blocks of a page, each after so many empty lines that its line numbers are the page's."""
    text = page.read_text(encoding="utf-8")
    return [
        "\n" * text.count("\n", 0, found.start("code")) + textwrap.dedent(found["code"])
        for found in BLOCK.finditer(text)
    ]


EXAMPLES = {page.relative_to(ROOT).as_posix(): found for page in PAGES if (found := examples(page))}


def test_there_are_examples() -> None:
    assert sum(len(found) for found in EXAMPLES.values()) >= 3


def test_no_example_is_missed() -> None:
    fences = sum(page.read_text(encoding="utf-8").count("```python") for page in PAGES)
    assert fences == sum(len(found) for found in EXAMPLES.values())


@pytest.mark.parametrize("page", EXAMPLES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # as in a program, a class can find its module
    for block in EXAMPLES[page]:
        exec(compile(block, ROOT / page, "exec", dont_inherit=True), module.__dict__)
