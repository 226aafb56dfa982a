"""The agents of Ultimate Tic-Tac-Toe, from beginner to champion."""

from __future__ import annotations

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import View
from kibitz.core.registry import AgentTable
from kibitz.games.uttt.geometry import grid
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.baseline import Random
from kibitz.search.mcts import Mcts
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts


class Reflex(Agent):
    """The first free cell, left to right and top to bottom over the printed 9x9 grid."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the legal move that comes first on the grid."""
        return Choice(min(view.legal_moves(), key=grid))


AGENTS: AgentTable = {
    "random": Random,
    "reflex": Reflex,
    "alphabeta": AlphaBeta,
    "mcts": Mcts,
    "plain-alphabeta": PlainAlphaBeta,
    "plain-mcts": PlainMcts,
    "level1": "random",
    "level2": "mcts(playouts=5)",
    "level3": "mcts(playouts=20)",
    "level4": "mcts(playouts=60)",
    "level5": "alphabeta(depth=2)",
    "level6": "alphabeta(depth=4)",
    "level7": "alphabeta(depth=6)",
    "level8": "alphabeta(depth=8)",
    "level9": "alphabeta(depth=10)",
    "level10": "champion",
    "champion": "alphabeta(eval=winning)",
}

ANALYST = "alphabeta(eval=winning,every=true)"

WARMUP = ("alphabeta(depth=1)", "mcts(playouts=1)")
"""Agents that between them use every compiled search."""
