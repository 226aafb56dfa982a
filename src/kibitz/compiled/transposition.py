"""The transposition table of the searches: entries indexed by position keys.

Each slot has two words, key xor data and data, so that threads can share a table without a lock: a slot half written by
two threads matches no key. Two slots make a bucket: the first keeps the deepest search, the second the latest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import jit

NO_ENTRY = 0
"""The result of probe for an unknown position; no entry is 0."""
LOWER, UPPER, EXACT = 1, 2, 3
"""What the stored value is: a lower bound, an upper bound, or both (the exact value)."""

MAX_ENTRY_DEPTH = 255
"""The maximum depth of an entry, and so of a search that uses the table."""


class TranspositionTable(NamedTuple):
    """The two words of each slot, in two arrays of length 2**bits."""

    keys: Ints
    """int64: key xor data"""
    data: Ints
    """int64, from the low end: bound (2 bits), solved (1), depth (8), move (16), value (32)"""


def new_table(bits: int) -> TranspositionTable:
    """Return an empty table with 2**bits slots of 16 bytes each; with no slots if bits is 0."""
    slots = 1 << bits if bits else 0
    return TranspositionTable(np.zeros(slots, np.int64), np.zeros(slots, np.int64))


@jit
def entry_of(value: int, move: int, depth: int, solved: int, bound: int) -> int:
    """Pack an entry into a data word; move: -1 for no move."""
    return (value << 27) | ((move + 1) << 11) | (depth << 3) | (solved << 2) | bound


@jit
def bound_of(data: int) -> int:
    """Return what kind of bound the value is: LOWER, UPPER or EXACT."""
    return data & 3


@jit
def solved_of(data: int) -> int:
    """Return 1 if the value is proved, 0 if it depends on an estimate."""
    return (data >> 2) & 1


@jit
def depth_of(data: int) -> int:
    """Return the depth of the search behind the value."""
    return (data >> 3) & 0xFF


@jit
def move_of(data: int) -> int:
    """Return the best move, or -1 if there is none."""
    return ((data >> 11) & 0xFFFF) - 1


@jit
def value_of(data: int) -> int:
    """Return the stored value."""
    return data >> 27


@jit
def probe(table: TranspositionTable, key: int) -> int:
    """Return the data word of a position, or NO_ENTRY if it is unknown."""
    first = key & (len(table.data) - 2)
    for slot in (first, first + 1):
        data = table.data[slot]
        if data != NO_ENTRY and table.keys[slot] ^ data == key:
            return data
    return NO_ENTRY


@jit
def store(table: TranspositionTable, key: int, data: int) -> None:
    """Store the data word of a position, in place of a shallower or older entry."""
    slot = key & (len(table.data) - 2)
    held = table.data[slot]
    same = held != NO_ENTRY and table.keys[slot] ^ held == key
    if not same and held != NO_ENTRY and _weight(held) > _weight(data):
        slot += 1
    table.keys[slot] = key ^ data
    table.data[slot] = data


@jit
def _weight(data: int) -> int:
    """Return the priority of an entry: its depth, with proved entries above all others."""
    return depth_of(data) + 256 * solved_of(data)
