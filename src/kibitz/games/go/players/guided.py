"""Players of Go that ask a model, the net or the pattern model, which moves are likely."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from kibitz.core.agent import Choice, MoveValue
from kibitz.core.errors import BadOption
from kibitz.games.go.players.mcts.agent import MonteCarlo
from kibitz.games.go.predict.shipped import MAX_SIZE, MIN_SIZE, has_net
from kibitz.games.go.rules import Go, GoState

if TYPE_CHECKING:
    from kibitz.games.go.players.mcts.search import GoSearch
    from kibitz.games.go.predict.fit.course import Moment
    from kibitz.games.go.predict.models import MovePredictor, Shares

Priors: TypeAlias = Literal["windows", "patterns", "net", "best"]
POLICY_AFTER = {"net": 40, "patterns": 10}
"""The playouts after which a node is given to the model: on 19x19 the net takes as long as about 80 playouts, patterns
as long as 2."""
ROOT_ONLY = 1 << 40  # more playouts than any search makes: only the root is given to the model
_NOTES = {"net": " It follows the net.", "patterns": " It follows the pattern model.", "windows": ""}
_UNKNOWN_SIZE = " No model knows boards of this size."


class GuidedMonteCarlo(MonteCarlo):
    """Monte Carlo tree search with RAVE, playouts that know atari and mined windows, and optionally a model of moves.

    playouts and seconds are its own limits for a turn. It resigns when its win
    rate is below `resign` for three moves; 0: never. tree is the maximum number
    of nodes in the tree. priors says where it learns which moves are likely:
    windows, patterns, net, or best: the best of these that is installed. On
    board sizes that the models do not know it always uses windows.
    """

    def __init__(
        self,
        game: Go,
        *,
        priors: Priors = "windows",
        playouts: int | None = None,
        seconds: float | None = None,
        resign: float = 0.05,
        tree: int = 1_000_000,
    ) -> None:
        super().__init__(game, playouts=playouts, seconds=seconds, resign=resign, tree=tree)
        self.model_name = priors if priors == "windows" else choose_model(priors, game.size)
        self._note = _NOTES[self.model_name] if priors == "windows" or self.model_name != "windows" else _UNKNOWN_SIZE
        self.policy_after = POLICY_AFTER.get(self.model_name, 0)
        self._model: MovePredictor | None = None

    def priors(self, moment: Moment) -> Shares:
        """Return the probability of each point to be played next."""
        from kibitz.games.go.predict.models import open_model

        if self._model is None:
            self._model = open_model(self.model_name)
        return self._model.shares(moment)

    def _answer(self, state: GoState, search: GoSearch, best: int) -> Choice:
        """Return what the tree says as a choice, and which model was used."""
        choice = super()._answer(state, search, best)
        return replace(choice, note=choice.note + self._note)


class PredictorAgent(GuidedMonteCarlo):
    """The likeliest move of a model, unless playouts show that it is a blunder.

    model is net, patterns, or best: the best one that is installed. playouts is
    how many check its moves. It resigns as mcts does. Values are shares: how
    likely each move is to be played, not what it is worth.
    """

    policy_weight = 8.0

    def __init__(
        self, game: Go, *, model: Literal["best", "net", "patterns"] = "best", playouts: int = 500, resign: float = 0.05
    ) -> None:
        super().__init__(game, priors=model, playouts=playouts, resign=resign, tree=200_000)
        self.policy_after = ROOT_ONLY if self.policy_after else 0

    def _answer(self, state: GoState, search: GoSearch, best: int) -> Choice:
        """Return what the tree says as a choice, with the shares of moves."""
        choice = super()._answer(state, search, best)
        if self.model_name == "windows":
            return choice
        shares = {move: search.likelihood(child) for move, child in search.children().items()}
        share = shares[choice.move]
        rank = 1 + sum(other > share for other in shares.values())
        model = "net" if self.model_name == "net" else "pattern model"
        return replace(
            choice, value=None, unit="share",
            note=f"Predicted by the {model} with {share:.1%}, its move number {rank}. {choice.note}",
            moves=tuple(MoveValue(move, shares.get(move, 0.0), exact=False) for move in state.legal_moves()),
        )  # fmt: skip


def choose_model(priors: str, size: int) -> str:
    """Return "net", "patterns" or "windows": which of these serves the request on a board of this size.

    Raise BadOption if the net is asked for by name and cannot be run.
    """
    if priors == "net" and not has_net():
        raise BadOption("The net needs onnxruntime: pip install 'kibitz[nets]'. priors=best works without it.")
    if not MIN_SIZE <= size <= MAX_SIZE:
        return "windows"
    return ("net" if has_net() else "patterns") if priors == "best" else priors
