"""A pattern to search for: a rectangle of points with wildcards, and where on the board it may lie.

    .  an empty point        x  Black or empty
    X  a black stone         o  White or empty
    O  a white stone         *  anything
    1 2 3 ...  moves in this order, odd ones black, even ones white

X is Black; unless a search fixes the colours, X and O may also be the other way round.
This module knows nothing about games.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kibitz.compiled.arrays import Int64Array
from kibitz.core.errors import BadText
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE

ANCHORS = ("anywhere", "corner", "side", "centre", "full")
"""Where a rectangle may lie; docs/games/go/records.md explains each."""

# A colour has two bits: EMPTY 00, BLACK 01, WHITE 10. A point matches if it equals the value in all bits of the mask.
_MASKS = {".": 3, "X": 3, "O": 3, "x": 2, "o": 1, "*": 0}
_VALUES = {".": EMPTY, "X": BLACK, "O": WHITE, "x": 0, "o": 0, "*": 0}
_EDGE = 3
"""The code of a point off the board: neither a stone nor a liberty."""
MAX_SEQUENCE_MOVES = 40
MAX_FILE_BYTES = 100_000


@dataclass(frozen=True)
class Pattern:
    """A rectangle of points. Make one with `parse`."""

    rows: tuple[str, ...]
    """From top to bottom, including the stones of the sequence."""
    anchor: str = "anywhere"
    sequence: tuple[tuple[int, int], ...] = ()
    """Row and column of moves that must have been played in this order; their colours are in the rows."""

    @property
    def height(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(self.rows[0])

    def codes(self) -> tuple[Int64Array, Int64Array]:
        """Return the masks and the values of the points, as two arrays [row, column]; see _MASKS and _VALUES."""
        masks, values = (
            np.array([[codes[char] for char in row] for row in self.rows], np.int64) for codes in (_MASKS, _VALUES)
        )
        return masks, values

    def captured_by(self, row: int, col: int, colour: str, size: int) -> list[tuple[int, int]]:
        """Return row and column of each stone that a move of X or O captures on a board of this size.

        Return only captures that are certain: a chain next to a wildcard, or to a point
        outside the pattern that need not be off the board, is not captured.
        """
        # a square board that holds the pattern in a frame: _EDGE where the board must end, otherwise EMPTY
        side = max(self.height, self.width) + 2
        inside, corner = self.anchor in ("anywhere", "centre"), self.anchor in ("corner", "full")
        below = _EDGE if self.height == size else EMPTY
        left = _EDGE if self.width == size else EMPTY
        right = _EDGE if corner else left
        codes = [[below if inside else _EDGE] * side]
        codes += [[left, *(_VALUES[char] for char in line), right] for line in self.rows]
        codes += [[below] * side] * (side - len(codes))
        points = bytes(code for line in codes for code in (line + [EMPTY] * side)[:side])
        placed = Board(side, points).place((row + 1) * side + col + 1, _VALUES[colour])
        return [(point // side - 1, point % side - 1) for point in sorted(placed.captured | placed.lost)]


def parse(rows: Sequence[str], anchor: str = "anywhere", sequence: Sequence[Sequence[int]] = ()) -> Pattern:
    """Return a pattern. Raise BadText if the rows, anchor or sequence are invalid.

    The sequence is given by digits in the rows, or as [row, column] pairs counted from 0.
    Pairs allow more than nine moves; a pair on a stone is a move of that colour.
    """
    if anchor not in ANCHORS:
        raise BadText(f"The anchor must be one of {', '.join(ANCHORS)}, not {str(anchor)[:40]!r}.")
    rows = [str(row).strip() for row in rows]
    if not rows or not rows[0]:
        raise BadText("A pattern needs at least one row with one point, such as XO.")
    if len(rows) > MAX_BOARD_SIZE or len(rows[0]) > MAX_BOARD_SIZE:
        raise BadText(f"A pattern has at most {MAX_BOARD_SIZE} rows and columns, not {len(rows)} by {len(rows[0])}.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise BadText(f"Row {number} of the pattern has {len(row)} points, but row 1 has {len(rows[0])}.")
        for char in row:
            if char not in _MASKS and not ("1" <= char <= "9"):
                raise BadText(f"Row {number} of the pattern has {char!r}; a point is one of . X O x o * or a digit.")
    if anchor == "full" and len(rows) != len(rows[0]):
        raise BadText(f"A full board is square, but the pattern has {len(rows)} rows and {len(rows[0])} columns.")
    moves = _numbered_moves(rows) or _parse_sequence(rows, sequence)
    grid = [list(row) for row in rows]
    for number, (row_at, col) in enumerate(moves):
        if grid[row_at][col] not in "XO":
            grid[row_at][col] = "XO"[number % 2]
    return Pattern(tuple("".join(row) for row in grid), anchor, tuple(moves))


def _numbered_moves(rows: list[str]) -> list[tuple[int, int]]:
    """Return the row and column of the moves 1, 2, 3 ... in the rows. Raise BadText at a gap or a repeated number."""
    found = {char: (i, j) for i, row in enumerate(rows) for j, char in enumerate(row) if char.isdigit()}
    if len(found) != sum(char.isdigit() for row in rows for char in row):
        raise BadText("A move of the sequence appears twice in the pattern; each digit may be used once.")
    if sorted(found) != [str(number + 1) for number in range(len(found))]:
        raise BadText(f"The moves of the pattern are {' '.join(sorted(found))}; they must be 1 2 3 ... without gaps.")
    return [found[char] for char in sorted(found)]


def _parse_sequence(rows: list[str], sequence: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return a sequence given as [row, column] pairs. Raise BadText if a pair is repeated or outside the pattern."""
    try:
        moves = [(int(row), int(col)) for row, col in sequence]
    except (TypeError, ValueError, OverflowError):
        raise BadText("The sequence must be a list of [row, column] pairs of numbers.") from None
    if len(moves) > MAX_SEQUENCE_MOVES:
        raise BadText(f"A sequence has at most {MAX_SEQUENCE_MOVES} moves, not {len(moves)}.")
    for number, (row, col) in enumerate(moves, 1):
        if not (0 <= row < len(rows) and 0 <= col < len(rows[0])):
            raise BadText(f"Move {number} of the sequence is at [{row}, {col}], outside the pattern.")
        if rows[row][col] not in ".*XO":
            raise BadText(
                f"Move {number} of the sequence is on {rows[row][col]!r}; it needs a stone, an empty point or *."
            )
    if repeated := [list(move) for move in moves if moves.count(move) > 1]:
        raise BadText(f"The point {repeated[0]} appears twice in the sequence.")
    return moves


def read_pattern(path: Path) -> Pattern:
    """Return the pattern in a file: a JSON object with `anchor` and `rows`, or plain rows. Raise BadText otherwise."""
    try:
        with open(path, "rb") as file:
            text = file.read(MAX_FILE_BYTES + 1).decode()
    except OSError as error:
        raise BadText(f"The pattern {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadText(f"The pattern {path} is not UTF-8 text.") from None
    if len(text) > MAX_FILE_BYTES:
        raise BadText(f"{path} is too long for a pattern: the limit is {MAX_FILE_BYTES:,} bytes.")
    if not text.lstrip().startswith(("{", "[")):
        return parse([line for line in text.splitlines() if line.strip()])
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadText(f"{path} is not JSON: {error}.") from None
    if not isinstance(entry, dict) or not isinstance(entry.get("rows"), list):
        raise BadText(f'{path} must hold a JSON object with "anchor" and "rows", a list of strings.')
    sequence = entry.get("sequence", [])
    if not isinstance(sequence, list):
        raise BadText(f'{path}: "sequence" must be a list of [row, column] pairs.')
    return parse(entry["rows"], str(entry.get("anchor", "anywhere")), sequence)
