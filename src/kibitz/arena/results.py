"""The results of a tournament: win rates, times and ratings. A pure function of its game records.

Ratings are Bradley-Terry strengths on the Elo scale, after the model of Hunter (2004); a draw counts as half a win for
each side. The prior, one drawn game of every player against an average one, keeps the rating of an undefeated player
finite. The available libraries fail on such players or have many dependencies.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core import registry
from kibitz.core.errors import KibitzError
from kibitz.core.game import Player
from kibitz.core.record import POINTS, GameRecord, replay
from kibitz.core.untrusted import JsonObject

Floats: TypeAlias = NDArray[np.float64]

ELO_PER_NAT = 400 / math.log(10)
"""Rating difference, in points, that multiplies the odds of winning by e."""
FORFEIT = "forfeit"
"""First word of a record's `reason` if an agent lost the game by an error."""


@dataclass(frozen=True)
class WinRate:
    """Wins, draws and losses, with the share of points and its 95 % interval."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    def __add__(self, other: WinRate) -> WinRate:
        return WinRate(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def share(self) -> float:
        """The share of points scored, counting a draw as half a point; 0 if there are no games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval for the share (Wilson 1927), always between 0 and 1."""
        n, z = self.games, 1.96
        if not n:
            return 0.0, 1.0
        centre = (self.share + z * z / (2 * n)) / (1 + z * z / n)
        half_width = z / (1 + z * z / n) * math.sqrt(self.share * (1 - self.share) / n + z * z / (4 * n * n))
        return max(0.0, centre - half_width), min(1.0, centre + half_width)


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


@dataclass(frozen=True)
class Standing:
    """One agent's results."""

    agent: str
    rating: Rating
    total: WinRate
    as_first: WinRate
    as_second: WinRate
    forfeits: int
    """Games lost by an error of the agent: an illegal move, an exception or exceeding the time limit."""
    mean_ms: float
    median_ms: float
    p99_ms: float
    """Time per turn, in milliseconds."""


@dataclass(frozen=True)
class Results:
    """A whole tournament, the best agent first."""

    game: str
    options: JsonObject
    """The game's options; empty without games."""
    standings: tuple[Standing, ...]
    crosstable: tuple[tuple[WinRate | None, ...], ...]
    """Results of the row's agent against the column's, in the order of the standings; None if they never met."""
    lengths: tuple[int, ...]
    """Number of moves of each game, ascending."""
    replayed: int
    """Number of drawn games that were replayed."""


def compute(records: Iterable[GameRecord], agents: Sequence[str] = (), times: bool = True) -> Results:
    """Compute the results of games with the same options, for these agents and any others in the records.

    times=False skips the slowest part: the times of all agents are then 0.
    """
    games = list(records)
    names = list(dict.fromkeys([*agents, *(name for record in games for name in record.agents)]))
    index = {name: i for i, name in enumerate(names)}
    n = len(names)
    tally = np.zeros((n, n, 2, 3), np.int64)  # row, column, row's side, (wins, draws, losses)
    spent: list[list[float]] = [[] for _ in names]
    forfeits = [0] * n
    for record in games:
        a, b = (index[name] for name in record.agents)
        result = {1.0: 0, 0.5: 1, 0.0: 2}[POINTS[record.result]]
        tally[a, b, 0, result] += 1
        tally[b, a, 1, 2 - result] += 1
        if times:
            _add_times(record, spent[a], spent[b])
        if record.reason.startswith(FORFEIT):
            forfeits[b if record.result == "1-0" else a] += 1
    meetings = tally.sum(axis=(2, 3))
    points = tally.sum(axis=2) @ np.array([1.0, 0.5, 0.0])
    ratings = bradley_terry_ratings(points, meetings)
    order = sorted(range(n), key=lambda i: -ratings[i].elo)
    standings = tuple(
        Standing(
            names[i],
            ratings[i],
            _win_rate(tally[i].sum(axis=(0, 1))),
            _win_rate(tally[i, :, 0].sum(axis=0)),
            _win_rate(tally[i, :, 1].sum(axis=0)),
            forfeits[i],
            *_time_figures(spent[i]),
        )
        for i in order
    )
    crosstable = tuple(
        tuple(_win_rate(tally[i, j].sum(axis=0)) if meetings[i, j] else None for j in order) for i in order
    )
    lengths = tuple(sorted(len(record.moves) for record in games))
    kind = (games[0].game, games[0].options) if games else ("", {})
    return Results(*kind, standings, crosstable, lengths, sum(r.ties for r in games))


def _win_rate(counts: Any) -> WinRate:
    return WinRate(*(int(count) for count in counts))


def _add_times(record: GameRecord, first: list[float], second: list[float]) -> None:
    """Append the seconds of each move to the list of the player who made it."""
    for player, seconds in zip(_movers(record), record.times, strict=False):
        (first if player == 0 else second).append(seconds)


def _movers(record: GameRecord) -> Iterable[Player]:
    """Return the player who made each move; empty if the game cannot be replayed."""
    if _alternates(record.game, json.dumps(record.options)):
        game = registry.game(record.game, **record.options)
        first_mover = 0 if record.start is None else game.parse_position(record.start).to_move
        return ((first_mover + number) % 2 for number in range(len(record.times)))
    try:
        return [state.to_move for state in replay(record)]
    except KibitzError:
        return []


@cache
def _alternates(name: str, options: str) -> bool:
    """Return whether the players always alternate, judging by five random games.

    If they do, records need not be replayed to find the player of each move, which is slow.
    """
    game = registry.game(name, **json.loads(options))
    for seed in range(5):
        rng, state = random.Random(seed), game.start(seed)
        while state.outcome() is None:
            mover, state = state.to_move, state.play(rng.choice(state.legal_moves()))
            if state.to_move == mover and state.outcome() is None:
                return False
    return True


def _time_figures(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean, median and 99th percentile of times, converted to milliseconds; zeros if there are none."""
    if not seconds:
        return 0.0, 0.0, 0.0
    ms = np.array(seconds) * 1000
    return float(ms.mean()), float(np.median(ms)), float(np.percentile(ms, 99))


def bradley_terry_ratings(points: ArrayLike, games: ArrayLike, prior: float = 1.0) -> list[Rating]:
    """Return the Bradley-Terry ratings of n players.

    points: n x n, the row player's points against the column player. games: n x n, the number of games between the two.
    prior: number of games drawn against an average player; with 0, no group of players may be undefeated or winless.
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
    win = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))  # probability of the row against the column
    weight = games * win * (1 - win)
    win_average = 1 / (1 + np.exp(-strength))  # against an average player
    information = np.diag(weight.sum(axis=1) + prior * win_average * (1 - win_average)) - weight
    return (games * win).sum(axis=1) + prior * win_average, information
