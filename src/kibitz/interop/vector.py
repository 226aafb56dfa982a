"""Many games at once, stepped by one compiled call, for reinforcement learning.

    games = kibitz.vector.make("uttt", n=4096, seed=1)
    step = games.reset()
    while learning:
        step = games.step(choose(step.observation, step.legal))

Observations are those of the PettingZoo environments, always of the player to move. A game that ends is followed by a
new one in the same row. Games need a kernel and a compiled observation (see VECTOR in extend.py).
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kibitz.compiled.arrays import (
    BoolArray,
    Float32Array,
    Int8Array,
    Int64Array,
)
from kibitz.compiled.batch import Batch, row, stack
from kibitz.compiled.batch_kernel import Arrays, sample_moves, step_games
from kibitz.compiled.rng import stream
from kibitz.core import registry
from kibitz.core.errors import BadOption, IllegalMove
from kibitz.core.game import Game, State
from kibitz.core.seeds import derive
from kibitz.interop.extend import VECTOR
from kibitz.interop.observation import observe_of

MAX_GAMES = 1 << 20
"""Maximum number of games side by side."""


class Step(NamedTuple):
    """What is seen of all games after a step. The next step overwrites these arrays: copy what you keep."""

    observation: Float32Array
    """float32 [game, ...]: the observation of the player to move"""
    legal: BoolArray
    """bool [game, move]: whether the player to move may make a move"""
    player: Int8Array
    """int8 [game]: the player to move, 0 or 1"""
    rewards: Float32Array
    """float32 [game, player]: 1 for the winner and -1 for the loser of a game that this step ended, else 0"""
    over: BoolArray
    """bool [game]: whether this step ended a game; all other arrays but `rewards` show the next game"""


def make(game: str, /, n: int, *, seed: int | None = None, **options: Any) -> VectorGames:
    """Return n games with these options, ready to be reset. A seed makes all deals and samples repeatable.

    Raise BadOption or BadText if the game, n or an option is not valid, or if the game has no compiled observation.
    """
    return VectorGames(registry.game_of_user(game, **options), n, seed)


class VectorGames:
    """Games side by side. Row i of every array belongs to game i."""

    def __init__(self, game: Game, n: int, seed: int | None = None) -> None:
        package = registry.package(game.name)
        kind = package.get(VECTOR)
        if kind is None or package.kernel is None:
            raise BadOption(
                f"{game.name} has no compiled observation, which vectorised play needs. "
                "Use kibitz.interop.pettingzoo.env instead."
            )
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= MAX_GAMES:
            raise BadOption(f"n={n!r} is not a number of games: it must be 1 to {MAX_GAMES}.")
        self.game, self.n = game, int(n)
        self._kernel = package.kernel()
        begin = game.start()
        start = self._kernel.pack(begin)
        self._batch: Batch = kind(start, stack(start, self._kernel.pack(begin), self.n))
        self.observation_shape = observe_of(game.name)(begin.view(0), 0).shape
        self.moves = len(game.moves())
        self._arrays = Arrays(
            observations=np.zeros((self.n, int(np.prod(self.observation_shape))), np.float32),
            legal=np.zeros((self.n, self.moves), np.bool_),
            players=np.zeros(self.n, np.int8),
            rewards=np.zeros((self.n, 2), np.float32),
            over=np.zeros(self.n, np.bool_),
            moves=np.zeros((self.n, self._kernel.MAX_LEGAL_MOVES), np.int16),
            counts=np.zeros(self.n, np.int32),
        )
        self._started = False
        self._reseed(secrets.randbits(63) if seed is None else seed)

    def _reseed(self, seed: int) -> None:
        """Give every game a random stream of its own, which does not depend on how many games there are."""
        self._streams = np.array([stream(derive(seed, "game", i)) for i in range(self.n)])
        self._samples = stream(derive(seed, "sample"))

    def reset(self, seed: int | None = None) -> Step:
        """Start new games in all rows. A seed makes all that follows repeatable; by default the streams go on."""
        if seed is not None:
            self._reseed(seed)
        step_games(self._batch, self._streams, np.zeros(self.n, np.int64), True, self._arrays)
        self._started = True
        return self._shown()

    def step(self, actions: ArrayLike) -> Step:
        """Make one move in every game; actions: n numbers of moves. Games that end are followed by new ones.

        Raise IllegalMove, and change nothing, if an action is illegal; BadOption if there are not n whole numbers.
        """
        chosen = self._actions(actions)
        bad = step_games(self._batch, self._streams, chosen, False, self._arrays)
        if bad >= 0:
            self._refuse(bad, int(chosen[bad]))
        return self._shown()

    def sample(self) -> Int64Array:
        """Return a random legal move for each game, all equally likely."""
        self._check_started()
        actions = np.zeros(self.n, np.int64)
        sample_moves(self._arrays.moves, self._arrays.counts, self._samples, actions)
        return actions

    def state(self, i: int) -> State:
        """Return the complete position of game i, hidden cards included: for debugging, not for players."""
        if not -self.n <= i < self.n:
            raise BadOption(f"There is no game {i}: games are numbered 0 to {self.n - 1}.")
        state: State = self._kernel.unpack(row(self._batch.start, self._batch.rows, i % self.n), self.game)
        return state

    def _check_started(self) -> None:
        if not self._started:
            raise BadOption("No game has been started: call reset() first.")

    def _actions(self, actions: ArrayLike) -> Int64Array:
        """Convert actions to an array. Raise BadOption if they are not n whole numbers."""
        self._check_started()
        chosen = np.asarray(actions)
        if chosen.shape != (self.n,) or chosen.dtype.kind not in "iu":
            raise BadOption(
                f"Actions must be {self.n} whole numbers, one for each game; "
                f"these have shape {chosen.shape} and type {chosen.dtype}."
            )
        return np.ascontiguousarray(chosen, np.int64)

    def _refuse(self, i: int, action: int) -> None:
        """Raise IllegalMove with the rules' own reason."""
        try:
            self.state(i).play(action)
        except IllegalMove as error:
            raise IllegalMove(f"Game {i}, action {action}: {error}") from None
        raise AssertionError(f"the kernel and the rules disagree about move {action}")

    def _shown(self) -> Step:
        arrays = self._arrays
        shape = (self.n, *self.observation_shape)
        return Step(arrays.observations.reshape(shape), arrays.legal, arrays.players, arrays.rewards, arrays.over)
