"""Readable evaluations of a position. Values are the mover's margin in points, komi counted.

Komi may have a fraction and values are whole numbers, so margins are rounded
away from zero: 0 is a draw and nothing else. Works on the readable rules;
kernel.py has the compiled twins.
"""

from __future__ import annotations

import math

from kibitz.core.agent import Counted
from kibitz.core.game import State
from kibitz.core.parts import Evaluation, Evaluations
from kibitz.games.go.rules import GoState


def final(state: State) -> int:
    """Return the margin of the player to move."""
    return score(state)


def score(state: State) -> int:
    """Return the margin if the game ended now and all stones were alive."""
    assert isinstance(state, GoState)
    margin = state.score().margin if state.to_move == 0 else -state.score().margin
    return math.ceil(margin) if margin > 0 else math.floor(margin)


EVALUATIONS = Evaluations(
    {"score": Evaluation(score, 12.0)},  # points that make a lead fairly safe, all stones being counted as alive
    final,
    Counted("point", "points"),
    lambda game: max(game.size**2 / 8, 1.0),
)
