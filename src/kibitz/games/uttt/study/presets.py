"""Preset tournaments of Ultimate Tic-Tac-Toe."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kibitz.arena.openings import random_openings
from kibitz.arena.tournament import Terms, Tournament
from kibitz.core.agent import Budget
from kibitz.games.uttt.rules import Uttt
from kibitz.games.uttt.study.paper import OPTIONS, TABLE


def levels() -> Tournament:
    """Return a round robin of levels 1 to 8."""
    return Tournament(
        game="uttt",
        agents=tuple(f"level{number}" for number in range(1, 9)),
        games=20,
        openings=random_openings(Uttt(), 10, seed=1),
        terms=Terms(budget=Budget(nodes=100_000)),
    )


def study_2014() -> Tournament:
    """Return the round robin of the 2014 study: 110 ordered pairs of its 11 agents, 100 decided games each."""
    return Tournament("uttt", tuple(TABLE), dict(OPTIONS), games=200, terms=Terms(ties="replay"))


PRESETS: Mapping[str, Callable[[], Tournament]] = {"uttt-levels": levels, "uttt-2014": study_2014}
