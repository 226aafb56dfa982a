"""Readable evaluations of a position. Values are the mover's margin in boxes when the game ends.

Works on the readable rules; kernel/position.py has the compiled twins.
"""

from __future__ import annotations

from kibitz.core.agent import Counted
from kibitz.core.parts import Evaluation, Evaluations
from kibitz.games.dots.rules import Dots, DotsState

BOXES = Counted("box", "boxes")  # the unit of this game's values


def margin(state: DotsState) -> int:
    """Return the lead of the player to move, in boxes. At the end this is the result, before that an estimate."""
    return state.margin


EVALUATIONS = Evaluations[DotsState, Dots](
    {"boxes": Evaluation(margin, 3.0)},  # a lead of 3 boxes is fairly safe
    margin,
    BOXES,
    lambda game: max(len(game.board.coins) / 8, 1.0),
)
