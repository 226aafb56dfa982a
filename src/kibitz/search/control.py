"""Running a kernel so that it can be watched and stopped.

The kernel runs on a worker thread without the interpreter lock and shares one small array, the signal, with the caller:
it reads STOP at every node or playout and writes the rest. The caller watches the deadline: a kernel has no clock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.core.agent import Watch

STOP, DEPTH, VALUE, MOVE, NODES = range(5)
"""Indices into a signal: 1 to stop; depth, value and best move so far (-1: no move yet); nodes or playouts so far."""

R = TypeVar("R")
_POLL_SECONDS = 0.02
"""Interval at which to update the watch and check for a stop or Ctrl-C while a kernel runs."""


def new_signal() -> Ints:
    """Return the signal of a search that has not started."""
    signal = np.zeros(5, np.int64)
    signal[MOVE] = -1
    return signal


def zeros(**shapes: int | tuple[int, int]) -> dict[str, Ints]:
    """Return a kernel's working arrays by name: int64 zeros of the given shapes."""
    return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}


def supervise(
    kernel: Callable[[], R],
    signal: Ints,
    seconds: float | None = None,
    watch: Watch | None = None,
    show: Callable[[int], float] = float,
) -> R:
    """Run a kernel until it ends, the deadline passes, or the watch or Ctrl-C stops it; return its result.

    show converts the kernel's values to the unit of the watch. After Ctrl-C, KeyboardInterrupt is raised once the
    kernel has stopped.
    """
    results: list[R] = []
    faults: list[BaseException] = []

    done = threading.Event()  # not Thread.join, which CPython 3.11 leaves broken when Ctrl-C interrupts it

    def work() -> None:
        try:
            results.append(kernel())
        except BaseException as fault:  # raised again below, on the caller's thread
            faults.append(fault)
        finally:
            done.set()

    deadline = None if seconds is None else time.perf_counter() + seconds
    threading.Thread(target=copy_context().run, args=(work,), name="kibitz-search", daemon=True).start()
    try:
        while not done.is_set():
            left = _POLL_SECONDS if deadline is None else min(_POLL_SECONDS, deadline - time.perf_counter())
            done.wait(max(left, 0.0))
            if watch is not None:
                _report(signal, watch, show)
            late = deadline is not None and time.perf_counter() >= deadline
            if late or (watch is not None and watch.stopped):
                signal[STOP] = 1
                done.wait()
    except BaseException:
        signal[STOP] = 1
        done.wait()
        raise
    if faults:
        raise faults[0]
    return results[0]


def _report(signal: Ints, watch: Watch, show: Callable[[int], float]) -> None:
    watch.nodes = int(signal[NODES])
    if signal[MOVE] >= 0:
        watch.depth, watch.move, watch.value = int(signal[DEPTH]), int(signal[MOVE]), show(int(signal[VALUE]))
