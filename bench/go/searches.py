"""Random searches beside the same searches of Kombilo, in turn and in one run.

python -m bench.go.searches CORPUS --kombilo PYTHON [--store DIR] [--database FILE] [--number N] [--seed S]

PYTHON is a Python that has Kombilo 0.8.4 (pip install kombilo; docs/experiments/go-records.md says what that needs).
Both programs import CORPUS first, unless DIR has a store and FILE, whose name must end in .db, is a database already.

Draws N patterns from random positions of random games: rectangles of 2x2 to 8x8 points in a corner, at a side and in
the centre, and whole boards, with at least two stones. Half of them get wildcards. Both programs search for each up to
ten times, or for a second, and the best times count: seconds of the processor, which other programs disturb less than
those on the clock. OMP_NUM_THREADS=1 keeps Kombilo on one core, as kibitz is; without, it uses all. Prints a line of
JSON for each search and some for all, and exits with 1 if Kombilo was faster once or they did not find the same.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.search.pattern import Pattern, parse
from kibitz.games.go.records.search.search import Query, Searcher
from kibitz.games.go.records.store import MANIFEST, GameStore

MAX_RUNS, MAX_SECONDS = 10, 1.0
"""Each program repeats a search up to this often, until its runs have taken this long together."""
ANCHORS = ("corner", "side", "centre", "full")
MIN_SIDE, MAX_SIDE = 2, 8  # points
MAX_OPENING_MOVES = 40
"""Whole boards are positions after up to this many moves; later ones occur in one game only."""
WILDCARD_SHARE = 0.2  # of the points of a pattern with wildcards


class Kombilo:
    """Kombilo in a process of its own."""

    def __init__(self, python: str, database: Path, games: Path) -> None:
        command = [python, str(Path(__file__).with_name("kombilo_pipe.py")), str(database), str(games)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.opened = self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit("Kombilo ended; its error message is above.")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def search(self, pattern: Pattern) -> dict[str, Any]:
        """Search for a pattern; return the number of games and hits, and seconds on the clock and of the processor."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"anchor": pattern.anchor, "rows": pattern.rows}) + "\n")
        self._process.stdin.flush()
        return self._answer()


def random_pattern(store: GameStore, stream: random.Random, anchor: str, has_wildcards: bool) -> Pattern:
    """Return a pattern cut from a random position, with at least two stones."""
    while True:
        game = stream.randrange(len(store))
        if store.column("sizes")[game] != 19:
            continue
        last = len(store.moves_of(game))
        move = stream.randint(0, min(last, MAX_OPENING_MOVES) if anchor == "full" else last)
        board = store.board(game, move).points
        height, width = (19, 19) if anchor == "full" else (stream.randint(MIN_SIDE, MAX_SIDE) for _ in range(2))
        top = stream.randint(1, 18 - height) if anchor in ("centre", "anywhere") else 0
        left = stream.randint(1, 18 - width) if anchor in ("centre", "anywhere", "side") else 19 - width
        rows = ["".join(".XO"[board[(top + row) * 19 + left + col]] for col in range(width)) for row in range(height)]
        if has_wildcards:
            rows = ["".join(_loosened(char, stream) for char in row) for row in rows]
        if sum(char in "XO" for row in rows for char in row) >= 2:
            return parse(rows, anchor)


def _loosened(char: str, stream: random.Random) -> str:
    """Return the character of a point or, for some, a wildcard that fits it."""
    if stream.random() >= WILDCARD_SHARE:
        return char
    return stream.choice({"X": "x*", "O": "o*", ".": "xo*"}[char])


def search(searcher: Searcher, pattern: Pattern) -> dict[str, Any]:
    """Search for a pattern; return what Kombilo.search does."""
    began, processor = time.perf_counter(), time.process_time()
    found = searcher.search(Query(pattern))
    seconds = (time.perf_counter() - began, time.process_time() - processor)
    return {"games": found.games, "hits": found.hits, "seconds": seconds}


def run_often(program: Callable[[Pattern], dict[str, Any]], pattern: Pattern) -> list[dict[str, Any]]:
    """Run a search several times, the cheap ones oftener, so that the caches are as full as they get."""
    done = [program(pattern)]
    while len(done) < MAX_RUNS and sum(run["seconds"][0] for run in done) < MAX_SECONDS:
        done.append(program(pattern))
    return done


def compare(pattern: Pattern, programs: list[Callable[[Pattern], dict[str, Any]]]) -> dict[str, Any]:
    """Search for a pattern with both programs; return what they found, and the best times of each."""
    runs = [run_often(program, pattern) for program in programs]
    (ours, theirs), (clock, processor) = ([each[0] for each in runs], range(2))
    text = "".join(pattern.rows)
    row: dict[str, Any] = {
        "anchor": pattern.anchor,
        "size": f"{pattern.width}x{pattern.height}",
        "stones": sum(char in "XO" for char in text),
        "wildcards": sum(char in "xo*" for char in text),
        "games": ours["games"],
        "hits": ours["hits"],
    }
    for name, done in zip(("", "kombilo_"), runs, strict=True):
        row[f"{name}clock_ms"], row[f"{name}ms"] = (
            round(1000 * min(run["seconds"][which] for run in done), 2) for which in (clock, processor)
        )
    row["times_as_fast"] = round(row["kombilo_ms"] / row["ms"], 2)
    if (ours["games"], ours["hits"]) != (theirs["games"], theirs["hits"]):
        row["kombilo_found"] = f"{theirs['games']} games, {theirs['hits']} hits"
    if "kombilo_found" in row or row["times_as_fast"] < 1:
        row["pattern"] = "/".join(pattern.rows)
    return row


def summary(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the least, median and greatest figures of several searches."""
    columns = {column: sorted(row[column] for row in rows) for column in ("ms", "kombilo_ms", "times_as_fast")}
    return [
        {"anchor": f"{name}, {word} of {len(rows)}", **{column: round(pick(columns[column]), 2) for column in columns}}
        for word, pick in (("least", min), ("median", median), ("most", max))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="One SGF per line, compressed with xz.")
    parser.add_argument("--kombilo", metavar="PYTHON", required=True)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, games = options.store or Path(name) / "store", Path(name) / "games.sgf"
        if not (folder / MANIFEST).exists():
            import_records([options.corpus], folder)
        games.write_bytes(lzma.decompress(options.corpus.read_bytes()))
        kombilo = Kombilo(options.kombilo, options.database or Path(name) / "kombilo.db", games)
        store = GameStore(folder)
        searcher, stream, rows = Searcher(store), random.Random(options.seed), list[dict[str, Any]]()
        for number in range(options.number):
            anchor, has_wildcards = ANCHORS[number % len(ANCHORS)], number // len(ANCHORS) % 2 == 1
            pattern = random_pattern(store, stream, anchor, has_wildcards)
            rows.append(compare(pattern, [partial(search, searcher), kombilo.search]))
            print(json.dumps(rows[-1]), flush=True)
        for anchor in ANCHORS:
            for line in summary([row for row in rows if row["anchor"] == anchor], anchor):
                print(json.dumps(line))
        for line in summary(rows, "all"):
            print(json.dumps(line))
    if kombilo.opened["games"] != len(store):
        sys.exit(f"Kombilo has {kombilo.opened['games']} games, kibitz {len(store)}.")
    sys.exit(1 if any("pattern" in row for row in rows) else 0)


if __name__ == "__main__":
    main()
