"""Records played again: how far their moves are legal.

A record is legal as long as stones go to empty points, do not retake a ko at
once and are no suicide. Colours need not alternate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.games.go.kernel.board import new_board
from kibitz.games.go.records import replay_kernel
from kibitz.games.go.sgf.scan import ScannedGames

REASONS = {
    replay_kernel.OCCUPIED: "there is a stone on the point already",
    replay_kernel.RETAKES: "it retakes a ko at once",
    replay_kernel.SUICIDE: "the stone has no liberties",
}
"""Why a move is illegal, in words."""


def replay(games: ScannedGames, retakes: bool = False) -> tuple[Any, Any]:
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
