"""Remembering what was made last, so that it need not be made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Memory(Generic[T]):
    """Holds so many things by their keys, those asked for last. For one thread at a time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._found = OrderedDict[Hashable, T]()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is remembered, or make it now."""
        if key not in self._found:
            self._found[key] = make()
        self._found.move_to_end(key)
        while len(self._found) > self.most:
            self._found.popitem(last=False)
        return self._found[key]
