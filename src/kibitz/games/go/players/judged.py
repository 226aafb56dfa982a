"""The Monte Carlo player of Go with a judge of moves: the net, or the pattern model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from kibitz.core.agent import Choice
from kibitz.core.errors import BadOption
from kibitz.core.game import Game
from kibitz.games.go.players.mcts.agent import Asked, MonteCarlo
from kibitz.games.go.predict.shipped import LARGEST, SMALLEST, has_net
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import Board

if TYPE_CHECKING:
    from kibitz.games.go.predict.models import Predictor

Priors: TypeAlias = Literal["windows", "patterns", "net", "best"]
ASKED_AFTER = {"net": 40, "patterns": 10}
"""After how many playouts a node is judged: the net takes as long as some 80 playouts on 19x19, patterns as 2."""
_TOLD = {"net": " It heeds the net.", "patterns": " It heeds the pattern model.", "windows": ""}
_UNKNOWN_SIZE = " No model knows boards of this size."


class Judged(MonteCarlo):
    """Monte Carlo tree search with RAVE, playouts that know atari and mined windows, and a judge of moves if wanted.

    playouts and seconds are its own limits for a turn. It resigns when it holds
    less than the chance `resign` to win for three moves; 0: never. tree is how
    many nodes the tree may have. priors says where it learns which moves are
    likely: windows, patterns, net, or best, which is the best of these that is
    installed. On boards that the models do not know it is always windows.
    """

    def __init__(
        self,
        game: Game,
        *,
        priors: Priors = "windows",
        playouts: int | None = None,
        seconds: float | None = None,
        resign: float = 0.05,
        tree: int = 1_000_000,
    ) -> None:
        super().__init__(game, playouts=playouts, seconds=seconds, resign=resign, tree=tree)
        self.model_name = priors if priors == "windows" else choose_model(priors, self._size)
        self._told = _TOLD[self.model_name] if priors == "windows" or self.model_name != "windows" else _UNKNOWN_SIZE
        self.judge_after = ASKED_AFTER.get(self.model_name, 0)
        self._model: Predictor | None = None

    def priors(self, asked: Asked) -> Any:
        """Return the chance of each point to be played next."""
        from kibitz.games.go.predict.fit.course import Moment
        from kibitz.games.go.predict.models import open_model

        if self._model is None:
            self._model = open_model(self.model_name)
        board = Board(self._size, asked.points)
        return self._model.shares(Moment(board, asked.colour, asked.last, asked.ko, asked.turn, -1))

    def _answer(self, state: GoState, tools: Any, best: int) -> Choice:
        """Return what the tree says as a choice, and who was heeded."""
        choice = super()._answer(state, tools, best)
        return replace(choice, note=choice.note + self._told)


def choose_model(priors: str, size: int) -> str:
    """Return "net", "patterns" or "windows": what there is of what was asked for on a board of this size.

    Raises BadOption if the net is asked for by name and cannot be run.
    """
    if priors == "net" and not has_net():
        raise BadOption("The net needs onnxruntime: pip install 'kibitz[nets]'. With priors=best it is not a must.")
    if not SMALLEST <= size <= LARGEST:
        return "windows"
    return ("net" if has_net() else "patterns") if priors == "best" else priors
