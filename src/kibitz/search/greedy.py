"""The greedy agent of Amar & Ben Binyamin (2014): minimax that does not look ahead."""

from __future__ import annotations

from kibitz.core.game import Game
from kibitz.search.minimax import Minimax


class Greedy(Minimax):
    """The best evaluation right after the own move, no look-ahead; equally good moves are drawn by lot.

    The keys mean what they mean to minimax.
    """

    def __init__(self, game: Game, *, eval: str = "", jump: str = "", start: float = 3.0, step: float = 0.1) -> None:
        self._set(game, 0, eval, jump, start, step, None)
