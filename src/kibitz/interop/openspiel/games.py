"""Our games as games of OpenSpiel: kibitz_battleline, kibitz_dots, kibitz_go, kibitz_uttt.

    kibitz.interop.openspiel.games.register()
    game = pyspiel.load_game("kibitz_dots(rows=3,cols=3)")

Parameters are the game's options, with texts percent-encoded where needed; actions are the
numbers of moves. Cards are dealt and drawn one by one by chance nodes. Observations
are made from the player's View. Needs the extra kibitz[openspiel].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import numpy as np

from kibitz.core import registry
from kibitz.core.errors import BadOption, IllegalMove, KibitzError
from kibitz.core.game import Game, Move, Player, State, hides
from kibitz.core.parts import Chance
from kibitz.core.spec import parameters
from kibitz.interop.observation import observe_of

try:
    import pyspiel as pyspiel
except ImportError as error:
    raise KibitzError(f"OpenSpiel is not installed ({error}). Run: pip install 'kibitz[openspiel]'.") from None

PREFIX = "kibitz_"


def register() -> None:
    """Register our games with OpenSpiel, unless registered before; warn about those that lack a part it needs."""
    known = pyspiel.registered_names()
    for name in registry.packages():
        if reason := _why_not(name):
            registry.warn_once(reason)
        elif f"{PREFIX}{name}" not in known:
            kind = _game_type(name)
            # a class rather than an object: OpenSpiel releases it after Python has shut down
            pyspiel.register_game(kind, type(f"{PREFIX}{name}", (SpielGame,), {"name": name, "kind": kind}))


def load(game: Game) -> Any:
    """Return one of our games as a game of OpenSpiel. Raise BadOption if it lacks a part that OpenSpiel needs."""
    if reason := _why_not(game.name):
        raise BadOption(reason)
    register()
    options = {key: quote(value, safe="") if isinstance(value, str) else value for key, value in game.options.items()}
    return pyspiel.load_game(f"{PREFIX}{game.name}", options)


def _why_not(name: str) -> str:
    """Return why a game cannot be played in OpenSpiel, or an empty string if it can."""
    cls = registry.game_class(name)
    if _chance(name) is not None or not hides(cls().start()):
        return ""
    return f"{cls.title} cannot be played in OpenSpiel: it hides cards, so its package needs the part `chance`."


def _game_type(name: str) -> Any:
    """Return OpenSpiel's GameType of a game, the same for all options."""
    cls = registry.game_class(name)
    has_secrets = hides(cls().start())
    kinds = pyspiel.GameType
    return pyspiel.GameType(
        short_name=f"{PREFIX}{name}",
        long_name=f"{cls.title} of kibitz",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if has_secrets else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if has_secrets else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={key: default for key, (_, default) in parameters(cls).items()},
    )


@cache
def _chance(name: str) -> Chance | None:
    chance = registry.package(name).chance
    return None if chance is None else chance()


@dataclass(frozen=True)
class SpielHistory:
    """The deal and the moves of a game so far. Immutable, so copies share it."""

    game: Game
    first: State | None
    """The initial position; None while cards are being dealt."""
    state: State | None
    """The current position; None while cards are being dealt."""
    dealt: tuple[int, ...] = ()
    """The outcomes of the deal."""
    moves: tuple[tuple[Player, Move, tuple[int, ...]], ...] = ()
    """(mover, move, chance outcomes that only the mover saw)."""
    pending_move: Move | None = None
    """A move that was chosen but whose chance outcome, such as the card drawn, is still open."""

    def __deepcopy__(self, memo: object) -> SpielHistory:
        return self

    @property
    def chance(self) -> Chance | None:
        """The game's chance events, or None if nothing is dealt or drawn."""
        return _chance(self.game.name)

    def outcomes(self) -> tuple[int, ...]:
        """Return the possible outcomes of the next chance event; empty if a player is to move or the game is over."""
        if self.state is None:
            assert self.chance is not None
            return tuple(self.chance.deal_outcomes(self.game, self.dealt))
        if self.pending_move is None:
            return ()
        assert self.chance is not None
        return tuple(self.chance.move_outcomes(self.state, self.pending_move))

    def after_outcome(self, outcome: int) -> SpielHistory:
        """Return the game after a chance outcome."""
        assert self.chance is not None
        if self.state is None:
            dealt = (*self.dealt, outcome)
            if self.chance.deal_outcomes(self.game, dealt):
                return replace(self, dealt=dealt)
            first = self.chance.deal(self.game, dealt)
            return replace(self, dealt=dealt, first=first, state=first)
        assert self.pending_move is not None
        return self._after(self.pending_move, self.chance.play_with_outcome(self.state, self.pending_move, outcome))

    def after_move(self, move: Move) -> SpielHistory:
        """Return the game after a move, or at the chance node that it leads to. Raise IllegalMove if it is illegal."""
        assert self.state is not None
        if self.chance is not None and move in self.state.legal_moves() and self.chance.move_outcomes(self.state, move):
            return replace(self, pending_move=move)
        return self._after(move, self.state.play(move))

    def _after(self, move: Move, after: State) -> SpielHistory:
        assert self.state is not None
        private = () if self.chance is None else self.chance.private_outcomes(self.state, after)
        return replace(self, state=after, moves=(*self.moves, (self.state.to_move, move, private)), pending_move=None)

    def observation(self, player: Player) -> str:
        """Return a player's current observation as text."""
        if self.state is None:
            return "before the deal is done"
        return self.game.view_text(self.state.view(player)) + (" drawing" if self.pending_move is not None else "")

    def information_state(self, player: Player) -> str:
        """Return a player's information state: the initial view, and every move as the player may know it."""
        if self.first is None:
            return self.observation(player)
        parts = [f"player {player}", self.game.view_text(self.first.view(player))]
        for mover, move, private in self.moves:
            if mover == player:
                parts.append(" ".join([self.game.move_text(move), *map(self.outcome_text, private)]))
            else:
                parts.append(self.game.public_text(move))
        if self.pending_move is not None:
            parts.append(self.game.public_text(self.pending_move))
        return "; ".join(parts)

    def outcome_text(self, outcome: int) -> str:
        """Return the text of a chance outcome."""
        assert self.chance is not None
        return str(self.chance.outcome_text(outcome))


class SpielGame(pyspiel.Game):
    """One of our games with its options, as a game of OpenSpiel."""

    name: ClassVar[str]
    kind: ClassVar[Any]

    def __init__(self, params: dict[str, Any]) -> None:
        texts = {key: unquote(value) for key, value in params.items() if isinstance(value, str)}
        self.game = registry.game(self.name, **{**params, **texts})
        chance = _chance(self.name)
        first = None if chance else self.game.start()
        self.start = SpielHistory(self.game, first, first)
        self.observe = observe_of(self.name)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.game.moves()),
            max_chance_outcomes=chance.OUTCOMES if chance else 0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.game.max_game_length,
        )
        super().__init__(self.kind, info, params)

    def new_initial_state(self) -> SpielState:
        """Return the initial state: the start position, or the deal if cards are dealt."""
        return SpielState(self, self.start)

    def state_of(self, state: State) -> SpielState:
        """Return an OpenSpiel state for one of our positions, without the moves before it."""
        return SpielState(self, SpielHistory(self.game, state, state))

    def max_chance_nodes_in_history(self) -> int:
        """Return the maximum number of chance nodes in a game: one for each outcome."""
        return int(self.max_chance_outcomes())

    def make_py_observer(self, kind: Any = None, params: Any = None) -> SpielObserver:
        """Return an observer of a view or, with perfect recall, of an information state. Raise BadOption for others."""
        if params or (kind is not None and kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER):
            raise BadOption("kibitz games support only single-player observers without parameters.")
        return SpielObserver(self, kind is not None and kind.perfect_recall)


class SpielState(pyspiel.State):
    """A position with its history, as a state of OpenSpiel."""

    def __init__(self, game: SpielGame, game_history: SpielHistory) -> None:
        super().__init__(game)
        self.game_history = game_history

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's id for chance or for a finished game."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if self.game_history.state is None or self.game_history.pending_move is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return self.game_history.state.to_move

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.game_history.state is not None and self.game_history.state.outcome() is not None

    def returns(self) -> list[float]:
        """Return both players' results: 1 for a win, -1 for a loss, 0 for a draw or an unfinished game."""
        outcome = None if self.game_history.state is None else self.game_history.state.outcome()
        return [0.0, 0.0] if outcome is None else [float(outcome.value(player)) for player in (0, 1)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible chance outcomes with their probabilities, which are all equal."""
        outcomes = self.game_history.outcomes()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _legal_actions(self, player: Player) -> list[Move]:
        assert self.game_history.state is not None
        return list(self.game_history.state.legal_moves())

    def _apply_action(self, action: int) -> None:
        history = self.game_history
        outcomes = history.outcomes()
        if outcomes and action not in outcomes:
            raise IllegalMove(f"{action} is not a possible chance outcome here; use one of chance_outcomes().")
        self.game_history = history.after_outcome(action) if outcomes else history.after_move(action)

    def _action_to_string(self, player: Player, action: int) -> str:
        is_chance = player == pyspiel.PlayerId.CHANCE
        return (self.game_history.outcome_text if is_chance else self.game_history.game.move_text)(action)

    def __str__(self) -> str:
        if self.game_history.state is None:
            return " ".join(map(self.game_history.outcome_text, self.game_history.dealt)) or "before the deal"
        game, move = self.game_history.game, self.game_history.pending_move
        words = game.position_text(self.game_history.state)
        return words if move is None else f"{words} {game.move_text(move)}"


class SpielObserver:
    """A player's observations for OpenSpiel: as text, and as numbers unless the whole history is observed."""

    def __init__(self, game: SpielGame, perfect_recall: bool) -> None:
        self._game, self._recalls = game, perfect_recall
        self.tensor = None if perfect_recall else np.zeros_like(self._numbers(game.game.start(), 0)).ravel()
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: SpielState, player: Player) -> None:
        """Fill the tensor with a player's observation; zeros while cards are being dealt."""
        assert self.tensor is not None
        position = state.game_history.state
        self.tensor[:] = 0 if position is None else self._numbers(position, player).ravel()

    def string_from(self, state: SpielState, player: Player) -> str:
        """Return a player's observation or information state as text."""
        return state.game_history.information_state(player) if self._recalls else state.game_history.observation(player)

    def _numbers(self, state: State, player: Player) -> Any:
        return self._game.observe(state.view(player), player)
