"""The guises of a pattern on a board, rotated, mirrored and with colours swapped, as arrays for the search.

Guises that look the same and may lie in the same places are merged. A continuation has the same label in all guises: a
point of the original pattern, the least of those that are equivalent under the pattern's own symmetries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import BoolArray, Int64Array, Ints
from kibitz.core.errors import BadText
from kibitz.games.go.records import changes_kernel as notes
from kibitz.games.go.records.changes import corner_keys, symmetry_tables, turn
from kibitz.games.go.records.search.pattern import Pattern
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE


class Guises(NamedTuple):
    """Guises for the kernel. int64; a row of a pattern is a word with two bits per point."""

    masks: Int64Array  # [guise, row]: the bits that matter
    values: Int64Array  # [guise, row]: the required values of these bits
    shapes: Int64Array  # [guise, 2]: rows and columns
    ranges: Int64Array
    """[guise, 4]: first and last row, first and last column of the board where its top left corner may lie"""
    sequence: Int64Array
    """[guise, move]: 4 * cell + colour of the moves that must have been played last, the last one first"""


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
    guises = Guises(
        _pack_rows(all_masks, max(height, width)),
        _pack_rows(all_values, max(height, width)),
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


def _pack_rows(codes: list[Int64Array], rows: int) -> Int64Array:
    """Return the masks or values of guises with each row packed into a word, two bits per point: [guise, row]."""
    words = np.zeros((len(codes), rows), np.int64)
    for guise, code in enumerate(codes):
        words[guise, : len(code)] = (code << 2 * np.arange(code.shape[1])).sum(axis=1)
    return words


PAD = 2  # how many points to compare on each side of a changed one
_LINES = (
    ((-1, -1), (-1, 0), (-1, 1), (0, -1)), ((0, 1), (1, -1), (1, 0), (1, 1)),
    ((-2, -1), (-2, 0), (-2, 1)), ((2, -1), (2, 0), (2, 1)), ((-1, -2), (0, -2), (1, -2)), ((-1, 2), (0, 2), (1, 2)),
)  # fmt: skip
"""(down, across) of the points around a changed one: the two halves of its ring, then lines two away on each side."""
LINE_CODES = 256  # codes that a line can have: up to four points, two bits each


class Triggers(NamedTuple):
    """The points of guises that a changed point may be, with tables of what must lie around them. int64."""

    fits: Ints  # [word, LINE_CODES * line + code]: a bit for each trigger that fits the code of a line
    words: Ints  # [4]: the first word of the triggers for EMPTY, BLACK and WHITE, and the total number of words
    guise: Ints  # [trigger]
    row: Ints  # [trigger]: of the point in its guise
    col: Ints


def find_triggers(compiled: CompiledPattern) -> Triggers:
    """Return the triggers of a pattern: the points of its guises that a changed point may be."""
    # for each colour: [guise, row, column, masks of the lines, values of the lines] of every trigger
    columns: list[list[Int64Array]] = [[], [], []]
    for guise, (masks, values) in enumerate(zip(compiled.masks, compiled.values, strict=True)):
        # A point that may be a stone or empty (mask 1 or 2) begins to match only when a stone is removed from it.
        colours = np.where(masks == 3, values, EMPTY)
        codes = [_line_codes(np.pad(part, PAD), line) for part in (masks, values) for line in _LINES]
        for colour in (EMPTY, BLACK, WHITE):
            rows, cols = np.nonzero((colours == colour) & (masks > 0))
            columns[colour].append(np.array([np.full(len(rows), guise), rows, cols, *(c[rows, cols] for c in codes)]))
    parts, words = list[Int64Array](), [0]
    for found in columns:
        joined = np.concatenate(found, axis=1)
        # fill the last word of 64 triggers with ones that fit nothing
        parts.append(np.pad(joined, ((0, 0), (0, -joined.shape[1] % 64)), constant_values=-1))
        words.append(words[-1] + parts[-1].shape[1] // 64)
    table = np.concatenate(parts, axis=1)
    lines = len(_LINES)
    fits = np.concatenate([_fit_bits(table[3 + i], table[3 + lines + i]) for i in range(lines)])
    return Triggers(np.ascontiguousarray(fits.T), np.array(words, np.int64), *(table[i].copy() for i in range(3)))


def _line_codes(padded: Int64Array, line: tuple[tuple[int, int], ...]) -> Int64Array:
    """Return the code of a line of points, two bits each, near every point of a padded array."""
    height, width = padded.shape[0] - 2 * PAD, padded.shape[1] - 2 * PAD
    codes = np.zeros((height, width), np.int64)
    for i, (down, across) in enumerate(line):
        codes |= padded[PAD + down : PAD + down + height, PAD + across : PAD + across + width] << 2 * i
    return codes


def _fit_bits(masks: Int64Array, values: Int64Array) -> Int64Array:
    """Return which triggers fit each code of a line, as bits: [code, word]. Padding has mask -1 and fits nothing."""
    fits = ((np.arange(LINE_CODES)[:, None] ^ values) & masks == 0) & (masks >= 0)
    return np.packbits(fits, axis=1, bitorder="little").view(np.int64)


class OpeningNote(NamedTuple):
    """What find_noted looks for: a position of the whole board, or of a corner."""

    corner: bool
    stones: int
    note: int


def opening_note(compiled: CompiledPattern, anchor: str, size: int) -> OpeningNote | None:
    """Return what to look up in the notes of games to find those that may contain a pattern.

    Return None for a pattern that notes do not cover: they cover the whole board and its corners of CORNER_LINES,
    without wildcards and with at most MAX_BOARD_STONES or MAX_CORNER_STONES.
    """
    masks, values = compiled.masks[0], compiled.values[0]
    lines = notes.CORNER_LINES
    is_corner = anchor == "corner"
    if is_corner:
        if min(masks.shape) < lines or size < lines:
            return None
        # mirrored, so that the corner of the board is at the top left
        masks, values = masks[:lines, ::-1][:, :lines], values[:lines, ::-1][:, :lines]
    elif anchor != "full":
        return None
    stones = np.flatnonzero(values)
    max_stones = notes.MAX_CORNER_STONES if is_corner else notes.MAX_BOARD_STONES
    has_wildcards = not np.all(masks == 3)  # the mask of a point that must be empty, black or white is 3
    if has_wildcards or not 1 <= len(stones) <= max_stones:
        return None
    keys = corner_keys() if is_corner else symmetry_tables(size).full
    hashes = np.bitwise_xor.reduce(keys[:, stones, values.reshape(-1)[stones]], axis=1)
    return OpeningNote(is_corner, len(stones), int(hashes.min()) & notes.NOTE_MASK | notes.NOTE_BIT)
