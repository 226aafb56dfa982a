"""What the records of a tournament say: rates, times, ratings. A pure function of the records."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kibitz.arena.ratings import Rating, rate
from kibitz.core import registry
from kibitz.core.errors import KibitzError
from kibitz.core.game import Player, State
from kibitz.core.record import POINTS, GameRecord, replay

FORFEIT = "forfeit"
"""How the reason of a game begins that was lost by a fault."""


@dataclass(frozen=True)
class Rate:
    """Points out of games, with the 95 % interval of their share."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games there were."""
        return self.wins + self.draws + self.losses

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def share(self) -> float:
        """The points scored, a draw counting half, as a share of the games; 0 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of Wilson (1927), a draw counting half, which stays within 0 and 1."""
        n, z = self.games, 1.96
        if not n:
            return 0.0, 1.0
        middle = (self.share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(self.share * (1 - self.share) / n + z * z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Standing:
    """One agent's results."""

    agent: str
    rating: Rating
    total: Rate
    as_first: Rate
    as_second: Rate
    forfeits: int
    """Games lost by a fault of its own."""
    mean_ms: float
    median_ms: float
    p99_ms: float
    """Time per turn, in milliseconds."""


@dataclass(frozen=True)
class Results:
    """A whole tournament, the best agent first."""

    game: str
    options: dict[str, Any]
    """The rules that were chosen; empty without games."""
    standings: tuple[Standing, ...]
    crosstable: tuple[tuple[Rate | None, ...], ...]
    """Row against column, in the order of the standings; None where two never met."""
    lengths: tuple[int, ...]
    """How many moves each game had, ascending."""
    replayed: int
    """How many drawn games were replayed."""


def compute(records: Iterable[GameRecord], agents: Sequence[str] = (), times: bool = True) -> Results:
    """Return the results of games of one kind between these agents, and any others that occur.

    Without times, which take the longest, those of all agents are 0.
    """
    games = list(records)
    names = list(dict.fromkeys([*agents, *(name for record in games for name in record.agents)]))
    place = {name: i for i, name in enumerate(names)}
    n = len(names)
    tally = np.zeros((n, n, 2, 3), np.int64)  # row, column, row's side, (wins, draws, losses)
    spent: list[list[float]] = [[] for _ in names]
    forfeits = [0] * n
    for record in games:
        a, b = (place[name] for name in record.agents)
        result = {1.0: 0, 0.5: 1, 0.0: 2}[POINTS[record.result]]
        tally[a, b, 0, result] += 1
        tally[b, a, 1, 2 - result] += 1
        if times:
            _add_times(record, spent[a], spent[b])
        if record.reason.startswith(FORFEIT):
            forfeits[b if record.result == "1-0" else a] += 1
    met = tally.sum(axis=(2, 3))
    points = tally.sum(axis=2) @ np.array([1.0, 0.5, 0.0])
    ratings = rate(points, met)
    order = sorted(range(n), key=lambda i: -ratings[i].elo)
    standings = tuple(
        Standing(
            names[i],
            ratings[i],
            _rate(tally[i].sum(axis=(0, 1))),
            _rate(tally[i, :, 0].sum(axis=0)),
            _rate(tally[i, :, 1].sum(axis=0)),
            forfeits[i],
            *_time_figures(spent[i]),
        )
        for i in order
    )
    crosstable = tuple(tuple(_rate(tally[i, j].sum(axis=0)) if met[i, j] else None for j in order) for i in order)
    lengths = tuple(sorted(len(record.moves) for record in games))
    kind = (games[0].game, games[0].options) if games else ("", {})
    return Results(*kind, standings, crosstable, lengths, sum(r.ties for r in games))


def _rate(counts: Any) -> Rate:
    return Rate(*(int(count) for count in counts))


def _add_times(record: GameRecord, first: list[float], second: list[float]) -> None:
    """Share out the seconds of a game's moves."""
    for player, seconds in zip(_movers(record), record.times, strict=False):
        (first if player == 0 else second).append(seconds)


def _movers(record: GameRecord) -> Iterable[Player]:
    """Return who made each move of a game; nobody, if it cannot be replayed."""
    if _takes_turns(record.game, json.dumps(record.options)):
        starts = 0 if record.start is None else _position(record).to_move
        return ((number + starts) % 2 for number in range(len(record.times)))
    try:
        return [state.to_move for state in replay(record)]
    except KibitzError:
        return []


@cache
def _takes_turns(name: str, options: str) -> bool:
    """Return whether players of a game move by turns: in some random games nobody moves twice in a row.

    To replay thousands of games, only to find who moved, takes longer than all else here.
    """
    game = registry.game(name, **json.loads(options))
    for seed in range(5):
        rng, state = random.Random(seed), game.start(seed)
        while state.outcome() is None:
            before, state = state, state.play(rng.choice(state.legal_moves()))
            if state.to_move == before.to_move and state.outcome() is None:
                return False
    return True


def _position(record: GameRecord) -> State:
    state: State = registry.game(record.game, **record.options).parse_position(record.start or "")
    return state


def _time_figures(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return mean, median and 99th percentile in milliseconds; 0 without moves."""
    if not seconds:
        return 0.0, 0.0, 0.0
    ms = np.array(seconds) * 1000
    return float(ms.mean()), float(np.median(ms)), float(np.percentile(ms, 99))
