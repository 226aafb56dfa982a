"""Agents that are asked about positions of random games."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import kibitz
from clocks import wait_until
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import Game, State
from kibitz.testing import random_game
from search.naive import is_small

UTTT = kibitz.game("uttt")


def think(agent: Agent, state: State, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
    """Return an agent's choice; it may still know the positions before."""
    return agent.choose(state.view(state.to_move), budget, watch)


def ask(agent: Agent, state: State, budget: Budget = Budget(), seed: int = 3) -> Choice:
    """Return the choice of an agent that knows nothing yet, without the time it took."""
    agent.reset(seed)
    return replace(think(agent, state, budget), seconds=0.0)


def small_positions(game: Game, seeds: range = range(6), limit: int = 3000) -> list[State]:
    """Return unfinished positions from the ends of random games, each small enough for plain minimax."""
    late = [state for seed in seeds for state in random_game(game, seed)[-6:-1]]
    return [state for state in late if is_small(state, limit)]


def stopped_choice(agent: Agent, state: State, watch: Watch, look: Callable[[], None] = lambda: None) -> Choice:
    """Return the choice of an agent that is stopped once it has shown a move and a spectator has looked."""

    def spectate() -> None:
        try:
            wait_until(lambda: watch.move is not None, "the first move")
            look()
        finally:
            watch.stop()

    spectator = threading.Thread(target=spectate)
    spectator.start()
    choice = think(agent, state, Budget(seconds=3600), watch)
    spectator.join()
    assert {choice.move, watch.move} <= set(state.legal_moves())
    assert watch.value is not None
    assert 0 < watch.value < 1
    return choice
