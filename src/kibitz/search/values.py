"""Values for people: from the searches' whole numbers to probabilities, results, boxes or points.

A game's Evaluations define the unit of its values, and the scale of each evaluation.
"""

from __future__ import annotations

import math

from kibitz.core import registry
from kibitz.core.agent import WIN, Unit
from kibitz.core.errors import BadOption
from kibitz.core.game import Game


def choose_evaluation(game: Game, name: str) -> str:
    """Return the name of an evaluation of a game, its first one for "". Raise BadOption if it is unknown."""
    known = registry.evaluations(game.name).known
    if name and name not in known:
        raise BadOption(f"{game.name} has no evaluation {name!r}; its evaluations are {', '.join(known)}.")
    return name or next(iter(known))


def unit_of(game: Game, solved: bool) -> Unit:
    """Return the unit of a value of this game, solved or not."""
    unit = registry.evaluations(game.name).unit
    return "result" if solved and unit == "probability" else unit


def probability(value: int, scale: float) -> float:
    """Return the win probability that a value stands for; a draw counts half."""
    if abs(value) >= WIN:
        return 1.0 if value > 0 else 0.0
    return 1.0 / (1.0 + math.exp(-value / scale))


def shown(value: int, solved: bool, unit: Unit, scale: float) -> float:
    """Return a value in a unit. An unsolved value as a "result" is its expectation, -1 to 1."""
    if unit == "probability":
        return probability(value, scale)
    if unit == "result":
        return (value > 0) - (value < 0) if solved else 2 * probability(value, scale) - 1
    return value
