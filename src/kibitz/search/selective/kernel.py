"""The strongest alpha-beta, compiled, over any game's position: likely moves are searched deeper than unlikely ones.

It adds to alphabeta/kernel.py:
- an aspiration window around the expected value, and a null window for all
  moves but the first (Marsland & Campbell 1982);
- late move reductions: later moves are searched less deep, and again at full
  depth if they turn out well;
- pruning: near the leaves, a position far outside the window is not searched;
- promising moves, as the game's kernel judges them, are tried first.

Solved values stay correct: a win found at reduced depth is a win, and whatever was pruned counts as estimated.
docs/games/uttt/champion.md has the gain of each part. Several threads may search one position: each has its own
AlphaBetaArrays, and they share the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import ZERO, entry, jit
from kibitz.compiled.position import Position, evaluate, final, key, legal, mover, over, play, promise, undo
from kibitz.compiled.transposition import (
    EXACT,
    LOWER,
    NO_ENTRY,
    UPPER,
    bound_of,
    depth_of,
    move_of,
    probe,
    solved_of,
    store,
    value_of,
)
from kibitz.core.agent import WIN
from kibitz.core.parts import Kernel
from kibitz.search import common as ab
from kibitz.search.control import DEPTH, MOVE, STOP, VALUE

FIRST_WINDOW, MIN_WINDOW_DEPTH, MAX_WINDOW = 64, 5, 1 << 12
"""Half the first window around the previous value; the depth from which it is used; wider ones are unbounded."""
MAX_ROUGH_DEPTH, ROUGH_MARGIN = 5, 60
"""Up to this depth, prune a position whose estimate is outside the window by this margin per ply of depth."""
PROMISE_WEIGHT = 400
"""The weight of a point of promise in the order of moves, compared with depth * depth for each cutoff."""
MIN_REDUCED_DEPTH = 3
"""The depth from which late moves are searched less deep."""
REDUCTIONS = (1.8 * np.log(np.arange(64)[:, None] + 1) * np.log(np.arange(64)[None, :] + 1)).astype(np.int64)
"""[depth, number] the reduction in plies of the move with that number in the order."""


class SelectiveRoot(NamedTuple):
    """The results of the search for the root's moves, all int64."""

    moves: Ints
    """best first, as far as is known"""
    values: Ints
    """of every move with EVERY, else only of the best one"""
    solved: Ints
    """1 if that value is solved"""
    lines: Ints
    """[move, ply] the best line that starts with each move"""
    lengths: Ints
    fresh: Ints
    """[move] scratch: the values of the current iteration"""
    summary: Ints
    """COUNT, SOLVED: number of moves, whether the answer is solved"""


COUNT, SOLVED = range(2)


def new_root(kernel: Kernel[Any]) -> SelectiveRoot:
    """Return the arrays for the answer."""
    room, plies = kernel.MAX_LEGAL_MOVES, ab.depth_limit(kernel) + 2
    return SelectiveRoot(
        moves=np.zeros(room, np.int64),
        values=np.zeros(room, np.int64),
        solved=np.zeros(room, np.int64),
        lines=np.zeros((room, plies), np.int64),
        lengths=np.zeros(room, np.int64),
        fresh=np.zeros(room, np.int64),
        summary=np.zeros(2, np.int64),
    )


@entry
def deepen(pos: Position, s: ab.AlphaBetaArrays, root: SelectiveRoot) -> None:
    """Search deeper and deeper until a limit, a stop or the solution; write the results to root and the signal.

    The root must have a legal move.
    """
    n = legal(pos, root.moves, 0)
    root.summary[COUNT], root.summary[SOLVED] = n, 0
    for i in range(n):
        root.values[i], root.solved[i] = 0, 0
        root.lines[i, 0], root.lengths[i] = root.moves[i], 1
    for depth in range(s.settings[ab.FIRST_DEPTH], s.settings[ab.MAX_DEPTH] + 1):
        ab.age_history(s)
        if s.settings[ab.EVERY]:
            _value_every(pos, s, root, n, depth)
        else:
            _find_best(pos, s, root, n, depth)
        if s.signal[STOP]:
            break
        s.signal[DEPTH] = depth
        if root.summary[SOLVED] or (n == 1 and not s.settings[ab.EVERY]):
            break
    for i in range(n if s.settings[ab.EVERY] else 1):
        root.lengths[i] = ab.follow_table(pos, s, root.lines, i, root.lengths[i])


@jit
def _find_best(pos: Position, s: ab.AlphaBetaArrays, root: SelectiveRoot, n: int, depth: int) -> None:
    """Search the root moves to one depth within a window around the previous value, widened until it fits."""
    low, high, width = -ab.INFINITY, ab.INFINITY, FIRST_WINDOW
    if depth >= MIN_WINDOW_DEPTH and abs(root.values[0]) < WIN:
        low, high = root.values[0] - width, root.values[0] + width
    while True:
        top = _search_window(pos, s, root, n, depth, low, high)
        if s.signal[STOP] or low < top < high or abs(top) >= ab.INFINITY:
            return
        width *= 4
        if top <= low:
            low = top - width if width < MAX_WINDOW and top > -WIN else -ab.INFINITY
        else:
            high = top + width if width < MAX_WINDOW and top < WIN else ab.INFINITY


@jit
def _search_window(
    pos: Position, s: ab.AlphaBetaArrays, root: SelectiveRoot, n: int, depth: int, low: int, high: int
) -> int:
    """Search all root moves with one window and bring the best to the front; return its value or a bound."""
    top, estimated = -ab.INFINITY, 0
    for i in range(n):
        move, floor = root.moves[i], max(low, top)
        value = _root_value(pos, s, move, depth, floor, high if i == 0 else floor + 1)
        if i > 0 and floor < value < high and not s.signal[STOP]:
            value = _root_value(pos, s, move, depth, floor, high)
        if s.signal[STOP]:
            if i > 0 and top <= -WIN:  # an unsearched move is better than a lost one
                root.values[i], root.solved[i], root.lengths[i] = top, 0, 1
                _move_up(root, i, 0)
                s.signal[MOVE] = root.moves[0]
            return top
        estimated |= s.estimated[1]
        if value > top:
            top = value
            if value > low or i == 0:
                root.lengths[i] = ab.keep_line(s, root.lines, i, root.moves[i])
                root.values[i], root.solved[i] = value, 1 - s.estimated[1]
                _move_up(root, i, 0)
                s.signal[MOVE], s.signal[VALUE] = root.moves[0], value
        if top >= high:
            break
    proved = (low < top < high or top <= -WIN) and not estimated
    root.summary[SOLVED] = 1 if proved or top >= WIN else 0
    return top


@jit
def _value_every(pos: Position, s: ab.AlphaBetaArrays, root: SelectiveRoot, n: int, depth: int) -> None:
    """Give every root move its own value, and sort the moves. A stop leaves the values of the previous depth."""
    for i in range(n):
        root.fresh[i] = root.values[i]
        if root.solved[i]:
            continue
        value = _root_value(pos, s, root.moves[i], depth, -ab.INFINITY + ZERO, ab.INFINITY + ZERO)
        if s.signal[STOP]:
            break
        root.fresh[i] = value
        root.lengths[i] = ab.keep_line(s, root.lines, i, root.moves[i])
        if not s.estimated[1]:
            root.values[i], root.solved[i] = value, 1
    solved, stopped = 1, s.signal[STOP]
    for i in range(n):
        if not stopped:
            root.values[i] = root.fresh[i]
        solved &= root.solved[i]
        to = i
        while to > 0 and root.values[to - 1] < root.values[i]:
            to -= 1
        _move_up(root, i, to)
    root.summary[SOLVED] = solved
    if s.signal[DEPTH] or not stopped:
        s.signal[MOVE], s.signal[VALUE] = root.moves[0], root.values[0]


@jit
def _move_up(root: SelectiveRoot, i: int, to: int) -> None:
    """Move entry i up to index `to`; those in between move down by one."""
    for k in range(i, to, -1):
        for ply in range(max(root.lengths[k], root.lengths[k - 1])):
            root.lines[k, ply], root.lines[k - 1, ply] = root.lines[k - 1, ply], root.lines[k, ply]
        root.moves[k], root.moves[k - 1] = root.moves[k - 1], root.moves[k]
        root.values[k], root.values[k - 1] = root.values[k - 1], root.values[k]
        root.solved[k], root.solved[k - 1] = root.solved[k - 1], root.solved[k]
        root.lengths[k], root.lengths[k - 1] = root.lengths[k - 1], root.lengths[k]


@jit
def _root_value(pos: Position, s: ab.AlphaBetaArrays, move: int, depth: int, low: int, high: int) -> int:
    """Return the value of one root move, exact between low and high, else a bound."""
    me = mover(pos)
    token = play(pos, move)
    if mover(pos) == me:
        value = _value(pos, s, depth - 1, low, high, 1 + ZERO, ZERO)
    else:
        value = -_value(pos, s, depth - 1, -high, -low, 1 + ZERO, ZERO)
    undo(pos, move, token)
    return value


@jit
def _value(pos: Position, s: ab.AlphaBetaArrays, depth: int, alpha: int, beta: int, ply: int, at: int) -> int:
    """Return the value of a position to about this depth: exact within (alpha, beta), else a bound beyond it.

    Move lists are written from index `at` on. After a stop the value is meaningless.
    """
    if not ab.count_node(s, ply):
        return ZERO
    if over(pos):
        return final(pos)
    if depth <= 0:
        s.estimated[ply] = 1
        return evaluate(pos, s.settings[ab.EVALUATION])
    known = probe(s.table, key(pos))
    if known != NO_ENTRY and (solved_of(known) or depth_of(known) >= depth):  # is_cutoff, written out: a call is slower
        bound, value = bound_of(known), value_of(known)
        if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
            s.estimated[ply] = 1 - solved_of(known)
            return value
    if depth <= MAX_ROUGH_DEPTH and beta - alpha == 1 and abs(alpha) < WIN // 2:
        rough = evaluate(pos, s.settings[ab.EVALUATION])
        if rough >= beta + ROUGH_MARGIN * depth or rough <= alpha - ROUGH_MARGIN * depth:
            s.estimated[ply] = 1
            return rough
    n = legal(pos, s.moves, at)
    me = mover(pos)
    ab.set_order(s, me, ply, at, n, move_of(known) if known != NO_ENTRY else -1)
    for i in range(at, at + n):
        s.order[i] += PROMISE_WEIGHT * promise(pos, s.moves[i])
    best, best_move, low, estimated = -ab.INFINITY + ZERO, -1, alpha, 0
    whole = depth if n == 1 else depth - 1
    for number in range(n):
        move = ab.next_move(s, at, n)
        token = play(pos, move)
        to, high = whole, beta
        if number > 0:
            high = low + 1
            if number > 1 and depth >= MIN_REDUCED_DEPTH:
                to = max(whole - REDUCTIONS[min(depth, 63), min(number, 63)], 0)
        while True:  # first with a null window and less deep, then again if the move turns out well
            if mover(pos) == me:
                value = _value(pos, s, to, low, high, ply + 1, at + n)
            else:
                value = -_value(pos, s, to, -high, -low, ply + 1, at + n)
            if value <= low or s.signal[STOP]:
                break
            if to < whole:
                to = whole
            elif high < beta and value < beta:
                high = beta
            else:
                break
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
    solved = 1 if not estimated or abs(best) >= WIN else 0
    s.estimated[ply] = 1 - solved
    store(s.table, key(pos), ab.entry_for(best, best_move, depth, solved, alpha, beta))
    return best
