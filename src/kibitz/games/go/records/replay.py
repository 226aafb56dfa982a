"""Replay records on a compiled board to find how many plays of each game are legal.

A move is illegal if its point is occupied, if it retakes a ko at once, or if it is suicide. Colours need not alternate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Int64Array, Ints
from kibitz.compiled.jit import entry
from kibitz.games.go.kernel import board as boards
from kibitz.games.go.rules.board import EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP
from kibitz.games.go.sgf.scan import ScannedGames

OCCUPIED, RETAKES, SUICIDE = 1, 2, 3
REASONS = {OCCUPIED: "the point is occupied", RETAKES: "it retakes a ko at once", SUICIDE: "the stone has no liberties"}
"""Why a move is illegal, as a clause for messages."""


class Replayed(NamedTuple):
    """How many plays of each game are legal. int64 [game]."""

    legal: Int64Array  # the number of plays before the first illegal one
    reasons: Int64Array  # a key of REASONS for the first illegal play, or 0


def replay(games: ScannedGames, allow_retakes: bool = False) -> Replayed:
    """Return how many plays of each game are legal, and why the next one is not.

    allow_retakes: whether a ko may be retaken at once, because some records omit threats and passes.
    """
    found = Replayed(np.zeros(len(games), np.int64), np.zeros(len(games), np.int64))
    for size in np.unique(games.sizes).tolist():
        chosen = np.flatnonzero(games.sizes == size)
        board = boards.new_board(size)
        replay_games(board, games.plays, games.first, chosen, found.legal, found.reasons, allow_retakes)
    return found


@entry
def replay_games(
    b: boards.BoardArrays, plays: Ints, first: Ints, chosen: Ints, legal: Ints, reasons: Ints, allow_retakes: bool
) -> None:
    """Play the chosen games, all of the board's size, each up to its first illegal move.

    Write legal[game] and reasons[game], see Replayed. The board then holds the end of the
    last game, without its illegal move unless that is suicide.
    """
    for i in range(len(chosen)):
        game = chosen[i]
        start, end = first[game], first[game + 1]
        boards.clear(b)
        ko, chains_stale, reason, at = 0, False, 0, start
        while at < end:
            play = plays[at]
            point, colour = play & PASS, play >> POINT_BITS & 3
            if play & SETUP:
                b.stones[b.cells[point]] = colour
                chains_stale, ko = True, 0
                at += 1
                continue
            if chains_stale:
                boards.rebuild_all(b)
                chains_stale = False
            if point == PASS:
                ko = 0
                at += 1
                continue
            cell = b.cells[point]
            if b.stones[cell] != EMPTY or (cell == ko and not allow_retakes):
                reason = OCCUPIED if cell != ko else RETAKES
                break
            taken = boards.put_here(b, cell, colour)
            if taken < 0:
                reason = SUICIDE
                break
            ko = 0
            if taken == 1 and b.stone_count[b.head[cell]] == 1 and boards.in_atari(b, cell):
                ko = b.facts[boards.TAKEN]
            at += 1
        if chains_stale:
            boards.rebuild_all(b)
        legal[game], reasons[game] = at - start, reason
