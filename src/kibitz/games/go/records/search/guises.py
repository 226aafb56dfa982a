"""The guises of a pattern on a board: turned, mirrored and with colours swapped, as arrays for the search.

Guises that look the same and may lie in the same places are one. What their
continuations are called is the same for all of them: a point of the pattern as
it was given, the least of those that its own symmetries make equal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.core.errors import BadText
from kibitz.games.go.records.search.changes import corner_keys, tables, turn
from kibitz.games.go.records.search.changes_kernel import CORNER, MOST_CORNER, MOST_FULL
from kibitz.games.go.records.search.pattern import Pattern
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE


class Guises(NamedTuple):
    """Guises as the kernel reads them. int64; a row of a pattern is a word with two bits for each point."""

    masks: Any
    """[guise, row]: the bits that matter"""
    values: Any
    """[guise, row]: what they must be"""
    shapes: Any
    """[guise, 2]: rows and columns"""
    ranges: Any
    """[guise, 4]: first and last row, first and last column of the board that its top left corner may lie on"""
    sequence: Any
    """[guise, move]: 4 * cell + colour of the moves that must have been played last, the last one first"""


class Compiled(NamedTuple):
    """A pattern made ready for boards of a size."""

    guises: Guises
    images: list[tuple[int, bool]]
    """Guise -> the symmetry that makes it (see changes.turn), and whether colours are swapped."""
    labels: Any
    """int64 [guise, colour * cells + cell]: the same of the pattern, for a continuation"""
    masks: list[Any]
    """Guise -> the masks of its points, [row, column]"""
    values: list[Any]
    """Guise -> the values of its points"""


def compile_pattern(pattern: Pattern, size: int, swap: bool = True) -> Compiled:
    """Return a pattern in all its guises. Raises BadText if it does not fit on the board."""
    height, width = pattern.height, pattern.width
    low, high = _range(pattern, size)
    masks, values = pattern.codes()
    cells = np.arange(height * width).reshape(height, width)
    found: dict[bytes, int] = {}
    images = list[tuple[int, bool]]()
    all_masks, all_values, ranges, labels = list[Any](), list[Any](), list[Any](), list[Any]()
    numbered = np.zeros((height, width), np.int64)
    for number, (row, col) in enumerate(pattern.sequence, 1):
        numbered[row, col] = number
    pieces = masks, values, numbered
    for swapped in (False, True) if swap else (False,):
        pieces = (_swap(masks), _swap(values), numbered) if swapped else pieces
        for image in range(8):
            m, v, order = (turn(piece, image) for piece in pieces)
            span = _turned_range(low, high, (height, width), size, image)
            key = b"".join((m.tobytes(), v.tobytes(), order.tobytes(), bytes(span), bytes(m.shape)))
            label = _labels(turn(cells, image).reshape(-1), swapped)
            if key in found:
                np.minimum(labels[found[key]], label, out=labels[found[key]])
                continue
            found[key] = len(images)
            images.append((image, swapped))
            all_masks.append(m)
            all_values.append(v)
            ranges.append(span)
            labels.append(label)
    guises = Guises(
        _words(all_masks, max(height, width)),
        _words(all_values, max(height, width)),
        np.array([m.shape for m in all_masks], np.int64),
        np.array(ranges, np.int64),
        _sequences(pattern, images),
    )
    return Compiled(guises, images, np.array(labels), all_masks, all_values)


def _range(pattern: Pattern, size: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the least and the greatest row and column of the pattern's top left corner."""
    height, width, anchor = pattern.height, pattern.width, pattern.anchor
    down, across = size - height, size - width
    ranges = {
        "anywhere": ((0, 0), (down, across)),
        "full": ((0, 0), (0, 0)),
        "corner": ((0, across), (0, across)),
        "side": ((0, 1), (0, across - 1)),
        "centre": ((1, 1), (down - 1, across - 1)),
    }
    low, high = ranges[anchor]
    if down < 0 or across < 0 or low[0] > high[0] or low[1] > high[1] or (anchor == "full" and height != size):
        raise BadText(f"A pattern of {height} by {width} points does not fit on a {size}x{size} board as {anchor}.")
    return low, high


def _turned_range(
    low: tuple[int, int], high: tuple[int, int], shape: tuple[int, int], size: int, image: int
) -> tuple[int, int, int, int]:
    """Return the range of a guise: first and last row, first and last column."""
    rows, cols = (low[0], high[0]), (low[1], high[1])
    height, width = shape
    if image & 4:
        rows, cols, height, width = cols, rows, width, height
    if image & 1:
        rows = (size - height - rows[1], size - height - rows[0])
    if image & 2:
        cols = (size - width - cols[1], size - width - cols[0])
    return (*rows, *cols)


def _swap(codes: Any) -> Any:
    """Return masks or values with black and white exchanged."""
    return (codes & 1) << 1 | codes >> 1


def _labels(cells: Any, swapped: bool) -> Any:
    """Return what (colour, cell) of a guise is in the pattern."""
    n = len(cells)
    black, white = (n * WHITE, n * BLACK) if swapped else (n * BLACK, n * WHITE)
    return np.concatenate([cells, black + cells, white + cells])


def _words(codes: list[Any], most: int) -> Any:
    """Return [guise, row] the codes of each row as a word."""
    shifts = 1 << 2 * np.arange(most, dtype=np.int64)
    words = np.zeros((len(codes), most), np.int64)
    for guise, code in enumerate(codes):
        words[guise, : code.shape[0]] = (code * shifts[: code.shape[1]]).sum(axis=1)
    return words


def _sequences(pattern: Pattern, images: list[tuple[int, bool]]) -> Any:
    """Return [guise, move] the moves of a pattern in each guise, the last one first."""
    moves = np.zeros((len(images), len(pattern.sequence)), np.int64)
    for number, (row, col) in enumerate(pattern.sequence):
        at = np.zeros((pattern.height, pattern.width), bool)
        at[row, col] = True
        for guise, (image, swapped) in enumerate(images):
            colour = BLACK if (pattern.rows[row][col] == "X") != swapped else WHITE
            moves[guise, -1 - number] = 4 * int(np.flatnonzero(turn(at, image).reshape(-1))[0]) + colour
    return moves


PAD = 2
"""Points that are looked at on each side of a changed one."""
_LINES = (
    ((-1, -1), (-1, 0), (-1, 1), (0, -1)), ((0, 1), (1, -1), (1, 0), (1, 1)),
    ((-2, -1), (-2, 0), (-2, 1)), ((2, -1), (2, 0), (2, 1)), ((-1, -2), (0, -2), (1, -2)), ((-1, 2), (0, 2), (1, 2)),
)  # fmt: skip
"""Points around a changed one: the two halves of its ring, and then those two away on each side."""
HALF = 256
"""Codes of half a ring."""


class Triggers(NamedTuple):
    """Which points of which guises a changed point can be, by the points around it. int64."""

    fits: Ints
    """[word, 256 * line + code]: bits of the triggers that fit the code of a line, two bits for each of its points"""
    words: Any
    """[4]: the words of triggers for EMPTY, BLACK and WHITE begin here; at last, how many there are"""
    guise: Any
    """[trigger]"""
    row: Any
    """[trigger]: of the point in its guise"""
    col: Any


def triggers(compiled: Compiled) -> Triggers:
    """Return the triggers of a pattern that may lie in many places."""
    columns: list[list[Any]] = [[], [], []]
    for guise, (masks, values) in enumerate(zip(compiled.masks, compiled.values, strict=True)):
        kinds = np.where(masks == 3, values, EMPTY)
        codes = [_line_codes(np.pad(part, PAD), line) for part in (masks, values) for line in _LINES]
        for colour in (EMPTY, BLACK, WHITE):
            rows, cols = np.nonzero((kinds == colour) & (masks > 0))
            columns[colour].append(np.array([np.full(len(rows), guise), rows, cols, *(c[rows, cols] for c in codes)]))
    parts, words = list[Any](), [0]
    for found in columns:
        joined = np.concatenate(found, axis=1)
        parts.append(np.pad(joined, ((0, 0), (0, -joined.shape[1] % 64)), constant_values=-1))
        words.append(words[-1] + parts[-1].shape[1] // 64)
    table = np.concatenate(parts, axis=1)
    lines = len(_LINES)
    fits = np.concatenate([_bits(table[3 + i], table[3 + lines + i]) for i in range(lines)])
    return Triggers(np.ascontiguousarray(fits.T), np.array(words, np.int64), *(table[i].copy() for i in range(3)))


def _line_codes(padded: Any, line: tuple[tuple[int, int], ...]) -> Any:
    """Return for each point the code of a line beside it."""
    height, width = padded.shape[0] - 2 * PAD, padded.shape[1] - 2 * PAD
    parts = [
        padded[PAD + down : PAD + down + height, PAD + across : PAD + across + width] << 2 * i
        for i, (down, across) in enumerate(line)
    ]
    return np.bitwise_or.reduce(parts)


def _bits(masks: Any, values: Any) -> Any:
    """Return [code, word] which triggers fit each code of a line; fillers have the mask -1 and fit nothing."""
    fits = ((np.arange(HALF)[:, None] ^ values) & masks == 0) & (masks >= 0)
    return np.packbits(fits, axis=1, bitorder="little").view(np.int64)


def opening_note(compiled: Compiled, anchor: str, size: int) -> tuple[bool, int, int] | None:
    """Return whether the corners are meant, the stones and the note of an opening position; None if it is none.

    Only where every point of the whole board or of a corner is given there is one.
    """
    masks, values = compiled.masks[0], compiled.values[0]
    if anchor == "corner":
        if min(masks.shape) < CORNER or size < CORNER:
            return None
        masks, values = masks[:CORNER, ::-1][:, :CORNER], values[:CORNER, ::-1][:, :CORNER]
    elif anchor != "full":
        return None
    stones = np.flatnonzero(values)
    if not np.all(masks == 3) or not 1 <= len(stones) <= (MOST_CORNER if anchor == "corner" else MOST_FULL):
        return None
    keys = corner_keys() if anchor == "corner" else tables(size).full
    hashes = np.bitwise_xor.reduce(keys[:, stones, values.reshape(-1)[stones]], axis=1)
    return anchor == "corner", len(stones), int(hashes.min()) & 0x7FFFFFFF | 2
