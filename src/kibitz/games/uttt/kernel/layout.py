"""The words of a compiled position, accessors to read them, and lookup tables of 3x3 boards."""

from __future__ import annotations

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import jit
from kibitz.games.uttt.rules.geometry import LINES

# The words of a position. The marks of a board are nine bits, bit c for cell c; a set of boards
# has bit b for board b. For the numbering of cells and boards see rules/geometry.py.
X, O = 0, 9  # noqa: E741  # words 0-8: X's marks in boards 0-8; 9-17: O's
WON = 18  # words 18 and 19: boards won by X, by O
SHUT = 20  # boards that take no more moves
TO_MOVE = 21  # 0 X, 1 O
FORCED = 22  # 0-8, or FREE (9)
RESULT = 23  # GOING_ON (0), 1 X won, 2 O won, DRAW (3)
KEY = 24  # xor of the keys of marks, owners of boards and the forced board; see _toggle_marks
EMPTIES = 25  # cells without a mark
CLOSED = 26  # option: 1 variant=closed, 0 open
COUNT = 27  # option: 1 tiebreak=count, 0 draw
MEMORY = 28  # last moves: see last_cell and last_board
WORDS = 29

FULL = 0b111111111
UNKNOWN_CELL = 15  # in MEMORY, for an unknown cell or board
LAST_BOARD_SHIFT = 36

# The token that undoes a move. Bits 0-3 are the forced board before the move; then come:
BOARD_WON = 16  # the move won its board
BOARD_SHUT = 32  # the move shut its board
TOKEN_MEMORY_SHIFT = 6  # the bit where MEMORY before the move begins


def mask(line: tuple[int, ...]) -> int:
    """Return a bit mask with the bits of these cells or boards set."""
    return sum(1 << i for i in line)


HAS_LINE = np.array([any(m & mask(line) == mask(line) for line in LINES) for m in range(512)], dtype=np.int64)
"""[marks] -> 1 if they contain a line, else 0."""
COMPLETES = np.array([sum(1 << c for c in range(9) if HAS_LINE[m | 1 << c]) & ~m for m in range(512)], dtype=np.int64)
"""[marks] -> the cells that would complete a line, as bits; meaningless if the marks already contain one."""
TERNARY = np.array([sum(3**i for i in range(9) if m >> i & 1) for m in range(512)], dtype=np.int64)
"""[marks] -> their base-3 number, from which pattern() is built."""


@jit
def pattern(one: int, other: int) -> int:
    """Return the index of a 3x3 board, given the marks of both sides, in lookup tables of all 3**9 boards."""
    number: int = TERNARY[one] + 2 * TERNARY[other]
    return number


@jit
def decided(w: Ints) -> int:
    """Return the boards won by either side, as bits."""
    return w[WON] | w[WON + 1]


@jit
def last_cell(w: Ints, board: int) -> int:
    """Return the cell played last in a board, or UNKNOWN_CELL."""
    return w[MEMORY] >> 4 * board & UNKNOWN_CELL


@jit
def last_board(w: Ints) -> int:
    """Return the board of the last move, or UNKNOWN_CELL."""
    return w[MEMORY] >> LAST_BOARD_SHIFT & UNKNOWN_CELL


@jit
def remember(memory: int, board: int, cell: int) -> int:
    """Return the MEMORY word after a move in a cell of a board."""
    others = memory & ~(UNKNOWN_CELL << LAST_BOARD_SHIFT | UNKNOWN_CELL << 4 * board)
    return others | board << LAST_BOARD_SHIFT | cell << 4 * board
