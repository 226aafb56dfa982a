"""The searches as entries of agent tables, and the ten levels of a game that has no agents of its own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.baseline import Random
from kibitz.search.greedy import Greedy
from kibitz.search.mcts import Mcts
from kibitz.search.minimax import Minimax
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts
from kibitz.search.plain_minimax import PlainMinimax
from kibitz.search.selective import Selective

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
    }
)
"""The searches that play any game, by the names that agent tables give them."""

_PLAIN_PLAYOUTS = (3, 8, 20, 40, 80, 160, 320, 640)
_COMPILED_PLAYOUTS = (5, 20, 60, 200, 600, 2000, 6000, 20_000)
"""Playouts of levels 2 to 9. The plain ones keep level 9 under a second a move in a small game."""
_GRADES = ("Very easy", "Easy", "Casual", "Fair", "Good", "Strong", "Very strong", "Expert")


def playouts_about(playouts: int) -> str:
    """Return how a search by a fixed number of random playouts plays."""
    return f"Plays out {playouts:,} random games before each move."


def default_agents(package: GamePackage) -> AgentTable:
    """Return the searches that the parts of a game allow, and ten levels by Monte Carlo search.

    A game with a kernel gets the compiled searches too. Alpha-beta needs an evaluation to
    be of use before the end of a game, so the levels do without it.
    """
    compiled = package.kernel is not None
    searches = [name for name in SEARCHES if compiled or name == "random" or name.startswith("plain-")]
    best, playouts = ("mcts", _COMPILED_PLAYOUTS) if compiled else ("plain-mcts", _PLAIN_PLAYOUTS)
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
