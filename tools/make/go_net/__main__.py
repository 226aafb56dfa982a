"""Make the shipped net of Go from a policy net.

python -m tools.make.go_net NET.onnx --store DIR --folder DIR --out net.onnx [--games N] [--minutes N] [--fit-minutes N]

NET.onnx is a policy net as `kibitz go train --model net` writes it, DIR a store of professional games. The steps:

1. Make the large convolutions integer, which makes the net three times as fast.
2. Take positions with known ends: from N games of the store, and from games of its own on 9x9 and 13x13, each for that
   many minutes.
3. Compute what the net makes of these positions before its last layers.
4. Fit new last layers that estimate the owner of each point and the score, and write everything to one file.

Every step keeps its result in the folder and is left out if it is there: after an interruption, run the command again.
Needs onnx, onnxruntime and PyTorch: pip install "kibitz[learning]". None of the games used is held out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

OWN_SIZES = (9, 13)
TRAINING_PER_HELD_OUT = 13  # games to learn from, for each held-out game to measure on


def step(path: Path, make: Callable[[Path], None]) -> Path:
    """Make a file unless it exists; it appears only when it is complete."""
    if not path.exists():
        print(f"{path.name} ...", flush=True)
        part = path.with_name(f"part-{path.name}")
        make(part)
        part.rename(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", type=Path)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", type=int, default=12_000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--fit-minutes", type=float, default=7)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # here, so that --help works without onnx and PyTorch
    from tools.make.go_net.ends import own_games, positions_of_store
    from tools.make.go_net.fit import fit, write_net
    from tools.make.go_net.integers import features, integer_net

    folder, seed = options.folder, options.seed
    folder.mkdir(parents=True, exist_ok=True)
    known = [step(folder / "ends-19.npz", partial(positions_of_store, options.store, options.games, False, seed))]
    held_games = options.games // TRAINING_PER_HELD_OUT
    held = step(folder / "ends-held.npz", partial(positions_of_store, options.store, held_games, True, seed))
    net = step(folder / "integers.onnx", partial(integer_net, options.net, known[0]))
    for size in OWN_SIZES:
        play = partial(own_games, net, size, 60 * options.minutes, seed + size)
        known.append(step(folder / f"ends-{size}.npz", play))
    computed = [step(folder / f"features-{path.name}", partial(features, net, path, seed)) for path in (*known, held)]
    head = step(folder / "head.npz", partial(fit, computed[:-1], computed[-1], 60 * options.fit_minutes, seed))
    write_net(net, head, options.out)


if __name__ == "__main__":
    main()
