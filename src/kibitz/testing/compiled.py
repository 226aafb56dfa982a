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

_DESCRIBE, _QUICK_SCORES, _PLAY, _UNDO, _COPY = range(5)
_EMPTY = cast(Ints, np.zeros(0, np.int64))


@entry
def _run(request: int, pos: Position, other: Position, moves: Ints, out: Ints, move: int, token: int) -> int:
    result = 0
    if request == _DESCRIBE:
        out[0] = generic.mover(pos)
        out[1] = generic.over(pos)
        out[2] = generic.final(pos) if generic.over(pos) else 0
        out[3] = generic.key(pos)
        for evaluation in range(len(out) - 4):
            out[4 + evaluation] = 0 if generic.over(pos) else generic.evaluate(pos, evaluation)
        result = generic.legal(pos, moves, 0)
    elif request == _QUICK_SCORES:
        for i in range(move):
            moves[i] = generic.quick_score(pos, moves[i])
    elif request == _PLAY:
        result = generic.play(pos, move)
    elif request == _UNDO:
        generic.undo(pos, move, token)
    else:
        generic.copy(pos, other)
    return result


def describe(pos: Position, moves: Ints, out: Ints) -> int:
    """Write mover, over, final, key and evaluations to `out` and the legal moves to `moves`; return their number."""
    return _run(_DESCRIBE, pos, pos, moves, out, 0, 0)


def quick_scores(pos: Position, moves: Ints, n: int) -> None:
    """Replace each of the first n moves in the array by its quick score, the kernel's guess of how good it is."""
    _run(_QUICK_SCORES, pos, pos, moves, _EMPTY, n, 0)


def advance(pos: Position, move: int) -> int:
    """Play a move on a compiled position; return the token that retreat() needs to take it back."""
    return _run(_PLAY, pos, pos, _EMPTY, _EMPTY, move, 0)


def retreat(pos: Position, move: int, token: int) -> None:
    """Take back a move on a compiled position; token: what advance() returned for it."""
    _run(_UNDO, pos, pos, _EMPTY, _EMPTY, move, token)


def duplicate(pos: Position, into: Position) -> None:
    """Copy a compiled position into the arrays of another."""
    _run(_COPY, pos, into, _EMPTY, _EMPTY, 0, 0)
