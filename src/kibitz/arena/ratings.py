"""Ratings from results: Bradley-Terry strengths on the Elo scale, with draws, a prior and intervals.

Hunter (2004) for the model; a draw counts as half a win for each side. The
prior is a drawn pair of games of every player against an average one, which
keeps the rating of an undefeated player finite. Our own, because the libraries
at hand fail on such players or bring much else along.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

ELO = 400 / math.log(10)
"""Rating points for a factor e of odds."""


@dataclass(frozen=True)
class Rating:
    """A player's strength; the mean over all players is 0."""

    elo: float
    margin: float
    """Half the width of the 95 % interval."""

    @property
    def text(self) -> str:
        """The rating in whole points with its sign: "+12", "-3", "0"."""
        points = round(self.elo)
        return f"{points:+d}" if points else "0"


def rate(points: Any, games: Any, prior: float = 1.0) -> list[Rating]:
    """Return the ratings of n players.

    points: n x n, what the row's player scored against the column's; games:
    n x n, how many they played, symmetric. prior: games drawn against an
    average player; with 0 there must be no undefeated or winless group.
    """
    points, games = np.asarray(points, float), np.asarray(games, float)
    n = len(games)
    # Without a prior the level of all strengths is free: pin it, so that the matrix can be inverted.
    pin = np.zeros((n, n)) if prior else np.ones((n, n)) / n
    strength = np.zeros(n)
    for _ in range(200):
        expected, information = _expected(strength, games, prior)
        step = np.linalg.solve(information + pin, points.sum(axis=1) + prior / 2 - expected)
        step *= min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))  # Newton's method, but no wild leaps
        strength += step
        if np.abs(step).max() < 1e-9:
            break
    centre = np.eye(n) - np.ones((n, n)) / n
    covariance = centre @ np.linalg.inv(information + pin) @ centre
    errors = np.sqrt(np.maximum(np.diag(covariance), 0))
    strength -= strength.mean()
    return [Rating(ELO * s, 1.96 * ELO * e) for s, e in zip(strength.tolist(), errors.tolist(), strict=True)]


def _expected(strength: Any, games: Any, prior: float) -> tuple[Any, Any]:
    """Return the points that each player should have scored, and the information about the strengths."""
    win = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    weight = games * win * (1 - win)
    alone = 1 / (1 + np.exp(-strength))
    information = np.diag(weight.sum(axis=1) + prior * alone * (1 - alone)) - weight
    return (games * win).sum(axis=1) + prior * alone, information
