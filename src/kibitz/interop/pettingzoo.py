"""Every game as a PettingZoo environment, for reinforcement learning.

    env = kibitz.interop.pettingzoo.env("dots", rows=3, cols=3)

An action is the number of a move; an observation is made from the player's View by the
game's observation function. Needs the extra kibitz[rl].
"""

from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np

from kibitz.core import registry
from kibitz.core.errors import BadOption, IllegalMove, KibitzError
from kibitz.core.game import Game, Player, State
from kibitz.interop.observation import observe_of

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError as error:
    raise KibitzError(f"PettingZoo is not installed ({error}). Run: pip install 'kibitz[rl]'.") from None

PLAYERS = ("player_0", "player_1")
"""PettingZoo's names of the first and the second player."""


def env(game: str, /, **options: Any) -> Environment:
    """Return the environment of a game with these options. Raise BadOption or BadText if any is not valid."""
    return Environment(registry.game_of_user(game, **options))


class Environment(AECEnv):
    """A PettingZoo environment; the agent to act is the player to move.

    An observation is {"observation": numbers from 0 to 1, "action_mask": 1 for each legal move}; the mask is all zeros
    on the opponent's turn. The winner's reward is 1, the loser's -1. An illegal action raises IllegalMove.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.metadata = {"name": f"kibitz_{game.name}_v0", "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = "ansi"
        self.possible_agents = list(PLAYERS)
        self.agents: list[str] = []
        self._observe = observe_of(game.name)
        self._seeds = random.Random()
        self._state: State | None = None
        shape, moves = self._observe(game.start().view(0), 0).shape, len(game.moves())
        self.observation_spaces = {
            agent: spaces.Dict(
                {"observation": spaces.Box(0, 1, shape, np.float32), "action_mask": spaces.MultiBinary(moves)}
            )
            for agent in PLAYERS
        }
        self.action_spaces = {agent: spaces.Discrete(moves) for agent in PLAYERS}

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space: all moves of the game."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. A seed fixes its deal and those of the following games; options are ignored."""
        if seed is not None:
            self._seeds = random.Random(seed)
        self._state = self.game.start(self._seeds.getrandbits(63))
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in PLAYERS}
        self.agent_selection = PLAYERS[self._state.to_move]
        self._skip_agent_selection = None

    @property
    def position(self) -> State:
        """The complete position, hidden cards included. Raise BadOption before the first reset."""
        if self._state is None:
            raise BadOption("No game has been started: call reset() first.")
        return self._state

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation and action mask."""
        state, player = self.position, _player(agent)
        view = state.view(player)
        mask = np.zeros(len(self.game.moves()), np.int8)
        if state.to_move == player:
            mask[list(view.legal_moves())] = 1
        return {"observation": self._observe(view, player), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Make a move for the agent to act, or pass None once the game is over. Raise IllegalMove if illegal."""
        state = self.position
        if not self.agents or (self.terminations[self.agent_selection] and action is not None):
            raise IllegalMove("The game is over: call reset() for a new one.")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(None)
            return
        self._state = after = state.play(_number(action))
        self._cumulative_rewards[self.agent_selection] = 0
        self.agent_selection = PLAYERS[after.to_move]
        outcome = after.outcome()
        if outcome is not None:
            self.rewards = {agent: outcome.value(player) for player, agent in enumerate(PLAYERS)}
            self.terminations = dict.fromkeys(PLAYERS, True)
            self._accumulate_rewards()

    def render(self) -> str:
        """Return the board as the agent to act sees it."""
        view = self.position.view(_player(self.agent_selection))
        return "\n".join("".join(text for text, _ in line) for line in self.game.draw(view))

    def close(self) -> None:
        """Do nothing; the environment holds no resources."""


def _player(agent: str) -> Player:
    if agent not in PLAYERS:
        raise BadOption(f"Unknown agent {agent!r}; the agents are {' and '.join(PLAYERS)}.")
    return PLAYERS.index(agent)


def _number(action: Any) -> int:
    """Convert an action, which may be a numpy integer, to a move. Raise IllegalMove if it is not a whole number."""
    try:
        return operator.index(action)
    except TypeError:
        raise IllegalMove(f"{action!r} is not an action: it must be the number of a move.") from None
