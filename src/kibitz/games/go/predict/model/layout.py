"""What a candidate move looks like to the pattern model: rings of points around it, and the kinds of its features.

The distance of a point that lies a lines away one way and b the other is
a + b + max(a, b). A pattern of a size holds all points up to that distance, so
each size holds the next smaller one. Offsets are ordered by distance, then row
by row.

A feature of a candidate is one number. Those of kinds that can be counted up
come first, kind after kind as in KINDS; after them come the patterns that a
model knows. Knows neither boards nor weights.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kibitz.games.go.kernel.board import random_words

SIZES = (3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17)
"""The distances up to which the nested patterns reach; 3 is the 3x3 square."""
REACH = SIZES[-1]
RESPONSES = 6
"""So many of the smallest sizes are also looked at around the last move."""
RECENT = 4
"""Moves that are remembered, the last one first."""

OWN, ENEMY, OFF, LAST, BEFORE = range(5)
"""What is marked at a point of a pattern: a stone, the edge, the last move, the move before it."""

PLAIN, LINKED, TWICE, RESPONSE, TIGHT, TIGHT_LINKED = range(6)
"""Families of patterns: around the point; with the place of the last move; with the places of the last two moves;
around the last move with the place of the point; around the point with the liberties of chains; the same with the
place of the last move."""
FAMILIES = 6
TIGHT_SIZES = 2
"""So many of the smallest sizes are also looked at with liberties: 8 and 12 points."""

PLACES, OFFSETS, BUCKETS, PHASES = 55, 38, 10, 8
KINDS = (
    ("place", PLACES * PHASES),
    ("last", OFFSETS),
    ("before", OFFSETS),
    ("third", OFFSETS),
    ("fourth", OFFSETS),
    ("both", BUCKETS * BUCKETS),
    ("after", 6 * 5),
    ("capture", 4 * 2 * 2),
    ("escape", 4 * 3 * 2 * 2),
    ("atari", 4 * 2 * 2),
    ("enemy", 5 * 4 * 2),
    ("own", 5 * 4 * 2),
    ("chains", 5 * 5),
    ("race", 6 * 6 * 3),
    ("nearest", 7 * 7),
    ("answer", 4 * (BUCKETS + 1)),
    ("ko", 3),
    ("influence", 11 * 6),
    ("phase", PHASES * BUCKETS),
)
"""Kind of feature -> how many there are of it."""
_BASES = np.concatenate([[0], np.cumsum([count for _, count in KINDS])]).tolist()
BASES: dict[str, int] = {name: base for (name, _), base in zip(KINDS, _BASES, strict=False)}
FIXED: int = _BASES[-1]
"""How many features there are without the patterns."""
MOST = len(KINDS) + 3 * len(SIZES) + RESPONSES + 2 * TIGHT_SIZES
"""The most features that one candidate has."""
KEYS_SEED = 41


def distance(down: int, across: int) -> int:
    """Return how far a point is."""
    down, across = abs(down), abs(across)
    return down + across + max(down, across)


@cache
def offsets() -> tuple[tuple[int, int], ...]:
    """Return (down, across) of all points up to REACH but the centre."""
    side = range(-REACH, REACH + 1)
    found = [(down, across) for down in side for across in side if 0 < distance(down, across) <= REACH]
    return tuple(sorted(found, key=lambda offset: (distance(*offset), offset)))


def turned(down: int, across: int, image: int) -> tuple[int, int]:
    """Return an offset under one of the eight symmetries: 4 mirrors, 2 and 1 reflect."""
    if image & 4:
        down, across = across, down
    return -down if image & 2 else down, -across if image & 1 else across


def offset_class(down: int, across: int) -> int:
    """Return which of OFFSETS a point's way from another is: each near one of its own, then four by distance.

    The last class, OFFSETS - 1, is for an unknown move.
    """
    far, near = max(abs(down), abs(across)), min(abs(down), abs(across))
    if 2 * far + near <= REACH:
        return near_classes()[far, near]
    return OFFSETS - 5 + (0 if far <= 10 else 1 if far <= 12 else 2 if far <= 15 else 3)


@cache
def near_classes() -> dict[tuple[int, int], int]:
    """Return the class of each near way: lines one way and the other, the farther one first."""
    near = [(a, b) for a in range(REACH + 1) for b in range(a + 1) if 2 * a + b <= REACH]
    return {pair: number for number, pair in enumerate(near)}


def bucket(down: int, across: int) -> int:
    """Return a distance as one of BUCKETS; the last one is for an unknown move."""
    far = distance(down, across)
    for number, limit in enumerate((2, 3, 4, 5, 7, 9, 12, REACH)):
        if far <= limit:
            return number
    return 8


def phase(move: int) -> int:
    """Return which of PHASES a game is in after so many moves."""
    return sum(move >= limit for limit in (6, 16, 30, 50, 80, 120, 180))


class Near(NamedTuple):
    """What is the same for all boards of a size. Shared and never written to."""

    downs: Any
    """int64 [offset]"""
    acrosses: Any
    """int64 [offset]"""
    rings: Any
    """int64 [offset]: the smallest of SIZES that holds it, by its number"""
    words: Any
    """int64 [OWN ... BEFORE, offset, symmetry]: the key of something there"""
    at: Any
    """int64 [down + REACH, across + REACH]: the number of an offset, -1 beyond REACH"""
    edges: Any
    """int64 [point, size, symmetry]: the keys of what is off the board"""
    places: Any
    """int64 [point]: which of PLACES it is"""
    classes: Any
    """int64 [down, across], both without sign: offset_class"""
    buckets: Any
    """int64 [down, across], both without sign: bucket"""
    salts: Any
    """int64 [family * number of sizes + size]: tells patterns of several kinds apart"""
    size: int


@cache
def near(size: int) -> Near:
    """Return the tables for boards of a size, 2 to 19."""
    points = offsets()
    numbers = {offset: number for number, offset in enumerate(points)}
    keys = random_words(KEYS_SEED, 5 * len(points)).reshape(5, len(points))
    words = np.zeros((5, len(points), 8), np.int64)
    at = np.full((2 * REACH + 1, 2 * REACH + 1), -1, np.int64)
    rings = np.zeros(len(points), np.int64)
    for number, (down, across) in enumerate(points):
        at[down + REACH, across + REACH] = number
        rings[number] = next(i for i, reach in enumerate(SIZES) if distance(down, across) <= reach)
        for image in range(8):
            words[:, number, image] = keys[:, numbers[turned(down, across, image)]]
    edges = np.zeros((size * size, len(SIZES), 8), np.int64)
    places = np.zeros(size * size, np.int64)
    for point in range(size * size):
        row, col = divmod(point, size)
        low, high = sorted(min(line, size - 1 - line) for line in (row, col))
        places[point] = high * (high + 1) // 2 + low
        for number, (down, across) in enumerate(points):
            if not (0 <= row + down < size and 0 <= col + across < size):
                edges[point, rings[number]] ^= words[OFF, number]
    lines = range(size)
    return Near(
        downs=np.array([down for down, _ in points]),
        acrosses=np.array([across for _, across in points]),
        rings=rings,
        words=words,
        at=at,
        edges=edges,
        places=places,
        classes=np.array([[offset_class(down, across) for across in lines] for down in lines]),
        buckets=np.array([[bucket(down, across) for across in lines] for down in lines]),
        salts=random_words(KEYS_SEED + 1, FAMILIES * len(SIZES)),
        size=size,
    )
