"""A child process that exchanges lines with this one, and can neither block nor outlive it.

Every wait has a deadline and every buffer a limit. The child is killed with everything it started when it is closed or
garbage-collected, or when this process ends. Independent of any protocol.
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

from kibitz.core.errors import BadOption, Died, Flood
from kibitz.core.untrusted import printable

MARK_VARIABLE = "KIBITZ_BOT"
"""Environment variable that marks a child's descendants, even those that left its process group."""
MAX_LINE_BYTES = 10_000
"""Default limit of a line."""
MAX_UNREAD_LINES, MAX_UNREAD_BYTES = 1_000, 10_000_000
"""Answers are read as they arrive, so only a flood reaches these limits."""
_POLL_SECONDS = 0.1
"""How often to check that a silent child is still running."""
_EXIT_SECONDS = 0.5
"""How long a child may take to exit by itself, and again after SIGTERM."""
_POSIX = os.name == "posix"
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1


def split_command(command: str) -> list[str]:
    """Split a command line into words. Raise BadOption if the program cannot be found."""
    try:
        words = shlex.split(command, posix=_POSIX)
    except ValueError as error:
        raise BadOption(f"Cannot parse the command {command}: {error}.") from None
    if not words:
        raise BadOption("The command is empty: write the program and its arguments after the colon.")
    if "\0" in command or shutil.which(words[0]) is None:
        raise BadOption(f"Cannot start {command}: {words[0]!r} was not found or is not executable.")
    return words


class Child:
    """A running program and the three pipes to it. Not thread-safe: only one thread may use it at a time."""

    def __init__(self, command: str, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self.command = command
        self._inbox = Inbox(max_line_bytes)
        self._outbox: SimpleQueue[Message | None] = SimpleQueue()
        self._tail = bytearray()
        closed = threading.Event()
        mark = f"{os.getpid()}-{secrets.token_hex(8)}"
        words = split_command(command)
        try:
            process = _starter(os.getpid()).submit(_start, words, mark).result()
        except OSError as error:
            raise BadOption(f"Cannot start {command}: {error.strerror}.") from None
        self._process = process
        self._kill = weakref.finalize(self, _kill, process, mark, os.getpid(), closed, self._outbox)
        stdin, stdout, stderr = (cast(RawIOBase, pipe) for pipe in (process.stdin, process.stdout, process.stderr))
        _start_thread(write_messages, stdin, self._outbox, closed)
        _start_thread(collect_lines, stdout, self._inbox, closed)
        self._stderr_reader = _start_thread(keep_tail, stderr, self._tail, closed)

    def send(self, lines: Iterable[str], deadline: float) -> bool:
        """Send lines; return whether they were written by the deadline, in time.monotonic() seconds."""
        done = threading.Event()
        self._outbox.put(("".join(f"{line}\n" for line in lines).encode(), done))
        return done.wait(max(deadline - time.monotonic(), 0.0))

    def ask(self, lines: Iterable[str], deadline: float) -> bool:
        """Discard unread output, then send lines; return whether they were written in time."""
        self._inbox.clear()
        return self.send(lines, deadline)

    def read(self, deadline: float, meanwhile: Callable[[], None] = lambda: None) -> str | None:
        """Return the next line that arrives before the deadline, or None if none does.

        Call `meanwhile` every _POLL_SECONDS while waiting. Raise Died if the program ended, Flood if it sent too much.
        """
        has_exited = False
        while True:
            meanwhile()
            seconds_left = deadline - time.monotonic()
            found = self._inbox.take(min(max(seconds_left, 0.0), _POLL_SECONDS))
            if isinstance(found, tuple):
                arrived, line = found
                return line if arrived <= deadline else None
            if found == "long line":
                raise Flood(f"{self.command} sent a line of more than {self._inbox.max_line_bytes:,} bytes.")
            if found == "flood":
                limits = f"{MAX_UNREAD_LINES:,} lines or {MAX_UNREAD_BYTES:,} bytes"
                raise Flood(f"{self.command} sent more than {limits} faster than they can be read.")
            if found == "closed" or has_exited:
                raise Died(f"{self.command} {self._how_it_ended()}.")
            if seconds_left <= 0:
                return None
            has_exited = self._process.poll() is not None  # raise on the next round: its last lines may be on the way

    def close(self, farewell: str | None = None) -> None:
        """Kill the program and all it started, after sending a farewell if given. May be called again."""
        if farewell is not None and self._kill.alive:
            self.send([farewell], time.monotonic() + _EXIT_SECONDS)
            if not self._ended_by_itself():
                _signal(self._process, signal.SIGTERM)
                self._ended_by_itself()
        self._kill()

    def _ended_by_itself(self) -> bool:
        try:
            self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _how_it_ended(self) -> str:
        """Return how the program ended, in words: its exit code, and the last lines of its standard error."""
        if not self._ended_by_itself():
            return "closed its output"
        self._stderr_reader.join(_EXIT_SECONDS)
        code = self._process.returncode
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        lines = [line.strip() for line in self._tail.decode("utf-8", "replace").splitlines() if line.strip()]
        words = " | ".join(lines[-3:])
        return f"{how}: {printable(words)}" if words else how


def _start_thread(target: Callable[..., None], *args: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=args, name="kibitz-bot", daemon=True)
    thread.start()
    return thread


@cache
def _starter(pid: int) -> ThreadPoolExecutor:
    """Return an executor whose single thread starts all children of this process. pid: of this process, not of a fork.

    Linux kills a child when the thread that started it ends (PR_SET_PDEATHSIG), so this thread lives as long as the
    process.
    """
    return ThreadPoolExecutor(1, thread_name_prefix="kibitz-starter")


def _start(words: list[str], mark: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    before_exec = partial(_die_with_parent, os.getpid()) if _LIBC is not None else None
    return subprocess.Popen(
        words, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe,
        env={**os.environ, MARK_VARIABLE: mark}, start_new_session=True, preexec_fn=before_exec,
    )  # fmt: skip


def _die_with_parent(parent_pid: int) -> None:
    """Ask the kernel to kill this process when its parent dies. Runs between fork and exec."""
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:  # it has died already
        os._exit(1)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to a child and its process group."""
    if _POSIX:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
    else:
        process.terminate()


def _kill(
    process: subprocess.Popen[bytes],
    mark: str,
    owner_pid: int,
    closed: threading.Event,
    outbox: SimpleQueue[Message | None],
) -> None:
    """Kill a child and its descendants, collect its exit status, and let the threads that serve its pipes end."""
    if os.getpid() != owner_pid:  # we are a fork of the owner
        return
    _signal(process, signal.SIGKILL if _POSIX else signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(5.0)
    for _ in range(3):  # a killed process may just have started another
        strays = list(_pids_with_mark(mark))
        for pid in strays:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not strays:
            break
    closed.set()
    outbox.put(None)


def _pids_with_mark(mark: str) -> Iterator[int]:
    """Yield the ids of the processes that have this mark in their environment; none except on Linux."""
    if sys.platform != "linux":
        return
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    yield int(name)


MAX_STDERR_BYTES = 2_000
"""How much of the end of standard error is kept."""
_POLL_MILLISECONDS = 250
"""How often a thread that waits for a pipe checks `closed`."""

Ending: TypeAlias = Literal["closed", "flood", "long line"]
"""Why no more lines will arrive."""

Message: TypeAlias = tuple[bytes, threading.Event]
"""Bytes to write, and an event that is set once they are written or dropped."""


class Inbox:
    """Unread lines of a child. One thread puts lines, another takes them."""

    def __init__(self, max_line_bytes: int) -> None:
        self.max_line_bytes = max_line_bytes
        self._changed = threading.Condition()
        self._lines: deque[tuple[float, str]] = deque()
        self._length = 0
        self._ending: Ending | None = None

    def clear(self) -> None:
        """Discard the unread lines."""
        with self._changed:
            self._lines.clear()
            self._length = 0

    def put(self, line: bytes) -> bool:
        """Add a line with the time of its arrival; return False if the inbox is full."""
        text = line.decode("utf-8", "replace").strip()
        with self._changed:
            self._length += len(text)
            if len(self._lines) == MAX_UNREAD_LINES or self._length > MAX_UNREAD_BYTES:
                return False
            self._lines.append((time.monotonic(), text))
            self._changed.notify()
        return True

    def end(self, ending: Ending) -> None:
        """Record that no more lines will arrive, and why."""
        with self._changed:
            self._ending = ending
            self._changed.notify()

    def take(self, seconds: float) -> tuple[float, str] | Ending | None:
        """Wait up to this many seconds; return (arrival time, line), None, or why no more lines will arrive."""
        with self._changed:
            if not self._lines and self._ending is None:
                self._changed.wait(seconds)
            if not self._lines:
                return self._ending
            self._length -= len(self._lines[0][1])
            return self._lines.popleft()


def collect_lines(stream: RawIOBase, inbox: Inbox, closed: threading.Event) -> None:
    """Put the lines of a stream into the inbox until the stream ends or sends too much."""
    pending = b""
    with stream:
        for chunk in _chunks(stream, closed):
            *lines, pending = (pending + chunk).split(b"\n")
            if any(len(line) > inbox.max_line_bytes for line in (*lines, pending)):
                return inbox.end("long line")
            if not all(inbox.put(line) for line in lines):
                return inbox.end("flood")
    if pending:
        inbox.put(pending)
    return inbox.end("closed")


def keep_tail(stream: RawIOBase, tail: bytearray, closed: threading.Event) -> None:
    """Read a stream to its end, keeping its last MAX_STDERR_BYTES bytes in `tail`."""
    with stream:
        for chunk in _chunks(stream, closed):
            tail += chunk
            del tail[:-MAX_STDERR_BYTES]


def write_messages(stream: RawIOBase, outbox: SimpleQueue[Message | None], closed: threading.Event) -> None:
    """Write the messages in `outbox` until a None; drop those that the child can no longer read."""
    max_bytes = getattr(select, "PIPE_BUF", 512)  # a write of this size never blocks once the pipe is ready
    with stream:
        for data, done in iter(outbox.get, None):
            try:
                while data and _wait_until_ready(stream, closed, writing=True):
                    data = data[stream.write(data[:max_bytes]) or 0 :]
            except OSError:
                pass  # the pipe is closed, which the reader of the answer will notice
            done.set()


def _chunks(stream: RawIOBase, closed: threading.Event) -> Iterator[bytes]:
    while _wait_until_ready(stream, closed) and (chunk := stream.read(1 << 16)):
        yield chunk


def _wait_until_ready(stream: RawIOBase, closed: threading.Event, writing: bool = False) -> bool:
    """Wait until a pipe can be read or written; return False if `closed` is set first."""
    if not hasattr(select, "poll"):  # on Windows the wait ends only with the child
        return not closed.is_set()
    poll = select.poll()
    poll.register(stream.fileno(), select.POLLOUT if writing else select.POLLIN)
    while not closed.is_set():
        if poll.poll(_POLL_MILLISECONDS):
            return True
    return False
