"""openspiel:BOT, a bot of OpenSpiel as an agent: openspiel:random, openspiel:mcts(sims=1000).

Bots play OpenSpiel's own game where that is ours, see openspiel_twins.py, and else
our game in it, which is slower. A bot is given no more than the View: where
something is hidden it searches in states sampled from it.
"""

from __future__ import annotations

import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, State, View, hides
from kibitz.core.spec import call_with, parameters, parse_spec, read_values
from kibitz.interop.openspiel.games import load, pyspiel
from kibitz.interop.openspiel.twin import twin_of

MEMORY = 1000
"""Megabytes that a search of OpenSpiel may take."""
FEWEST = 2
"""Simulations of a search at least: the first only looks at where it begins."""


class SpielBot(Agent):
    """A bot of OpenSpiel, given by its name and options. Raises BadOption if there is none of this name."""

    def __init__(self, game: Game, spec: str) -> None:
        name, given = parse_spec(spec)
        if name not in BOTS:
            raise BadOption(f"There is no bot openspiel:{name}; the bots of OpenSpiel here are {', '.join(BOTS)}.")
        values = read_values(f"The bot openspiel:{name}", parameters(BOTS[name]), given)
        self._bot: Bot = call_with(BOTS[name], values=values)
        self._ours = load(game)
        self._hides = hides(game.start())
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Begin a new game from this seed."""
        super().reset(seed)
        self._twin = twin_of(self.game)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the bot's move."""
        self.check(view)
        began = time.monotonic()
        if self._hides:
            found = self._bot.choose_hidden(self._ours, view, budget, self.rng)
        else:
            found = self._choose_seen(view.sample(self.rng), budget)
        return Choice(found.action, playouts=found.playouts, seconds=time.monotonic() - began)

    def _choose_seen(self, state: State, budget: Budget) -> Found:
        """Return the move in a game without secrets: in OpenSpiel's own game while it can be followed there."""
        if self._twin is not None and not self._twin.follow(state):
            self._twin = None
        if self._twin is None:
            return self._bot.choose(self._ours, self._ours.state_of(state), budget, self.rng)
        position, choices = self._twin.position.clone(), self._twin.choices()
        share = _part(budget, max(map(len, choices)))  # a move may be two actions of theirs
        actions, playouts = tuple[int, ...](), 0
        while actions not in choices:
            found = self._bot.choose(self._twin.theirs, position, share, self.rng)
            position.apply_action(found.action)
            actions, playouts = (*actions, found.action), playouts + found.playouts
        self._twin.expect(choices[actions])
        return Found(choices[actions], playouts)


def _part(budget: Budget, n: int) -> Budget:
    """Return one of n equal parts of a budget."""
    seconds, playouts = budget.seconds, budget.playouts
    return Budget(seconds and seconds / n, playouts=playouts and max(playouts // n, 1))


class Found(NamedTuple):
    """What a bot chose."""

    action: int
    playouts: int = 0
    """How many it made."""


class Bot(ABC):
    """One kind of bot. Its constructor's keyword parameters are the keys of its spec."""

    @abstractmethod
    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> Found:
        """Return an action in a state of OpenSpiel."""

    @abstractmethod
    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> Found:
        """Return an action of a player who knows no more than a view."""


class Random(Bot):
    """OpenSpiel's uniformly random bot."""

    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> Found:
        """Return any legal action."""
        return Found(pyspiel.make_uniform_random_bot(state.current_player(), _seed(rng)).step(state))

    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> Found:
        """Return any legal action, which are the same in every state that fits."""
        return self.choose(game, game.state_of(view.sample(rng)), budget, rng)


class Mcts(Bot):
    """OpenSpiel's Monte Carlo tree search by random playouts; its IS-MCTS where something is hidden.

    sims is how many simulations it makes for an action at most, c how much it explores.
    """

    def __init__(self, *, sims: int = 1000, c: float = 2.0) -> None:
        if sims < FEWEST:
            raise BadOption(f"sims={sims} is not possible: a search makes at least {FEWEST} simulations.")
        self.sims, self.c = sims, c

    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> Found:
        """Return the action visited most."""
        bot = pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(1, _seed(rng)),
            self.c,
            self._sims(budget),
            MEMORY,
            True,
            _seed(rng),
            False,
            max_wall_clock_time=-1.0 if budget.seconds is None else budget.seconds,
        )
        root = bot.mcts_search(state)  # step() crashes in games written in Python
        return Found(root.best_child().action, root.explore_count)

    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> Found:
        """Return the action visited most in states sampled from a view."""
        from open_spiel.python.algorithms import ismcts, mcts

        evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(_seed(rng)))
        chosen = np.random.RandomState(_seed(rng))
        bot = ismcts.ISMCTSBot(game, evaluator, self.c, self._sims(budget), random_state=chosen)
        playouts, end = 0, math.inf if budget.seconds is None else time.monotonic() + budget.seconds

        def sample(state: Any, player: int) -> Any:
            nonlocal playouts
            if playouts >= FEWEST and time.monotonic() > end:
                raise _TimeIsUp
            playouts += 1
            return game.state_of(view.sample(rng))

        bot.set_resampler(sample)
        root = game.state_of(view.sample(rng))
        try:
            policy = bot.get_policy(root)
        except _TimeIsUp:
            policy = bot.get_final_policy(root, bot.lookup_node(root))
        return Found(max(policy, key=lambda each: each[1])[0], playouts)

    def _sims(self, budget: Budget) -> int:
        return self.sims if budget.playouts is None else max(FEWEST, min(self.sims, budget.playouts))


class _TimeIsUp(Exception):
    """Ends a search whose time is over."""


def _seed(rng: random.Random) -> int:
    return rng.getrandbits(31)


BOTS: Mapping[str, type[Bot]] = {"random": Random, "mcts": Mcts}
"""Name -> bot."""
