"""Requests for new tournaments: every field is checked against its limits."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, replace
from typing import Any, get_args

from kibitz.arena.openings import random_openings
from kibitz.arena.runner import check_agents
from kibitz.arena.tournament import Format, Terms, Tournament
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption
from kibitz.search.agents import agent_entries
from kibitz.web.server.checks import Check, mapping, one_of, or_none, read_body, seconds, text, whole
from kibitz.web.tables.new import read_game


@dataclass(frozen=True)
class ArenaLimits:
    """Limits of tournaments started on the page."""

    agents: int = 12
    games: int = 2000
    """Games in the whole tournament."""
    seconds: float = 5.0
    """Maximum for a turn."""
    nodes: int = 1_000_000
    """Maximum for a turn."""
    openings: int = 50
    waiting: int = 8
    """Maximum number of queued tournaments."""
    kept: int = 1000
    """Maximum number of stored tournaments."""
    jobs: int = max(1, (os.cpu_count() or 1) // 2)
    """Games played in parallel."""


def read_request(raw: bytes, limits: ArenaLimits) -> tuple[Tournament, int]:
    """Return the requested tournament without openings, and the number of openings. Raise KibitzError."""
    fields: dict[str, Check] = {
        "game": text(40),
        "options": mapping,
        "agents": _names(limits.agents),
        "format": one_of(*get_args(Format)),
        "games": whole(limits.games),
        "seconds": or_none(seconds(0.01, limits.seconds)),
        "nodes": or_none(whole(limits.nodes, 1)),
        "openings": whole(limits.openings),
        "seed": or_none(whole(2**48)),
    }
    asked = read_body(raw, fields, {"options", "seconds", "nodes", "seed"})
    game = read_game(asked["game"], asked["options"] or {})
    for name in asked["agents"]:
        if name not in agent_entries(game.name):
            raise BadOption(f"{game.title} has no agent {name[:40]!r} on this page. Choose one of its list.")
    tournament = Tournament(
        game=game.name,
        agents=tuple(asked["agents"]),
        options=game.options,
        format=asked["format"],
        games=asked["games"],
        seed=secrets.randbits(48) if asked["seed"] is None else asked["seed"],
        terms=Terms(Budget(seconds=asked["seconds"], nodes=asked["nodes"])),
    )
    games = len(tournament.meetings()) * tournament.games
    if games > limits.games:
        too_many = f"This tournament would have {games} games; the limit is {limits.games}."
        raise BadOption(f"{too_many} Choose fewer games or agents.")
    if asked["openings"]:
        replace(tournament, openings=("",))  # refuses an odd number of games
    return tournament, asked["openings"]


def add_openings(tournament: Tournament, count: int) -> Tournament:
    """Check the agents and return the tournament with random openings. May take seconds. Raise KibitzError."""
    check_agents(tournament)
    if not count:
        return tournament
    return replace(tournament, openings=random_openings(tournament.make_game(), count, tournament.seed))


def _names(most: int) -> Check:
    def check(value: Any) -> list[str]:
        if not isinstance(value, list) or not 2 <= len(value) <= most:
            raise ValueError(f"a list of 2 to {most} agents")
        return [text(60)(name) for name in value]

    return check
