"""The page at work for a long time: whether its memory stays as it is, and what goes wrong.

    python -m tools.soak [--minutes 30] [--data DIR] [--seed 1]

Starts `kibitz serve` as a process of its own on a folder that is thrown away, or on DIR, and
uses all of it at once over real sockets: games against agents, pages read, analyses, searches in
records of Go, one tournament after the other, and `kibitz go import` into the collection that
is searched, again and again. Every minute a line tells memory, open files and how long a
move took to be answered. In the end the slopes of memory and open files are told, by
least squares with their 95 % intervals, without the first third of the run. Exits with 1 unless all
intervals lie below what is allowed, or if anything went wrong: in the log, or for a client. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from bench.go.store import import_command
from tools.faults import write_corpus
from tools.page_load import Server, hear, memory_of, play, serving

BOARDS: dict[str, tuple[str, dict[str, Any]]] = {
    "dots": ("level1", {"rows": 3, "cols": 3}),
    "uttt": ("level2", {}),
    "battleline": ("level1", {}),
}
"""Games that are played, each with an agent and options."""
PLAYERS = 4
PAGES = ("/", "/games", "/explore", "/arena", "/health", "/api/games", "/api/tables", "/api/house", "/api/arena")
SEARCH = {"size": 19, "top": 0, "left": 13, "rows": ["......", "......", "...X..", "......", "......", "......"]}
TOURNAMENT = {"game": "uttt", "agents": ["random", "level1"], "format": "match", "games": 400, "openings": 0}
PAUSE = 0.2
"""Seconds that a client waits between two things."""
SAMPLED, BLOCK = 1.0, 15
"""Seconds between two samples, and how many of them make one point of a slope, their least or, for workers, their
most: what is lost is never given back, while a search takes memory for a moment."""
RISE = {"server": 3.0, "worker": 3.0, "files": 2.0}
"""By how much each may rise in a minute: MB, MB, files."""
NEWER = 5
"""So many new games each import finds."""


COLUMNS = (
    "minute", "server MB", "worker MB", "files", "median ms", "p99 ms",
    "games", "reads", "searches", "analyses", "tournaments", "imports", "errors",
)  # fmt: skip


class Sample(NamedTuple):
    """How the server is at a moment."""

    seconds: float
    server: float
    worker: float
    """The memory in MB of the server, and of the largest of the processes that it has started."""
    files: int


class Slope(NamedTuple):
    """How much something rises in a minute, and half of the 95 % interval."""

    rise: float
    half: float


def slope(times: Sequence[float], values: Sequence[float]) -> Slope:
    """Return the slope of values over times in seconds, by least squares."""
    n = len(times)
    if n < 4:
        return Slope(math.nan, math.nan)
    line = statistics.linear_regression(times, values)
    rest = sum((value - line.slope * at - line.intercept) ** 2 for at, value in zip(times, values, strict=True))
    spread = sum((at - statistics.fmean(times)) ** 2 for at in times)
    wide = 2.0 + 2.5 / (n - 2)  # near the quantile of Student's distribution
    return Slope(60 * line.slope, 60 * wide * math.sqrt(rest / (n - 2) / spread))


class Soak:
    """A run: the clients, what they did, and what was measured."""

    def __init__(self, server: Server, log: Path, folder: Path, rng: random.Random) -> None:
        self.server, self.log, self.folder, self.rng = server, log, folder, rng
        self.began = time.monotonic()
        self.samples: list[Sample] = []
        self.waits: list[float] = []
        """Seconds that moves took to be answered, in this minute."""
        self.done = Counter[str]()
        self.errors = Counter[str]()
        """What went wrong for a client, and how often."""

    # Clients

    async def again(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do something again and again, and note what goes wrong."""
        while True:
            try:
                await work()
                self.done[name] += 1
            except (Exception, SystemExit) as fault:
                self.errors[f"{name}: {type(fault).__name__}: {fault}"[:200]] += 1
            await asyncio.sleep(PAUSE)

    async def ask(self, path: str, body: Any = None) -> Any:
        """Return what the server answers."""
        return await asyncio.to_thread(self.server.ask, path, body)

    async def play(self) -> None:
        """Play a game."""
        game = self.rng.choice(list(BOARDS))
        self.done["moves"] += await play(self.server, game, *BOARDS[game], self.rng, self.waits)

    async def read(self) -> None:
        """Read a page, and a game that is there."""
        await asyncio.to_thread(self.server.read, self.rng.choice(PAGES))
        tables = (await self.ask("/api/tables"))["tables"]
        if tables:
            await self.ask(f"/api/tables/{self.rng.choice(tables)['id']}/at/0")

    async def analyse(self) -> None:
        """Have a new game analysed until its value is known, for two looks at most."""
        game = self.rng.choice(["dots", "uttt"])
        table = await asyncio.to_thread(self.server.table, game, BOARDS[game][1], "level1")
        async with self.server.connect(table) as socket:
            await socket.send(json.dumps({"do": "analyse", "on": True}))
            for _ in range(2):
                while (message := await hear(socket))["is"] != "analysis":
                    if message["is"] == "notice" and "failed" in message["words"]:
                        raise RuntimeError(message["words"])
                if message["done"]:
                    break

    async def search(self) -> None:
        """Search a corner in the records, and look at a game that was found."""
        stores = [store["name"] for store in (await self.ask("/api/explorer"))["stores"]]
        store = self.rng.choice(stores)
        found = await self.ask("/api/explorer/search", {"store": store, **SEARCH, "tab": str(self.rng.random())})
        await self.ask(f"/api/explorer/found/{found['id']}?start=0")
        await self.ask(f"/api/explorer/games/{store}/1")

    async def hold(self) -> None:
        """Hold a tournament to its end."""
        made = await self.ask("/api/arena", TOURNAMENT)
        while (state := (await self.ask(f"/api/arena/{made['id']}"))["state"]) in ("running", "waiting"):
            await asyncio.sleep(1.0)
        if state != "complete":
            raise RuntimeError(f"the tournament is {state}")

    async def bring_in(self) -> None:
        """Import the collection with some new games."""
        new = self.folder / str(self.done["imports"])
        if not new.exists():
            write_corpus(new, self.rng, 1, NEWER)
        command = import_command(self.folder, self.server.folder / "go")
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
        try:
            code = await process.wait()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
        if code:
            raise RuntimeError(f"an import ended with {code}")
        await asyncio.sleep(5.0)

    # Measuring

    async def sample(self) -> None:
        """Take a sample now and then."""
        while True:
            with suppress(OSError, TypeError):  # a worker that has just ended
                self.samples.append(self.now())
            await asyncio.sleep(SAMPLED)

    def now(self) -> Sample:
        """Return how the server is."""
        server = self.server.process.pid
        threads = Path(f"/proc/{server}/task").iterdir()
        workers = [worker for thread in threads for worker in (thread / "children").read_text().split()]
        largest = max(map(memory_of, workers), default=0.0)
        files = len(os.listdir(f"/proc/{server}/fd"))
        return Sample(time.monotonic() - self.began, memory_of(server), largest, files)

    def logged(self) -> Counter[str]:
        """Return what the server has logged: warnings, errors, and what is no line of a log."""
        found = Counter[str]()
        for line in self.log.read_text("utf-8", "replace").splitlines():
            try:
                said = json.loads(line)
                found[f"{said['level']}: {said['message']} {said.get('error', '')[-300:]}".strip()] += 1
            except (ValueError, TypeError, KeyError):
                found[line[:200]] += 1
        return found

    async def tell(self) -> None:
        """Tell how it goes every minute."""
        print("  ".join(COLUMNS), flush=True)
        for minute in range(1, 10**6):
            await asyncio.sleep(60 * minute - (time.monotonic() - self.began))
            last, waits = self.samples[-1], sorted(self.waits) or [math.nan]
            wrong = self.errors.total() + self.logged().total()
            slow = (1000 * waits[len(waits) // 2], 1000 * waits[len(waits) * 99 // 100])
            counts = [self.done[name] for name in COLUMNS[6:-1]]
            told = [minute, last.server, last.worker, last.files, *slow, *counts, wrong]
            cells = zip(told, COLUMNS, strict=True)
            print("  ".join(f"{cell:>{len(name)}.0f}" for cell, name in cells), flush=True)
            self.waits.clear()

    async def warm_up(self) -> None:
        """Have everything loaded, and compiled if need be, before anything is counted."""
        write_corpus(self.folder / "first", self.rng, 5, 20)
        await self.bring_in()
        for game, board in BOARDS.items():
            await play(self.server, game, *board, self.rng, [])
        await self.analyse()
        while True:
            with suppress(TimeoutError):
                await self.search()
                break
        print(f"warmed up in {time.monotonic() - self.began:.0f} s", flush=True)
        self.began = time.monotonic()

    async def run(self, minutes: float) -> None:
        """Do everything for some minutes."""
        await self.warm_up()
        works = {"reads": self.read, "analyses": self.analyse, "searches": self.search}
        works |= {"tournaments": self.hold, "imports": self.bring_in}
        clients = [self.again("games", self.play) for _ in range(PLAYERS)]
        clients += [self.again(name, work) for name, work in works.items()]
        tasks = [asyncio.create_task(each) for each in (*clients, self.sample(), self.tell())]
        try:
            await asyncio.sleep(60 * minutes)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def verdict(self) -> bool:
        """Tell what was found in the end; return whether all is well."""
        warm = self.samples[len(self.samples) // 3 :]
        blocks = [warm[at : at + BLOCK] for at in range(0, len(warm) - BLOCK + 1, BLOCK)]
        times = [statistics.fmean(each.seconds for each in block) for block in blocks]
        well = True
        for name, most in RISE.items():
            values = [getattr(each, name) for each in warm]
            end = max if name == "worker" else min  # between two tournaments there is no worker
            rise, half = slope(times, [end(getattr(each, name) for each in block) for block in blocks])
            flat = rise + half <= most
            well = well and flat
            words = "flat" if flat else "RISES" if rise - half > most else "not known to be flat: run it for longer"
            which = "top" if end is max else "floor"
            told = f"{name}: {min(values):.0f} to {max(values):.0f}, {which} {rise:+.2f} ± {half:.2f} a minute"
            print(f"{told}, {most:g} allowed: {words}")
        wrong = self.errors + self.logged()
        print(f"done: {', '.join(f'{count:,} {name}' for name, count in sorted(self.done.items()))}")
        print(f"{wrong.total()} errors")
        for words, count in wrong.most_common(20):
            print(f"  {count} times: {words}")
        return well and not wrong and self.server.process.poll() is None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--data", type=Path, help="the server's folder, which is kept")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    with tempfile.TemporaryDirectory() as name, (Path(name) / "log").open("wb") as log:
        records = Path(name) / "records"
        records.mkdir()
        with serving("--log-format", "json", data=given.data, log=log) as server:
            soak = Soak(server, Path(name) / "log", records, random.Random(given.seed))
            with suppress(KeyboardInterrupt):
                asyncio.run(soak.run(given.minutes))
            well = soak.verdict()
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
