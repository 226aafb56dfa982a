"""What a player sees as numbers, for learners: a game's own observation, or one that any game can have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core import registry
from kibitz.core.defaults.grid import GridGame
from kibitz.core.game import Player
from kibitz.core.parts import Observe

MAX_TEXT_BYTES = 256
"""The default observation has the text of a view up to this length, eight numbers for each byte."""


def observe_of(game: str) -> Observe:
    """Return the observation of a game. Raise BadOption."""
    own = registry.package(game).observation
    if own is not None:
        return own()
    return _observe_cells if issubclass(registry.game_class(game), GridGame) else _observe_text


def _observe_cells(view: Any, player: Player) -> NDArray[np.float32]:
    """Return three layers of the grid: own cells, the opponent's, and one everywhere if the player is to move."""
    cells = np.array(view.cells).reshape(view.game.rows, view.game.cols)
    layers = np.zeros((3, *cells.shape), np.float32)
    layers[0], layers[1], layers[2] = cells == player, cells == 1 - player, view.to_move == player
    return layers


def _observe_text(view: Any, player: Player) -> NDArray[np.float32]:
    """Return a 1 for every legal move, then the bits of the view's text, and a last 1 if the player is to move.

    The text is in UTF-8, cut or filled up with zero bytes to MAX_TEXT_BYTES; each byte is its eight bits, the highest
    first. So positions with different texts differ, and the text can be read back.
    """
    legal = np.zeros(len(view.game.moves()), np.float32)
    legal[list(view.legal_moves())] = 1
    text = view.game.view_text(view).encode()[:MAX_TEXT_BYTES].ljust(MAX_TEXT_BYTES, b"\0")
    bits = np.unpackbits(np.frombuffer(text, np.uint8))
    return np.concatenate((legal, bits, [view.to_move == player]), dtype=np.float32)
