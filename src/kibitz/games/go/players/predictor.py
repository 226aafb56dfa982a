"""The player of Go that makes the move a model predicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from kibitz.core.agent import Choice, MoveValue
from kibitz.core.game import Game
from kibitz.games.go.players.judged import Judged
from kibitz.games.go.rules import GoState

ROOT_ONLY = 1 << 40
"""After so many playouts a node below the root would be judged."""


class Predictor(Judged):
    """The likeliest move of a model, unless playouts show that it is a blunder.

    model is net, patterns, or best: the best one that is installed. So many
    playouts check its moves. It resigns as mcts does. Values are shares: how
    likely each move is to be played, not what it is worth.
    """

    trust = 8.0

    def __init__(
        self,
        game: Game,
        *,
        model: Literal["best", "net", "patterns"] = "best",
        playouts: int = 500,
        resign: float = 0.05,
    ) -> None:
        super().__init__(game, priors=model, playouts=playouts, resign=resign, tree=200_000)
        self.judge_after = ROOT_ONLY if self.judge_after else 0

    def _answer(self, state: GoState, tools: Any, best: int) -> Choice:
        """Return what the tree says as a choice, with the shares of moves."""
        from kibitz.games.go.players.mcts.tree_kernel import LIKELY

        choice = super()._answer(state, tools, best)
        if self.model_name == "windows":
            return choice
        sums = self._trees[0].sums
        shares = {move: float(sums[child, LIKELY]) for move, child in self._children(0).items()}
        share = shares[choice.move]
        rank = 1 + sum(other > share for other in shares.values())
        by = "net" if self.model_name == "net" else "pattern model"
        where = f"Predicted by the {by} with {share:.1%}, its move number {rank}."
        return replace(
            choice, value=None, unit="share", note=f"{where} {choice.note}",
            moves=tuple(MoveValue(move, shares.get(move, 0.0), exact=False) for move in state.legal_moves()),
        )  # fmt: skip
