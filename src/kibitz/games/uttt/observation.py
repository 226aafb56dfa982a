"""A position of Ultimate Tic-Tac-Toe as numbers from 0 to 1, for machine learning.

Seven layers of 9 boards x 9 cells, so that a move is an index into each layer:

    0 own cells     1 the opponent's cells
    2 own boards    3 the opponent's boards    4 drawn boards
    5 legal moves of the player to move
    6 all ones if it is this player's turn, else zeros
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Player
from kibitz.games.uttt.rules import UtttState
from kibitz.games.uttt.rules.text import DRAWN


def observe(view: UtttState, player: Player) -> NDArray[np.float32]:
    """Return the seven layers of a position from a player's view, float32 [7, 9, 9]."""
    cells, boards = np.array(view.cells).reshape(9, 9), np.array(view.boards)[:, None]
    layers = np.zeros((7, 9, 9), np.float32)
    layers[0], layers[1] = cells == player, cells == 1 - player
    layers[2], layers[3], layers[4] = boards == player, boards == 1 - player, boards == DRAWN
    layers[5].flat[list(view.legal_moves())] = 1
    layers[6] = view.to_move == player
    return layers
