"""Measure what a newcomer waits for: the first replies on the page, at the command line and in Python.

python -m bench.first_minute [--python PATH] [--games GAME ...] [--json]

--python names the interpreter of another environment, such as one with a wheel of `make wheels`.
Each row is measured cold (an empty home and cache, as after the installation) and warm (again,
in new processes). Times on the page run from the click to the machine's reply, in a server that
has just started and warms up meanwhile, as `make run` starts it. `compiled` counts the searches
that anybody compiled until then.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from kibitz.testing.changes import whole_table

GAMES = ("uttt", "dots", "battleline", "go")
LEVELS = ("level3", "level8")
RECORD = "(;GM[1]FF[4]SZ[19]KM[6.5];B[qd];W[dd];B[pq];W[dp];B[fq];W[cn];B[jp])"
ANALYSE = """
import kibitz, sys
from kibitz.core.agent import Budget
kibitz.analyse(kibitz.game(sys.argv[1]).start(), Budget(seconds=0.5))
"""
"""The time that an analysis in Python gets is half a second."""
MAX_READY_SECONDS = 600


class Home:
    """An empty home folder with a cache in it, for one environment."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.python, self.folder = python, folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("KIBITZ_", "XDG_", "PYTHON"))},
            "HOME": str(folder),
            "COLUMNS": "100",
        }

    def objects(self) -> int:
        """Return the number of compiled searches in the cache."""
        return len(list(self.folder.glob(".cache/kibitz/objects/*.o")))

    def run(self, *words: str) -> dict[str, float]:
        """Run a command; return what it took."""
        before, began = self.objects(), time.perf_counter()
        process = subprocess.Popen(
            [str(self.python), *words],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        complaints = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(words)} failed:\n{complaints}")
        return {
            "wall": time.perf_counter() - began,
            "cpu": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss / 1024,
            "compiled": self.objects() - before,
        }

    @contextmanager
    def serving(self) -> Iterator[tuple[psutil.Process, str]]:
        """Serve the page; yield the server's process and its address."""
        command = [str(self.python), "-m", "kibitz", "serve", "--no-open", "--port", "0", "--data"]
        with (
            tempfile.TemporaryDirectory() as data,
            subprocess.Popen([*command, data], env=self.environment, stdout=subprocess.PIPE, text=True) as process,
        ):
            assert process.stdout is not None
            address = process.stdout.readline().split()[3].rstrip("/")
            try:
                yield psutil.Process(process.pid), address
            finally:
                process.terminate()


def ask(address: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """Return the answer of a server to a request."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{address}{path}", data, {"Content-Type": "application/json", "Origin": address})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Seat:
    """A person at a table, with a machine opposite."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.table: dict[str, Any] = {}
        self.hear()

    def hear(self) -> None:
        """Wait for the next table."""
        while (message := json.loads(self.connection.recv()))["is"] != "table":
            pass
        self.table = whole_table(self.table or None, message)

    def play_turn(self) -> float:
        """Play a turn; return the seconds from its last click until the machine has replied."""
        while self.table["to_move"] == 0:
            ply, began = self.table["ply"], time.perf_counter()
            self.connection.send(json.dumps({"do": "move", "ply": ply, "move": self.table["legal"][-1]}))
            while self.table["ply"] == ply:
                self.hear()
        while self.table["to_move"] == 1 and self.table["outcome"] is None:
            self.hear()
        return time.perf_counter() - began


def first_reply(home: Home, game: str, level: str) -> dict[str, float]:
    """Return what the first reply of a level takes on the page of a server that has just started."""
    before = home.objects()
    with home.serving() as (server, address):
        seats = [{"kind": "person", "name": "Guest"}, {"kind": "agent", "spec": level}]
        wish = {"game": game, "options": {}, "seats": seats, "seconds": 1, "start": None, "moves": None}
        table = ask(address, "/api/tables", wish)
        with connect(f"{address.replace('http', 'ws')}/ws/tables/{table['id']}", origin=Origin(address)) as connection:
            seat, spent = Seat(connection), server.cpu_times()
            wall = seat.play_turn()
            now = server.cpu_times()
        return {
            "wall": wall,
            "cpu": now.user + now.system - spent.user - spent.system,
            "memory": server.memory_info().rss / 2**20,
            "compiled": home.objects() - before,
        }


def all_ready(home: Home) -> dict[str, float]:
    """Return how long a server needs until all searches are ready."""
    before, began = home.objects(), time.perf_counter()
    with home.serving() as (server, address):
        while not ask(address, "/api/warmup")["waiting"]:
            time.sleep(0.05)
        (compiler,) = server.children()
        while ask(address, "/api/warmup")["waiting"] and time.perf_counter() - began < MAX_READY_SECONDS:
            spent, memory = compiler.cpu_times(), compiler.memory_info().rss
            time.sleep(0.2)
        return {
            "wall": time.perf_counter() - began,
            "cpu": spent.user + spent.system,
            "memory": memory / 2**20,
            "compiled": home.objects() - before,
        }


def commands(games: Sequence[str], record: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield what is measured at the command line and in Python, each with its command."""
    for game in games:
        yield f"kibitz analyse {game} --time 0.1", ["-m", "kibitz", "analyse", game, "--time", "0.1"]
    if "go" in games:
        yield "kibitz go predict", ["-m", "kibitz", "go", "predict", str(record), "--move", "6"]
        yield "kibitz go search", ["-m", "kibitz", "go", "search", "....", ".X..", "....", "....", "--anchor", "corner"]
    for game in games:
        yield f"kibitz.analyse({game}, 0.5 s)", ["-c", ANALYSE, game]


def measure(python: Path, games: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for everything measured, cold and warm."""
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch, "game.sgf")
        record.write_text(RECORD, encoding="utf-8")
        jobs: list[tuple[str, Any]] = [
            (f"page, {game}, {level}", lambda home, game=game, level=level: first_reply(home, game, level))
            for level in LEVELS
            for game in games
        ]
        jobs += [(what, lambda home, words=words: home.run(*words)) for what, words in commands(games, record)]
        for what, work in [*jobs, ("page, all searches ready", all_ready)]:
            home = Home(python, Path(scratch, "home"))
            home.folder.mkdir()
            for state in ("cold", "warm"):
                if what != "page, all searches ready" or state == "cold":
                    yield {"what": what, "start": state, **{key: round(n, 2) for key, n in work(home).items()}}
            shutil.rmtree(home.folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="the interpreter of another environment"
    )
    parser.add_argument("--games", nargs="+", default=GAMES, help="games to measure; default: all four")
    parser.add_argument("--json", action="store_true", help="print JSON objects, one a line")
    args = parser.parse_args()
    for row in measure(args.python.absolute(), args.games):
        text = "{what:34} {start:4}  {wall:7.2f} s, CPU {cpu:6.2f} s, {memory:5.0f} MB, {compiled:2.0f} compiled"
        print(json.dumps(row) if args.json else text.format(**row), flush=True)


if __name__ == "__main__":
    main()
