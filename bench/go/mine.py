"""Patterns mined from a real collection: time, memory, equality with a plain counter, look-ups, fuseki, the report.

python -m bench.go.mine STORE [--games N] [--openings ARCHIVE]

STORE is a store that kibitz go import made; what was mined from it is made anew.
N games (200) are counted by a plain counter of tests/naive too. ARCHIVE is a
tar file of about 2,000 games whose fuseki are extracted, as GNU Go's
extract_fuseki does in 0.57 s. Exits with 1 if anything is not equal, or slower
than docs/games/go/patterns.md says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.games.go.patterns.matching import PatternMatcher
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.patterns.openings import LooseGames, find_fuseki
from kibitz.games.go.patterns.shapes import SIGNS, count_off_board, parse_shape
from kibitz.games.go.patterns.studies import styles as players
from kibitz.games.go.patterns.studies.singh import replay_report
from kibitz.games.go.patterns.windows import moves_of, played_windows
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.sgf.record import colour_of, is_pass, is_setup, point_of

SHAPES = ("3x3", "5x5", "diamond2")
SECONDS, MEGABYTES = 60.0, 2000.0
CHUNK = 100
"""Boards that are looked up at a time."""


def kibitz(*args: str) -> tuple[Any, float, float, float]:
    """Run a command; return what it told, the seconds of the clock and of the processor, and megabytes at most."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "kibitz", "go", *args, "--json"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    told = json.loads(process.stdout.read())
    _, _, usage = os.wait4(process.pid, 0)
    return told, time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure_mining(folder: Path) -> bool:
    good = True
    shapes = [word for shape in SHAPES for word in ("--shape", shape)]
    for name, args in (("moves only", shapes), ("all tables", [])):
        told, clock, processor, memory = kibitz("mine", "--anew", "--store", str(folder), *args)
        print(
            f"mine, {name}: {told['games']:,} games, {clock:.1f} s ({processor:.1f} of the processor), "
            f"{memory:.0f} MB; "
            + ", ".join(f"{one['source']} {one['shape']} {one['patterns']:,}" for one in told["patterns"])
        )
        good &= processor < SECONDS and memory < MEGABYTES
    return good


def account(folder: Path) -> bool:
    """Tell how many of all windows were seen, and which cannot be."""
    good = True
    with Mined(folder) as mined:
        for kind, all_of_them in (
            (Kind("final", "3x3", 16), 1444),
            (Kind("final", "diamond2", 16), 103_162),
            (Kind("moves", "3x3", 8), 954),
        ):
            keys = mined.load(kind).tally.keys
            edge = count_off_board(keys) > 0
            inside = int((~edge).sum())
            good &= inside <= all_of_them
            name = f"{kind.source} {kind.shape}"
            print(f"{name}: {inside:,} of {all_of_them:,} on the board, {int(edge.sum()):,} at the edge")
        final = {int(key) for key in mined.load(Kind("final", "3x3", 16)).tally.keys}
    shape = parse_shape("3x3")
    possible, impossible = set[int](), set[int]()
    for codes in product(range(3), repeat=9):
        taken = codes[4] and all(codes[at] == 3 - codes[4] for at in (1, 3, 5, 7))
        (impossible if taken else possible).add(shape.canonical(shape.key(codes)))
    never = possible - final - {0}
    print(
        f"3x3: {len(possible) + len(impossible):,} in all: 1 empty, {len(impossible)} cannot be (a stone without "
        f"liberties), {len(final & possible):,} seen, {len(never)} never seen"
    )
    return good and not final & impossible and len(possible) + len(impossible) == 1444


def compare_with_plain(store: GameStore, number: int) -> bool:
    """Count some games with the plain counter too."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
    from games.go.naive import mining as naive

    sizes = store.column("sizes")
    which = np.flatnonzero(sizes == 19)[:: max(1, int((sizes == 19).sum()) // number)][:number]
    games = []
    for game in which.tolist():
        plays = store.plays_of(game).tolist()
        pairs = [(colour_of(play), -1 if is_pass(play) else point_of(play), is_setup(play)) for play in plays]
        games.append(([pair[:2] for pair in pairs if pair[2]], [pair[:2] for pair in pairs if not pair[2]]))
    good = True
    for name in SHAPES:
        shape = parse_shape(name)
        keys, counts = np.unique(played_windows(moves_of(store, which), name, 19), return_counts=True)
        ours = {}
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
            window = {place: SIGNS[code] for place, code in zip(shape.offsets, shape.codes(key), strict=True)}
            ours[min(naive.forms(window, False))] = count
        began = time.perf_counter()
        plain = naive.played(games, 19, name)
        same = ours == dict(plain) and len(ours) == len(keys)
        good &= same
        told = "equal" if same else "NOT EQUAL"
        seconds = time.perf_counter() - began
        print(f"{name}: {len(plain):,} patterns of {len(games)} games {told} to a plain counter ({seconds:.1f} s)")
    return good


def measure_look_ups(store: GameStore) -> bool:
    """Look up boards of 2,000 games, each once; the time is that of the middle hundred."""
    good = True
    stream = np.random.default_rng(1)
    games = stream.choice(np.flatnonzero(store.column("sizes") == 19), 2000).tolist()
    boards = [store.board(game, int(stream.integers(0, 1 + len(store.moves_of(game))))) for game in games]
    array = np.array([np.frombuffer(board.points, np.uint8) for board in boards])
    colours = np.ones(CHUNK, np.int64)
    with Mined(store.folder) as mined:
        for shape in SHAPES:
            kind = Kind("moves", shape, 8)
            matcher = PatternMatcher(kind, mined.load(kind).tally)
            times, known = [], 0
            for start in range(0, len(array), CHUNK):
                began = time.perf_counter()
                found = matcher.numbers(array[start : start + CHUNK], colours)
                times.append(time.perf_counter() - began)
                known += int((found >= 0).sum())
            points = int((array == 0).sum())
            rate = CHUNK / sorted(times)[len(times) // 2]
            good &= rate * points / len(array) > 100_000
            print(
                f"look-ups of {shape}: {rate * points / len(array):,.0f} points/s, {rate:,.0f} whole boards/s "
                f"(at best {CHUNK / min(times):,.0f}), {known / points:.1%} known"
            )
    return good


def measure_fuseki(store: GameStore, archive: Path | None) -> bool:
    which = np.flatnonzero(store.column("sizes") == 19)
    for by in ("order", "state"):
        find_fuseki(store, which[:10], 10, by)
        for number in (2000, len(which)):
            began = time.perf_counter()
            found = find_fuseki(store, which[:number], 10, by)
            print(
                f"fuseki by {by}, {number:,} games: {1000 * (time.perf_counter() - began):.1f} ms, {len(found):,} found"
            )
    if archive is None:
        return True
    best = 1e9
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as files:
            files.extractall(folder, filter="data")
        for _ in range(5):
            began = time.perf_counter()
            games = LooseGames([Path(folder)])
            found = find_fuseki(games, np.flatnonzero(games.column("sizes") == 19), 10, "state")
            best = min(best, time.perf_counter() - began)
    print(
        f"fuseki of the files of {archive.name}: {len(games):,} games read and {len(found):,} found in "
        f"{1000 * best:.0f} ms; GNU Go's extract_fuseki 570 ms"
    )
    return best < 0.57


def measure_report(store: GameStore) -> bool:
    began = time.process_time()
    found = replay_report(store)
    processor = time.process_time() - began
    print(f"the report of 2013: {found.seconds:.1f} s ({processor:.1f} of the processor)")
    for step in found.steps:
        print(f"  {step.name:42} {step.reported:>12,} {step.right:>12,}  {step.note}")
    return processor < SECONDS


def halves(store: GameStore) -> None:
    """Split each player's games in two, and tell how often a half is most similar to its own other half."""
    whole = players._compared_players

    def split(store: GameStore, size: int, min_games: int) -> tuple[Any, list[str], Any]:
        who, names, games = whole(store, size, 2 * min_games)
        odd = np.arange(len(who)) % 2
        twice = np.where(who >= 0, 2 * who + odd[:, None], -1).astype(np.int32)
        return twice, [f"{name}/{half}" for name in names for half in (0, 1)], np.repeat(games // 2, 2)

    players._compared_players = split
    try:
        found = players.player_styles(store, min_games=100)
    finally:
        players._compared_players = whole
    first = sum(found.similar(name, 1)[0].name[:-2] == name[:-2] for name in found.names)
    print(
        f"similar: of {len(found.names)} halves of players' games, {first} are most similar to their other half "
        f"({first / len(found.names):.0%}; by chance {1 / (len(found.names) - 1):.1%})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("store", type=Path)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--openings", type=Path)
    args = parser.parse_args()
    store = GameStore(args.store)
    good = measure_mining(args.store)
    good &= account(args.store)
    good &= compare_with_plain(store, args.games)
    good &= measure_look_ups(store)
    good &= measure_fuseki(store, args.openings)
    good &= measure_report(store)
    halves(store)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
