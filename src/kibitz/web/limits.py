"""How much one visitor may have, so that there is enough for all.

A visitor is known by the address of their machine. Where that is this very
machine, it tells nothing: all who sit here, or come through a program that passes
requests on, have it. So each of their tables counts as a visitor of its own.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

KNOWN = 10_000
"""Of so many visitors it is remembered how much they did."""


@dataclass(frozen=True)
class Limits:
    """What a server grants."""

    clients: int = 2000
    """Connections at a time."""
    clients_each: int = 50
    """Connections at a time of one visitor."""
    tables: int = 30
    """New tables a minute of one visitor."""
    requests: int = 100
    """Requests of one visitor that are not for reading, in five seconds."""
    messages: int = 100
    """Messages over one connection, in five seconds."""
    engine_seconds: float = 300.0
    """The most an agent may think about a turn."""


class Rate:
    """Lets each visitor do something so often: that many at once, or spread over some seconds."""

    def __init__(self, most: int, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self.most, self.per_second, self._now = most, most / seconds, now
        self._left = OrderedDict[str, tuple[float, float]]()
        """By visitor, who came last at the end: how many are left, and when that was so."""

    def allows(self, visitor: str) -> bool:
        """Return whether a visitor may do it once more, and count it."""
        now = self._now()
        left, then = self._left.pop(visitor, (float(self.most), now))
        left = min(float(self.most), left + (now - then) * self.per_second)
        self._left[visitor] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > KNOWN:
            self._left.popitem(last=False)
        return left >= 1


def is_here(address: str) -> bool:
    """Return whether an address is this machine's own."""
    return address in ("::1", "localhost") or address.startswith("127.")
