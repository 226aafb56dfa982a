"""A compiled position asked and moved from Python, compiled once for all tests of a kernel.

One kernel does it all, because each of its own would compile most of a game's rules again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiled import position as generic
from kibitz.compiled.jit import entry

_FACTS, _PROMISES, _ADVANCE, _RETREAT, _COPY = range(5)
_NO_NUMBERS: Any = np.zeros(0, np.int64)


@entry
def _ask(what: int, pos: Any, other: Any, moves: Any, out: Any, move: int, token: int) -> int:
    found = 0
    if what == _FACTS:
        out[0] = generic.mover(pos)
        out[1] = generic.over(pos)
        out[2] = generic.final(pos) if generic.over(pos) else 0
        out[3] = generic.key(pos)
        for evaluation in range(len(out) - 4):
            out[4 + evaluation] = 0 if generic.over(pos) else generic.evaluate(pos, evaluation)
        found = generic.legal(pos, moves, 0)
    elif what == _PROMISES:
        for i in range(move):
            moves[i] = generic.promise(pos, moves[i])
    elif what == _ADVANCE:
        found = generic.play(pos, move)
    elif what == _RETREAT:
        generic.undo(pos, move, token)
    else:
        generic.copy(pos, other)
    return found


def facts(pos: Any, moves: Any, out: Any) -> int:
    """Ask a compiled position everything: mover, over, final, key, all evaluations, and the legal moves."""
    return _ask(_FACTS, pos, pos, moves, out, 0, 0)


def promises(pos: Any, moves: Any, n: int) -> None:
    """Put the promise of each of n moves in the place of the move."""
    _ask(_PROMISES, pos, pos, moves, _NO_NUMBERS, n, 0)


def advance(pos: Any, move: int) -> int:
    """Play a move on a compiled position; return its token."""
    return _ask(_ADVANCE, pos, pos, _NO_NUMBERS, _NO_NUMBERS, move, 0)


def retreat(pos: Any, move: int, token: int) -> None:
    """Take a move back."""
    _ask(_RETREAT, pos, pos, _NO_NUMBERS, _NO_NUMBERS, move, token)


def duplicate(pos: Any, into: Any) -> None:
    """Copy a position."""
    _ask(_COPY, pos, into, _NO_NUMBERS, _NO_NUMBERS, 0, 0)
