"""What a candidate move looks like to the pattern model: the points around it, and how its features are numbered.

The distance of a point a lines away in one direction and b in the other is a + b + max(a, b). A pattern of a
size holds all points up to that distance, so each size contains the next smaller one. Offsets are ordered by distance,
then row by row.

Each feature of a candidate has a number. First come the features that are not patterns, kind by kind as in KINDS, then
the patterns that a model knows. Knows neither positions nor weights.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.games.go.kernel.board import random_words

PATTERN_SIZES = (3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17)
"""The radii of the nested patterns, in the distance defined above; 3 is the 3x3 square."""
MAX_REACH = PATTERN_SIZES[-1]
RESPONSE_SIZES = 6  # this many of the smallest sizes are also matched around the last move
LIBERTY_SIZES = 2  # this many of the smallest sizes, 8 and 12 points, are also matched with chain liberties
RECENT_MOVES = 4  # moves before the position that features depend on, the latest first
PHASE_STARTS = (6, 16, 30, 50, 80, 120, 180)
"""The number of moves played when each phase of the game after the first begins."""

OWN, ENEMY, OFF, LAST, BEFORE = range(5)
"""What can be marked at a point of a pattern: a stone, the edge, the last move, the move before it."""

PLAIN, LINKED, TWICE, RESPONSE, LIBERTIES, LIBERTIES_LINKED = range(6)
"""Families of patterns: around the point; with the place of the last move; with the places of the last two moves;
around the last move with the place of the point; around the point with the liberties of chains; the same with the
place of the last move."""
FAMILIES = 6

PLACES, OFFSETS, BUCKETS, PHASES = 55, 38, 10, 1 + len(PHASE_STARTS)
KINDS = (
    ("place", PLACES * PHASES), ("last", OFFSETS), ("before", OFFSETS), ("third", OFFSETS), ("fourth", OFFSETS),
    ("both", BUCKETS * BUCKETS), ("after", 6 * 5), ("capture", 4 * 2 * 2), ("escape", 4 * 3 * 2 * 2),
    ("atari", 4 * 2 * 2), ("enemy", 5 * 4 * 2), ("own", 5 * 4 * 2), ("chains", 5 * 5), ("race", 6 * 6 * 3),
    ("nearest", 7 * 7), ("answer", 4 * (BUCKETS + 1)), ("ko", 3), ("influence", 11 * 6), ("phase", PHASES * BUCKETS),
)  # fmt: skip
"""The kinds of features that are not patterns, and how many features each has."""
_STARTS: list[int] = np.cumsum([0, *(count for _, count in KINDS)]).tolist()
BASES: dict[str, int] = {name: start for (name, _), start in zip(KINDS, _STARTS, strict=False)}
"""Kind -> its first feature."""
FIXED_FEATURES: int = _STARTS[-1]  # the number of features that are not patterns
MAX_FEATURES = len(KINDS) + 3 * len(PATTERN_SIZES) + RESPONSE_SIZES + 2 * LIBERTY_SIZES
"""Maximum number of features of one candidate."""
KEYS_SEED = 41


def distance(down: int, across: int) -> int:
    """Return the distance of an offset in the pattern model: down + across + the larger of both."""
    down, across = abs(down), abs(across)
    return down + across + max(down, across)


@cache
def offsets() -> tuple[tuple[int, int], ...]:
    """Return (down, across) of all points up to the distance MAX_REACH, nearest first, without the centre."""
    side = range(-MAX_REACH, MAX_REACH + 1)
    within = [(down, across) for down in side for across in side if 0 < distance(down, across) <= MAX_REACH]
    return tuple(sorted(within, key=lambda offset: (distance(*offset), offset)))


def turn_offset(down: int, across: int, image: int) -> tuple[int, int]:
    """Return an offset under one of the eight symmetries: 4 in `image` transposes, 2 and 1 reflect."""
    if image & 4:
        down, across = across, down
    return -down if image & 2 else down, -across if image & 1 else across


def offset_class(down: int, across: int) -> int:
    """Return the class of an offset: one for each near offset, symmetric ones together, then four by distance.

    Class OFFSETS - 1 is never returned; it is for an unknown move.
    """
    far, near = max(abs(down), abs(across)), min(abs(down), abs(across))
    if 2 * far + near <= MAX_REACH:
        return near_classes()[far, near]
    return OFFSETS - 5 + sum(far > limit for limit in (10, 12, 15))


@cache
def near_classes() -> dict[tuple[int, int], int]:
    """Return the class of each near offset, given by its longer and its shorter side in lines."""
    near = [(a, b) for a in range(MAX_REACH + 1) for b in range(a + 1) if 2 * a + b <= MAX_REACH]
    return {pair: number for number, pair in enumerate(near)}


def bucket(down: int, across: int) -> int:
    """Return the bucket of an offset's distance. Bucket BUCKETS - 1 is never returned; it is for an unknown move."""
    limits = (2, 3, 4, 5, 7, 9, 12, MAX_REACH)
    return sum(distance(down, across) > limit for limit in limits)


class SizeTables(NamedTuple):
    """The kernels' lookup tables for one board size. Shared between boards and never written to."""

    downs: NDArray[np.int64]  # [offset]
    acrosses: NDArray[np.int64]  # [offset]
    rings: NDArray[np.int64]  # [offset]: the index in PATTERN_SIZES of the smallest size that holds it
    words: NDArray[np.int64]  # [OWN ... BEFORE, offset, symmetry]: the hash of that mark at that offset
    at: NDArray[np.int64]
    """[down + MAX_REACH, across + MAX_REACH]: the number of an offset, -1 beyond MAX_REACH and at the centre"""
    edges: NDArray[np.int64]  # [point, size, symmetry]: the hash of what lies off the board
    places: NDArray[np.int64]  # [point]: which of PLACES it is; symmetric points share one
    classes: NDArray[np.int64]  # [lines down, lines across], without sign: offset_class
    buckets: NDArray[np.int64]  # [lines down, lines across], without sign: bucket
    salts: NDArray[np.int64]  # [family * number of sizes + size]: keeps the keys of families and sizes apart
    size: int


@cache
def size_tables(size: int) -> SizeTables:
    """Return the kernels' lookup tables for a board size from 2 to 19."""
    points = offsets()
    numbers = {offset: number for number, offset in enumerate(points)}
    keys = random_words(KEYS_SEED, 5 * len(points)).reshape(5, len(points))
    words = np.zeros((5, len(points), 8), np.int64)
    at = np.full((2 * MAX_REACH + 1, 2 * MAX_REACH + 1), -1, np.int64)
    rings = np.zeros(len(points), np.int64)
    for number, (down, across) in enumerate(points):
        at[down + MAX_REACH, across + MAX_REACH] = number
        rings[number] = next(i for i, reach in enumerate(PATTERN_SIZES) if distance(down, across) <= reach)
        for image in range(8):
            words[:, number, image] = keys[:, numbers[turn_offset(down, across, image)]]
    edges = np.zeros((size * size, len(PATTERN_SIZES), 8), np.int64)
    places = np.zeros(size * size, np.int64)
    for point in range(size * size):
        row, col = divmod(point, size)
        low, high = sorted(min(line, size - 1 - line) for line in (row, col))
        places[point] = high * (high + 1) // 2 + low
        for number, (down, across) in enumerate(points):
            if not (0 <= row + down < size and 0 <= col + across < size):
                edges[point, rings[number]] ^= words[OFF, number]
    lines = range(size)
    return SizeTables(
        downs=np.array([down for down, _ in points]),
        acrosses=np.array([across for _, across in points]),
        rings=rings,
        words=words,
        at=at,
        edges=edges,
        places=places,
        classes=np.array([[offset_class(down, across) for across in lines] for down in lines]),
        buckets=np.array([[bucket(down, across) for across in lines] for down in lines]),
        salts=random_words(KEYS_SEED + 1, FAMILIES * len(PATTERN_SIZES)),
        size=size,
    )
