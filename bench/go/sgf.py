"""Our SGF reader beside sgfmill: every file of collections of records, and how fast the scanner and the replay are.

python -m bench.go.sgf --wild PATH --games PATH [--corpus PATH]

PATH is a folder, file or archive. Every file of --wild must be read or refused with
a reason within 2 s. On every file that sgfmill reads too, size, main line, setup
stones and names must be the same; exits with 1 where they are not. --corpus is
scanned and replayed, and the games in a second are told.
"""

from __future__ import annotations

import argparse
import sys
import time

from sgfmill import sgf

from kibitz.core.errors import BadText
from kibitz.games.go.records.replay import REASONS, replay
from kibitz.games.go.sgf.encodings import encode
from kibitz.games.go.sgf.reader import read
from kibitz.games.go.sgf.record import PASS, Record, is_setup, record_of, setup_of
from kibitz.games.go.sgf.scan import ScannedGames, scan
from kibitz.games.go.sgf.sources import Piece, pieces
from kibitz.games.go.sgf.tree import GameTree, escaped, simple_text

SLOW = 2.0
"""Seconds that one wild file may take."""


def theirs(data: bytes, encoding: str) -> tuple[int, list[tuple[int, int]], list[int], dict[str, str]] | str:
    """Return size, moves, setup and names as sgfmill reads them, or why it does not.

    It takes a file that names no encoding for Latin-1; such names are put into the encoding that we found.
    """
    try:
        game = sgf.Sgf_game.from_bytes(data)
        size, root, moves, setup = game.get_size(), game.get_root(), list[tuple[int, int]](), list[int]()
        for node in game.get_main_sequence():
            for colour, points in enumerate(node.get_setup_stones()):
                setup += [setup_of((colour + 1) % 3, (size - 1 - row) * size + col) for row, col in points]
            mark, at = node.get_move()
            if mark is not None:
                moves.append((" bw".index(mark), PASS if at is None else (size - 1 - at[0]) * size + at[1]))
        names = {name: root.get(name) for name in ("PB", "PW", "EV", "RE") if root.has_property(name)}
        if game.get_charset() == "ISO-8859-1":
            names = {
                name: encode(value, "latin-1").decode(encoding, "surrogateescape") for name, value in names.items()
            }
    except (ValueError, KeyError, LookupError) as error:
        return str(error) or type(error).__name__
    return size, moves, setup, {name: simple_text(escaped(value)) for name, value in names.items()}


def differences(ours: Record, data: bytes, encoding: str) -> list[str]:
    """Return in what a record differs from what sgfmill reads."""
    found = theirs(data, encoding)
    if isinstance(found, str):
        return [f"? {found}"]
    size, moves, setup, names = found
    different = []
    if size != ours.size:
        different.append(f"size {ours.size} not {size}")
    if moves != ours.moves:
        different.append(f"{len(ours.moves)} moves not {len(moves)}")
    if sorted(setup) != sorted(play for play in ours.plays if is_setup(play)):
        different.append("setup stones")
    for name, value in names.items():
        if ours.fields.get(name) != value:
            different.append(f"{name} {ours.fields.get(name)!r} not {value!r}")
    return different


def records_of(trees: list[GameTree]) -> list[Record]:
    """Return the games of Go in a file. Raises BadText if there is none."""
    found, refusals = list[Record](), list[BadText]()
    for tree in trees:
        try:
            found.append(record_of(tree))
        except BadText as error:
            refusals.append(error)
    if not found:
        raise refusals[0]
    return found


def compare(path: str, every: bool) -> bool:
    """Compare each file with sgfmill; return whether all is well."""
    counts = dict.fromkeys(("files", "read", "refused", "read by sgfmill too", "read by us only"), 0)
    slowest, well = 0.0, True
    for piece in pieces([path]):
        counts["files"] += 1
        if not isinstance(piece, Piece):
            print(f"  skipped {piece.name}: {piece.reason}")
            continue
        name, began = piece.name.rpartition(":")[2], time.perf_counter()
        try:
            trees = read(piece.data)
            records = records_of(trees)
        except BadText as error:
            counts["refused"] += 1
            print(f"  refused {name}: {error}")
            continue
        finally:
            slowest = max(slowest, time.perf_counter() - began)
        counts["read"] += 1
        found = differences(records[0], piece.data, trees[0].encoding)
        if not same(scan(piece.data), records):
            found.append("the scanner and the reader differ")
        if found and found[0].startswith("? "):
            counts["read by us only"] += 1
            if every:
                print(f"  only ours {name}: {len(records[0].moves)} moves; sgfmill: {found[0][2:80]}")
            continue
        counts["read by sgfmill too"] += 1
        if found:
            print(f"  DIFFERENT {name}: {'; '.join(found)}")
            well = False
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{path}: {told}; the slowest in {slowest:.3f} s")
    return well and slowest < SLOW


def same(games: ScannedGames, records: list[Record]) -> bool:
    """Return whether the scanner found the same games as the reader."""
    return len(games) == len(records) and all(
        (found.size, found.fields, found.plays) == (record.size, record.fields, record.plays)
        for found, record in zip((games.record(i) for i in range(len(games))), records, strict=True)
    )


def speed(path: str) -> None:
    """Tell how many games a second are scanned and replayed."""
    replay(scan(b"(;GM[1]SZ[9];B[aa])"))  # may have to compile
    began, games = time.perf_counter(), list[ScannedGames]()
    scanning = replaying = 0.0
    plays, reasons = 0, dict.fromkeys(REASONS, 0)
    for piece in pieces([path]):
        if not isinstance(piece, Piece):
            print(f"  skipped {piece.name}: {piece.reason}")
            continue
        start = time.thread_time()
        found = scan(piece.data)
        scanning += time.thread_time() - start
        start = time.thread_time()
        _, why = replay(found)
        replaying += time.thread_time() - start
        games.append(found)
        plays += len(found.plays)
        for reason in reasons:
            reasons[reason] += int((why == reason).sum())
    n = sum(len(found) for found in games)
    print(f"{path}: {n} games, {plays} plays, {time.perf_counter() - began:.2f} s in all with unpacking")
    print(f"  scanned with their heads in {scanning:.2f} s of one core, {n / scanning:,.0f} games/s")
    print(f"  replayed with captures in {replaying:.2f} s of one core, {n / replaying:,.0f} games/s")
    for reason, count in reasons.items():
        print(f"  {count} end early: {REASONS[reason]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wild", help="records of all kinds, each file of which is told")
    parser.add_argument("--games", help="ordinary records")
    parser.add_argument("--corpus", help="many records, to be scanned and replayed for speed")
    args = parser.parse_args()
    well = True
    if args.wild:
        well &= compare(args.wild, every=True)
    if args.games:
        well &= compare(args.games, every=False)
    if args.corpus:
        speed(args.corpus)
    sys.exit(not well)


if __name__ == "__main__":
    main()
