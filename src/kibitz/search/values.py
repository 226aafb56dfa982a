"""Checks of options that several searches share, and conversion of search values to units for people.

A game's Evaluations define the unit of values and the scale of each evaluation.
"""

from __future__ import annotations

import math

from kibitz.core import registry
from kibitz.core.agent import WIN, Unit
from kibitz.core.errors import BadOption
from kibitz.core.game import Game


def choose_evaluation(game: Game, name: str) -> str:
    """Return the name if the game has such an evaluation, or its first one for "". Raise BadOption if unknown."""
    known = registry.evaluations(game.name).known
    if name and name not in known:
        raise BadOption(f"{game.name} has no evaluation {name!r}; its evaluations are {', '.join(known)}.")
    return name or next(iter(known))


def check_positive(agent: str, option: str, number: int | None) -> None:
    """Raise BadOption if a search limit is less than 1, as in depth=0 or playouts=-1."""
    if number is not None and number < 1:
        limit = f"to depth {number}" if option == "depth" else f"with {number} {option}"
        raise BadOption(f"{agent} cannot search {limit}: it must be 1 or more.")


def unit_of(game: Game, solved: bool) -> Unit:
    """Return the unit of the game's values; a solved value is a "result" instead of a "probability"."""
    unit = registry.evaluations(game.name).unit
    return "result" if solved and unit == "probability" else unit


def probability(value: int, scale: float) -> float:
    """Convert a search value to a win probability, 0 to 1; a draw counts half."""
    if abs(value) >= WIN:
        return 1.0 if value > 0 else 0.0
    return 1.0 / (1.0 + math.exp(-value / scale))


def shown(value: int, solved: bool, unit: Unit, scale: float) -> float:
    """Convert a search value to a unit. An unsolved value in "result" becomes the expected result, -1 to 1."""
    if unit == "probability":
        return probability(value, scale)
    if unit == "result":
        return (value > 0) - (value < 0) if solved else 2 * probability(value, scale) - 1
    return value
