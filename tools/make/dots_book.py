"""Make the opening book of the champion of Dots-and-Boxes, by long tree searches.

python -m tools.make.dots_book make [--rows R] [--cols C] [--plies N] [--seconds S] [--workers N] --out FILE.jsonl
python -m tools.make.dots_book pack FILE.jsonl --out book.json

A player who follows the book has an answer to every line of the opponent, as first
and as second player, while fewer than --plies lines are drawn. FILE grows line by
line, and positions that it already has are not searched again. pack turns it into the
book.json of the package.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from kibitz.core.agent import Budget
from kibitz.core.untrusted import JsonObject
from kibitz.games.dots.players.champion.book import canonical_image
from kibitz.games.dots.players.champion.tree import look_ahead, prepare
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.theory.structure import safe_lines


def search(task: tuple[int, int, int, float]) -> JsonObject:
    """Return the entry of a position with nothing to take, found by a long search."""
    rows, cols, drawn, seconds = task
    game = Dots(rows, cols)
    state = game.start()
    for line in range(drawn.bit_length()):
        if drawn >> line & 1:
            state = state.play(line)
    prepare()  # so that the time is for the search
    choice = look_ahead(state, Budget(seconds=seconds), None, random.Random(drawn))
    assert choice is not None
    assert choice.value is not None
    return {
        "board": f"{rows}x{cols}",
        "drawn": f"{drawn:x}",
        "move": choice.move,
        "share": round(choice.value, 4),
        "playouts": choice.playouts,
        "seconds": seconds,
    }


def replies(game: Dots, drawn: int) -> Iterator[int]:
    """Yield the positions after each safe line, only one of those that are images of each other."""
    graph = game.board
    found = {canonical_image(graph, drawn | 1 << line)[1] for line in safe_lines(graph, graph.all_strings & ~drawn)}
    yield from sorted(found)


def make(args: argparse.Namespace) -> None:
    game, known = Dots(args.rows, args.cols), dict[int, int]()
    if args.out.exists():
        for text in args.out.read_text("utf-8").splitlines():
            entry = json.loads(text)
            known[int(entry["drawn"], 16)] = entry["move"]
    positions: dict[int, Iterable[int]] = {0: [0], 1: list(replies(game, 0))}
    with Pool(args.workers) as pool, args.out.open("a", encoding="utf-8") as out:
        for ply in range(args.plies):
            tasks = [(args.rows, args.cols, drawn, args.seconds) for drawn in positions[ply] if drawn not in known]
            for number, entry in enumerate(pool.imap_unordered(search, tasks), 1):
                out.write(json.dumps(entry) + "\n")
                out.flush()
                known[int(entry["drawn"], 16)] = entry["move"]
                print(f"ply {ply}: {number} of {len(tasks)}", flush=True)
            after = {drawn | 1 << known[drawn] for drawn in positions[ply]}
            positions[ply + 2] = sorted({reply for drawn in after for reply in replies(game, drawn)})


def pack(args: argparse.Namespace) -> None:
    found = [json.loads(text) for text in args.file.read_text("utf-8").splitlines()]
    boards: dict[str, dict[str, list[Any]]] = {}
    for entry in sorted(found, key=lambda entry: (entry["board"], int(entry["drawn"], 16))):
        boards.setdefault(entry["board"], {})[entry["drawn"]] = [entry["move"], entry["share"], entry["playouts"]]
    seconds = sorted({entry["seconds"] for entry in found})
    times = " or ".join(f"{s:g}" for s in seconds)
    made = f"python -m tools.make.dots_book: {len(found)} tree searches of {times} seconds."
    entries = "drawn lines of the least image as hexadecimal bits: move in that image, share of playouts won, playouts"
    text = json.dumps({"made": made, "entries": entries, "boards": boards}, separators=(",", ":"))
    args.out.write_text(text.replace('],"', '],\n"') + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("make")
    making.add_argument("--rows", type=int, default=5)
    making.add_argument("--cols", type=int, default=5)
    making.add_argument("--plies", type=int, default=4)
    making.add_argument("--seconds", type=float, default=7.0)
    making.add_argument("--workers", type=int, default=1)
    making.add_argument("--out", type=Path, required=True)
    making.set_defaults(run=make)
    packing = commands.add_parser("pack")
    packing.add_argument("file", type=Path)
    packing.add_argument("--out", type=Path, required=True)
    packing.set_defaults(run=pack)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
