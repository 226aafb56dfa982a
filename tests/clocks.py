"""Clocks that tests set: they take the place of `time` in a module, so that no test depends on a quick machine."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds to wait for something that must happen. A quick machine never waits so long, a busy one may."""


class StoppedClock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def perf_counter(self) -> float:
        """Return the seconds on the clock."""
        return self.now

    def monotonic(self) -> float:
        """Return the seconds on the clock."""
        return self.perf_counter()


class TickingClock(StoppedClock):
    """Goes on by a tick whenever somebody looks at it."""

    def __init__(self, tick: float) -> None:
        super().__init__()
        self.tick = tick

    def perf_counter(self) -> float:
        """Let a tick pass; return the seconds on the clock."""
        self.now += self.tick
        return self.now


def wait_until(happened: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait for something that happens elsewhere. Raise AssertionError if it does not."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain: {what}"
        time.sleep(0.01)
