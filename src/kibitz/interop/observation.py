"""What a player sees as numbers, for learners: a game's own observation, or one that any game can have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core import registry
from kibitz.core.game import Player
from kibitz.core.grid import GridGame
from kibitz.core.parts import Observe


def observe_of(game: str) -> Observe:
    """Return the observation of a game. Raise BadOption."""
    own = registry.package(game).observation
    if own is not None:
        return own()
    return _observe_cells if issubclass(registry.game_class(game), GridGame) else _observe_moves


def _observe_cells(view: Any, player: Player) -> NDArray[np.float32]:
    """Return three layers of the grid: own cells, the opponent's, and one everywhere if the player is to move."""
    cells = np.array(view.cells).reshape(view.game.rows, view.game.cols)
    layers = np.zeros((3, *cells.shape), np.float32)
    layers[0], layers[1], layers[2] = cells == player, cells == 1 - player, view.to_move == player
    return layers


def _observe_moves(view: Any, player: Player) -> NDArray[np.float32]:
    """Return a 1 for every legal move, and a last one if the player is to move."""
    row = np.zeros(len(view.game.moves()) + 1, np.float32)
    row[list(view.legal_moves())] = 1
    row[-1] = view.to_move == player
    return row
