"""The guises of a pattern on a board, rotated, mirrored and with colours swapped, as arrays for the search.

Guises that look the same and may lie in the same places are merged. A continuation has the same label in all guises: a
point of the original pattern, the least of those that are equivalent under the pattern's own symmetries.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import BoolArray, Int64Array
from kibitz.core.errors import BadText
from kibitz.games.go.records import changes_kernel as notes
from kibitz.games.go.records.changes import corner_keys, symmetry_tables, turn
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

    @property
    def swapped(self) -> BoolArray:
        """Return for each guise whether its colours are swapped."""
        return np.array([swapped for _, swapped in self.images], bool)


def compile_pattern(pattern: Pattern, size: int, swap: bool = True) -> CompiledPattern:
    """Return a pattern in all its guises; swap: also with colours swapped. Raise BadText if it does not fit."""
    rows, cols = _anchor_range(pattern, size)
    shape = (pattern.height, pattern.width)
    cells = _turned_cells(*shape)
    spans = [_turned_range(rows, cols, shape, size, image) for image in range(8)]
    codes = np.array(pattern.codes()).reshape(2, -1)
    codes = np.array([codes, _swap_colours(codes)] if swap else [codes])[:, :, cells]  # [swapped, mask or value, ...]
    moves = np.zeros(shape, np.int64)  # the numbers of the moves of the sequence
    for number, at in enumerate(pattern.sequence, 1):
        moves[at] = number
    moves = moves.reshape(-1)[cells]
    labels = np.array([_guise_labels(cells, swapped) for swapped in (False, True)[: len(codes)]])
    guise_of: dict[tuple[object, ...], int] = {}
    images = list[tuple[int, bool]]()
    for swapped in range(len(codes)):
        for image in range(8):
            key = (codes[swapped, :, image].tobytes(), moves[image].tobytes(), spans[image], shape[image >> 2])
            first = guise_of.setdefault(key, len(images))
            if first == len(images):
                images.append((image, bool(swapped)))
            else:  # the same guise again: keep the smaller labels
                known = images[first]
                same = labels[int(known[1]), known[0]]
                np.minimum(same, labels[swapped, image], out=same)
    turns, colouring = (np.array(column, np.int64) for column in zip(*images, strict=True))
    guises = _new_guises(
        codes[colouring, 0, turns],
        codes[colouring, 1, turns],
        moves[turns],
        len(pattern.sequence),
        size,
        np.array([(shape[image >> 2], shape[1 - (image >> 2)]) for image, _ in images]),
        np.array([spans[image] for image, _ in images]),
    )
    return CompiledPattern(guises, images, labels[colouring, turns])


def _new_guises(
    masks: Int64Array,
    values: Int64Array,
    moves: Int64Array,
    sequence: int,
    size: int,
    shapes: Int64Array,
    ranges: Int64Array,
) -> Guises:
    """Return guises, with their cells in the order in which the kernel visits them.

    masks, values, moves: [guise, cell], counted row by row. sequence: the number of moves.
    """
    is_stone = (masks == 3) & (values != EMPTY)
    rank = np.minimum(masks, 1).astype(np.int8) + is_stone
    cells = np.argsort(-rank, axis=1, kind="stable")
    rows, cols = np.divmod(cells, shapes[:, 1:])
    last = np.argsort(-moves, axis=1)[:, :sequence]  # the cells of the sequence, its last move first
    is_full = masks.shape[1] == size * size
    return Guises(
        size=size,
        stones=int(is_stone[0].sum()),
        constrained=int(np.count_nonzero(masks[0])),
        most_stones=int((is_stone[0] | (masks[0] < 3)).sum()) if is_full else size * size,
        cells=cells,
        offsets=rows * size + cols,
        masks=np.take_along_axis(masks, cells, 1),
        values=np.take_along_axis(values, cells, 1),
        shapes=shapes,
        ranges=ranges,
        sequence=4 * last + np.take_along_axis(values, last, 1),
    )


@lru_cache
def _turned_cells(height: int, width: int) -> Int64Array:
    """Return the cells of a rectangle, counted row by row, under each of the eight symmetries: [image, cell]."""
    cells = np.arange(height * width).reshape(height, width)
    return np.array([turn(cells, image).reshape(-1) for image in range(8)])


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
    """Return CompiledPattern.labels for guises; cells: the cell of the original pattern at each of their cells."""
    n = cells.shape[1]
    black, white = (n * WHITE, n * BLACK) if swapped else (n * BLACK, n * WHITE)
    return np.concatenate([cells, black + cells, white + cells], axis=1)


class OpeningNote(NamedTuple):
    """What find_noted looks for: a position of the whole board, or of a corner."""

    corner: bool
    stones: int
    note: int


def opening_note(pattern: Pattern, size: int) -> OpeningNote | None:
    """Return what to look up in the notes of games to find those that may contain a pattern.

    Return None for a pattern that notes do not cover: they cover the whole board and its corners of CORNER_LINES,
    without wildcards and with at most MAX_BOARD_STONES or MAX_CORNER_STONES.
    """
    masks, values = pattern.codes()
    lines = notes.CORNER_LINES
    is_corner = pattern.anchor == "corner"
    if is_corner:
        if min(masks.shape) < lines or size < lines:
            return None
        # mirrored, so that the corner of the board is at the top left
        masks, values = masks[:lines, ::-1][:, :lines], values[:lines, ::-1][:, :lines]
    elif pattern.anchor != "full":
        return None
    stones = np.flatnonzero(values)
    max_stones = notes.MAX_CORNER_STONES if is_corner else notes.MAX_BOARD_STONES
    has_wildcards = not np.all(masks == 3)  # the mask of a point that must be empty, black or white is 3
    if has_wildcards or not 1 <= len(stones) <= max_stones:
        return None
    keys = corner_keys() if is_corner else symmetry_tables(size).full
    hashes = np.bitwise_xor.reduce(keys[:, stones, values.reshape(-1)[stones]], axis=1)
    return OpeningNote(is_corner, len(stones), int(hashes.min()) & notes.NOTE_MASK | notes.NOTE_BIT)
