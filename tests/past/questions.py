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
from typing import Any, NamedTuple
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


class Search(NamedTuple):
    """A search with a fixed budget, so that it does the same on every machine."""

    spec: str
    nodes: int | None = None
    playouts: int | None = None


class Searched(NamedTuple):
    """Positions of a game, and the searches that they are given to."""

    game: str
    options: Mapping[str, Any]
    plies: tuple[int, ...]
    """The lengths of the random games that lead to the positions; 0 is the start."""
    searches: tuple[Search, ...]


SEED = 7
"""Of the deals and the random games."""
NODES = 20_000
EVALUATIONS_2014 = ("winning", "recursive", "cells", "cells-2014", "learned")
AGENTS_2014 = (
    *("MM_Winning", "MM_Winning#R", "MM_Recursive", "MM_Recursive#R", "MM_Cells", "MM_Cells#R"),
    *("G_Winning", "G_Recursive", "G_Cells", "MM_Learned"),
)
TRIANGLE = json.dumps(
    {
        "coins": ["a", "b", "c", "d"],
        "strings": [
            *(["ab", "a", "b"], ["bc", "b", "c"], ["ca", "c", "a"], ["cd", "c", "d"]),
            *([f"{coin}g", coin, "ground"] for coin in "abcd"),
        ],
    },
    separators=(",", ":"),
)
"""A small graph of Strings-and-Coins."""

SEARCHED = (
    Searched(
        "uttt",
        {},
        (0, 14, 33),
        (
            *(Search(name) for name in ("random", "reflex", "greedy", *AGENTS_2014)),
            *(Search(f"alphabeta(eval={name})", nodes=NODES) for name in EVALUATIONS_2014),
            Search("alphabeta(every=true)", nodes=NODES),
            Search("selective", nodes=NODES),
            Search("selective(eval=learned,every=true)", nodes=NODES),
            Search("champion", nodes=NODES),
            Search("mcts", playouts=500),
            Search("mcts(leaf=winning)", playouts=500),
            Search("minimax(eval=cells,jump=exp(-t/3),start=2,step=0.5)"),
            Search("plain-alphabeta", nodes=400),
            Search("plain-mcts", playouts=20),
            Search("plain-minimax(depth=1)"),
            *(Search(f"level{level}", nodes=NODES) for level in range(1, 10)),
        ),
    ),
    Searched(
        "uttt",
        {"variant": "open", "tiebreak": "count"},
        (0, 20, 45),
        (Search("alphabeta", nodes=NODES), Search("selective", nodes=NODES), Search("mcts", playouts=300)),
    ),
    Searched(
        "dots",
        {"rows": 3, "cols": 3},
        (0, 5, 13),
        (
            *(Search(name) for name in ("random", "greedy", "chain-rule", "li-2012")),
            *(Search(f"alphabeta-2024(as={reading})") for reading in ("written", "corrected")),
            Search("minimax-2024"),
            Search("plain-alphabeta-2024(depth=2)"),
            Search("champion(memory=16,book=false)", nodes=NODES),
            Search("exact(memory=16)", nodes=NODES),
            Search("exact(memory=16,every=true)", nodes=NODES),
            Search("alphabeta", nodes=NODES),
            Search("mcts", playouts=500),
            Search("plain-alphabeta(depth=2)"),
            Search("plain-mcts", playouts=20),
            *(Search(f"level{level}", nodes=NODES) for level in range(1, 8)),
        ),
    ),
    Searched(
        "dots",
        {},
        (0, 20, 40),
        (
            Search("champion(memory=16)", nodes=2_000),
            Search("exact(memory=16)", nodes=NODES),
            Search("li-2012"),
            Search("chain-rule"),
            Search("alphabeta", nodes=NODES),
        ),
    ),
    Searched(
        "dots",
        {"graph": TRIANGLE},
        (0, 2, 4),
        (Search("exact(memory=16)", nodes=NODES), Search("alphabeta", nodes=NODES), Search("chain-rule")),
    ),
    Searched(
        "battleline",
        {},
        (0, 18, 36),
        (
            *(Search(name) for name in ("random", "reflex", "heuristic")),
            Search("deep-barca"),
            Search("deep-barca(reading=literal)"),
            Search("champion", playouts=40),
            *(Search(f"level{level}", playouts=40) for level in range(1, 8)),
        ),
    ),
    Searched("battleline", {}, (50,), (Search("plain-deep-barca"), Search("deep-barca"))),
    Searched(
        "battleline",
        {"edition": "schotten-totten"},
        (0, 15, 30),
        (Search("heuristic"), Search("deep-barca"), Search("champion", playouts=40)),
    ),
    Searched(
        "go",
        {"size": 9},
        (0, 20, 55),
        (
            *(Search(name) for name in ("random", "greedy", "pattern")),
            Search("alphabeta", nodes=5_000),
            Search("predictor(model=patterns,playouts=20)"),
            Search("mcts", playouts=60),
            Search("mcts(priors=patterns)", playouts=60),
            Search("plain-alphabeta(depth=1)"),
            Search("plain-mcts", playouts=2),
            *(Search(f"level{level}", playouts=60) for level in range(1, 7)),
        ),
    ),
    Searched(
        "go",
        {"size": 5, "komi": 0.5, "scoring": "territory", "ko": "positional"},
        (0, 8, 16),
        (Search("alphabeta(every=true)", nodes=5_000), Search("mcts", playouts=60), Search("greedy")),
    ),
    Searched("go", {}, (0, 60), (Search("pattern"), Search("mcts", playouts=30))),
)
"""Every class of search of every game. The net of Go is left out: its last digits depend on the processor."""


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


def signatures(searched: Searched, positions: Sequence[str]) -> dict[str, Any]:
    """Return what each search answers in some positions, and a digest of all of it without floats."""
    game = kibitz.game(searched.game, **searched.options)
    found: dict[str, Any] = {}
    for search in searched.searches:
        agent = kibitz.agent(game, search.spec)
        budget = kibitz.Budget(nodes=search.nodes, playouts=search.playouts)
        answers, digest = [], blake2b(digest_size=8)
        for seed, text in enumerate(positions):
            state = game.parse_position(text)
            agent.reset(seed)
            choice = agent.choose(state.view(state.to_move), budget)
            digest.update(repr(_whole_numbers(choice)).encode())
            answers.append(_figures(game, choice))
        agent.close()
        found[search.spec] = {"digest": digest.hexdigest(), "answers": answers}
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
    words = ["-m", "kibitz", "serve", "--no-open", "--port", "0", "--data", str(folder)]
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
