"""An agent against OpenSpiel's own MCTSBot in Ultimate Tic-Tac-Toe, sides swapped after every game.

python -m bench.uttt.openspiel [--agent "champion(seconds=0.1)"] [--games 100] [--simulations 20000] [--jobs 2]

OpenSpiel splits a move with a free choice in two actions, board and cell; its
bot gets its simulations for each.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from statistics import fmean

import kibitz
from kibitz.arena.results import WinRate
from kibitz.core.record import POINTS
from kibitz.games.uttt.rules import Uttt


@dataclass(frozen=True)
class Played:
    """How one game went for the agent: 1, 1/2 or 0 points, and the mean seconds a move of both."""

    points: float
    seconds: float
    their_seconds: float


def play(spec: str, simulations: int, number: int) -> Played:
    """Play one game, the agent moving first in every other one."""
    game, seat = Uttt(), number % 2
    agents = [kibitz.agent(game, spec), kibitz.agent(game, f"openspiel:mcts(sims={simulations})")]
    record = kibitz.play(game, agents if seat == 0 else agents[::-1], number, raise_faults=True)
    points = POINTS[record.result] if seat == 0 else 1 - POINTS[record.result]
    return Played(points, fmean(record.times[seat::2]), fmean(record.times[1 - seat :: 2]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", default="champion(seconds=0.1)")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    played: list[Played] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        games = [pool.submit(play, given.agent, given.simulations, number) for number in range(given.games)]
        for game in as_completed(games):
            played.append(game.result())
            points = [each.points for each in played]
            rate = WinRate(points.count(1), points.count(0.5), points.count(0))
            low, high = rate.interval
            ms, their_ms = 1000 * fmean(p.seconds for p in played), 1000 * fmean(p.their_seconds for p in played)
            print(
                f"\r{rate.games} games: +{rate.wins} ={rate.draws} -{rate.losses}, {rate.share:.1%} "
                f"(95 % {low:.1%} to {high:.1%}), {ms:.0f} ms a move against {their_ms:.0f} ms",
                end="" if len(played) < given.games else "\n",
                flush=True,
            )


if __name__ == "__main__":
    main()
