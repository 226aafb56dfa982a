"""Compiled minimax to a fixed depth, over any game's position. plain.py is the readable version.

The search of Amar & Ben Binyamin (2014): alpha-beta below the root, a full window for each root move, moves in
ascending order, no transposition table. Depth counts rounds: it drops by one when the root's player is to move again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import ZERO, entry, jit
from kibitz.compiled.position import Position, evaluate, final, legal, mover, over, play, undo
from kibitz.core.parts import Kernel
from kibitz.search.control import DEPTH, MOVE, NODES, STOP, VALUE, new_signal, zeros

INFINITY = 1 << 30
ROUNDS, MAX_NODES, EVALUATION, ROOT = range(4)
"""Indices into `settings`: depth in rounds, node limit, the evaluation's number, the player to move at the root."""


class MinimaxArrays(NamedTuple):
    """The working arrays of one search, all int64."""

    settings: Ints
    signal: Ints
    """see search/control.py"""
    moves: Ints
    """a stack of move lists, beginning with the root moves"""
    values: Ints
    """the values of the root moves, in the same order"""


def new_arrays(kernel: Kernel[Any]) -> MinimaxArrays:
    """Return the working arrays for one game's kernel."""
    stack = (kernel.MAX_GAME_LENGTH + 2) * kernel.MAX_LEGAL_MOVES
    return MinimaxArrays(**zeros(settings=4, moves=stack, values=kernel.MAX_LEGAL_MOVES), signal=new_signal())


@entry
def value_moves(pos: Position, s: MinimaxArrays) -> int:
    """Evaluate the legal moves in order and write their values; return how many were evaluated before any stop."""
    n = legal(pos, s.moves, 0)
    me = mover(pos)
    s.settings[ROOT] = me
    for i in range(n):
        move = s.moves[i]
        token = play(pos, move)
        value = _value(pos, s, s.settings[ROUNDS], -INFINITY + ZERO, INFINITY + ZERO, n + ZERO)
        value = value if mover(pos) == me else -value
        undo(pos, move, token)
        if s.signal[STOP]:
            return i
        s.values[i] = value
        if s.signal[MOVE] < 0 or value > s.signal[VALUE]:
            s.signal[DEPTH], s.signal[VALUE], s.signal[MOVE] = s.settings[ROUNDS], value, move
    return n


@jit
def _value(pos: Position, s: MinimaxArrays, depth: int, alpha: int, beta: int, at: int) -> int:
    """Return the value of a position for the player to move: exact within (alpha, beta), else a bound beyond it.

    Move lists are written from index `at` on. After a stop the value is meaningless.
    """
    if s.signal[NODES] >= s.settings[MAX_NODES]:
        s.signal[STOP] = 1
    if s.signal[STOP]:
        return ZERO
    s.signal[NODES] += 1
    if over(pos):
        return final(pos)
    if depth == 0:
        return evaluate(pos, s.settings[EVALUATION])
    n = legal(pos, s.moves, at)
    me = mover(pos)
    after = depth if me == s.settings[ROOT] else depth - 1  # the depth left once the opponent is to move
    best, low = -INFINITY + ZERO, alpha
    for i in range(at, at + n):
        move = s.moves[i]
        token = play(pos, move)
        if mover(pos) == me:
            value = _value(pos, s, depth, low, beta, at + n)
        else:
            value = -_value(pos, s, after, -beta, -low, at + n)
        undo(pos, move, token)
        if s.signal[STOP]:
            return ZERO
        if value > best:
            best = value
            low = max(low, value)
            if best >= beta:
                break
    return best
