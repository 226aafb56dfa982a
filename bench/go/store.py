"""The store and the search on a real collection, beside Kombilo and beside a plain scan.

python -m bench.go.store CORPUS [--searches FILE] [--store DIR] [--random N]

Imports the collection anew unless the store in DIR has games already, in a
process of its own whose time, peak memory and size on disk are told. Runs every search
of FILE (a JSON object with `searches`, each with name, anchor, rows, games and
kombilo_seconds) three times and tells the best time, on the clock and of the processor.
Makes up N random searches and compares all hits on 500 games with those of a
plain scan. Exits with 1 if anything is not equal.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.go.searches import random_pattern
from kibitz.games.go.records.layout import TAKEN
from kibitz.games.go.records.search.guises import compile_pattern
from kibitz.games.go.records.search.pattern import ANCHORS, Pattern, parse
from kibitz.games.go.records.search.search import Query, Searcher
from kibitz.games.go.records.store import MANIFEST, GameStore
from kibitz.games.go.sgf.record import colour_of, is_pass, is_setup, point_of

SCANNED = 500
"""Games on which random searches are compared."""


def import_command(corpus: Path, folder: Path) -> list[str]:
    return [sys.executable, "-m", "kibitz", "go", "import", str(corpus), "--store", str(folder), "--json"]


def measure_import(corpus: Path, folder: Path) -> None:
    began = time.perf_counter()
    process = subprocess.Popen(import_command(corpus, folder), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    summary = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    seconds, size = time.perf_counter() - began, sum(path.stat().st_size for path in folder.iterdir())
    told = {name: summary[name] for name in ("imported", "duplicates", "skipped", "illegal")}
    print(
        f"import: {told}, {seconds:.1f} s ({usage.ru_utime + usage.ru_stime:.1f} s of the processor), "
        f"peak {usage.ru_maxrss / 1024:.0f} MB, store {size / 1e6:.0f} MB, exit {os.waitstatus_to_exitcode(status)}"
    )


def measure_searches(searcher: Searcher, path: Path) -> bool:
    good = True
    for entry in json.loads(path.read_text(encoding="utf-8"))["searches"]:
        query = Query(parse(entry["rows"], entry["anchor"]))
        clock, processor = 1e9, 1e9
        for _ in range(3):
            before = time.process_time()
            found = searcher.search(query)
            clock, processor = min(clock, found.seconds), min(processor, time.process_time() - before)
        same = found.games == entry["games"]
        good &= same
        print(
            f"{entry['name']:32} games {found.games:>6} {'equal' if same else entry['games']}, hits {found.hits:>8} "
            f"({entry['hits']}), {1000 * clock:8.2f} ms ({1000 * processor:.2f} of the processor), "
            f"Kombilo {1000 * entry['kombilo_seconds']:8.2f} ms, {entry['kombilo_seconds'] / clock:.1f} times as fast"
        )
    return good


def positions(store: GameStore, game: int) -> tuple[Any, Any]:
    """Return the boards after the setup and after each move, and how many moves had been made."""
    boards, numbers = list[Any](), list[int]()
    changes = store.changes_of(game).tolist()
    board, number = np.zeros((19, 19), np.uint8), 0
    if not changes or not is_setup(changes[0]):
        boards.append(board.copy())
        numbers.append(0)
    for at, change in enumerate(changes):
        if not is_pass(change):
            board[divmod(point_of(change), 19)] = colour_of(change)
        number += not is_setup(change) and not change & TAKEN
        following = changes[at + 1] if at + 1 < len(changes) else 0
        if not following & TAKEN and not (is_setup(change) and is_setup(following)):
            boards.append(board.copy())
            numbers.append(number)
    return np.array(boards), numbers


def scan(pattern: Pattern, game: int, boards: Any, numbers: Any) -> set[tuple[int, int, int, int]]:
    """Return game, guise, place and first move of every hit, by looking at every place of every position."""
    guises = compile_pattern(pattern, 19).guises
    hits = set()
    for guise, shape in enumerate(guises.shapes.tolist()):
        masks, values = np.zeros((2, *shape), np.int64)
        for codes, sorted_codes in ((masks, guises.masks), (values, guises.values)):
            codes.reshape(-1)[guises.cells[guise]] = sorted_codes[guise]
        top, bottom, left, right = guises.ranges[guise].tolist()
        fits = np.ones((len(boards), bottom - top + 1, right - left + 1), bool)
        for row, col in np.argwhere(masks).tolist():
            some = boards[:, top + row : bottom + row + 1, left + col : right + col + 1]
            fits &= (some ^ np.uint8(values[row, col])) & np.uint8(masks[row, col]) == 0
        for row, col in np.argwhere(fits.any(axis=0)).tolist():
            hits.add((game, guise, (top + row) * 19 + left + col, numbers[int(fits[:, row, col].argmax())]))
    return hits


def compare_random(searcher: Searcher, number: int, seed: int = 1) -> bool:
    stream, store = random.Random(seed), searcher.store
    fit = np.flatnonzero(store.column("sizes") == 19).tolist()
    games, good, total = sorted(stream.sample(fit, min(SCANNED, len(fit)))), True, 0
    known = {game: positions(store, game) for game in games}
    for i in range(number):
        pattern = random_pattern(store, stream, stream.choice(ANCHORS), has_wildcards=True)
        found = searcher.search(Query(pattern))
        game, move, guise, place = found.arrays
        chosen = np.isin(game, games)
        ours = set(zip(*(column[chosen].tolist() for column in (game, guise, place, move)), strict=True))
        theirs = set[tuple[int, int, int, int]]().union(*(scan(pattern, game, *known[game]) for game in games))
        total += len(theirs)
        if ours != theirs:
            good = False
            print(
                f"random search {i}: {pattern.anchor} {pattern.rows}: {len(ours)} hits, but the scan has {len(theirs)}"
            )
    print(f"{number} random searches on {len(games)} games: {total} hits, {'all equal' if good else 'NOT EQUAL'}")
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--searches", type=Path)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--random", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.store or Path(name) / "store"
        if not (folder / MANIFEST).exists():
            measure_import(options.corpus, folder)
        searcher, good = Searcher(GameStore(folder)), True
        if options.searches:
            good &= measure_searches(searcher, options.searches)
        if options.random:
            good &= compare_random(searcher, options.random)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
