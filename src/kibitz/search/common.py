"""Code shared by both alpha-beta kernels: working arrays, table lookups, move ordering, and lines of play."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled import transposition as tt
from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import inlined, jit
from kibitz.compiled.position import Position, key, legal, play, undo
from kibitz.core.agent import WIN
from kibitz.core.parts import Kernel
from kibitz.search.control import NODES, STOP, new_signal, zeros

INFINITY = 1 << 30
MAX_DEPTH, MAX_NODES, EVALUATION, EVERY, FIRST_DEPTH = range(5)
"""Indices into `settings`: two limits, the evaluation's number, 1 to value every root move, the first depth to try."""

_TABLE_MOVE, _KILLER_1, _KILLER_2 = 1 << 42, 1 << 41, 1 << 40
"""Ordering scores of the moves to try first; all other moves come after them, sorted by history."""
HISTORY_LIMIT = 1 << 24


class AlphaBetaArrays(NamedTuple):
    """The working arrays of one search, all int64. A ply is a position's distance from the root, in moves."""

    settings: Ints
    signal: Ints
    """see search/control.py"""
    moves: Ints
    """a stack of move lists, at most MAX_LEGAL_MOVES per ply"""
    order: Ints
    """the ordering score of each of these moves: the highest is tried first; -1 once tried"""
    killers: Ints
    """[ply, 2] the last two moves that caused a cutoff at this ply; -1 for none"""
    history: Ints
    """[player, move] grows by depth * depth whenever the move causes a cutoff"""
    line: Ints
    """[ply, ply] the best line of play from each ply on"""
    length: Ints
    """[ply] the ply at which that line ends"""
    estimated: Ints
    """[ply] 1 if the last value returned at this ply depends on an estimate"""
    table: tt.TranspositionTable


def depth_limit(kernel: Kernel[Any]) -> int:
    """Return the greatest useful depth: the longest game, but no more than a table entry can store."""
    return min(kernel.MAX_GAME_LENGTH, tt.MAX_ENTRY_DEPTH)


def max_plies(kernel: Kernel[Any]) -> int:
    """Return the size of arrays indexed by ply: two more than the depth limit."""
    return depth_limit(kernel) + 2


def new_arrays(kernel: Kernel[Any], table: tt.TranspositionTable) -> AlphaBetaArrays:
    """Return zeroed working arrays for a game's kernel. Raise ValueError if it has too many moves for the table."""
    if kernel.MOVES >= 65535:
        raise ValueError(f"a table entry stores moves up to 65534, but the game has {kernel.MOVES} moves")
    plies = max_plies(kernel)
    stack = plies * kernel.MAX_LEGAL_MOVES
    lists = zeros(moves=stack, order=stack, killers=(plies, 2), history=(2, kernel.MOVES))
    lines = zeros(line=(plies, plies), length=plies, estimated=plies)
    return AlphaBetaArrays(**zeros(settings=5, signal=5), **lists, **lines, table=table)


def start_search(
    s: AlphaBetaArrays, depth: int, nodes: int, evaluation: int, every: bool = False, first_depth: int = 1
) -> None:
    """Set the limits of a new search and clear everything from the previous one except the table."""
    np.asarray(s.settings)[:] = depth, nodes, evaluation, every, first_depth
    np.asarray(s.signal)[:] = new_signal()
    np.asarray(s.killers).fill(-1)
    np.asarray(s.history).fill(0)


@jit
def count_node(s: AlphaBetaArrays, ply: int) -> bool:
    """Count a node and reset its line; return False if the search must stop instead."""
    if s.signal[NODES] >= s.settings[MAX_NODES]:
        s.signal[STOP] = 1
    if s.signal[STOP]:
        return False
    s.signal[NODES] += 1
    s.length[ply] = ply
    s.estimated[ply] = 0
    return True


@inlined
def is_cutoff(known: int, depth: int, alpha: int, beta: int) -> bool:
    """Return whether a table entry is deep and tight enough to replace a search with this depth and window."""
    if known == tt.NO_ENTRY or not (tt.solved_of(known) or tt.depth_of(known) >= depth):
        return False
    bound, value = tt.bound_of(known), tt.value_of(known)
    return bound == tt.EXACT or (bound == tt.LOWER and value >= beta) or (bound == tt.UPPER and value <= alpha)


@inlined
def finish_node(
    s: AlphaBetaArrays, ply: int, depth: int, best: int, best_move: int, estimated: int, alpha: int, beta: int
) -> int:
    """Record whether a searched node is solved; return its table entry: exact, or a bound if outside (alpha, beta)."""
    solved = 1 if not estimated or abs(best) >= WIN else 0
    s.estimated[ply] = 1 - solved
    bound = tt.LOWER if best >= beta else (tt.UPPER if best <= alpha else tt.EXACT)
    return tt.entry_of(best, best_move, depth, solved, bound)


@jit
def age_history(s: AlphaBetaArrays) -> None:
    """Halve all history scores, before a new iteration adds to them."""
    for player in range(2):
        for move in range(s.history.shape[1]):
            s.history[player, move] >>= 1


@jit
def set_order(s: AlphaBetaArrays, me: int, ply: int, at: int, n: int, known: int) -> None:
    """Score the n moves from index `at` on for ordering: the table entry's move first, then killers, then history."""
    table_move = tt.move_of(known) if known != tt.NO_ENTRY else -1
    for i in range(at, at + n):
        move = s.moves[i]
        if move == table_move:
            s.order[i] = _TABLE_MOVE
        elif move == s.killers[ply, 0]:
            s.order[i] = _KILLER_1
        elif move == s.killers[ply, 1]:
            s.order[i] = _KILLER_2
        else:
            s.order[i] = s.history[me, move] + 2 * HISTORY_LIMIT


@jit
def next_move(s: AlphaBetaArrays, at: int, n: int) -> int:
    """Return the untried move with the highest ordering score, the first one if several tie; mark it as tried."""
    best = at
    for i in range(at + 1, at + n):
        if s.order[i] > s.order[best]:
            best = i
    s.order[best] = -1
    return s.moves[best]


@jit
def extend_line(s: AlphaBetaArrays, ply: int, move: int) -> None:
    """Set the best line from this ply to the move followed by the best line from the next ply."""
    s.line[ply, ply] = move
    for i in range(ply + 1, s.length[ply + 1]):
        s.line[ply, i] = s.line[ply + 1, i]
    s.length[ply] = max(ply + 1, s.length[ply + 1])


@jit
def remember_cut(s: AlphaBetaArrays, me: int, move: int, ply: int, depth: int) -> None:
    """Add a move that caused a cutoff to the killers and the history, so that it is tried early elsewhere."""
    s.history[me, move] = min(s.history[me, move] + depth * depth, HISTORY_LIMIT)
    if s.killers[ply, 0] != move:
        s.killers[ply, 1] = s.killers[ply, 0]
        s.killers[ply, 0] = move


@jit
def keep_line(s: AlphaBetaArrays, lines: Ints, row: int, move: int) -> int:
    """Copy a root move and the best line after it to lines[row]; return the length of the line."""
    lines[row, 0] = move
    for ply in range(1, s.length[1]):
        lines[row, ply] = s.line[1, ply]
    return max(1, s.length[1])


@jit
def follow_table(pos: Position, s: AlphaBetaArrays, lines: Ints, row: int, length: int) -> int:
    """Extend lines[row], which a table hit may have cut short, with moves from the table; return the new length."""
    for ply in range(length):
        s.order[ply] = play(pos, lines[row, ply])  # from here on, `order` stores the undo tokens
    while len(s.table.data) and length < len(s.length):
        known = tt.probe(s.table, key(pos))
        move = tt.move_of(known) if known != tt.NO_ENTRY else -1
        if not _is_legal(pos, s, move):
            break
        lines[row, length] = move
        s.order[length] = play(pos, move)
        length += 1
    for ply in range(length - 1, -1, -1):
        undo(pos, lines[row, ply], s.order[ply])
    return length


@jit
def _is_legal(pos: Position, s: AlphaBetaArrays, move: int) -> bool:
    for i in range(legal(pos, s.moves, 0)):
        if s.moves[i] == move:
            return True
    return False
