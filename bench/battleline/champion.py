"""What the champion of Battle Line can do against other players: mirrored matches.

python -m bench.battleline.champion match OPPONENT... [--games 200] [--time 0.2] [--no-tactics] [--agent SPEC]
    [--their-time S] [--jobs N] [--first N]

Each deal is played twice, the hands and so the move swapped. Told are the score with its 95 % interval, the slowest
turn of both in seconds and over its budget, and how much memory a worker had at the end of its first and last games.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import kibitz
from kibitz.arena.results import WinRate
from kibitz.core.agent import Agent, Allowance, Budget
from kibitz.games.battleline.rules import BattleLine


@dataclass(frozen=True)
class Played:
    """How one game went for the agent: points, turns, the slowest turn of both, memory of the process in MB."""

    opponent: str
    points: float
    turns: int
    slowest: float
    their_slowest: float
    memory: float


_agents: dict[tuple[BattleLine, str], Agent] = {}


def prepared(game: BattleLine, spec: str, seed: int) -> Agent:
    """Return an agent of this process, as new."""
    if (game, spec) not in _agents:
        _agents[game, spec] = kibitz.agent(game, spec, seed)
        _agents[game, spec].prepare()
    _agents[game, spec].reset(seed)
    return _agents[game, spec]


def play(opponent: str, spec: str, tactics: bool, seconds: tuple[float, float], number: int) -> Played:
    """Play one game of a mirrored pair, the agent being the first player in every other one."""
    game, seat = BattleLine(tactics=tactics), number % 2
    ours, theirs = prepared(game, spec, 2 * number), prepared(game, opponent, 2 * number + 1)
    agents, budgets = (ours, theirs), [Budget(seconds=s) for s in seconds]
    if seat:
        agents, budgets = agents[::-1], budgets[::-1]
    state, allowance = game.start(number // 2), Allowance(budgets)
    slowest, turn, spent = [0.0, 0.0], -1, 0.0
    while (outcome := state.outcome()) is None:
        me, budget = state.to_move, allowance.budget(state)
        began = time.perf_counter()
        choice = agents[me].choose(state.view(me), budget)
        taken = time.perf_counter() - began
        allowance.spend(choice, taken)
        spent = taken if state.turn != turn else spent + taken
        turn = state.turn
        slowest[me] = max(slowest[me], spent)
        state = state.play(choice.move)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Played(opponent, (1 + outcome.value(seat)) / 2, state.turn, slowest[seat], slowest[1 - seat], memory)


def match(args: argparse.Namespace) -> None:
    seconds = (args.time, args.their_time or args.time)
    prepared(BattleLine(tactics=args.tactics), args.agent, 0)  # compiled once, not by every worker
    played: list[Played] = []
    with ProcessPoolExecutor(args.jobs, multiprocessing.get_context("spawn")) as pool:
        games = [
            pool.submit(play, opponent, args.agent, args.tactics, seconds, number)
            for opponent in args.opponents
            for number in range(args.first, args.first + args.games)
        ]
        for done, future in enumerate(as_completed(games), 1):
            played.append(future.result())
            print(f"\r{done} of {len(games)} games", end="", flush=True)
    print(f"\r{args.agent} at {seconds[0]:g} s a turn, {'all' if args.tactics else 'no'} Tactics:")
    for opponent in args.opponents:
        own = [game for game in played if game.opponent == opponent]
        rate = WinRate(*(sum(game.points == points for game in own) for points in (1.0, 0.5, 0.0)))
        slowest, theirs = max(game.slowest for game in own), max(game.their_slowest for game in own)
        turns, memory = sum(g.turns for g in own) / len(own), [g.memory for g in own]
        print(
            f"  v {opponent} ({seconds[1]:g} s): {sum(g.points for g in own):g} of {len(own)} ({rate.share:.1%}, "
            f"{rate.interval[0]:.1%} to {rate.interval[1]:.1%}), slowest turn {slowest:.3f} s "
            f"({slowest / seconds[0] - 1:+.1%}), theirs {theirs:.3f} s, {turns:.0f} turns "
            f"a game, memory {min(memory):.0f} to {max(memory):.0f} MB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    playing = parser.add_subparsers(required=True).add_parser("match")
    playing.add_argument("opponents", nargs="+")
    playing.add_argument("--games", type=int, default=200)
    playing.add_argument("--first", type=int, default=0, help="the number of the first game; deals follow from it")
    playing.add_argument("--time", type=float, default=0.2)
    playing.add_argument("--their-time", type=float)
    playing.add_argument("--tactics", action=argparse.BooleanOptionalAction, default=True)
    playing.add_argument("--agent", default="champion")
    playing.add_argument("--jobs", type=int, default=1)
    playing.set_defaults(run=match)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
