"""Games to the end by chance and a few rules of thumb, compiled: the playouts of the Monte Carlo search.

A player answers what was just played: takes stones in atari and saves its own,
looks at chains of two liberties, plays beside the last move as professionals do
in such a window (windows.py); else anywhere, but never into its own eyes, and
into atari with a single stone only.
"""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import stay_apart
from kibitz.compiled.jit import jit
from kibitz.compiled.rng import below
from kibitz.games.go.players.mcts.playout_board_kernel import (
    AROUND,
    FINE,
    FOUND,
    FREE,
    FREE_CELLS,
    HEAD,
    KO,
    KOMI,
    LAST,
    LEAD,
    LINK,
    LISTED,
    MADE,
    PASSES,
    POINTS,
    SELF_ATARI,
    SETTINGS,
    STEP,
    STONES,
    TO_PLAY,
    advance,
    area,
    consequence,
    has_two,
    in_atari,
    is_known,
    liberty_of,
    side_of,
)
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

HEED_ATARI, HEED_TIGHT, HEED_WINDOW, ANYWHERE, MERCY = range(SETTINGS, SETTINGS + 5)
"""The settings: of 16 times, how often atari is answered, chains of two liberties and windows are looked at; the weight
of playing elsewhere against those of the windows; a lead in stones that ends a playout."""
DEFAULTS = (15, 14, 16, 8)
"""The settings up to ANYWHERE."""
_WEIGHTS, _CELLS = FOUND + 16, FOUND + 32
"""Parts of the scratch: sums of weights, and their cells. Moves found lie from FOUND + 1 on."""
_MOST_FOUND = 15


@jit
def _rescues(g: Ints, head: int, colour: int, n: int) -> int:
    """Add the moves that save an own chain in atari to those found; return how many there are then."""
    at = liberty_of(g, head)
    if consequence(g, at, colour) == FINE and at != g[KO] and n < _MOST_FOUND:
        n += 1
        g[FOUND + n] = at
    stone = head
    while True:
        for side in range(4):
            near = side_of(g, stone, side)
            if g[STONES + near] == BLACK + WHITE - colour and in_atari(g, g[HEAD + near]):
                at = liberty_of(g, g[HEAD + near])
                if at != g[KO] and n < _MOST_FOUND:
                    n += 1
                    g[FOUND + n] = at
        stone = g[LINK + stone]
        if stone == head:
            return n


@jit
def urgent(g: Ints) -> int:
    """Find the moves that take the chain just played or save one beside it; return how many."""
    stay_apart()
    last, colour, n = g[LAST], g[TO_PLAY], 0
    head = g[HEAD + last]
    if in_atari(g, head) and liberty_of(g, head) != g[KO]:
        g[FOUND + 1] = liberty_of(g, head)
        n = 1
    for side in range(4):
        near = side_of(g, last, side)
        head = g[HEAD + near]
        if g[STONES + near] == colour and in_atari(g, head) and not is_known(g, last, side, head):
            n = _rescues(g, head, colour, n)
    return n


@jit
def _tight_moves(g: Ints) -> int:
    """Find atari to the chain just played and liberties for own ones beside it, of two liberties; return how many."""
    stay_apart()
    last, colour, n = g[LAST], g[TO_PLAY], 0
    for side in range(-1, 4):
        stone = last if side < 0 else side_of(g, last, side)
        head = g[HEAD + stone]
        if (side >= 0 and g[STONES + stone] != colour) or in_atari(g, head) or not has_two(g, head):
            continue
        at, first = head, 0
        while True:
            for around in range(4):
                cell = side_of(g, at, around)
                if g[STONES + cell] != EMPTY or cell == first:
                    continue
                first = cell if first == 0 else first
                gains = side < 0 or _room_at(g, cell) >= 2
                if gains and cell != g[KO] and n < _MOST_FOUND and consequence(g, cell, colour) == FINE:
                    n += 1
                    g[FOUND + n] = cell
            at = g[LINK + at]
            if at == head:
                break
    return n


@jit
def _room_at(g: Ints, cell: int) -> int:
    """Return how many empty points are beside a cell."""
    n = 0
    for side in range(4):
        n += g[STONES + side_of(g, cell, side)] == EMPTY
    return n


@jit
def will_do(g: Ints, cell: int, colour: int) -> bool:
    """Return whether a player plays on an empty cell at all. A single stone may be thrown in."""
    result = consequence(g, cell, colour)
    return result == FINE or (result == SELF_ATARI and g[FOUND] == 1)


@jit
def _window_move(g: Ints, windows: Any, rng: Any) -> int:
    """Return a point around the last move, by the weights of the windows; 0 for somewhere else."""
    stay_apart()
    last, step, base = g[LAST], g[STEP], (g[TO_PLAY] - 1) << 16
    total = n = 0
    for row in (last - step, last, last + step):
        for cell in range(row - 1, row + 2):
            if g[STONES + cell] == EMPTY and cell != g[KO]:
                weight = windows[base + g[AROUND + cell]]
                if weight:
                    total += weight
                    g[_CELLS + n], g[_WEIGHTS + n] = cell, total
                    n += 1
    if n == 0:
        return 0
    at = below(rng, total + g[ANYWHERE])
    if at >= total:
        return 0
    i = 0
    while g[_WEIGHTS + i] <= at:
        i += 1
    cell = g[_CELLS + i]
    return cell if will_do(g, cell, g[TO_PLAY]) else 0


@jit
def _anywhere(g: Ints, rng: Any) -> int:
    """Return an empty cell that will do, all of them equally likely; 0 if there is none."""
    stay_apart()
    n = g[FREE]
    left = n  # those from here on will not do
    while left:
        i = below(rng, left)
        cell = g[FREE_CELLS + i]
        left -= 1
        g[FREE_CELLS + i] = g[FREE_CELLS + left]
        if g[STONES + cell] != EMPTY:
            n -= 1
            g[LISTED + cell] = 0
            g[FREE_CELLS + left] = g[FREE_CELLS + n]
            continue
        g[FREE_CELLS + left] = cell
        if cell != g[KO] and will_do(g, cell, g[TO_PLAY]):
            g[FREE] = n
            return cell
    g[FREE] = n
    return 0


@jit
def next_move(g: Ints, windows: Any, rng: Any) -> int:
    """Return what the player to move plays: a cell, or 0 for a pass."""
    cell = 0
    if g[LAST]:
        dice = below(rng, 1 << 12)
        if dice & 15 < g[HEED_ATARI]:
            n = urgent(g)
            if n:
                return g[FOUND + 1 + below(rng, n)]
        if dice >> 4 & 15 < g[HEED_TIGHT]:
            n = _tight_moves(g)
            if n:
                return g[FOUND + 1 + below(rng, n)]
        if dice >> 8 < g[HEED_WINDOW]:
            cell = _window_move(g, windows, rng)
    return cell if cell else _anywhere(g, rng)


@jit
def finish(g: Ints, moves: Ints, windows: Any, rng: Any) -> int:
    """Play a game to its end; return by how many quarter points Black has won it."""
    mercy, last = g[MERCY], g[MADE] + 3 * g[POINTS] + 60
    while g[PASSES] < 2 and g[MADE] < last and abs(g[LEAD]) < mercy:
        advance(g, moves, next_move(g, windows, rng))
    return 4 * (area(g) if abs(g[LEAD]) < mercy else g[LEAD]) - g[KOMI]
