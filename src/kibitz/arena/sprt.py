"""A sequential test of whether one agent is stronger than another: by elo1 points, or by at most elo0.

A generalised SPRT over pairs of games with colours swapped (Van den Bergh 2020): the score of a pair is 0, 1/2, 1, 3/2
or 2, and the likelihood of each hypothesis is that of the distribution over these five scores that fits the pairs best.
It is also valid if all pairs were won, or all were lost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kibitz.core.errors import BadOption
from kibitz.core.record import POINTS, GameRecord

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The five possible scores of a pair of games, 0 to 2 points, each divided by 2."""
_UNSEEN = 1e-3
"""The count used for a score that never occurred, so that both hypotheses have a positive likelihood."""


@dataclass(frozen=True)
class Sprt:
    """The test: its two hypotheses and its error rates."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise BadOption(f"elo0 must be less than elo1, and both finite, got {self.elo0} and {self.elo1}.")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise BadOption(f"alpha and beta must be between 0 and 0.5, got {self.alpha} and {self.beta}.")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which H0 (lower) and H1 (upper) are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_ratio(self, counts: Sequence[int]) -> float:
        """Return the log likelihood ratio of elo1 against elo0. counts: the number of pairs with each of SCORES."""
        if not sum(counts):
            return 0.0
        positive = [count or _UNSEEN for count in counts]
        shares = [count / sum(positive) for count in positive]
        fit0, fit1 = (_most_likely_distribution(shares, _expected_score(elo)) for elo in (self.elo0, self.elo1))
        return sum(count * math.log(p1 / p0) for count, p0, p1 in zip(positive, fit0, fit1, strict=True))

    def verdict(self, counts: Sequence[int]) -> Literal["H0", "H1"] | None:
        """Return the accepted hypothesis, or None while more games are needed. counts: as for log_ratio."""
        lower, upper = self.bounds
        log_ratio = self.log_ratio(counts)
        return "H0" if log_ratio <= lower else "H1" if log_ratio >= upper else None


class PairCount:
    """Counts the scores of a match's pairs of games, in order of their numbers, until the test is decided.

    Records may be added in any order. Pairs after the deciding one do not
    count, so the verdict does not depend on how many games run at a time.
    """

    def __init__(self, test: Sprt, agent: str) -> None:
        self.test, self.agent = test, agent
        self.pairs = [0, 0, 0, 0, 0]
        self.verdict: Literal["H0", "H1"] | None = None
        self._points: dict[int, float] = {}
        self._next = 1

    def add(self, record: GameRecord) -> None:
        """Add a game, whose id is its number from 1. Games 1 and 2 are a pair, games 3 and 4, and so on."""
        first_points = POINTS[record.result]
        self._points[int(record.id)] = first_points if record.agents[0] == self.agent else 1 - first_points
        while self.verdict is None and {self._next, self._next + 1} <= self._points.keys():
            pair_points = self._points[self._next] + self._points[self._next + 1]
            self.pairs[round(2 * pair_points)] += 1
            self._next += 2
            self.verdict = self.test.verdict(self.pairs)


def _expected_score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def _most_likely_distribution(shares: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution over SCORES among those with this mean, given the observed shares.

    A score s with the share p has the probability p / (1 + t (s - mean)), where t is found by bisection.
    """
    low, high = -1 / (SCORES[-1] - mean), -1 / (SCORES[0] - mean)  # between these, all probabilities are positive
    for _ in range(60):
        t = (low + high) / 2
        excess = sum(p * (s - mean) / (1 + t * (s - mean)) for p, s in zip(shares, SCORES, strict=True))
        low, high = (t, high) if excess > 0 else (low, t)
    return [p / (1 + t * (s - mean)) for p, s in zip(shares, SCORES, strict=True)]
