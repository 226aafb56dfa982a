"""What every alpha-beta kernel works with: its arrays, the order of moves, and the best line so far."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import jit
from kibitz.compiled.position import Position, key, legal, play, undo
from kibitz.compiled.transposition import MAX_ENTRY_DEPTH, NO_ENTRY, TranspositionTable, move_of, probe
from kibitz.core.parts import Kernel

INFINITY = 1 << 30
MAX_DEPTH, MAX_NODES, EVALUATION, EVERY, FIRST_DEPTH = range(5)
"""The places of the settings: limits, the evaluation's number, 1 to value every root move, the depth to begin with."""

_TABLE_FIRST, _KILLER_1, _KILLER_2 = 1 << 42, 1 << 41, 1 << 40
HISTORY_LIMIT = 1 << 24


class Search(NamedTuple):
    """Everything a search writes to, all int64. A ply is a distance from the root."""

    settings: Ints
    signal: Ints
    """see search/control.py"""
    moves: Ints
    """a stack of move lists, `room` places for each ply"""
    order: Ints
    """the order of each of these moves, highest first; -1 once it was tried"""
    killers: Ints
    """[ply, 2] the last two moves that cut off at this ply; -1 for none"""
    history: Ints
    """[player, move] how often and how deep a move cut off"""
    line: Ints
    """[ply, ply] the best play from each ply on"""
    length: Ints
    """[ply] where the line of that ply ends"""
    estimated: Ints
    """[ply] 1 if an estimate went into the last value returned from there"""
    table: TranspositionTable


def deepest(kernel: Kernel[Any]) -> int:
    """Return how far ahead a search can look: to the end of the longest game, or as deep as a table entry can tell."""
    return min(kernel.MAX_GAME_LENGTH, MAX_ENTRY_DEPTH)


def new_search(kernel: Kernel[Any], table: TranspositionTable) -> Search:
    """Return the working arrays for one game's kernel."""
    if kernel.MOVES >= 65535:
        raise ValueError("a table entry holds moves to 65534")
    plies = deepest(kernel) + 2
    return Search(
        settings=np.zeros(5, np.int64),
        signal=np.zeros(5, np.int64),
        moves=np.zeros(plies * kernel.MAX_LEGAL_MOVES, np.int64),
        order=np.zeros(plies * kernel.MAX_LEGAL_MOVES, np.int64),
        killers=np.full((plies, 2), -1, np.int64),
        history=np.zeros((2, kernel.MOVES), np.int64),
        line=np.zeros((plies, plies), np.int64),
        length=np.zeros(plies, np.int64),
        estimated=np.zeros(plies, np.int64),
        table=table,
    )


@jit
def age_history(s: Search) -> None:
    """Halve what is known of the moves, before a new iteration adds to it."""
    for player in range(2):
        for move in range(s.history.shape[1]):
            s.history[player, move] >>= 1


@jit
def set_order(s: Search, me: int, ply: int, at: int, n: int, table_move: int) -> None:
    """Give each of the n moves at place `at` its order: table move, killers, history."""
    for i in range(at, at + n):
        move = s.moves[i]
        if move == table_move:
            s.order[i] = _TABLE_FIRST
        elif move == s.killers[ply, 0]:
            s.order[i] = _KILLER_1
        elif move == s.killers[ply, 1]:
            s.order[i] = _KILLER_2
        else:
            s.order[i] = s.history[me, move] + 2 * HISTORY_LIMIT


@jit
def next_move(s: Search, at: int, n: int) -> int:
    """Return the move of highest order that was not tried yet, the lowest number of equal ones."""
    best = at
    for i in range(at + 1, at + n):
        if s.order[i] > s.order[best]:
            best = i
    s.order[best] = -1
    return s.moves[best]


@jit
def extend_line(s: Search, ply: int, move: int) -> None:
    """Make a move and the line after it the line of this ply."""
    s.line[ply, ply] = move
    for i in range(ply + 1, s.length[ply + 1]):
        s.line[ply, i] = s.line[ply + 1, i]
    s.length[ply] = max(ply + 1, s.length[ply + 1])


@jit
def remember_cut(s: Search, me: int, move: int, ply: int, depth: int) -> None:
    """Note a move that cut off: it may do so elsewhere."""
    s.history[me, move] = min(s.history[me, move] + depth * depth, HISTORY_LIMIT)
    if s.killers[ply, 0] != move:
        s.killers[ply, 1] = s.killers[ply, 0]
        s.killers[ply, 0] = move


@jit
def follow_table(pos: Position, s: Search, lines: Ints, row: int, length: int) -> int:
    """Lengthen a line of play, which a table hit has cut short, by the moves in the table; return its length.

    The line is that row of lines.
    """
    for ply in range(length):
        s.order[ply] = play(pos, lines[row, ply])  # which holds the tokens now
    while len(s.table.data) and length < len(s.length):
        known = probe(s.table, key(pos))
        move = move_of(known) if known != NO_ENTRY else -1
        if not _is_legal(pos, s, move):
            break
        lines[row, length] = move
        s.order[length] = play(pos, move)
        length += 1
    for ply in range(length - 1, -1, -1):
        undo(pos, lines[row, ply], s.order[ply])
    return length


@jit
def _is_legal(pos: Position, s: Search, move: int) -> bool:
    for i in range(legal(pos, s.moves, 0)):
        if s.moves[i] == move:
            return True
    return False
