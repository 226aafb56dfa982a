"""Tournaments with a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kibitz.arena.openings import random_openings
from kibitz.arena.study import OPTIONS, TABLE
from kibitz.arena.tournament import Terms, Tournament
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption


def uttt_levels() -> Tournament:
    """Play the first eight levels of Ultimate Tic-Tac-Toe against each other; the last two differ by time alone."""
    return Tournament(
        game="uttt",
        agents=tuple(f"level{number}" for number in range(1, 9)),
        games=20,
        openings=random_openings(registry.game("uttt"), 10, seed=1),
        terms=Terms(budget=Budget(nodes=100_000)),
    )


def uttt_2014() -> Tournament:
    """Play the round robin of the 2014 study: 110 ordered pairings of 11 agents, 100 decided games each."""
    return Tournament("uttt", tuple(TABLE), dict(OPTIONS), games=200, terms=Terms(ties="replay"))


PRESETS: Mapping[str, Callable[[], Tournament]] = {"uttt-levels": uttt_levels, "uttt-2014": uttt_2014}


def preset(name: str) -> Tournament:
    """Return the tournament of that name. Raises BadOption."""
    if name not in PRESETS:
        raise BadOption(f"There is no preset {name!r}; the presets are {', '.join(PRESETS)}.")
    return PRESETS[name]()
