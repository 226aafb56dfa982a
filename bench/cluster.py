"""What a cluster costs: measured with workers on this machine, and a model of more of them.

python -m bench.cluster [--games N] [--store STORE]

Prints the cost of handing out one task, games a second of short games by one
and two workers of a cluster and by one and two processes without one, and what
the process that hands out and stores spends on each game. With STORE, which
kibitz go import made, it is mined on the cluster too. The model is in
docs/cluster.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from concurrent.futures import Executor, wait
from dataclasses import replace
from pathlib import Path

from kibitz.arena import runner
from kibitz.arena.cluster import Cluster, local_cluster
from kibitz.arena.store import Store
from kibitz.arena.tournament import Tournament
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.records.store import GameStore

SHORT = Tournament("uttt", ("random", "level1"), format="match", seed=1)
"""level1 is random too; an agent cannot meet itself."""
TASKS = 500
LENGTHS = (0.001, 0.1, 10.0)
"""Seconds of a game in the model."""


def play(executor: Executor, jobs: int, games: int) -> tuple[float, float]:
    """Return games a second, and the processor seconds that this process spent on each."""
    with tempfile.TemporaryDirectory() as folder:
        done = [executor.submit(runner.play_batch, SHORT.to_json(), SHORT.pairings()) for _ in range(2 * jobs)]
        wait(done)  # the workers are up
        store = Store.create(Path(folder) / "out", replace(SHORT, games=games))
        began, spent = time.perf_counter(), time.process_time()
        runner.run(store, executor, jobs)
        return games / (time.perf_counter() - began), (time.process_time() - spent) / games


def task_seconds(executor: Executor) -> float:
    """Return the seconds that a task with nothing to do takes, among many."""
    began = time.perf_counter()
    wait([executor.submit(time.perf_counter) for _ in range(TASKS)])
    return (time.perf_counter() - began) / TASKS


def model(task: float, each: float) -> None:
    """Print games a second by the model, for games of some lengths and numbers of workers."""
    print(f"{'game':>8} {'in a batch':>11}" + "".join(f"{n:>7} worker{'s' if n > 1 else ' '}" for n in (1, 10, 100)))
    for game in LENGTHS:
        batch = max(1.0, runner.BATCH_SECONDS / game)
        rates = [min(n / (game + task / batch), batch / task, 1 / each) for n in (1, 10, 100)]
        print(f"{game:>7} s {batch:>11.0f}" + "".join(f"{rate:>12.1f}/s " for rate in rates))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=6000)
    parser.add_argument("--store", type=Path)
    args = parser.parse_args()
    task = each = 0.0
    for number in (1, 2):
        with runner.local_executor(number) as pool:
            rate, spent = play(pool, number, args.games * number)
        print(f"{number} here:    {rate:7.0f} games/s, {1e6 * spent:4.0f} us each in this process", flush=True)
        began = time.perf_counter()
        with local_cluster(number, 0) as address, Cluster(address) as cluster:
            cluster.submit(runner.play_batch, SHORT.to_json(), []).result()
            started = time.perf_counter() - began
            rate, spent = play(cluster, number, args.games * number)
            task, each = task_seconds(cluster), spent
            print(f"{number} cluster: {rate:7.0f} games/s, {1e6 * spent:4.0f} us each, {1e3 * task:.2f} ms a task, "
                  f"ready in {started:.1f} s", flush=True)  # fmt: skip
            if args.store is not None:
                summary = mine(GameStore(args.store), anew=True, executor=cluster, jobs=cluster.jobs)
                print(f"{number} cluster: mined {summary.games:,} games in {summary.seconds:.1f} s", flush=True)
    if args.store is not None:
        summary = mine(GameStore(args.store), anew=True)
        print(f"without:   mined {summary.games:,} games in {summary.seconds:.1f} s")
    model(task, each)


if __name__ == "__main__":
    main()
