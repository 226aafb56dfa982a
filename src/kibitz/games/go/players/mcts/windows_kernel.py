"""The points around the last move in records of games, compiled: which there were, which was played."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.players.mcts.playout_board_kernel import (
    AROUND,
    KO,
    LAST,
    STEP,
    STONES,
    SUICIDE,
    TO_PLAY,
    advance,
    consequence,
    copy_game,
)
from kibitz.games.go.players.mcts.playout_kernel import urgent, will_do
from kibitz.games.go.rules.board import BLACK, EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

NONE = 65535
"""Where there is no point: this would be the window of one with the edge all around."""


@entry
def gather(start: Ints, g: Ints, moves: Ints, plays: Any, first: Ints, which: Ints, rows: Any, chosen: Any) -> int:
    """Write the windows of the points around each last move, as who is to move sees them; return how many positions.

    rows[i]: uint16 [8], NONE at the end; chosen[i]: which of them was played, or -1. Positions in which a chain in
    atari asks for an answer are left out, and so is what follows setup, two moves of one player or an illegal one.
    """
    n, step = 0, start[STEP]
    for i in range(len(which)):
        copy_game(start, g)
        for at in range(first[which[i]], first[which[i] + 1]):
            play = plays[at]
            point, colour = play & PASS, play >> POINT_BITS & 3
            if play & SETUP or colour != g[TO_PLAY] or n == len(rows):
                break
            cell = 0 if point == PASS else (point // (step - 1) + 1) * step + point % (step - 1) + 1
            if cell and (g[STONES + cell] != EMPTY or consequence(g, cell, g[TO_PLAY]) == SUICIDE):
                break
            if cell and g[LAST] and urgent(g) == 0:
                chosen[n] = _look(g, cell, rows[n])
                n += 1
            advance(g, moves, cell)
    return n


@jit
def _look(g: Ints, played: int, row: Any) -> int:
    """Write one position; return which of its points was played, or -1."""
    colour, k, found = g[TO_PLAY], 0, -1
    for down in range(-1, 2):
        for across in range(-1, 2):
            cell = g[LAST] + down * g[STEP] + across
            if g[STONES + cell] == EMPTY and cell != g[KO] and will_do(g, cell, colour):
                if cell == played:
                    found = k
                window = g[AROUND + cell]
                row[k] = window if colour == BLACK else (window & 0x5555) << 1 | window >> 1 & 0x5555
                k += 1
    for i in range(k, 8):
        row[i] = NONE
    return found
