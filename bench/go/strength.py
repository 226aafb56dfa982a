"""How fast and how strong the Monte Carlo player of Go is.

python -m bench.go.strength speed [--agent AGENT] [--playouts N]
python -m bench.go.strength match [--agent AGENT] [--other AGENT] [--time S] [--games N] [--size N] [--seed N]
    [--out FILE]

speed counts playouts in a second of one core on the empty boards of 9x9, 13x13
and 19x19. match plays another agent, sides swapped from game to game: GNU Go at
level 10 by default. Chinese rules, komi 7.5; dead stones are played out. --time is the
seconds a move of both. A match with a limit of playouts comes out the same on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from kibitz.arena.match import play
from kibitz.arena.results import WinRate
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.core.record import POINTS, append_record
from kibitz.search.agents import make_agent

GNU_GO = "gtp:gnugo --mode gtp --level 10"


def speed(spec: str, playouts: int) -> None:
    """Print how many playouts a second of processor time has, the fastest of three runs."""
    for size in (9, 13, 19):
        game = registry.game("go", size=size)
        agent, fastest = make_agent(game, spec), 0.0
        agent.prepare()
        for seed in range(3):
            agent.reset(seed)
            began = time.process_time()
            choice = agent.choose(game.start().view(0), Budget(playouts=playouts))
            fastest = max(fastest, choice.playouts / (time.process_time() - began))
        print(f"{size}x{size}: {fastest:,.0f} playouts/s of {spec} on one core")


def match(spec: str, other: str, size: int, games: int, seed: int, seconds: float | None, out: Path | None) -> None:
    """Play games and print the rate with its interval."""
    game = registry.game("go", size=size, komi=7.5)
    agents, rate = [make_agent(game, name) for name in (spec, other)], WinRate(0, 0, 0)
    for at in range(games):
        began = time.monotonic()
        record = play(game, agents if at % 2 == 0 else agents[::-1], seed + at, Budget(seconds=seconds))
        points = POINTS[record.result] if at % 2 == 0 else 1 - POINTS[record.result]
        rate += WinRate(int(points == 1), int(points == 0.5), int(points == 0))
        if out is not None:
            append_record(out, record)
        own = [used for turn, used in enumerate(record.times) if turn % 2 == at % 2]
        print(
            f"{at + 1:3}: {'Black' if at % 2 == 0 else 'White'}, {record.result}, {record.reason}, "
            f"{len(record.moves)} moves, slowest {max(own, default=0):.1f} s, {time.monotonic() - began:.0f} s in all; "
            f"{rate.wins} of {at + 1} won",
            flush=True,
        )
    for agent in agents:
        agent.close()
    low, high = rate.interval
    print(f"{spec} against {other}, {size}x{size}: {rate.share:.1%} of {rate.games} games ({low:.1%} to {high:.1%})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "match"))
    parser.add_argument("--agent", default="mcts")
    parser.add_argument("--other", default=GNU_GO)
    parser.add_argument("--playouts", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time", type=float, help="seconds a move, for both")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.what == "speed":
        speed(options.agent, options.playouts)
    else:
        match(options.agent, options.other, options.size, options.games, options.seed, options.time, options.out)


if __name__ == "__main__":
    main()
