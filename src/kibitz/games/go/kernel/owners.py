"""Random playouts from a board, compiled: they count how often each player owns each point at the end.

A player never fills a point surrounded by own stones, and passes when no other move is left.
"""

from __future__ import annotations

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.rng import RandomState, below
from kibitz.games.go.kernel.board import EDGE, TAKEN, BoardArrays, copy_board, in_atari, put
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE


@entry
def play_out(start: BoardArrays, b: BoardArrays, rng: RandomState, first: int, games: int, won: Ints) -> None:
    """Play random games from `start`, with the colour `first` to move; b is a scratch board.

    After each game add 1 to won[point] for every point that Black owns, and -1 for every point that White owns.
    """
    for _ in range(games):
        copy_board(start, b)
        colour, passes, ko = first, 0, 0
        for _ in range(3 * len(b.cells)):
            cell = _random_move(b, rng, colour, ko)
            ko = 0
            if cell == 0:
                passes += 1
                if passes == 2:
                    break
            else:
                passes = 0
                if put(b, cell, colour) == 1 and b.stone_count[b.head[cell]] == 1 and in_atari(b, b.head[cell]):
                    ko = b.facts[TAKEN]
            colour = BLACK + WHITE - colour
        for point in range(len(b.cells)):
            won[point] += _owner(b, b.cells[point])


@jit
def _random_move(b: BoardArrays, rng: RandomState, colour: int, ko: int) -> int:
    """Return a cell to play on, the first sensible one from a random cell onwards, or 0 for a pass."""
    n = len(b.cells)
    index = below(rng, n)
    for _ in range(n):
        cell = b.cells[index]
        if b.stones[cell] == EMPTY and cell != ko and _is_sensible(b, cell, colour):
            return int(cell)
        index = index + 1 if index + 1 < n else 0
    return 0


@jit
def _is_sensible(b: BoardArrays, cell: int, colour: int) -> bool:
    """Return whether a stone on this empty cell would have a liberty without filling one of the player's own eyes."""
    is_eye, has_liberty = True, False
    for side in range(4):
        near = b.near[cell, side]
        code = b.stones[near]
        if code == EMPTY:
            return True
        if code == EDGE:
            continue
        if code != colour:
            is_eye = False
            has_liberty = has_liberty or in_atari(b, b.head[near])
        elif not in_atari(b, b.head[near]):
            has_liberty = True
        else:
            is_eye = False  # a friend in atari: connecting is worth a move
    return has_liberty and not is_eye


@jit
def _owner(b: BoardArrays, cell: int) -> int:
    """Return 1 if Black owns the point, -1 if White does, else 0: by the stone there, or by all adjacent stones."""
    if b.stones[cell] != EMPTY:
        return 1 if b.stones[cell] == BLACK else -1
    black, white = False, False
    for side in range(4):
        code = b.stones[b.near[cell, side]]
        black, white = black or code == BLACK, white or code == WHITE
    if black == white:
        return 0
    return 1 if black else -1
