"""The table of Go agents, with levels from beginner to champion."""

from __future__ import annotations

from dataclasses import replace

from kibitz.core.agent import Budget
from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.games.go.players.mcts.agent import MonteCarlo
from kibitz.games.go.players.mcts.analyst import Analyst
from kibitz.games.go.players.pattern import PatternAgent, PredictorAgent
from kibitz.search.defaults import SEARCHES, playouts_about

_GREEDY = "Plays what counts most right away: captures when it can."
_MATCHES = "Plays what professionals play in the patterns on the board, without looking ahead."
_MANY = "Plays out as many games as its time allows and prefers the moves that won most."
_PATTERNS = "It first tries what professionals play in such patterns."
_BEST = "It first tries what the net, or without a net the pattern model, expects of a professional."

AGENTS = AgentTable(
    {
        "random": SEARCHES["random"],
        "greedy": replace(SEARCHES["greedy"], about=_GREEDY),
        "alphabeta": replace(
            SEARCHES["alphabeta"],
            about="Looks ahead as far as its time allows, which is not far on a large board, and counts points.",
        ),
        "pattern": AgentEntry(PatternAgent, "Pattern matcher", _MATCHES),
        "predictor": AgentEntry(
            PredictorAgent,
            "Predictor",
            "Plays the move that the net, or else the pattern model, expects of a professional; 500 playouts keep it "
            "from blunders.",
        ),
        "mcts": AgentEntry(MonteCarlo, "Monte Carlo", f"{_MANY} The playouts follow what professionals answer."),
        "plain-alphabeta": SEARCHES["plain-alphabeta"],
        "plain-mcts": SEARCHES["plain-mcts"],
        "level1": AgentEntry("random", about="Plays random moves."),
        "level2": AgentEntry("greedy", about=_GREEDY),
        "level3": AgentEntry("mcts(playouts=10)", about=playouts_about(10)),
        "level4": AgentEntry("pattern", about=_MATCHES),
        "level5": AgentEntry(
            "predictor(model=patterns,playouts=50)",
            about="Plays what professionals play in such patterns, checked by 50 playouts.",
        ),
        "level6": AgentEntry("mcts(priors=patterns,playouts=150)", about=f"{playouts_about(150)} {_PATTERNS}"),
        "level7": AgentEntry("mcts(priors=patterns,playouts=600)", about=f"{playouts_about(600)} {_PATTERNS}"),
        "level8": AgentEntry("champion(playouts=600)", about=f"{playouts_about(600)} {_BEST}"),
        "level9": AgentEntry("champion(playouts=2000)", about=f"{playouts_about(2000)} {_BEST}"),
        "level10": AgentEntry("champion", about=f"Champion. {_MANY} {_BEST}"),
        "champion": AgentEntry("mcts(priors=best)", "Champion", f"{_MANY} {_BEST}"),
        "analyst": AgentEntry(
            Analyst, "Analyst", f"{_MANY} {_BEST} It compares the best moves and estimates score and ownership."
        ),
    },
    analyst="analyst",
    analyst_unit="probability",
    review=Budget(playouts=300),
    warmup=(
        "alphabeta(depth=1)",
        "analyst(playouts=1)",
        "champion(playouts=100)",
        "mcts(priors=patterns,playouts=1)",
        "pattern",
        "greedy",
    ),
)
