"""openspiel:BOT, a bot of OpenSpiel as an agent: openspiel:random, openspiel:mcts(sims=1000).

Where OpenSpiel has the same game, bots play its own version, which is compiled and far faster; otherwise they play
ours. A bot sees only the View: where cards are hidden, it searches states sampled from the View.
"""

from __future__ import annotations

import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kibitz.core import registry
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption, IllegalMove
from kibitz.core.game import Game, Move, State, View, hides
from kibitz.core.spec import call_with, parameters, parse_spec, read_values
from kibitz.interop.extend import OPENSPIEL_TWIN, SpielTwin
from kibitz.interop.openspiel.games import load, pyspiel

MAX_TREE_MEGABYTES = 1000
MIN_SIMULATIONS = 2
"""More than one, because the first simulation only visits the root."""


class SpielBot(Agent):
    """A bot of OpenSpiel, given as name and options. Raise BadOption if the name is unknown."""

    def __init__(self, game: Game, spec: str) -> None:
        name, given = parse_spec(spec)
        if name not in BOTS:
            raise BadOption(f"Unknown bot openspiel:{name}; use one of {', '.join(BOTS)}.")
        values = read_values(f"openspiel:{name}", parameters(BOTS[name]), given)
        self._bot: SpielStrategy = call_with(BOTS[name], values=values)
        self._ours = load(game)
        self._hides = hides(game.start())
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Begin a new game with this seed."""
        super().reset(seed)
        self._twin = twin_of(self.game)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the bot's move."""
        self.check(view)
        began = time.monotonic()
        if self._hides:
            found = self._bot.choose_hidden(self._ours, view, budget, self.rng)
        else:
            found = self._choose_open(view.sample(self.rng), budget)
        return Choice(found.action, playouts=found.playouts, seconds=time.monotonic() - began)

    def _choose_open(self, state: State, budget: Budget) -> SpielChoice:
        """Return the bot's move if nothing is hidden, in OpenSpiel's own game as long as it can follow ours."""
        if self._twin is not None and not self._twin.follow(state):
            self._twin = None
        if self._twin is None:
            return self._bot.choose(self._ours, self._ours.state_of(state), budget, self.rng)
        position, choices = self._twin.position.clone(), self._twin.choices()
        share = _divide(budget, max(map(len, choices)))  # one of our moves may be two of their actions
        actions, playouts = tuple[int, ...](), 0
        while actions not in choices:
            found = self._bot.choose(self._twin.theirs, position, share, self.rng)
            position.apply_action(found.action)
            actions, playouts = (*actions, found.action), playouts + found.playouts
        self._twin.expect(choices[actions])
        return SpielChoice(choices[actions], playouts)


class TwinFollower:
    """Replays a game of ours from its start in OpenSpiel's own version, which cannot be set to a position."""

    def __init__(self, game: Game, twin: SpielTwin) -> None:
        self._twin = twin
        self.theirs = pyspiel.load_game(twin.spiel_name(game))
        self.position = self.theirs.new_initial_state()
        """The current state of their game."""
        self._known = game.start()
        """The position of ours that their game has reached."""
        self._expected: tuple[Move, ...] = ()
        """The move we expect to be made next, if any."""

    def follow(self, state: State) -> bool:
        """Advance OpenSpiel's game to a position of ours; return whether that worked and the game goes on there."""
        if self._known != state:
            expected, self._expected = self._expected, ()
            if not (self._play(expected) and self._play(self._twin.moves_between(self._known, state))):
                return False
        return bool(self._known == state)

    def expect(self, move: Move) -> None:
        """Remember the move that the bot has chosen, so that follow() can play it."""
        self._expected = (move,)

    def _play(self, moves: tuple[Move, ...]) -> bool:
        for move in moves:
            try:
                after = self._known.play(move)
            except IllegalMove:
                return False
            for action in self._twin.actions(self._known, move):
                self.position.apply_action(action)
            self._known = after
            if self.position.is_terminal():
                return False
        return True

    def choices(self) -> dict[tuple[int, ...], Move]:
        """Return our legal moves, each by the OpenSpiel actions that make it."""
        return {self._twin.actions(self._known, move): move for move in self._known.legal_moves()}


def twin_of(game: Game) -> TwinFollower | None:
    """Return a follower at the start of the game, or None if OpenSpiel does not have this game."""
    twin = registry.package(game.name).get(OPENSPIEL_TWIN)
    return TwinFollower(game, twin) if twin is not None and twin.spiel_name(game) else None


def _divide(budget: Budget, n: int) -> Budget:
    """Return one of n equal parts of a budget."""
    seconds, playouts = budget.seconds, budget.playouts
    return Budget(seconds and seconds / n, playouts=playouts and max(playouts // n, 1))


class SpielChoice(NamedTuple):
    """An action, and the number of playouts spent on it."""

    action: int
    playouts: int = 0


class SpielStrategy(ABC):
    """A kind of OpenSpiel bot. The keyword parameters of its constructor are the options of its spec."""

    @abstractmethod
    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> SpielChoice:
        """Return an action for the player to move in an OpenSpiel state, and the number of playouts spent on it."""

    @abstractmethod
    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> SpielChoice:
        """Return an action for a player who knows only a view, and the number of playouts spent on it."""


class SpielRandom(SpielStrategy):
    """OpenSpiel's uniformly random bot."""

    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> SpielChoice:
        """Return a random legal action."""
        return SpielChoice(pyspiel.make_uniform_random_bot(state.current_player(), _seed(rng)).step(state))

    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> SpielChoice:
        """Return a random legal action; every state sampled from a view has the same legal actions."""
        return self.choose(game, game.state_of(view.sample(rng)), budget, rng)


class SpielMcts(SpielStrategy):
    """OpenSpiel's Monte Carlo tree search with random playouts; its IS-MCTS where cards are hidden.

    sims: maximum number of simulations per action. c: exploration constant.
    """

    def __init__(self, *, sims: int = 1000, c: float = 2.0) -> None:
        if sims < MIN_SIMULATIONS:
            raise BadOption(f"sims must be at least {MIN_SIMULATIONS}, got {sims}.")
        self.sims, self.c = sims, c

    def choose(self, game: Any, state: Any, budget: Budget, rng: random.Random) -> SpielChoice:
        """Return the most visited action."""
        evaluator, seconds = pyspiel.RandomRolloutEvaluator(1, _seed(rng)), budget.seconds or -1.0
        options = (self.c, self._sims(budget), MAX_TREE_MEGABYTES, True, _seed(rng), False)
        bot = pyspiel.MCTSBot(game, evaluator, *options, max_wall_clock_time=seconds)
        root = bot.mcts_search(state)  # step() crashes in games written in Python
        return SpielChoice(root.best_child().action, root.explore_count)

    def choose_hidden(self, game: Any, view: View, budget: Budget, rng: random.Random) -> SpielChoice:
        """Return the most visited action over states sampled from a view."""
        from open_spiel.python.algorithms import ismcts, mcts

        evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(_seed(rng)))
        random_state = np.random.RandomState(_seed(rng))
        bot = ismcts.ISMCTSBot(game, evaluator, self.c, self._sims(budget), random_state=random_state)
        playouts, end = 0, math.inf if budget.seconds is None else time.monotonic() + budget.seconds

        def sample(state: Any, player: int) -> Any:
            nonlocal playouts
            if playouts >= MIN_SIMULATIONS and time.monotonic() > end:
                raise _TimeIsUp
            playouts += 1
            return game.state_of(view.sample(rng))

        bot.set_resampler(sample)
        root = game.state_of(view.sample(rng))
        try:
            policy = bot.get_policy(root)
        except _TimeIsUp:
            policy = bot.get_final_policy(root, bot.lookup_node(root))
        return SpielChoice(max(policy, key=lambda each: each[1])[0], playouts)

    def _sims(self, budget: Budget) -> int:
        return self.sims if budget.playouts is None else max(MIN_SIMULATIONS, min(self.sims, budget.playouts))


class _TimeIsUp(Exception):
    """Raised to end a search whose time is up."""


def _seed(rng: random.Random) -> int:
    return rng.getrandbits(31)


BOTS: Mapping[str, type[SpielStrategy]] = {"random": SpielRandom, "mcts": SpielMcts}
"""Name in a spec -> kind of bot."""
