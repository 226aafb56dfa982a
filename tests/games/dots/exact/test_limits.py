"""The exact solver under limits: time, nodes, a stop, little memory, several threads, boards that are too large."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from clocks import PATIENCE, StoppedClock
from games.dots import naive
from games.dots.boards import graph_of
from kibitz.core.errors import BadOption
from kibitz.games.dots.exact import solver as solving
from kibitz.games.dots.exact.solver import Solution, SolveProgress, Solver
from kibitz.games.dots.rules.graph import Graph, grid
from kibitz.games.dots.theory.endgames import find_captures

BIG = grid(4, 5)
"""A board that takes far longer than any test may, worth 0 (Barker and Korf, 2012)."""


def with_a_row(rows: int, cols: int) -> Graph:
    """Return a board beside a row of 4 that can be taken or declined: worth 4 - 2 + |2 + what the board is worth|."""
    return graph_of((*naive.grid_strings(rows, cols), *naive.chain(4, "row")[1:]))


BOARDS = {"2x5": (grid(2, 5), -2), "3x3 and a row": (with_a_row(3, 3), 3)}
"""Graphs with their values."""


def check_unfinished(found: Solution, value: int) -> None:
    assert found.lower < found.upper
    assert found.lower <= value <= found.upper
    assert (found.exact, found.value, found.best, found.all_best, found.moves) == (False, None, (), False, {})


@pytest.fixture
def looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have limits checked all the time, so that a solve can be stopped anywhere."""
    monkeypatch.setattr(solving, "_POLL_SECONDS", 0.001)


# Time, nodes, stop


def test_a_solve_ends_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    solver, clock = Solver(BIG), StoppedClock()
    monkeypatch.setattr(solving, "time", clock)

    def spend(progress: SolveProgress) -> None:
        clock.now += 0.25 * (progress.nodes > 0)

    began = clock.now
    found = solver.solve(0, moves=True, seconds=0.5, report=spend)
    assert 0.5 <= clock.now - began <= 0.75
    assert found.nodes > 0
    check_unfinished(found, 0)


def test_a_solve_ends_when_its_nodes_are_spent_or_it_is_stopped() -> None:
    solver = Solver(BIG)
    found = solver.solve(0, nodes=100_000)
    assert 90_000 < found.nodes < 110_000
    check_unfinished(found, 0)
    assert solver.best_move(0, nodes=100_000) is None
    # A stop from another thread is obeyed.
    solver, runs = Solver(BIG, threads=2), threading.Event()

    def stop() -> None:
        runs.wait(PATIENCE)
        solver.stop()

    button = threading.Thread(target=stop)
    button.start()
    found = solver.solve(0, seconds=600, report=lambda progress: runs.set())
    button.join()
    assert found.seconds < 300
    check_unfinished(found, 0)
    # A stop while nothing runs stops nothing.
    solver = Solver(grid(2, 2))
    solver.stop()
    assert solver.solve(0).value == 2


@pytest.mark.parametrize("limit", ["nodes", "seconds", "stop"])
def test_limits_hold_between_tests_too(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solve is many tests of a position, and none of them may be long enough to be looked at."""
    monkeypatch.setattr(solving, "_POLL_SECONDS", 30)
    solver = Solver(grid(3, 3))
    full = solver.solve(0, moves=True)
    assert len(full.moves) == 24
    solver.forget()
    if limit == "stop":
        after = solver._after_move

        def after_and_stop(drawn: int, move: int) -> tuple[int, int, int]:
            solver.stop()  # as another thread might, when the value is known and moves are being valued
            return after(drawn, move)

        monkeypatch.setattr(solver, "_after_move", after_and_stop)
        found = solver.solve(0, moves=True)
        assert (found.value, found.all_best) == (-3, False)
    else:
        found = solver.solve(0, moves=True, nodes=1) if limit == "nodes" else solver.solve(0, moves=True, seconds=1e-6)
        check_unfinished(found, -3)
    assert found.moves == {}
    assert found.nodes < full.nodes


@pytest.mark.usefixtures("looked_at_often")
@pytest.mark.parametrize("name", BOARDS)
def test_bounds_bracket_the_value_wherever_a_solve_is_stopped(name: str) -> None:
    graph, value = BOARDS[name]
    full = Solver(graph).solve(0, first_best=True)
    assert full.value == value
    bounds = set()
    for tenths in range(1, 10):
        found = Solver(graph).solve(0, moves=True, nodes=full.nodes * tenths // 10)
        assert found.lower <= value <= found.upper
        if not found.exact:
            check_unfinished(found, value)
            bounds.add((found.lower, found.upper))
    assert len(bounds) >= 2, bounds


@pytest.mark.parametrize(
    "strings",
    [naive.chain(4)[1:], naive.chain(5)[1:-1], naive.chain(1)[1:]],
    ids=["decline two", "decline four", "decline nothing"],
)
def test_bounds_of_what_is_left_bound_the_whole(strings: naive.Strings) -> None:
    taken = find_captures(graph_of(strings), 0)
    for lower in range(-9, 10):
        for upper in range(lower, 10, 2):
            values = [taken.value(rest) for rest in range(lower, upper + 1, 2)]
            low, high = solving._bounds(taken, lower, upper)
            assert low in (min(values), min(values) - 1)  # one less where no rest has the parity for it
            assert high == max(values)


@pytest.mark.usefixtures("looked_at_often")
def test_what_a_stopped_solve_leaves_in_the_table_is_true() -> None:
    for board, value in ((grid(3, 3), -3), (grid(2, 5), -2)):
        solver, stopped = Solver(board), 0
        while not (found := solver.solve(0, moves=True, nodes=20_000)).moves:
            assert found.lower <= value <= found.upper
            stopped += 1
            assert stopped < 1000
        assert stopped >= 2
        assert found.moves == dict.fromkeys(range(len(board.strings)), value)


@pytest.mark.usefixtures("looked_at_often")
def test_a_solve_that_is_stopped_after_the_value_keeps_it() -> None:
    solver = Solver(grid(3, 4))

    def stop_when_known(progress: SolveProgress) -> None:
        if progress.lower == progress.upper and progress.moves:
            solver.stop()

    found = solver.solve(0, moves=True, report=stop_when_known)
    assert (found.value, found.moves, found.all_best) == (0, {}, False)
    assert len(found.best) == 1
    assert set(found.best) < {18, 23, 28}


@pytest.mark.usefixtures("looked_at_often")
@pytest.mark.parametrize("name", BOARDS)
def test_progress_is_reported_and_only_goes_forward(name: str) -> None:
    graph, value = BOARDS[name]
    told: list[SolveProgress] = []
    found = Solver(graph).solve(0, report=told.append)
    assert len(told) > 10
    for progress in told:
        assert progress.lower <= value <= progress.upper
        assert progress.tried <= len(graph.strings)
    for before, after in pairwise(told):
        assert before.lower <= after.lower
        assert after.upper <= before.upper
        assert before.seconds <= after.seconds
        assert before.nodes <= after.nodes
    assert told[-1].lower <= found.lower == value == found.upper <= told[-1].upper
    assert told[-1].nodes <= found.nodes
    assert len({(progress.lower, progress.upper) for progress in told}) >= 2


# Too large, or only seemingly so


def test_9x9_is_given_up_at_once_or_solved_by_its_chains() -> None:
    found = Solver(grid(9, 9)).solve(0, moves=True)
    assert (found.lower, found.upper, found.nodes) == (-81, 81, 0)
    check_unfinished(found, 0)
    # Nine rows of nine: who must open loses 5 in each of eight and 9 in the last.
    board = grid(9, 9)
    found = Solver(board).solve(sum(1 << board.horizontal(r, c) for r in range(10) for c in range(9)), moves=True)
    assert found.value == -(8 * 5 + 9)
    assert found.moves == dict.fromkeys(range(90, 180), found.value)


def test_the_largest_core_is_63_strings() -> None:
    """Who cuts the last of n strings takes the coin: the first player, if n is odd."""
    found = Solver(graph_of((("coin", None),) * 63)).solve(0, moves=True)
    assert found.moves == dict.fromkeys(range(63), 1)
    found = Solver(graph_of((("coin", None),) * 64)).solve(0)
    assert (found.lower, found.upper, found.nodes) == (-1, 1, 0)
    one_cut = Solver(graph_of((("coin", None),) * 64)).solve(1)
    assert one_cut.value == 1


# Memory


@pytest.mark.parametrize(
    ("size", "drawn", "value"), [((2, 5), 0, -2), ((3, 4), 1 << 18, 0)], ids=["2x5", "3x4 with its best line"]
)
def test_the_smallest_table_is_enough(size: tuple[int, int], drawn: int, value: int) -> None:
    """65,536 places for some millions of positions: most are forgotten, and none is taken for another."""
    found = Solver(grid(*size), 1 << 20).solve(drawn, first_best=True)
    assert found.value == value
    assert found.nodes > 1 << 18


@pytest.mark.parametrize("threads", [1, 2])
def test_a_table_that_fills_grows(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two threads, one may come to its share of the nodes long before the other."""
    monkeypatch.setattr(solving, "_FIRST_TABLE_BYTES", 1 << 20)
    solver = Solver(grid(2, 5), 1 << 23, threads)
    found = solver.solve(0, moves=True)
    assert found.moves == dict.fromkeys(range(27), -2)
    assert solver.shared_arrays()[0].nbytes == 1 << 23
    solver.forget()
    assert solver.shared_arrays()[0].nbytes == 1 << 20
    again = solver.solve(0, moves=True)
    assert again.moves == found.moves
    assert again.nodes == found.nodes or threads > 1
    assert Solver(grid(2, 5), 1 << 26, threads).solve(0, first_best=True).value == -2


def test_a_table_begins_at_a_cache_line_and_is_a_power_of_two() -> None:
    solver = Solver(grid(2, 2), (1 << 21) + 12345)
    table = solver.shared_arrays()[0]
    assert (table.nbytes, table.ctypes.data % 64, solver.memory) == (1 << 21, 0, 1 << 21)


@pytest.mark.parametrize(
    ("memory", "threads", "said"),
    [
        ((1 << 20) - 1, 1, "needs at least 1 MB of memory, not 1048575 bytes"),
        (0, 1, "needs at least 1 MB"),
        (-(1 << 30), 1, "needs at least 1 MB"),
        (1 << 60, 1, "more than this machine's memory"),
        (1 << 20, 0, "1 to 256 threads, not 0"),
        (1 << 20, -1, "threads, not -1"),
        (1 << 20, 257, "1 to 256"),
    ],
)
def test_impossible_solvers_are_refused(memory: int, threads: int, said: str) -> None:
    with pytest.raises(BadOption, match=said):
        Solver(grid(2, 2), memory, threads)


def test_too_little_memory_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_machine_memory", lambda: 1 << 62)
    monkeypatch.setattr(solving, "_FIRST_TABLE_BYTES", 1 << 55)
    solver = Solver(grid(2, 2), 1 << 55)
    with pytest.raises(BadOption, match="Too little memory for a table"):
        solver.prepare()
    with pytest.raises(BadOption, match="Too little memory for a table"):
        solver.solve(0)


# Threads, and what is kept


@pytest.mark.parametrize("size", [(3, 3), (2, 5)], ids=["3x3", "2x5"])
def test_two_threads_find_the_same(size: tuple[int, int]) -> None:
    board = grid(*size)
    alone, together = (Solver(board, threads=threads) for threads in (1, 2))
    for drawn in (0, 1, 1 << board.vertical(0, 1) | 1 << board.horizontal(1, 2)):
        one, two = (solver.solve(drawn, moves=True) for solver in (alone, together))
        assert (two.value, two.moves, two.best, two.all_best) == (one.value, one.moves, one.best, True)


def test_one_thread_is_repeatable_node_by_node() -> None:
    solver = Solver(grid(3, 3))
    first, again = solver.solve(0), solver.solve(0)
    assert (again.value, again.best) == (first.value, first.best)
    assert again.nodes < first.nodes / 100
    solver.forget()
    assert solver.solve(0).nodes == first.nodes == Solver(grid(3, 3)).solve(0).nodes
