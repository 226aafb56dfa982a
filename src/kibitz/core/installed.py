"""What other distributions offer kibitz: the entry points of a group. Imports nothing else of kibitz."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

GAMES = "kibitz.games"
"""The group of games: each entry point names a GamePackage."""
BOTS = "kibitz.bots"
"""The group of bots that play any game: each entry point names a BotKind."""


@cache
def entries(group: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    """Return the entry points of a group by name; more than one if several distributions use a name."""
    found: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, {})[owner(entry), entry.value] = entry
    return {name: tuple(same.values()) for name, same in found.items()}


def owner(entry: EntryPoint) -> str:
    """Return the distribution of an entry point and its version."""
    return "an unnamed distribution" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def game_modules() -> frozenset[str]:
    """Return the top-level modules that games come from, without loading any."""
    return frozenset(entry.module.partition(".")[0] for same in entries(GAMES).values() for entry in same)
