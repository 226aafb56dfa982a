"""Patterns with their tallies, in arrays that grow. A pattern's number is the order in which it was first seen."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Int32Array, Int64Array, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.shapes import Window, WindowShape
from kibitz.games.go.patterns.windows import NO_WINDOW, swap_colours, turn_key

GROWTH_FACTOR = 1.25  # arrays that are too small grow to this many times the need
COUNT, WON, DECIDED, FIRST_YEAR, LAST_YEAR = range(5)  # the columns of TallyArrays.counts
Reported: TypeAlias = tuple[WindowShape, int]
"""The shape and the board size of windows that are numbered as the report of 2013 did."""
_Scalar = TypeVar("_Scalar", bound=np.generic)


class KeyTable(NamedTuple):
    """Keys with numbers, in the order in which they came: a hash table with open addressing."""

    slots: Ints  # int32 [power of two]: 1 + number, or 0
    keys: Int64Array  # [number]
    used: Ints  # int64 [1]: the number of keys


class KnownWindows(NamedTuple):
    """Windows as they lie, each with the number of its pattern."""

    table: KeyTable
    patterns: Int32Array  # [number in the table]: the pattern's number


class TallyArrays(NamedTuple):
    """What is known of each pattern."""

    counts: Int32Array
    """[pattern, 5]: COUNT, WON by the mover, DECIDED, FIRST_YEAR and LAST_YEAR (0 if no date is known)"""
    example: Int32Array  # [pattern, 2]: a game, from 0, and a move in it, from 1 (or a point of its final board)
    classes: Int32Array  # [pattern, class]: what the move did, by MEANINGS; no columns where patterns are not of moves


class Sightings(NamedTuple):
    """What belongs to each window of a batch. [window]."""

    games: Ints  # int32: the game, from 0
    places: Ints  # int32: the number of the move, or the point
    results: Ints  # int8: 1 if the mover won, 0 if not, -1 without a winner
    classes: Ints  # uint8: what the move did

    @staticmethod
    def blank(n: int) -> Sightings:
        """Return what belongs to n windows of which only the number matters."""
        return Sightings(np.zeros(n, np.int32), np.zeros(n, np.int32), np.full(n, -1, np.int8), np.zeros(n, np.uint8))


@jit
def first_slot(key: int, mask: int) -> int:
    """Return the slot where the search for a key begins."""
    key ^= key >> 29
    key *= 0x1D8E4E27C47D124F
    key ^= key >> 32
    return key & mask


@jit
def look_up(table: KeyTable, key: int) -> int:
    """Return the number of a key, or -1 - slot where it would be put."""
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
    """Return the number of a key, a new one if it has none yet."""
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
    """Put all keys into empty slots."""
    for number in range(table.used[0]):
        table.slots[-1 - look_up(table, table.keys[number])] = number + 1


@entry
def number_keys(table: KeyTable, keys: Ints, numbers: Ints) -> None:
    """Write the number of each key, -1 for NO_WINDOW; new keys get new numbers, for which there must be room."""
    for i in range(len(keys)):
        numbers[i] = -1 if keys[i] == NO_WINDOW else _number_key(table, keys[i])


@entry
def find_keys(table: KeyTable, keys: Ints, numbers: Ints) -> None:
    """Write the number of each key, -1 if it has none."""
    for i in range(len(keys)):
        numbers[i] = -1 if keys[i] == NO_WINDOW else max(look_up(table, keys[i]), -1)


@entry
def _number_report_forms(table: KeyTable, known: KnownWindows, window: Window, keys: Ints, numbers: Ints) -> None:
    """Write the number of each window as the report of 2013 found it: the first known one that is one of 12 forms.

    Keys are exact and of windows as they lie. Which forms are one depends on
    which came first, because 12 forms are no group.
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
    """Return the least number among 12 forms of a window, a new one if none is known."""
    first = table.used[0]
    for image in range(8):
        if image not in (4, 7):
            turned = turn_key(window, key, image)
            for number in (look_up(table, turned), look_up(table, swap_colours(turned))):
                if 0 <= number < first:
                    first = number
    if first == table.used[0]:
        _number_key(table, key)
    return first


@jit
def _add_years(tallies: TallyArrays, number: int, first: int, last: int) -> None:
    """Widen the years of a pattern; 0 is no year."""
    counts = tallies.counts
    if first and (counts[number, FIRST_YEAR] == 0 or first < counts[number, FIRST_YEAR]):
        counts[number, FIRST_YEAR] = first
    if last > counts[number, LAST_YEAR]:
        counts[number, LAST_YEAR] = last


@entry
def _add_tallies(tallies: TallyArrays, numbers: Ints, part: TallyArrays) -> None:
    """Add the tallies of some of the games, whose rows have these numbers; an example stays the one seen first."""
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
    """Add a batch of windows to the tallies."""
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
    """The patterns of one kind that were seen.

    Windows are given by their canonical keys, or as they lie together with `reported`:
    then they are numbered by the report's 12 forms.
    """

    def __init__(self, classes: bool) -> None:
        """Begin without patterns; classes says whether they are of moves, which have meanings."""
        self.table = new_table()  # finds a key; replaced by a larger one as patterns are added
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
        """Return what is known of each pattern."""
        return TallyArrays(*(array[: len(self)] for array in self._arrays))

    @property
    def counts(self) -> Int32Array:
        """Return TallyArrays.counts."""
        return self._arrays.counts[: len(self)]

    def restore(self, keys: Int64Array) -> TallyArrays:
        """Begin with known patterns; return their tallies, to be filled in."""
        self._make_room(len(keys))
        self.table.keys[: len(keys)] = keys
        self.table.used[0] = len(keys)
        _refill(self.table)
        return self.arrays

    def add(self, keys: Int64Array, seen: Sightings, years: Ints, reported: Reported | None = None) -> None:
        """Add windows, with the years of all games."""
        numbers = self.number(keys, reported)
        _add_sightings(self._arrays, numbers, seen, years)

    def merge(self, keys: Int64Array, part: TallyArrays, reported: Reported | None = None) -> None:
        """Add the tallies of later games, with keys in the order in which they were seen."""
        numbers = self.number(keys, reported)
        _add_tallies(self._arrays, numbers, part)

    def number(self, keys: Int64Array, reported: Reported | None = None) -> Int32Array:
        """Return the number of each window, a new one for a new pattern and -1 for NO_WINDOW."""
        self._make_room(len(keys))
        numbers = np.zeros(len(keys), np.int32)
        if reported is None:
            number_keys(self.table, keys, numbers)
            return numbers
        known = self._known or KnownWindows(new_table(), np.zeros(0, np.int32))
        table = _with_room(known.table, len(keys))
        self._known = KnownWindows(table, _grown(known.patterns, len(table.keys)))
        shape, size = reported
        _number_report_forms(self.table, self._known, shape.window(size), keys, numbers)
        return numbers

    def find(self, keys: Int64Array) -> Int32Array:
        """Return the number of each canonical key, -1 if it was never seen."""
        numbers = np.zeros(len(keys), np.int32)
        find_keys(self.table, np.ascontiguousarray(keys, np.int64), numbers)
        return numbers

    def _make_room(self, more: int) -> None:
        """Make room for new patterns."""
        self.table = _with_room(self.table, more)
        room = len(self.table.keys)
        if room > len(self._arrays.counts):
            self._arrays = TallyArrays(*(_grown(array, room) for array in self._arrays))


def new_table(slots: int = 1 << 12, keys: int = 0) -> KeyTable:
    """Return an empty table with room for keys; slots is a power of two."""
    return KeyTable(np.zeros(slots, np.int32), np.zeros(keys, np.int64), np.zeros(1, np.int64))


def _with_room(table: KeyTable, more: int) -> KeyTable:
    """Return a table with room for more keys."""
    needed = int(table.used[0]) + more
    if needed > len(table.keys):
        table = table._replace(keys=_grown(table.keys, int(needed * GROWTH_FACTOR)))
    if 2 * needed > len(table.slots):
        table = table._replace(slots=np.zeros(1 << (2 * needed).bit_length(), np.int32))
        _refill(table)
    return table


def _grown(array: NDArray[_Scalar], room: int) -> NDArray[_Scalar]:
    """Return an array with room for more rows, which are 0."""
    grown = np.zeros((room, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
