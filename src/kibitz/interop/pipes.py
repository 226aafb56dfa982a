"""The threads that serve the pipes of a child process, and what they share with their owner.

Nothing here waits without end and nothing grows without bound. Where pipes can
be polled, the threads end soon after `closed` is set, even if somebody holds the
other end open; elsewhere they end with the child.
"""

from __future__ import annotations

import select
import threading
import time
from collections import deque
from collections.abc import Iterator
from io import RawIOBase
from queue import SimpleQueue
from typing import Literal, TypeAlias

LONGEST_LINE = 10_000
"""Bytes that one line may have."""
MOST_UNREAD = 1_000
"""Lines that may wait to be read. Answers are read as they come, so only a flood gets there."""
TAIL = 2_000
"""Bytes kept of what was sent to standard error last."""
_GLANCE = 250
"""Milliseconds between two looks at `closed`."""

Ending: TypeAlias = Literal["closed", "flood", "long line"]
"""Why no more lines will come."""

Message: TypeAlias = tuple[bytes, threading.Event]
"""What is to be written, and the event that tells that it was, or never will be."""


class Inbox:
    """The lines of a child that nobody has read yet. One thread puts, another takes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._lines: deque[tuple[float, str]] = deque()
        self._ending: Ending | None = None

    def clear(self) -> None:
        """Forget what was said unasked."""
        with self._changed:
            self._lines.clear()

    def put(self, line: bytes) -> bool:
        """Add a line that came just now; return False if it was one too many."""
        with self._changed:
            if len(self._lines) == MOST_UNREAD:
                return False
            self._lines.append((time.monotonic(), line.decode("utf-8", "replace").strip()))
            self._changed.notify()
        return True

    def end(self, ending: Ending) -> None:
        """Note that there will be no more lines."""
        with self._changed:
            self._ending = ending
            self._changed.notify()

    def take(self, seconds: float) -> tuple[float, str] | Ending | None:
        """Return the next line and when it came, why there is none, or None after so many seconds without."""
        with self._changed:
            if not self._lines and self._ending is None:
                self._changed.wait(seconds)
            return self._lines.popleft() if self._lines else self._ending


def collect_lines(stream: RawIOBase, inbox: Inbox, closed: threading.Event) -> None:
    """Put every line of a stream into the inbox, until the end or a flood."""
    pending = b""
    with stream:
        for chunk in _chunks(stream, closed):
            *lines, pending = (pending + chunk).split(b"\n")
            if any(len(line) > LONGEST_LINE for line in (*lines, pending)):
                return inbox.end("long line")
            if not all(inbox.put(line) for line in lines):
                return inbox.end("flood")
    if pending:
        inbox.put(pending)
    return inbox.end("closed")


def keep_tail(stream: RawIOBase, tail: bytearray, closed: threading.Event) -> None:
    """Read a stream to its end and keep the last bytes of it."""
    with stream:
        for chunk in _chunks(stream, closed):
            tail += chunk
            del tail[:-TAIL]


def write_messages(stream: RawIOBase, outbox: SimpleQueue[Message | None], closed: threading.Event) -> None:
    """Write every message until the one that is None. One that nobody will read is dropped."""
    piece = getattr(select, "PIPE_BUF", 512)  # so much never blocks once a pipe is ready
    with stream:
        for data, done in iter(outbox.get, None):
            try:
                while data and _ready(stream, closed, writing=True):
                    data = data[stream.write(data[:piece]) or 0 :]
            except OSError:
                pass  # the other end is closed, which whoever waits for an answer will notice
            done.set()


def _chunks(stream: RawIOBase, closed: threading.Event) -> Iterator[bytes]:
    while _ready(stream, closed) and (chunk := stream.read(1 << 16)):
        yield chunk


def _ready(stream: RawIOBase, closed: threading.Event, writing: bool = False) -> bool:
    """Wait until a pipe can be read or written; return False once `closed` is set."""
    if not hasattr(select, "poll"):  # Windows, where only the child's end ends the wait
        return not closed.is_set()
    poll = select.poll()
    poll.register(stream.fileno(), select.POLLOUT if writing else select.POLLIN)
    while not closed.is_set():
        if poll.poll(_GLANCE):
            return True
    return False
