"""How well a model predicts moves, as figures with intervals: all together, by phase of the game, and by confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.predict.fit.kernel import Judged

PHASES = (
    ("moves 2 to 30", 1, 30),
    ("moves 31 to 80", 30, 80),
    ("moves 81 to 150", 80, 150),
    ("from 151 on", 150, 1 << 15),
)
"""Name, and from how many to below how many moves were made before."""
BINS = 10


@dataclass(frozen=True)
class Share:
    """A mean with its interval of 95 %, from how much games differ: moves of one game are not independent."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Part:
    """Figures over some positions."""

    name: str
    n: int
    top1: Share
    top5: Share
    top10: Share
    log_evidence: Share
    """The mean of the natural logarithm of the played move's probability."""


@dataclass(frozen=True)
class Bin:
    """Positions where the likeliest move had about the same probability."""

    predicted: float
    """The mean of these probabilities"""
    played: Share
    """How often that move was played"""
    n: int


@dataclass(frozen=True)
class Figures:
    """How well games are predicted."""

    games: int
    whole: Part
    phases: tuple[Part, ...]
    calibration: tuple[Bin, ...]

    def json(self) -> dict[str, Any]:
        """Return them for programs."""
        told = {"games": self.games, **_flat(self.whole)}
        told["phases"] = [{"name": part.name, **_flat(part)} for part in self.phases]
        told["calibration"] = [asdict(one) for one in self.calibration]
        return told


def _flat(part: Part) -> dict[str, Any]:
    """Return a part with plain figures, and their intervals beside them."""
    shares = {name: getattr(part, name) for name in ("top1", "top5", "top10", "log_evidence")}
    told: dict[str, Any] = {name: round(share.value, 5) for name, share in shares.items()}
    told["n"] = part.n
    told["intervals"] = {name: [round(share.low, 5), round(share.high, 5)] for name, share in shares.items()}
    return told


def figures(judged: Judged) -> Figures:
    """Return the figures of judged moves. Raises BadOption if there are none."""
    if not len(judged.ranks):
        raise BadOption("There is no move to predict in these games.")
    parts = []
    for name, low, high in PHASES:
        here = (judged.numbers >= low) & (judged.numbers < high)
        if here.any():
            parts.append(_part(name, judged, here))
    everywhere = np.ones(len(judged.ranks), bool)
    return Figures(
        len(np.unique(judged.games)), _part("all", judged, everywhere), tuple(parts), tuple(_calibration(judged))
    )


def _part(name: str, judged: Judged, here: Any) -> Part:
    ranks, games = judged.ranks[here], judged.games[here]
    logs = np.log(np.maximum(judged.shares[here].astype(np.float64), 1e-12))
    top1, top5, top10 = (mean_by_game(ranks <= most, games) for most in (1, 5, 10))
    return Part(name, len(ranks), top1, top5, top10, mean_by_game(logs, games))


def mean_by_game(values: Any, games: Any) -> Share:
    """Return the mean of values, with an interval from the differences between games."""
    _, at = np.unique(games, return_inverse=True)
    sums, counts = np.bincount(at, weights=values.astype(np.float64)), np.bincount(at)
    mean = float(sums.sum() / counts.sum())
    spread = sums - mean * counts
    n = len(counts)
    error = float(np.sqrt((spread**2).sum() * n / max(n - 1, 1)) / counts.sum())
    return Share(mean, mean - 1.96 * error, mean + 1.96 * error)


def _calibration(judged: Judged) -> list[Bin]:
    """Return the likeliest moves in bins of their probability."""
    bins = np.minimum((judged.tops * BINS).astype(np.int64), BINS - 1)
    found = []
    for number in range(BINS):
        here = bins == number
        if here.any():
            played = mean_by_game(judged.ranks[here] == 1, judged.games[here])
            limited = Share(played.value, max(played.low, 0.0), min(played.high, 1.0))
            found.append(Bin(float(judged.tops[here].mean()), limited, int(here.sum())))
    return found


def judge_with(predict: Callable[[list[Any]], Any], batches: Any) -> Judged:
    """Return how moves are predicted by anything that gives [position, point] probabilities for a batch of moments.

    batches: lists of (number of the game, moment), passes and first moves left out.
    """
    columns: list[list[Any]] = [[], [], [], [], []]
    for batch in batches:
        shares = np.asarray(predict([moment for _, moment in batch]))
        played = np.array([moment.played for _, moment in batch])
        own = shares[np.arange(len(batch)), played]
        rows = (
            (shares >= own[:, None]).sum(axis=1), own, shares.max(axis=1),
            np.array([moment.moves for _, moment in batch]), np.array([game for game, _ in batch]),
        )  # fmt: skip
        for column, row in zip(columns, rows, strict=True):
            column.append(row)
    kinds = (np.int16, np.float32, np.float32, np.int16, np.int32)
    return Judged(
        *(
            np.concatenate(column).astype(kind) if column else np.zeros(0, kind)
            for column, kind in zip(columns, kinds, strict=True)
        )
    )
