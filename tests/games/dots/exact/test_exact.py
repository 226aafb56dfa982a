"""The exact solver: solved boards, positions valued elsewhere, full search, and each technique switched off."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from games.dots import naive
from games.dots.boards import graph_of
from games.dots.naive import Strings
from kibitz.games.dots.exact import layout
from kibitz.games.dots.exact.root import centre_out
from kibitz.games.dots.exact.solver import Solution, Solver
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.rules.graph import Graph, grid

DATA = Path(__file__).parents[3] / "data"
POSITIONS: list[dict[str, Any]] = json.loads((DATA / "dots_positions.json").read_text())["positions"]
PROBLEMS: list[dict[str, Any]] = json.loads((DATA / "dots_berlekamp.json").read_text())["problems"]
SIZES = sorted({(p["rows"], p["cols"]) for p in POSITIONS})
SMALL = 1 << 20


def best_of(moves: dict[int, int]) -> tuple[int, ...]:
    return tuple(sorted(move for move, value in moves.items() if value == max(moves.values())))


# Positions and boards that others have solved


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_positions_valued_elsewhere(size: tuple[int, int]) -> None:
    solver = Solver(grid(*size))
    positions = [p for p in POSITIONS if (p["rows"], p["cols"]) == size]
    assert len(positions) >= 11
    for position in positions:
        moves = {int(move): value for move, value in position["moves"].items()}
        found = solver.solve(int(position["drawn_hex"], 16), moves=True)
        assert (found.value, found.moves, found.all_best) == (position["value"], moves, True)
        assert found.best == best_of(moves)


def test_problems_of_berlekamps_book() -> None:
    for problem in PROBLEMS:
        game = Dots(problem["rows"], problem["cols"])
        found = Solver(game.board).solve(int(problem["drawn_hex"], 16))
        assert (found.value, found.all_best) == (problem["value_to_mover"], True)
        best = {game.parse_move(line) for line in problem["best"]}
        assert set(found.best) == best
        assert {game.parse_move(line) for line in problem["book_expected"]} <= best


SOLVED = {(1, cols): -(cols % 2) for cols in range(1, 12)} | {(2, 2): 2, (2, 3): -2, (2, 4): 2, (2, 5): -2, (2, 6): 2}


@pytest.mark.parametrize("size", SOLVED, ids=str)
def test_solved_boards(size: tuple[int, int]) -> None:
    assert Solver(grid(*size)).solve(0, first_best=True).value == SOLVED[size]


def test_openings_of_3x3_and_3x4() -> None:
    found = Solver(grid(3, 3)).solve(0, moves=True)
    assert found.value == -3
    assert found.moves == dict.fromkeys(range(24), -3)
    assert (found.best, found.all_best) == (tuple(range(24)), True)
    # Three by four is held by the central verticals alone.
    board = grid(3, 4)
    found = Solver(board).solve(0)
    assert (found.lower, found.value, found.upper) == (0, 0, 0)
    assert (found.best, found.all_best) == (tuple(board.vertical(row, 2) for row in range(3)), True)


BORDERS = {(2, 2): (2, -4), (2, 3): (4, 6), (2, 4): (4, 0), (2, 5): (2, 2), (3, 3): (-1, 7), (3, 4): (4, 4)}


@pytest.mark.parametrize("start", ["icelandic", "swedish"])
def test_boards_with_a_border(start: Literal["icelandic", "swedish"]) -> None:
    for (rows, cols), values in BORDERS.items():
        game = Dots(rows, cols, start_=start)
        assert Solver(game.board).solve(game.start().drawn).value == values[start == "swedish"]


# Against full search


def parts(strings: Strings) -> list[set[naive.End]]:
    """Return the coins of each connected part; the ground joins nothing."""
    found: list[set[naive.End]] = []
    for pair in strings:
        coins: set[naive.End] = {end for end in pair if end is not None}
        touched = [part for part in found if part & coins]
        found = [part for part in found if not part & coins] + [coins.union(*touched)]
    return found


def events(strings: Strings) -> Iterator[str]:
    """Yield what is rare in a position."""
    held = Counter[naive.End](end for pair in strings for end in pair if end is not None)
    pairs = Counter(frozenset(pair) for pair in strings)
    if max(pairs.values()) > 1:
        yield "parallel"
    if 1 in held.values():
        yield "coin to take"
    if max(held.values()) > 2 and 1 not in held.values():
        yield "joint, nothing to take"
    found = parts(strings)
    if len(found) > 2:
        yield "three parts"
    for part in found:
        inside = [pair for pair in strings if set(pair) & part]
        grounded = any(None in pair for pair in inside)
        if not grounded and len(inside) == len(part) and all(held[coin] == 2 for coin in part):
            yield f"loop of {len(part)}"
        if not grounded and len(inside) == 1:
            yield "domino"
        if any(held[coin] == len(inside) > 2 for coin in part):
            yield "star"


def solved(graph: Graph, drawn: int = 0, **how: Any) -> Solution:
    return Solver(graph, SMALL, **how).solve(drawn, moves=True)


def check(found: Solution, moves: dict[int, int], shown: object) -> None:
    """Compare a solution with the value of every move."""
    assert found.moves == moves, shown
    assert (found.value, found.best, found.all_best) == (max(moves.values()), best_of(moves), True), shown


EXTRAS: tuple[Strings, ...] = (
    naive.loop(2, "l"),
    naive.loop(3, "l"),
    naive.loop(4, "l"),
    naive.chain(1, "c"),
    naive.chain(3, "c"),
    (*naive.chain(1, "c"), *naive.chain(2, "d")),
    (("dom", "ino"),),
    (("hub", 100), ("hub", 101), ("hub", 102)),
    (("hub", 100), ("hub", 101), ("hub", 102), (100, None), (101, None), (102, None)),
    (*naive.loop(3, "l"), ("l0", "hub"), ("hub", None)),
)


def random_graph(rng: random.Random) -> Strings:
    """Return at most 12 strings: a part of a board, a random graph, or one with something beside it."""
    if rng.random() < 0.3:
        return naive.random_position(rng, *rng.choice([(2, 3), (3, 3), (4, 4)]), rng.randint(6, 12))
    coins = rng.randint(2, 6)
    strings = naive.random_strings(rng, coins, rng.randint(coins, 8))
    for _ in range(rng.choice((0, 1, 1, 2))):
        extra = rng.choice(EXTRAS)
        if not set(sum(extra, ())) & set(sum(strings, ())) - {None}:
            strings = (*strings, *extra)
    return strings[-12:]


def test_random_graphs_against_full_search() -> None:
    rng, seen = random.Random(1), Counter[str]()
    for _ in range(150):
        strings = random_graph(rng)
        check(solved(graph_of(strings)), naive.move_values(strings), strings)
        seen.update(set(events(strings)))
    rare = ("parallel", "coin to take", "joint, nothing to take", "three parts", "domino", "star")
    assert all(seen[event] >= 10 for event in rare), seen
    assert min(seen[f"loop of {n}"] for n in (2, 3, 4)) >= 4, seen


@pytest.mark.modes
def test_a_few_graphs_in_every_mode() -> None:
    rng = random.Random(8)
    for strings in (*(random_graph(rng)[-9:] for _ in range(10)), naive.chains_and_loops([1, 2], [3])):
        check(solved(graph_of(strings)), naive.move_values(strings), strings)


def test_one_table_serves_all_positions_of_a_graph() -> None:
    rng, count = random.Random(3), 0
    for strings in (*(random_graph(rng) for _ in range(7)), naive.grid_strings(2, 2)):
        graph, table = graph_of(strings), naive.values(strings)
        solver = Solver(grid(2, 2) if strings == naive.grid_strings(2, 2) else graph, SMALL)
        for left in rng.sample(range(1 << len(strings)), min(60, 1 << len(strings))):
            moves = {s: n + table[after] if n else -table[after] for s, n, after in naive.cuts(strings, left)}
            found = solver.solve(graph.all_strings ^ left, moves=True)
            assert (found.value, found.moves) == (table[left], moves), (strings, left)
            count += 1
    assert count >= 400


def test_isolated_parts_beside_a_joint() -> None:
    """Of several chains and loops only the shortest of a kind is opened: no value is lost by it."""
    rng = random.Random(4)
    arms: Strings = (("j", "k"), ("j", None), ("j", None), ("k", None), ("k", None))
    for _ in range(25):
        chains = [rng.choice((1, 1, 2, 3, 4)) for _ in range(rng.randint(1, 3))]
        loops = [rng.choice((2, 3, 4)) for _ in range(rng.randint(0, 2))]
        strings = (*arms[rng.randrange(2) :], *naive.chains_and_loops(chains, loops))
        if len(strings) <= 14:
            check(solved(graph_of(strings)), naive.move_values(strings), strings)


def test_isolated_chains_and_loops_alone() -> None:
    rng = random.Random(5)
    seen: Counter[str] = Counter()
    for _ in range(150):
        chains = [rng.randint(1, 5) for _ in range(rng.randint(0, 3))]
        loops = [rng.choice((2, 3, 3, 4, 5, 6, 7, 8, 9)) for _ in range(rng.randint(not chains, 2))]
        if sum(chains) + sum(loops) > 15:
            continue  # too many for the reference
        found = solved(graph_of(naive.chains_and_loops(chains, loops)))
        assert found.value == max(found.moves.values()) == naive.value_of_parts(naive.endgame(chains, loops))
        seen["loop of three"] += 3 in loops
        seen["odd loop"] += any(n % 2 for n in loops if n > 3)
    assert min(seen.values()) >= 30, seen


def test_a_controlled_value_of_two_may_be_four_with_odd_loops() -> None:
    assert naive.value_of_parts(naive.endgame([4], [7, 7])) == -4
    assert solved(graph_of(naive.chains_and_loops([4], [7, 7]))).value == -4


def test_a_loop_of_three_may_have_to_wait() -> None:
    strings = naive.chains_and_loops([3, 5], [3, 4])
    found = solved(graph_of(strings))
    assert (found.value, found.best, found.all_best) == (-1, (0, 1, 2, 3), True)

    def opened(loop: int, other: int) -> int:
        left: list[naive.Part] = [*naive.endgame([3, 5], [other]), ("bare", loop)]
        return -naive.value_of_parts(tuple(sorted(left)))

    assert {found.moves[string] for string in range(10, 13)} == {opened(3, 4)}
    assert {found.moves[string] for string in range(13, 17)} == {opened(4, 3)}
    assert max(opened(3, 4), opened(4, 3)) < -1 == naive.value_of_parts(naive.endgame([3, 5], [3, 4]))


def test_nothing_left_to_draw_or_all_to_take() -> None:
    finished = grid(2, 2).all_strings
    for moves, first_best in ((False, False), (True, False), (False, True)):
        found = Solver(grid(2, 2), SMALL).solve(finished, moves=moves, first_best=first_best)
        assert (found.value, found.exact, found.best, found.moves) == (0, True, (), {})
    assert Solver(grid(2, 2), SMALL).best_move(finished) is None
    # A row of four, open at both ends: taken from an end, while a cut in its middle leaves all to the other.
    board = grid(1, 4)
    left = sum(1 << board.vertical(0, col) for col in (1, 2, 3))
    found = Solver(board, SMALL).solve(board.all_strings ^ left, moves=True)
    assert (found.value, found.best) == (4, (board.vertical(0, 1), board.vertical(0, 3)))
    assert found.moves == {board.vertical(0, 1): 4, board.vertical(0, 2): -4, board.vertical(0, 3): 4}


# Techniques

TECHNIQUES = ("TABLE", "CORNERS", "OPENERS", "ISOLATE", "FORMULA", "PARITY")


def outside_in(graph: Graph, string: int) -> int:
    return -centre_out(graph, string)


WITHOUT: dict[str, dict[str, Any]] = {
    **{name: {"flags": layout.ALL & ~getattr(layout, name)} for name in TECHNIQUES},
    "everything": {"flags": 0, "symmetric": False},
    "symmetries": {"symmetric": False},
    "the centre first": {"order": outside_in},
}


@cache
def worked_out() -> list[tuple[Graph, dict[int, int]]]:
    """Return some graphs and parts of 3x3 with the value of every move."""
    rng = random.Random(6)
    graphs = [random_graph(rng) for _ in range(25)]
    graphs += [naive.chains_and_loops([5], [3]), naive.chains_and_loops([2, 3], [2, 3]), naive.loop(4)]
    return [(graph_of(strings), naive.move_values(strings)) for strings in graphs]


def test_the_techniques_are_all_there_are() -> None:
    assert sum(getattr(layout, name) for name in TECHNIQUES) == layout.ALL


@pytest.mark.parametrize("off", WITHOUT)
def test_without_a_technique_values_are_the_same(off: str) -> None:
    for graph, moves in worked_out():
        check(solved(graph, **WITHOUT[off]), moves, graph.strings)
    board = grid(3, 3)
    for start, value in (("icelandic", -1), ("swedish", 7)):
        drawn = Dots(3, 3, start_=start).start().drawn  # type: ignore[arg-type]
        everything = Solver(board).solve(drawn, moves=True)
        less = Solver(board, **WITHOUT[off]).solve(drawn, moves=True)
        assert (less.value, less.moves) == (value, everything.moves)
    if off not in ("TABLE", "everything"):
        assert Solver(board, **WITHOUT[off]).solve(0).value == -3


@pytest.mark.parametrize("off", ["TABLE", "CORNERS", "ISOLATE", "symmetries", "the centre first"])
def test_a_technique_saves_nodes(off: str) -> None:
    game = Dots(3, 3, start_="icelandic" if off == "TABLE" else "empty")
    drawn = game.start().drawn
    everything, less = (Solver(game.board, **how).solve(drawn, first_best=True) for how in ({}, WITHOUT[off]))
    assert everything.value == less.value
    assert everything.nodes < less.nodes
