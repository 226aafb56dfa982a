"""The pictures of the README: the board of each game, as its page shows it in the lobby.

python -m docsite.boards    draw docs/images/board-*.svg again
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docsite.imports import ROOT
from kibitz.core import registry
from kibitz.core.defaults.shown import svg_of

GAMES = ("battleline", "dots", "go", "uttt")
WIDTH_PIXELS = 320


def boards() -> Iterator[tuple[Path, str]]:
    """Yield each file with the text that it should have."""
    for name in GAMES:
        text = svg_of(registry.page(name).cover_view(), width=WIDTH_PIXELS)
        yield ROOT / "docs" / "images" / f"board-{name}.svg", f"{text}\n"


if __name__ == "__main__":
    for path, text in boards():
        path.write_text(text, encoding="utf-8")
        print(f"Written: {path}")
