"""Cluster patterns by frequency and number of stones (K bits of information)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kibitz.compiled.arrays import Float64Array, Int32Array, Int64Array
from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.mining.meaning import MEANINGS

MAX_ROUNDS = 100
MAX_CLUSTERS = 12


@dataclass
class PatternCluster:
    """Patterns that are similar in frequency and number of stones."""

    patterns: int
    windows: int  # how often they were seen, all together
    frequency: float  # of the centre: the decimal logarithm of the count
    stones: float  # of the centre: the number of stones
    meaning: str  # what its moves did most often; empty for patterns of final boards
    share: float  # the share of its moves that did this


def find_clusters(
    counts: Int32Array, stones: Int64Array, classes: Int32Array, k: int = 5
) -> tuple[list[PatternCluster], Int64Array]:
    """Return the clusters, most frequently seen first, and the cluster of each pattern. Raise BadOption for a bad k.

    Lloyd's k-means on the logarithm of the count and the number of stones, each divided by
    its standard deviation. It is deterministic, starting from centres far apart. Patterns
    with the same count and stones are merged into one weighted point.
    """
    if not 1 <= k <= MAX_CLUSTERS:
        raise BadOption(f"There can be 1 to {MAX_CLUSTERS} clusters, not {k}.")
    if not len(counts):
        return [], np.zeros(0, np.int64)
    pairs = np.stack([counts, stones], axis=1)
    distinct, inverse, weights = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    points = np.stack([np.log10(distinct[:, 0]), distinct[:, 1].astype(float)], axis=1)
    scale = points.std(axis=0)
    scale[scale == 0] = 1
    centres, nearest = _lloyd(points / scale, weights, k)
    cluster_of = nearest[inverse.reshape(-1)]
    found = []
    for at, centre in enumerate(centres * scale):
        here = cluster_of == at
        tally = classes[here].sum(axis=0)
        top = int(tally.argmax()) if tally.sum() else -1
        meaning, share = (list(MEANINGS)[top], float(tally[top] / tally.sum())) if top >= 0 else ("", 0.0)
        windows = int(counts[here].sum(dtype=np.int64))
        frequency, centre_stones = centre.tolist()
        found.append(PatternCluster(int(here.sum()), windows, frequency, centre_stones, meaning, share))
    order = sorted(range(len(found)), key=lambda at: -found[at].windows)
    return [found[at] for at in order], np.argsort(order)[cluster_of]


def _lloyd(points: Float64Array, weights: Int64Array, k: int) -> tuple[Float64Array, Int64Array]:
    """Return the centres of up to k clusters, and the cluster of each point."""
    # the first centre is the point nearest to the mean, each further one the point farthest from those chosen
    chosen = [points[((points - points.mean(axis=0)) ** 2).sum(axis=1).argmin()]]
    while len(chosen) < min(k, len(points)):
        distances = np.min([((points - centre) ** 2).sum(axis=1) for centre in chosen], axis=0)
        chosen.append(points[distances.argmax()])
    centres = np.array(chosen)
    nearest = np.full(len(points), -1)
    for _ in range(MAX_ROUNDS):
        before, nearest = nearest, ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        if np.array_equal(nearest, before):
            break
        for at in range(len(centres)):
            here = nearest == at
            if here.any():
                centres[at] = np.average(points[here], axis=0, weights=weights[here])
    return centres, nearest
