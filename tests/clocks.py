"""Time in tests: clocks that a test sets, and waiting for what must happen.

A clock takes the place of `time` in one of our modules, so that no test depends on a quick machine.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable

from kibitz.core.agent import Watch

PATIENCE = 300.0
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


def wait_until(happened: Callable[[], object], what: str, seconds: float = PATIENCE, pause: float = 0.01) -> None:
    """Wait for something that happens elsewhere. Raise AssertionError if it does not. pause: seconds between looks."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain: {what}"
        time.sleep(pause)


def interrupt_search() -> threading.Thread:
    """Press Ctrl-C once the main thread waits for a search, from a thread that is returned."""

    def interrupt() -> None:
        wait_until(_is_supervising, "a search to interrupt")
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


def _is_supervising() -> bool:
    """Return whether the main thread waits in kibitz.search.control.supervise for a search that has begun."""
    frame, names = sys._current_frames().get(threading.main_thread().ident or 0), list[str]()
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return {"supervise", "wait"} <= set(names) and "start" not in names


class StopWatch(Watch):
    """Stops a search as soon as the search has shown something."""

    __slots__ = ("_happened", "_pressed")

    def __init__(self, happened: Callable[[Watch], bool] = lambda watch: watch.nodes > 0) -> None:
        self._happened = happened
        super().__init__()

    @property
    def stopped(self) -> bool:
        """Whether the search should end."""
        return self._pressed or self._happened(self)

    @stopped.setter
    def stopped(self, pressed: bool) -> None:
        self._pressed = pressed
