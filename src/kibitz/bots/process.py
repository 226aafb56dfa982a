"""A child process spoken to by lines, which can neither hang nor outlive the one who speaks to it.

Every wait has a deadline, all that is kept of its output has a bound, and it
ends with all that it started: when it is closed, forgotten, or when this
process ends. Knows no protocol.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import select
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from io import RawIOBase
from queue import SimpleQueue
from typing import Literal, TypeAlias, cast

from kibitz.bots import process as pipes
from kibitz.bots.faults import Died, Flood
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import printable

MARK = "KIBITZ_BOT"
"""The environment variable by which a child's own children are known, wherever they went."""
_POLL_SECONDS = 0.1
"""Seconds between two looks at whether a silent child is still there."""
_PATIENCE = 0.5
"""Seconds that a child gets to end by itself, and then again after it was told to."""
_POSIX = os.name == "posix"
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1


def split_command(command: str) -> list[str]:
    """Return the words of a command line. Raises BadOption if there is no such program."""
    try:
        words = shlex.split(command, posix=_POSIX)
    except ValueError as error:
        raise BadOption(f"The command {command} cannot be read: {error}.") from None
    if not words:
        raise BadOption("There is no command: write the program and its arguments after the colon.")
    if "\0" in command or shutil.which(words[0]) is None:
        raise BadOption(f"Cannot start {command}: there is no program {words[0]!r}, or it may not be executed.")
    return words


class Child:
    """A running program and the three pipes to it. Used by one thread at a time."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._inbox = pipes.Inbox()
        self._outbox: SimpleQueue[pipes.Message | None] = SimpleQueue()
        self._tail = bytearray()
        closed = threading.Event()
        mark = f"{os.getpid()}-{secrets.token_hex(8)}"
        words = split_command(command)
        try:
            process = _starter(os.getpid()).submit(_start, words, mark).result()
        except OSError as error:
            raise BadOption(f"Cannot start {command}: {error.strerror}.") from None
        self._process = process
        self._end = weakref.finalize(self, _end, process, mark, os.getpid(), closed, self._outbox)
        stdin, stdout, stderr = (cast(RawIOBase, pipe) for pipe in (process.stdin, process.stdout, process.stderr))
        _serve(pipes.write_messages, stdin, self._outbox, closed)
        _serve(pipes.collect_lines, stdout, self._inbox, closed)
        self._complaints = _serve(pipes.keep_tail, stderr, self._tail, closed)

    def send(self, lines: Iterable[str], deadline: float) -> bool:
        """Send lines; return whether all of it was written by the deadline, in time.monotonic()."""
        done = threading.Event()
        self._outbox.put(("".join(f"{line}\n" for line in lines).encode(), done))
        return done.wait(max(deadline - time.monotonic(), 0.0))

    def ask(self, lines: Iterable[str], deadline: float) -> bool:
        """Forget whatever was said until now, then send."""
        self._inbox.clear()
        return self.send(lines, deadline)

    def read(self, deadline: float, meanwhile: Callable[[], None] = lambda: None) -> str | None:
        """Return the next line that came before the deadline, or None if none did.

        Calls meanwhile now and then while it waits. Raises Died or Flood.
        """
        gone = False
        while True:
            meanwhile()
            left = deadline - time.monotonic()
            found = self._inbox.take(min(max(left, 0.0), _POLL_SECONDS))
            if isinstance(found, tuple):
                arrived, line = found
                return line if arrived <= deadline else None
            if found == "flood" or found == "long line":
                raise Flood(f"{self.command} {_too_much(found)}.")
            if found == "closed" or gone:
                raise Died(f"{self.command} {self._how_it_ended()}.")
            if left <= 0:
                return None
            gone = self._process.poll() is not None  # a glance later, for its last lines may be on the way

    def close(self, farewell: str | None = None) -> None:
        """End the program and all it started, politely first if there is a farewell. May be called again."""
        if farewell is not None and self._end.alive:
            self.send([farewell], time.monotonic() + _PATIENCE)
            if not self._ended_by_itself():
                _signal(self._process, signal.SIGTERM)
                self._ended_by_itself()
        self._end()

    def _ended_by_itself(self) -> bool:
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _how_it_ended(self) -> str:
        """Return the exit code and the last complaints, in words."""
        if not self._ended_by_itself():
            return "closed its output"
        self._complaints.join(_PATIENCE)
        code = self._process.returncode
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        lines = [line.strip() for line in self._tail.decode("utf-8", "replace").splitlines() if line.strip()]
        words = " | ".join(lines[-3:])
        return f"{how}: {printable(words)}" if words else how


def _too_much(ending: pipes.Ending) -> str:
    if ending == "long line":
        return f"sent a line of more than {pipes.LONGEST_LINE:,} bytes"
    return f"sent more than {pipes.MOST_UNREAD:,} lines faster than they can be read"


def _serve(target: Callable[..., None], *args: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=args, name="kibitz-bot", daemon=True)
    thread.start()
    return thread


@cache
def _starter(owner: int) -> ThreadPoolExecutor:
    """Return the thread that starts all children of this process.

    Linux ends a child with the thread that started it, so this has to be one
    that lives as long as the process.
    """
    return ThreadPoolExecutor(1, thread_name_prefix="kibitz-starter")


def _start(words: list[str], mark: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    last = partial(_die_with, os.getpid()) if _LIBC is not None else None
    return subprocess.Popen(
        words, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe,
        env={**os.environ, MARK: mark}, start_new_session=True, preexec_fn=last,
    )  # fmt: skip


def _die_with(parent: int) -> None:
    """Have the kernel kill this new process when its parent is gone. Runs between fork and exec."""
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to a child and its process group."""
    if _POSIX:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
    else:
        process.terminate()


def _end(
    process: subprocess.Popen[bytes],
    mark: str,
    owner: int,
    closed: threading.Event,
    outbox: SimpleQueue[pipes.Message | None],
) -> None:
    """Kill a child and whatever it started, reap it, and let its threads go."""
    if os.getpid() != owner:  # a fork of the owner ends; the child is not its own
        return
    _signal(process, signal.SIGKILL if _POSIX else signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(5.0)
    for _ in range(3):  # one that is killed may just have started another
        strays = list(_marked(mark))
        for pid in strays:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not strays:
            break
    closed.set()
    outbox.put(None)


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes whose environment has the mark, where there is a way to know: those that left the group."""
    if sys.platform != "linux":
        return
    wanted = f"{MARK}={mark}".encode()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    yield int(name)


LONGEST_LINE = 10_000
"""Bytes that one line may have."""
MOST_UNREAD = 1_000
"""Lines that may wait to be read. Answers are read as they come, so only a flood gets there."""
TAIL = 2_000
"""Bytes kept of what was sent to standard error last."""
_POLL_MILLISECONDS = 250
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
        if poll.poll(_POLL_MILLISECONDS):
            return True
    return False
