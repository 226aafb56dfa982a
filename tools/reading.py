"""Draw places to read as a newcomer: functions with docstrings, messages and help texts, paragraphs of the docs.

python -m tools.reading SEED [--root DIR]

Print 30 places, chosen by the seed alone: 14 functions, 8 messages or help texts with the
lines around them, 8 paragraphs. Mark what sounds foreign or needs a second reading.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[1]
FUNCTIONS, MESSAGES, PARAGRAPHS = 14, 8, 8
MAX_FUNCTION_LINES, CONTEXT_LINES, MIN_PARAGRAPH_WORDS = 30, 2, 12
Place: TypeAlias = tuple[str, str]
"""(file and line, text)"""


def functions(path: Path) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of functions that have a docstring, the longest ones cut."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node):
            yield node.lineno, min(node.end_lineno or node.lineno, node.lineno + MAX_FUNCTION_LINES)


def messages(path: Path) -> Iterator[tuple[int, int]]:
    """Yield the lines around raised errors and help texts."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_raised = isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and bool(node.exc.args)
        is_help = isinstance(node, ast.keyword) and node.arg == "help"
        if isinstance(node, ast.Raise | ast.keyword) and (is_raised or is_help):
            yield max(node.lineno - CONTEXT_LINES, 1), node.end_lineno or node.lineno


def paragraphs(path: Path) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of paragraphs and list items in prose, not of code or tables."""
    start, fenced = 0, False
    lines = [*path.read_text(encoding="utf-8").splitlines(), ""]
    for number, line in enumerate(lines, 1):
        is_fence = line.lstrip().startswith("```")
        if start and (not line.strip() or is_fence):
            if len(" ".join(lines[start - 1 : number - 1]).split()) >= MIN_PARAGRAPH_WORDS:
                yield start, number - 1
            start = 0
        elif not start and not fenced and not is_fence and line.strip() and not re.match(r"\s*(#|\||<!--|!\[)", line):
            start = number
        fenced ^= is_fence


def draw(root: Path, rng: random.Random) -> list[Place]:
    """Return the chosen places."""
    sources = sorted((root / "src").rglob("*.py"))
    docs = [root / "README.md", *(path for path in sorted((root / "docs").rglob("*.md")) if path.name != "map.md")]
    chosen: list[Place] = []
    for count, paths, places in (
        (FUNCTIONS, sources, functions),
        (MESSAGES, sources, messages),
        (PARAGRAPHS, docs, paragraphs),
    ):
        found = [(path, first, last) for path in paths for first, last in places(path)]
        for path, first, last in rng.sample(found, count):
            text = "\n".join(path.read_text(encoding="utf-8").splitlines()[first - 1 : last])
            chosen.append((f"{path.relative_to(root)}:{first}", text))
    return chosen


def main() -> None:
    """Print the places of a seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int)
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to read; default: this one")
    given = parser.parse_args()
    for number, (where, text) in enumerate(draw(given.root, random.Random(given.seed)), 1):
        print(f"--- {number}. {where}\n{text}\n")


if __name__ == "__main__":
    main()
