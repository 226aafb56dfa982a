"""The agents of Ultimate Tic-Tac-Toe, from beginner to champion."""

from __future__ import annotations

from collections.abc import Mapping

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

NAMES: Mapping[str, str] = {
    "random": "Random",
    "reflex": "Reflex",
    "alphabeta": "Alpha-beta",
    "mcts": "Monte Carlo",
    "selective": "Selective",
    "minimax": "Minimax",
    "greedy": "Greedy",
    "plain-alphabeta": "Alpha-beta in plain Python",
    "plain-mcts": "Monte Carlo in plain Python",
    "plain-minimax": "Minimax in plain Python",
    "champion": "Champion",
}
"""What agents are called on the page; those of the study of 2014 by their own names."""

_TRIES = "Tries {} games by chance, in its head, before each move."
_AHEAD = "Looks up to {} moves ahead."
_ROUNDS = "Of the study of 2014: looks two rounds ahead{}, and judges by {}."
_AT_ONCE = "Of the study of 2014: plays what looks best right away, judged by {}."
_JUMPS = ", now and then moves by chance"
ABOUT: Mapping[str, str] = {
    "level1": "Beginner. Plays anywhere, by chance.",
    "level2": f"Very easy. {_TRIES.format(5)}",
    "level3": f"Easy. {_TRIES.format(20)}",
    "level4": f"Casual. {_TRIES.format(60)}",
    "level5": f"Fair. {_AHEAD.format('two')}",
    "level6": f"Good. {_AHEAD.format('four')}",
    "level7": f"Strong. {_AHEAD.format('six')}",
    "level8": f"Very strong. {_AHEAD.format('eight')}",
    "level9": f"Expert. {_AHEAD.format('ten')}",
    "level10": "Champion. The strongest here: looks far ahead and judges with what it has learned.",
    "random": "Plays anywhere, by chance.",
    "reflex": "Plays the first free cell, from the top left on.",
    "alphabeta": "Looks ahead as far as its time allows.",
    "mcts": "Plays many games to the end in its head, and prefers what won most.",
    "selective": "Looks ahead, and further where the moves are likely.",
    "minimax": "Looks some rounds ahead; draws lots between equally good moves.",
    "greedy": "Plays what looks best right away; draws lots between equally good moves.",
    "plain-alphabeta": "Looks ahead; slow, written to be read.",
    "plain-mcts": "Plays games to the end in its head; slow, written to be read.",
    "plain-minimax": "Looks some rounds ahead; slow, written to be read.",
    "champion": "The strongest here: looks far ahead and judges with what it has learned.",
    "MM_Winning": _ROUNDS.format("", "open lines"),
    "MM_Winning#R": _ROUNDS.format(_JUMPS, "open lines"),
    "MM_Recursive": _ROUNDS.format("", "the weight of cells and boards"),
    "MM_Recursive#R": _ROUNDS.format(_JUMPS, "the weight of cells and boards"),
    "MM_Cells": _ROUNDS.format("", "the last move"),
    "MM_Cells#R": _ROUNDS.format(_JUMPS, "the last move"),
    "G_Winning": _AT_ONCE.format("open lines"),
    "G_Recursive": _AT_ONCE.format("the weight of cells and boards"),
    "G_Cells": _AT_ONCE.format("the last move"),
    "MM_Learned": "Looks two rounds ahead, and judges with what it has learned.",
}
"""How agents play, in plain words for the page."""
