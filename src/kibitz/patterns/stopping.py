"""Ctrl-C as a wish to come to an end: for long work that first keeps what it has."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def told_to_stop() -> Iterator[list[int]]:
    """Gather Ctrl-C in a list instead of raising it; a second one is raised. Only the main thread can."""
    told: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield told
        return

    def note(number: int, frame: FrameType | None) -> None:
        if told:
            raise KeyboardInterrupt
        told.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield told
    finally:
        signal.signal(signal.SIGINT, before)
