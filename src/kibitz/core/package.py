"""A game as one object: its rules, and a loader for every optional part.

A distribution registers a game with an entry point in the group "kibitz.games" that names a GamePackage, by convention
GAME in a module package.py. That module imports only the rules; each other part is given as a function that imports it
when first needed. So listing games is quick, and editing a game's page does not invalidate its compiled kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from kibitz.core.defaults.notations import PlainNotations
from kibitz.core.defaults.page import PlainPage
from kibitz.core.game import G, Game, S, V
from kibitz.core.parts import AgentTable, BotKind, Chance, Evaluations, Kernel, Notations, Observe, Problems, Words

P = TypeVar("P")


@dataclass(frozen=True)
class Extension(Generic[P]):
    """A typed key for an extra part of a game, defined in the `extend` module of the package that uses the part."""

    name: str


@dataclass(frozen=True)
class GamePackage(Generic[S, V, G]):
    """A game and its parts. Only the rules are required; None stands for the default."""

    rules: type[Game[S, V]]
    kernel: Callable[[], Kernel[S, G]] | None = None
    """Default: no kernel, so only the plain (uncompiled) searches can play the game."""
    evaluations: Callable[[], Evaluations[S, G]] = Evaluations
    """Default: WIN, 0 or -WIN for a finished game, 0 otherwise."""
    agents: Callable[[], AgentTable] | None = None
    """Default: every search that the game's parts allow, and ten levels."""
    words: Callable[[], Words[S, V]] | None = None
    """Default: no reasons, only the board."""
    notations: Callable[[], Notations[S, G]] | None = None
    """Default: a move list and a position text."""
    observation: Callable[[], Observe[V]] | None = None
    """Default: the cells for a grid game, otherwise the legal moves and the view's text; plus the player to move."""
    chance: Callable[[], Chance[S, G]] | None = None
    """Default: no chance events."""
    bots: Callable[[], Mapping[str, BotKind]] = dict
    """Bot protocols that only this game has, by the prefix of their specs: "gtp" for "gtp:COMMAND"."""
    page: Callable[[], PlainPage[S, V, G]] | None = None
    """Default: a drawing of the grid for a grid game, otherwise a text board with a button for every move."""
    problems: Callable[[], Problems] | None = None
    """Default: no problems."""

    extras: Mapping[Extension[Any], Callable[[], Any]] = field(default_factory=dict, hash=False)
    """Parts for other packages of kibitz, such as commands, routes and report sections, by key."""

    @property
    def name(self) -> str:
        """The short name of the game in commands and records."""
        return self.rules.name

    def get(self, key: Extension[P]) -> P | None:
        """Return the part with this key, or None if the game has no such part."""
        load = self.extras.get(key)
        return None if load is None else cast(P, load())

    def make_page(self) -> PlainPage[S, V, G]:
        """Return the game's own page, or the default page."""
        return self.page() if self.page is not None else PlainPage(self.rules)

    def make_notations(self) -> Notations:
        """Return the game's own notations, or the two default ones."""
        return self.notations() if self.notations is not None else PlainNotations()
