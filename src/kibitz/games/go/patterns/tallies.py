"""Patterns with their tallies, in arrays that grow. Their numbers are the order in which they were first seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.games.go.patterns.kernels import windows as kernel
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.shapes import Shape

GROWTH = 1.25
"""Arrays get so much more room than is needed."""


class Tally:
    """The patterns of one kind that were seen."""

    def __init__(self, classes: bool) -> None:
        """Begin with nothing; classes says whether moves have meanings."""
        self._width = len(MEANINGS) if classes else 0
        self._table = _new_table()
        self._lying: kernel.Lying | None = None
        self._tallies = kernel.Tallies(
            np.zeros((0, 5), np.int32), np.zeros((0, 2), np.int32), np.zeros((0, self._width), np.int32)
        )

    def __len__(self) -> int:
        return int(self._table.used[0])

    @property
    def keys(self) -> Any:
        """Return the key of each pattern."""
        return self._table.keys[: len(self)]

    @property
    def table(self) -> kernel.Table:
        """Return the table that finds a key; it may be another once more is added."""
        return self._table

    @property
    def counts(self) -> Any:
        """Return [pattern, 5]: COUNT, WON, DECIDED, FIRST, LAST as in windows_kernel.py."""
        return self._tallies.counts[: len(self)]

    @property
    def example(self) -> Any:
        """Return [pattern, 2]: a game, from 0, and the number of a move in it, from 1, or a point of its last board."""
        return self._tallies.example[: len(self)]

    @property
    def classes(self) -> Any:
        """Return [pattern, class]: how often the move was what; no columns where there are no moves."""
        return self._tallies.classes[: len(self)]

    def make_room(self, more: int) -> None:
        """Make room for so many new patterns."""
        self._table = _roomy(self._table, more)
        room = len(self._table.keys)
        if room > len(self._tallies.counts):
            self._tallies = kernel.Tallies(*(_grown(array, room) for array in self._tallies))

    def restore(self, keys: Any) -> None:
        """Begin with patterns that are known already, whose tallies are filled in then."""
        self.make_room(len(keys))
        self._table.keys[: len(keys)] = keys
        self._table.used[0] = len(keys)
        kernel.refill(self._table)

    def add(self, keys: Any, seen: kernel.Seen, years: Any) -> Any:
        """Add windows by their canonical keys; return the number of each, -1 for none."""
        numbers = self._number(keys)
        kernel.tally(self._tallies, numbers, seen, years)
        return numbers

    def add_as_reported(self, shape: Shape, size: int, keys: Any, seen: kernel.Seen, years: Any) -> Any:
        """Add windows as they lie, and find them by 12 forms in the order they come, as the report of 2013 did."""
        numbers = self._number_as_reported(shape, size, keys)
        kernel.tally(self._tallies, numbers, seen, years)
        return numbers

    def merge(self, keys: Any, part: kernel.Tallies) -> None:
        """Add what was counted of later games: canonical keys in the order in which they were seen, with tallies."""
        numbers = self._number(keys)
        kernel.merge(self._tallies, numbers, part)

    def merge_as_reported(self, shape: Shape, size: int, keys: Any, part: kernel.Tallies) -> None:
        """Do the same for windows as they lie, see add_as_reported."""
        numbers = self._number_as_reported(shape, size, keys)
        kernel.merge(self._tallies, numbers, part)

    def _number(self, keys: Any) -> Any:
        """Return the number of each canonical key, a new one for a new key and -1 for none."""
        self.make_room(len(keys))
        numbers = np.zeros(len(keys), np.int32)
        kernel.number_keys(self._table, keys, numbers)
        return numbers

    def _number_as_reported(self, shape: Shape, size: int, keys: Any) -> Any:
        """Return the number of each window as it lies, the first known of its 12 forms."""
        self.make_room(len(keys))
        if self._lying is None:
            self._lying = kernel.Lying(_new_table(), np.zeros(0, np.int32))
        table = _roomy(self._lying.table, len(keys))
        self._lying = kernel.Lying(table, _grown(self._lying.of, len(table.keys)))
        numbers = np.zeros(len(keys), np.int32)
        kernel.number_report_forms(self._table, self._lying, shape.window(size), keys, numbers)
        return numbers

    def find(self, keys: Any) -> Any:
        """Return the number of each canonical key, -1 where it was never seen."""
        numbers = np.zeros(len(keys), np.int32)
        kernel.find_keys(self._table, np.ascontiguousarray(keys, np.int64), numbers)
        return numbers


def _new_table() -> kernel.Table:
    return kernel.Table(np.zeros(1 << 12, np.int32), np.zeros(0, np.int64), np.zeros(1, np.int64))


def _roomy(table: kernel.Table, more: int) -> kernel.Table:
    """Return a table with room for so many new keys."""
    needed = int(table.used[0]) + more
    if needed > len(table.keys):
        table = table._replace(keys=_grown(table.keys, int(needed * GROWTH)))
    if 2 * needed > len(table.slots):
        table = table._replace(slots=np.zeros(1 << (2 * needed).bit_length(), np.int32))
        kernel.refill(table)
    return table


def _grown(array: Any, room: int) -> Any:
    grown = np.zeros((room, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
