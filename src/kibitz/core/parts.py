"""The optional parts of a game, as types: kernel, evaluations, agents, words, notations, chance, problems, bots.

Only types and small dataclasses. A game supplies the parts it has through its
GamePackage (see package.py); everything else falls back to a default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias

from typing_extensions import TypeVar

from kibitz.core.agent import WIN, Agent, Counted
from kibitz.core.game import G, Game, Line, Move, Outcome, Player, S, State, V

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kibitz.compiled.arrays import Ints

P = TypeVar("P", default=Any)
"""The type of a kernel's positions: a NamedTuple of arrays."""
G_in = TypeVar("G_in", bound=Game, default=Any, contravariant=True)


# What searches need


class Kernel(Protocol[S, G_in, P]):
    """The compiled twin of a game's rules: a module with a Position type that compiled/position.py knows."""

    MOVES: int
    """The number of move numbers, at least len(game.moves()) for all options: searches keep arrays indexed by move."""
    MAX_LEGAL_MOVES: int
    """The length of an array that holds any position's legal moves."""
    MAX_GAME_LENGTH: int
    """At least the number of moves in the longest game."""

    def pack(self, state: S, /) -> P:
        """Return a state as the arrays of the kernel."""
        ...

    def unpack(self, pos: P, game: G_in, /) -> S:
        """Return the state that the arrays stand for."""
        ...

    # The operations of compiled/position.py, which says what each returns.
    def mover(self, pos: P, /) -> int: ...  # noqa: D102
    def over(self, pos: P, /) -> bool: ...  # noqa: D102
    def final(self, pos: P, /) -> int: ...  # noqa: D102
    def legal(self, pos: P, out: Ints, at: int, /) -> int: ...  # noqa: D102
    def play(self, pos: P, move: int, /) -> int: ...  # noqa: D102
    def undo(self, pos: P, move: int, token: int, /) -> None: ...  # noqa: D102
    def copy(self, pos: P, into: P, /) -> None: ...  # noqa: D102
    def key(self, pos: P, /) -> int: ...  # noqa: D102
    def evaluate(self, pos: P, evaluation: int, /) -> int: ...  # noqa: D102
    def promise(self, pos: P, move: int, /) -> int: ...  # noqa: D102


@dataclass(frozen=True)
class Evaluation(Generic[S]):
    """A readable evaluation: how good a position is for the player to move."""

    function: Callable[[S], int]
    scale: float = WIN
    """The value at which the player to move wins about 73 of 100 games."""


def final_value(state: State) -> int:
    """Return WIN, 0 or -WIN for the player to move in a finished game."""
    outcome = state.outcome()
    assert outcome is not None, "the game goes on"
    return WIN * outcome.value(state.to_move)


def no_opinion(state: State) -> int:
    """Return 0: the game goes on and nobody is ahead."""
    return 0


@dataclass(frozen=True)
class Evaluations(Generic[S, G]):
    """The evaluations of a game by name; the kernel numbers them in the same order."""

    known: Mapping[str, Evaluation[S]] = field(default_factory=lambda: {"none": Evaluation(no_opinion)})
    """The first is the default."""
    final: Callable[[S], int] = final_value
    """The value of a finished game for the player to move, in the same units."""
    unit: Literal["probability"] | Counted = "probability"
    """What the values count."""
    margin_scale: Callable[[G], float] = lambda game: 1.0
    """game -> the margin, in units, that squeezes to about 0.73 of a win."""

    def number(self, name: str) -> int:
        """Return the number of an evaluation, by which the kernel knows it."""
        return list(self.known).index(name)


# Agents


@dataclass(frozen=True)
class AgentEntry:
    """An agent in the list of a game."""

    make: type[Agent] | str
    """Its class, or the spec that it stands for."""
    label: str = ""
    """What people call it, where its name does not say."""
    about: str = ""
    """How it plays, in a sentence; by default the first line of its class's docstring."""


@dataclass(frozen=True)
class AgentTable:
    """The agents of a game, from level1 to the champion among them."""

    entries: Mapping[str, AgentEntry]
    analyst: str
    """The spec of the agent that analyses positions."""
    warmup: tuple[str, ...] = ()
    """Specs whose first moves compile everything; if empty, every class of the table is prepared once."""


@dataclass(frozen=True)
class BotKind:
    """A kind of agent from outside kibitz, asked for as "prefix:rest"."""

    make: Callable[[Game, str], Agent]
    """Makes the agent from the game and what follows the prefix."""
    rest: str = "COMMAND"
    """What follows the prefix, for help texts."""
    about: str = "Another program, see docs/bots.md."
    any_start: bool = True
    """Whether it can start from any position."""


# Words, notations, problems


@dataclass(frozen=True)
class Words(Generic[S, V]):
    """A game's moves and positions in words."""

    reasons: Callable[[V, Move, Sequence[Move]], tuple[str, ...]]
    """(view of the player to move, move, the play expected from that move on) -> what speaks for or against the move:
    clauses without a subject, such as "wins the centre board", the most important first. Where nothing is hidden the
    view is the state."""
    draw: Callable[[S, int], tuple[Line, ...]] | None = None
    """(state, columns) -> the board for a terminal with what the game sees in it; None for the board alone."""
    data: Callable[[S], Mapping[str, Any]] | None = None
    """state -> the same as data, for --json."""


@dataclass(frozen=True)
class Notation:
    """A way to write a game or a position."""

    name: str
    label: str
    kind: Literal["game", "position"]


@dataclass(frozen=True)
class Signature:
    """Who played a game and how it ended, for notations that have room for it."""

    players: tuple[str, str]
    outcome: Outcome | None


class Notations(Protocol[S, G_in]):
    """The notations of a game."""

    @property
    def kinds(self) -> Sequence[Notation]:
        """The notations, the preferred one first."""
        ...

    def read(self, game: G_in, text: str, name: str | None, /) -> tuple[S, tuple[Move, ...]]:
        """Return the start and the moves of a text in a notation, autodetected if None. Raise BadText or BadOption."""
        ...

    def write(self, states: Sequence[S], moves: Sequence[Move], name: str, signed: Signature | None = None, /) -> str:
        """Return a game, or its last position, in a notation. Raise BadOption or BadText."""
        ...


@dataclass(frozen=True)
class ProblemHeading:
    """A problem as a list shows it."""

    number: int
    title: str
    grade: int
    theme: str
    size: str


@dataclass(frozen=True)
class ShownProblem:
    """A problem to solve; nothing here gives the answer away."""

    heading: ProblemHeading
    count: int
    """The number of problems there are."""
    state: State
    last: tuple[Move, ...]
    """The last turn, to be marked on the board."""
    hint: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on an answer to a problem."""

    right: bool | None
    """None if the answer was asked for."""
    words: str
    best: tuple[str, ...] = ()
    """Texts of the best moves, where they may be told."""
    state: State | None = None
    """The position after the answer."""
    last: tuple[Move, ...] = ()


class Problems(Protocol):
    """The problems of a game."""

    def headings(self) -> Sequence[ProblemHeading]:
        """Return all problems in order."""
        ...

    def show(self, number: int, /) -> ShownProblem:
        """Return a problem. Raise BadOption for an unknown number."""
        ...

    def judge(self, number: int, move: str | None, /) -> Verdict:
        """Return the verdict on a move; None asks for the answer. Raise BadOption, BadText or IllegalMove."""
        ...


# Learners


class Chance(Protocol[S, G_in]):
    """What is dealt and drawn in a game, one event at a time, for frameworks with explicit chance nodes.

    Outcomes are small numbers. A module is a Chance if it has these names.
    """

    OUTCOMES: int
    """The number of different outcomes."""

    def outcome_text(self, outcome: int, /) -> str:
        """Return the text of an outcome."""
        ...

    def to_deal(self, game: G_in, dealt: tuple[int, ...], /) -> tuple[int, ...]:
        """Return the outcomes that may be dealt after these, ascending; none once the deal is complete."""
        ...

    def deal(self, game: G_in, dealt: tuple[int, ...], /) -> S:
        """Return the first position after this deal."""
        ...

    def to_turn_up(self, state: S, move: Move, /) -> tuple[int, ...]:
        """Return the outcomes that a move may turn up by chance, ascending; none if it turns up nothing unknown."""
        ...

    def turn_up(self, state: S, move: Move, outcome: int, /) -> S:
        """Return the position after a move that turns up this outcome. Raise IllegalMove."""
        ...

    def drawn(self, before: S, after: S, /) -> tuple[int, ...]:
        """Return the outcomes that the mover of one move has seen and the opponent has not."""
        ...


Observe: TypeAlias = Callable[[V, Player], "NDArray[np.float32]"]
"""What a player sees as numbers: (view, player) -> an array of fixed length."""
