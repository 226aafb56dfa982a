"""Values in any unit converted to one scale, 0 to 1 from the first player's side, and results in words."""

from __future__ import annotations

import math

from kibitz.core import registry
from kibitz.core.agent import Counted, Unit
from kibitz.core.game import Game, Player, State
from kibitz.search.agents import analyst_unit


def result_words(game: Game, state: State) -> str:
    """Return the result of a finished game in words, or an empty string while it is in progress."""
    outcome = state.outcome()
    if outcome is None:
        return ""
    result = "It's a tie" if outcome.winner is None else f"{game.players[outcome.winner]} wins"
    return f"{result}, {outcome.reason}"


def first_points(game: Game, value: float, unit: Unit | None, player: Player) -> float:
    """Convert a value from a player's side to the first player's points, 0 to 1.

    Margins in boxes or points follow a logistic curve: a lead of Evaluations.margin_scale is worth 0.73.
    """
    if unit == "probability":
        points = value
    elif unit == "result":
        points = (value + 1) / 2
    else:
        scale = registry.evaluations(game.name).margin_scale(game)
        exponent = max(-50.0, min(50.0, value / scale))  # exp() of large numbers overflows
        points = 1 / (1 + math.exp(-exponent))
    return round(points if player == 0 else 1 - points, 4)


def final_points(state: State) -> float:
    """Return the first player's points in a finished game, on the scale of first_points."""
    outcome, unit = state.outcome(), analyst_unit(state.game)
    assert outcome is not None
    scores = state.game.scores(state.view(0))
    if not isinstance(unit, Counted) or scores is None:
        return (outcome.value(0) + 1) / 2
    return first_points(state.game, scores[0] - scores[1], unit, 0)
