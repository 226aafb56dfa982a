"""Records played again on a compiled board, move by move, whole collections at a time."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry
from kibitz.games.go.kernel.board import TAKEN, BoardArrays, clear, in_atari, put_here, rebuild_all
from kibitz.games.go.rules.board import EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

OCCUPIED, RETAKES, SUICIDE = 1, 2, 3
"""Why a move is illegal: there is a stone, it retakes a ko at once, it has no liberties."""


@entry
def replay_games(
    b: BoardArrays, plays: Any, first: Ints, which: Ints, kept: Ints, reasons: Ints, retakes: bool
) -> None:
    """Play games whose numbers are in `which`, all of the size of the board, each up to its first illegal move.

    With `retakes` a ko may be retaken at once.

    kept[i]: how many plays of game which[i] are legal; reasons[i]: 0, or why the
    next one is not. The board is left as the last game left it, without the
    illegal move unless that is a suicide.
    """
    for game in range(len(which)):
        start, end = first[which[game]], first[which[game] + 1]
        clear(b)
        ko, dirty, reason, at = 0, False, 0, start
        while at < end:
            play = plays[at]
            point, colour = play & PASS, play >> POINT_BITS & 3
            if play & SETUP:
                b.stones[b.cells[point]] = colour
                dirty, ko = True, 0
                at += 1
                continue
            if dirty:
                rebuild_all(b)
                dirty = False
            if point == PASS:
                ko = 0
                at += 1
                continue
            cell = b.cells[point]
            if b.stones[cell] != EMPTY or (cell == ko and not retakes):
                reason = OCCUPIED if cell != ko else RETAKES
                break
            taken = put_here(b, cell, colour)
            if taken < 0:
                reason = SUICIDE
                break
            ko = 0
            if taken == 1 and b.stone_count[b.head[cell]] == 1 and in_atari(b, cell):
                ko = b.facts[TAKEN]
            at += 1
        if dirty:
            rebuild_all(b)
        kept[game], reasons[game] = at - start, reason
