"""What the exact solver tells: how far it has come, and what it knows in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kibitz.games.dots.rules.graph import String


@dataclass(frozen=True)
class Progress:
    """How far a solve has come."""

    lower: int
    """The value is at least this,"""
    upper: int
    """and at most this."""
    goal: int | None
    """What is being tested now: whether the rest, once all that can be taken is gone, is worth this much."""
    tried: int
    """Moves of this test that are done."""
    moves: int
    """Moves whose values are known, where every move is asked for."""
    nodes: int
    seconds: float


Report: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True)
class Solution:
    """What is known of a position."""

    lower: int
    upper: int
    best: tuple[String, ...]
    """Moves that are known to be worth as much as the lower bound: every best one if all_best."""
    all_best: bool
    moves: dict[String, int]
    """The value of each move, if asked for and found; else empty."""
    nodes: int
    seconds: float

    @property
    def exact(self) -> bool:
        """Whether the value is proved."""
        return self.lower == self.upper

    @property
    def value(self) -> int | None:
        """The value, if it is known."""
        return self.lower if self.exact else None
