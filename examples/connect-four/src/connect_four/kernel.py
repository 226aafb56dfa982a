"""The rules on a word of bits for each player, for compiled searches.

A column has seven bits, starting at bit 7 * column for its lowest cell; the seventh is always 0,
so that no line runs from one column into the next.
"""

import sys
from typing import NamedTuple, cast

import numpy as np

from connect_four.rules import COLS, LINES, ROWS, ConnectFour, State
from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.jit import jit
from kibitz.compiled.position import register
from kibitz.core.agent import WIN
from kibitz.core.defaults.grid import EMPTY

MOVES = MAX_LEGAL_MOVES = COLS
MAX_GAME_LENGTH = ROWS * COLS
COUNT = 2
_BITS = [7 * (cell % COLS) + ROWS - 1 - cell // COLS for cell in range(MAX_GAME_LENGTH)]
_LINES = np.array([sum(1 << _BITS[cell] for cell in line) for line in LINES])
_KEYS: Ints = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64).view(np.int64)
_ONE = cast(int, np.int64(1))


class Position(NamedTuple):
    """A position: the discs of the first player, those of the second, and the number of all (COUNT), as int64."""

    words: Ints


def pack(state: State) -> Position:
    """Return a state as a position."""
    discs = [sum(1 << _BITS[cell] for cell, mark in enumerate(state.cells) if mark == player) for player in (0, 1)]
    return Position(np.array([*discs, state.turn], np.int64))


def unpack(pos: Position, game: ConnectFour) -> State:
    """Return a position as a state."""
    first, second, count = (int(pos.words[i]) for i in range(3))
    return State(game, tuple(0 if first >> bit & 1 else 1 if second >> bit & 1 else EMPTY for bit in _BITS), count & 1)


@jit
def _has_lost(pos: Position) -> bool:
    """Return whether the opponent of the player to move has four in a row."""
    discs = pos.words[1 - (pos.words[COUNT] & 1)]
    for shift in (1, 6, 7, 8):
        pairs = discs & (discs >> shift)
        if pairs & (pairs >> 2 * shift):
            return True
    return False


def mover(pos: Position) -> int:
    """Return 0 or 1."""
    return pos.words[COUNT] & 1


def over(pos: Position) -> bool:
    """Return whether the last mover has four in a row, or the grid is full."""
    return pos.words[COUNT] == MAX_GAME_LENGTH or _has_lost(pos)


def final(pos: Position) -> int:
    """Return -WIN if the opponent has won, else 0."""
    return -WIN if _has_lost(pos) else 0


def legal(pos: Position, out: Ints, at: int) -> int:
    """Write the columns that are not full."""
    n = at
    if not _has_lost(pos):
        for col in range(COLS):
            if not (pos.words[0] | pos.words[1]) >> (7 * col + ROWS - 1) & 1:
                out[n] = col
                n += 1
    return n - at


def play(pos: Position, move: int) -> int:
    """Drop a disc: adding 1 at the lowest cell of a column carries to the first empty one. Return its bit for undo."""
    foot = _ONE << 7 * move
    disc = ((pos.words[0] | pos.words[1]) + foot) & 127 * foot
    pos.words[pos.words[COUNT] & 1] |= disc
    pos.words[COUNT] += 1
    return disc


def undo(pos: Position, move: int, token: int) -> None:
    """Take a disc back."""
    pos.words[COUNT] -= 1
    pos.words[pos.words[COUNT] & 1] ^= token


def copy(pos: Position, into: Position) -> None:
    """Copy all words."""
    for i in range(3):
        into.words[i] = pos.words[i]


def key(pos: Position) -> int:
    """Return a key of both players' discs."""
    return pos.words[0] * _KEYS[0] + pos.words[1] * _KEYS[1]


def evaluate(pos: Position, evaluation: int) -> int:
    """Return players.lines, the only evaluation."""
    total, me = 0, pos.words[COUNT] & 1
    for line in _LINES:
        mine, theirs = popcount(pos.words[me] & line), popcount(pos.words[1 - me] & line)
        if mine == 0 or theirs == 0:
            total += mine * mine - theirs * theirs
    return total


def quick_score(pos: Position, move: int) -> int:
    """Prefer the middle columns."""
    return 3 - abs(move - 3)


register(Position, sys.modules[__name__])
