"""A position of Go as numbers from 0 to 1, for machine learning.

Nine layers of the board, rows from the top:

    0 own stones         1 the opponent's stones
    2 the point forbidden by a simple ko
    3 one everywhere if the last move was a pass
    4 one everywhere if the player is to move
    5 one everywhere if the player is Black
    6 own prisoners      7 the opponent's, divided by the maximum number of moves
    8 the number of moves made, divided likewise

Earlier boards, which positional superko forbids, are not included: the legal
moves show which moves they forbid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Player
from kibitz.games.go.rules import NO_KO, GoState


def observe(view: GoState, player: Player) -> NDArray[np.float32]:
    """Return the nine layers of a position from a player's view, float32 [9, row, column]."""
    size, max_moves = view.game.size, view.game.max_game_length
    points = np.frombuffer(view.board.points, np.uint8).reshape(size, size)
    layers = np.zeros((9, size, size), np.float32)
    layers[0], layers[1] = points == 1 + player, points == 2 - player
    if view.ko != NO_KO:
        layers[2].flat[view.ko] = 1
    layers[3], layers[4], layers[5] = view.passes > 0, view.to_move == player, player == 0
    layers[6], layers[7] = view.prisoners[player] / max_moves, view.prisoners[1 - player] / max_moves
    layers[8] = view.turn / max_moves
    return layers
