"""The playouts of the Monte Carlo search, compiled: random games guided by a few rules of thumb.

A player first tries to answer the last move: by capturing stones in atari or saving its own, by a move at a chain with
two liberties, or beside the last move, as professionals do in such a window (windows.py). Otherwise it plays anywhere
except in its own eyes, and into atari only with a single stone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import never_inline
from kibitz.compiled.jit import jit
from kibitz.compiled.rng import below
from kibitz.games.go.players.mcts import playout_board_kernel as board
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

ATARI_RATE, LIBERTIES_RATE, WINDOW_RATE, ELSEWHERE, MERCY_LEAD = range(board.SETTINGS, board.SETTINGS + 5)
"""Indices of the settings: how often, out of 16 times, to consider atari, chains of two liberties, and windows; the
weight of playing elsewhere, relative to those of the windows; the lead in stones that ends a playout early."""
DEFAULTS = (15, 14, 16, 8)  # the settings from ATARI_RATE to ELSEWHERE
_CANDIDATES, _MAX_CANDIDATES = board.SCRATCH + 1, 15
_WEIGHTS, _CELLS = board.SCRATCH + 16, board.SCRATCH + 32
"""Where parts of the scratch area begin: candidate moves; cumulative weights, and their cells."""


@jit
def _add_rescues(g: Ints, head: int, colour: int, n: int) -> int:
    """Append the moves that save an own chain in atari to the n candidates; return the new number of candidates."""
    at = board.liberty_of(g, head)
    if board.consequence(g, at, colour) == board.FINE and at != g[board.KO] and n < _MAX_CANDIDATES:
        g[_CANDIDATES + n] = at
        n += 1
    stone = head
    while True:
        for side in range(4):
            near = board.neighbour(g, stone, side)
            if board.stone_at(g, near) == BLACK + WHITE - colour and board.in_atari(g, board.head_of(g, near)):
                at = board.liberty_of(g, board.head_of(g, near))
                if at != g[board.KO] and n < _MAX_CANDIDATES:
                    g[_CANDIDATES + n] = at
                    n += 1
        stone = board.next_stone(g, stone)
        if stone == head:
            return n


@jit
def find_urgent(g: Ints) -> int:
    """Write candidates that capture the chain just played or save a chain beside it; return their number."""
    never_inline()
    last, colour, n = g[board.LAST], g[board.TO_PLAY], 0
    head = board.head_of(g, last)
    if board.in_atari(g, head) and board.liberty_of(g, head) != g[board.KO]:
        g[_CANDIDATES] = board.liberty_of(g, head)
        n = 1
    for side in range(4):
        near = board.neighbour(g, last, side)
        head = board.head_of(g, near)
        if board.stone_at(g, near) == colour and board.in_atari(g, head) and not board.is_repeated(g, last, side, head):
            n = _add_rescues(g, head, colour, n)
    return n


@jit
def _find_liberty_moves(g: Ints) -> int:
    """Write candidates that put the chain just played in atari or extend own chains beside it; return their number.

    Only chains with two liberties are considered.
    """
    never_inline()
    last, colour, n = g[board.LAST], g[board.TO_PLAY], 0
    for side in range(-1, 4):
        stone = last if side < 0 else board.neighbour(g, last, side)
        head = board.head_of(g, stone)
        if side >= 0 and board.stone_at(g, stone) != colour:
            continue
        if board.in_atari(g, head) or not board.has_few_liberties(g, head):
            continue
        at, first = head, 0
        while True:
            for around in range(4):
                cell = board.neighbour(g, at, around)
                if board.stone_at(g, cell) != EMPTY or cell == first:
                    continue
                first = cell if first == 0 else first
                wanted = (side < 0 or _empty_beside(g, cell) >= 2) and cell != g[board.KO] and n < _MAX_CANDIDATES
                if wanted and board.consequence(g, cell, colour) == board.FINE:
                    g[_CANDIDATES + n] = cell
                    n += 1
            at = board.next_stone(g, at)
            if at == head:
                break
    return n


@jit
def _empty_beside(g: Ints, cell: int) -> int:
    """Return the number of empty neighbours of a cell."""
    n = 0
    for side in range(4):
        n += board.stone_at(g, board.neighbour(g, cell, side)) == EMPTY
    return n


@jit
def is_playable(g: Ints, cell: int, colour: int) -> bool:
    """Return whether playouts may play on an empty cell: no eyes or suicide, and self-atari only by a single stone."""
    result = board.consequence(g, cell, colour)
    return result == board.FINE or (result == board.SELF_ATARI and g[board.SCRATCH] == 1)


@jit
def _window_move(g: Ints, windows: Ints, rng: NDArray[np.uint64]) -> int:
    """Return a random cell around the last move, weighted by its window, or 0 for playing elsewhere."""
    never_inline()
    last, step, base = g[board.LAST], g[board.STEP], (g[board.TO_PLAY] - 1) << 16
    total = n = 0
    for row in (last - step, last, last + step):
        for cell in range(row - 1, row + 2):
            if board.stone_at(g, cell) == EMPTY and cell != g[board.KO]:
                weight = windows[base + board.window_at(g, cell)]
                if weight:
                    total += int(weight)
                    g[_CELLS + n], g[_WEIGHTS + n] = cell, total
                    n += 1
    if n == 0:
        return 0
    at = below(rng, total + g[ELSEWHERE])
    if at >= total:
        return 0
    i = 0
    while g[_WEIGHTS + i] <= at:
        i += 1
    cell = g[_CELLS + i]
    return cell if is_playable(g, cell, g[board.TO_PLAY]) else 0


@jit
def _random_move(g: Ints, rng: NDArray[np.uint64]) -> int:
    """Return a random playable cell, all equally likely, or 0 if there is none."""
    never_inline()
    n = g[board.FREE]
    left = n  # the cells at or after this index are known not to be playable
    while left:
        i = below(rng, left)
        cell = g[board.FREE_CELLS + i]
        left -= 1
        g[board.FREE_CELLS + i] = g[board.FREE_CELLS + left]
        if board.stone_at(g, cell) != EMPTY:
            n -= 1
            g[board.LISTED + cell] = 0
            g[board.FREE_CELLS + left] = g[board.FREE_CELLS + n]
            continue
        g[board.FREE_CELLS + left] = cell
        if cell != g[board.KO] and is_playable(g, cell, g[board.TO_PLAY]):
            g[board.FREE] = n
            return cell
    g[board.FREE] = n
    return 0


@jit
def _next_move(g: Ints, windows: Ints, rng: NDArray[np.uint64]) -> int:
    """Choose a move for the player to move; return its cell, or 0 for a pass."""
    cell = 0
    if g[board.LAST]:
        random_bits = below(rng, 1 << 12)  # four bits for each of the three rates
        if random_bits & 15 < g[ATARI_RATE]:
            n = find_urgent(g)
            if n:
                return g[_CANDIDATES + below(rng, n)]
        if random_bits >> 4 & 15 < g[LIBERTIES_RATE]:
            n = _find_liberty_moves(g)
            if n:
                return g[_CANDIDATES + below(rng, n)]
        if random_bits >> 8 < g[WINDOW_RATE]:
            cell = _window_move(g, windows, rng)
    return cell if cell else _random_move(g, rng)


@jit
def finish(g: Ints, moves: Ints, windows: Ints, rng: NDArray[np.uint64]) -> int:
    """Play a game to its end, or until one side is far ahead; return Black's lead in quarter points."""
    mercy_lead, max_made = g[MERCY_LEAD], g[board.MADE] + 3 * g[board.POINTS] + 60
    while g[board.PASSES] < 2 and g[board.MADE] < max_made and abs(g[board.LEAD]) < mercy_lead:
        board.advance(g, moves, _next_move(g, windows, rng))
    return 4 * (board.area(g) if abs(g[board.LEAD]) < mercy_lead else g[board.LEAD]) - g[board.KOMI]
