"""The exact solver: the value of a position, and of each of its moves, with best play.

Values are net future boxes for the player to move. Boxes that can be taken are
handled by theory/endgames.py; kernel.py solves the rest by a series of tests, so bounds
are known at any time. numba and the kernel are imported on first use.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

from kibitz.core.agent import Watch
from kibitz.core.errors import BadOption
from kibitz.games.dots.exact import layout
from kibitz.games.dots.rules.graph import GROUND, Graph, String, grid
from kibitz.games.dots.theory.endgames import Captures, find_captures
from kibitz.games.dots.theory.runs import boxes_left

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kibitz.games.dots.exact.root import MoveOrder, SolverRoot

_POLL_SECONDS = 0.05
_MIN_BEST_MOVES_NODES = 5_000_000
"""Nodes allowed for finding all best moves, even if the value itself took fewer."""
_NO_LIMIT = 1 << 60
MIN_TABLE_BYTES = 1 << 20
_FIRST_TABLE_BYTES, _TABLE_GROWTH = 1 << 26, 16
"""Size of the first table, and how many times larger each next one is. The content is not carried over."""
_NODES_PER_BYTE = 3 / 16  # a table counts as full after this many nodes per byte; one position in four is stored


@dataclass(frozen=True)
class SolveProgress:
    """The progress of a solve."""

    lower: int  # the value is at least this
    upper: int  # the value is at most this
    goal: int | None  # the current test: whether the rest, after all captures, is worth at least this
    tried: int  # moves finished in this test
    moves: int  # moves with known values, if every move is to be valued
    nodes: int
    seconds: float


SolveReport: TypeAlias = Callable[[SolveProgress], None]


@dataclass(frozen=True)
class Solution:
    """The result of solving a position, exact or as bounds."""

    lower: int
    upper: int
    best: tuple[String, ...]  # moves known to reach the lower bound; all best moves if all_best
    all_best: bool
    moves: dict[String, int]  # the value of each move if requested and found, else empty
    nodes: int
    seconds: float

    @property
    def exact(self) -> bool:
        """Whether the value is proved."""
        return self.lower == self.upper

    @property
    def value(self) -> int | None:
        """The value, or None if it is not proved."""
        return self.lower if self.exact else None


class SolveStopped(Exception):
    """Raised during a solve when it runs out of time or nodes, or is asked to stop."""


class _TableFull(Exception):
    """Raised during a solve when the table is full and may grow."""


@dataclass
class _Job:
    """One call of solve: its limits, the nodes used and the bounds so far, and where to report them."""

    nodes: int | None
    deadline: float | None
    report: SolveReport | None
    began: float = field(default_factory=time.perf_counter)
    used: int = 0
    lower: int = 0
    upper: int = 0
    moves: int = 0

    def is_late(self) -> bool:
        """Return whether the time is up."""
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def seconds(self) -> float:
        """Return the time since the call began."""
        return time.perf_counter() - self.began

    def send_report(self, goal: int, tried: int, nodes: int) -> None:
        """Report the progress of a test: its goal, the moves tried and the nodes searched in it."""
        if self.report is not None:
            nodes += self.used
            self.report(SolveProgress(self.lower, self.upper, goal, tried, self.moves, nodes, self.seconds()))


class Solver:
    """Solves positions of one graph, and reuses results of earlier ones.

    memory: the maximum size of the table in bytes, rounded down to a power of two; the
    table grows to that as it fills. flags: the techniques of layout.py to use. With more
    than one thread, values are reproducible but node counts are not.
    """

    def __init__(
        self,
        graph: Graph,
        memory: int = 1 << 28,
        threads: int = 1,
        flags: int = layout.ALL,
        symmetric: bool = True,
        order: MoveOrder | None = None,
    ) -> None:
        if not 1 <= threads <= 256:
            raise BadOption(f"The solver can use 1 to 256 threads, not {threads}.")
        if memory < MIN_TABLE_BYTES:
            raise BadOption(f"The solver needs at least {MIN_TABLE_BYTES >> 20} MB of memory, not {memory} bytes.")
        if memory > _machine_memory():
            raise BadOption(f"A table of {memory >> 20} MB is more than this machine's memory: use less.")
        self.graph, self.threads, self.flags, self.symmetric = graph, threads, flags, symmetric
        self.order = order
        self.memory = 1 << memory.bit_length() - 1
        self._stop = self._prepared = False
        self.forget()

    def forget(self) -> None:
        """Empty the table."""
        self._table: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self._table_bytes, self._stored = min(_FIRST_TABLE_BYTES, self.memory), 0

    def prepare(self) -> None:
        """Allocate the table, and compile or load the kernel. Raise BadOption if there is too little memory."""
        if not self._prepared:
            self.shared_arrays()
            Solver(grid(1, 1), MIN_TABLE_BYTES).solve(0)
            self._prepared = True

    def best_move(self, drawn: int, nodes: int = _MIN_BEST_MOVES_NODES, seconds: float | None = None) -> String | None:
        """Return a best move, or None if the game is over or the limits are too low to find one."""
        found = self.solve(drawn, nodes=nodes, seconds=seconds, first_best=True)
        return found.best[0] if found.best else None

    def stop(self) -> None:
        """Ask a solve running on another thread to return with its current bounds."""
        self._stop = True

    def report_to(self, watch: Watch | None, before: int = 0) -> SolveReport:
        """Return a callback that shows the nodes on a watch, `before` included, and stops the solve with the watch."""

        def report(progress: SolveProgress) -> None:
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
        first_best: bool = False,
        seconds: float | None = None,
        nodes: int | None = None,
        report: SolveReport | None = None,
    ) -> Solution:
        """Return the value of a position with these lines drawn, or its bounds if a limit or Ctrl-C stops the search.

        moves: also find the value of every move. first_best: stop at the first best move
        instead of finding all. Raise BadOption if there is too little memory.
        """
        self._stop = False
        boxes = boxes_left(self.graph, drawn)
        deadline = None if seconds is None else time.perf_counter() + seconds
        job = _Job(nodes, deadline, report, lower=-boxes, upper=boxes)
        best, all_best = tuple[String, ...](), False
        values = dict[String, int]()
        try:
            value = self._value(drawn, job, root=True)
            reaching = (move for move in self._moves(drawn) if self._move_reaches(drawn, move, value, job))
            best = tuple(islice(reaching, 1))
            if moves:
                for move in self._moves(drawn):
                    after, taken, sign = self._after_move(drawn, move)
                    values[move] = taken + sign * self._value(after, job, guess=sign * (value - taken))
                    job.moves += 1
                best, all_best = tuple(sorted(m for m, v in values.items() if v == value)), True
            elif best and not first_best:
                best, all_best = self._find_all_best(best, reaching, job)
        except (SolveStopped, KeyboardInterrupt):
            values = {}
        return Solution(job.lower, job.upper, best, all_best, dict(sorted(values.items())), job.used, job.seconds())

    def _moves(self, drawn: int) -> list[String]:
        """Return the undrawn lines, in the order to try them."""
        from kibitz.games.dots.exact.root import centre_out

        order = self.order or centre_out
        masks, lines = self.graph.masks, self.graph.strings

        def risk(move: String) -> int:
            """0 for a line that takes a box, 1 for a safe one, 2 for one that gives a box away."""
            degrees = [(masks[coin] & ~drawn).bit_count() for coin in lines[move] if coin != GROUND]
            return 0 if 1 in degrees else 2 if 2 in degrees else 1

        left = [move for move in range(len(lines)) if not drawn >> move & 1]
        return sorted(left, key=lambda move: (risk(move), order(self.graph, move), move))

    def _find_all_best(
        self, found: tuple[String, ...], others: Iterator[String], job: _Job
    ) -> tuple[tuple[String, ...], bool]:
        """Return all best moves and True, or those found and False if the node limit stops the search."""
        best_moves, old_limit, new_limit = list(found), job.nodes, job.used + max(job.used // 4, _MIN_BEST_MOVES_NODES)
        job.nodes = new_limit if old_limit is None else min(old_limit, new_limit)
        try:
            for move in others:
                best_moves.append(move)  # one by one, to keep those found before the search stops
        except SolveStopped:
            return tuple(best_moves), False
        finally:
            job.nodes = old_limit
        return tuple(sorted(best_moves)), True

    def _after_move(self, drawn: int, move: String) -> tuple[int, int, int]:
        """Return the lines drawn after a move, how many boxes it takes, and 1 if the player moves again, else -1."""
        taken = sum(1 for c in self.graph.strings[move] if c != GROUND and self.graph.masks[c] & ~drawn == 1 << move)
        return drawn | 1 << move, taken, 1 if taken else -1

    def _move_reaches(self, drawn: int, move: String, goal: int, job: _Job) -> bool:
        """Return whether the value of a move is at least the goal."""
        after, taken, sign = self._after_move(drawn, move)
        if sign > 0:
            return self._reaches(after, goal - taken, job)
        return not self._reaches(after, taken - goal + 1, job)

    def _reaches(self, drawn: int, goal: int, job: _Job) -> bool:
        """Return whether the value of a position is at least the goal."""
        taken = find_captures(self.graph, drawn)
        rest, enough = taken.drawn_after, goal - len(taken.coins)  # taking all, the rest must be worth that much
        if not taken.declinable:
            return self._prove(rest, enough, job) >= enough
        low_enough = -enough - 2 * taken.declinable  # declining, it must be worth at most this
        if low_enough >= enough:
            return True
        return self._prove(rest, enough, job) >= enough or self._prove(rest, low_enough + 1, job) <= low_enough

    def _value(self, drawn: int, job: _Job, root: bool = False, guess: int = 0) -> int:
        """Return the value of a position. root: update the bounds of the job. guess: the value to test first."""
        taken = find_captures(self.graph, drawn)
        boxes = boxes_left(self.graph, taken.drawn_after)
        lower, upper = -boxes, boxes
        goal = guess - len(taken.coins)
        while lower < upper:
            goal = min(max(goal, lower + 1), upper)
            # A value has the parity of the number of boxes, so it never equals a goal of the other parity:
            # test the next goal up instead.
            if self.flags & layout.PARITY and goal % 2 != boxes % 2:
                goal += 1
            found = self._prove(taken.drawn_after, goal, job)
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
        """Return a lower bound >= goal, or an upper bound < goal, of a position with nothing to take."""
        from kibitz.games.dots.exact.root import centre_out, set_up

        undrawn = self.graph.all_strings & ~drawn
        if not undrawn:
            return 0
        root = set_up(self.graph, undrawn, self.flags, self.symmetric, self.order or centre_out)
        if root is None:
            raise SolveStopped
        while True:
            try:
                return self._run_test(root, goal, job)
            except _TableFull:
                size = self._table_bytes * _TABLE_GROWTH
                size = size if size * _TABLE_GROWTH <= self.memory else self.memory  # skip a small last step
                self.forget()
                self._table_bytes = size

    def _run_test(self, root: SolverRoot, goal: int, job: _Job) -> int:
        """Run one test on all threads; return the bound of the first to finish. Raise SolveStopped or _TableFull."""
        import numpy as np

        from kibitz.games.dots.exact.kernel import SolverArrays, prove

        can_grow = self._table_bytes < self.memory
        until_full = int(_NODES_PER_BYTE * self._table_bytes) - self._stored if can_grow else _NO_LIMIT
        allowed = _NO_LIMIT if job.nodes is None else job.nodes - job.used
        if allowed <= 0 or job.is_late() or self._stop:
            raise SolveStopped
        if until_full <= 0:
            raise _TableFull
        stop, done = np.zeros(1, np.int64), threading.Event()
        limit = -(-min(until_full, allowed) // self.threads)
        root.workspace[layout.THREADS], root.workspace[layout.NODE_LIMIT] = self.threads, limit
        threads = [SolverArrays(*self.shared_arrays(), stop, root.workspace.copy()) for _ in range(self.threads)]
        position = [cast(int, np.int64(x)) for x in (root.core, root.unsafe, root.left, goal)]  # int64 to the kernel
        results, faults = list[int](), list[BaseException]()

        def work(arrays: SolverArrays) -> None:
            try:
                result = prove(arrays, *position)
                if not stop[0]:
                    results.append(int(result))
            except BaseException as fault:  # raised again below, on the caller's thread
                faults.append(fault)
            finally:
                done.set()

        def nodes() -> int:
            return sum(int(arrays.w[layout.NODES]) for arrays in threads)

        workers = [threading.Thread(target=work, args=(arrays,), daemon=True) for arrays in threads]
        try:
            for worker in workers:
                worker.start()
            while not done.wait(_POLL_SECONDS):
                if job.is_late() or self._stop:
                    stop[0] = 1
                job.send_report(goal, max(int(arrays.w[layout.ROOT_MOVES_DONE]) for arrays in threads), nodes())
        finally:
            stop[0] = 1
            for worker in workers:
                worker.join()
            job.used += nodes()
            self._stored += nodes()
        if faults:
            raise faults[0]
        if results:
            return results[0]
        full = until_full <= allowed and any(arrays.w[layout.NODES] > limit for arrays in threads)
        raise _TableFull if full and not job.is_late() and not self._stop else SolveStopped

    def shared_arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the arrays that all threads share, made on first use: the table and the positions being searched."""
        if self._table is None:
            import numpy as np

            from kibitz.compiled.arrays import aligned_zeros  # every bucket is one cache line

            try:
                table = aligned_zeros(self._table_bytes // 8, np.int64)
            except MemoryError:
                raise BadOption(f"Too little memory for a table of {self._table_bytes >> 20} MB: use less.") from None
            self._table = table, np.zeros(1 << 12, np.int64)
        return self._table


def _machine_memory() -> int:
    """Return this machine's memory in bytes, or a huge number if it is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 62


def _bounds(taken: Captures, lower: int, upper: int) -> tuple[int, int]:
    """Return the bounds of a position with captures from the bounds of the rest."""
    at_bounds = taken.value(lower), taken.value(upper)
    turning = -taken.declinable  # the rest's value at which the position is worth least, if coins can be declined
    low = taken.value(turning) if taken.declinable and lower <= turning <= upper else min(at_bounds)
    return low, max(at_bounds)
