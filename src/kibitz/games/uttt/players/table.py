"""The agents of Ultimate Tic-Tac-Toe, from beginner to champion."""

from __future__ import annotations

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import View
from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.games.uttt.rules.geometry import grid
from kibitz.search.defaults import SEARCHES, playouts_about


class Reflex(Agent):
    """The first free cell, left to right and top to bottom over the printed 9x9 grid."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the legal move that comes first on the grid."""
        return Choice(min(view.legal_moves(), key=grid))


_AHEAD = "Looks up to {} moves ahead."
_ROUNDS = "From the 2014 study: looks two rounds ahead{}; evaluates {}."
_AT_ONCE = "From the 2014 study: plays what looks best right away; evaluates {}."
_JUMPS = ", with an occasional random move"
_STRONGEST = "The strongest here: looks far ahead with a learned evaluation."

AGENTS = AgentTable(
    {
        "random": SEARCHES["random"],
        "reflex": AgentEntry(Reflex, "Reflex", "Plays the first free cell from the top left."),
        **{
            name: SEARCHES[name]
            for name in ("alphabeta", "mcts", "selective", "minimax", "greedy")
            + ("plain-alphabeta", "plain-mcts", "plain-minimax")
        },
        "level1": AgentEntry("random", about="Beginner. Plays random moves."),
        "level2": AgentEntry("mcts(playouts=5)", about=f"Very easy. {playouts_about(5)}"),
        "level3": AgentEntry("mcts(playouts=20)", about=f"Easy. {playouts_about(20)}"),
        "level4": AgentEntry("mcts(playouts=60)", about=f"Casual. {playouts_about(60)}"),
        "level5": AgentEntry("alphabeta(depth=2)", about=f"Fair. {_AHEAD.format('two')}"),
        "level6": AgentEntry("alphabeta(depth=4)", about=f"Good. {_AHEAD.format('four')}"),
        "level7": AgentEntry("alphabeta(depth=6)", about=f"Strong. {_AHEAD.format('six')}"),
        "level8": AgentEntry("alphabeta(depth=8)", about=f"Very strong. {_AHEAD.format('eight')}"),
        "level9": AgentEntry("alphabeta(depth=10)", about=f"Expert. {_AHEAD.format('ten')}"),
        "level10": AgentEntry("champion", about=f"Champion. {_STRONGEST}"),
        "champion": AgentEntry("selective(eval=learned,table=21)", "Champion", _STRONGEST),
        # the agents of Amar & Ben Binyamin (2014) by their own names; random and reflex are above
        "MM_Winning": AgentEntry("minimax(eval=winning)", about=_ROUNDS.format("", "open lines")),
        "MM_Winning#R": AgentEntry("minimax(eval=winning,jump=5/t^2)", about=_ROUNDS.format(_JUMPS, "open lines")),
        "MM_Recursive": AgentEntry(
            "minimax(eval=recursive)", about=_ROUNDS.format("", "the weight of cells and boards")
        ),
        "MM_Recursive#R": AgentEntry(
            "minimax(eval=recursive,jump=5/t^2)", about=_ROUNDS.format(_JUMPS, "the weight of cells and boards")
        ),
        "MM_Cells": AgentEntry("minimax(eval=cells-2014)", about=_ROUNDS.format("", "the last move")),
        "MM_Cells#R": AgentEntry("minimax(eval=cells-2014,jump=5/t^2)", about=_ROUNDS.format(_JUMPS, "the last move")),
        "G_Winning": AgentEntry("greedy(eval=winning)", about=_AT_ONCE.format("open lines")),
        "G_Recursive": AgentEntry("greedy(eval=recursive)", about=_AT_ONCE.format("the weight of cells and boards")),
        "G_Cells": AgentEntry("greedy(eval=cells-2014-last)", about=_AT_ONCE.format("the last move")),
        # what they wished for: the same search with an evaluation that learned against them and by self-play
        "MM_Learned": AgentEntry("minimax(eval=learned)", about="Looks two rounds ahead with a learned evaluation."),
    },
    analyst="selective(eval=learned,every=true)",
    warmup=("alphabeta(depth=1)", "selective(depth=1)", "mcts(playouts=1)", "minimax(depth=1)"),
)
