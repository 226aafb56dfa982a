"""The agents of Go, from beginner to champion."""

from __future__ import annotations

from collections.abc import Mapping

from kibitz.core.registry import AgentTable
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.baseline import Random
from kibitz.search.greedy import Greedy
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts

AGENTS: AgentTable = {
    "random": Random,
    "greedy": Greedy,
    "alphabeta": AlphaBeta,
    "pattern": "kibitz.patterns.players.matcher:Matcher",
    "predictor": "kibitz.patterns.players.predictor:Predictor",
    "mcts": "kibitz.patterns.players.judged:Judged",
    "plain-alphabeta": PlainAlphaBeta,
    "plain-mcts": PlainMcts,
    "level1": "random",
    "level2": "greedy",
    "level3": "mcts(playouts=10)",
    "level4": "pattern",
    "level5": "predictor(model=patterns,playouts=50)",
    "level6": "mcts(priors=patterns,playouts=150)",
    "level7": "mcts(priors=patterns,playouts=600)",
    "level8": "champion(playouts=600)",
    "level9": "champion(playouts=2000)",
    "level10": "champion",
    "champion": "mcts(priors=best)",
}
"""Those that know professional games lie above this folder."""

ANALYST = "alphabeta(every=true)"

WARMUP = ("alphabeta(depth=1)", "champion(playouts=100)", "mcts(priors=patterns,playouts=1)", "pattern", "greedy")
"""Agents that between them use every compiled search."""

NAMES: Mapping[str, str] = {
    "random": "Random",
    "greedy": "Greedy",
    "alphabeta": "Alpha-beta",
    "pattern": "Pattern matcher",
    "predictor": "Predictor",
    "mcts": "Monte Carlo",
    "plain-alphabeta": "Alpha-beta in plain Python",
    "plain-mcts": "Monte Carlo in plain Python",
    "champion": "Champion",
}
"""What agents are called on the page."""

_TRIES = "Plays {} games to their end in its head before each move, and prefers what won most."
_MANY = "Plays as many games to their end in its head as its time allows, and prefers what won most."
_PATTERNS = "It looks first at what professionals play in such patterns."
_BEST = "It looks first at what the net expects of a professional, or the patterns where there is no net."
ABOUT: Mapping[str, str] = {
    "level1": "Plays anywhere, by chance.",
    "level2": "Plays what counts most right away: takes stones when it can.",
    "level3": _TRIES.format("10"),
    "level4": "Plays what professionals play in the patterns on the board, without looking ahead.",
    "level5": "Plays what professionals play in such patterns, and checks it by 50 games in its head.",
    "level6": f"{_TRIES.format('150')} {_PATTERNS}",
    "level7": f"{_TRIES.format('600')} {_PATTERNS}",
    "level8": f"{_TRIES.format('600')} {_BEST}",
    "level9": f"{_TRIES.format('2,000')} {_BEST}",
    "level10": f"Champion. {_MANY} {_BEST}",
    "random": "Plays anywhere, by chance.",
    "greedy": "Plays what counts most right away: takes stones when it can.",
    "alphabeta": "Looks ahead as far as its time allows and counts points; that is not far on a large board.",
    "pattern": "Plays what professionals play in the patterns on the board, without looking ahead.",
    "predictor": "Plays the move that the net, or else the pattern model, expects of a professional; 500 games in its "
    "head keep it from blunders.",
    "mcts": f"{_MANY} These games follow what professionals answer.",
    "plain-alphabeta": "Looks ahead and counts points; slow, written to be read.",
    "plain-mcts": "Plays games by chance to their end in its head; slow, written to be read.",
    "champion": f"{_MANY} {_BEST}",
}
"""How agents play, in plain words for the page."""
