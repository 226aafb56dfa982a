"""Templates: windows with points that do not matter, because every filling of them was seen.

A don't-care point is on the board, and empty, black or white there. Templates
that are forms of each other are one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.mining.mined import Gathered, Kind
from kibitz.games.go.patterns.shapes import FORMS, FULL, Shape, parse_shape, swap_key

MOST_POINTS, MOST_WILD = 13, 4
ANY = "?"


@dataclass
class Templates:
    """The templates of a kind, those that cover most windows first. Arrays [template]."""

    shape: Shape
    move: bool
    """Whether the centre is a move."""
    keys: Any
    """Keys with don't-care points empty"""
    masks: Any
    """1 in the two bits of each don't-care point"""
    covered: Any
    """[template, filling] the canonical keys of the patterns that it covers; a few may be the same"""
    patterns: Any
    """How many different patterns that is"""
    counts: Any
    """How many windows"""

    def __len__(self) -> int:
        return len(self.keys)

    def rows(self, at: int) -> tuple[str, ...]:
        """Return a template as rows of signs."""
        rows = [list(row) for row in self.shape.rows(self.shape.codes(int(self.keys[at])), self.move)]
        for place, (down, across) in enumerate(self.shape.offsets):
            if int(self.masks[at]) >> 2 * place & 1:
                rows[down + self.shape.radius][across + self.shape.radius] = ANY
        return tuple("".join(row) for row in rows)


def templates(kind: Kind, gathered: Gathered, wild: int = 1, min_count: int = 1) -> Templates:
    """Return the templates with so many don't-care points whose fillings were all seen at least so often.

    Raises BadOption if the shape has too many points, or so many are not possible.
    """
    if kind.shape == FULL or len(parse_shape(kind.shape).offsets) > MOST_POINTS or kind.forms == 12:
        raise BadOption(f"Templates are made of shapes of up to {MOST_POINTS} points, in 8 or 16 forms.")
    shape, move = parse_shape(kind.shape), kind.source == "moves"
    points = len(shape.offsets)
    if not 1 <= wild <= min(MOST_WILD, points - 2):
        raise BadOption(f"A template has 1 to {MOST_WILD} don't-care points, not {wild}.")
    tally = gathered.tally
    seen = np.zeros(4**points, bool)
    for key in _forms(shape, tally.keys[tally.counts[:, 0] >= min_count], kind.forms):
        seen[key] = True
    cube = seen.reshape((4,) * points)
    codes = [np.zeros(0, np.int64)]
    places = [place for place in range(points) if not (move and place == shape.centre)]
    for chosen in combinations(places, wild):
        view: Any = cube
        for place in chosen:  # the last axis is point 0
            view = np.take(view, range(3), axis=points - 1 - place).all(axis=points - 1 - place, keepdims=True)
        keys = np.zeros(int(view.sum()), np.int64)
        for axis, codes_at in enumerate(np.nonzero(view)):
            keys |= codes_at << 2 * (points - 1 - axis)
        mask = sum(1 << 2 * place for place in chosen)
        pairs = _forms(shape, keys, kind.forms), _forms(shape, np.full(1, mask), kind.forms, swap=False)
        least: Any = None
        for turned, turned_mask in zip(*pairs, strict=True):
            code = turned | turned_mask << 2 * points
            least = code if least is None else np.minimum(least, code)
        codes.append(np.unique(least))
    found = np.unique(np.concatenate(codes))
    return _covering(shape, move, kind, tally, found & 4**points - 1, found >> 2 * points, wild)


def _covering(shape: Shape, move: bool, kind: Kind, tally: Any, keys: Any, masks: Any, wild: int) -> Templates:
    """Return templates with what they cover."""
    points = len(shape.offsets)
    places = np.zeros((len(keys), wild), np.int64)
    bits = (masks[:, None] >> 2 * np.arange(points)) & 1
    if len(keys):
        places = np.nonzero(bits)[1].reshape(-1, wild)
    covered = np.zeros((len(keys), 3**wild), np.int64)
    for filling in range(3**wild):
        filled = keys.copy()
        for at in range(wild):
            filled |= filling // 3**at % 3 << 2 * places[:, at]
        least: Any = filled
        for form in _forms(shape, filled, kind.forms):
            least = np.minimum(least, form)
        covered[:, filling] = least
    covered.sort(axis=1)
    new = np.ones(covered.shape, bool)
    new[:, 1:] = covered[:, 1:] != covered[:, :-1]
    numbers = tally.find(covered.reshape(-1)).reshape(covered.shape)
    counts = (tally.counts[numbers, 0].astype(np.int64) * new).sum(axis=1) if len(keys) else np.zeros(0, np.int64)
    order = np.lexsort((keys, masks, -counts))
    patterns = new.sum(axis=1)
    return Templates(shape, move, keys[order], masks[order], covered[order], patterns[order], counts[order])


def _forms(shape: Shape, keys: Any, forms: int, swap: bool = True) -> Iterator[Any]:
    """Yield all keys in each form; without swap, those with swapped colours as they are otherwise."""
    images, both = FORMS[forms]
    for swapped in (False, True) if both else (False,):
        for image in images:
            turned = np.zeros_like(keys)
            for place, to in enumerate(shape.images[image]):
                turned |= (keys >> 2 * place & 3) << 2 * to
            yield swap_key(turned) if swapped and swap else turned
