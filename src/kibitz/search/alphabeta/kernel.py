"""Compiled alpha-beta over any game's position. plain.py is the readable version.

Negamax with fail-soft bounds and iterative deepening; moves in the order table move, killers, history, number. A player
may move twice in a row, so a child's value changes its sign only if the mover has changed.

Values are for the player to move: WIN or more for a won game, -WIN or less for a lost one, estimates in between. A
value that depends on no estimate is solved.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled import transposition as tt
from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import ZERO, entry, inlined, jit
from kibitz.compiled.position import Position, evaluate, final, key, legal, mover, over, play, undo
from kibitz.core.agent import WIN
from kibitz.core.parts import Kernel
from kibitz.search import common as ab
from kibitz.search.control import DEPTH, MOVE, STOP, VALUE, zeros


class AlphaBetaRoot(NamedTuple):
    """The results for the root moves, all int64."""

    moves: Ints
    values: Ints
    """the value of every move with EVERY, else only of the best one"""
    solved: Ints
    """1 if that value is solved"""
    fresh_values: Ints
    fresh_solved: Ints
    """scratch: values and solved flags of the current iteration"""
    line: Ints
    """[2, ply] row 0: the best line; row 1, scratch: the best line of the current iteration"""
    summary: Ints
    """[COUNT, BEST, LENGTH, SOLVED] number of moves, index of the best, length of its line, 1 if it is solved"""


COUNT, BEST, LENGTH, SOLVED = range(4)


def new_root(kernel: Kernel[Any]) -> AlphaBetaRoot:
    """Return empty result arrays for a game's kernel."""
    room = kernel.MAX_LEGAL_MOVES
    values = zeros(moves=room, values=room, solved=room, fresh_values=room, fresh_solved=room)
    return AlphaBetaRoot(**values, **zeros(line=(2, ab.max_plies(kernel)), summary=4))


@entry
def deepen(pos: Position, s: ab.AlphaBetaArrays, root: AlphaBetaRoot) -> None:
    """Search deeper and deeper until a limit, a stop or a solved value; write the results to root and the signal.

    The root must have a legal move.
    """
    n = legal(pos, root.moves, 0)
    root.summary[COUNT] = n
    root.summary[BEST], root.summary[LENGTH], root.summary[SOLVED] = 0, 0, 0
    for i in range(n):
        root.values[i], root.solved[i] = 0, 0
    for depth in range(s.settings[ab.FIRST_DEPTH], s.settings[ab.MAX_DEPTH] + 1):
        ab.age_history(s)
        _iterate(pos, s, root, n, depth)
        if s.signal[STOP]:
            break
        s.signal[DEPTH] = depth
        if root.summary[SOLVED] or (n == 1 and not s.settings[ab.EVERY]):
            break
    root.summary[LENGTH] = ab.follow_table(pos, s, root.line, ZERO, root.summary[LENGTH])


@jit
def _iterate(pos: Position, s: ab.AlphaBetaArrays, root: AlphaBetaRoot, n: int, depth: int) -> None:
    """Search the root moves to one depth: the best move so far first, then the others in ascending order."""
    held = root.summary[BEST]
    best, top, estimated, length = held, -ab.INFINITY, 0, 0
    for k in range(n):
        i = held if k == 0 else (k - 1 if k <= held else k)
        if s.settings[ab.EVERY] and root.solved[i]:
            value = root.values[i]
            s.estimated[1] = 0
            _recall_line(s, root, i)
        else:
            value = _root_value(pos, s, root.moves[i], depth, -ab.INFINITY if s.settings[ab.EVERY] else top)
            if s.signal[STOP]:
                if k and top <= -WIN and not s.settings[ab.EVERY]:  # an unsearched move is better than a lost one
                    root.line[1, 0] = root.moves[i]
                    _publish(s, root, i, top, 1)
                return
        root.fresh_values[i] = value
        root.fresh_solved[i] = 1 - s.estimated[1]
        estimated |= s.estimated[1]
        if value > top:
            best, top = i, value
            length = ab.keep_line(s, root.line, 1, root.moves[best])
            if not s.settings[ab.EVERY]:
                _publish(s, root, best, top, length)
    if s.settings[ab.EVERY]:
        for i in range(n):
            root.values[i], root.solved[i] = root.fresh_values[i], root.fresh_solved[i]
        _publish(s, root, best, top, length)
    # With EVERY the answer is solved only if every move is, so that all best moves are known.
    root.summary[SOLVED] = 1 if not estimated or (abs(top) >= WIN and not s.settings[ab.EVERY]) else 0


@jit
def _recall_line(s: ab.AlphaBetaArrays, root: AlphaBetaRoot, i: int) -> None:
    """Restore the best line after root move i, which is solved and not searched again."""
    s.length[1] = root.summary[LENGTH] if i == root.summary[BEST] else 1
    for ply in range(1, s.length[1]):
        s.line[1, ply] = root.line[0, ply]


@jit
def _root_value(pos: Position, s: ab.AlphaBetaArrays, move: int, depth: int, low: int) -> int:
    """Return the value of one root move: exact if greater than low, else an upper bound."""
    me = mover(pos)
    token = play(pos, move)
    value = _child_value(pos, s, me, depth - 1, low, ab.INFINITY + ZERO, 1 + ZERO, ZERO)
    undo(pos, move, token)
    return value


@jit
def _publish(s: ab.AlphaBetaArrays, root: AlphaBetaRoot, best: int, value: int, length: int) -> None:
    """Record a root move as the best one, and copy its line from the scratch row."""
    root.summary[BEST] = best
    root.summary[SOLVED] = 1 if value >= WIN and not s.settings[ab.EVERY] else 0
    root.values[best] = value
    for ply in range(length):
        root.line[0, ply] = root.line[1, ply]
    root.summary[LENGTH] = length
    s.signal[MOVE] = root.moves[best]
    s.signal[VALUE] = value


@inlined
def _child_value(
    pos: Position, s: ab.AlphaBetaArrays, me: int, depth: int, alpha: int, beta: int, ply: int, at: int
) -> int:
    """Return the value of the position for player `me`, who has just moved and may be to move again."""
    if mover(pos) == me:
        value = _value(pos, s, depth, alpha, beta, ply, at)
    else:
        value = -_value(pos, s, depth, -beta, -alpha, ply, at)
    return value


@jit
def _value(pos: Position, s: ab.AlphaBetaArrays, depth: int, alpha: int, beta: int, ply: int, at: int) -> int:
    """Return the value of a position to this depth: exact within (alpha, beta), else a bound beyond it.

    Move lists are written from index `at` on. After a stop the value is meaningless.
    """
    if not ab.count_node(s, ply):
        return ZERO
    if over(pos):
        return final(pos)
    if depth == 0:
        s.estimated[ply] = 1
        return evaluate(pos, s.settings[ab.EVALUATION])
    known = tt.probe(s.table, key(pos)) if len(s.table.data) else tt.NO_ENTRY
    if ab.is_cutoff(known, depth, alpha, beta):
        s.estimated[ply] = 1 - tt.solved_of(known)
        return tt.value_of(known)
    n, me = legal(pos, s.moves, at), mover(pos)
    ab.set_order(s, me, ply, at, n, known)
    best, best_move, low, estimated = -ab.INFINITY + ZERO, -1, alpha, 0
    for _ in range(n):
        move = ab.next_move(s, at, n)
        token = play(pos, move)
        value = _child_value(pos, s, me, depth - 1, low, beta, ply + 1, at + n)
        undo(pos, move, token)
        if s.signal[STOP]:
            return ZERO
        estimated |= s.estimated[ply + 1]
        if value > best:
            best, best_move = value, move
            low = max(low, value)
            ab.extend_line(s, ply, move)
            if best >= beta:
                ab.remember_cut(s, me, move, ply, depth)
                break
    finished = ab.finish_node(s, ply, depth, best, best_move, estimated, alpha, beta)
    if len(s.table.data):
        tt.store(s.table, key(pos), finished)
    return best
