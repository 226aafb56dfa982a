"""Access to compiled positions from Python, for tests of kernels.

One kernel does everything: several would each compile most of a game's rules again.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from kibitz.compiled import position as generic
from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry
from kibitz.compiled.position import Position

_FACTS, _PROMISES, _PLAY, _UNDO, _COPY = range(5)
_EMPTY = cast(Ints, np.zeros(0, np.int64))


@entry
def _ask(what: int, pos: Position, other: Position, moves: Ints, out: Ints, move: int, token: int) -> int:
    result = 0
    if what == _FACTS:
        out[0] = generic.mover(pos)
        out[1] = generic.over(pos)
        out[2] = generic.final(pos) if generic.over(pos) else 0
        out[3] = generic.key(pos)
        for evaluation in range(len(out) - 4):
            out[4 + evaluation] = 0 if generic.over(pos) else generic.evaluate(pos, evaluation)
        result = generic.legal(pos, moves, 0)
    elif what == _PROMISES:
        for i in range(move):
            moves[i] = generic.promise(pos, moves[i])
    elif what == _PLAY:
        result = generic.play(pos, move)
    elif what == _UNDO:
        generic.undo(pos, move, token)
    else:
        generic.copy(pos, other)
    return result


def facts(pos: Position, moves: Ints, out: Ints) -> int:
    """Write mover, over, final, key and evaluations to out, and the legal moves to moves; return how many are legal."""
    return _ask(_FACTS, pos, pos, moves, out, 0, 0)


def promises(pos: Position, moves: Ints, n: int) -> None:
    """Replace each of the first n moves in the array by its promise."""
    _ask(_PROMISES, pos, pos, moves, _EMPTY, n, 0)


def advance(pos: Position, move: int) -> int:
    """Play a move on a compiled position; return the token for retreat."""
    return _ask(_PLAY, pos, pos, _EMPTY, _EMPTY, move, 0)


def retreat(pos: Position, move: int, token: int) -> None:
    """Take back a move on a compiled position."""
    _ask(_UNDO, pos, pos, _EMPTY, _EMPTY, move, token)


def duplicate(pos: Position, into: Position) -> None:
    """Copy a compiled position into another."""
    _ask(_COPY, pos, into, _EMPTY, _EMPTY, 0, 0)
