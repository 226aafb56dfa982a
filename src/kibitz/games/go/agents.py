"""The agents of Go, from beginner to champion."""

from __future__ import annotations

from collections.abc import Mapping

from kibitz.core.registry import AgentTable
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.baseline import Random
from kibitz.search.greedy import Greedy
from kibitz.search.mcts import Mcts
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts

AGENTS: AgentTable = {
    "random": Random,
    "greedy": Greedy,
    "alphabeta": AlphaBeta,
    "mcts": Mcts,
    "plain-alphabeta": PlainAlphaBeta,
    "plain-mcts": PlainMcts,
    "level1": "random",
    "level2": "greedy",
    "level3": "mcts(playouts=10)",
    "level4": "mcts(playouts=30)",
    "level5": "mcts(playouts=100)",
    "level6": "mcts(playouts=300)",
    "level7": "mcts(playouts=1000)",
    "level8": "mcts(playouts=3000)",
    "level9": "mcts(playouts=10000)",
    "level10": "champion",
    "champion": "mcts",
}

ANALYST = "alphabeta(every=true)"

WARMUP = ("alphabeta(depth=1)", "mcts(playouts=1)", "greedy")
"""Agents that between them use every compiled search."""

NAMES: Mapping[str, str] = {
    "random": "Random",
    "greedy": "Greedy",
    "alphabeta": "Alpha-beta",
    "mcts": "Monte Carlo",
    "plain-alphabeta": "Alpha-beta in plain Python",
    "plain-mcts": "Monte Carlo in plain Python",
    "champion": "Champion",
}
"""What agents are called on the page."""

_TRIES = "Tries {} games by chance, in its head, before each move."
_MANY = "Plays as many games by chance in its head as its time allows, and prefers what won most."
ABOUT: Mapping[str, str] = {
    "level1": "Plays anywhere, by chance.",
    "level2": "Plays what counts most right away: takes stones when it can.",
    "level3": _TRIES.format("10"),
    "level4": _TRIES.format("30"),
    "level5": _TRIES.format("100"),
    "level6": _TRIES.format("300"),
    "level7": _TRIES.format("1,000"),
    "level8": _TRIES.format("3,000"),
    "level9": _TRIES.format("10,000"),
    "level10": f"Champion. {_MANY}",
    "random": "Plays anywhere, by chance.",
    "greedy": "Plays what counts most right away: takes stones when it can.",
    "alphabeta": "Looks ahead as far as its time allows and counts points; that is not far on a large board.",
    "mcts": _MANY,
    "plain-alphabeta": "Looks ahead and counts points; slow, written to be read.",
    "plain-mcts": "Plays games to the end in its head; slow, written to be read.",
    "champion": _MANY,
}
"""How agents play, in plain words for the page."""
