"""The agents of Dots-and-Boxes, from beginner to champion."""

from __future__ import annotations

from kibitz.core.registry import AgentTable
from kibitz.games.dots.chain_rule import ChainRule
from kibitz.games.dots.champion import Champion
from kibitz.games.dots.exact.agent import Exact
from kibitz.games.dots.greedy import Greedy
from kibitz.games.dots.li_2012 import Li2012
from kibitz.games.dots.project_2024 import Minimax2024, Plain2024, Project2024
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.baseline import Random
from kibitz.search.mcts import Mcts
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts

AGENTS: AgentTable = {
    "random": Random,
    "greedy": Greedy,
    "chain-rule": ChainRule,
    "champion": Champion,
    "exact": Exact,
    "alphabeta": AlphaBeta,
    "mcts": Mcts,
    "plain-alphabeta": PlainAlphaBeta,
    "plain-mcts": PlainMcts,
    # the players of the papers: Li, Li & Yuan (2012), and the project of 2024 with and without pruning
    "li-2012": Li2012,
    "alphabeta-2024": Project2024,
    "minimax-2024": Minimax2024,
    "plain-alphabeta-2024": Plain2024,
    "level1": "random",
    "level2": "alphabeta(depth=1)",
    "level3": "alphabeta(depth=2)",
    "level4": "alphabeta-2024(as=corrected)",
    "level5": "greedy",
    "level6": "li-2012",
    "level7": "chain-rule",
    "level8": "champion(nodes=20000)",
    "level9": "champion(nodes=100000)",
    "level10": "champion",
}

ANALYST = "exact(every=true)"

WARMUP = ("champion", "exact", "alphabeta(depth=1)", "mcts(playouts=1)", "alphabeta-2024(depth=1)")
"""Agents that between them use every compiled search."""
