"""The extensions with which a game declares its twin in OpenSpiel, and its batches. Keys and types only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias

from kibitz.core.game import G, Move, S
from kibitz.core.package import Extension


@dataclass(frozen=True)
class SpielTwin(Generic[G, S]):
    """How a game of ours maps to the same game in OpenSpiel."""

    spiel_name: Callable[[G], str]
    """game -> name and parameters of their game, or an empty string if theirs lacks these options."""
    actions: Callable[[S, Move], tuple[int, ...]]
    """(state, move) -> the actions in their game that together make our move."""
    moves_between: Callable[[S, S], tuple[Move, ...]]
    """(state, later state) -> moves that lead from the first to the second, if any do."""


OPENSPIEL_TWIN: Extension[SpielTwin] = Extension("openspiel twin")

BatchClass: TypeAlias = Callable[..., object]
"""The class of a game's batches, for vectorised play: (start, rows) -> a batch, see compiled/batch.py."""
VECTOR: Extension[BatchClass] = Extension("vector")
