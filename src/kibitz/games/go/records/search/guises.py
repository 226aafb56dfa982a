"""The guises of a pattern on a board, rotated, mirrored and with colours swapped, as arrays for the search.

Guises that look the same and may lie in the same places are merged. A continuation has the same label in all guises: a
point of the original pattern, the least of those that are equivalent under the pattern's own symmetries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import BoolArray, Int64Array
from kibitz.core.errors import BadText
from kibitz.games.go.records.changes import turn
from kibitz.games.go.records.search.pattern import Pattern
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE


class Guises(NamedTuple):
    """Guises for the kernel. int64; stones come first in the order of cells, and points that may be anything last."""

    size: int  # of the board
    stones: int  # cells that must have a stone
    constrained: int  # cells that may not be just anything
    most_stones: int  # the number of stones that the board may have
    cells: Int64Array  # [guise, i]: the cells, counted row by row
    offsets: Int64Array  # [guise, i]: how many points of the board each is after the top left corner
    masks: Int64Array  # [guise, i]: the bits that matter
    values: Int64Array  # [guise, i]: the required values of these bits
    shapes: Int64Array  # [guise, 2]: rows and columns
    ranges: Int64Array
    """[guise, 4]: first and last row, first and last column of the board where its top left corner may lie"""
    sequence: Int64Array
    """[guise, move]: 4 * cell + colour of the moves that must have been played last, the last one first"""

    @property
    def placements(self) -> int:
        """Return the number of guises times places."""
        top, bottom, left, right = self.ranges.T
        return int(((bottom - top + 1) * (right - left + 1)).sum())


class CompiledPattern(NamedTuple):
    """A pattern prepared for one board size."""

    guises: Guises
    images: list[tuple[int, bool]]
    """Guise -> the symmetry that makes it (see changes.turn), and whether colours are swapped."""
    labels: Int64Array  # [guise, colour * cells + cell]: the same of the original pattern, to label a continuation
    masks: list[Int64Array]  # guise -> the masks of its points, [row, column]
    values: list[Int64Array]  # guise -> the values of its points

    @property
    def swapped(self) -> BoolArray:
        """Return for each guise whether its colours are swapped."""
        return np.array([swapped for _, swapped in self.images], bool)


def compile_pattern(pattern: Pattern, size: int, swap: bool = True) -> CompiledPattern:
    """Return a pattern in all its guises; swap: also with colours swapped. Raise BadText if it does not fit."""
    height, width = pattern.height, pattern.width
    rows, cols = _anchor_range(pattern, size)
    masks, values = pattern.codes()
    cells = np.arange(height * width).reshape(height, width)
    numbered = np.zeros((height, width), np.int64)
    for number, (row, col) in enumerate(pattern.sequence, 1):
        numbered[row, col] = number
    guise_of: dict[bytes, int] = {}
    images = list[tuple[int, bool]]()
    all_masks, all_values, labels = list[Int64Array](), list[Int64Array](), list[Int64Array]()
    ranges, sequences, last = list[tuple[int, int, int, int]](), list[Int64Array](), len(pattern.sequence)
    for swapped in (False, True) if swap else (False,):
        if swapped:
            masks, values = _swap_colours(masks), _swap_colours(values)
        for image in range(8):
            m, v, order = (turn(array, image) for array in (masks, values, numbered))
            span = _turned_range(rows, cols, (height, width), size, image)
            key = b"".join((m.tobytes(), v.tobytes(), order.tobytes(), bytes(span), bytes(m.shape)))
            label = _guise_labels(turn(cells, image).reshape(-1), swapped)
            if key in guise_of:  # the same guise again: keep the smaller labels
                same = labels[guise_of[key]]
                np.minimum(same, label, out=same)
                continue
            guise_of[key] = len(images)
            images.append((image, swapped))
            all_masks.append(m)
            all_values.append(v)
            ranges.append(span)
            labels.append(label)
            moves = np.argsort(order, axis=None)[::-1][:last]  # the cells of the sequence, its last move first
            sequences.append(4 * moves + v.reshape(-1)[moves])
    orders = [_search_order(m, v) for m, v in zip(all_masks, all_values, strict=True)]
    sorted_cells, is_stone = np.array(orders), _is_stone(masks, values)
    widths = np.array([m.shape[1] for m in all_masks])[:, None]
    guises = Guises(
        size,
        int(is_stone.sum()),
        int(np.count_nonzero(masks)),
        int((is_stone | (masks < 3)).sum()) if masks.size == size * size else size * size,
        sorted_cells,
        sorted_cells // widths * size + sorted_cells % widths,
        *(
            np.array([a.reshape(-1)[order] for a, order in zip(codes, orders, strict=True)])
            for codes in (all_masks, all_values)
        ),
        np.array([m.shape for m in all_masks], np.int64),
        np.array(ranges, np.int64),
        np.array(sequences, np.int64).reshape(len(images), last),
    )
    return CompiledPattern(guises, images, np.array(labels), all_masks, all_values)


def _anchor_range(pattern: Pattern, size: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the first and last row and column where a pattern's top left corner may lie. Raise BadText if nowhere."""
    height, width, anchor = pattern.height, pattern.width, pattern.anchor
    down, across = size - height, size - width
    rows, cols = {
        "anywhere": ((0, down), (0, across)),
        "full": ((0, 0), (0, 0)),
        "corner": ((0, 0), (across, across)),
        "side": ((0, 0), (1, across - 1)),
        "centre": ((1, down - 1), (1, across - 1)),
    }[anchor]
    if min(down, across) < 0 or rows[0] > rows[1] or cols[0] > cols[1] or (anchor == "full" and height != size):
        raise BadText(
            f"A pattern of {height} by {width} points does not fit on a {size}x{size} board as {anchor}; crop it."
        )
    return rows, cols


def _turned_range(
    rows: tuple[int, int], cols: tuple[int, int], shape: tuple[int, int], size: int, image: int
) -> tuple[int, int, int, int]:
    """Return where the top left corner of a pattern may lie once a symmetry has turned the board.

    rows, cols: the first and last row and column where it may lie before; the result lists the same four. shape: the
    height and width of the pattern before.
    """
    height, width = shape
    if image & 4:
        rows, cols, height, width = cols, rows, width, height
    if image & 1:
        rows = (size - height - rows[1], size - height - rows[0])
    if image & 2:
        cols = (size - width - cols[1], size - width - cols[0])
    return (*rows, *cols)


def _swap_colours(codes: Int64Array) -> Int64Array:
    """Return masks or values with black and white exchanged."""
    return (codes & 1) << 1 | codes >> 1


def _guise_labels(cells: Int64Array, swapped: bool) -> Int64Array:
    """Return CompiledPattern.labels for a guise; cells: the cell of the original pattern at each of its cells."""
    n = len(cells)
    black, white = (n * WHITE, n * BLACK) if swapped else (n * BLACK, n * WHITE)
    return np.concatenate([cells, black + cells, white + cells])


def _is_stone(masks: Int64Array, values: Int64Array) -> BoolArray:
    """Return which points must have a stone."""
    return (masks == 3) & (values != EMPTY)


def _search_order(masks: Int64Array, values: Int64Array) -> Int64Array:
    """Return the cells of a guise in the order in which the kernel visits them."""
    rank = np.where(_is_stone(masks, values), 0, np.where(masks > 0, 1, 2))
    return np.argsort(rank, axis=None, kind="stable")
