"""Figures of how well a model predicts moves, with intervals: overall, by phase of the game, and by confidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.predict.fit.kernel import PredictedMoves

PHASES = (
    ("moves 2 to 30", 1, 30),
    ("moves 31 to 80", 30, 80),
    ("moves 81 to 150", 80, 150),
    ("from 151 on", 150, 1 << 15),
)
"""Name, and the range of the number of moves made before the predicted one."""
CALIBRATION_BINS = 10


class MeanInterval(NamedTuple):
    """A mean with its 95 % interval, computed between games because the moves of a game are not independent."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PartFigures:
    """Figures for a subset of the positions."""

    name: str
    n: int
    top1: MeanInterval
    top5: MeanInterval
    top10: MeanInterval
    log_evidence: MeanInterval  # the mean natural logarithm of the played move's probability

    def json(self) -> JsonObject:
        """Return the means as plain numbers, with their intervals beside them."""
        means = {name: getattr(self, name) for name in ("top1", "top5", "top10", "log_evidence")}
        intervals = {name: [round(mean.low, 5), round(mean.high, 5)] for name, mean in means.items()}
        return {**{name: round(mean.value, 5) for name, mean in means.items()}, "n": self.n, "intervals": intervals}


@dataclass(frozen=True)
class CalibrationBin:
    """Positions whose likeliest move had about the same probability."""

    predicted: float  # the mean of these probabilities
    played: MeanInterval  # how often that move was played
    n: int


@dataclass(frozen=True)
class PredictionFigures:
    """How well games are predicted."""

    games: int
    whole: PartFigures
    phases: tuple[PartFigures, ...]
    calibration: tuple[CalibrationBin, ...]

    def json(self) -> JsonObject:
        """Return the figures as a JSON object."""
        return {
            "games": self.games,
            **self.whole.json(),
            "phases": [{"name": part.name, **part.json()} for part in self.phases],
            "calibration": [{**asdict(each), "played": each.played._asdict()} for each in self.calibration],
        }


def figures(moves: PredictedMoves) -> PredictionFigures:
    """Return the figures of predicted moves. Raise BadOption if there are none."""
    if not len(moves.ranks):
        raise BadOption("These games have no moves to predict; first moves and passes do not count.")
    phases = [(name, (moves.numbers >= start) & (moves.numbers < end)) for name, start, end in PHASES]
    return PredictionFigures(
        len(np.unique(moves.games)),
        _part("all", moves, np.ones(len(moves.ranks), bool)),
        tuple(_part(name, moves, here) for name, here in phases if here.any()),
        tuple(_calibration(moves)),
    )


def _part(name: str, moves: PredictedMoves, here: NDArray[np.bool_]) -> PartFigures:
    ranks, games = moves.ranks[here], moves.games[here]
    logs = np.log(np.maximum(moves.shares[here].astype(np.float64), 1e-12))
    top1, top5, top10 = (mean_by_game(ranks <= rank, games) for rank in (1, 5, 10))
    return PartFigures(name, len(ranks), top1, top5, top10, mean_by_game(logs, games))


def mean_by_game(values: NDArray[np.generic], games: NDArray[np.integer]) -> MeanInterval:
    """Return the mean of the values of moves, with an interval computed between games. games: the game of each move."""
    _, at = np.unique(games, return_inverse=True)
    sums, counts = np.bincount(at, weights=values.astype(np.float64)), np.bincount(at)
    mean = float(sums.sum() / counts.sum())
    deviations = sums - mean * counts
    n = len(counts)
    error = float(np.sqrt((deviations**2).sum() * n / max(n - 1, 1)) / counts.sum())
    return MeanInterval(mean, mean - 1.96 * error, mean + 1.96 * error)


def _calibration(moves: PredictedMoves) -> list[CalibrationBin]:
    """Return how often the likeliest move was played, in bins of positions by its probability."""
    bins = np.minimum((moves.tops * CALIBRATION_BINS).astype(np.int64), CALIBRATION_BINS - 1)
    found = []
    for number in np.unique(bins):
        here = bins == number
        played = mean_by_game(moves.ranks[here] == 1, moves.games[here])
        clamped = MeanInterval(played.value, max(played.low, 0.0), min(played.high, 1.0))
        found.append(CalibrationBin(float(moves.tops[here].mean()), clamped, int(here.sum())))
    return found
