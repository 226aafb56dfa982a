"""Clusters of patterns by how often they were seen and how many stones they have (K bits of information)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.mining.meaning import MEANINGS

ROUNDS = 100
MOST_CLUSTERS = 12


@dataclass
class Cluster:
    """Patterns that are alike in frequency and stones."""

    patterns: int
    windows: int
    """How often they were seen together"""
    frequency: float
    """Of its middle: the power of ten of how often one was seen"""
    stones: float
    """Of its middle"""
    meaning: str
    """What moves did most often in it; empty where patterns are not of moves"""
    share: float
    """How often that was so, of 1"""


def clusters(counts: Any, stones: Any, classes: Any, k: int = 5) -> tuple[list[Cluster], Any]:
    """Return clusters, those seen most first, and the cluster of each pattern.

    Lloyd's k-means on the logarithm of the count and on the stones, each divided
    by its spread; it starts from middles far apart, so it gives the same every
    time. Patterns that agree in both are one point of as much weight.
    """
    if not 1 <= k <= MOST_CLUSTERS:
        raise BadOption(f"There can be 1 to {MOST_CLUSTERS} clusters, not {k}.")
    if not len(counts):
        return [], np.zeros(0, np.int64)
    pairs, inverse, weights = np.unique(
        np.stack([counts, stones], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    points = np.stack([np.log10(pairs[:, 0]), pairs[:, 1].astype(float)], axis=1)
    scale = points.std(axis=0)
    scale[scale == 0] = 1
    points = points / scale
    middles = _far_apart(points, min(k, len(points)))
    belongs = np.full(len(points), -1)
    for _ in range(ROUNDS):
        nearest = ((points[:, None] - middles) ** 2).sum(axis=2).argmin(axis=1)
        if np.array_equal(nearest, belongs):
            break
        belongs = nearest
        for at in range(len(middles)):
            here = belongs == at
            if here.any():
                middles[at] = np.average(points[here], axis=0, weights=weights[here])
    of = belongs[inverse.reshape(-1)]
    found = []
    for at in range(len(middles)):
        here = of == at
        tally = classes[here].sum(axis=0) if classes.shape[1] else np.zeros(0)
        most = int(tally.argmax()) if len(tally) and tally.sum() else -1
        meaning = list(MEANINGS)[most] if most >= 0 else ""
        share = float(tally[most] / tally.sum()) if most >= 0 else 0.0
        frequency, many = (middles[at] * scale).tolist()
        windows = int(counts[here].sum(dtype=np.int64))
        found.append(Cluster(int(here.sum()), windows, frequency, many, meaning, share))
    order = sorted(range(len(found)), key=lambda at: -found[at].windows)
    place = np.zeros(len(found), np.int64)
    place[order] = np.arange(len(found))
    return [found[at] for at in order], place[of]


def _far_apart(points: Any, k: int) -> Any:
    """Return k of the points: the one nearest to the mean, then each time the one farthest from those taken."""
    middles = [points[((points - points.mean(axis=0)) ** 2).sum(axis=1).argmin()]]
    for _ in range(k - 1):
        far = np.min([((points - middle) ** 2).sum(axis=1) for middle in middles], axis=0)
        middles.append(points[far.argmax()])
    return np.array(middles)
