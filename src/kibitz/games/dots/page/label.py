"""Lines of Dots-and-Boxes by the dots they join, as people find them on the board.

Columns of dots have letters, rows have numbers from the top: b2–c2 joins two dots of
the second row. Strings of other graphs keep their own names.
"""

from __future__ import annotations

import re

from kibitz.core.game import Move
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.rules.rules import MAX_BOARD_SIZE

COLUMN_NAMES = tuple("abcdefghij"[: MAX_BOARD_SIZE + 1])  # the name of each column of dots, from the left
ROW_NAMES = tuple(str(row + 1) for row in range(MAX_BOARD_SIZE + 1))  # the name of each row of dots, from the top

_LINE = re.compile(r"\b(?:\d+ \(([hv] \d \d)\)|([hv] \d \d)\b)")


def label(game: Dots, move: Move) -> str:
    """Return the two dots a line joins, or the name of a string of another graph."""
    if not game.board.is_grid:
        return game.move_label(move)
    way, row, col = game.board.line(move)
    across = way == "h"
    return f"{_dot(row, col)}–{_dot(row + (not across), col + across)}"


def _dot(row: int, col: int) -> str:
    return f"{COLUMN_NAMES[col]}{ROW_NAMES[row]}"


def relabel(game: Dots, sentence: str) -> str:
    """Return a sentence with lines written as "h 1 2" or "20 (h 1 2)" named as label() names them."""
    if not game.board.is_grid:
        return sentence
    return _LINE.sub(lambda found: label(game, game.parse_move(found[1] or found[2])), sentence)
