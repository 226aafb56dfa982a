"""The exact solver: the value of a position, and of each of its moves, with best play.

Values are net future boxes for the player to move. Boxes that can be taken are
handled by theory.captures; the rest is proved by kernel.py, test by test,
so that there are bounds at any time. numba and the kernel are imported on first
use.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from kibitz.core.agent import Watch
from kibitz.core.errors import BadOption
from kibitz.games.dots.exact.solution import Progress, Report, Solution
from kibitz.games.dots.exact.words import ALL, PARITY
from kibitz.games.dots.rules.graph import GROUND, Graph, String, grid
from kibitz.games.dots.theory.endgames import Captures, after_captures, captures
from kibitz.games.dots.theory.runs import boxes_left

_GLANCE = 0.05
"""Seconds between two looks at the running threads."""
_FEW = 5_000_000
"""Nodes that may go into finding all best moves, even when the value itself took fewer."""
_MANY = 1 << 60
"""Nodes without a limit."""
SMALLEST = 1 << 20
"""Bytes of the smallest table."""
_FIRST, _GROWTH = 1 << 26, 16
"""Bytes of the first table, and how many times larger the next is. What a small one held is lost and found again."""
_FILLING = 3 / 16
"""Nodes for each byte of a table after which it is taken for full: about one position in four is stored."""


class Stopped(Exception):
    """Raised inside a solve when its time or nodes are spent, or somebody asked it to stop."""


class _Full(Exception):
    """Raised inside a solve when the table is full and may grow."""


@dataclass
class _Job:
    """One call of solve: its limits, what it has used, and whom it tells."""

    nodes: int | None
    deadline: float | None
    report: Report | None
    began: float = field(default_factory=time.perf_counter)
    used: int = 0
    lower: int = 0
    upper: int = 0
    moves: int = 0

    def is_late(self) -> bool:
        """Whether the time is up."""
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def solution(
        self, best: tuple[String, ...], all_best: bool = False, moves: dict[String, int] | None = None
    ) -> Solution:
        """Return what is known now."""
        return Solution(
            self.lower, self.upper, best, all_best, moves or {}, self.used, time.perf_counter() - self.began
        )

    def tell(self, goal: int, tried: int, nodes: int) -> None:
        """Report how far a test has come."""
        if self.report is not None:
            seconds = time.perf_counter() - self.began
            self.report(Progress(self.lower, self.upper, goal, tried, self.moves, self.used + nodes, seconds))


class Solver:
    """Solves positions of one graph; what it learns of one helps with the next.

    memory is the size of its table in bytes, rounded down to a power of two; the
    table grows to that as it fills.
    With more than one thread node counts are not repeatable; values are.
    """

    def __init__(
        self,
        graph: Graph,
        memory: int = 1 << 28,
        threads: int = 1,
        flags: int = ALL,
        symmetric: bool = True,
        order: Any = None,
    ) -> None:
        if not 1 <= threads <= 256:
            raise BadOption(f"The solver cannot use {threads} threads: it must be 1 to 256.")
        if memory < SMALLEST:
            raise BadOption(f"The solver needs {SMALLEST >> 20} MB of memory at least, not {memory} bytes.")
        if memory > _machine_memory():
            raise BadOption(f"A table of {memory >> 20} MB is more than this machine's memory: ask for less.")
        self.graph, self.threads, self.flags, self.symmetric = graph, threads, flags, symmetric
        self.order = order
        self.memory = 1 << memory.bit_length() - 1
        self._table: Any = None
        self._size = self._filled = 0
        self._stop = self._prepared = False
        self.forget()

    def forget(self) -> None:
        """Empty the table."""
        self._table, self._size, self._filled = None, min(_FIRST, self.memory), 0

    def prepare(self) -> None:
        """Make the table and have the kernel compiled or loaded. Raises BadOption if there is not so much memory."""
        if not self._prepared:
            self.arrays()
            Solver(grid(1, 1), SMALLEST).solve(0)
            self._prepared = True

    def best_move(self, drawn: int, nodes: int = _FEW, seconds: float | None = None) -> String | None:
        """Return a best move of a position, or None if there is none or it takes too long to find."""
        found = self.solve(drawn, nodes=nodes, seconds=seconds, one=True)
        return found.best[0] if found.best else None

    def stop(self) -> None:
        """Ask a solve that runs on another thread to end with the bounds that it has."""
        self._stop = True

    def report_to(self, watch: Watch | None, before: int = 0) -> Report:
        """Return a report that shows a watch the nodes, those before counted in, and stops the solve when asked to."""

        def report(progress: Progress) -> None:
            if watch is not None:
                watch.nodes = before + progress.nodes
                if watch.stopped:
                    self.stop()

        return report

    def solve(
        self,
        drawn: int,
        *,
        moves: bool = False,
        one: bool = False,
        seconds: float | None = None,
        nodes: int | None = None,
        report: Report | None = None,
    ) -> Solution:
        """Return the value of a position, and with moves the value of each; or the bounds known when time is up.

        With one, a single best move will do, and others are not looked for.
        Ctrl-C ends it like time that is up. Raises BadOption if there is not so much memory.
        """
        job = self._new_job(drawn, seconds, nodes, report)
        best, all_best = tuple[String, ...](), False
        values = dict[String, int]()
        try:
            value = self._value(drawn, job, root=True)
            first = self._first_best(drawn, value, job)
            best = (first,) if first is not None else ()
            if moves:
                for move in self._moves(drawn):
                    values[move] = self._move_value(drawn, move, value, job)
                    job.moves += 1
                best, all_best = tuple(sorted(m for m, v in values.items() if v == value)), True
            elif best and not one:
                best, all_best = self._every_best(drawn, value, best, job)
        except (Stopped, KeyboardInterrupt):
            values = {}
        return job.solution(best, all_best, dict(sorted(values.items())))

    def _new_job(self, drawn: int, seconds: float | None, nodes: int | None, report: Report | None) -> _Job:
        self._stop = False
        boxes = boxes_left(self.graph, drawn)
        deadline = None if seconds is None else time.perf_counter() + seconds
        return _Job(nodes, deadline, report, lower=-boxes, upper=boxes)

    def _moves(self, drawn: int) -> list[String]:
        """Return the lines to draw, in the order in which they are tried."""
        from kibitz.games.dots.exact.root import centre_out

        order = self.order or centre_out
        masks, lines = self.graph.masks, self.graph.strings

        def risk(move: String) -> int:
            """0 for a line that takes a box, 1 for a safe one, 2 for one that gives a box away."""
            degrees = [(masks[coin] & ~drawn).bit_count() for coin in lines[move] if coin != GROUND]
            return 0 if 1 in degrees else 2 if 2 in degrees else 1

        left = [move for move in range(len(lines)) if not drawn >> move & 1]
        return sorted(left, key=lambda move: (risk(move), order(self.graph, move), move))

    def _first_best(self, drawn: int, value: int, job: _Job) -> String | None:
        """Return a move that is worth so much; None if there is no move."""
        return next((m for m in self._moves(drawn) if self._move_reaches(drawn, m, value, job)), None)

    def _every_best(
        self, drawn: int, value: int, best: tuple[String, ...], job: _Job
    ) -> tuple[tuple[String, ...], bool]:
        """Return all best moves, and whether that is so: not if it would take more work than the value did."""
        found, before, limit = list(best), job.nodes, job.used + max(job.used // 4, _FEW)
        job.nodes = limit if before is None else min(before, limit)
        order = self._moves(drawn)
        try:
            for move in order[order.index(best[0]) + 1 :]:
                if self._move_reaches(drawn, move, value, job):
                    found.append(move)
        except Stopped:
            return tuple(found), False
        finally:
            job.nodes = before
        return tuple(sorted(found)), True

    def _after(self, drawn: int, move: String) -> tuple[int, int, int]:
        """Return the lines drawn after a move, the boxes it takes, and 1 or -1 for who moves then."""
        taken = sum(1 for c in self.graph.strings[move] if c != GROUND and self.graph.masks[c] & ~drawn == 1 << move)
        return drawn | 1 << move, taken, 1 if taken else -1

    def _move_value(self, drawn: int, move: String, best: int, job: _Job) -> int:
        after, taken, sign = self._after(drawn, move)
        return taken + sign * self._value(after, job, guess=sign * (best - taken))

    def _move_reaches(self, drawn: int, move: String, goal: int, job: _Job) -> bool:
        """Return whether a move is worth so much."""
        after, taken, sign = self._after(drawn, move)
        if sign > 0:
            return self._reaches(after, goal - taken, job)
        return not self._reaches(after, taken - goal + 1, job)

    def _reaches(self, drawn: int, goal: int, job: _Job) -> bool:
        """Return whether a position is worth so much."""
        taken = captures(self.graph, drawn)
        short = goal - len(taken.coins)
        if not taken.decline:
            return self._prove(taken.rest, short, job) >= short
        far = -short - 2 * taken.decline
        if far >= short:
            return True
        return self._prove(taken.rest, short, job) >= short or self._prove(taken.rest, far + 1, job) <= far

    def _value(self, drawn: int, job: _Job, root: bool = False, guess: int = 0) -> int:
        """Return the value of a position. With root the bounds of the job follow what is found."""
        taken = captures(self.graph, drawn)
        boxes = boxes_left(self.graph, taken.rest)
        lower, upper = -boxes, boxes
        goal = guess - len(taken.coins)
        while lower < upper:
            goal = min(max(goal, lower + 1), upper)
            goal += (goal ^ boxes) & 1 if self.flags & PARITY else 0
            found = self._prove(taken.rest, goal, job)
            if found >= goal:
                lower = max(lower, found)
                goal = lower + 1
            else:
                upper = min(upper, found)
                goal = upper
            if root:
                job.lower, job.upper = _bounds(taken, lower, upper)
        value = taken.value(lower)
        if root:
            job.lower = job.upper = value
        return value

    def _prove(self, drawn: int, goal: int, job: _Job) -> int:
        """Return r: the position, of which nothing can be taken, is worth at least r if r >= goal, else at most r."""
        from kibitz.games.dots.exact.root import centre_out, set_up

        undrawn = self.graph.all_strings & ~drawn
        if not undrawn:
            return 0
        root = set_up(self.graph, undrawn, self.flags, self.symmetric, self.order or centre_out)
        if root is None:
            raise Stopped
        while True:
            try:
                return self._run(root, goal, job)
            except _Full:
                size = self._size * _GROWTH
                size = size if size * _GROWTH <= self.memory else self.memory  # no step for little
                self.forget()
                self._size = size

    def _run(self, root: Any, goal: int, job: _Job) -> int:
        """Run one test on all threads; return what the first of them finds out. Raises Stopped or _Full."""
        import numpy as np

        from kibitz.games.dots.exact.kernel import prove
        from kibitz.games.dots.exact.words import DONE, LIMIT, NODES, THREADS

        room = _MANY if self._size == self.memory else int(_FILLING * self._size) - self._filled
        allowed = _MANY if job.nodes is None else job.nodes - job.used
        if allowed <= 0 or job.is_late() or self._stop:
            raise Stopped
        if room <= 0:
            raise _Full
        table, busy = self.arrays()
        stop, done = np.zeros(1, np.int64), threading.Event()
        root.words[THREADS], root.words[LIMIT] = self.threads, -(-min(room, allowed) // self.threads)
        spaces, found, faults = [root.words.copy() for _ in range(self.threads)], [], []
        position: Any = tuple(np.int64(x) for x in (root.core, root.unsafe, root.left, goal))

        def work(words: Any) -> None:
            try:
                result = prove(table, busy, stop, words, *position)
                if not stop[0]:
                    found.append(int(result))
            except BaseException as fault:  # raised again below, on the caller's thread
                faults.append(fault)
            finally:
                done.set()

        workers = [threading.Thread(target=work, args=(words,), daemon=True) for words in spaces]
        try:
            for worker in workers:
                worker.start()
            while not done.wait(_GLANCE):
                if job.is_late() or self._stop:
                    stop[0] = 1
                job.tell(goal, max(int(words[DONE]) for words in spaces), sum(int(words[NODES]) for words in spaces))
        finally:
            stop[0] = 1
            for worker in workers:
                worker.join()
            used = sum(int(words[NODES]) for words in spaces)
            job.used += used
            self._filled += used
        if faults:
            raise faults[0]
        if found:
            return found[0]
        full = room <= allowed and any(words[NODES] > words[LIMIT] for words in spaces)
        raise _Full if full and not job.is_late() and not self._stop else Stopped

    def arrays(self) -> tuple[Any, Any]:
        """Return the table, made on first use, and where threads say what they are at."""
        if self._table is None:
            import numpy as np

            from kibitz.compiled.aligned import aligned_zeros  # every bucket is one cache line

            try:
                table = aligned_zeros(self._size // 8, np.int64)
            except MemoryError:
                raise BadOption(
                    f"There is no room for a table of {self._size >> 20} MB: ask for less memory."
                ) from None
            self._table = table, np.zeros(1 << 12, np.int64)
        arrays: tuple[Any, Any] = self._table
        return arrays


def _machine_memory() -> int:
    """Return the bytes of this machine's memory, or very many where it does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 62


def _bounds(taken: Captures, lower: int, upper: int) -> tuple[int, int]:
    """Return the bounds of a position from those of what is left when all is taken."""
    if not taken.decline:
        return taken.value(lower), taken.value(upper)
    ends = [after_captures(len(taken.coins), taken.decline, rest) for rest in (lower, upper)]
    turning = -taken.decline
    low = taken.value(turning) if lower <= turning <= upper else min(ends)
    return low, max(ends)
