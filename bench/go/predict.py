"""The pattern model on held-out games: figures with intervals, positions a second, and a learning curve.

python -m bench.go.predict STORE [--games N] [--curve 500:3 2000:4 ...] [--player NAME ...]

STORE is a store that kibitz go import made. N held-out games (1,000) are
predicted, taken evenly from all of them. --curve fits models to so many games
each, with patterns that were played so often, in about 40 ms a game. --player measures how much it helps to
learn a little more from a player's own games. Exits with 1 if the shipped model
has less than 36 % at the first, 68 % among the first five, or 2,000 positions
per second of the processor.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.games.go.predict.fit.figures import PredictionFigures, figures
from kibitz.games.go.predict.fit.fit import FitSettings, fit
from kibitz.games.go.predict.fit.games_file import GamesFile, from_store
from kibitz.games.go.predict.model.model import PatternModel
from kibitz.games.go.predict.model.player import adapt_to_player, games_of_player

TOP1, TOP5, SPEED = 0.36, 0.68, 2000.0


def measure(model: PatternModel, games: GamesFile, which: Any, colours: Any = 3) -> tuple[PredictionFigures, float]:
    """Return the figures of a model on games, and positions per second of the processor."""
    model.predict_games(games, which[:1])
    began = time.process_time()
    moves = model.predict_games(games, which, colours)
    return figures(moves), len(moves.ranks) / (time.process_time() - began)


def line(name: str, found: PredictionFigures, speed: float) -> str:
    """Return figures in one line."""
    whole = found.whole
    tops = [
        f"{100 * share.value:.2f} ±{100 * (share.high - share.value):.2f}"
        for share in (whole.top1, whole.top5, whole.top10)
    ]
    evidence = whole.log_evidence
    return (
        f"{name:<24} {' / '.join(tops)}  log-evidence {evidence.value:.3f} ±{evidence.high - evidence.value:.3f}  "
        f"n {whole.n:,} of {found.games:,} games  {speed:,.0f} positions/s"
    )


def main() -> int:
    """Measure, and say whether it is good enough."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--curve", nargs="*", default=[], metavar="GAMES:LEAST")
    parser.add_argument("--player", nargs="*", default=[])
    options = parser.parse_args()
    games = from_store(options.store)
    _, held = games.split()
    which = held[np.linspace(0, len(held) - 1, min(options.games, len(held))).astype(np.int64)]
    model = PatternModel.load(options.file)
    found, speed = measure(model, games, which)
    print(line("the model", found, speed))
    for part in found.phases:
        print(line(f"  {part.name}", PredictionFigures(found.games, part, (), ()), speed))
    for one in found.calibration:
        low, high = 100 * one.played.low, 100 * one.played.high
        print(f"  predicted {one.predicted:.1%}, played {one.played.value:.1%} ({low:.1f} to {high:.1f}), n {one.n:,}")
    for words in options.curve:
        many, least = map(int, words.split(":"))
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "patterns.npz"
            summary = fit(games, FitSettings(games=many, least=least), out)
            print(line(f"{many:,} games, {summary.patterns:,}", *measure(PatternModel.load(out), games, which)))
    for name in options.player:
        own = games_of_player(options.store, name)
        for how, tried in (("plain", model), ("adapted", adapt_to_player(model, own))):
            print(line(f"{own.name}, {how}", *measure(tried, games, own.held_out, own.held_out_colours)))
    whole = found.whole
    return int(whole.top1.value < TOP1 or whole.top5.value < TOP5 or speed < SPEED)


if __name__ == "__main__":
    sys.exit(main())
