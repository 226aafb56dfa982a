"""Shapes of windows, keys of windows, and the forms of a window that count as one pattern.

A window is the content of the points of a shape around a centre:

    .  0  an empty point        O  2  a white stone
    X  1  a black stone         #  3  beyond the edge of the board

Its key has two bits for each point, row by row from the top left. For a shape of more than MAX_EXACT_POINTS points the
key is a hash, which cannot be decoded. The canonical key is the least among the forms of a window.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from kibitz.compiled.arrays import Int64Array, Ints
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.kernel.board import random_words
from kibitz.games.go.records.changes import turn
from kibitz.games.go.rules.board import EMPTY, Board, other

SIGNS = ".XO#"
OFF_BOARD = 3  # the code of a point beyond the edge
LOW_BITS = 0x1555555555555555  # the lower bit of each point of a key
MAX_EXACT_POINTS = 31  # points that fit into 64 bits with two bits each
MAX_RADIUS = 18
FORMS = {8: (range(8), False), 12: ((0, 1, 2, 3, 5, 6), True), 16: (range(8), True)}
"""Number of forms -> symmetries, numbered as in changes.turn, and whether colours are swapped too.

8 are used for moves, seen from the mover's side. 16 are all. 12 are those of Singh's
2013 report, which left out the two diagonal reflections (4 and 7).
"""
FULL = "full"  # the whole board as a shape; it has no centre and is handled separately
_Keys = TypeVar("_Keys", int, Int64Array)
_NAMES = re.compile(r"(?:(\d+)x(\d+)|(diamond|circle)(\d+))")


class Window(NamedTuple):
    """The kernel's tables for a shape on one board size, with scratch space. Not thread-safe."""

    size: int
    radius: int
    exact: bool  # whether keys encode all points rather than a hash
    offsets: Int64Array  # [point]: offset of its cell from the centre's
    spread: Int64Array  # [symmetry, four points, 256]: where the codes of four points go in the key
    words: Int64Array  # [symmetry, point, code]: random words for the hash, unless keys are exact
    codes: Ints  # int64 [point]: scratch
    board: Ints  # uint8 [cell]: scratch, (size + 2 * radius) squared


@dataclass(frozen=True)
class WindowShape:
    """Points around a centre. Make one with `parse_shape`."""

    name: str
    offsets: tuple[tuple[int, int], ...]
    """(down, across) of each point, row by row from the top left; the centre is among them."""

    @cached_property
    def radius(self) -> int:
        """Return the greatest distance from the centre, in lines."""
        return max(max(abs(down), abs(across)) for down, across in self.offsets)

    @property
    def side(self) -> int:
        """Return the side of the enclosing square, in lines."""
        return 2 * self.radius + 1

    @property
    def is_exact(self) -> bool:
        """Return whether its keys can be decoded."""
        return len(self.offsets) <= MAX_EXACT_POINTS

    @cached_property
    def centre(self) -> int:
        """Return the index of the centre among its points."""
        return self.offsets.index((0, 0))

    @cached_property
    def images(self) -> tuple[tuple[int, ...], ...]:
        """Return, for each of the eight symmetries, the index of the point to which each point is mapped."""
        places = np.full((self.side, self.side), -1, np.int64)
        cells = tuple(np.array(self.offsets).T + self.radius)
        places[cells] = np.arange(len(self.offsets))
        return tuple(tuple(np.argsort(turn(places, image)[cells]).tolist()) for image in range(8))

    def key(self, codes: Sequence[int]) -> int:
        """Return the key of a window, given the codes of its points. Only for exact shapes."""
        return sum(code << 2 * place for place, code in enumerate(codes))

    def codes(self, key: int) -> list[int]:
        """Return the codes of the points of a window, given its key. Only for exact shapes."""
        return [key >> 2 * place & 3 for place in range(len(self.offsets))]

    def form(self, key: int, image: int, swapped: bool = False) -> int:
        """Return the key of a window under a symmetry, optionally with colours swapped."""
        turned = sum((key >> 2 * place & 3) << 2 * to for place, to in enumerate(self.images[image]))
        return swap_key(turned) if swapped else turned

    def forms(self, key: int, forms: int = 16) -> list[int]:
        """Return the keys of all forms of a window, the window itself first; some may be equal."""
        images, swaps = FORMS[forms]
        sides = (False, True) if swaps else (False,)
        return [self.form(key, image, swapped) for swapped in sides for image in images]

    def canonical(self, key: int, forms: int = 16) -> int:
        """Return the least key among the forms of a window; with 12 forms, no group, it varies between them."""
        return min(self.forms(key, forms))

    def parse(self, rows: Sequence[str]) -> int:
        """Return the key of a window written as by `rows`; * counts as empty. Raise BadText if the rows are invalid."""
        if [len(row) for row in rows] != [self.side] * self.side:
            raise BadText(f"A window of {self.name} has {self.side} rows of {self.side} characters.")
        signs = [rows[down + self.radius][across + self.radius] for down, across in self.offsets]
        for sign in signs:
            if sign not in SIGNS + "*":
                raise BadText(f"A window cannot contain {sign!r}: use {SIGNS} and * for the move.")
        return self.key([(SIGNS + "*").index(sign) & 3 for sign in signs])

    def rows(self, codes: Sequence[int], marks: dict[int, str] | None = None) -> tuple[str, ...]:
        """Return a window as rows of text, blank outside the shape; marks replace the characters of some points."""
        grid = [[" "] * self.side for _ in range(self.side)]
        for place, (down, across) in enumerate(self.offsets):
            grid[down + self.radius][across + self.radius] = (marks or {}).get(place, SIGNS[codes[place]])
        return tuple("".join(row) for row in grid)

    def move_mark(self, is_move: bool = True) -> dict[int, str]:
        """Return the marks for `rows` that draw the centre as a move."""
        return {self.centre: "*"} if is_move else {}

    def window(self, size: int) -> Window:
        """Return the kernel's tables for a board size, with new scratch space."""
        window = _window_tables(self, size)
        cells = (size + 2 * self.radius) ** 2
        return window._replace(codes=np.zeros(len(self.offsets), np.int64), board=np.zeros(cells, np.uint8))


@cache
def parse_shape(name: str) -> WindowShape:
    """Return a shape by name: 3x3 or any odd square, diamondN of radius N, or circleN as in Pachi's spatial patterns.

    A circle has the points with dx + dy + max(dx, dy) up to N; circle3 is 3x3, and
    circle4 the diamond of radius 2. Raise BadOption for other names.
    """
    found = _NAMES.fullmatch(name.strip().lower())
    if not found:
        raise BadOption(f"Unknown shape {name[:40]!r}; use 3x3, 5x5 and so on, diamond2, circle5, or full.")
    kind, reach = found[3], int(found[4] or int(found[1]) // 2)
    if not kind and (found[1] != found[2] or int(found[1]) % 2 == 0):
        raise BadOption(f"A square shape must have the same odd number of points on each side, got {name[:20]}.")
    radius = reach // 2 if kind == "circle" else reach
    if not 1 <= radius <= MAX_RADIUS:
        raise BadOption(f"The shape {name[:20]} reaches {radius} lines from its centre; use 1 to {MAX_RADIUS}.")
    lines = range(-radius, radius + 1)
    offsets = tuple((a, b) for a in lines for b in lines if _distance(kind, abs(a), abs(b)) <= reach)
    return WindowShape(f"{kind}{reach}" if kind else f"{2 * radius + 1}x{2 * radius + 1}", offsets)


def _distance(kind: str | None, down: int, across: int) -> int:
    """Return the distance of a point from the centre, by the measure of a kind of shape."""
    if kind is None:
        return max(down, across)
    return down + across if kind == "diamond" else down + across + max(down, across)


def window_rows(board: Board, colour: int, point: int, shape: str, move: bool = True) -> tuple[str, ...]:
    """Return the window around a point as rows of text, with `colour` as X and, for a move, * in the centre."""
    chosen, size = parse_shape(shape), board.size
    codes = {EMPTY: 0, colour: 1, other(colour): 2}
    row, col = divmod(point, size)
    around = [
        codes[board.points[(row + down) * size + col + across]]
        if 0 <= row + down < size and 0 <= col + across < size
        else OFF_BOARD
        for down, across in chosen.offsets
    ]
    return chosen.rows(around, chosen.move_mark(move))


def swap_key(key: _Keys) -> _Keys:
    """Return an exact key, or an array of them, with black and white swapped."""
    return (key & LOW_BITS) << 1 | key >> 1 & LOW_BITS


def count_stones(keys: Int64Array) -> Int64Array:
    """Return the number of stones in each key: points with exactly one bit set. The report calls it K bits."""
    return np.asarray(np.bitwise_count(keys & LOW_BITS ^ keys >> 1 & LOW_BITS), np.int64)


def count_off_board(keys: Int64Array) -> Int64Array:
    """Return the number of points beyond the edge in each key: points with both bits set."""
    return np.asarray(np.bitwise_count(keys & LOW_BITS & keys >> 1), np.int64)


@cache
def _window_tables(shape: WindowShape, size: int) -> Window:
    """Return the kernel's tables for a shape on a board size, without scratch space."""
    stride, points = size + 2 * shape.radius, len(shape.offsets)
    images = np.array(shape.images, np.int64)
    spread, words = np.zeros((8, (points + 3) // 4, 256), np.int64), np.zeros((8, points, 4), np.int64)
    if shape.is_exact:
        for image in range(8):
            for place in range(points):
                code = np.arange(256) >> 2 * (place % 4) & 3  # of this point, for each value of four points
                spread[image, place // 4] |= code << 2 * images[image, place]
    else:
        random = random_words(41, 4 * points).reshape(points, 4)
        random[:, 0] = 0
        words[:] = random[images]
    offsets = np.array([down * stride + across for down, across in shape.offsets], np.int64)
    nothing = np.zeros(0, np.int64)
    return Window(size, shape.radius, shape.is_exact, offsets, spread, words, nothing, nothing)
