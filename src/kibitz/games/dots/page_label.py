"""Lines of Dots-and-Boxes by the dots that they join, as people find them on the board of the page.

Columns of dots have letters, rows have numbers from the top: b2–c2 joins two dots of
the second row. Strings of other graphs keep their own names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kibitz.core.game import Game, Move
from kibitz.games.dots.rules import MOST, Dots

SIDES: Mapping[str, str | tuple[str, ...]] = {
    "across": "abcdefghij"[: MOST + 1],
    "down": tuple(str(row + 1) for row in range(MOST + 1)),
}
"""What is written along the board: a name for each column of dots, and for each row."""


def label(game: Game, move: Move) -> str:
    """Return a line as the dots it joins, or the name of a string of another graph."""
    assert isinstance(game, Dots)
    if not game.board.is_grid:
        return game.move_label(move)
    way, row, col = game.board.line(move)
    across = way == "h"
    return f"{_dot(row, col)}–{_dot(row + (not across), col + across)}"


def _dot(row: int, col: int) -> str:
    return f"{SIDES['across'][col]}{SIDES['down'][row]}"


def words(game: Game, sentence: str) -> str:
    """Return a sentence with its lines, written as "h 1 2" or "20 (h 1 2)", by the dots they join."""
    assert isinstance(game, Dots)
    if not game.board.is_grid:
        return sentence
    found = r"\b(?:\d+ \(([hv] \d \d)\)|([hv] \d \d)\b)"
    return re.sub(found, lambda match: label(game, game.parse_move(match[1] or match[2])), sentence)
