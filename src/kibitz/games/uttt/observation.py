"""A position of Ultimate Tic-Tac-Toe as numbers from 0 to 1, for learners.

Seven layers of 9 boards x 9 cells, so that a move's number is its place in a
layer:

    0 own cells          1 the other's cells
    2 own boards         3 the other's boards   4 boards that nobody won
    5 cells that may be played on next, by whoever moves
    6 one everywhere if the player moves
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Player, View
from kibitz.games.uttt.rules import UtttState
from kibitz.games.uttt.rules.text import DRAWN


def observe(view: View, player: Player) -> NDArray[np.float32]:
    """Return what a player sees, his own marks first."""
    assert isinstance(view, UtttState)
    cells, boards = np.array(view.cells).reshape(9, 9), np.array(view.boards)[:, None]
    layers = np.zeros((7, 9, 9), np.float32)
    layers[0], layers[1] = cells == player, cells == 1 - player
    layers[2], layers[3], layers[4] = boards == player, boards == 1 - player, boards == DRAWN
    layers[5].flat[list(view.legal_moves())] = 1
    layers[6] = view.to_move == player
    return layers
