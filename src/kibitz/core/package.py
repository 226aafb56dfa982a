"""A game as one object: its rules, and a loader for every optional part.

A distribution offers a game by an entry point of the group "kibitz.games" that names
a GamePackage, conventionally GAME in a module package.py. That module imports the rules
and nothing heavy: each other part is a function that imports it when it is first asked
for, so that listing games loads no game and a kernel's sources do not reach its page.
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
    """A typed key for a part that a layer above asks games for; the `extend` module of that layer defines it."""

    name: str


def _no_bots() -> Mapping[str, BotKind]:
    return {}


@dataclass(frozen=True)
class GamePackage(Generic[S, V, G]):
    """A game and its parts. Only the rules are required; None means that the default named beside it is used."""

    rules: type[Game[S, V]]
    kernel: Callable[[], Kernel[S, G]] | None = None
    """Default: none, so that only the readable searches play the game."""
    evaluations: Callable[[], Evaluations[S, G]] = Evaluations
    """Default: WIN, 0 or -WIN at the end of the game, 0 before it."""
    agents: Callable[[], AgentTable] | None = None
    """Default: the searches that the game's parts allow, in ten levels."""
    words: Callable[[], Words[S, V]] | None = None
    """Default: no reasons, and the board alone."""
    notations: Callable[[], Notations[S, G]] | None = None
    """Default: the moves, and the position, in the texts of the rules."""
    observation: Callable[[], Observe[V]] | None = None
    """Default: the cells of a grid, otherwise the legal moves and the text of the view; and who is to move."""
    chance: Callable[[], Chance[S, G]] | None = None
    """Default: nothing is dealt or drawn."""
    bots: Callable[[], Mapping[str, BotKind]] = _no_bots
    """Protocols of this game alone, by prefix: "gtp" of "gtp:COMMAND"."""
    page: Callable[[], PlainPage[S, V, G]] | None = None
    """Default: the cells of a grid, otherwise the board as text with a button for every move."""
    problems: Callable[[], Problems] | None = None
    """Default: the game has no problems."""

    extras: Mapping[Extension[Any], Callable[[], Any]] = field(default_factory=dict, hash=False)
    """Parts for the layers above, by their keys: commands, routes, sections of a report. Default: none."""

    @property
    def name(self) -> str:
        """The short name of the game in commands and records."""
        return self.rules.name

    def get(self, key: Extension[P]) -> P | None:
        """Return the part that a layer above asks for, or None if the game has no such part."""
        load = self.extras.get(key)
        return None if load is None else cast(P, load())

    def make_page(self) -> PlainPage[S, V, G]:
        """Return the page of the game, or a plain one."""
        return self.page() if self.page is not None else PlainPage(self.rules)

    def make_notations(self) -> Notations:
        """Return the notations of the game, or the two that every game has."""
        return self.notations() if self.notations is not None else PlainNotations()
