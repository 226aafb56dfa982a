"""Records played again: how far their moves are legal, and the board after any of them.

A record is legal as long as stones go to empty points, do not retake a ko at
once and are no suicide. Colours need not alternate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.errors import BadText
from kibitz.games.go import replay_kernel
from kibitz.games.go.board import Board
from kibitz.games.go.board_kernel import cells_of, new_board
from kibitz.games.go.sgf.scan import Games

REASONS = {
    replay_kernel.OCCUPIED: "there is a stone on the point already",
    replay_kernel.RETAKES: "it retakes a ko at once",
    replay_kernel.SUICIDE: "the stone has no liberties",
}
"""Why a move is illegal, in words."""


def replay(games: Games, retakes: bool = False) -> tuple[Any, Any]:
    """Return how many plays of each game are legal, and a key of REASONS for the next one, or 0.

    With retakes a ko may be retaken at once: records leave out threats and passes.
    """
    kept, reasons = np.zeros(len(games), np.int64), np.zeros(len(games), np.int64)
    for size in np.unique(games.sizes).tolist():
        which = np.flatnonzero(games.sizes == size).astype(np.int64)
        some, why = np.zeros(len(which), np.int64), np.zeros(len(which), np.int64)
        replay_kernel.replay_games(new_board(size), games.plays, games.first, which, some, why, retakes)
        kept[which], reasons[which] = some, why
    return kept, reasons


def board_after(size: int, plays: Any, n: int) -> Board:
    """Return the board after the first n plays of a game. Raises BadText if one of them is illegal."""
    board, kept, reasons = new_board(size), np.zeros(1, np.int64), np.zeros(1, np.int64)
    first = np.array([0, min(n, len(plays))], np.int64)
    replay_kernel.replay_games(board, np.asarray(plays, np.uint16), first, np.zeros(1, np.int64), kept, reasons, False)
    if reasons[0]:
        raise BadText(f"Play {int(kept[0]) + 1} of the record is illegal: {REASONS[int(reasons[0])]}.")
    return Board(size, bytes(board.stones[cell] for cell in cells_of(size).tolist()))
