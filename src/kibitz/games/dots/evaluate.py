"""Readable evaluations of a position. Values are the mover's margin in boxes when the game ends.

Works on the readable rules; kernel.py has the compiled twins.
"""

from __future__ import annotations

from kibitz.core.agent import Counted
from kibitz.core.game import State
from kibitz.core.parts import Evaluation, Evaluations
from kibitz.games.dots.rules import DotsState

BOXES = Counted("box", "boxes")
"""What values of this game count."""


def final(state: State) -> int:
    """Return the margin of the player to move."""
    assert isinstance(state, DotsState)
    return state.margin


def boxes(state: State) -> int:
    """Return the margin so far: whoever is ahead is expected to stay so."""
    assert isinstance(state, DotsState)
    return state.margin


EVALUATIONS = Evaluations(
    {"boxes": Evaluation(boxes, 3.0)},  # boxes that make a lead fairly safe
    final,
    BOXES,
    lambda game: max(len(game.board.coins) / 8, 1.0),
)
