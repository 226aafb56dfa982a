"""Measure the speeds of two source trees side by side.

python -m bench.speeds OLD NEW [--rounds N] [--only NAME ...]     two src folders, measured in turns

Print the best of each tree and the ratio new/old. Every measurement runs in a process of its
own, with its kernels compiled and loaded before the clock starts; the two trees take turns,
and the best of all rounds counts. Modules move between versions, so measurements use the
command line and public names where they can, and otherwise the first module of MODULES that
exists. A tree that finds its games by entry points needs them in the metadata of the installed
package: install the newer tree first.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"

MODULES: Mapping[str, tuple[str, ...]] = {
    "uttt kernel": ("kibitz.games.uttt.kernel.position", "kibitz.games.uttt.kernel"),
    "dots kernel": ("kibitz.games.dots.kernel.position", "kibitz.games.dots.kernel"),
    "go kernel": ("kibitz.games.go.kernel.position", "kibitz.games.go.kernel"),
    "battleline kernel": ("kibitz.games.battleline.kernel.position", "kibitz.games.battleline.kernel"),
    "perft": ("kibitz.search.perft",),
    "control": ("kibitz.search.control",),
    "rng": ("kibitz.compiled.rng",),
    "store": ("kibitz.games.go.records.store", "kibitz.patterns.store"),
    "pattern": ("kibitz.games.go.records.search.pattern", "kibitz.patterns.pattern"),
    "search": ("kibitz.games.go.records.search.search", "kibitz.patterns.search"),
}
"""What a measurement needs that has no public name -> where it is, the newest place first; the list grows as modules
move."""
STORE_VARIABLE = "KIBITZ_PAST_STORE"
"""The variable in the environment that names the store of Go records to search."""
STORE_GAMES, STORE_MOVES = 3_000, 200
MEASURED_SECONDS = 1.0
Work = Callable[[], float]
"""Does some work and returns how much, in the unit of its measurement."""


def module(name: str) -> Any:
    """Return the module that MODULES names. Raise ModuleNotFoundError if none of its places exists."""
    for place in MODULES[name][:-1]:
        try:
            return import_module(place)
        except ModuleNotFoundError as error:
            if not place.startswith(error.name or "?"):
                raise
    return import_module(MODULES[name][-1])


def max_legal_moves(kernel: Any) -> int:
    """Return the room that a kernel needs for legal moves, which version 0.1 called ROOM."""
    return int(getattr(kernel, "MAX_LEGAL_MOVES", None) or kernel.ROOM)


def perft_work(game: str, depth: int, **options: Any) -> Work:
    """Count the ways to play some moves."""
    import numpy as np

    import kibitz

    kernel, count, signal = module(f"{game} kernel"), module("perft").perft, module("control").new_signal()
    pos = kernel.pack(kibitz.game(game, **options).start(1))
    moves = np.zeros(depth * max_legal_moves(kernel), np.int64)
    return lambda: float(count(pos, depth, moves, signal))


def games_work(game: str, games: int, **options: Any) -> Work:
    """Play random games to their end."""
    import numpy as np

    import kibitz

    kernel, play, stream = module(f"{game} kernel"), module("perft").random_games, module("rng").stream
    state = kibitz.game(game, **options).start(1)
    pos, scratch = kernel.pack(state), kernel.pack(state)
    moves, tally = np.zeros(max_legal_moves(kernel), np.int64), np.zeros(3, np.int64)

    def work() -> float:
        play(pos, scratch, games, stream(1), moves, tally)
        return games

    return work


def search_work(game: str, spec: str, plies: int = 0, **limits: Any) -> Work:
    """Search one position with a fixed budget; options of the game begin with an underscore."""
    import kibitz
    from past.questions import position_after

    options = {key[1:]: limits.pop(key) for key in list(limits) if key.startswith("_")}
    made = kibitz.game(game, **options)
    agent, state, budget = kibitz.agent(made, spec), position_after(made, plies), kibitz.Budget(**limits)
    view = state.view(state.to_move)

    def work() -> float:
        agent.reset(1)
        choice = agent.choose(view, budget)
        return choice.playouts or choice.nodes

    return work


def pattern_work() -> Work:
    """Search patterns in a store of Go records."""
    search, parse, store = module("search"), module("pattern").parse, module("store")
    open_store = getattr(store, "GameStore", None) or store.Store  # its former name
    searcher = search.Searcher(open_store(Path(os.environ[STORE_VARIABLE])))
    wanted = [
        search.Query(parse(["XO", ".X"], "anywhere")),
        search.Query(parse(["....", ".X..", "...."], "corner")),
        search.Query(parse(["X.O", ".X."], "side")),
    ]

    def work() -> float:
        for query in wanted:
            searcher.search(query)
        return len(wanted)

    return work


def mine_work() -> Work:
    """Count the patterns of a store of Go records."""
    from past.questions import command

    def work() -> float:
        command("go", "mine", "--anew", "--shape", "3x3", "--store", os.environ[STORE_VARIABLE], "--json")
        return STORE_GAMES

    return work


def predict_work() -> Work:
    """Predict the moves of games."""
    from past.questions import DATA, command

    words = ("go", "evaluate", "--games", DATA / "go" / "records.sgf", "--model", "patterns", "--limit", "12", "--json")
    return lambda: float(json.loads(command(*words))["n"])


def rules_work(game: str) -> Work:
    """Play random moves by the readable rules."""
    import kibitz

    made = kibitz.game(game)

    def work() -> float:
        rng, plies = random.Random(1), 0
        for seed in range(4):
            state = made.start(seed)
            while moves := state.legal_moves():
                state, plies = state.play(rng.choice(moves)), plies + 1
        return plies

    return work


def start_work() -> Work:
    """Start the program and let it print its version."""

    def work() -> float:
        subprocess.run([sys.executable, "-m", "kibitz", "--version"], check=True, stdout=subprocess.DEVNULL)
        return 1

    return work


MEASURES: Mapping[str, tuple[str, Callable[[], Work]]] = {
    "uttt perft 7": ("leaves", lambda: perft_work("uttt", 7)),
    "dots perft 5": ("leaves", lambda: perft_work("dots", 5)),
    "go perft 4": ("leaves", lambda: perft_work("go", 4, size=9)),
    "battleline perft 6": ("leaves", lambda: perft_work("battleline", 6)),
    "uttt random games": ("games", lambda: games_work("uttt", 100_000)),
    "dots random games": ("games", lambda: games_work("dots", 50_000)),
    "uttt alphabeta": ("nodes", lambda: search_work("uttt", "alphabeta", nodes=1_000_000)),
    "uttt champion": ("nodes", lambda: search_work("uttt", "champion", nodes=200_000)),
    "uttt mcts": ("playouts", lambda: search_work("uttt", "mcts", playouts=30_000)),
    "dots alphabeta": ("nodes", lambda: search_work("dots", "alphabeta", nodes=1_000_000)),
    "dots exact": ("nodes", lambda: search_work("dots", "exact(memory=64)", 8, nodes=20_000_000, _rows=4, _cols=4)),
    "go alphabeta": ("nodes", lambda: search_work("go", "alphabeta", nodes=100_000, _size=9)),
    "go mcts": ("playouts", lambda: search_work("go", "mcts", playouts=1_000, _size=9)),
    "battleline champion": ("playouts", lambda: search_work("battleline", "champion", playouts=1_000)),
    "go pattern search": ("searches", pattern_work),
    "go mine": ("games", mine_work),
    "go predict": ("moves", predict_work),
    "uttt rules": ("moves", lambda: rules_work("uttt")),
    "go rules": ("moves", lambda: rules_work("go")),
    "start": ("starts", start_work),
}
"""Measurement -> what it counts, and what makes its work. A piece of work takes a fraction of a second."""


def processor_seconds() -> float:
    """Return the processor time of this process and of those it started and waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure(name: str) -> None:
    """Print how much work this process does at best in a second of processor time, which others cannot take away."""
    work = MEASURES[name][1]()
    work()
    best, end = 0.0, processor_seconds() + MEASURED_SECONDS
    while (began := processor_seconds()) < end:
        amount = work()
        best = max(best, amount / (processor_seconds() - began))
    print(best)


def measured(source: Path, name: str, store: Path) -> float:
    """Return the speed of a source tree, measured in a process of its own."""
    path = os.pathsep.join((str(source), str(TESTS)))  # the tests for past.questions
    env = {**os.environ, "PYTHONPATH": path, STORE_VARIABLE: str(store)}
    command = [sys.executable, "-c", f"from bench.speeds import measure; measure({name!r})"]
    ran = subprocess.run(command, env=env, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return float(ran.stdout)


def make_store(source: Path, folder: Path) -> Path:
    """Return a store of random games, made by a source tree."""
    rng, letters = random.Random(1), "abcdefghijklmnopqrs"
    points = [f"{col}{row}" for row in letters for col in letters]
    with (folder / "random.sgf").open("w", encoding="ascii") as file:
        for _ in range(STORE_GAMES):
            moves = rng.sample(points, STORE_MOVES)
            played = "".join(f";{'BW'[i % 2]}[{move}]" for i, move in enumerate(moves))
            file.write(f"(;SZ[19]{played})\n")
    words = ["go", "import", str(folder / "random.sgf"), "--store", str(folder / "store")]
    env = {**os.environ, "PYTHONPATH": str(source)}
    subprocess.run([sys.executable, "-m", "kibitz", *words], env=env, check=True, stdout=subprocess.DEVNULL)
    return folder / "store"


def speeds(old: Path, new: Path, rounds: int, names: Sequence[str]) -> None:
    """Measure two source trees in turns, and print the best of each and their ratio."""
    trees = [path.resolve() for path in (old, new)]
    for tree in trees:
        if not (tree / "kibitz").is_dir():
            sys.exit(f"There is no kibitz in {tree}; name two src folders.")
    best: dict[str, list[float]] = {name: [0.0, 0.0] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        stores = []
        for place, tree in enumerate(trees):  # each has its own, because mining writes to it
            (Path(folder) / str(place)).mkdir()
            stores.append(make_store(tree, Path(folder) / str(place)))
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
            for name in names:
                for place in (0, 1) if number % 2 == 0 else (1, 0):
                    best[name][place] = max(best[name][place], measured(trees[place], name, stores[place]))
    print(f"{'measurement':22} {'old':>14} {'new':>14}  {'per second':10} new/old")
    for name in names:
        before, after = best[name]
        print(f"{name:22} {before:14,.1f} {after:14,.1f}  {MEASURES[name][0]:10} {after / before:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=list(MEASURES), metavar="NAME")
    given = parser.parse_args()
    speeds(given.old, given.new, given.rounds, given.only)


if __name__ == "__main__":
    main()
