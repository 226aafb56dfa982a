"""Templates: windows with don't-care points, such that the windows for all contents of these points were seen.

A don't-care point is on the board, and may be empty, black or white. Templates that are forms of each other count as
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kibitz.compiled.arrays import Int64Array
from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.mining.mined import Kind
from kibitz.games.go.patterns.shapes import FORMS, FULL, WindowShape, parse_shape, swap_key
from kibitz.games.go.patterns.tallies import COUNT, Tally

MAX_TEMPLATE_POINTS, MAX_WILD_POINTS = 13, 4
ANY = "?"


@dataclass
class Templates:
    """The templates of a kind, those that cover the most windows first. Arrays [template]."""

    shape: WindowShape
    move: bool  # whether the centre is a move
    keys: Int64Array  # keys with don't-care points empty
    masks: Int64Array  # the lower of the two bits of each don't-care point is set
    covered: Int64Array  # [template, filling]: canonical keys of the patterns that it covers; some may be equal
    patterns: Int64Array  # the number of different patterns that it covers
    counts: Int64Array  # the number of windows that it covers

    def __len__(self) -> int:
        return len(self.keys)

    def rows(self, at: int) -> tuple[str, ...]:
        """Return a template as rows of signs."""
        mask = int(self.masks[at])
        wild = {place: ANY for place in range(len(self.shape.offsets)) if mask >> 2 * place & 1}
        return self.shape.rows(self.shape.codes(int(self.keys[at])), {**self.shape.move_mark(self.move), **wild})


def find_templates(kind: Kind, tally: Tally, wild: int = 1, min_count: int = 1) -> Templates:
    """Return the templates with `wild` don't-care points whose fillings were all seen at least min_count times.

    A filling gives every don't-care point a colour or leaves it empty. Raise BadOption if
    the shape has too many points, or if wild is out of range.
    """
    if kind.shape == FULL or len(parse_shape(kind.shape).offsets) > MAX_TEMPLATE_POINTS or kind.forms == 12:
        needed = f"Templates need a shape of up to {MAX_TEMPLATE_POINTS} points, and 8 or 16 forms"
        raise BadOption(f"{needed}, not {kind.shape} in {kind.forms} forms.")
    shape, is_move = parse_shape(kind.shape), kind.source == "moves"
    points = len(shape.offsets)
    if not 1 <= wild <= min(MAX_WILD_POINTS, points - 2):
        raise BadOption(f"A template has 1 to {MAX_WILD_POINTS} don't-care points, not {wild}.")
    seen = np.zeros(4**points, bool)
    for key in _forms(shape, tally.keys[tally.counts[:, COUNT] >= min_count], kind.forms):
        seen[key] = True
    cube = seen.reshape((4,) * points)  # an axis of four codes for each point; the last axis is point 0
    codes = [np.zeros(0, np.int64)]
    places = [place for place in range(points) if not (is_move and place == shape.centre)]
    for chosen in combinations(places, wild):
        view = cube
        for place in chosen:  # keep where the windows with all three contents of the point were seen
            axis = points - 1 - place
            view = np.asarray(np.take(view, range(3), axis=axis).all(axis=axis, keepdims=True))
        keys = np.zeros(int(view.sum()), np.int64)
        for axis, codes_at in enumerate(np.nonzero(view)):
            keys |= codes_at << 2 * (points - 1 - axis)
        mask = np.full(1, sum(1 << 2 * place for place in chosen))
        both = zip(_forms(shape, keys, kind.forms), _forms(shape, mask, kind.forms, swap=False), strict=True)
        codes.append(np.unique(_elementwise_min(turned | turned_mask << 2 * points for turned, turned_mask in both)))
    found = np.unique(np.concatenate(codes))
    return _with_coverage(kind, tally, found & 4**points - 1, found >> 2 * points, wild)


def _with_coverage(kind: Kind, tally: Tally, keys: Int64Array, masks: Int64Array, wild: int) -> Templates:
    """Return templates, given by keys and masks, with the patterns and windows they cover; most windows first."""
    shape = parse_shape(kind.shape)
    bits = (masks[:, None] >> 2 * np.arange(len(shape.offsets))) & 1
    places = np.nonzero(bits)[1].reshape(len(keys), wild)
    covered = np.zeros((len(keys), 3**wild), np.int64)
    for filling in range(3**wild):
        filled = keys.copy()
        for at in range(wild):
            filled |= filling // 3**at % 3 << 2 * places[:, at]
        covered[:, filling] = _elementwise_min(_forms(shape, filled, kind.forms))
    covered.sort(axis=1)
    is_new = np.diff(covered, axis=1, prepend=-1) != 0
    times = tally.counts[:, COUNT].astype(np.int64)[tally.find(covered.reshape(-1))] if len(keys) else covered
    counts = (times.reshape(covered.shape) * is_new).sum(axis=1)
    order = np.lexsort((keys, masks, -counts))
    arrays = (keys, masks, covered, is_new.sum(axis=1), counts)
    return Templates(shape, kind.source == "moves", *(array[order] for array in arrays))


def _elementwise_min(forms: Iterator[Int64Array]) -> Int64Array:
    """Return the elementwise minimum of arrays."""
    least = next(forms)
    for form in forms:
        least = np.minimum(least, form)
    return least


def _forms(shape: WindowShape, keys: Int64Array, forms: int, swap: bool = True) -> Iterator[Int64Array]:
    """Yield the keys in each form, one array per form; without swap, as for masks, no colours are swapped."""
    images, both = FORMS[forms]
    for swapped in (False, True) if both else (False,):
        for image in images:
            turned = np.zeros_like(keys)
            for place, to in enumerate(shape.images[image]):
                turned |= (keys >> 2 * place & 3) << 2 * to
            yield swap_key(turned) if swapped and swap else turned
