"""Questions about data and searches: version 0.1.0 answered them once, and every later version must answer the same.

The answers of version 0.1.0 are stored beside the data, in tests/data/v0.1; the tests of this
folder ask the current code. This module needs neither pytest nor any module of kibitz that may
move: it goes through the package's public names, the command line and the server's addresses,
so that it can ask any version.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unittest import mock

from websockets.sync.client import ClientConnection, connect

import kibitz
from kibitz.cli import main

DATA = Path(__file__).parents[1] / "data" / "v0.1"
"""What version 0.1.0 made."""
HELP_COLUMNS = 160
"""The width at which help is printed, so that no option is broken in two."""
VOLATILE = {"seconds", "positions_per_second", "store"}
"""Keys of answers that depend on the machine."""
SENTENCES = {"reason", "text", "name"}
"""Keys of records and of answers about Go that hold prose, which may be worded better."""
FLOAT_TOLERANCE = 2e-5
"""How far apart two equal figures may be: some are printed with five digits, and libraries of mathematics differ."""


# Comparing


def differences(then: Any, now: Any, path: str = "") -> list[str]:
    """Return in words where two JSON values differ; floats may differ by FLOAT_TOLERANCE."""
    if isinstance(then, dict) and isinstance(now, dict):
        found = [f"{path}.{key}: only {'then' if key in then else 'now'}" for key in sorted(then.keys() ^ now.keys())]
        for key in then.keys() & now.keys():
            found += differences(then[key], now[key], f"{path}.{key}")
        return found
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [
            each
            for i, (one, other) in enumerate(zip(then, now, strict=True))
            for each in differences(one, other, f"{path}[{i}]")
        ]
    if type(then) is type(now) is float and math.isclose(then, now, rel_tol=1e-6, abs_tol=FLOAT_TOLERANCE):
        return []
    return [] if type(then) is type(now) and then == now else [f"{path}: then {then!r}, now {now!r}"]


def stored(name: str) -> Any:
    """Return the answers of version 0.1.0 in a file of DATA."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def without(value: Any, keys: set[str]) -> Any:
    """Return a JSON value without some keys of its objects."""
    if isinstance(value, dict):
        return {key: without(each, keys) for key, each in value.items() if key not in keys}
    return [without(each, keys) for each in value] if isinstance(value, list) else value


# The command line


def command(*words: str | Path) -> str:
    """Run `kibitz WORDS` in this process and return its output. Raise AssertionError if it fails."""
    argv = ["kibitz", *map(str, words)]
    with (
        mock.patch.object(sys, "argv", argv),
        mock.patch.dict(os.environ, {"COLUMNS": str(HELP_COLUMNS)}),
        redirect_stdout(io.StringIO()) as out,
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    assert not code, f"{' '.join(argv)} ended with {code}"
    return out.getvalue()


def ask_json(*words: str | Path) -> Any:
    """Run `kibitz WORDS --json` and return its answer without what depends on the machine."""
    return without(json.loads(command(*words, "--json")), VOLATILE)


def options_in(text: str) -> set[str]:
    """Return the options that a help text lists, such as --json and -o."""
    found = set[str]()
    for row in re.findall(r"^│[* ]+(-.*)$", text, re.MULTILINE):
        found.update(itertools.takewhile(lambda word: word.startswith("-"), row.split()))
    return found


def commands_in(text: str) -> list[str]:
    """Return the commands that a help text lists."""
    _, box, rest = text.partition("─ Commands ")
    return re.findall(r"^│ ([a-z][\w-]*) ", rest, re.MULTILINE) if box else []


# Searches


NODES, FEW_NODES = {"nodes": 20_000}, {"nodes": 5_000}
LIMITS: tuple[Mapping[str, Mapping[str, int]], ...] = (
    {
        **dict.fromkeys(("alphabeta", "selective", "champion", "level"), NODES),
        "mcts": {"playouts": 500},
        "plain-alphabeta": {"nodes": 400},
        "plain-mcts": {"playouts": 20},
    },
    {"alphabeta": NODES, "selective": NODES, "mcts": {"playouts": 300}},
    {
        **dict.fromkeys(("champion", "exact", "alphabeta", "level"), NODES),
        "mcts": {"playouts": 500},
        "plain-mcts": {"playouts": 20},
    },
    {"champion": {"nodes": 2_000}, "exact": NODES, "alphabeta": NODES},
    {"exact": NODES, "alphabeta": NODES},
    {"champion": {"playouts": 40}, "level": {"playouts": 40}},
    {},
    {"champion": {"playouts": 40}},
    {"alphabeta": FEW_NODES, "mcts": {"playouts": 60}, "plain-mcts": {"playouts": 2}, "level": {"playouts": 60}},
    {"alphabeta": FEW_NODES, "mcts": {"playouts": 60}},
    {"mcts": {"playouts": 30}},
)
"""For each entry of signatures.json: agent -> its budget, so that it does the same on every machine. Together these are
every class of search of every game, but for the net of Go: its last digits depend on the processor."""
SEED = 7
"""Of the deals and the random games."""


def position_after(game: kibitz.Game, plies: int) -> kibitz.State:
    """Return the position after some random moves; games that end sooner are played anew."""
    for seed in range(SEED, SEED + 100):
        rng = random.Random(seed)
        state: kibitz.State = game.start(seed)
        for _ in range(plies):
            if state.outcome() is not None:
                break
            state = state.play(rng.choice(state.legal_moves()))
        if state.outcome() is None:
            return state
    raise AssertionError(f"no game of {game} lasts {plies} moves")


def signatures(asked: Mapping[str, Any], limits: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Return what the searches of an entry of signatures.json answer, and digests of all of it without floats."""
    game = kibitz.game(asked["game"], **asked["options"])
    found: dict[str, Any] = {}
    for spec in asked["searches"]:
        agent = kibitz.agent(game, spec)
        budget = kibitz.Budget(**limits.get(spec.partition("(")[0].rstrip("0123456789"), {}))
        answers, digest = [], blake2b(digest_size=8)
        for seed, text in enumerate(asked["positions"]):
            state = game.parse_position(text)
            agent.reset(seed)
            choice = agent.choose(state.view(state.to_move), budget)
            digest.update(repr(_whole_numbers(choice)).encode())
            answers.append(_figures(game, choice))
        agent.close()
        found[spec] = {"digest": digest.hexdigest(), "answers": answers}
    return found


def _whole_numbers(choice: kibitz.Choice) -> tuple[Any, ...]:
    """Return all of a choice that is the same on every machine."""
    moves = [(each.move, each.exact, each.line) for each in choice.moves]
    best = sorted(map(int, choice.best))
    return int(choice.move), best, moves, choice.line, choice.depth, choice.nodes, choice.playouts, choice.exact


def _figures(game: kibitz.Game, choice: kibitz.Choice) -> dict[str, Any]:
    """Return what is worth reading of a choice."""
    return {
        "move": game.move_text(choice.move),
        "value": None if choice.value is None else round(float(choice.value), 6),
        "values": float(round(sum(place * each.value for place, each in enumerate(choice.moves, 1)), 6)),
        "unit": choice.unit and str(choice.unit),
        "exact": choice.exact,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "playouts": choice.playouts,
    }


# The server


class Server:
    """A running `kibitz serve`, spoken to by its addresses."""

    def __init__(self, address: str) -> None:
        self.address = address

    def get(self, path: str) -> str:
        """Return the answer at an address. Raise urllib.error.HTTPError if it is refused."""
        with urllib.request.urlopen(f"{self.address}{path}") as answer:
            text: str = answer.read().decode()
        return text

    def get_json(self, path: str) -> Any:
        """Return the answer at an address, read as JSON."""
        return json.loads(self.get(path))

    def post(self, path: str, body: Any) -> Any:
        """Return the answer to a request with a JSON body."""
        request = urllib.request.Request(f"{self.address}{path}", json.dumps(body).encode())
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    @contextmanager
    def table(self, id: str, *tokens: str) -> Iterator[Table]:
        """Sit at a table, with the tokens of seats where it is played by link."""
        where = f"{self.address.replace('http', 'ws')}/ws/tables/{id}"
        with connect(where, additional_headers={"Origin": self.address}, open_timeout=60) as connection:
            table = Table(connection)
            if tokens:
                table.tell("sit", tokens=list(tokens))
                table.wait_for(lambda seen: bool(seen["you"]))
            yield table


class Table:
    """A client at a table: `seen` is the table as it was shown last."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.seen: dict[str, Any] = {}
        self.wait_for(lambda seen: True)

    def tell(self, do: str, **fields: Any) -> None:
        """Send a message."""
        self.connection.send(json.dumps({"do": do, **fields}))

    def wait_for(self, is_wanted: Any) -> dict[str, Any]:
        """Return the next table that fits. Raise AssertionError if a message is refused."""
        while True:
            message: dict[str, Any] = json.loads(self.connection.recv(timeout=60))
            assert message["is"] != "refused", message
            if message["is"] == "table":
                from kibitz.testing.changes import whole_table  # here: the speeds of 0.1.0 are measured with this file

                self.seen = whole_table(self.seen, message)
                if is_wanted(self.seen):
                    return self.seen

    def play(self, move: str) -> dict[str, Any]:
        """Make a move and return the table after it."""
        ply = self.seen["ply"]
        self.tell("move", ply=ply, move=move)
        return self.wait_for(lambda seen: seen["ply"] > ply)


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Run `kibitz serve` on a data folder in a process of its own."""
    words = ["-m", "kibitz", "serve", "--no-open", "--no-warmup", "--port", "0", "--data", str(folder)]
    with subprocess.Popen(
        [sys.executable, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            address = re.search(r"http://\S+:[0-9]+", line)
            assert address, line
            yield Server(address[0])
        finally:
            process.terminate()
            process.wait()


SHOWN = ("game", "seats", "start", "seconds", "link", "you", "ply", "redo", "legal", "to_move", "scores", "position")
"""What of a table shown to a client is compared as it is."""
NOTATIONS: Mapping[str, tuple[str, ...]] = {
    "battleline": ("moves", "record", "position"),
    "dots": ("ids", "lines", "littlegolem", "dbl", "trmph", "record", "ascii", "hex"),
    "go": ("sgf", "moves", "rows"),
    "uttt": ("moves", "cells", "fen", "digits"),
}


def describe_table(server: Server, id: str, tokens: Sequence[str]) -> dict[str, Any]:
    """Return all that a table shows and exports, but for sentences."""
    with server.table(id, *tokens) as table:
        seen = table.seen
    outcome, settling = seen["outcome"], seen["settling"]
    return {
        **{key: seen[key] for key in SHOWN},
        "game": {key: seen["game"][key] for key in ("name", "title", "players", "options")},
        "moves": [{key: move[key] for key in ("text", "player", "seconds")} for move in seen["moves"]],
        "outcome": outcome and {key: outcome[key] for key in ("result", "winner")},
        "marks": settling and settling["marks"],
        "record": _unless_refused(lambda: without(server.get_json(f"/api/tables/{id}/record"), SENTENCES)),
        "exports": _exports(server, id, seen["game"]["name"]),
    }


def _exports(server: Server, id: str, game: str) -> dict[str, Any]:
    """Return a table in each notation; None where one cannot express it."""
    found = {}
    for name in NOTATIONS[game]:
        text = _unless_refused(lambda name=name: server.get(f"/api/tables/{id}/export?notation={name}"))
        if name == "record" and text is not None:
            text = without(json.loads(text), SENTENCES)
        found[name] = text
    return found


def _unless_refused(ask: Any) -> Any:
    """Return an answer, or None for a request that is refused in words."""
    try:
        return ask()
    except urllib.error.HTTPError as error:
        if error.code != 400:
            raise
        return None


def read_notation(server: Server, game: str, options: Mapping[str, Any], notation: str | None, text: str) -> Any:
    """Return what the server reads in a text: options, start, moves and the position that they lead to."""
    body = {"game": game, "options": dict(options), "text": text, "notation": notation}
    answer = _unless_refused(lambda: server.post("/api/import", body))
    return answer and {key: answer[key] for key in ("options", "start", "moves", "to_move", "position")}


# Records of Go

GO_QUESTIONS = (
    ("games", "--size", "9", "--limit", "5"),
    ("games", "--player", "mcts(playouts=100)", "--result", "B", "--limit", "5"),
    ("sql", "SELECT size, count(*) AS n, sum(moves) AS moves FROM games GROUP BY size ORDER BY size"),
    ("search", "XO", ".X", "--limit", "5"),
    ("search", "...", "1.X", "...", "--anchor", "side", "--limit", "5"),
    ("search", "....", ".X..", "....", "--anchor", "corner", "--size", "13", "--limit", "5"),
    ("search", "X.X", ".O.", "--next", "O", "--moves", "10-60", "--size", "9", "--limit", "5"),
    ("patterns", "--shape", "3x3", "--limit", "6"),
    ("patterns", "--shape", "5x5", "--sort", "won", "--min-count", "3", "--limit", "6"),
    ("patterns", "--source", "final", "--shape", "diamond2", "--limit", "6"),
    ("templates", "--limit", "5"),
    ("clusters", "--clusters", "3"),
    ("match", "1", "--move", "30", "--shape", "3x3", "--limit", "5"),
    ("fuseki", "--moves", "4", "--min-count", "1", "--limit", "5"),
    ("joseki", "--min-count", "2", "--limit", "5"),
    ("mine",),
)
"""Commands of `kibitz go` that are asked of the stored games, each with --store and --json."""
MODEL_QUESTIONS = (
    ("predict", "{records}", "--move", "4", "--game", "1", "--limit", "5"),
    ("predict", "{records}", "--move", "40", "--game", "2", "--limit", "5"),
    ("evaluate", "--games", "{records}", "--limit", "12"),
)
"""The same of the fitted model, each with --file and --json."""


def go_answers(store: Path, folder: Path) -> dict[str, Any]:
    """Return the answers to all questions about a store, and about model.npz and records.sgf of a folder."""
    found: dict[str, Any] = {}
    records = str(folder / "records.sgf")
    for words in GO_QUESTIONS:
        found[" ".join(words)] = ask_json("go", *words, "--store", store)
    for words in MODEL_QUESTIONS:
        given = [word.format(records=records) for word in words]
        more = ["--store", str(store)] if words[0] == "predict" else []
        found[" ".join(words)] = ask_json("go", *given, "--file", folder / "model.npz", *more)
    found["import {records}"] = ask_json("go", "import", records, "--store", store)
    return {words: without(answer, SENTENCES) for words, answer in found.items()}
