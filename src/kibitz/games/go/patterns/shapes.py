"""Shapes of windows, what a window looks like as one number, and the forms that are counted as one.

A window is what the points of a shape look like around a centre:

    .  0  an empty point        O  2  a white stone
    X  1  a black stone         #  3  beyond the edge of the board

Its key holds two bits for each point, row by row from the top left. A shape of
more than MOST_EXACT points has a hash for a key, which cannot be read back. The
canonical key is the least among the forms of a window.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.kernel.board import random_words
from kibitz.games.go.patterns.kernels.windows import OFF, Window
from kibitz.games.go.records.search.changes import turn
from kibitz.games.go.rules.board import EMPTY, Board, other

SIGNS = ".XO#"
MOST_EXACT = 31
"""Points of which two bits each go into one word."""
MOST_RADIUS = 18
FORMS = {8: (range(8), False), 12: ((0, 1, 2, 3, 5, 6), True), 16: (range(8), True)}
"""Number of forms -> symmetries, numbered as in changes.turn, and whether colours are swapped too.

8 are those of a move, seen by who makes it. 16 are all. 12 are those of Singh's
report of 2013, which left out the two reflections in a diagonal (4 and 7).
"""
_LOW = 0x1555555555555555
_NAMES = re.compile(r"(?:(\d+)x(\d+)|(diamond|circle)(\d+))")


@dataclass(frozen=True)
class Shape:
    """Points around a centre. Make one with `parse_shape`."""

    name: str
    offsets: tuple[tuple[int, int], ...]
    """(down, across) of each point, row by row from the top left; the centre is among them."""

    @cached_property
    def radius(self) -> int:
        """Return how far it reaches, in lines."""
        return max(max(abs(down), abs(across)) for down, across in self.offsets)

    @property
    def is_exact(self) -> bool:
        """Return whether its keys can be read back."""
        return len(self.offsets) <= MOST_EXACT

    @cached_property
    def centre(self) -> int:
        """Return which of its points is the centre."""
        return self.offsets.index((0, 0))

    @cached_property
    def images(self) -> tuple[tuple[int, ...], ...]:
        """Return for each symmetry where each point goes."""
        side = 2 * self.radius + 1
        places = np.full((side, side), -1, np.int64)
        for place, (down, across) in enumerate(self.offsets):
            places[down + self.radius, across + self.radius] = place
        found = []
        for image in range(8):
            turned = turn(places, image)
            to = np.zeros(len(self.offsets), np.int64)
            for place, (down, across) in enumerate(self.offsets):
                to[turned[down + self.radius, across + self.radius]] = place
            found.append(tuple(to.tolist()))
        return tuple(found)

    def key(self, codes: Sequence[int]) -> int:
        """Return the key of the codes of its points. Only for exact shapes."""
        return sum(code << 2 * place for place, code in enumerate(codes))

    def codes(self, key: int) -> list[int]:
        """Return the codes of the points of a key. Only for exact shapes."""
        return [key >> 2 * place & 3 for place in range(len(self.offsets))]

    def form(self, key: int, image: int, swapped: bool = False) -> int:
        """Return the key of a window turned by a symmetry, with colours swapped if wanted."""
        codes = self.codes(key)
        turned = [0] * len(codes)
        for place, to in enumerate(self.images[image]):
            turned[to] = codes[place]
        return swap_key(self.key(turned)) if swapped else self.key(turned)

    def forms(self, key: int, forms: int = 16) -> list[int]:
        """Return the keys of all forms of a window, the window itself first; some may be equal."""
        images, swaps = FORMS[forms]
        return [
            self.form(key, image, swapped) for swapped in ((False, True) if swaps else (False,)) for image in images
        ]

    def canonical(self, key: int, forms: int = 16) -> int:
        """Return the least of the forms of a window. With 12 it is not the same for all of them, see FORMS."""
        return min(self.forms(key, forms))

    def parse(self, rows: Sequence[str]) -> int:
        """Return the key of rows as `rows` gives them; a centre of * is empty. Raises BadText."""
        signs = {**{sign: code for code, sign in enumerate(SIGNS)}, "*": 0}
        side = 2 * self.radius + 1
        if [len(row) for row in rows] != [side] * side:
            raise BadText(f"A window of {self.name} has {side} rows of {side} signs.")
        codes = []
        for down, across in self.offsets:
            sign = rows[down + self.radius][across + self.radius]
            if sign not in signs:
                raise BadText(f"A window has {sign!r}; known are {SIGNS} and * for the move.")
            codes.append(signs[sign])
        return self.key(codes)

    def rows(self, codes: Sequence[int], move: bool = False) -> tuple[str, ...]:
        """Return a window as rows of signs, blank outside the shape, the centre as * if it is the move."""
        side = 2 * self.radius + 1
        grid = [[" "] * side for _ in range(side)]
        for (down, across), code in zip(self.offsets, codes, strict=True):
            grid[down + self.radius][across + self.radius] = SIGNS[code]
        if move:
            grid[self.radius][self.radius] = "*"
        return tuple("".join(row) for row in grid)

    def window(self, size: int) -> Window:
        """Return what a kernel needs to know for boards of a size, whose cells have `radius` lines around them."""
        return _window(self, size)


FULL = "full"
"""The name of the whole board as a shape; it has no centre and is worked out otherwise."""


@cache
def parse_shape(name: str) -> Shape:
    """Return a shape: 3x3 and any odd square, diamondN of radius N, circleN as Pachi's spatial patterns have it.

    A circle holds the points whose dx + dy + max(dx, dy) is at most N; circle3 is
    3x3 and circle4 the diamond of radius 2. Raises BadOption for other names.
    """
    found = _NAMES.fullmatch(name.strip().lower())
    if not found:
        raise BadOption(f"{name[:40]!r} is no shape; known are 3x3, 5x5 and so on, diamond2, circle5, and full.")
    if found[3]:
        reach = int(found[4])
        radius = reach if found[3] == "diamond" else reach // 2
    else:
        reach = radius = int(found[1]) // 2
        if found[1] != found[2] or int(found[1]) % 2 == 0:
            raise BadOption(f"A square shape has one odd number of points on each side, not {name[:20]}.")
    if not 1 <= radius <= MOST_RADIUS:
        raise BadOption(f"The shape {name[:20]} reaches {radius} lines from its centre; it can be 1 to {MOST_RADIUS}.")
    lines = range(-radius, radius + 1)
    offsets = tuple(
        (down, across) for down in lines for across in lines if _distance(found[3], abs(down), abs(across)) <= reach
    )
    kind = f"{found[3]}{reach}" if found[3] else f"{2 * radius + 1}x{2 * radius + 1}"
    return Shape(kind, offsets)


def window_rows(board: Board, colour: int, point: int, shape: str, move: bool = True) -> tuple[str, ...]:
    """Return what lies around a point as rows of signs, who has the colour as X; the centre as * if it is the move."""
    chosen, size = parse_shape(shape), board.size
    codes = {EMPTY: 0, colour: 1, other(colour): 2}
    row, col = divmod(point, size)
    around = [
        codes[board.points[(row + down) * size + col + across]]
        if 0 <= row + down < size and 0 <= col + across < size
        else OFF
        for down, across in chosen.offsets
    ]
    return chosen.rows(around, move)


def _distance(kind: str | None, down: int, across: int) -> int:
    """Return how far a point is from the centre, as the kind of shape measures it."""
    if kind is None:
        return max(down, across)
    return down + across if kind == "diamond" else down + across + max(down, across)


def swap_key(key: int) -> int:
    """Return a key with black and white exchanged."""
    return (key & _LOW) << 1 | key >> 1 & _LOW


def stones_of_all(keys: Any) -> Any:
    """Return how many stones each key of an array has: what the report calls K bits of information."""
    low, high = keys & _LOW, keys >> 1 & _LOW
    return np.bitwise_count(low ^ high).astype(np.int64)


def edges_of_all(keys: Any) -> Any:
    """Return how many points of each key of an array lie beyond the edge."""
    return np.bitwise_count(keys & _LOW & (keys >> 1)).astype(np.int64)


@cache
def _window(shape: Shape, size: int) -> Window:
    stride = size + 2 * shape.radius
    points = len(shape.offsets)
    images = np.array(shape.images, np.int64)
    chunks = (points + 3) // 4
    spread = np.zeros((8, chunks, 256), np.int64)
    words = np.zeros((8, points, 4), np.int64)
    if shape.is_exact:
        codes = np.arange(256)
        for image in range(8):
            for place in range(points):
                code = codes >> 2 * (place % 4) & 3
                spread[image, place // 4] |= code << 2 * images[image, place]
    else:
        random = random_words(41, 4 * points).reshape(points, 4)
        random[:, 0] = 0
        words[:] = random[images]
    return Window(
        offsets=np.array([down * stride + across for down, across in shape.offsets], np.int64),
        spread=spread,
        words=words,
        facts=np.array([size, shape.radius, int(shape.is_exact), chunks], np.int64),
        codes=np.zeros(points, np.int64),
    )
