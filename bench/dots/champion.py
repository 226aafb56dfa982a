"""What the champion of Dots-and-Boxes can do: against other players, against the solver, and in time on large boards.

python -m bench.dots.champion match OPPONENT... [--rows R] [--cols C] [--games 40] [--time 1] [--agent SPEC] [--jobs 2]
python -m bench.dots.champion optimal [--positions 100] [--lines 38] [--time 1]

match plays each opponent, sides swapped, and reports the slowest move of both. An
outside opponent, such as "openspiel:mcts(sims=N)", has its own limits instead of the
time. optimal compares moves with the exact value of every move, in positions that
random safe lines lead to.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import kibitz
from kibitz.arena.results import WinRate
from kibitz.core.agent import Budget
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.structure import safe_lines
from kibitz.search.agents import is_outside


@dataclass(frozen=True)
class MatchGame:
    """The result of one game for the agent: its points, and the slowest move of both."""

    opponent: str
    points: float
    slowest: float
    their_slowest: float


def play(opponent: str, spec: str, rows: int, cols: int, seconds: float, number: int) -> MatchGame:
    """Play one game, the agent moving first in every other one."""
    game, budget, seat = Dots(rows, cols), Budget(seconds=seconds), number % 2
    budgets = budget, Budget() if is_outside(opponent) else budget
    agents = [kibitz.agent(game, each, number) for each in (spec, opponent)]
    for agent in agents:
        agent.prepare()
    state, slowest = game.start(), [0.0, 0.0]
    while (outcome := state.outcome()) is None:
        began, side = time.perf_counter(), int(state.to_move != seat)
        move = agents[side].choose(state, budgets[side]).move
        slowest[side] = max(slowest[side], time.perf_counter() - began)
        state = state.play(move)
    return MatchGame(opponent, (1 + outcome.value(seat)) / 2, *slowest)


def match(args: argparse.Namespace) -> None:
    with ProcessPoolExecutor(args.jobs) as pool:
        games = [
            pool.submit(play, opponent, args.agent, args.rows, args.cols, args.time, number)
            for number in range(args.games)
            for opponent in args.opponents
        ]
        played: list[MatchGame] = []
        for done, future in enumerate(as_completed(games), 1):
            played.append(future.result())
            print(f"\r{done} of {len(games)} games", end="", flush=True)
    print(f"\r{args.agent} at {args.time:g} s a move on {args.rows}x{args.cols}:")
    for opponent in args.opponents:
        own = [game for game in played if game.opponent == opponent]
        rate = WinRate(*(sum(game.points == points for game in own) for points in (1.0, 0.5, 0.0)))
        slowest, theirs = max(game.slowest for game in own), max(game.their_slowest for game in own)
        print(
            f"  v {opponent:28} {sum(g.points for g in own):g} of {len(own)} ({rate.share:.1%}),"
            f" slowest move {slowest:.2f} s, theirs {theirs:.2f} s"
        )


def positions(game: Dots, lines: int, number: int) -> Iterator[DotsState]:
    """Yield positions with this many lines left or a few less, where nothing can be taken."""
    for seed in range(number):
        rng, state = random.Random(seed), game.start()
        while state.undrawn.bit_count() > lines - seed % 6:
            safe = safe_lines(game.board, state.undrawn)
            if not safe:
                break
            state = state.play(rng.choice(safe))
        yield state


def optimal(args: argparse.Namespace) -> None:
    game = Dots(args.rows, args.cols)
    agent, solver = kibitz.agent(game, args.agent), Solver(game.board, 1 << 28)
    agent.prepare()
    best = proved = 0
    slowest = 0.0
    for number, state in enumerate(positions(game, args.lines, args.positions), 1):
        agent.reset(number)
        began = time.perf_counter()
        choice = agent.choose(state, Budget(seconds=args.time))
        slowest = max(slowest, time.perf_counter() - began)
        solver.forget()
        values = solver.solve(state.drawn, moves=True).moves
        best += values[choice.move] == max(values.values())
        proved += choice.exact and choice.value == state.margin + max(values.values())
        print(f"\r{best} of {number} moves are best, {proved} proved; slowest {slowest:.2f} s", end="", flush=True)
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    playing, solving = commands.add_parser("match"), commands.add_parser("optimal")
    for command, run in ((playing, match), (solving, optimal)):
        command.add_argument("--rows", type=int, default=5)
        command.add_argument("--cols", type=int, default=5)
        command.add_argument("--time", type=float, default=1.0)
        command.add_argument("--agent", default="champion")
        command.set_defaults(run=run)
    playing.add_argument("opponents", nargs="+")
    playing.add_argument("--games", type=int, default=40)
    playing.add_argument("--jobs", type=int, default=2)
    solving.add_argument("--positions", type=int, default=100)
    solving.add_argument("--lines", type=int, default=38)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
