"""Named tournaments, each provided by a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kibitz.arena.extend import PRESETS
from kibitz.arena.tournament import Tournament
from kibitz.core import registry
from kibitz.core.errors import BadOption


def presets() -> Mapping[str, Callable[[], Tournament]]:
    """Return the tournaments of all games by name."""
    return {
        name: make for package in registry.packages().values() for name, make in (package.get(PRESETS) or {}).items()
    }


def preset(name: str) -> Tournament:
    """Return the tournament of that name. Raise BadOption if no game has one."""
    known = presets()
    if name not in known:
        raise BadOption(f"Unknown preset {name!r}. Use one of {', '.join(known)}.")
    return known[name]()
