"""Moves and positions of Ultimate Tic-Tac-Toe as texts, read and written.

Checks the form of a text only; possible.py checks the position, and rules.py makes a
state of it.

- A move is 9*board+cell ("40" is the centre of the centre), CodinGame's row and column
  on the 9x9 grid, both from 0 ("4 4"), or column and row as on the page ("e5").
- 93 digits: 81 cells board by board (0 empty, 1 X, 2 O), 9 boards (3 drawn), the side to
  move (1 or 2), the forced board (9 = free), the result (0 = not over).
- FEN style: nine mini-boards, with digits for runs of empty cells, then the side to move
  and the forced board ("-" = free): 9/9/9/9/4x4/9/9/9/9 o 4. With variant=open the marks
  do not always tell who won a board first, so a fourth field lists the owners of the
  boards: x, o, = (drawn) or . (undecided).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kibitz.core.errors import BadText
from kibitz.games.uttt.rules.geometry import from_grid, grid

EMPTY = -1
DRAWN = 2
"""The owner of a full mini-board that nobody has won."""
FREE = 9
"""The forced board if the choice of board is free."""


class Fields(NamedTuple):
    """The parts of a position, not checked against the rules."""

    cells: tuple[int, ...]
    """81 cells, board by board: EMPTY, 0 (X) or 1 (O)."""
    boards: tuple[int, ...] | None
    """9 boards: EMPTY if undecided, 0, 1 or DRAWN; None if unknown."""
    to_move: int
    forced: int
    """0 to 8, or FREE."""
    result: int | None
    """0 not over, 1 X won, 2 O won, 3 draw; None if unknown."""


def move_text(move: int) -> str:
    """Return the text of a move: the number 9 * board + cell."""
    return str(move)


def move_codingame(move: int) -> str:
    """Return a move as CodinGame writes it: "row col"."""
    return "{} {}".format(*grid(move))


def parse_move(text: str) -> int:
    """Parse a move in any of the three notations. Raise BadText if it is not a move."""
    words = text.split()
    if len(words) == 1 and re.fullmatch("[a-i][1-9]", words[0]):
        return from_grid(int(words[0][1]) - 1, ord(words[0][0]) - ord("a"))
    if words and all(re.fullmatch("[0-9]{1,2}", word) for word in words):
        numbers = [int(word) for word in words]
        if len(numbers) == 1 and numbers[0] < 81:
            return numbers[0]
        if len(numbers) == 2 and max(numbers) < 9:
            return from_grid(*numbers)
    raise BadText(f"{text!r} is not a move: write 9*board+cell (0-80), row and column (0-8 each), or a1 to i9.")


def parse_position(text: str) -> Fields:
    """Parse a position in digits or FEN style into its parts. Raise BadText if it is malformed."""
    text = text.strip()
    return _parse_digits(text) if re.fullmatch("[0-9]+", text) else _parse_fen(text)


def position_digits(fields: Fields) -> str:
    """Return a position as 93 digits; its boards and result must be known."""
    assert fields.boards is not None
    assert fields.result is not None
    marks = "".join(str(code + 1) for code in fields.cells + fields.boards)
    return f"{marks}{fields.to_move + 1}{fields.forced}{fields.result}"


def _parse_digits(text: str) -> Fields:
    if len(text) != 93:
        raise BadText(f"A position in digits must have 93 digits, got {len(text)}.")
    codes = [int(digit) for digit in text]
    for name, part, highest in (("cell", codes[:81], 2), ("board", codes[81:90], 3)):
        for i, code in enumerate(part):
            if code > highest:
                raise BadText(f"The digit of {name} {i} is {code}, but must be 0 to {highest}.")
    if codes[90] not in (1, 2):
        raise BadText(f"The side to move (digit 91) is {codes[90]}, but must be 1 or 2.")
    if codes[92] > 3:
        raise BadText(f"The result (digit 93) is {codes[92]}, but must be 0 to 3.")
    cells, boards = (tuple(code - 1 for code in part) for part in (codes[:81], codes[81:90]))
    return Fields(cells, boards, codes[90] - 1, codes[91], codes[92])


def position_fen(fields: Fields, owners: bool = False) -> str:
    """Return a position in FEN style. owners: include the owners of the boards."""
    rows = []
    for board in range(9):
        marks = "".join(".xo"[code + 1] for code in fields.cells[9 * board : 9 * board + 9])
        rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), marks))
    forced = "-" if fields.forced == FREE else str(fields.forced)
    fen = f"{'/'.join(rows)} {'xo'[fields.to_move]} {forced}"
    if owners:
        assert fields.boards is not None
        fen += " " + "".join(".xo="[code + 1] for code in fields.boards)
    return fen


def _parse_fen(text: str) -> Fields:
    words = text.split()
    if len(words) not in (3, 4):
        raise BadText(
            f"{text!r} is not a position: write 93 digits, or boards, side to move and forced board "
            "as in 9/9/9/9/4x4/9/9/9/9 o 4."
        )
    rows = words[0].split("/")
    if len(rows) != 9:
        raise BadText(f"The position has {len(rows)} mini-boards separated by slashes, but must have 9.")
    cells: list[int] = []
    for board, row in enumerate(rows):
        if not re.fullmatch("[xo1-9]+", row):
            raise BadText(f"Mini-board {board} is {row!r}, but may hold only x, o and 1 to 9.")
        marks = re.sub("[1-9]", lambda run: "." * int(run[0]), row)
        if len(marks) != 9:
            raise BadText(f"Mini-board {board} ({row!r}) has {len(marks)} cells, not 9.")
        cells += [".xo".index(mark) - 1 for mark in marks]
    if words[1] not in ("x", "o"):
        raise BadText(f"The side to move is {words[1]!r}, but must be x or o.")
    if not re.fullmatch("[0-8-]", words[2]):
        raise BadText(f"The forced board is {words[2]!r}, but must be 0 to 8, or - for a free choice.")
    boards = None
    if len(words) == 4:
        if not re.fullmatch("[.xo=]{9}", words[3]):
            raise BadText(
                f"The owners of the boards are {words[3]!r}, but must be nine characters of x, o, = and . only."
            )
        boards = tuple(".xo=".index(mark) - 1 for mark in words[3])
    forced = FREE if words[2] == "-" else int(words[2])
    return Fields(tuple(cells), boards, "xo".index(words[1]), forced, None)
