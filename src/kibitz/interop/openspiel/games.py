"""Our games as games of OpenSpiel: kibitz_battleline, kibitz_dots, kibitz_go, kibitz_uttt.

    kibitz.interop.openspiel.games.register()
    game = pyspiel.load_game("kibitz_dots(rows=3,cols=3)")

The parameters are the options of the game, its texts percent-encoded where they have
signs that parameters cannot have; the actions are the numbers of its moves.
Where cards are dealt and drawn, chance picks them one by one; what a player is
told is made from his View. Needs the extra kibitz[openspiel].
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
    raise KibitzError(f"These games need OpenSpiel: pip install 'kibitz[openspiel]' ({error}).") from None

PREFIX = "kibitz_"


def register() -> None:
    """Make our games known to OpenSpiel, once; a warning names those that lack a part it needs."""
    known = pyspiel.registered_names()
    for name in registry.packages():
        if lacking := _lacking(name):
            registry.warn_once(lacking)
        elif f"{PREFIX}{name}" not in known:
            kind = _kind(name)
            # a class of its own: OpenSpiel lets go of it after Python has ended, when other objects could not go
            pyspiel.register_game(kind, type(f"{PREFIX}{name}", (SpielGame,), {"name": name, "kind": kind}))


def load(game: Game) -> Any:
    """Return the game of OpenSpiel that one of ours is. Raise BadOption if it lacks a part that OpenSpiel needs."""
    if lacking := _lacking(game.name):
        raise BadOption(lacking)
    register()
    options = {key: quote(value, safe="") if isinstance(value, str) else value for key, value in game.options.items()}
    return pyspiel.load_game(f"{PREFIX}{game.name}", options)


def _lacking(name: str) -> str:
    """Return why OpenSpiel cannot have a game, in a sentence; an empty text if it can."""
    cls = registry.game_class(name)
    if _chance(name) is not None or not hides(cls().start()):
        return ""
    return f"{cls.title} cannot be played in OpenSpiel: it hides something, so its package needs the part `chance`."


def _kind(name: str) -> Any:
    """Return what OpenSpiel wants to know of a game whatever its options."""
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
def _chance(name: str) -> Chance[Any] | None:
    chance = registry.package(name).chance
    return None if chance is None else chance()


@dataclass(frozen=True)
class Course:
    """A game so far. Nothing of it changes, so copies share it."""

    game: Game
    first: State | None
    """The position that the game began with; None while cards are dealt."""
    state: State | None
    """The position now."""
    dealt: tuple[int, ...] = ()
    """The outcomes of the deal."""
    moves: tuple[tuple[Player, Move, tuple[int, ...]], ...] = ()
    """Who moved, how, and what only he saw turned up."""
    drawing: Move | None = None
    """The move whose outcome chance decides now."""

    def __deepcopy__(self, memo: object) -> Course:
        return self

    @property
    def chance(self) -> Chance[Any] | None:
        """The game's chance events; None if nothing is dealt or drawn."""
        return _chance(self.game.name)

    def outcomes(self) -> tuple[int, ...]:
        """Return what chance may pick now; nothing if a player moves or the game is over."""
        if self.state is None:
            assert self.chance is not None
            found: tuple[int, ...] = self.chance.to_deal(self.game, self.dealt)
            return found
        if self.drawing is None:
            return ()
        assert self.chance is not None
        return tuple(self.chance.to_turn_up(self.state, self.drawing))

    def picked(self, outcome: int) -> Course:
        """Return the game after chance picked an outcome."""
        assert self.chance is not None
        if self.state is None:
            dealt = (*self.dealt, outcome)
            if self.chance.to_deal(self.game, dealt):
                return replace(self, dealt=dealt)
            first = self.chance.deal(self.game, dealt)
            return replace(self, dealt=dealt, first=first, state=first)
        assert self.drawing is not None
        return self._moved(self.drawing, self.chance.turn_up(self.state, self.drawing, outcome))

    def played(self, move: Move) -> Course:
        """Return the game after a move, or before the chance that it leads to. Raises IllegalMove."""
        assert self.state is not None
        if self.chance is not None and move in self.state.legal_moves() and self.chance.to_turn_up(self.state, move):
            return replace(self, drawing=move)
        return self._moved(move, self.state.play(move))

    def _moved(self, move: Move, after: State) -> Course:
        assert self.state is not None
        seen = () if self.chance is None else self.chance.drawn(self.state, after)
        return replace(self, state=after, moves=(*self.moves, (self.state.to_move, move, seen)), drawing=None)

    def observation(self, player: Player) -> str:
        """Return what a player sees now."""
        if self.state is None:
            return "before the deal is done"
        return self.game.view_text(self.state.view(player)) + (" drawing" if self.drawing is not None else "")

    def information(self, player: Player) -> str:
        """Return all that a player has seen: the first position, and every move as he may know it."""
        if self.first is None:
            return self.observation(player)
        told = [f"player {player}", self.game.view_text(self.first.view(player))]
        for mover, move, seen in self.moves:
            if mover == player:
                told.append(" ".join([self.game.move_text(move), *map(self.outcome_text, seen)]))
            else:
                told.append(self.game.public_text(move))
        if self.drawing is not None:
            told.append(self.game.public_text(self.drawing))
        return "; ".join(told)

    def outcome_text(self, outcome: int) -> str:
        """Return the text of what chance may pick."""
        assert self.chance is not None
        return str(self.chance.outcome_text(outcome))


class SpielGame(pyspiel.Game):
    """One of our games with its options, as OpenSpiel sees games."""

    name: ClassVar[str]
    kind: ClassVar[Any]

    def __init__(self, params: dict[str, Any]) -> None:
        texts = {key: unquote(value) for key, value in params.items() if isinstance(value, str)}
        self.game = registry.game(self.name, **{**params, **texts})
        chance = _chance(self.name)
        first = None if chance else self.game.start()
        self.start = Course(self.game, first, first)
        self.observe = observe_of(self.name)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.game.moves()),
            max_chance_outcomes=chance.OUTCOMES if chance else 0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.game.longest,
        )
        super().__init__(self.kind, info, params)

    def new_initial_state(self) -> SpielState:
        """Return the beginning of a game."""
        return SpielState(self, self.start)

    def state_of(self, state: State) -> SpielState:
        """Return a game that begins with one of our positions."""
        return SpielState(self, Course(self.game, state, state))

    def max_chance_nodes_in_history(self) -> int:
        """Return how often chance may pick: once for each of its outcomes."""
        return int(self.max_chance_outcomes())

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Observer:
        """Return who tells what a player sees, or all that he has seen. Raises BadOption for other wishes."""
        if params or (kind is not None and kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER):
            raise BadOption("These games are observed by one player, without parameters.")
        return Observer(self, kind is not None and kind.perfect_recall)


class SpielState(pyspiel.State):
    """A position in a game of OpenSpiel, with the way that led there."""

    def __init__(self, game: SpielGame, course: Course) -> None:
        super().__init__(game)
        self.course = course

    def current_player(self) -> int:
        """Return who moves: a player, chance, or nobody."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if self.course.state is None or self.course.drawing is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return self.course.state.to_move

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.course.state is not None and self.course.state.outcome() is not None

    def returns(self) -> list[float]:
        """Return 1 and -1, or 0 for a draw and while the game goes on."""
        outcome = None if self.course.state is None else self.course.state.outcome()
        return [0.0, 0.0] if outcome is None else [float(outcome.value(player)) for player in (0, 1)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance may pick, all equally likely."""
        outcomes = self.course.outcomes()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _legal_actions(self, player: Player) -> list[Move]:
        assert self.course.state is not None
        return list(self.course.state.legal_moves())

    def _apply_action(self, action: int) -> None:
        outcomes = self.course.outcomes()
        if outcomes and action not in outcomes:
            raise IllegalMove(f"Chance cannot pick {action} here.")
        self.course = self.course.picked(action) if outcomes else self.course.played(action)

    def _action_to_string(self, player: Player, action: int) -> str:
        return (self.course.outcome_text if player == pyspiel.PlayerId.CHANCE else self.course.game.move_text)(action)

    def __str__(self) -> str:
        if self.course.state is None:
            return " ".join(map(self.course.outcome_text, self.course.dealt)) or "before the deal"
        words = self.course.game.position_text(self.course.state)
        return words if self.course.drawing is None else f"{words} {self.course.game.move_text(self.course.drawing)}"


class Observer:
    """Tells OpenSpiel what a player sees: as a text, and as numbers too where it is the position alone."""

    def __init__(self, game: SpielGame, recalls: bool) -> None:
        self._game, self._recalls = game, recalls
        self.tensor = None if recalls else np.zeros_like(self._numbers(game.game.start(), 0)).ravel()
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: SpielState, player: Player) -> None:
        """Fill the numbers with what a player sees; they are 0 while cards are dealt."""
        assert self.tensor is not None
        now = state.course.state
        self.tensor[:] = 0 if now is None else self._numbers(now, player).ravel()

    def string_from(self, state: SpielState, player: Player) -> str:
        """Return what a player sees, or all that he has seen, as a text."""
        return state.course.information(player) if self._recalls else state.course.observation(player)

    def _numbers(self, state: State, player: Player) -> Any:
        return self._game.observe(state.view(player), player)
