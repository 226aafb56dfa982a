"""A position of Go as numbers from 0 to 1, for learners.

Nine layers of the board, rows from the top:

    0 own stones         1 the other's stones
    2 the point that a simple ko forbids now
    3 one everywhere if the last move was a pass
    4 one everywhere if the player moves
    5 one everywhere if the player is Black
    6 own prisoners      7 the other's, as shares of the most moves of a game
    8 the moves made, as such a share

Earlier boards, which positional superko forbids, are not in it: the legal moves
tell what they forbid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Player, View
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.text import NO_KO


def observe(view: View, player: Player) -> NDArray[np.float32]:
    """Return what a player sees, his own stones first."""
    assert isinstance(view, GoState)
    size, limit = view.game.size, view.game.longest
    points = np.frombuffer(view.board.points, np.uint8).reshape(size, size)
    layers = np.zeros((9, size, size), np.float32)
    layers[0], layers[1] = points == 1 + player, points == 2 - player
    if view.ko != NO_KO:
        layers[2].flat[view.ko] = 1
    layers[3], layers[4], layers[5] = view.passes > 0, view.to_move == player, player == 0
    layers[6], layers[7] = view.prisoners[player] / limit, view.prisoners[1 - player] / limit
    layers[8] = view.turn / limit
    return layers
