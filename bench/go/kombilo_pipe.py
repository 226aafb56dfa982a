"""Kombilo behind a pipe, for bench.go.searches. Runs under a Python that has Kombilo, which need not have kibitz.

PYTHON bench/go/kombilo_pipe.py DATABASE GAMES

Makes the database from GAMES (one SGF per line) if there is none, and prints a line of JSON with the number of games
and the seconds that took. Then answers each search, a line of JSON with `anchor` and `rows`, with a line: `games`,
`hits`, and `seconds`: on the clock, and of the processor.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from kombilo import libkombilo as lib

ANCHORS = {
    "corner": lib.CORNER_NE_PATTERN,
    "side": lib.SIDE_N_PATTERN,
    "centre": lib.CENTER_PATTERN,
    "full": lib.FULLBOARD_PATTERN,
}
MAX_CACHED_PAGES = 500  # of SQLite, as Kombilo's own window sets it


def open_database(database: str, games: str) -> lib.GameList:
    options = lib.ProcessOptions()
    options.sgfInDB = False
    if not Path(database).exists():
        made = lib.GameList(database, "", "", options, 19, MAX_CACHED_PAGES)
        made.start_processing()
        others = lib.vectorGL()
        for number, line in enumerate(Path(games).read_text(encoding="utf-8").splitlines(), 1):
            made.process(line, "", str(number), others, "", 0)
        made.finalize_processing()
    return lib.GameList(database, "", "", options, 19, MAX_CACHED_PAGES)


def search(games: lib.GameList, anchor: str, rows: list[str]) -> dict[str, object]:
    pattern = lib.Pattern(ANCHORS[anchor], 19, len(rows[0]), len(rows), "".join(rows))
    games.reset()
    began, processor = time.perf_counter(), time.process_time()
    games.search(pattern, lib.SearchOptions(0, 0))
    seconds = (time.perf_counter() - began, time.process_time() - processor)
    return {"games": games.size(), "hits": games.num_hits, "seconds": seconds}


if __name__ == "__main__":
    began = time.perf_counter()
    opened = open_database(*sys.argv[1:3])
    print(json.dumps({"games": opened.size(), "seconds": time.perf_counter() - began}), flush=True)
    for line in sys.stdin:
        query = json.loads(line)
        print(json.dumps(search(opened, query["anchor"], query["rows"])), flush=True)
