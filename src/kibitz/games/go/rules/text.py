"""Moves and boards as text, and the board drawn for a terminal.

A move is "pass" or a point as GTP writes it: column and row, A1 at the bottom left,
without the letter I. SGF's two letters ("dd", counted from the top left) can be parsed
too, with "tt" for a pass on boards up to 19x19. A board is written as rows from the top,
separated by /: X for Black, O for White, numbers for runs of empty points.
"""

from __future__ import annotations

import re

from kibitz.core.errors import BadText
from kibitz.core.game import Line, Role
from kibitz.games.go.rules.board import EMPTY, Board
from kibitz.games.go.rules.geometry import Point, star_points

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # the names of the columns
MARKS = ".XO"  # the characters for EMPTY, BLACK and WHITE
PASS_WORD = "pass"
NO_KO = -1
_ROLES: tuple[Role, Role, Role] = ("", "first", "second")
_CAPTION_WIDTH = 46  # pad the lines below a drawn board to this many characters


def point_text(size: int, point: Point) -> str:
    """Return a point as GTP writes it, such as "D4"."""
    row, col = divmod(point, size)
    return f"{LETTERS[col]}{size - row}"


def move_text(size: int, move: int) -> str:
    """Return a move as GTP writes it: a point such as "D4", or "pass"."""
    return PASS_WORD if move == size * size else point_text(size, move)


def sgf_point(size: int, point: Point) -> str:
    """Return a point as SGF writes it, such as "dd"."""
    row, col = divmod(point, size)
    return f"{chr(97 + col)}{chr(97 + row)}"


def parse_move(size: int, text: str) -> int:
    """Parse a move, legal or not. Raise BadText if the text is neither a point of the board nor a pass."""
    word = text.strip()
    if word.lower() == PASS_WORD:
        return size * size
    if re.fullmatch(r"[A-Za-z][1-9][0-9]?", word, re.ASCII):
        col, row = LETTERS.find(word[0].upper()), size - int(word[1:])
        if 0 <= col < size and 0 <= row < size:
            return row * size + col
    elif re.fullmatch(r"[a-z]{2}", word, re.ASCII):
        col, row = ord(word[0]) - 97, ord(word[1]) - 97
        if col < size and row < size:
            return row * size + col
        if word == "tt" and size <= 19:
            return size * size
    raise BadText(
        f"{text!r} is not a move: write a point from A1 to {point_text(size, size - 1)}, its SGF letters, or pass."
    )


def rows_text(board: Board) -> str:
    """Return a board as text: its rows from the top, separated by /, with runs of empty points as numbers."""
    rows = []
    for row in range(board.size):
        marks = "".join(MARKS[code] for code in board.points[row * board.size : (row + 1) * board.size])
        rows.append(re.sub(r"\.+", lambda gap: str(len(gap[0])), marks))
    return "/".join(rows)


def parse_rows(size: int, text: str) -> Board:
    """Parse the rows of a board; empty points are numbers or full stops. Raise BadText if they are malformed."""
    rows = text.split("/")
    if len(rows) != size:
        raise BadText(f"The board has {len(rows)} rows, but must have {size}, with / between them.")
    points = bytearray()
    for number, row in enumerate(rows, 1):
        codes = bytearray()
        for part in re.findall(r"[0-9]{1,2}|.", row, re.ASCII):
            if part in MARKS:
                codes.append(MARKS.index(part))
            elif part.isascii() and part.isdigit():
                codes += bytes(int(part))
            else:
                raise BadText(f"{part!r} in row {number} is not X, O, a full stop or a number of empty points.")
        if len(codes) != size:
            raise BadText(f"Row {number} of the board has {len(codes)} points, but must have {size}.")
        points += codes
    return Board(size, bytes(points))


def draw(board: Board, ko: int, prisoners: tuple[int, int], last: int | None, owners: bytes = b"") -> tuple[Line, ...]:
    """Draw a board with coordinates: X for Black, O for White, + for a star point, # for a point forbidden by ko.

    With `owners`, empty points are x where Black owns them, o where White does. Two
    lines below the board show the prisoners, and the last move if it was a pass.
    """
    size = board.size
    columns: Line = ((" " * 4 + " ".join(LETTERS[:size]), "faint"),)
    lines: list[Line] = [columns]
    for row in range(size):
        label = f"{size - row:>3}"
        spans: list[tuple[str, Role]] = [(label, "faint")]
        for point in range(row * size, (row + 1) * size):
            mark, role = _mark(board, ko, owners, point)
            after_last = last == point - 1 and point % size > 0
            if point == last:
                spans += [("(", "last"), (mark, "last")]
            else:
                spans += [(")", "last") if after_last else (" ", ""), (mark, role)]
        spans.append((")", "last") if last == (row + 1) * size - 1 else (" ", ""))
        lines.append((*spans, (label.strip().ljust(3), "faint")))
    caption = f"    prisoners: Black {prisoners[0]}, White {prisoners[1]}".ljust(_CAPTION_WIDTH)
    passed = "    pass" if last == size * size else ""
    return (*lines, columns, ((caption, "faint"),), ((passed.ljust(_CAPTION_WIDTH), "last" if passed else ""),))


def _mark(board: Board, ko: int, owners: bytes, point: int) -> tuple[str, Role]:
    """Return the character drawn on a point, and the role that decides its colour."""
    code = board.points[point]
    if code != EMPTY:
        return MARKS[code], _ROLES[code]
    if owners and owners[point] != EMPTY:
        return MARKS[owners[point]].lower(), _ROLES[owners[point]]
    if point == ko:
        return "#", "faint"
    return "+" if point in star_points(board.size) else "\N{MIDDLE DOT}", "legal"
