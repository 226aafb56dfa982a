"""The points of a square board: their numbers, neighbours, star points and symmetries.

The points are numbered row by row from the top left, the order in which SGF
counts. Size 3:

    0 1 2
    3 4 5
    6 7 8

Knows nothing about stones or rules.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

Point: TypeAlias = int  # row * size + column, both counted from 0 at the top left

MAX_BOARD_SIZE = 25  # one column for each letter except I


@cache
def neighbours(size: int) -> tuple[tuple[Point, ...], ...]:
    """Return a tuple indexed by point, each entry being the adjacent points in ascending order."""
    table = []
    for point in range(size * size):
        row, col = divmod(point, size)
        beside = [(row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)]
        table.append(tuple(r * size + c for r, c in beside if 0 <= r < size and 0 <= c < size))
    return tuple(table)


@cache
def handicap_points(size: int, stones: int) -> tuple[Point, ...]:
    """Return the points of a fixed handicap in ascending order, or () if the board size does not allow it.

    The points are those of GTP's fixed handicap: bottom left, top right, top left,
    bottom right, then left, right, bottom and top. With 5, 7 or 9 stones the last is the
    centre. The corner points are on the third line on boards below 13x13, else on the fourth.
    """
    if not 2 <= stones <= max_handicap(size):
        return ()
    low = 2 if size < 13 else 3
    high, middle = size - 1 - low, size // 2
    places = [(high, low), (low, high), (low, low), (high, high)]
    places += [(middle, low), (middle, high), (high, middle), (low, middle)]
    if stones in (5, 7, 9):
        places.insert(stones - 1, (middle, middle))
    return tuple(sorted(row * size + col for row, col in places[:stones]))


def max_handicap(size: int) -> int:
    """Return the largest fixed handicap: 9 for odd sizes from 9 up, 4 for 7 and for even sizes from 8 up, else 0."""
    if size < 7:
        return 0
    return 9 if size % 2 and size >= 9 else 4


@cache
def star_points(size: int) -> frozenset[Point]:
    """Return the star points, which are marked when a board is drawn."""
    stones = 5 if size in (9, 11) else max_handicap(size)
    if stones:
        return frozenset(handicap_points(size, stones))
    return frozenset({size * size // 2}) if size in (3, 5) else frozenset()


@cache
def symmetries(size: int) -> tuple[tuple[Point, ...], ...]:
    """Return the distinct rotations and reflections, each a tuple that maps point to point; the identity is first."""
    images: dict[tuple[Point, ...], None] = {}
    for flipped in (False, True):
        for turns in range(4):
            image = []
            for point in range(size * size):
                row, col = divmod(point, size)
                if flipped:
                    col = size - 1 - col
                for _ in range(turns):
                    row, col = col, size - 1 - row
                image.append(row * size + col)
            images[tuple(image)] = None
    return tuple(images)
