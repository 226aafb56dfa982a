"""The agents of Dots-and-Boxes."""

from __future__ import annotations

from kibitz.core.registry import AgentTable
from kibitz.games.dots.exact.agent import Exact
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.baseline import Random
from kibitz.search.mcts import Mcts
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts

AGENTS: AgentTable = {
    "random": Random,
    "exact": Exact,
    "alphabeta": AlphaBeta,
    "mcts": Mcts,
    "plain-alphabeta": PlainAlphaBeta,
    "plain-mcts": PlainMcts,
    "level1": "random",
    "level2": "alphabeta(depth=1)",
    "level3": "alphabeta(depth=2)",
    "level4": "alphabeta(depth=3)",
    "level5": "alphabeta(depth=4)",
    "level6": "alphabeta(depth=5)",
    "level7": "alphabeta(depth=6)",
    "level8": "alphabeta(depth=7)",
    "level9": "alphabeta(depth=8)",
    "level10": "champion",
    "champion": "exact",
}

ANALYST = "exact(every=true)"

WARMUP = ("exact", "alphabeta(depth=1)", "mcts(playouts=1)")
"""Agents that between them use every compiled search."""
