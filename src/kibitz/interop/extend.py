"""What a game may tell other frameworks: how it is one of OpenSpiel's own games. Keys and types only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kibitz.core.game import Move
from kibitz.core.package import Extension


@dataclass(frozen=True)
class Likeness:
    """How one of our games is one of OpenSpiel's."""

    theirs: Callable[[Any], str]
    """game -> the name and parameters of their game; empty if their game does not have these options."""
    actions: Callable[[Any, Move], tuple[int, ...]]
    """(state, move) -> their actions for a move of ours."""
    between: Callable[[Any, Any], tuple[Move, ...]]
    """(state, later state) -> the moves that lead from one to the other; any moves if none do."""


OPENSPIEL_TWIN: Extension[Likeness] = Extension("openspiel twin")
