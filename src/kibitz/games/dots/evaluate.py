"""Readable evaluations of a position. Values are the mover's margin in boxes when the game ends.

Works on the readable rules; kernel.py has the compiled twins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kibitz.core.agent import Unit
from kibitz.core.game import State as AnyState
from kibitz.games.dots.rules import State


def final(state: AnyState) -> int:
    """Return the margin of the player to move."""
    assert isinstance(state, State)
    return state.margin


def boxes(state: AnyState) -> int:
    """Return the margin so far: whoever is ahead is expected to stay so."""
    assert isinstance(state, State)
    return state.margin


EVALUATIONS: Mapping[str, Callable[[AnyState], int]] = {"boxes": boxes}
SCALES = {"boxes": 3.0}
"""Boxes that make a lead fairly safe."""
UNIT: Unit = "boxes"
