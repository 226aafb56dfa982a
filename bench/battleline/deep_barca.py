"""Deep Barca measured: mirrored deals against others and against itself with one option changed, and its speed.

python -m bench.battleline.deep_barca speed                   compiled against plain, in this run, with the same choices
python -m bench.battleline.deep_barca match A B --deals 100          two specs; each deal twice, seats swapped
python -m bench.battleline.deep_barca all --deals 100                every match of docs/experiments/deep-barca.md

--no-tactics plays Troops only. A rate has its standard error; the two games of a deal count as one sample.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence

import kibitz
from kibitz.core.agent import Agent
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages

BEST, LITERAL = "deep-barca", "deep-barca(reading=literal)"
TROOPS_ONLY = [
    (BEST, LITERAL),
    (BEST, "heuristic"),
    (LITERAL, "heuristic"),
    (BEST, "random"),
    (BEST, "deep-barca(conflicts=false)"),
    (LITERAL, "deep-barca(reading=literal,conflicts=false)"),
    *((f"deep-barca(formations={n})", BEST) for n in (1, 2, 8, 16, 100)),
    *((f"deep-barca(reading=literal,formations={n})", LITERAL) for n in (1, 2, 8)),
    ("deep-barca(ahead=true)", BEST),
]
WITH_TACTICS = [
    (BEST, LITERAL),
    (BEST, "heuristic"),
    (LITERAL, "heuristic"),
    (BEST, "random"),
    ("deep-barca(tactics=worth)", BEST),
    ("deep-barca(draws=worth)", BEST),
    ("deep-barca(combine=true)", BEST),
    ("deep-barca(together=false)", BEST),
    ("deep-barca(reading=literal,together=true)", LITERAL),
]


def play(game: BattleLine, agents: Sequence[Agent], seed: int) -> int:
    """Return the result of one game as table.OpenCards has it."""
    for seat, agent in enumerate(agents):
        agent.reset(2 * seed + seat)
    state = game.start(seed)
    while state.result == stages.IN_PROGRESS:
        state = state.play(agents[state.to_move].choose(state.view(state.to_move)).move)
    return state.result


def match(game: BattleLine, first: str, second: str, deals: int, seed: int) -> None:
    """Play each deal twice and print the points of the first."""
    agents = [kibitz.agent(game, first), kibitz.agent(game, second)]
    points = list[float]()
    began = time.perf_counter()
    for deal in range(seed, seed + deals):
        straight, swapped = play(game, agents, deal), play(game, agents[::-1], deal)
        points.append((_points(straight, 0) + _points(swapped, 1)) / 2)
    rate = sum(points) / deals
    error = math.sqrt(sum((p - rate) ** 2 for p in points) / max(deals - 1, 1) / deals)
    took = (time.perf_counter() - began) / (2 * deals)
    print(
        f"{first:46} {100 * rate:5.1f} % +- {100 * error:.1f} of {2 * deals} v {second:44} {took:.2f} s/game",
        flush=True,
    )


def _points(result: int, seat: int) -> float:
    return 0.5 if result == stages.DRAWN else float(result - 1 == seat)


def positions(game: BattleLine, seeds: range, part: float) -> Iterator[BattleLineState]:
    """Yield a part of the positions of heuristic and of random games in which a card is to be played."""
    for seed in seeds:
        rng, state = random.Random(seed), game.start(seed)
        agent = kibitz.agent(game, "heuristic" if seed % 2 else "random", seed)
        while state.result == stages.IN_PROGRESS:
            if state.stage == stages.PLAY and rng.random() < part:
                yield state
            state = state.play(agent.choose(state.view(state.to_move)).move)


def speed(games: int) -> None:
    """Compare the compiled player with the plain one on the same positions."""
    for game in (BattleLine(tactics=False), BattleLine()):
        for options in ("", "(reading=literal)"):
            fast, slow = kibitz.agent(game, "deep-barca" + options), kibitz.agent(game, "plain-deep-barca" + options)
            fast.prepare()
            took, most, n, same = [0.0, 0.0], 0.0, 0, 0
            for state in positions(game, range(games), 0.25):
                view, choices = state.view(state.to_move), list[int]()
                for i, agent in enumerate((fast, slow)):
                    began = time.perf_counter()
                    choices.append(agent.choose(view).move)
                    spent = time.perf_counter() - began
                    took[i] += spent
                    most = max(most, spent) if i == 0 else most
                n, same = n + 1, same + (choices[0] == choices[1])
            name = f"deep-barca{options}, {'all Tactics' if game.tactics else 'no Tactics'}"
            print(
                f"{name:44} {1000 * took[0] / n:.1f} ms a play (at most {1000 * most:.1f}), "
                f"plain {1000 * took[1] / n:.0f} ms: {took[1] / took[0]:.0f} x; same choice in {same} of {n}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["speed", "match", "all"])
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--no-tactics", action="store_true")
    given = parser.parse_args()
    chosen = BattleLine(tactics=not given.no_tactics)
    if given.part == "speed":
        speed(given.games)
    elif given.part == "match":
        first, second = given.specs
        match(chosen, first, second, given.deals, given.seed)
    else:
        for pair in TROOPS_ONLY if given.no_tactics else WITH_TACTICS:
            match(chosen, *pair, given.deals, given.seed)
