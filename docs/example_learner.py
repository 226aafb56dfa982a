"""A learner in PettingZoo: it plays Dots-and-Boxes on 2x2 boxes against itself, and then against random moves.

    python docs/example_learner.py

It keeps the mean result of the games that went through each move of each position
(Monte Carlo control), mostly plays the best move so far, and sometimes another.
"""

from collections import defaultdict

import numpy as np

from kibitz.interop.pettingzoo import Environment, env

LINES, BOXES = 12, 4  # of 2x2 boxes


class Learner:
    """A table of moves: how often each was made in a position, and its mean result."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.counts, self.values = (defaultdict(lambda: np.zeros(LINES)) for _ in range(2))

    def position(self, seen: dict) -> bytes:
        """Return what matters of an observation: the lines, and who is ahead by how much."""
        lines, own, other = np.split(seen["observation"][:-1], [LINES, LINES + BOXES])
        return bytes([*lines.astype(np.uint8), BOXES + int(own.sum() - other.sum())])

    def choose(self, seen: dict, exploring: float = 0.0) -> int:
        """Return the best move so far; with some probability any."""
        legal = np.flatnonzero(seen["action_mask"])
        if self.rng.random() < exploring:
            return int(self.rng.choice(legal))
        return int(legal[np.argmax(self.values[self.position(seen)][legal])])

    def learn(self, game: Environment, exploring: float) -> None:
        """Play one game against itself, and take the result to every move of it."""
        made, results = [], {}
        game.reset()
        for player in game.agent_iter():
            seen, reward, over, _, _ = game.last()
            if over:
                results[player] = reward
            else:
                made.append((player, self.position(seen), self.choose(seen, exploring)))
            game.step(None if over else made[-1][2])
        for player, position, move in made:
            counts, values = self.counts[position], self.values[position]
            counts[move] += 1
            values[move] += (results[player] - values[move]) / counts[move]


def against_random(learner: Learner, game: Environment, games: int) -> float:
    """Return the mean result against random moves, moving first in every other game."""
    results = []
    for number in range(games):
        game.reset()
        for player in game.agent_iter():
            seen, reward, over, _, _ = game.last()
            own = player == game.possible_agents[number % 2]
            if over and own:
                results.append(reward)
            game.step(None if over else learner.choose(seen, exploring=0.0 if own else 1.0))
    return float(np.mean(results))


def train(games: int = 3000, seed: int = 1) -> tuple[float, float]:
    """Return the mean results against random moves before and after learning: 1 is to win every game."""
    game, learner = env("dots", rows=2, cols=2), Learner(seed)
    before = against_random(learner, game, 300)
    for number in range(games):
        learner.learn(game, exploring=0.5 * (1 - number / games))
    return before, against_random(learner, game, 300)


if __name__ == "__main__":
    before, after = train()
    print(f"mean result against random moves: {before:+.2f} before learning, {after:+.2f} after")  # noqa: T201  # a program
