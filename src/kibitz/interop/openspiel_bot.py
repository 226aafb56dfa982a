"""openspiel:BOT, a bot of OpenSpiel as an agent: openspiel:random, openspiel:mcts(sims=1000).

Bots play OpenSpiel's own game where that is ours, see openspiel_twins.py, and else
our game in it, which is slower. A bot is given no more than the View: where
something is hidden it searches in states sampled from it.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, NothingHidden, State, View
from kibitz.core.spec import call_with, parameters, parse_spec, read_values
from kibitz.interop.openspiel import load, pyspiel
from kibitz.interop.openspiel_twins import Twin

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
        self._hides = not isinstance(game.start(), NothingHidden)
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Begin a new game from this seed."""
        super().reset(seed)
        self._twin = Twin(self.game) if Twin.exists(self.game) else None

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the bot's move."""
        self.check(view)
        began = time.monotonic()
        if self._hides:
            found = self._bot.choose_hidden(self._ours, view, budget, self.rng)
        else:
            found = self._choose_seen(view.sample(self.rng), budget)
        return Choice(found, seconds=time.monotonic() - began)

    def _choose_seen(self, state: State, budget: Budget) -> int:
        """Return the move in a game without secrets: in OpenSpiel's own game while it can be followed there."""
        if self._twin is not None and not self._twin.follow(state):
            self._twin = None
        if self._twin is None:
            return self._bot.choose(self._ours, self._ours.state_of(state), budget, self.rng)
        began, position, choices = time.monotonic(), self._twin.position.clone(), self._twin.choices()
        actions = tuple[int, ...]()
        while actions not in choices:  # a move may be two actions of theirs
            left = budget.after(time.monotonic() - began, 0, 0)
            action = self._bot.choose(self._twin.theirs, position, left, self.rng)
            position.apply_action(action)
            actions += (action,)
        self._twin.expect(choices[actions])
        return choices[actions]


class Bot(ABC):
    """One kind of bot. Its constructor's keyword parameters are the keys of its spec."""

    @abstractmethod
    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> int:
        """Return an action in a state of OpenSpiel."""

    @abstractmethod
    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> int:
        """Return an action of a player who knows no more than a view."""


class Random(Bot):
    """OpenSpiel's uniformly random bot."""

    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> int:
        """Return any legal action."""
        return int(pyspiel.make_uniform_random_bot(state.current_player(), _seed(rng)).step(state))

    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> int:
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

    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> int:
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
        return int(bot.mcts_search(state).best_child().action)  # step() crashes in games written in Python

    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> int:
        """Return the action visited most in states sampled from a view."""
        from open_spiel.python.algorithms import ismcts, mcts

        playouts, search = (np.random.RandomState(_seed(rng)) for _ in range(2))
        evaluator = mcts.RandomRolloutEvaluator(1, playouts)
        bot = ismcts.ISMCTSBot(game, evaluator, self.c, self._sims(budget), random_state=search)
        sampled, end = itertools.count(), math.inf if budget.seconds is None else time.monotonic() + budget.seconds

        def sample(state: Any, player: int) -> Any:
            if next(sampled) >= FEWEST and time.monotonic() > end:
                raise _TimeIsUp
            return game.state_of(view.sample(rng))

        bot.set_resampler(sample)
        root = game.state_of(view.sample(rng))
        try:
            policy = bot.get_policy(root)
        except _TimeIsUp:
            policy = bot.get_final_policy(root, bot.lookup_node(root))
        return int(max(policy, key=lambda each: each[1])[0])

    def _sims(self, budget: Budget) -> int:
        return self.sims if budget.playouts is None else max(FEWEST, min(self.sims, budget.playouts))


class _TimeIsUp(Exception):
    """Ends a search whose time is over."""


def _seed(rng: random.Random) -> int:
    return rng.getrandbits(31)


BOTS: Mapping[str, type[Bot]] = {"random": Random, "mcts": Mcts}
"""Name -> bot."""
