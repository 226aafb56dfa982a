"""What Ultimate Tic-Tac-Toe reaches on one core, each figure beside a reference run in the same process.

python -m bench.uttt [--deep]
python -m bench.uttt --json     speeds as JSON objects, one a line
python -m bench.uttt minimax    only the minimax of 2014, compiled against plain

Speeds depend on the machine and on what else it does; the ratios and the
signatures (fixed seed, fixed nodes, one number) do not, or hardly.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import kibitz
from kibitz.compiled.rng import stream
from kibitz.core.agent import Budget, Choice
from kibitz.core.game import State
from kibitz.games.uttt.kernel import position as kernel
from kibitz.search.control import new_signal
from kibitz.search.perft import perft, random_games

START = kibitz.game("uttt").start()
SIGNAL = new_signal()
PERFT_7 = 33_782_544
PERFT_8 = 281_067_408


def timed(work: Callable[[], int], runs: int = 3) -> tuple[int, float]:
    """Return what the work returned and the best of a few times."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return result, min(times)


def plain_perft(state: State, depth: int) -> int:
    if depth == 1:
        return len(state.legal_moves())
    return sum(plain_perft(state.play(move), depth - 1) for move in state.legal_moves())


def plain_games(n: int) -> int:
    rng, plies = random.Random(1), 0
    for _ in range(n):
        state: State = START
        while moves := state.legal_moves():
            state = state.play(rng.choice(moves))
            plies += 1
    return plies


def line(name: str, speed: float, unit: str, reference: float, note: str = "") -> None:
    if "--json" in sys.argv:
        row = {"what": name, "speed": round(speed, 2), "unit": unit, "x the readable one": round(speed / reference)}
        print(json.dumps(row | {"note": note}), flush=True)
        return
    print(f"{name:28} {speed:10.2f} {unit:22} {speed / reference:8.0f} x the readable rules  {note}")


def bench_perft(deep: bool) -> None:
    pos, moves = kernel.pack(START), np.zeros(8 * kernel.MAX_LEGAL_MOVES, np.int64)
    perft(pos, 2, moves, SIGNAL)
    leaves, seconds = timed(lambda: perft(pos, 7, moves, SIGNAL))
    slow, slow_seconds = timed(lambda: plain_perft(START, 4), 1)
    line("perft 7", leaves / seconds / 1e6, "million leaves/s", slow / slow_seconds / 1e6, f"{leaves} leaves")
    if leaves != PERFT_7:
        sys.exit(f"perft 7 is {leaves}, but must be {PERFT_7}")
    if deep:
        leaves, seconds = timed(lambda: perft(pos, 8, moves, SIGNAL), 1)
        line("perft 8", leaves / seconds / 1e6, "million leaves/s", slow / slow_seconds / 1e6, f"{leaves} leaves")
        if leaves != PERFT_8:
            sys.exit(f"perft 8 is {leaves}, but must be {PERFT_8}")


def bench_random_games() -> None:
    pos, board, moves = kernel.pack(START), kernel.pack(START), np.zeros(kernel.MAX_LEGAL_MOVES, np.int64)
    tally, n = np.zeros(3, np.int64), 500_000
    random_games(pos, board, 10, stream(1), moves, tally)
    _, seconds = timed(lambda: random_games(pos, board, n, stream(1), moves, tally))
    _, slow_seconds = timed(lambda: plain_games(300), 1)
    line("random games", n / seconds, "games/s", 300 / slow_seconds)


def bench_search(spec: str, reference: str, budget: Budget, small: Budget) -> None:
    agent, plain = kibitz.agent("uttt", spec), kibitz.agent("uttt", reference)
    agent.choose(START.view(0), small)
    agent.reset(1)
    choice, slow = agent.choose(START.view(0), budget), plain.choose(START.view(0), small)
    work, slow_work = (c.playouts or c.nodes for c in (choice, slow))
    signature = hashlib.blake2b(
        repr((choice.move, choice.line, choice.value, work)).encode(), digest_size=4
    ).hexdigest()
    unit = "thousand playouts/s" if choice.playouts else "million nodes/s"
    scale = 1e3 if choice.playouts else 1e6
    rate, slow_rate = work / choice.seconds / scale, slow_work / slow.seconds / scale
    line(spec, rate, unit, slow_rate, f"depth {choice.depth}, signature {signature}")


def played_positions(spec: str, games: int) -> list[State]:
    """Return the positions of a few games of an agent against itself."""
    agent, found = kibitz.agent("uttt", spec), []
    for seed in range(games):
        agent.reset(seed)
        state: State = START
        while state.outcome() is None:
            found.append(state)
            state = state.play(agent.choose(state.view(state.to_move)).move)
    return found


def answers(spec: str, states: list[State]) -> tuple[list[Choice], float]:
    """Return an agent's choices in all positions, without their times, and the mean time in milliseconds."""
    agent, found = kibitz.agent("uttt", spec), []
    agent.prepare()
    began = time.perf_counter()
    for state in states:
        found.append(agent.choose(state.view(state.to_move)))
    ms = 1000 * (time.perf_counter() - began) / len(states)
    return [dataclasses.replace(choice, seconds=0.0) for choice in found], ms


def bench_minimax(evaluation: str, games: int) -> None:
    """Compare the minimax of 2014 with its plain reference on the same positions; all answers must be equal."""
    states = played_positions(f"minimax(eval={evaluation})", games)
    fast, ms = answers(f"minimax(eval={evaluation})", states)
    slow, plain_ms = answers(f"plain-minimax(eval={evaluation})", states)
    if fast != slow:
        sys.exit(f"minimax(eval={evaluation}) and its plain reference differ")
    print(
        f"{f'minimax(eval={evaluation})':28} {ms:10.3f} {'ms a move':22} {plain_ms / ms:8.0f} x plain-minimax "
        f"({plain_ms:.0f} ms)  values, moves and nodes equal on {len(states)} moves of {games} games, "
        f"{sum(choice.nodes for choice in fast) / len(states):.0f} nodes a move"
    )


def bench_second_process() -> None:
    """Time a whole command whose search is in the cache."""
    command = [sys.executable, "-m", "kibitz", "analyse", "uttt", "--nodes", "1000", "--json"]
    subprocess.run(command, check=True, capture_output=True)
    _, seconds = timed(lambda: subprocess.run(command, check=True, capture_output=True).returncode)
    bare = [sys.executable, "-c", "import numba"]
    _, import_seconds = timed(lambda: subprocess.run(bare, check=True, capture_output=True).returncode)
    ratio = seconds / import_seconds
    print(
        f"{'second process, first move':28} {seconds:10.2f} {'s':22} {ratio:8.1f} x a process that only imports numba"
    )
    helped = [sys.executable, "-m", "kibitz", "--help"]
    _, seconds = timed(lambda: subprocess.run(helped, check=True, capture_output=True).returncode)
    print(f"{'kibitz --help':28} {seconds:10.2f} s")


def bench_all_minimax() -> None:
    for evaluation in ("winning", "recursive", "cells-2014"):
        bench_minimax(evaluation, games=3)


if __name__ == "__main__":
    if "minimax" in sys.argv:
        bench_all_minimax()
        sys.exit()
    bench_perft("--deep" in sys.argv)
    bench_random_games()
    bench_search("alphabeta", "plain-alphabeta", Budget(nodes=5_000_000), Budget(nodes=5_000))
    bench_search("mcts", "plain-mcts", Budget(playouts=200_000), Budget(playouts=200))
    bench_search("mcts(leaf=winning)", "plain-mcts(leaf=winning)", Budget(playouts=200_000), Budget(playouts=500))
    if "--json" not in sys.argv:
        bench_all_minimax()
        bench_second_process()
