"""The agents of Ultimate Tic-Tac-Toe: levels, searches, and the eleven of the 2014 study."""

from __future__ import annotations

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import View
from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.games.uttt.rules.geometry import grid
from kibitz.search.defaults import SEARCHES, playouts_about


class FirstFreeCell(Agent):
    """Plays the first free cell of the 9x9 grid, from left to right and top to bottom."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the first legal move in reading order."""
        return Choice(min(view.legal_moves(), key=grid))


_AHEAD = "Looks up to {} moves ahead."
_ROUNDS = "From the 2014 study: looks two rounds ahead{}; evaluates {}."
_AT_ONCE = "From the 2014 study: plays what looks best right away; evaluates {}."
_JUMPS = ", with an occasional random move"
_STRONGEST = "The strongest agent: looks far ahead with a learned evaluation."
_EVALUATED = {"winning": "open lines", "recursive": "the weight of cells and boards", "cells": "the last move"}


def _minimax_2014(name: str) -> dict[str, AgentEntry]:
    """Return the study's two minimax agents with this evaluation: without and with the random jump."""
    spec = f"eval={'cells-2014' if name == 'cells' else name}"
    return {
        f"MM_{name.capitalize()}": AgentEntry(f"minimax({spec})", about=_ROUNDS.format("", _EVALUATED[name])),
        f"MM_{name.capitalize()}#R": AgentEntry(
            f"minimax({spec},jump=5/t^2)", about=_ROUNDS.format(_JUMPS, _EVALUATED[name])
        ),
    }


def _greedy_2014(name: str) -> tuple[str, AgentEntry]:
    """Return the name and entry of the study's greedy agent with this evaluation."""
    spec = f"greedy(eval={'cells-2014-last' if name == 'cells' else name})"
    return f"G_{name.capitalize()}", AgentEntry(spec, about=_AT_ONCE.format(_EVALUATED[name]))


AGENTS = AgentTable(
    {
        "random": SEARCHES["random"],
        "reflex": AgentEntry(FirstFreeCell, "Reflex", "Plays the first free cell from the top left."),
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
        **{name: entry for minimax in map(_minimax_2014, _EVALUATED) for name, entry in minimax.items()},
        **dict(map(_greedy_2014, _EVALUATED)),
        # the paper's proposal: the same search with an evaluation learned against its agents and by self-play
        "MM_Learned": AgentEntry("minimax(eval=learned)", about="Looks two rounds ahead with a learned evaluation."),
    },
    analyst="selective(eval=learned,every=true)",
    warmup=("alphabeta(depth=1)", "selective(depth=1)", "mcts(playouts=1)", "minimax(depth=1)"),
)
