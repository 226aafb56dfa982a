"""What survives SIGKILL: the server, a tournament, an import, each killed again and again at random moments.

    python -m tools.faults server 100 [--seed 1]
    python -m tools.faults arena 100
    python -m tools.faults importer 100 [--corpus PATH]

The real programs run on a folder that is thrown away. After every kill what is on
the disk is compared with what had been acknowledged before: by a message to a
client, by a whole line, by a commit. In the end the tournament and the store are
compared with ones that nobody disturbed. Exits with 1 if anything is lost or twice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench.go.store import import_command
from kibitz.arena.store import TournamentFolder as Tournaments
from kibitz.arena.tournament import Tournament
from kibitz.core.record import GameRecord
from kibitz.games.go.records.store import COLUMNS, MANIFEST, GameStore
from kibitz.games.go.records.tables import ask
from kibitz.games.go.rules.text import sgf_point
from tools.page_load import Server, hear, kept_moves, serving

TABLES = 10
"""So many tables are played at while the server is killed."""
GAMES_A_KILL = 60
"""So many games the tournament has for every kill."""
SGF_FILES, SGF_GAMES, SGF_MOVES = 300, 100, 120
"""The files of records that are imported, if none are named: how many, and their games and moves."""


class Tally:
    """Counts kills and what is wrong, and tells both."""

    def __init__(self, kills: int) -> None:
        self.kills, self.done, self.running, self.wrong = kills, 0, 0, 0
        self.compared = 0

    def killed(self, running: bool) -> None:
        """Count a kill."""
        self.done += 1
        self.running += running
        if self.done % max(1, self.kills // 10) == 0:
            print(f"  {self.done} kills, {self.compared:,} things compared, {self.wrong} wrong", flush=True)

    def compare(self, fine: bool, words: str) -> None:
        """Count a thing that was compared, and tell if it is wrong."""
        self.compared += 1
        if not fine:
            self.wrong += 1
            print(f"  kill {self.done}: {words}", flush=True)

    def end(self, what: str, began: float) -> None:
        """Tell everything, and exit."""
        print(
            f"{what}: {self.done} kills, {self.running} of a running process; {self.compared:,} things compared, "
            f"{self.wrong} lost, twice or different; {time.perf_counter() - began:.0f} s"
        )
        sys.exit(1 if self.wrong else 0)


# The server


class Visitors:
    """Clients who play at tables and make new ones, and remember what they were shown."""

    def __init__(self, server: Server, rng: random.Random) -> None:
        self.server, self.rng = server, rng
        self.tables = [server.table("dots", {"rows": 9, "cols": 9}, "level1") for _ in range(TABLES)]
        self.seen: dict[str, list[str]] = {table: [] for table in self.tables}
        """By table: the moves that a client has been shown."""

    async def play(self, table: str, seed: int) -> None:
        """Play at a table until the server is gone."""
        pick = random.Random(seed)
        with suppress(ConnectionClosed, OSError, InvalidHandshake, TimeoutError):
            async with self.server.connect(table) as socket:
                while True:
                    message = await hear(socket)
                    if message["is"] != "table":
                        continue
                    self.seen[table] = [move["text"] for move in message["moves"]]
                    if message["outcome"] is not None:
                        return
                    if message["to_move"] == 0 and message["legal"]:
                        move = pick.choice(message["legal"])
                        await socket.send(json.dumps({"do": "move", "ply": message["ply"], "move": move}))

    async def make(self) -> None:
        """Make tables until the server is gone."""
        with suppress(OSError, HTTPException):
            while True:
                made = await asyncio.to_thread(self.server.table, "uttt", {}, "level1")
                self.seen[made] = []
                await asyncio.sleep(0.05)

    async def until_killed(self, seconds: float) -> bool:
        """Do all this for a while and kill the server; return whether it still ran."""
        tasks = [asyncio.create_task(self.play(table, self.rng.getrandbits(32))) for table in self.tables]
        tasks.append(asyncio.create_task(self.make()))
        await asyncio.sleep(seconds)
        running = self.server.process.poll() is None
        self.server.kill()
        await asyncio.gather(*tasks)
        return running


def kill_servers(tally: Tally, rng: random.Random) -> None:
    """Kill the server under load; every move that was shown and every table that was made must be there."""
    with serving() as server:
        visitors = Visitors(server, rng)
        for _ in range(tally.kills):
            tally.killed(asyncio.run(visitors.until_killed(rng.uniform(0.05, 0.6))))
            server.start()
            listed = {path.stem for path in (server.folder / "tables").glob("*.jsonl")}
            for table, shown in visitors.seen.items():
                tally.compare(table in listed, f"table {table} is gone")
                kept = kept_moves(server.folder / "tables" / f"{table}.jsonl")
                tally.compare(kept[: len(shown)] == shown, f"{table} showed {len(shown)} moves, kept {len(kept)}")
                tally.compare(len(set(kept)) == len(kept), f"{table} has a move twice")
            table = rng.choice(visitors.tables)
            tally.compare(server.ask(f"/api/tables/{table}")["id"] == table, f"{table} cannot be opened")
            visitors.seen = {table: visitors.seen[table] for table in visitors.tables}


# A tournament


def resume(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "kibitz", "arena", "resume", str(folder), "--jobs", "1"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_at_a_random_moment(process: subprocess.Popen[bytes], path: Path, rng: random.Random) -> bool:
    """Kill a run at its start, while its games are played, or in the middle of a write; return if it still ran."""
    moment = rng.random()
    if moment < 0.2:
        time.sleep(rng.uniform(0.0, 2.0))
    else:
        wait_for_growth(process, path)
        if moment < 0.6:
            time.sleep(rng.uniform(0.0, 0.8))
    running = process.poll() is None
    process.kill()
    process.wait()
    return running


def wait_for_growth(process: subprocess.Popen[bytes], path: Path) -> None:
    """Return at the very moment in which a running process writes to a file."""
    size = path.stat().st_size
    while path.stat().st_size == size and process.poll() is None:
        time.sleep(0.0005)


def plain(records: dict[str, GameRecord]) -> dict[str, GameRecord]:
    return {number: replace(record, times=()) for number, record in records.items()}


def kill_tournaments(tally: Tally, rng: random.Random) -> None:
    """Kill a tournament and resume it; what was written stays, and in the end every game is there once."""
    agents = ("random", "plain-mcts(playouts=2)")
    tournament = Tournament("uttt", agents, format="match", games=GAMES_A_KILL * tally.kills, seed=1)
    with tempfile.TemporaryDirectory() as name:
        whole, store = (Tournaments.create(Path(name) / each, tournament) for each in ("whole", "killed"))
        if resume(whole.folder).wait():
            sys.exit("the uninterrupted run failed")
        before: dict[str, GameRecord] = {}
        for _ in range(tally.kills):
            tally.killed(kill_at_a_random_moment(resume(store.folder), store.path, rng))
            now = store.games().records  # refuses a game that is there twice
            tally.compare(before.items() <= now.items(), f"{len(before)} games were written, {len(now)} are there")
            before = now
        played = len(before)
        if resume(store.folder).wait():
            sys.exit("the last run failed")
        tally.compare(plain(store.games().records) == plain(whole.games().records), "the games are not the same")
        print(f"  {played} of {tournament.games} games under fire, {len(store.games().truncated)} torn lines")


# An import


def contents(folder: Path) -> tuple[Any, ...]:
    """Return all that a store holds."""
    store = GameStore(folder)
    columns = tuple(store.column(name).tobytes() for name in COLUMNS if name != "sources")
    sources = sorted(store.column("sources").tolist())
    return columns, sources, ask(store, "SELECT * FROM games ORDER BY id", 10**7).rows


def write_corpus(folder: Path, rng: random.Random, files: int = SGF_FILES, games: int = SGF_GAMES) -> None:
    """Write files of random games; what is illegal in them the importer keeps up to there."""
    folder.mkdir()
    for number in range(files):
        (folder / f"{number:03d}.sgf").write_text("\n".join(_records(rng, games)))


def _records(rng: random.Random, games: int) -> Iterator[str]:
    for _ in range(games):
        points = rng.sample(range(361), SGF_MOVES)
        moves = "".join(f";{'BW'[at % 2]}[{sgf_point(19, point)}]" for at, point in enumerate(points))
        yield f"(;GM[1]FF[4]SZ[19]PB[A]PW[B]RE[B+R]{moves})"


def kill_imports(tally: Tally, rng: random.Random, corpus: Path | None) -> None:
    """Kill imports, each going on from the one before; what was committed stays, and in the end all is there once."""
    with tempfile.TemporaryDirectory() as name:
        peace, war = Path(name) / "peace", Path(name) / "war"
        if corpus is None:
            corpus = Path(name) / "corpus"
            write_corpus(corpus, rng)
        began = time.perf_counter()
        subprocess.run(import_command(corpus, peace), check=True, stdout=subprocess.DEVNULL)
        whole = time.perf_counter() - began
        digests, ends, parts = list[int](), 0, 0
        while tally.done < tally.kills:
            process = subprocess.Popen(import_command(corpus, war), stdout=subprocess.DEVNULL)
            try:
                if process.wait(rng.uniform(0.2, 1.1) * whole):
                    sys.exit("An import failed.")
                tally.compare(contents(peace) == contents(war), "the store is not the same")
                digests, ends = [], ends + 1  # begin with nothing again
                for path in war.iterdir():
                    path.unlink()
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                tally.killed(True)
                now = GameStore(war).column("digests").tolist() if (war / MANIFEST).exists() else []
                tally.compare(now[: len(digests)] == digests, f"{len(digests)} games, then {len(now)}")
                parts += len(digests) < len(now)
                digests = now
        subprocess.run(import_command(corpus, war), check=True, stdout=subprocess.DEVNULL)
        tally.compare(contents(peace) == contents(war), "the store is not the same")
        print(f"  {len(GameStore(peace))} games, {whole:.1f} s in peace; {parts} kills after a commit, {ends} ended")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("server", "arena", "importer"))
    parser.add_argument("kills", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, help="records to import, instead of random ones")
    given = parser.parse_args()
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    kill: dict[str, Callable[[Tally, random.Random], None]] = {
        "server": kill_servers,
        "arena": kill_tournaments,
        "importer": lambda tally, rng: kill_imports(tally, rng, given.corpus),
    }
    tally, began = Tally(given.kills), time.perf_counter()
    kill[given.what](tally, random.Random(given.seed))
    tally.end(given.what, began)


if __name__ == "__main__":
    main()
