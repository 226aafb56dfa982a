"""The opening book: moves chosen in advance by long tree searches, one entry for all symmetric positions.

book.json says how it was made: `python -m tools.make.dots_book`. It has the positions
that a player who follows it can meet, whatever the opponent draws.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from kibitz.core.game import Move
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.rules.graph import Graph
from kibitz.games.dots.theory.runs import bits


class BookEntry(NamedTuple):
    """The book's move in a position."""

    move: Move
    share: float  # the share of the playouts that it won
    playouts: int


def look_up(state: DotsState) -> BookEntry | None:
    """Return the book's move in a position, or None if the position is not in the book."""
    graph = state.game.board
    image, drawn = canonical_image(graph, state.drawn)
    entry = _entries(graph.rows, graph.cols).get(drawn)
    return None if entry is None else entry._replace(move=image.index(entry.move))


def canonical_image(graph: Graph, drawn: int) -> tuple[tuple[Move, ...], int]:
    """Return the symmetry, as the image of each line, that maps the drawn lines to the lowest number, and that number.

    The number is the same for all symmetric positions.
    """
    lines = list(bits(drawn))
    images = ((image, sum(1 << image[line] for line in lines)) for image in graph.symmetries())
    return min(images, key=lambda pair: pair[1])


@lru_cache(maxsize=8)
def _entries(rows: int, cols: int) -> dict[int, BookEntry]:
    """Return the entries for a board size, by drawn lines as bits; empty for graphs other than grids (0x0)."""
    boards = json.loads(files(__package__).joinpath("book.json").read_text("utf-8"))["boards"]
    return {int(drawn, 16): BookEntry(*entry) for drawn, entry in boards.get(f"{rows}x{cols}", {}).items()}
