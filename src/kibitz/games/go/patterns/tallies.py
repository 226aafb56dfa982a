"""Tallies of patterns in growing arrays. Patterns are numbered in the order in which they were first seen."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Int32Array, Int64Array, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.shapes import Window, WindowShape
from kibitz.games.go.patterns.windows import NO_WINDOW, swap_colours, turn_key

GROWTH_FACTOR = 1.25  # arrays grow to this many times the size needed
COUNT, WON, DECIDED, FIRST_YEAR, LAST_YEAR = range(5)  # the columns of TallyArrays.counts
TwelveForms: TypeAlias = tuple[WindowShape, int]
"""The shape and board size of windows to be numbered by the 12 forms of the 2013 report."""
_Scalar = TypeVar("_Scalar", bound=np.generic)


class KeyTable(NamedTuple):
    """Keys numbered in the order of insertion: a hash table with open addressing."""

    slots: Ints  # int32 [power of two]: 1 + number, or 0 if empty
    keys: Int64Array  # [number]
    used: Ints  # int64 [1]: the number of keys


class KnownWindows(NamedTuple):
    """Windows in their original orientation, each with the number of its pattern."""

    table: KeyTable
    patterns: Int32Array  # [number in the table]: the pattern's number


class TallyArrays(NamedTuple):
    """Counts, an example and move classes for each pattern."""

    counts: Int32Array
    """[pattern, 5]: COUNT, WON by the mover, DECIDED, FIRST_YEAR and LAST_YEAR (0 if unknown)"""
    example: Int32Array  # [pattern, 2]: a game, from 0, and a move in it, from 1 (or a point of its final board)
    classes: Int32Array  # [pattern, class]: moves of each class in MEANINGS; no columns if patterns are not of moves


class Sightings(NamedTuple):
    """Where each window of a batch was seen, and what came of it. [window]."""

    games: Ints  # int32: the game, from 0
    places: Ints  # int32: the number of the move, or the point
    results: Ints  # int8: 1 if the mover won, 0 if not, -1 if nobody did
    classes: Ints  # uint8: the class of the move, by MEANINGS

    @staticmethod
    def blank(n: int) -> Sightings:
        """Return n sightings without game, place or winner, for windows that are only counted."""
        return Sightings(np.zeros(n, np.int32), np.zeros(n, np.int32), np.full(n, -1, np.int8), np.zeros(n, np.uint8))


@jit
def first_slot(key: int, mask: int) -> int:
    """Return the slot where the lookup of a key starts: its bits mixed, then masked."""
    key ^= key >> 29
    key *= 0x1D8E4E27C47D124F
    key ^= key >> 32
    return key & mask


@jit
def look_up(table: KeyTable, key: int) -> int:
    """Return the number of a key, or -1 - slot for the slot where it would be inserted."""
    mask = len(table.slots) - 1
    slot = first_slot(key, mask)
    while table.slots[slot]:
        number = table.slots[slot] - 1
        if table.keys[number] == key:
            return number
        slot = (slot + 1) & mask
    return -1 - slot


@jit
def _number_key(table: KeyTable, key: int) -> int:
    """Return the number of a key, adding the key if it is new."""
    number = look_up(table, key)
    if number >= 0:
        return number
    new = table.used[0]
    table.used[0] = new + 1
    table.keys[new] = key
    table.slots[-1 - number] = new + 1
    return new


@entry
def _refill(table: KeyTable) -> None:
    """Insert all keys into the slots, which must be empty."""
    for number in range(table.used[0]):
        table.slots[-1 - look_up(table, table.keys[number])] = number + 1


@entry
def number_keys(table: KeyTable, keys: Ints, numbers: Ints) -> None:
    """Write the number of each key, -1 for NO_WINDOW. Add new keys, for which there must be room."""
    for i in range(len(keys)):
        numbers[i] = -1 if keys[i] == NO_WINDOW else _number_key(table, keys[i])


@entry
def find_keys(table: KeyTable, keys: Ints, numbers: Ints) -> None:
    """Write the number of each key, or -1 if the table does not have it."""
    for i in range(len(keys)):
        numbers[i] = -1 if keys[i] == NO_WINDOW else max(look_up(table, keys[i]), -1)


@entry
def _number_report_forms(table: KeyTable, known: KnownWindows, window: Window, keys: Ints, numbers: Ints) -> None:
    """Write the number of each window as in the 2013 report: that of the first known pattern among its 12 forms.

    Keys are exact and not canonical. Which windows share a number depends on
    which came first, because the 12 forms are not a group.
    """
    for i in range(len(keys)):
        numbers[i] = -1
        if keys[i] == NO_WINDOW:
            continue
        before = known.table.used[0]
        at = _number_key(known.table, keys[i])
        if at == before:
            known.patterns[at] = _first_form(table, window, keys[i])
        numbers[i] = known.patterns[at]


@jit
def _first_form(table: KeyTable, window: Window, key: int) -> int:
    """Return the lowest number among the 12 forms of a window, adding the window if none is known."""
    first = table.used[0]
    for image in range(8):
        if image not in (4, 7):  # the report left out the two diagonal reflections
            turned = turn_key(window, key, image)
            for number in (look_up(table, turned), look_up(table, swap_colours(turned))):
                if 0 <= number < first:
                    first = number
    if first == table.used[0]:
        _number_key(table, key)
    return first


@jit
def _add_years(tallies: TallyArrays, number: int, first: int, last: int) -> None:
    """Extend the range of years of a pattern by first to last; a year of 0 is unknown."""
    counts = tallies.counts
    if first and (counts[number, FIRST_YEAR] == 0 or first < counts[number, FIRST_YEAR]):
        counts[number, FIRST_YEAR] = first
    if last > counts[number, LAST_YEAR]:
        counts[number, LAST_YEAR] = last


@entry
def _add_tallies(tallies: TallyArrays, numbers: Ints, part: TallyArrays) -> None:
    """Add the tallies of other games, row i to the pattern numbers[i]; keep the example seen first."""
    for i in range(len(numbers)):
        number = numbers[i]
        if tallies.counts[number, COUNT] == 0:
            tallies.example[number, 0] = part.example[i, 0]
            tallies.example[number, 1] = part.example[i, 1]
        for place in range(FIRST_YEAR):
            tallies.counts[number, place] += part.counts[i, place]
        _add_years(tallies, number, part.counts[i, FIRST_YEAR], part.counts[i, LAST_YEAR])
        for place in range(part.classes.shape[1]):
            tallies.classes[number, place] += part.classes[i, place]


@entry
def _add_sightings(tallies: TallyArrays, numbers: Ints, seen: Sightings, years: Ints) -> None:
    """Count a batch of windows; numbers: the pattern of each, or below 0 for none."""
    for i in range(len(numbers)):
        number = numbers[i]
        if number < 0:
            continue
        if tallies.counts[number, COUNT] == 0:
            tallies.example[number, 0] = seen.games[i]
            tallies.example[number, 1] = seen.places[i]
        tallies.counts[number, COUNT] += 1
        if seen.results[i] >= 0:
            tallies.counts[number, DECIDED] += 1
            tallies.counts[number, WON] += seen.results[i]
        year = years[seen.games[i]]
        _add_years(tallies, number, year, year)
        if tallies.classes.shape[1]:
            tallies.classes[number, seen.classes[i]] += 1


class Tally:
    """The patterns of one kind, with their counts.

    Windows are given by their canonical keys. With `twelve_forms` they are given by their keys
    in original orientation, and numbered by the 12 forms of the 2013 report.
    """

    def __init__(self, classes: bool) -> None:
        """Start without patterns. classes: whether the patterns are of moves, which are classified by MEANINGS."""
        self.table = new_table()  # replaced by a larger one as patterns are added
        self._known: KnownWindows | None = None
        shapes = (0, 5), (0, 2), (0, len(MEANINGS) if classes else 0)
        self._arrays = TallyArrays(*(np.zeros(shape, np.int32) for shape in shapes))

    def __len__(self) -> int:
        return self.table.used[0]

    @property
    def keys(self) -> Int64Array:
        """Return the key of each pattern."""
        return self.table.keys[: len(self)]

    @property
    def arrays(self) -> TallyArrays:
        """Return the tallies of all patterns, one row each."""
        return TallyArrays(*(array[: len(self)] for array in self._arrays))

    @property
    def counts(self) -> Int32Array:
        """Return the counts of all patterns, see TallyArrays.counts."""
        return self._arrays.counts[: len(self)]

    def restore(self, keys: Int64Array) -> TallyArrays:
        """Start with the patterns of these keys; return their empty tallies, to be filled in by the caller."""
        self._make_room(len(keys))
        self.table.keys[: len(keys)] = keys
        self.table.used[0] = len(keys)
        _refill(self.table)
        return self.arrays

    def add(self, keys: Int64Array, seen: Sightings, years: Ints, twelve_forms: TwelveForms | None = None) -> None:
        """Count windows, given by their keys and where they were seen. years: the year of each game, by its number."""
        numbers = self.number_windows(keys, twelve_forms)
        _add_sightings(self._arrays, numbers, seen, years)

    def merge(self, keys: Int64Array, part: TallyArrays, twelve_forms: TwelveForms | None = None) -> None:
        """Add the tallies of later games. keys: of their patterns, in the order in which they were first seen."""
        numbers = self.number_windows(keys, twelve_forms)
        _add_tallies(self._arrays, numbers, part)

    def number_windows(self, keys: Int64Array, twelve_forms: TwelveForms | None = None) -> Int32Array:
        """Return the pattern number of each window, or -1 for NO_WINDOW, adding patterns not seen before."""
        self._make_room(len(keys))
        numbers = np.zeros(len(keys), np.int32)
        if twelve_forms is None:
            number_keys(self.table, keys, numbers)
            return numbers
        known = self._known or KnownWindows(new_table(), np.zeros(0, np.int32))
        table = _with_room(known.table, len(keys))
        self._known = KnownWindows(table, _grown(known.patterns, len(table.keys)))
        shape, size = twelve_forms
        _number_report_forms(self.table, self._known, shape.window(size), keys, numbers)
        return numbers

    def find(self, keys: Int64Array) -> Int32Array:
        """Return the pattern number of each canonical key, or -1 if it was never seen."""
        numbers = np.zeros(len(keys), np.int32)
        find_keys(self.table, np.ascontiguousarray(keys, np.int64), numbers)
        return numbers

    def _make_room(self, new_patterns: int) -> None:
        """Make room for this many new patterns."""
        self.table = _with_room(self.table, new_patterns)
        room = len(self.table.keys)
        if room > len(self._arrays.counts):
            self._arrays = TallyArrays(*(_grown(array, room) for array in self._arrays))


def new_table(slots: int = 1 << 12, keys: int = 0) -> KeyTable:
    """Return an empty table with room for this many keys; slots must be a power of two."""
    return KeyTable(np.zeros(slots, np.int32), np.zeros(keys, np.int64), np.zeros(1, np.int64))


def _with_room(table: KeyTable, new_keys: int) -> KeyTable:
    """Return the table, enlarged if needed, with room for this many more keys."""
    needed = int(table.used[0]) + new_keys
    if needed > len(table.keys):
        table = table._replace(keys=_grown(table.keys, int(needed * GROWTH_FACTOR)))
    if 2 * needed > len(table.slots):
        table = table._replace(slots=np.zeros(1 << (2 * needed).bit_length(), np.int32))
        _refill(table)
    return table


def _grown(array: NDArray[_Scalar], room: int) -> NDArray[_Scalar]:
    """Return the array extended with zeros to this many rows."""
    grown = np.zeros((room, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
