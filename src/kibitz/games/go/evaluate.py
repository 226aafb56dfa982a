"""Readable evaluation of a position: the lead of the player to move in points, komi included.

Komi may have a fraction and values are whole numbers, so leads are rounded away
from zero: 0 means a draw and nothing else. kernel/position.py has the compiled
twin.
"""

from __future__ import annotations

import math

from kibitz.core.agent import Counted
from kibitz.core.parts import Evaluation, Evaluations
from kibitz.games.go.rules import Go, GoState


def score(state: GoState) -> int:
    """Return the lead of the player to move if the game ended now and all stones were alive."""
    margin = state.score().margin if state.to_move == 0 else -state.score().margin
    return math.ceil(margin) if margin > 0 else math.floor(margin)


EVALUATIONS: Evaluations[GoState, Go] = Evaluations(
    {"score": Evaluation(score, 12.0)},  # a lead that is fairly safe although all stones count as alive
    final=score,
    unit=Counted("point", "points"),
    margin_scale=lambda game: max(game.size**2 / 8, 1.0),
)
