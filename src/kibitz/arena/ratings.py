"""Ratings from results: Bradley-Terry strengths on the Elo scale, with draws, a prior and intervals.

The model is that of Hunter (2004); a draw counts as half a win for each side. The prior, a drawn pair of games of every
player against an average one, keeps the rating of an undefeated player finite. The available libraries fail on such
players or have many dependencies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]

ELO_PER_NAT = 400 / math.log(10)
"""Rating points by which the odds of winning grow e-fold."""


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


def rate(points: ArrayLike, games: ArrayLike, prior: float = 1.0) -> list[Rating]:
    """Return the ratings of n players.

    points: n x n, the points of the row's player against the column's; games: n x n, the games they played, symmetric.
    prior: number of games drawn against an average player; with 0 there must be no undefeated or winless group.
    """
    points, games = np.asarray(points, float), np.asarray(games, float)
    n = len(games)
    # Without a prior the mean strength is undetermined: fix it, so that the matrix can be inverted.
    pin = np.zeros((n, n)) if prior else np.ones((n, n)) / n
    strength = np.zeros(n)
    for _ in range(200):
        expected, information = _expected(strength, games, prior)
        step = np.linalg.solve(information + pin, points.sum(axis=1) + prior / 2 - expected)
        step *= min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))  # Newton's method with a bounded step
        strength += step
        if np.abs(step).max() < 1e-9:
            break
    centre = np.eye(n) - np.ones((n, n)) / n
    covariance = centre @ np.linalg.inv(information + pin) @ centre
    errors = np.sqrt(np.maximum(np.diag(covariance), 0))
    strength -= strength.mean()
    return [
        Rating(ELO_PER_NAT * s, 1.96 * ELO_PER_NAT * e) for s, e in zip(strength.tolist(), errors.tolist(), strict=True)
    ]


def _expected(strength: Floats, games: Floats, prior: float) -> tuple[Floats, Floats]:
    """Return each player's expected points, and the Fisher information matrix of the strengths."""
    win = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    weight = games * win * (1 - win)
    alone = 1 / (1 + np.exp(-strength))
    information = np.diag(weight.sum(axis=1) + prior * alone * (1 - alone)) - weight
    return (games * win).sum(axis=1) + prior * alone, information
