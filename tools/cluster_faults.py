"""A tournament on a cluster of this machine, in which something is killed a hundred times at random moments.

python -m tools.cluster_faults [--kills N] [--games N] [--workers N]

Mostly a worker is killed, now and then the arena itself, and now and then the
scheduler with all workers. An arena that was killed or gave up is resumed, a
cluster started again. At the end the games must be those of a run on this
machine without any cluster, each there once. Exits with 1 if they are not.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil

from kibitz.arena.store import TournamentFolder
from kibitz.arena.tournament import Tournament
from kibitz.core.record import GameRecord

KIBITZ = [sys.executable, "-m", "kibitz"]
VICTIMS = {"worker": 0.85, "arena": 0.10, "scheduler": 0.05}


class Run:
    """A tournament that goes on by a cluster until it is done."""

    def __init__(self, store: TournamentFolder, workers: int) -> None:
        self.store, self.workers = store, workers
        self.ends = Counter[str]()
        self.start_cluster()
        self.start_arena()

    def start_cluster(self) -> None:
        """Start a scheduler with workers, and learn its address."""
        command = [*KIBITZ, "cluster", "local", str(self.workers)]
        self.cluster = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.cluster.stdout is not None
        self.address = self.cluster.stdout.readline().split()[-1]

    def start_arena(self) -> None:
        """Go on with the tournament."""
        command = [*KIBITZ, "arena", "resume", str(self.store.folder), "--cluster", self.address]
        self.arena = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def goes_on(self) -> bool:
        """Start again what has ended; return False once the tournament is done."""
        code = self.arena.poll()
        if self.cluster.poll() is not None:
            self.start_cluster()
        if code is not None:
            if code == 0:
                return False
            assert self.arena.stderr is not None
            told = re.sub(r"tcp://[\d.:]+", "ADDRESS", self.arena.stderr.read().strip())
            self.ends["killed" if code < 0 else told.splitlines()[-1] if told else f"code {code}"] += 1
            self.start_arena()
        return True

    def kill(self, victim: str, rng: random.Random) -> bool:
        """Kill something; return whether it ran."""
        if victim == "worker":
            workers = []
            for child in psutil.Process(self.cluster.pid).children():
                with suppress(psutil.NoSuchProcess):  # killed a moment ago
                    if "spawn_main" in " ".join(child.cmdline()):
                        workers.append(child)
            if workers:
                rng.choice(workers).kill()
            return bool(workers)
        process = self.arena if victim == "arena" else self.cluster
        running_now = process.poll() is None
        process.kill()
        process.wait()
        return running_now


def plain(store: TournamentFolder) -> dict[str, GameRecord]:
    return {number: replace(record, times=()) for number, record in store.games().records.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    tournament = Tournament("uttt", ("random", "plain-mcts(playouts=1)"), games=args.games, seed=1)
    rng, kills = random.Random(1), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        store = TournamentFolder.create(Path(folder) / "killed", tournament)
        run, began = Run(store, args.workers), time.perf_counter()
        while run.goes_on():
            time.sleep(rng.uniform(0.0, 2.5))
            if kills.total() < args.kills:
                victim = rng.choices(list(VICTIMS), list(VICTIMS.values()))[0]
                kills[victim] += run.kill(victim, rng)
                print(f"\r{kills.total()} kills, {store.path.read_bytes().count(10)} games", end="", flush=True)
        run.cluster.kill()
        print(f"\nkilled in {time.perf_counter() - began:.0f} s: {dict(kills)}")
        for end, times in run.ends.items():
            print(f"the arena ended {times} times: {end}")
        whole = TournamentFolder.create(Path(folder) / "whole", tournament)
        command = [*KIBITZ, "arena", "resume", str(whole.folder)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        same = plain(store) == plain(whole)
        games, torn = store.games().records, len(store.games().truncated)
        print(f"{len(games)} of {args.games} games, each once; {torn} torn lines; equal to a run without kills: {same}")
        if not same or len(games) != args.games or kills.total() < args.kills:
            sys.exit(1)


if __name__ == "__main__":
    main()
