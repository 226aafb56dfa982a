"""The agents of Ultimate Tic-Tac-Toe, from beginner to champion."""

from __future__ import annotations

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import View
from kibitz.core.registry import AgentTable
from kibitz.games.uttt.geometry import grid
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.baseline import Random
from kibitz.search.greedy import Greedy
from kibitz.search.mcts import Mcts
from kibitz.search.minimax import Minimax
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts
from kibitz.search.plain_minimax import PlainMinimax
from kibitz.search.selective import Selective


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
    "selective": Selective,
    "minimax": Minimax,
    "greedy": Greedy,
    "plain-alphabeta": PlainAlphaBeta,
    "plain-mcts": PlainMcts,
    "plain-minimax": PlainMinimax,
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
    "champion": "selective(eval=learned,table=21)",
    # the agents of Amar & Ben Binyamin (2014) by their own names; random and reflex are above
    "MM_Winning": "minimax(eval=winning)",
    "MM_Winning#R": "minimax(eval=winning,jump=5/t^2)",
    "MM_Recursive": "minimax(eval=recursive)",
    "MM_Recursive#R": "minimax(eval=recursive,jump=5/t^2)",
    "MM_Cells": "minimax(eval=cells-2014)",
    "MM_Cells#R": "minimax(eval=cells-2014,jump=5/t^2)",
    "G_Winning": "greedy(eval=winning)",
    "G_Recursive": "greedy(eval=recursive)",
    "G_Cells": "greedy(eval=cells-2014-last)",
    # what they wished for: the same search with an evaluation that learned against them and by self-play
    "MM_Learned": "minimax(eval=learned)",
}

ANALYST = "selective(eval=learned,every=true)"

WARMUP = ("alphabeta(depth=1)", "selective(depth=1)", "mcts(playouts=1)", "minimax(depth=1)")
"""Agents that between them use every compiled search."""
