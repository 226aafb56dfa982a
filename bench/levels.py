"""Check that the levels of a game rise: each plays the one below it.

python -m bench.levels GAME [--games N] [--time S] [--json]

Every opening of a few random moves is played twice, sides swapped.
"""

from __future__ import annotations

import argparse
import json
import math
import random

import kibitz
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.core.game import Game, State
from kibitz.core.record import POINTS

OPENING = 4


def opening(game: Game, seed: int) -> State:
    rng = random.Random(seed)
    state: State = game.start(seed)
    for _ in range(OPENING):
        state = state.play(rng.choice(state.legal_moves()))
    return state


def score(game: Game, upper: str, lower: str, games: int, budget: Budget) -> float:
    """Return the share of points that one agent takes from another."""
    agents = {name: kibitz.agent(game, name) for name in (upper, lower)}
    points = 0.0
    for number in range(games):
        seats = (upper, lower) if number % 2 == 0 else (lower, upper)
        start = opening(game, number // 2)
        record = kibitz.play(game, [agents[name] for name in seats], number, budget, start, raise_faults=True)
        points += POINTS[record.result] if seats[0] == upper else 1 - POINTS[record.result]
    return points / games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--time", type=float, default=0.05)
    parser.add_argument("--json", action="store_true", help="print JSON objects, one a line")
    args = parser.parse_args()
    game = registry.game(args.game)
    for level in range(2, 11):
        share = score(game, f"level{level}", f"level{level - 1}", args.games, Budget(seconds=args.time))
        margin = 1.96 * math.sqrt(max(share * (1 - share), 0.25 / args.games) / args.games)
        if args.json:
            row = {"level": f"level{level}", "against": f"level{level - 1}", "games": args.games}
            print(json.dumps(row | {"share": round(share, 4), "margin": round(margin, 4)}), flush=True)
            continue
        print(f"level{level:<3} v level{level - 1:<3} {share:6.1%} +- {margin:.1%}  ({args.games} games)", flush=True)


if __name__ == "__main__":
    main()
