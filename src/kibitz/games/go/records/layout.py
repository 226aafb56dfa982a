"""The bits of a change, the unit in which a store keeps games.

A change is a stone that comes onto the board or leaves it, or a pass. It is a play of sgf/record.py with two more bits:

    bits 0-9    the point, row * size + column from the top left, or PASS
    bits 10-11  the colour of the point from then on: EMPTY, BLACK or WHITE
    bit 12      SETUP: the stone was set up or removed outside the order of moves
    bit 13      LASTS: the point does not change again in this game
    bit 14      TAKEN: the stone was captured by the move before

Kernels call the functions, which return plain ints also with the JIT off; Python, which works on whole arrays, uses the
masks.
"""

from __future__ import annotations

from kibitz.compiled.jit import jit
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

LASTS = 1 << 13
TAKEN = 1 << 14
COLOUR = 3 << POINT_BITS
NOT_A_MOVE = SETUP | TAKEN


@jit
def point_of(change: int) -> int:
    """Return the point of a change, or PASS."""
    return int(change & PASS)


@jit
def colour_of(change: int) -> int:
    """Return the colour that the point has from then on."""
    return int(change >> POINT_BITS & 3)


@jit
def is_move(change: int) -> bool:
    """Return whether a player made this change in turn, a pass included."""
    return change & NOT_A_MOVE == 0
