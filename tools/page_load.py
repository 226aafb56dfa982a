"""The page under load: many games at once, slow engines beside them, and nonsense.

    python -m tools.page_load games [--clients 200] [--games 2000]
    python -m tools.page_load slow [--clients 200] [--slow 10] [--seconds 8]
    python -m tools.page_load fuzz [--messages 50000]
    python -m tools.page_load restless [--clients 200] [--sockets 30]

Each starts `kibitz serve` as a process of its own on a folder that is thrown away,
and talks to it over real sockets. Times are those seen by the clients, which share
the machine with the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any
from weakref import WeakKeyDictionary

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

import kibitz

PERSON = {"kind": "person", "name": "Ann"}
FAST = {"dots": ("level1", {"rows": 3, "cols": 3}), "uttt": ("level1", {})}
"""A fast agent and a board for each game."""


class Server:
    """A server process that can be killed and started again at the same address."""

    def __init__(self, folder: Path, *options: str, log: IO[bytes] | None = None) -> None:
        self.folder, self.options, self.log = folder, options, log
        self.port = 0
        self.start()

    def start(self) -> None:
        """Start it and wait until it listens."""
        command = [sys.executable, "-m", "kibitz", "serve", "--no-open", "--no-warmup", "--port", str(self.port)]
        command += ["--data", str(self.folder), *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        if found is None:
            raise SystemExit(f"The server did not start: {line!r}")
        self.port = int(found[1])

    def kill(self) -> None:
        """Kill it without a warning."""
        self.process.kill()
        self.process.wait()

    def ask(self, path: str, body: Any = None) -> Any:
        """Return the answer to a request, which is JSON."""
        return json.loads(self.read(path, body))

    def read(self, path: str, body: Any = None) -> bytes:
        """Return the answer to a request, whatever it is."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            content: bytes = answer.read()
            return content

    def table(self, game: str, options: dict[str, Any], spec: str, seconds: float | None = None) -> str:
        """Return the id of a new table of a person against an agent."""
        seats = [PERSON, {"kind": "agent", "spec": spec}]
        wish = {"game": game, "options": options, "seats": seats, "seconds": seconds}
        found: str = self.ask("/api/tables", wish)["id"]
        return found

    def connect(self, table: str) -> connect:
        """Return a connection to a table."""
        return connect(f"ws://127.0.0.1:{self.port}/ws/tables/{table}", max_size=None, open_timeout=60)

    def memory(self) -> float:
        """Return the memory in use, in MB."""
        return memory_of(self.process.pid)


def memory_of(process: int | str) -> float:
    """Return the memory that a process has in use, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]  # Linux always tells it


@contextmanager
def serving(*options: str, data: Path | None = None, log: IO[bytes] | None = None) -> Iterator[Server]:
    """Have a server for a while, on a folder that is thrown away unless one is named."""
    with nullcontext(data) if data else tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), *options, log=log)
        try:
            yield server
        finally:
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(20)


_tables: WeakKeyDictionary[ClientConnection, dict[str, Any]] = WeakKeyDictionary()
"""The last table that was heard over each socket."""


async def hear(socket: ClientConnection) -> dict[str, Any]:
    """Return the next message; a table has all its moves."""
    found: dict[str, Any] = json.loads(await socket.recv())
    if found["is"] == "table":
        if "change" in found:  # pictures are of no use here
            before = _tables[socket]
            moves = before["moves"][: found["kept_moves"]] + found["moves"]
            found = {"legal": before["legal"], **found, "moves": moves}
        _tables[socket] = found
    return found


async def play(
    server: Server, game: str, spec: str, options: dict[str, Any], rng: random.Random, waits: list[float]
) -> int:
    """Play one game at random against an agent; return how many moves it had."""
    table = await asyncio.to_thread(server.table, game, options, spec)
    async with server.connect(table) as socket:
        shown = await hear(socket)
        while shown["outcome"] is None:
            if shown["to_move"] == 0:
                ply, began = shown["ply"], time.perf_counter()
                await socket.send(json.dumps({"do": "move", "ply": ply, "move": rng.choice(shown["legal"])}))
                while shown["ply"] <= ply:
                    message = await hear(socket)
                    if message["is"] == "refused":
                        raise SystemExit(f"A legal move was refused: {message['words']}")
                    shown = message if message["is"] == "table" else shown
                waits.append(time.perf_counter() - began)
            else:
                message = await hear(socket)
                shown = message if message["is"] == "table" else shown
    return int(shown["ply"])


def told(waits: list[float]) -> str:
    """Return what there is to say of some waiting times."""
    cuts = statistics.quantiles(waits, n=1000)
    return (
        f"{len(waits)} moves acknowledged: median {1000 * statistics.median(waits):.0f} ms, "
        f"p99 {1000 * cuts[989]:.0f} ms, slowest {1000 * max(waits):.0f} ms"
    )


async def crowd(server: Server, clients: int, games: int, waits: list[float], report: bool = True) -> None:
    """Let so many clients play so many games in all."""
    left, done, moves = games, 0, 0
    began = time.perf_counter()

    async def client(number: int) -> None:
        nonlocal left, done, moves
        rng = random.Random(number)
        while left > 0:
            left -= 1
            game = rng.choice(list(FAST))
            made = await play(server, game, *FAST[game], rng, waits)
            moves += made
            done += 1
            if report and done % max(1, games // 10) == 0:
                speed = moves / (time.perf_counter() - began)
                print(f"  {done} games, {speed:.0f} moves/s, server {server.memory():.0f} MB", flush=True)

    await asyncio.gather(*(client(number) for number in range(clients)))


def run_games(clients: int, games: int) -> None:
    """Play many games at a time and show how long moves take, and the memory."""
    with serving() as server:
        waits: list[float] = []
        asyncio.run(crowd(server, 4, 20, [], report=False))  # everything is loaded once
        print(f"{clients} games at a time, {games} in all; server {server.memory():.0f} MB at first")
        asyncio.run(crowd(server, clients, games, waits))
        print(told(waits))
        print(f"health: {server.ask('/health')}")


async def think(server: Server, seconds: float) -> int:
    """Have the champion make one move on an empty 9x9 board; return what it looked at."""
    table = await asyncio.to_thread(server.table, "uttt", {}, "champion", seconds)
    async with server.connect(table) as socket:
        await hear(socket)
        await socket.send(json.dumps({"do": "move", "ply": 0, "move": "40"}))
        while True:
            message = await hear(socket)
            if message["is"] == "thought":
                return int(message["nodes"])


def run_slow(clients: int, slow: int, seconds: float) -> None:
    """Have slow engines think beside many games."""
    with serving() as server:
        waits: list[float] = []

        async def work() -> list[int]:
            await think(server, 0.2)
            games = asyncio.create_task(crowd(server, clients, 10**9, waits, report=False))
            await asyncio.sleep(2)
            waits.clear()
            shares = await asyncio.gather(*(think(server, seconds) for _ in range(slow)))
            games.cancel()
            return shares

        shares = asyncio.run(work())
        print(f"{clients} games at a time and {slow} engines that think for {seconds:g} s each")
        print(told(waits))
        print(f"positions looked at by each engine: {sorted(shares)}")
        print(f"least share / greatest share: {min(shares) / max(shares):.2f}")


def long_game(size: int, plies: int) -> list[str]:
    """Return the moves of a long game of Go on a large board."""
    rng, game = random.Random(1), kibitz.game("go", size=size)
    state, texts = game.start(), list[str]()
    while len(texts) < plies:
        try:
            move = rng.randrange(size * size)
            state = state.play(move)
        except kibitz.IllegalMove:
            continue
        texts.append(game.move_text(move))
    return texts


def run_restless(clients: int, sockets: int) -> None:
    """Measure the moves of many players while sockets at one large table send whatever makes it be shown again."""
    seats = [PERSON, {"kind": "person", "name": "Bob"}]
    wish = {"game": "go", "options": {"size": 25}, "seats": seats, "link": True, "moves": long_game(25, 800)}

    async def bother(server: Server, made: dict[str, Any], sent: Counter[str]) -> None:
        with suppress(ConnectionClosed, InvalidHandshake):
            async with server.connect(made["id"]) as socket:
                while True:
                    for do in ("sit", "pause", "resume"):
                        more = {"tokens": made["tokens"][:1]} if do == "sit" else {}
                        await socket.send(json.dumps({"do": do, **more}))
                        sent[do] += 1
                    with suppress(TimeoutError):
                        async with asyncio.timeout(0.25):
                            while True:
                                await socket.recv()

    async def work(server: Server, waits: list[float], sent: Counter[str]) -> None:
        made = await asyncio.to_thread(server.ask, "/api/tables", wish)
        tasks = [asyncio.create_task(bother(server, made, sent)) for _ in range(sockets)]
        await crowd(server, clients, 3 * clients, waits, report=False)
        for task in tasks:
            task.cancel()

    with serving() as server:
        for restless in (False, True):
            waits, sent = list[float](), Counter[str]()
            asyncio.run(
                work(server, waits, sent) if restless else crowd(server, clients, 3 * clients, waits, report=False)
            )
            began = time.perf_counter()
            server.ask("/health")
            health = 1000 * (time.perf_counter() - began)
            words = f"with {sockets} restless sockets ({sent.total()} messages)" if restless else "in peace"
            print(f"{words}: {told(waits)}; /health {health:.0f} ms", flush=True)


def kept_moves(path: Path) -> list[str]:
    """Return the moves on the board by a table's file, read without the server's code."""
    moves: list[str] = []
    at = 0
    for line in path.read_text().split("\n")[1:]:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # cut off by the kill
        if event["do"] == "move":
            moves[at:] = [event["move"]]
            at += 1
        elif event["do"] == "at":
            at = event["ply"]
    return moves[:at]


def nonsense(rng: random.Random, ids: list[str]) -> str:
    """Return a message that is wrong in some way, or right by chance."""
    right: list[dict[str, Any]] = [
        {"do": "move", "ply": rng.randrange(30), "move": str(rng.randrange(90))},
        {"do": "sit", "tokens": [rng.choice(ids), "x"]},
        {"do": "name", "seat": rng.randrange(3), "name": rng.choice(["<b>", "\u202e", "a" * 40, "Zoë"])},
        {"do": "analyse", "on": True, "ply": rng.randrange(-2, 40)},
        *({"do": do} for do in ("undo", "redo", "restart", "agree", "decline", "hint", "now", "pause", "resume")),
        {"do": "resign", "seat": rng.randrange(-1, 3)},
    ]
    message = rng.choice(right)
    for _ in range(rng.randrange(3)):
        key = rng.choice([*message, "x", "__proto__", ""])
        message[key] = rng.choice([None, -1, 1e308, "", "\x00", [], {}, [[[]]], True, "9" * 300, {"do": "move"}])
    text = json.dumps(message)
    match rng.randrange(6):
        case 0:
            at = rng.randrange(len(text))
            return text[:at] + rng.choice(["", "{", "\ufffd", "]", '"', "NaN", "\\u0000"]) + text[at + 1 :]
        case 1:
            return rng.choice(["", "null", "[]", "0", '"move"', "[" * 5000, "{}" * 50, "\ud7ff", "A" * 15000])
        case 2 if rng.random() < 0.01:
            return "A" * 20_000  # more than a message may have
    return text


async def begin(server: Server, made: dict[str, Any]) -> None:
    """Make the first moves at a table of two persons."""
    async with server.connect(made["id"]) as socket:
        await socket.send(json.dumps({"do": "sit", "tokens": made["tokens"]}))
        shown = await hear(socket)
        for _ in range(5):
            while shown["is"] != "table" or not shown["you"]:
                shown = await hear(socket)
            await socket.send(json.dumps({"do": "move", "ply": shown["ply"], "move": shown["legal"][0]}))
            shown = {"is": ""}
        await asyncio.sleep(0.3)


class Attack:
    """Nonsense sent to tables: at some the attackers may take a seat, at the others they only look on."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.kept = {game: server.ask("/api/tables", by_link(game)) for game in FAST}
        self.victims = [server.ask("/api/tables", by_link("dots")) for _ in range(8)]
        self.refusals = Counter[str]()

    async def send(self, seed: int, count: int) -> None:
        """Send so many messages, on one connection after the other."""
        rng, sent = random.Random(seed), 0
        while sent < count:
            made = rng.choice([*self.victims, *self.kept.values()])
            try:
                async with self.server.connect(made["id"]) as socket:
                    if made in self.victims and rng.random() < 0.5:
                        await socket.send(json.dumps({"do": "sit", "tokens": made["tokens"]}))
                    for _ in range(min(90, count - sent)):
                        await socket.send(nonsense(rng, [each["id"] for each in self.victims]))
                        sent += 1
                    await self.await_answers(socket, f"mark{sent}")
            except (ConnectionClosed, InvalidHandshake) as closed:
                self.refusals[f"connection closed: {closed}"[:60]] += 1

    async def await_answers(self, socket: ClientConnection, mark: str) -> None:
        """Count what was refused, until all was answered."""
        await socket.send(json.dumps({"do": "undo", mark: 1}))
        while mark not in (said := await hear(socket)).get("words", ""):
            if said["is"] == "refused":
                self.refusals[re.sub(r"'.*'|\d+", "*", said["words"])[:60]] += 1

    def moves(self) -> dict[str, list[str]]:
        """Return the moves at the tables where nobody may take a seat."""
        folder = self.server.folder / "tables"
        return {game: kept_moves(folder / f"{made['id']}.jsonl") for game, made in self.kept.items()}


def run_fuzz(messages: int) -> None:
    """Send random and mutated messages; the server must live and every game stay as it was."""
    rng = random.Random(2)
    with serving() as server:
        attack = Attack(server)

        async def work() -> None:
            await asyncio.gather(*(attack.send(rng.getrandbits(32), messages // 10) for _ in range(10)))

        for made in attack.kept.values():
            asyncio.run(begin(server, made))
        before = attack.moves()
        asyncio.run(work())
        after = attack.moves()
        for words, count in attack.refusals.most_common(12):
            print(f"  {count:6d}  {words}")
        alive = server.process.poll() is None
        print(f"{messages} messages; server alive: {alive}; health: {server.ask('/health')}")
        same = {game: after[game][: len(before[game])] == before[game] for game in before}
        print(f"games attacked by those who only look on are as they were: {same}")
        for made in attack.victims:
            server.ask(f"/api/tables/{made['id']}/at/0")
        if not alive or not all(same.values()):
            raise SystemExit(1)


def by_link(game: str) -> dict[str, Any]:
    """Return the wish for a table of two persons."""
    seats = [PERSON, {"kind": "person", "name": "Bob"}]
    return {"game": game, "options": FAST[game][1], "seats": seats, "link": True}


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["games", "slow", "fuzz", "restless"])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--slow", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--messages", type=int, default=50_000)
    parser.add_argument("--sockets", type=int, default=30)
    given = parser.parse_args()
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    match given.what:
        case "games":
            run_games(given.clients, given.games)
        case "slow":
            run_slow(given.clients, given.slow, given.seconds)
        case "fuzz":
            run_fuzz(given.messages)
        case "restless":
            run_restless(given.clients, given.sockets)


if __name__ == "__main__":
    main()
