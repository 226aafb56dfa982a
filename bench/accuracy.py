"""Check that accuracy is calibrated: random play near 0 %, the champion's near 100 %, rising with the level.

python -m bench.accuracy GAME [-o NAME=VALUE ...] [--agents NAME ...] [--games N] [--time S] [--analyst SPEC]
    [--log FILE] [--json]

Each agent plays itself, and both sides of each game are reviewed as kibitz review does. Agents play with the same
budget for a move as the review has for a position. A file named with --log keeps the figures of finished games, so
that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import kibitz
from kibitz.analysis.review import Review, judge_moves, reviewers
from kibitz.cli.options import make_game
from kibitz.core.agent import Budget
from kibitz.core.game import Game
from kibitz.search.agents import agent_table, analyst_spec, make_agent

AGENTS = ("random", "level3", "level6", "champion")


def review(game: Game, agent: str, seed: int, budget: Budget, analyst: str | None) -> Review:
    """Return the review of a game that an agent plays against itself."""
    record = kibitz.play(game, [kibitz.agent(game, agent) for _ in range(2)], seed, budget, raise_faults=True)
    states, moves = kibitz.replay(record), [game.parse_move(text) for text in record.moves]
    agent_of_review = make_agent(game, analyst or analyst_spec(game.name))
    return Review(record, game, states, tuple(judge_moves(states, moves, *reviewers(budget, agent_of_review))))


def accuracies(
    game: Game, agent: str, games: int, budget: Budget, analyst: str | None, log: Path | None
) -> Iterator[float]:
    """Yield the accuracy of each side of each game that has one; games found in the log are not played again."""
    key = [repr(game), agent, repr(budget), analyst]
    lines = log.read_text().splitlines() if log is not None and log.exists() else []
    known = {seed: found for told, seed, found in map(json.loads, lines) if told == key}
    for seed in range(games):
        found: Sequence[float | None] | None = known.get(seed)
        if found is None:
            reviewed = review(game, agent, seed, budget, analyst)
            found = [reviewed.accuracy(0), reviewed.accuracy(1)]
            if log is not None:
                with log.open("a") as file:
                    file.write(json.dumps([key, seed, found]) + "\n")
        yield from (accuracy for accuracy in found if accuracy is not None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("-o", dest="options", action="append", metavar="NAME=VALUE", help="an option of the game")
    parser.add_argument("--agents", nargs="+", default=AGENTS)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument(
        "--time", type=float, help="seconds for a move, and for a position; that of a review by default"
    )
    parser.add_argument("--analyst", help="the agent that reviews; the game's analyst by default")
    parser.add_argument("--log", type=Path, metavar="FILE", help="keep the figures of finished games here")
    parser.add_argument("--json", action="store_true", help="print JSON objects, one a line")
    args = parser.parse_args()
    game = make_game(args.game, args.options)
    kibitz.analyse(game.start(), Budget(seconds=2.0), args.analyst)  # compiles the search
    budget = agent_table(args.game).review if args.time is None else Budget(seconds=args.time)
    for agent in args.agents:
        found = list(accuracies(game, agent, args.games, budget, args.analyst, args.log))
        mean = sum(found) / len(found)
        deviation = math.sqrt(sum((each - mean) ** 2 for each in found) / max(len(found) - 1, 1))
        margin = 1.96 * deviation / math.sqrt(len(found))
        if args.json:
            row = {"agent": agent, "sides": len(found), "accuracy": round(mean, 4), "margin": round(margin, 4)}
            print(json.dumps(row | {"lowest": round(min(found), 4), "highest": round(max(found), 4)}), flush=True)
        else:
            spread = f"from {min(found):.0%} to {max(found):.0%}"
            print(f"{agent:10} {mean:4.0%} +- {margin:.0%}  {spread}, {len(found)} sides", flush=True)


if __name__ == "__main__":
    main()
