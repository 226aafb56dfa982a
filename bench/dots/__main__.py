"""What the exact solver of Dots-and-Boxes reaches, and what each of its techniques is worth.

python -m bench.dots [solve]             small boards, beside the alpha-beta that all games share
python -m bench.dots solve 3x3 3x4 --json  these boards, as JSON objects, one a line
python -m bench.dots solve 3x5 4x4 --memory 2   these boards, with a table of 2 gigabytes
python -m bench.dots threads [BOARD]     one thread and two
python -m bench.dots horizon [LINES...]  5x5 from random safe positions with these numbers of lines left
python -m bench.dots ablation            nodes when a technique is left out

Times depend on the machine and on what else it does. Node counts of one thread
do not, but for tables that fill.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from typing import Any

import kibitz
from kibitz.core.agent import Budget
from kibitz.games.dots.exact.layout import ALL, CORNERS, FORMULA, ISOLATE, OPENERS, PARITY, TABLE
from kibitz.games.dots.exact.root import centre_out
from kibitz.games.dots.exact.solver import Solution, SolveProgress, Solver
from kibitz.games.dots.rules.graph import Graph, grid
from kibitz.games.dots.theory.structure import safe_lines

SOLVED_VALUES = {"2x2": 2, "2x3": -2, "2x4": 2, "2x5": -2, "2x6": 2, "2x7": 0, "3x3": -3, "3x4": 0, "3x5": -1, "4x4": 0}
"""Solved values, of which those of 3x5 and 4x4 are the published ones."""
POSITIONS_PER_SIZE = 20
"""Positions of bench_horizon for each number of lines."""


def board(name: str) -> Graph:
    rows, _, cols = name.partition("x")
    return grid(int(rows), int(cols))


def solve(name: str, gigabytes: float, threads: int = 1, **options: Any) -> Solution:
    """Solve a board from its start, one best move included, and check the value."""
    solver = Solver(board(name), int(gigabytes * (1 << 30)), threads, **options)
    solver.prepare()
    reported = time.perf_counter()

    def report(progress: SolveProgress) -> None:
        nonlocal reported
        if time.perf_counter() - reported > 30:
            reported = time.perf_counter()
            print(f"  {name}: {progress}", file=sys.stderr, flush=True)

    solution = solver.solve(0, first_best=True, report=report)
    if name in SOLVED_VALUES and solution.value != SOLVED_VALUES[name]:
        sys.exit(f"{name} is worth {SOLVED_VALUES[name]}, but the solver says {solution.value}")
    return solution


def bench_solve(names: list[str], gigabytes: float, as_json: bool) -> None:
    if not as_json:
        print(f"{'board':6} {'value':>5} {'nodes':>13} {'seconds':>9} {'nodes/s':>12}")
    for name in names:
        found = solve(name, gigabytes)
        speed = found.nodes / found.seconds
        if as_json:
            row = {"board": name, "value": found.value, "nodes": found.nodes}
            print(json.dumps(row | {"seconds": round(found.seconds, 3), "nodes/s": round(speed)}), flush=True)
            continue
        print(f"{name:6} {found.value:>+5} {found.nodes:>13,} {found.seconds:>9.3f} {speed:>12,.0f}", flush=True)


def bench_reference() -> None:
    """Compare with the alpha-beta that knows nothing of chains: same board, same value."""
    game = kibitz.game("dots", rows=2, cols=3)
    agent = kibitz.agent(game, "alphabeta")
    agent.prepare()
    plain = agent.choose(game.start().view(0), Budget(seconds=60))
    ours = solve("2x3", 0.1)
    if not plain.exact or plain.value != ours.value:
        sys.exit("alphabeta and the solver differ on 2x3")
    nodes = plain.nodes / ours.nodes
    print(
        f"2x3: alphabeta {plain.nodes:,} nodes, {plain.seconds:.2f} s; the solver {ours.nodes:,}, {nodes:,.0f} x fewer"
    )


def bench_threads(name: str, gigabytes: float) -> None:
    one, two = (solve(name, gigabytes, threads) for threads in (1, 2))
    print(
        f"{name}: one thread {one.seconds:.1f} s, {one.nodes:,} nodes; two {two.seconds:.1f} s, {two.nodes:,}; "
        f"{one.seconds / two.seconds:.2f} x faster"
    )


def safe_position(graph: Graph, left: int, rng: random.Random) -> int:
    """Return the drawn lines of a position with this many left; they are random and give no box away."""
    while True:
        drawn = 0
        while graph.all_strings.bit_count() - drawn.bit_count() > left:
            safe = safe_lines(graph, graph.all_strings & ~drawn)
            if not safe:
                break
            drawn |= 1 << rng.choice(safe)
        else:
            return drawn


def bench_horizon(lines: list[int], gigabytes: float) -> None:
    graph = grid(5, 5)
    print(f"5x5, {POSITIONS_PER_SIZE} random safe positions each: seconds (nodes) to the exact value and a best move")
    for left in lines:
        rng, times, nodes = random.Random(left), [], []
        for _ in range(POSITIONS_PER_SIZE):
            solver = Solver(graph, int(gigabytes * (1 << 30)))
            solver.prepare()
            found = solver.solve(safe_position(graph, left, rng), first_best=True)
            times.append(found.seconds)
            nodes.append(found.nodes)
        middle, most = statistics.median(times), max(times)
        print(
            f"{left} lines left: median {middle:.3f} ({statistics.median(nodes):,.0f}), "
            f"slowest {most:.3f} ({max(nodes):,})",
            flush=True,
        )


def bench_ablation() -> None:
    """Leave out one technique at a time."""
    cases: dict[str, dict[str, Any]] = {
        "all techniques": {},
        "without the table": {"flags": ALL & ~TABLE},
        "outside-in instead of centre-out": {"order": lambda graph, string: -centre_out(graph, string)},
        "by number instead of centre-out": {"order": lambda graph, string: 0},
        "without symmetries": {"symmetric": False},
        "without the corner rule": {"flags": ALL & ~CORNERS},
        "every line of a chain as opener": {"flags": ALL & ~OPENERS},
        "isolated chains left in the core": {"flags": ALL & ~ISOLATE & ~FORMULA},
        "without the endgame formula": {"flags": ALL & ~FORMULA},
        "without parity": {"flags": ALL & ~PARITY},
    }
    names = ("3x3", "3x4")
    nodes: dict[str, list[int | None]] = {}
    for case, options in cases.items():
        nodes[case] = [
            None if name == "3x4" and not options.get("flags", ALL) & TABLE else solve(name, 2, **options).nodes
            for name in names
        ]
        cells = [
            "-" if n is None else f"{n:,} (x {n / base:.1f})"
            for n, base in zip(nodes[case], nodes["all techniques"], strict=True)
            if base is not None
        ]
        print(f"{case:34} " + " ".join(f"{text:>24}" for text in cells), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", default="solve", choices=["solve", "threads", "horizon", "ablation"])
    parser.add_argument("what", nargs="*")
    parser.add_argument("--memory", type=float, default=1, help="gigabytes of the table")
    parser.add_argument("--json", action="store_true", help="of solve: print JSON objects, one a line")
    given = parser.parse_args()
    if given.part == "solve":
        bench_solve(given.what or ["2x2", "2x3", "2x4", "2x5", "2x6", "3x3", "3x4"], given.memory, given.json)
        if not given.what and not given.json:
            bench_reference()
    elif given.part == "threads":
        bench_threads(given.what[0] if given.what else "2x6", given.memory)
    elif given.part == "horizon":
        bench_horizon([int(lines) for lines in given.what] or [36, 38, 40], given.memory)
    else:
        bench_ablation()
