"""The bits of a change: a store keeps games as sequences of changes.

A change is a stone placed or removed, or a pass. It is a play of sgf/record.py with one more bit:

    bits 0-9    the point, row * size + column from the top left, or PASS
    bits 10-11  the new colour of the point: EMPTY, BLACK or WHITE
    bit 12      SETUP: the stone was placed or removed as setup, not by a move
    bit 13      not used, but set for some changes in stores of version 1
    bit 14      TAKEN: the stone was captured by the move before

Kernels call the functions, which return plain ints even with the JIT off; Python code that works on whole arrays uses
the masks.
"""

from __future__ import annotations

from kibitz.compiled.jit import jit
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

TAKEN = 1 << 14
COLOUR = 3 << POINT_BITS
NOT_A_MOVE = SETUP | TAKEN
PLAY = PASS | COLOUR | SETUP
"""The bits of a change that are those of a play."""


@jit
def point_of(change: int) -> int:
    """Return the point of a change, or PASS."""
    return int(change & PASS)


@jit
def colour_of(change: int) -> int:
    """Return the colour of the point after a change: EMPTY, BLACK or WHITE."""
    return int(change >> POINT_BITS & 3)


@jit
def is_move(change: int) -> bool:
    """Return whether this change is a move of a player: a stone played, or a pass."""
    return change & NOT_A_MOVE == 0
