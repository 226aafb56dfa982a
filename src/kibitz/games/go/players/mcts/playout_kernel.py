"""Random games to the end with a few rules of thumb, compiled: the playouts of the Monte Carlo search.

A player answers the last move: captures stones in atari and saves its own, looks
at chains of two liberties, plays beside the last move as professionals do in such
a window (windows.py); otherwise anywhere, but never into its own eyes, and into
atari only with a single stone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import stay_apart
from kibitz.compiled.jit import jit
from kibitz.compiled.rng import below
from kibitz.games.go.players.mcts import playout_board_kernel as board
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

ATARI_RATE, LIBERTIES_RATE, WINDOW_RATE, ELSEWHERE, MERCY_LEAD = range(board.SETTINGS, board.SETTINGS + 5)
"""The settings: how often of 16 times atari is answered, chains of two liberties and windows are considered; the weight
of playing elsewhere against those of the windows; a lead in stones that ends a playout."""
DEFAULTS = (15, 14, 16, 8)  # the settings up to ELSEWHERE
_CANDIDATES, _MAX_CANDIDATES = board.SCRATCH + 1, 15
_WEIGHTS, _CELLS = board.SCRATCH + 16, board.SCRATCH + 32
"""Parts of the scratch: candidate moves; sums of weights, and their cells."""


@jit
def _rescues(g: Ints, head: int, colour: int, n: int) -> int:
    """Add the moves that save an own chain in atari to the n candidates; return the number of candidates then."""
    at = board.liberty_of(g, head)
    if board.consequence(g, at, colour) == board.FINE and at != g[board.KO] and n < _MAX_CANDIDATES:
        g[_CANDIDATES + n] = at
        n += 1
    stone = head
    while True:
        for side in range(4):
            near = board.side_of(g, stone, side)
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
    """Write the moves that capture the chain just played or save one beside it as candidates; return their number."""
    stay_apart()
    last, colour, n = g[board.LAST], g[board.TO_PLAY], 0
    head = board.head_of(g, last)
    if board.in_atari(g, head) and board.liberty_of(g, head) != g[board.KO]:
        g[_CANDIDATES] = board.liberty_of(g, head)
        n = 1
    for side in range(4):
        near = board.side_of(g, last, side)
        head = board.head_of(g, near)
        if board.stone_at(g, near) == colour and board.in_atari(g, head) and not board.is_known(g, last, side, head):
            n = _rescues(g, head, colour, n)
    return n


@jit
def _find_liberty_moves(g: Ints) -> int:
    """Write ataris on the chain just played and extensions of own chains beside it as candidates; return their number.

    Only chains of two liberties are considered.
    """
    stay_apart()
    last, colour, n = g[board.LAST], g[board.TO_PLAY], 0
    for side in range(-1, 4):
        stone = last if side < 0 else board.side_of(g, last, side)
        head = board.head_of(g, stone)
        if side >= 0 and board.stone_at(g, stone) != colour:
            continue
        if board.in_atari(g, head) or not board.has_few_liberties(g, head):
            continue
        at, first = head, 0
        while True:
            for around in range(4):
                cell = board.side_of(g, at, around)
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
    """Return the number of empty points beside a cell."""
    n = 0
    for side in range(4):
        n += board.stone_at(g, board.side_of(g, cell, side)) == EMPTY
    return n


@jit
def is_playable(g: Ints, cell: int, colour: int) -> bool:
    """Return whether playouts play on an empty cell at all. A single stone may be thrown in."""
    result = board.consequence(g, cell, colour)
    return result == board.FINE or (result == board.SELF_ATARI and g[board.SCRATCH] == 1)


@jit
def _window_move(g: Ints, windows: Ints, rng: NDArray[np.uint64]) -> int:
    """Return a point around the last move, chosen by the weights of the windows; 0 for elsewhere."""
    stay_apart()
    last, step, base = g[board.LAST], g[board.STEP], (g[board.TO_PLAY] - 1) << 16
    total = n = 0
    for row in (last - step, last, last + step):
        for cell in range(row - 1, row + 2):
            if board.stone_at(g, cell) == EMPTY and cell != g[board.KO]:
                weight = windows[base + board.window_at(g, cell)]
                if weight:
                    total += weight
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
    """Return a playable empty cell, all of them equally likely; 0 if there is none."""
    stay_apart()
    n = g[board.FREE]
    left = n  # those from here on are not playable
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
    """Return the move of the player to move: a cell, or 0 for a pass."""
    cell = 0
    if g[board.LAST]:
        dice = below(rng, 1 << 12)
        if dice & 15 < g[ATARI_RATE]:
            n = find_urgent(g)
            if n:
                return g[_CANDIDATES + below(rng, n)]
        if dice >> 4 & 15 < g[LIBERTIES_RATE]:
            n = _find_liberty_moves(g)
            if n:
                return g[_CANDIDATES + below(rng, n)]
        if dice >> 8 < g[WINDOW_RATE]:
            cell = _window_move(g, windows, rng)
    return cell if cell else _random_move(g, rng)


@jit
def finish(g: Ints, moves: Ints, windows: Ints, rng: NDArray[np.uint64]) -> int:
    """Play a game to its end; return Black's margin in quarter points."""
    mercy, last = g[MERCY_LEAD], g[board.MADE] + 3 * g[board.POINTS] + 60
    while g[board.PASSES] < 2 and g[board.MADE] < last and abs(g[board.LEAD]) < mercy:
        board.advance(g, moves, _next_move(g, windows, rng))
    return 4 * (board.area(g) if abs(g[board.LEAD]) < mercy else g[board.LEAD]) - g[board.KOMI]
