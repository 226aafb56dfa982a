"""The nested patterns around a point: their keys, and which of them a model knows. Weights are not used here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import jit
from kibitz.games.go.predict.model import layout
from kibitz.games.go.predict.model.board_kernel import FeatureBoard
from kibitz.games.go.rules.board import BLACK, EMPTY

UNKNOWN = -1
KNOWN, MIN_PLAYED, MAX_KNOWN = range(3)
"""Indices of PatternTable.facts: number of known patterns; plays needed to become known; maximum number known."""
_SIZES = len(layout.PATTERN_SIZES)
_MULTIPLIER = 0x1D8E4E27C47D124F
_MAX_HASH = 0x7FFFFFFFFFFFFFFF


class PatternTable(NamedTuple):
    """The patterns that a model knows, by their keys: a hash table with open addressing."""

    keys: NDArray[np.uint32]  # [slot], a power of two of them: 0 where the slot is free
    features: NDArray[np.int32]  # [slot]: the feature number of the pattern
    counters: NDArray[np.uint8]
    """[hash], a power of two: how often patterns with that hash were played, while patterns are being counted;
    otherwise empty"""
    facts: Ints  # int64: KNOWN, MIN_PLAYED, MAX_KNOWN


class PatternRow(NamedTuple):
    """The features of one candidate: a row of Features."""

    features: Ints  # int32 [place]
    kinds: Ints  # int32 [place]: 1 + family * number of sizes + size for a pattern


def new_pattern_table(slots: int, counters: int, min_played: int, max_known: int) -> PatternTable:
    """Return an empty table, ready to count patterns. slots, counters: powers of two."""
    return PatternTable(
        np.zeros(slots, np.uint32), np.zeros(slots, np.int32), np.zeros(counters, np.uint8),
        np.array([0, min_played, max_known], np.int64),
    )  # fmt: skip


def filled_table(keys: NDArray[np.uint32]) -> PatternTable:
    """Return a table of these patterns, numbered in their order after the fixed features."""
    slots = 1 << (2 * max(len(keys), 1)).bit_length()
    table = new_pattern_table(slots, 0, 0, 0)
    left = np.arange(len(keys))
    places = keys.astype(np.int64) & (slots - 1)
    while len(left):  # in each round every key left tries its next slot, and the first to reach a free slot gets it
        free = table.keys[places] == 0
        chosen = np.flatnonzero(free)[np.unique(places[free], return_index=True)[1]]
        table.keys[places[chosen]] = keys[left[chosen]]
        table.features[places[chosen]] = layout.FIXED_FEATURES + left[chosen]
        rest = np.ones(len(left), bool)
        rest[chosen] = False
        left, places = left[rest], (places[rest] + 1) & (slots - 1)
    table.facts[KNOWN] = len(keys)
    return table


def known_keys(table: PatternTable) -> NDArray[np.uint32]:
    """Return the keys of the patterns in a table, in the order of their features."""
    used = table.keys != 0
    keys = np.zeros(table.facts[KNOWN], np.uint32)
    keys[table.features[used] - layout.FIXED_FEATURES] = table.keys[used]
    return keys


@jit
def _count_played(table: PatternTable, key: int) -> None:
    """Count a pattern that was played. After MIN_PLAYED times it becomes known, up to MAX_KNOWN patterns."""
    place = key & (len(table.counters) - 1)
    if table.counters[place] < 255:
        table.counters[place] += 1
    if table.counters[place] < table.facts[MIN_PLAYED] or table.facts[KNOWN] >= table.facts[MAX_KNOWN]:
        return
    mask = len(table.keys) - 1
    slot = key & mask
    while table.keys[slot]:
        if table.keys[slot] == key:
            return
        slot = (slot + 1) & mask
    table.keys[slot] = key
    table.features[slot] = layout.FIXED_FEATURES + table.facts[KNOWN]
    table.facts[KNOWN] += 1


@jit
def _look_up(table: PatternTable, key: int) -> int:
    """Return the feature of a key, or UNKNOWN. While patterns are being counted, count it and return 0."""
    if len(table.counters):
        _count_played(table, key)
        return 0
    keys = table.keys
    mask = len(keys) - 1
    slot = key & mask
    while keys[slot]:
        if keys[slot] == key:
            feature: int = table.features[slot]
            return feature
        slot = (slot + 1) & mask
    return UNKNOWN


@jit
def _key_of(least: int, salt: int) -> int:
    """Return the key of a pattern, 32 bits and not 0, from the least of its eight hashes."""
    key = least ^ salt
    key ^= key >> 29
    key *= _MULTIPLIER
    key = key >> 32 & 0xFFFFFFFF
    return key if key else 1


@jit
def _write_known(table: PatternTable, least: int, kind: int, salts: Ints, out: PatternRow, n: int) -> int:
    """Write a pattern at place n if it is known; return the new number of features."""
    feature = _look_up(table, _key_of(least, salts[kind]))
    out.features[n], out.kinds[n] = feature, 1 + kind
    return n + (feature != UNKNOWN)


@jit
def write_patterns(fb: FeatureBoard, table: PatternTable, point: int, colour: int, out: PatternRow, n: int) -> int:
    """Write the known patterns around a point, starting at index n; of each family, all sizes up to the largest known.

    Return the new number of features. While patterns are being counted, count all of them instead.
    """
    tables, facts, hashes = fb.tables, fb.facts, fb.hashes
    words, salts, rings = tables.words, tables.salts, fb.rings[colour - BLACK]
    last_offset = _offset_index(tables.at, tables.size, point, facts[0])
    before_offset = _offset_index(tables.at, tables.size, point, facts[1]) if last_offset >= 0 else -1
    linked, twice = last_offset >= 0, before_offset >= 0
    before_offset = max(before_offset, 0)
    for image in range(8):
        hashes[image] = 0
    for ring in range(_SIZES):
        for image in range(8):
            hashes[image] ^= rings[point, ring, image]
        before = n
        n = _write_known(table, _least_hash(hashes), layout.PLAIN * _SIZES + ring, salts, out, n)
        if n == before:
            break
        if linked:
            least, both = _MAX_HASH, _MAX_HASH
            for image in range(8):
                one = hashes[image] ^ words[layout.LAST, last_offset, image]
                least = min(least, one)
                both = min(both, one ^ words[layout.BEFORE, before_offset, image])
            before = n
            n = _write_known(table, least, layout.LINKED * _SIZES + ring, salts, out, n)
            linked = n > before
            if linked and twice:
                before = n
                n = _write_known(table, both, layout.TWICE * _SIZES + ring, salts, out, n)
                twice = n > before
    if last_offset >= 0:
        n = _write_responses(fb, table, point, rings, out, n)
    return _write_with_liberties(fb, table, point, colour, last_offset, out, n)


@jit
def _write_responses(
    fb: FeatureBoard, table: PatternTable, point: int, rings: NDArray[np.int64], out: PatternRow, n: int
) -> int:
    """Write the known patterns around the last move, with the place of the point; return the number of features."""
    tables, hashes, last = fb.tables, fb.hashes, fb.facts[0]
    back = _offset_index(tables.at, tables.size, last, point)
    for image in range(8):
        hashes[image] = tables.words[layout.LAST, back, image]
    for ring in range(layout.RESPONSE_SIZES):
        for image in range(8):
            hashes[image] ^= rings[last, ring, image]
        before = n
        n = _write_known(table, _least_hash(hashes), layout.RESPONSE * _SIZES + ring, tables.salts, out, n)
        if n == before:
            break
    return n


@jit
def _write_with_liberties(
    fb: FeatureBoard, table: PatternTable, point: int, colour: int, last_offset: int, out: PatternRow, n: int
) -> int:
    """Write the known patterns with liberties; return the new number of features. last_offset: -1 if unknown."""
    tables, hashes, i = fb.tables, fb.hashes, 0
    words, salts = tables.words, tables.salts
    for image in range(8):
        hashes[image] = 0
    for ring in range(layout.LIBERTY_SIZES):
        while tables.rings[i] <= ring:
            _add_with_liberties(fb, point, colour, i)
            i += 1
        before = n
        n = _write_known(table, _least_hash(hashes), layout.LIBERTIES * _SIZES + ring, salts, out, n)
        if n == before:
            break
        if last_offset >= 0:
            least = _MAX_HASH
            for image in range(8):
                least = min(least, hashes[image] ^ words[layout.LAST, last_offset, image])
            n = _write_known(table, least, layout.LIBERTIES_LINKED * _SIZES + ring, salts, out, n)
    return n


@jit
def _least_hash(hashes: Ints) -> int:
    least = _MAX_HASH
    for image in range(8):
        least = min(least, hashes[image])
    return least


@jit
def _offset_index(at: Ints, size: int, point: int, move: int) -> int:
    """Return the index of the offset from a point to a move; -1 if the move is unknown, too far or at the point."""
    if move < 0:
        return -1
    down, across = move // size - point // size, move % size - point % size
    if abs(down) > layout.MAX_REACH or abs(across) > layout.MAX_REACH:
        return -1
    return at[down + layout.MAX_REACH, across + layout.MAX_REACH]


@jit
def _add_with_liberties(fb: FeatureBoard, point: int, colour: int, i: int) -> None:
    """Add the content of the point at offset i, with the liberties of its chain, to the hashes."""
    b, tables, hashes = fb.board, fb.tables, fb.hashes
    size = tables.size
    r, c = point // size + tables.downs[i], point % size + tables.acrosses[i]
    mark, liberties = layout.OFF, 0
    if 0 <= r < size and 0 <= c < size:
        cell = b.cells[r * size + c]
        if b.stones[cell] == EMPTY:
            return
        mark = layout.OWN if b.stones[cell] == colour else layout.ENEMY
        liberties = min(fb.liberty_counts[b.head[cell]], 3)
    keys = tables.words
    for image in range(8):
        hashes[image] ^= keys[mark, i, image] * (2 * liberties + 1)  # odd, so that no bit is lost
