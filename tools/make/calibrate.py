"""Fit the scale that turns an evaluation's search values into win probabilities, and show how true they are.

python -m tools.make.calibrate GAME EVALUATION [--games N] [--nodes N] [--plot FILE.html]

Plays games of alpha-beta against itself from random openings, notes the value
before every move beside what that player scored in the end (1, 1/2 or 0), and
prints the scale of least log loss, with a table of what was predicted and what
happened, by the scale in use and by the fitted one. Put the scale into the
game's evaluate.py by hand. --plot writes both as a page.

Positions of one game share their outcome, so the intervals take games, not
positions, for independent.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import kibitz
from kibitz.analysis.html import charts
from kibitz.analysis.html import document as html
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game

OPENING = 8
"""Random moves before the agents play."""
BINS = 10

_STYLE = """
h1 { font-size:1.5rem; margin:0 } p { color:var(--soft); margin:.3rem 0 }
.plots { display:grid; grid-template-columns:repeat(auto-fit, minmax(min(100%, 360px), 1fr)); gap:1rem 2rem }
svg { min-width:0; max-width:520px }
.tick { fill:var(--soft) } .grid { stroke:var(--line); fill:none } .path { stroke:var(--soft); stroke-dasharray:4 4 }
.whisker { stroke:var(--main); stroke-width:2 } .dot { fill:var(--main); fill-opacity:.8 }
table { font-size:.92rem }
th, td { padding:.2rem 1rem .2rem 0; text-align:right; border-bottom:1px solid var(--line) }
"""


@dataclass(frozen=True)
class Case:
    """One position: its search value, what the player to move scored in the end, and the game it is of."""

    value: float
    points: float
    game: int


@dataclass(frozen=True)
class Bin:
    """Positions of about the same predicted win probability."""

    predicted: float
    scored: float
    margin: float
    positions: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share that was scored."""
        return max(0.0, self.scored - self.margin), min(1.0, self.scored + self.margin)


def observations(game: Game, evaluation: str, games: int, nodes: int) -> list[Case]:
    """Return the unsolved positions of games of alpha-beta against itself."""
    scale = registry.evaluations(game.name).known[evaluation].scale
    agent, found = kibitz.agent(game, f"alphabeta(eval={evaluation})"), []
    for seed in range(games):
        rng, state, seen = random.Random(seed), game.start(seed), []
        agent.reset(seed)
        for _ in range(OPENING):
            if state.outcome() is None:
                state = state.play(rng.choice(state.legal_moves()))
        while (outcome := state.outcome()) is None:
            choice = agent.choose(state.view(state.to_move), Budget(nodes=nodes))
            if choice.unit == "probability" and choice.value is not None and 0 < choice.value < 1:
                seen.append((scale * math.log(choice.value / (1 - choice.value)), state.to_move))
            state = state.play(choice.move)
        found += [Case(value, (1 + outcome.value(player)) / 2, seed) for value, player in seen]
    return found


def predicted(case: Case, scale: float) -> float:
    """Return the win probability that a value stands for."""
    return min(max(1 / (1 + math.exp(-case.value / scale)), 1e-9), 1 - 1e-9)


def loss(cases: Sequence[Case], scale: float) -> float:
    """Return the mean log loss in nats."""
    total = 0.0
    for case in cases:
        p = predicted(case, scale)
        total -= case.points * math.log(p) + (1 - case.points) * math.log(1 - p)
    return total / len(cases)


def fit(cases: Sequence[Case]) -> float:
    """Return the scale of least loss, by golden section on its logarithm."""
    low, high, ratio = math.log(1), math.log(10_000), (math.sqrt(5) - 1) / 2
    while high - low > 1e-4:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if loss(cases, math.exp(a)) < loss(cases, math.exp(b)) else (a, high)
    return math.exp((low + high) / 2)


def bins(cases: Sequence[Case], scale: float) -> list[Bin]:
    """Return the cases in ten bins of predicted win probability, empty ones left out."""
    sorted_in: dict[int, list[Case]] = defaultdict(list)
    for case in cases:
        sorted_in[int(BINS * predicted(case, scale))].append(case)
    return [_bin(sorted_in[i], scale) for i in sorted(sorted_in)]


def _bin(cases: Sequence[Case], scale: float) -> Bin:
    n = len(cases)
    scored = sum(case.points for case in cases) / n
    by_game: dict[int, float] = defaultdict(float)
    for case in cases:
        by_game[case.game] += case.points - scored
    games = len(by_game)
    # the variance of a mean over clusters; of one game nothing is known
    spread = math.sqrt(sum(x * x for x in by_game.values()) * games / (games - 1)) / n if games > 1 else 0.5
    return Bin(sum(predicted(case, scale) for case in cases) / n, scored, 1.96 * spread, n)


def table(rows: Sequence[Bin]) -> list[tuple[str, str, str, str]]:
    """Return the bins as texts, with a heading."""
    told = [("predicted", "scored", "95 %", "positions")]
    for row in rows:
        low, high = row.interval
        told.append((f"{row.predicted:.1%}", f"{row.scored:.1%}", f"{low:.1%} to {high:.1%}", str(row.positions)))
    return told


def page(title: str, parts: Sequence[tuple[str, Sequence[Bin]]]) -> str:
    """Return a page with a plot and a table for each part."""
    shown = []
    for heading, rows in parts:
        svg = charts.calibration([(row.predicted, row.scored, *row.interval, row.positions) for row in rows], heading)
        head, *listed = table(rows)
        shown.append(html.section(escape(heading), svg + html.table(head, listed)))
    words = (
        f"<h1>{escape(title)}</h1><p>Across: the win probability predicted. Up: the share of points scored, with "
        "95 % intervals. On the dashed line they agree.</p>"
    )
    return html.document(title, _STYLE, [words, '<div class="plots">', *shown, "</div>"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("evaluation")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--plot", type=Path, metavar="FILE.html")
    args = parser.parse_args()
    try:
        game = registry.game(args.game)
        scales = {name: each.scale for name, each in registry.evaluations(args.game).known.items()}
    except KibitzError as error:
        sys.exit(str(error))
    if args.evaluation not in scales:
        sys.exit(f"{args.game} has no scale for {args.evaluation!r}; it has them for {', '.join(scales)}.")
    cases = observations(game, args.evaluation, args.games, args.nodes)
    if not cases:
        sys.exit("No position was left unsolved: play more games, or with fewer nodes.")
    parts = []
    for name, scale in (("in use", scales[args.evaluation]), ("fitted", fit(cases))):
        heading = f"{args.evaluation}, scale {scale:.1f} ({name}), log loss {loss(cases, scale):.4f}"
        parts.append((heading, bins(cases, scale)))
        print(f"{heading}, {len(cases)} positions of {args.games} games")
        for row in table(parts[-1][1]):
            print("{:>10} {:>8} {:>18} {:>10}".format(*row))
    if args.plot is not None:
        args.plot.write_text(page(f"Calibration of {args.evaluation}, {args.nodes:,} nodes", parts), encoding="utf-8")
        print(f"Written: {args.plot}")


if __name__ == "__main__":
    main()
