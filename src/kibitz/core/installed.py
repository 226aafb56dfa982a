"""The entry points by which distributions register games and bots. Imports nothing else of kibitz."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

GAMES = "kibitz.games"
"""The entry point group of games, each a GamePackage."""
BOTS = "kibitz.bots"
"""The entry point group of bots that play any game, each a BotKind."""


@cache
def entries(group: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    """Return the entry points of a group by name: one each, or several if several distributions use the name."""
    by_name: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for entry in entry_points(group=group):
        by_name.setdefault(entry.name, {})[owner(entry), entry.value] = entry  # metadata may be listed twice
    return {name: tuple(unique.values()) for name, unique in by_name.items()}


def owner(entry: EntryPoint) -> str:
    """Return the name and version of the distribution that registered an entry point."""
    return "an unnamed distribution" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def game_modules() -> frozenset[str]:
    """Return the top-level modules of all installed games, without loading them."""
    return frozenset(entry.module.partition(".")[0] for each in entries(GAMES).values() for entry in each)
