"""Observations, as numbers for machine learning: the game's own, or a default for any game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.core import registry
from kibitz.core.defaults.grid import GridGame, GridState
from kibitz.core.game import Player, View
from kibitz.core.parts import Observe

MAX_TEXT_BYTES = 256
"""The default observation encodes this much of a view's text, eight numbers per byte."""


def observe_of(game: str) -> Observe:
    """Return the observation function of a game. Raise BadOption if the game is unknown."""
    own = registry.package(game).observation
    if own is not None:
        return own()
    return _observe_cells if issubclass(registry.game_class(game), GridGame) else _observe_text


def _observe_cells(view: GridState, player: Player) -> NDArray[np.float32]:
    """Return [3, rows, cols]: own cells, the opponent's cells, and all ones if the player is to move, else zeros."""
    cells = np.array(view.cells).reshape(view.game.rows, view.game.cols)
    layers = np.zeros((3, *cells.shape), np.float32)
    layers[0], layers[1], layers[2] = cells == player, cells == 1 - player, view.to_move == player
    return layers


def _observe_text(view: View, player: Player) -> NDArray[np.float32]:
    """Return a 1 for every legal move, the bits of the view's text, and a final 1 if the player is to move.

    The text is UTF-8, cut or zero-padded to MAX_TEXT_BYTES, highest bit first. So texts that fit can be recovered,
    and different ones give different observations.
    """
    legal = np.zeros(len(view.game.moves()), np.float32)
    legal[list(view.legal_moves())] = 1
    text = view.game.view_text(view).encode()[:MAX_TEXT_BYTES].ljust(MAX_TEXT_BYTES, b"\0")
    bits = np.unpackbits(np.frombuffer(text, np.uint8))
    return np.concatenate((legal, bits, [view.to_move == player]), dtype=np.float32)
