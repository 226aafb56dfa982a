"""A position of Dots-and-Boxes as a vector of zeros and ones, for machine learning.

First the lines, 1 if drawn, by their numbers; then the player's own boxes, by theirs;
then the opponent's boxes; last 1 if the player is to move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Player
from kibitz.games.dots.rules import DotsState


def observe(view: DotsState, player: Player) -> NDArray[np.float32]:
    """Return a vector of 0 and 1, float32: drawn lines, own boxes, the opponent's boxes, whether the player moves."""
    lines, boxes = len(view.game.board.strings), len(view.game.board.coins)
    own, opponents = view.owned[player], view.owned[1 - player]
    row = [*_bits(view.drawn, lines), *_bits(own, boxes), *_bits(opponents, boxes), view.to_move == player]
    return np.array(row, np.float32)


def _bits(number: int, n: int) -> list[int]:
    return [number >> i & 1 for i in range(n)]
