"""How import and search grow with a collection: the same figures with 1, 2, 4 and 8 times its games.

python -m bench.go.growth CORPUS [--times N ...] [--folder DIR] [--searches N] [--additions N]

CORPUS has one SGF per line, compressed with xz. Copy k has the same games under symmetry k, each without its last k
moves: a store knows a game in all symmetries, so copies of whole games would be duplicates. The files and stores are
kept in DIR, or in a temporary folder.

Every import and every round of searches runs in a process of its own. For each number of copies, prints a line of JSON:
the seconds, memory and bytes of the import into a new store; the seconds and memory of opening it; and the seconds of N
random searches, the same each time, with how long the first hits took when they were streamed. Then adds 1,000 new
games to the largest store several times, from one file and from a folder of 1,000, and prints the seconds of each.
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
import os
import random
import re
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.go.searches import ANCHORS, random_pattern
from bench.go.store import import_command
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.changes import symmetry_tables
from kibitz.games.go.records.search.pattern import Pattern
from kibitz.games.go.records.search.search import Query, Searcher
from kibitz.games.go.records.store import GameStore

SIZE = 19
ADDED_GAMES = 1000
_MOVE, _SETUP, _POINT = re.compile(rb"(;[BW]\[)([a-s]{2})\]"), re.compile(rb"A[BW](?:\[[a-s]{2}\])+"), rb"[a-s]{2}"


def turned_points(image: int) -> dict[bytes, bytes]:
    """Return SGF's name of each point -> the name of where it goes under a symmetry."""
    names = [bytes((97 + point % SIZE, 97 + point // SIZE)) for point in range(SIZE * SIZE)]
    return dict(zip(names, (names[at] for at in symmetry_tables(SIZE).images[image].tolist()), strict=True))


def write_copy(lines: list[bytes], path: Path, image: int, cut: int) -> None:
    """Write games, one SGF per line, under one of the eight symmetries and without their last moves."""
    names = turned_points(image)
    with path.open("wb") as file:
        for line in lines:
            line = _MOVE.sub(lambda found: found[1] + names[found[2]] + b"]", line)
            line = _SETUP.sub(lambda found: re.sub(_POINT, lambda point: names[point[0]], found[0]), line)
            file.write(without_last_moves(line.rstrip(), cut) + b"\n")


def without_last_moves(game: bytes, cut: int) -> bytes:
    """Return a game without its last moves, but with its first."""
    end = len(game) - 1
    for _ in range(cut):
        last = game.rfind(b";", 0, end)
        if last <= 1:
            break
        end = last
    return game[:end] + b")"


def measure_import(source: Path, folder: Path) -> dict[str, Any]:
    """Import into a store in a process of its own; return the figures."""
    began = time.perf_counter()
    process = subprocess.Popen(import_command(source, folder), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    summary = json.loads(process.stdout.read())
    usage = os.wait4(process.pid, 0)[2]
    return {
        "imported": summary["imported"],
        "duplicates": summary["duplicates"],
        "seconds": round(time.perf_counter() - began, 2),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "memory_mb": round(usage.ru_maxrss / 1024),
    }


def measure_searches(folder: Path, patterns: list[Pattern]) -> dict[str, Any]:
    """Open a store and make the searches; return the figures. Runs in a new process."""
    began = time.process_time()
    searcher = Searcher(GameStore(folder))
    opened = time.process_time() - began
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    searches, firsts, streams, hits = list[float](), list[float](), list[float](), 0
    for pattern in patterns:
        began = time.process_time()
        hits += searcher.search(Query(pattern)).hits
        searches.append(time.process_time() - began)
        began, first = time.process_time(), 0.0
        for found in searcher.stream(Query(pattern)):
            if found.hits and not first:
                first = time.process_time() - began
        firsts.append(first)
        streams.append(time.process_time() - began)
    return {
        "open_seconds": round(opened, 3),
        "open_memory_mb": round(before / 1024),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "hits": hits,
        "search_seconds": round(sum(searches), 3),
        "stream_seconds": round(sum(streams), 3),
        "first_hits_ms": round(1000 * sum(firsts) / len(firsts), 1),
        "latest_first_hits_ms": round(1000 * max(firsts), 1),
    }


def in_new_process(folder: Path, patterns: list[Pattern]) -> dict[str, Any]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure_searches, (folder, patterns))


def measure_additions(lines: list[bytes], folder: Path, store: Path, additions: int) -> None:
    """Add 1,000 new games to a store several times, from one file and from a folder of 1,000 files."""
    for number in range(additions):
        games, start = folder / "more", ADDED_GAMES * number
        games.mkdir()
        write_copy(lines[start : start + ADDED_GAMES], games / "all.sgf", 0, 10)
        if number % 2:
            for i, line in enumerate((games / "all.sgf").read_bytes().splitlines()):
                (games / f"{i}.sgf").write_bytes(line)
            (games / "all.sgf").unlink()
        print(
            json.dumps({"added_from": "folder" if number % 2 else "file", **measure_import(games, store)}), flush=True
        )
        shutil.rmtree(games)


def measure(corpus: Path, folder: Path, times: list[int], searches: int, additions: int) -> None:
    lines = lzma.decompress(corpus.read_bytes()).splitlines()
    copies, patterns = folder / "copies", list[Pattern]()
    copies.mkdir()
    for number in times:
        for copy in range(number):
            if not (copies / f"{copy}.sgf").exists():
                write_copy(lines, copies / f"{copy}.sgf", copy, copy)
        store = folder / f"store-{number}"
        row: JsonObject = {"times": number, "import": measure_import(copies, store)}
        games = row["import"]["imported"]
        row["bytes_per_game"] = round(sum(path.stat().st_size for path in store.iterdir()) / games)
        if not patterns:
            stream, first = random.Random(2), GameStore(store)
            patterns = [random_pattern(first, stream, ANCHORS[i % 4], i // 4 % 2 == 1) for i in range(searches)]
        row["search"] = in_new_process(store, patterns)
        row["import_ms_per_game"] = round(1000 * row["import"]["processor_seconds"] / games, 4)
        row["search_us_per_game"] = round(1e6 * row["search"]["search_seconds"] / searches / games, 4)
        print(json.dumps(row), flush=True)
        if number != times[-1]:
            shutil.rmtree(store)
    shutil.rmtree(copies)
    measure_additions(lines, folder, store, additions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--searches", type=int, default=40)
    parser.add_argument("--additions", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        measure(options.corpus, Path(name), sorted(options.times), options.searches, options.additions)


if __name__ == "__main__":
    main()
