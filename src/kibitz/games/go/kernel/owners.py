"""Random games from a board to its end, compiled: who owns each point in the end, how often.

A player never fills a point whose neighbours are all its own stones and passes when nothing else is left.
"""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.rng import below
from kibitz.games.go.kernel.board import EDGE, TAKEN, Board, copy_board, in_atari, put
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE


@entry
def play_out(start: Board, b: Board, rng: Any, first: int, games: int, won: Ints) -> None:
    """Play so many games from a board, the colour `first` to move; add to won[point] 1 where Black owns it, else -1."""
    for _ in range(games):
        copy_board(start, b)
        colour, passes, ko = first, 0, 0
        for _ in range(3 * len(b.cells)):
            cell = _draw(b, rng, colour, ko)
            ko = 0
            if cell == 0:
                passes += 1
                if passes == 2:
                    break
            else:
                passes = 0
                if put(b, cell, colour) == 1 and b.many[b.head[cell]] == 1 and in_atari(b, b.head[cell]):
                    ko = b.facts[TAKEN]
            colour = BLACK + WHITE - colour
        for point in range(len(b.cells)):
            won[point] += _owner(b, b.cells[point])


@jit
def _draw(b: Board, rng: Any, colour: int, ko: int) -> int:
    """Return a cell to play on, the first that will do from a random one on; 0 for a pass."""
    n = len(b.cells)
    at = below(rng, n)
    for _ in range(n):
        cell = b.cells[at]
        if b.stones[cell] == EMPTY and cell != ko and _will_do(b, cell, colour):
            return int(cell)
        at = at + 1 if at + 1 < n else 0
    return 0


@jit
def _will_do(b: Board, cell: int, colour: int) -> bool:
    """Return whether a stone would live there and the point is no eye of the player."""
    eye, lives = True, False
    for side in range(4):
        near = b.near[cell, side]
        code = b.stones[near]
        if code == EMPTY:
            return True
        if code == EDGE:
            continue
        if code != colour:
            eye = False
            lives = lives or in_atari(b, b.head[near])
        elif not in_atari(b, b.head[near]):
            lives = True
        else:
            eye = False  # in atari: to connect is no waste
    return lives and not eye


@jit
def _owner(b: Board, cell: int) -> int:
    """Return 1 for a point of Black's, -1 for one of White's, 0 for nobody's: its stone, or what is around it."""
    if b.stones[cell] != EMPTY:
        return 1 if b.stones[cell] == BLACK else -1
    black, white = False, False
    for side in range(4):
        code = b.stones[b.near[cell, side]]
        black, white = black or code == BLACK, white or code == WHITE
    if black == white:
        return 0
    return 1 if black else -1
