"""Table entries for the generic searches, and the default agents and ten levels of a game without its own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import View, hides
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.search.alphabeta.agent import AlphaBeta
from kibitz.search.alphabeta.plain import PlainAlphaBeta
from kibitz.search.mcts.agent import Mcts
from kibitz.search.mcts.plain import PlainMcts
from kibitz.search.mcts.sampled import SampledMcts
from kibitz.search.minimax.agent import Greedy, Minimax
from kibitz.search.minimax.plain import PlainMinimax
from kibitz.search.selective.agent import Selective


class Random(Agent):
    """Any legal move, all equally likely."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a random legal move; the same seed gives the same moves."""
        return Choice(self.rng.choice(view.legal_moves()))


SEARCHES: Mapping[str, AgentEntry] = MappingProxyType(
    {
        "random": AgentEntry(Random, "Random", "Plays random moves."),
        "alphabeta": AgentEntry(AlphaBeta, "Alpha-beta", "Looks ahead as far as its time allows."),
        "mcts": AgentEntry(Mcts, "Monte Carlo", "Plays out many random games and prefers the moves that won most."),
        "selective": AgentEntry(Selective, "Selective", "Looks ahead, and deeper along the more likely moves."),
        "minimax": AgentEntry(Minimax, "Minimax", "Looks a few rounds ahead; picks at random among equal moves."),
        "greedy": AgentEntry(Greedy, "Greedy", "Plays what looks best right away; picks at random among equal moves."),
        "plain-alphabeta": AgentEntry(
            PlainAlphaBeta, "Alpha-beta in plain Python", "Looks ahead; slow, written to be read."
        ),
        "plain-mcts": AgentEntry(
            PlainMcts, "Monte Carlo in plain Python", "Plays out random games; slow, written to be read."
        ),
        "plain-minimax": AgentEntry(
            PlainMinimax, "Minimax in plain Python", "Looks a few rounds ahead; slow, written to be read."
        ),
        "sampled-mcts": AgentEntry(
            SampledMcts, "Monte Carlo over deals", "Plays out random games, each from another deal of what is hidden."
        ),
    }
)
"""The searches by agent name. Only sampled-mcts suits games with hidden information: the others search a single
sampled state as if everything in it were known."""

_PLAIN_PLAYOUTS = (3, 8, 20, 40, 80, 160, 320, 640)
_COMPILED_PLAYOUTS = (5, 20, 60, 200, 600, 2000, 6000, 20_000)
"""Playouts per move of levels 2 to 9. In plain Python, level 9 takes under a second per move in a small game."""
_GRADES = ("Very easy", "Easy", "Casual", "Fair", "Good", "Strong", "Very strong", "Expert")


def playouts_about(playouts: int) -> str:
    """Return the description of an agent that makes this many random playouts per move."""
    return f"Plays out {playouts:,} random games before each move."


def default_agents(package: GamePackage) -> AgentTable:
    """Return the searches that can play a game, and ten levels based on Monte Carlo search.

    A game with a kernel also gets the compiled searches; a game with hidden information gets only random and
    sampled-mcts. The levels do not use alpha-beta: without an evaluation it is useless until near the end of a
    game.
    """
    if hides(package.rules().start()):
        best, searches = "sampled-mcts", ["random", "sampled-mcts"]
    elif package.kernel is None:
        best, searches = "plain-mcts", [name for name in SEARCHES if name == "random" or name.startswith("plain-")]
    else:
        best, searches = "mcts", [name for name in SEARCHES if name != "sampled-mcts"]
    compiled = best == "mcts"
    playouts = _COMPILED_PLAYOUTS if compiled else _PLAIN_PLAYOUTS
    levels = {
        f"level{number}": AgentEntry(f"{best}(playouts={n})", about=f"{grade}. {playouts_about(n)}")
        for number, (grade, n) in enumerate(zip(_GRADES, playouts, strict=True), 2)
    }
    champion = "Plays out as many random games as its time allows and prefers the moves that won most."
    return AgentTable(
        {
            **{name: SEARCHES[name] for name in searches},
            "champion": AgentEntry(best, "Champion", champion),
            "level1": AgentEntry("random", about="Beginner. Plays random moves."),
            **levels,
            "level10": AgentEntry("champion", about=f"Champion. {champion}"),
        },
        analyst=best,
        warmup=("alphabeta(depth=1)", "selective(depth=1)", "mcts(playouts=1)", "minimax(depth=1)") if compiled else (),
    )
