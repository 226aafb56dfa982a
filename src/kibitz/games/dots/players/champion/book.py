"""The opening book: moves that long tree searches chose beforehand, the same for all images of a position.

book.json says how it was made: `python -m tools.make.dots_book`. It has the positions
in which a player who follows it has to move, whatever the other draws.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from kibitz.core.game import Move
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.rules.graph import Graph


class Entry(NamedTuple):
    """What the book says of a position."""

    move: Move
    share: float
    """of the playouts that this move won"""
    playouts: int


def look_up(state: DotsState) -> Entry | None:
    """Return the book's move in a position, or None."""
    graph = state.game.board
    entries, plies = _entries(graph.rows, graph.cols) if graph.is_grid else ({}, 0)
    if state.drawn.bit_count() >= plies:
        return None
    image, drawn = canonical(graph, state.drawn)
    entry = entries.get(drawn)
    return None if entry is None else entry._replace(move=image.index(entry.move))


def canonical(graph: Graph, drawn: int) -> tuple[tuple[Move, ...], int]:
    """Return the symmetry that makes the drawn lines the least number, as the line each line goes to, and that number.

    The same number for all images of a position.
    """
    lines = [line for line in range(len(graph.strings)) if drawn >> line & 1]
    return min(
        ((tuple(image), sum(1 << image[line] for line in lines)) for image in graph.symmetries()),
        key=lambda found: found[1],
    )


@lru_cache(maxsize=8)
def _entries(rows: int, cols: int) -> tuple[dict[int, Entry], int]:
    """Return the entries for boards of a size by their lines, and how many lines none of them has."""
    boards = json.loads(files(__package__).joinpath("book.json").read_text("utf-8"))["boards"]
    told = boards.get(f"{rows}x{cols}", {})
    found = {int(drawn, 16): Entry(*entry) for drawn, entry in told.items()}
    return found, max((drawn.bit_count() + 1 for drawn in found), default=0)
