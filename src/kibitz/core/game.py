"""The basic types of games: Game, State, View, Outcome.

Independent of any particular game, of agents and of storage. A Game holds the options and converts moves and positions
to and from text; a State is a complete position and knows its legal moves; a View is the part of it a player may know.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeAlias, cast

from typing_extensions import TypeVar  # typing.TypeVar supports defaults only from Python 3.13 on

from kibitz.core.errors import BadText

Move: TypeAlias = int
"""A small non-negative number; Game.move_text converts it to text."""

Player: TypeAlias = int
"""0 moves first, 1 second."""

G = TypeVar("G", bound="Game", default=Any)
S = TypeVar("S", bound="State", default=Any)
V = TypeVar("V", bound="View", default=Any)
"""The types of a game, its positions and its views; where nothing is hidden the last two are the same. Code for one
game specifies them, as in Agent[Chess, Board]; code for all games leaves them out."""

OptionValue: TypeAlias = int | float | str
"""The value of a game's option; bool is an int."""

Role: TypeAlias = Literal[
    "", "first", "second", "legal", "last", "faint", "red", "orange", "yellow", "green", "blue", "purple"
]
"""The meaning of a piece of text on a drawn board, shown as a colour. The last six are card colours."""

Line: TypeAlias = tuple[tuple[str, Role], ...]
"""One line of a drawn board: pieces of text, each with its role."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a finished game ended."""

    winner: Player | None
    """None for a draw."""
    reason: str
    """In words, ready to follow the winner's name: "three boards in a row"."""

    def value(self, player: Player) -> int:
        """Return 1 if this player won, -1 if the opponent did, 0 for a draw."""
        if self.winner is None:
            return 0
        return 1 if self.winner == player else -1

    @property
    def result(self) -> str:
        """The result as text: "1-0", "0-1" or "1/2-1/2", the first player's points before the second's."""
        return {None: "1/2-1/2", 0: "1-0", 1: "0-1"}[self.winner]


class AnyPosition(Protocol):
    """The properties and methods that states and views have in common."""

    @property
    def game(self) -> Game:
        """The game with its options."""

    @property
    def to_move(self) -> Player:
        """The player to move. Players need not alternate."""

    @property
    def turn(self) -> int:
        """Number of the current turn, from 0. All moves of a turn share one budget."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves of the player to move, ascending; empty exactly when the game is over."""


class View(AnyPosition, Protocol):
    """What one player may know of a position, and all that an agent gets. Only the mover is sure to see legal moves."""

    def sample(self, rng: random.Random) -> State:
        """Return a random complete state that is consistent with this view; the state itself if nothing is hidden."""


class State(AnyPosition, Protocol):
    """A complete position. Immutable; equal positions compare and hash equal."""

    def play(self, move: Move) -> Self:
        """Return the position after this move. Raise IllegalMove if the rules forbid it."""

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it is in progress."""

    def view(self, player: Player | None) -> View:
        """Return the position as this player may know it, or as a spectator may if player is None."""


class Shown:
    """Mixin for states and views: they print as a text board and show as a picture in a notebook."""

    __slots__ = ()

    def __str__(self: View) -> str:
        from kibitz.core.defaults.shown import text_of

        return text_of(self)

    def _repr_svg_(self: View) -> str:
        from kibitz.core.defaults.shown import svg_of

        return svg_of(self)


class ShownToSpectators(Shown):
    """Mixin for states of games with hidden information: they are shown as a spectator sees them."""

    __slots__ = ()

    def __str__(self: State) -> str:
        from kibitz.core.defaults.shown import text_of

        return text_of(self.view(None))

    def _repr_svg_(self: State) -> str:
        from kibitz.core.defaults.shown import svg_of

        return svg_of(self.view(None))


class NothingHidden(Shown):
    """Mixin for states of games without hidden information: the state is its own view."""

    __slots__ = ()

    def view(self, player: Player | None) -> Self:
        """Return the state itself."""
        return self

    def sample(self, rng: random.Random) -> Self:
        """Return the state itself."""
        return self


def hides(position: State | View) -> bool:
    """Return whether a game has hidden information, judging by one of its positions or views."""
    return not isinstance(position, NothingHidden)


def is_over(view: View) -> bool:
    """Return whether the game is over. Works even for a view that does not show the legal moves."""
    if view.legal_moves():
        return False
    return not hides(view) or view.sample(random.Random(0)).outcome() is not None


def can_take_back(states: Sequence[State], moves: Sequence[Move]) -> bool:
    """Return whether consecutive moves may be taken back or replayed; states: the positions they were played in.

    A card once seen cannot be unseen. So in a game with hidden information only moves of one turn can be taken back,
    and only if none of them revealed something to its player.
    """
    same_turn = states[0].turn == states[-1].turn
    return not hides(states[0]) or (same_turn and not any(map(states[0].game.shows_hidden, moves)))


class Game(ABC, Generic[S, V]):
    """A game with its options: makes the start position, and converts moves and positions to and from text.

    A subclass is a frozen dataclass whose fields are the options. Their types (int, float, bool, str, Literal) decide
    which values are valid. A trailing underscore is not part of an option's name: the field start_ is the option start.
    """

    name: ClassVar[str]
    """The short name used in commands and records, such as "hex"."""
    title: ClassVar[str]
    """The full name: "Ultimate Tic-Tac-Toe"."""
    players: ClassVar[tuple[str, str]] = ("first", "second")
    """The names of the two sides."""
    settles: ClassVar[bool] = False
    """Whether the players must agree on something after the last move, such as the dead stones in Go."""
    settle_prompt: ClassVar[str] = ""
    """The instruction shown to players while they settle the result: "Mark the dead stones"."""

    @property
    def options(self) -> dict[str, OptionValue]:
        """Every option with its value."""
        return {f.name.rstrip("_"): getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]  # a dataclass, see above

    @abstractmethod
    def start(self, seed: int = 0) -> S:
        """Return the start position. The seed determines the deal, if cards are dealt."""

    @abstractmethod
    def moves(self) -> range:
        """Return all move numbers that can ever be legal under these options."""

    @property
    def max_game_length(self) -> int:
        """The maximum number of moves in a game."""
        return 10_000

    @abstractmethod
    def move_text(self, move: Move) -> str:
        """Return the text of a move, as used in commands and records."""

    def move_label(self, move: Move) -> str:
        """Return the name of a move on the drawn board; parse_move accepts it too."""
        return self.move_text(move)

    @abstractmethod
    def parse_move(self, text: str) -> Move:
        """Return the move with this text or label, legal or not. Raise BadText if there is no such move."""

    @abstractmethod
    def position_text(self, state: S) -> str:
        """Return a text from which parse_position restores the state."""

    @abstractmethod
    def parse_position(self, text: str) -> S:
        """Return the position that a text describes. Raise BadText if it is malformed or impossible."""

    def public_text(self, move: Move) -> str:
        """Return the label of a move, omitting anything hidden from the opponent."""
        return self.move_label(self.public_move(move))

    def public_move(self, move: Move) -> Move:
        """Return the move as the opponent and spectators may know it, for the public move list."""
        return move

    def scores(self, view: V, marks: Collection[str] | None = None) -> tuple[float, float] | None:
        """Return the points of both players so far, or None if the game is not scored.

        marks: the players' marks while they settle the result, see settle.
        """
        return None

    def shows_hidden(self, move: Move) -> bool:
        """Return whether a move reveals hidden information to its player, so that it cannot be taken back."""
        return False

    def view_text(self, view: V) -> str:
        """Return a text from which parse_view restores the view; the position text if nothing is hidden."""
        if hides(view):
            raise NotImplementedError(f"{self.title} hides something from players and does not define view_text()")
        return self.position_text(cast(S, view.sample(random.Random(0))))  # the view itself

    def parse_view(self, text: str) -> V:
        """Return the view that a text written by view_text describes. Raise BadText if the text is malformed."""
        state = self.parse_position(text)
        return cast(V, state.view(state.to_move))

    @abstractmethod
    def draw(self, view: V, last: Move | None = None) -> tuple[Line, ...]:
        """Return the board as lines for a terminal, with the last move marked."""

    def settle(self, state: S, marks: Collection[str]) -> tuple[Outcome, tuple[str, ...]]:
        """Return the result of a finished game if the players agree on these marks, and the complete list of marks.

        Raise BadText if the marks are not valid or the game is not over.
        """
        outcome = state.outcome()
        if outcome is None or marks:
            raise BadText("The result cannot be settled: the game is not over, or its rules have no marks.")
        return outcome, ()

    def symmetries(self) -> tuple[tuple[Move, ...], ...]:
        """Return the symmetries of the game as permutations of the moves, the identity first."""
        return (tuple(self.moves()),)
