"""The strongest alpha-beta, compiled, over any game's position: it searches likely moves deeper than unlikely ones.

It adds to alphabeta/kernel.py:
- an aspiration window around the expected value, and a null window for all moves but the first (Marsland & Campbell
  1982);
- late move reductions: later moves are searched less deeply, and again at full depth if they turn out well;
- pruning: near the leaves, a position far outside the window is not searched;
- promising moves, as the game's kernel judges them, are tried first.

Solved values stay correct: a win found at reduced depth is a win, and whatever was pruned counts as estimated.
docs/games/uttt/champion.md measures the gain of each part. Several threads may search one position: each has its own
AlphaBetaArrays, and they share the table.

To read it: `deepen` calls `_find_best` for every depth, or `_value_every` if every root move needs a value of its own.
`_find_best` chooses a window and lets `_search_window` try the root moves in it. `_value` searches below the root.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled import transposition as tt
from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import ZERO, entry, inlined, jit
from kibitz.compiled.position import Position, evaluate, final, key, legal, mover, over, play, quick_score, undo
from kibitz.core.agent import WIN
from kibitz.core.parts import Kernel
from kibitz.search import common as ab
from kibitz.search.control import DEPTH, MOVE, STOP, VALUE, zeros

FIRST_WINDOW, MIN_WINDOW_DEPTH, MAX_WINDOW = 64, 5, 1 << 12
"""Half-width of the first aspiration window, minimum depth to use one, and half-width from which it is unbounded."""
MAX_PRUNED_DEPTH, PRUNE_MARGIN_PER_PLY = 5, 60
"""Up to this depth, prune a position whose estimate is outside the window by this margin per ply of depth."""
QUICK_SCORE_WEIGHT = 400
"""Ordering score per unit of quick_score() of a move; for comparison, each cutoff adds depth * depth."""
MIN_REDUCED_DEPTH = 3
"""Minimum depth at which late moves are reduced."""
REDUCTIONS = (1.8 * np.log(np.arange(64)[:, None] + 1) * np.log(np.arange(64)[None, :] + 1)).astype(np.int64)
"""[depth, number] how many plies less deep to search the move tried as number 0, 1, 2 ..."""


class SelectiveRoot(NamedTuple):
    """The results for the root moves, all int64."""

    moves: Ints
    """best first, as far as is known"""
    values: Ints
    """the value of every move with EVERY, else only of the best one"""
    solved: Ints
    """1 if that value is solved"""
    lines: Ints
    """[move, ply] the best line that starts with each move"""
    lengths: Ints
    fresh: Ints
    """[move] scratch: the values of the current iteration"""
    summary: Ints
    """[COUNT, SOLVED] number of moves, 1 if the answer is solved"""


COUNT, SOLVED = range(2)


def new_root(kernel: Kernel[Any]) -> SelectiveRoot:
    """Return empty result arrays for a game's kernel."""
    room = kernel.MAX_LEGAL_MOVES
    values = zeros(moves=room, values=room, solved=room, fresh=room)
    return SelectiveRoot(**values, **zeros(lines=(room, ab.max_plies(kernel)), lengths=room, summary=2))


@entry
def deepen(pos: Position, s: ab.AlphaBetaArrays, root: SelectiveRoot) -> None:
    """Search deeper and deeper until a limit, a stop or a solved value; write the results to root and the signal.

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
    """Search the root moves to one depth; widen the window around the previous value until the result lies in it."""
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
    """Search the root moves with one window and move the best to the front; return its value, or a bound."""
    top, estimated = -ab.INFINITY, 0
    for i in range(n):
        move, floor = root.moves[i], max(low, top)
        value = _root_value(pos, s, move, depth, floor, high if i == 0 else floor + 1)
        if i > 0 and floor < value < high and not s.signal[STOP]:  # better than those before: find its exact value
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
                root.lengths[i] = ab.keep_line(s, root.lines, i, move)
                root.values[i], root.solved[i] = value, 1 - s.estimated[1]
                _move_up(root, i, 0)
                s.signal[MOVE], s.signal[VALUE] = move, value
        if top >= high:
            break
    proved = (low < top < high or top <= -WIN) and not estimated
    root.summary[SOLVED] = 1 if proved or top >= WIN else 0
    return top


@jit
def _value_every(pos: Position, s: ab.AlphaBetaArrays, root: SelectiveRoot, n: int, depth: int) -> None:
    """Find the exact value of every root move to one depth, and sort the moves by value.

    After a stop, moves keep the values of the previous depth, except those solved in the meantime.
    """
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
    """Move entry i of the root arrays up to index `to`; shift the entries in between down by one."""
    for k in range(i, to, -1):
        for ply in range(max(root.lengths[k], root.lengths[k - 1])):
            root.lines[k, ply], root.lines[k - 1, ply] = root.lines[k - 1, ply], root.lines[k, ply]
        for column in (root.moves, root.values, root.solved, root.lengths):
            column[k], column[k - 1] = column[k - 1], column[k]


@jit
def _root_value(pos: Position, s: ab.AlphaBetaArrays, move: int, depth: int, low: int, high: int) -> int:
    """Return the value of one root move: exact if between low and high, else a bound."""
    me = mover(pos)
    token = play(pos, move)
    value = _child_value(pos, s, me, depth - 1, low, high, 1 + ZERO, ZERO)
    undo(pos, move, token)
    return value


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
    known = tt.probe(s.table, key(pos))
    if ab.is_cutoff(known, depth, alpha, beta):
        s.estimated[ply] = 1 - tt.solved_of(known)
        return tt.value_of(known)
    if depth <= MAX_PRUNED_DEPTH and beta - alpha == 1 and abs(alpha) < WIN // 2:
        estimate, margin = evaluate(pos, s.settings[ab.EVALUATION]), PRUNE_MARGIN_PER_PLY * depth
        if estimate >= beta + margin or estimate <= alpha - margin:
            s.estimated[ply] = 1
            return estimate
    n, me = legal(pos, s.moves, at), mover(pos)
    ab.set_order(s, me, ply, at, n, known)
    for i in range(at, at + n):
        s.order[i] += QUICK_SCORE_WEIGHT * quick_score(pos, s.moves[i])
    best, best_move, low, estimated = -ab.INFINITY + ZERO, -1, alpha, 0
    full_depth = depth if n == 1 else depth - 1  # a forced move costs no depth
    for number in range(n):
        move = ab.next_move(s, at, n)
        token = play(pos, move)
        # The first move is searched with the whole window. The others are first searched less deeply and with a null
        # window, to see whether they are better at all; if so, again at full depth, then with the whole window.
        try_depth, high = full_depth, beta if number == 0 else low + 1
        if number > 1 and depth >= MIN_REDUCED_DEPTH:
            try_depth = max(full_depth - REDUCTIONS[min(depth, 63), min(number, 63)], 0)
        while True:
            value = _child_value(pos, s, me, try_depth, low, high, ply + 1, at + n)
            if value <= low or s.signal[STOP]:
                break
            if try_depth < full_depth:
                try_depth = full_depth
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
    tt.store(s.table, key(pos), ab.finish_node(s, ply, depth, best, best_move, estimated, alpha, beta))
    return best
