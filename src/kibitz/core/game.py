"""The vocabulary of games: Game, State, View, Outcome.

Knows no game in particular, no agent and no way of storing anything. A Game
holds options and words; a State is one complete position and the law of what
may follow; a View is what one player may know of a State.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeAlias, cast

from typing_extensions import TypeVar  # typing's own has defaults only from Python 3.13 on

from kibitz.core.errors import BadText

Move: TypeAlias = int
"""A small non-negative number; the game gives it a text."""

Player: TypeAlias = int
"""0 moves first, 1 second."""

G = TypeVar("G", bound="Game", default=Any)
S = TypeVar("S", bound="State", default=Any)
V = TypeVar("V", bound="View", default=Any)
"""The types of a game, its positions and its views; where nothing is hidden the last two are the same. What serves
one game names them, as in Agent[Chess, Board]; what serves every game leaves them out."""

OptionValue: TypeAlias = int | float | str
"""The value of a game's option; bool is an int."""

Role: TypeAlias = Literal[
    "", "first", "second", "legal", "last", "faint", "red", "orange", "yellow", "green", "blue", "purple"
]
"""What a stretch of a drawn board shows; the terminal turns it into a colour. The last six are colours of cards."""

Line: TypeAlias = tuple[tuple[str, Role], ...]
"""One line of a drawn board: stretches of text, each with its role."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a finished game ended."""

    winner: Player | None
    """None for a draw."""
    reason: str
    """In words, ready to follow the winner's name: "three boards in a row"."""

    def value(self, player: Player) -> int:
        """Return 1 if this player won, -1 if he lost, 0 for a draw."""
        if self.winner is None:
            return 0
        return 1 if self.winner == player else -1

    @property
    def result(self) -> str:
        """Return "1-0", "0-1" or "1/2-1/2", the first player's points before the second's."""
        return {None: "1/2-1/2", 0: "1-0", 1: "0-1"}[self.winner]


class View(Protocol):
    """What one player may know of a position. Agents are given nothing else."""

    @property
    def game(self) -> Game:
        """The game with its options."""
        ...

    @property
    def to_move(self) -> Player:
        """The player to move."""
        ...

    @property
    def turn(self) -> int:
        """Number of the current turn, from 0. Moves that share it share one budget."""
        ...

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves of the player to move, ascending."""
        ...

    def sample(self, rng: random.Random) -> State:
        """Return a complete state that fits what is known; the state itself if nothing is hidden."""
        ...


class State(Protocol):
    """A complete position. Immutable; equal positions compare and hash equal."""

    @property
    def game(self) -> Game:
        """The game with its options."""
        ...

    @property
    def to_move(self) -> Player:
        """The player to move, who may have made the last move too."""
        ...

    @property
    def turn(self) -> int:
        """Number of the current turn, from 0. Moves that share it share one budget."""
        ...

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves, ascending; none exactly when the game is over."""
        ...

    def play(self, move: Move) -> Self:
        """Return the position after this move. Raises IllegalMove."""
        ...

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        ...

    def view(self, player: Player | None) -> View:
        """Return what this player may know; None is somebody who only looks on."""
        ...


class Shown:
    """Show a position or a view as the board: as text when printed, as a picture in a notebook."""

    __slots__ = ()

    def __str__(self: View) -> str:
        from kibitz.core.defaults.shown import text_of

        return text_of(self)

    def _repr_svg_(self: View) -> str:
        from kibitz.core.defaults.shown import svg_of

        return svg_of(self)


class ShownToSpectators(Shown):
    """Show a State of a game that hides something as a spectator sees it."""

    __slots__ = ()

    def __str__(self: State) -> str:
        from kibitz.core.defaults.shown import text_of

        return text_of(self.view(None))

    def _repr_svg_(self: State) -> str:
        from kibitz.core.defaults.shown import svg_of

        return svg_of(self.view(None))


class NothingHidden(Shown):
    """Give a State the view and sample of a game in which every player sees everything."""

    __slots__ = ()

    def view(self, player: Player | None) -> Self:
        """Return the state itself."""
        return self

    def sample(self, rng: random.Random) -> Self:
        """Return the state itself."""
        return self


def hides(position: State | View) -> bool:
    """Return whether the players of a game see different things, by a position of it or a view of one."""
    return not isinstance(position, NothingHidden)


def is_over(view: View) -> bool:
    """Return whether the game is over, also from a view that does not know the legal moves."""
    if view.legal_moves():
        return False
    return not hides(view) or view.sample(random.Random(0)).outcome() is not None


def can_take_back(states: Sequence[State], moves: Sequence[Move]) -> bool:
    """Return whether some moves in a row may be taken back or made again; states are those they were made in.

    What was hidden and has been seen cannot be unseen. So where something is hidden only moves of
    one turn can be taken back, and none that showed its player something.
    """
    same_turn = states[0].turn == states[-1].turn
    return not hides(states[0]) or (same_turn and not any(map(states[0].game.shows_hidden, moves)))


class Game(ABC, Generic[S, V]):
    """A game with its options chosen: where it starts, and the texts of its moves and positions.

    A subclass is a frozen dataclass whose fields are the options. Their types
    (int, float, bool, str, Literal) say which values are valid. The option of a
    field such as start_ is start.
    """

    name: ClassVar[str]
    """The short name in commands and records."""
    title: ClassVar[str]
    """The name people call it."""
    players: ClassVar[tuple[str, str]] = ("first", "second")
    """What the two sides are called at the board."""
    settles: ClassVar[bool] = False
    """Whether persons agree at the end on what the rules leave to them, such as the dead stones of Go."""
    settle_prompt: ClassVar[str] = ""
    """What players are asked to do then: "Mark the dead stones"."""

    @property
    def options(self) -> dict[str, OptionValue]:
        """Return every option with its value."""
        return {f.name.rstrip("_"): getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]  # a dataclass, see above

    @abstractmethod
    def start(self, seed: int = 0) -> S:
        """Return the first position. The seed decides the deal where there is one."""

    @abstractmethod
    def moves(self) -> range:
        """Return all move numbers that can ever be legal under these options."""

    @property
    def longest(self) -> int:
        """The largest number of moves that a game can have."""
        return 10_000

    @abstractmethod
    def move_text(self, move: Move) -> str:
        """Return the text of a move."""

    def move_label(self, move: Move) -> str:
        """Return a move as the drawn board shows it; parse_move takes it too."""
        return self.move_text(move)

    @abstractmethod
    def parse_move(self, text: str) -> Move:
        """Return the move that a text names, legal or not. Raises BadText."""

    @abstractmethod
    def position_text(self, state: S) -> str:
        """Return a text from which parse_position makes the same state."""

    @abstractmethod
    def parse_position(self, text: str) -> S:
        """Return the position that a text describes. Raises BadText if it is malformed or impossible."""

    def public_text(self, move: Move) -> str:
        """Return the label of a move, omitting anything hidden from the opponent."""
        return self.move_label(self.public_move(move))

    def public_move(self, move: Move) -> Move:
        """Return a move without what it hides from the opponent, as a log has it that everybody may read."""
        return move

    def scores(self, view: V, marks: Collection[str] | None = None) -> tuple[float, float] | None:
        """Return the points of both players so far, or None if the game has none to show.

        marks: what the players have marked while they settle the result, see settle.
        """
        return None

    def shows_hidden(self, move: Move) -> bool:
        """Return whether a move shows its player what was hidden from him, so that nobody may take it back."""
        return False

    def view_text(self, view: V) -> str:
        """Return a text from which parse_view makes the same view: the position's, where nothing is hidden."""
        if hides(view):
            raise NotImplementedError(f"{self.title} has no text for what one player sees")
        return self.position_text(cast(S, view.sample(random.Random(0))))  # the view itself

    def parse_view(self, text: str) -> V:
        """Return the view that a text of view_text describes. Raises BadText."""
        state = self.parse_position(text)
        return cast(V, state.view(state.to_move))

    @abstractmethod
    def draw(self, view: V, last: Move | None = None) -> tuple[Line, ...]:
        """Return the board as lines for a terminal, the last move marked."""

    def settle(self, state: S, marks: Collection[str]) -> tuple[Outcome, tuple[str, ...]]:
        """Return how a finished game ended if the players agree on these marks, and the marks in full.

        Raises BadText for marks that make no sense, or a game that goes on.
        """
        outcome = state.outcome()
        if outcome is None or marks:
            raise BadText("There is nothing to agree on here.")
        return outcome, ()

    def symmetries(self) -> tuple[tuple[Move, ...], ...]:
        """Return the move permutations that map games to games; at least the identity."""
        return (tuple(self.moves()),)
