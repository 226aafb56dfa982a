"""How a position lies in the words of a kernel, and what can be looked up of a 3x3 board."""

from __future__ import annotations

import numpy as np

from kibitz.games.uttt.rules.geometry import LINES

# The words of a position. Marks of a board are nine bits, bit c for cell c;
# macro words have bit b for board b. Cells and boards are numbered
#   0 1 2
#   3 4 5
#   6 7 8
X, O = 0, 9  # noqa: E741  # words 0-8: X's marks in boards 0-8; 9-17: O's
WON = 18  # words 18 and 19: boards won by X, by O
SHUT = 20  # boards that take no more moves
TO_MOVE = 21  # 0 X, 1 O
FORCED = 22  # 0-8, or FREE (9)
RESULT = 23  # GOING_ON (0), 1 X won, 2 O won, DRAW (3)
KEY = 24  # xor of keys: marks, owners of boards, the forced board; see _forget_marks
EMPTIES = 25  # cells without a mark
CLOSED = 26  # option: 1 variant=closed, 0 open
COUNT = 27  # option: 1 tiebreak=count, 0 draw
MEMORY = 28  # four bits for each board, its cell played last; above them the board of the last move; NONE if unknown
WORDS = 29

FULL = 0b111111111
BOARD_WON = 16  # in a token, above the forced board: the move won its board,
BOARD_SHUT = 32  # and: the move shut its board;
TOKEN_MEMORY = 6  # from this bit on the memory before the move
NONE = 15
LAST_BOARD = 36  # the bit of MEMORY from which on the board of the last move lies


def mask(line: tuple[int, ...]) -> int:
    """Return cells or boards as bits."""
    return sum(1 << i for i in line)


HAS_LINE = np.array([any(m & mask(line) == mask(line) for line in LINES) for m in range(512)], dtype=np.int64)
"""[marks] 1 if they have a line."""
COMPLETES = np.array([sum(1 << c for c in range(9) if HAS_LINE[m | 1 << c]) & ~m for m in range(512)], dtype=np.int64)
"""[marks] the cells that complete a line; nothing of use where they have one."""
TERNARY = np.array([sum(3**i for i in range(9) if m >> i & 1) for m in range(512)], dtype=np.int64)
"""A 3x3 board is looked up at TERNARY[marks of one side] + 2 * TERNARY[marks of the other]."""
