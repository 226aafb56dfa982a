"""Fit the scale that turns an evaluation's search values into win probabilities.

python -m bench.calibrate GAME EVALUATION [--games N] [--nodes N]

Plays games of alpha-beta against itself from random openings, notes the value
before every move beside what that player scored in the end (1, 1/2 or 0), and
prints the scale of least log loss, with a table of what was predicted and what
happened. Put the scale into the game's evaluate.py by hand.
"""

from __future__ import annotations

import argparse
import math
import random

import kibitz
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.core.game import Game

OPENING = 8
"""Random moves before the agents play."""


def observations(game: Game, evaluation: str, games: int, nodes: int) -> list[tuple[float, float]]:
    """Return (search value, points scored) for the player to move of every unsolved position played."""
    scale = registry.part(game.name, "evaluate").SCALES[evaluation]
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
        found += [(value, (1 + outcome.value(player)) / 2) for value, player in seen]
    return found


def loss(data: list[tuple[float, float]], scale: float) -> float:
    """Return the mean log loss in nats."""
    total = 0.0
    for value, points in data:
        p = min(max(1 / (1 + math.exp(-value / scale)), 1e-9), 1 - 1e-9)
        total -= points * math.log(p) + (1 - points) * math.log(1 - p)
    return total / len(data)


def fit(data: list[tuple[float, float]]) -> float:
    """Return the scale of least loss, by golden section on its logarithm."""
    low, high, ratio = math.log(1), math.log(10_000), (math.sqrt(5) - 1) / 2
    while high - low > 1e-4:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if loss(data, math.exp(a)) < loss(data, math.exp(b)) else (a, high)
    return math.exp((low + high) / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("evaluation")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=20_000)
    args = parser.parse_args()
    data = observations(registry.game(args.game), args.evaluation, args.games, args.nodes)
    scale = fit(data)
    print(f"{args.evaluation}: scale {scale:.1f}, log loss {loss(data, scale):.4f}, {len(data)} positions")
    print("predicted   scored       n")
    for tenth in range(10):
        rows = [points for value, points in data if tenth <= 10 / (1 + math.exp(-value / scale)) < tenth + 1]
        if rows:
            print(f"{tenth * 10:3}-{tenth * 10 + 10:3} %   {sum(rows) / len(rows):6.1%}  {len(rows):6}")


if __name__ == "__main__":
    main()
