"""The optional parts of a game, as types: kernel, evaluations, agents, words, notations, chance, problems, bots.

Types and small dataclasses only. A game lists its parts in its GamePackage (see
package.py); kibitz has defaults for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias

from typing_extensions import TypeVar

from kibitz.core.agent import WIN, Agent, Budget, Counted, Unit
from kibitz.core.game import G, Game, Line, Move, Outcome, Player, S, State, V
from kibitz.core.untrusted import JsonObject

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

P = TypeVar("P", default=Any)
"""The type of a kernel's positions: a NamedTuple of arrays."""
G_in = TypeVar("G_in", bound=Game, default=Any, contravariant=True)


# For searches


class Ints(Protocol):
    """An int64 array of one or two dimensions, as kernels see it."""

    @property
    def shape(self) -> tuple[int, ...]: ...  # noqa: D102  # numpy's own

    def __getitem__(self, i: int | tuple[int, int], /) -> int: ...
    def __setitem__(self, i: int | tuple[int, int], value: int, /) -> None: ...
    def __len__(self) -> int: ...


class Kernel(Protocol[S, G_in, P]):
    """A game's rules on arrays, for compiled code: a module that calls register() in compiled/position.py."""

    MOVES: int
    """The length of arrays indexed by move: at least len(game.moves()), whatever the options."""
    MAX_LEGAL_MOVES: int
    """An upper bound on the number of legal moves in a position; searches size their arrays by it."""
    MAX_GAME_LENGTH: int
    """The maximum number of moves in a game."""

    def pack(self, state: S, /) -> P:
        """Convert a state to a kernel position."""

    def unpack(self, pos: P, game: G_in, /) -> S:
        """Convert a kernel position back to a state of the game."""

    # The operations, documented in compiled/position.py
    def mover(self, pos: P, /) -> int: ...  # noqa: D102
    def over(self, pos: P, /) -> bool: ...  # noqa: D102
    def final(self, pos: P, /) -> int: ...  # noqa: D102
    def legal(self, pos: P, out: Ints, at: int, /) -> int: ...  # noqa: D102
    def play(self, pos: P, move: int, /) -> int: ...  # noqa: D102
    def undo(self, pos: P, move: int, token: int, /) -> None: ...  # noqa: D102
    def copy(self, pos: P, into: P, /) -> None: ...  # noqa: D102
    def key(self, pos: P, /) -> int: ...  # noqa: D102
    def evaluate(self, pos: P, evaluation: int, /) -> int: ...  # noqa: D102
    def quick_score(self, pos: P, move: int, /) -> int: ...  # noqa: D102


@dataclass(frozen=True)
class Evaluation(Generic[S]):
    """An evaluation in plain Python: how good a position is for the player to move."""

    function: Callable[[S], int]
    scale: float = WIN
    """The value at which the player to move wins about 73 of 100 games."""
    load: Callable[[], object] = lambda: None
    """Called before kernel positions are made that a search evaluates in this way: loads large tables."""


def final_value(state: State) -> int:
    """Return WIN, 0 or -WIN for the player to move in a finished game."""
    outcome = state.outcome()
    assert outcome is not None, "the game is not over"
    return WIN * outcome.value(state.to_move)


def zero_value(state: State) -> int:
    """Return 0 for every position: the evaluation of a game that defines none."""
    return 0


@dataclass(frozen=True)
class Evaluations(Generic[S, G]):
    """The evaluations of a game by name, in the order in which its kernel numbers them."""

    known: Mapping[str, Evaluation[S]] = field(default_factory=lambda: {"none": Evaluation(zero_value)})
    """The first is the default."""
    final: Callable[[S], int] = final_value
    """The value of a finished game for the player to move, in the same unit."""
    unit: Literal["probability"] | Counted = "probability"
    """What the values measure: the probability of a win, or a margin in a unit such as boxes."""
    margin_scale: Callable[[G], float] = lambda game: 1.0
    """game -> the margin, in units, that is shown as a win probability of about 73 %."""

    def number(self, name: str) -> int:
        """Return the number of an evaluation in the kernel."""
        return list(self.known).index(name)


# Agents


@dataclass(frozen=True)
class AgentEntry:
    """An entry in a game's table of agents."""

    make: type[Agent] | str
    """Its class, or the spec for which it is an alias."""
    label: str = ""
    """The name shown to people, if it differs from the name in specs."""
    about: str = ""
    """How it plays, in a sentence; default: the first line of its class's docstring."""


@dataclass(frozen=True)
class AgentTable:
    """The agents of a game by name, including level1 to level10, champion and random."""

    entries: Mapping[str, AgentEntry]
    analyst: str
    """The spec of the agent that analyses positions."""
    warmup: tuple[str, ...] = ()
    """Specs of agents whose first moves compile all kernels; if empty, one agent of each class is prepared."""
    analyst_unit: Unit | None = None
    """The unit of the analyst's values that are not proved; by default that of the game's evaluations."""
    review: Budget = Budget(seconds=0.3)
    """What a review spends on each position by default."""


@dataclass(frozen=True)
class BotKind:
    """A kind of external agent, chosen by a spec "prefix:rest"."""

    make: Callable[[Game, str], Agent]
    """(game, the text after the prefix) -> the agent"""
    rest: str = "COMMAND"
    """The placeholder, in help texts, for the text after the prefix."""
    about: str = "Another program, see docs/bots.md."
    any_start: bool = True
    """Whether it can play from any position, not only from the start."""
    analyses: bool = False
    """Whether such programs can analyse: give the values of moves, not only a move."""
    installed: Mapping[str, str] = field(default_factory=dict)
    """Programs that the page offers if they are on the PATH: name -> the text after the prefix."""


# Words, notations, problems


@dataclass(frozen=True)
class Words(Generic[S, V]):
    """Descriptions of a game's moves and positions in words."""

    reasons: Callable[[V, Move, Sequence[Move]], tuple[str, ...]]
    """(view of the player to move, move, expected line from that move on) -> reasons for or against the move: clauses
    without a subject, such as "wins the centre board", the most important first. The view is the state itself if
    nothing is hidden."""
    draw: Callable[[S, int], tuple[Line, ...]] | None = None
    """(state, terminal width) -> the board and the game's own analysis, as lines of text; None: the board alone."""
    data: Callable[[S], JsonObject] | None = None
    """state -> the same analysis as a JSON object, for --json."""


@dataclass(frozen=True)
class Notation:
    """A text format for games or positions."""

    name: str
    label: str
    kind: Literal["game", "position"]


@dataclass(frozen=True)
class Signature:
    """The players and the result of a game, for notations that record them."""

    players: tuple[str, str]
    outcome: Outcome | None


class Notations(Protocol[S, G_in]):
    """The text formats that a game can read and write."""

    @property
    def kinds(self) -> Sequence[Notation]:
        """The notations, the preferred one first."""

    def read(self, game: G_in, text: str, name: str | None, /) -> tuple[S, tuple[Move, ...]]:
        """Parse a text; return the start position and the moves. name: the notation, or None to autodetect it.

        Raise BadText if the text cannot be read, BadOption for an unknown notation.
        """

    def signature(self, text: str, name: str | None, /) -> Signature | None:
        """Return the players and the result that a text names; None if the notation has no room for them.

        A player without a name is "". Raise like read.
        """

    def write(self, states: Sequence[S], moves: Sequence[Move], name: str, signed: Signature | None = None, /) -> str:
        """Write a game, or its last position, in the notation with this name.

        Raise BadOption for an unknown notation, BadText if the notation cannot express this game.
        """


@dataclass(frozen=True)
class ProblemHeading:
    """An entry in the list of problems."""

    number: int
    title: str
    grade: int
    theme: str
    size: str


@dataclass(frozen=True)
class ShownProblem:
    """A problem to solve, without its answer."""

    heading: ProblemHeading
    count: int
    """The total number of problems."""
    state: State
    last: tuple[Move, ...]
    """The moves of the last turn, marked on the board."""
    hint: str


@dataclass(frozen=True)
class Verdict:
    """The response to a move that the player tried, or to a request for the answer."""

    right: bool | None
    """Whether the move solves the problem; None if the player asked for the answer."""
    words: str
    best: tuple[str, ...] = ()
    """Texts of the best moves; empty while the problem is unsolved."""
    state: State | None = None
    """The position after the answer."""
    last: tuple[Move, ...] = ()


class Problems(Protocol):
    """The problems of a game."""

    def headings(self) -> Sequence[ProblemHeading]:
        """Return the entries of the list of problems, in order."""

    def show(self, number: int, /) -> ShownProblem:
        """Return the problem with this number, without its answer. Raise BadOption if the number is unknown."""

    def judge(self, number: int, move: str | None, /) -> Verdict:
        """Judge a move; None asks for the answer. Raise BadOption, or BadText or IllegalMove for a bad move."""


# For learning frameworks


class Chance(Protocol[S, G_in]):
    """The chance events of a game, such as cards dealt and drawn, for frameworks with explicit chance nodes.

    Outcomes are small whole numbers. Any module that defines these names will do.
    """

    OUTCOMES: int
    """The number of different outcomes."""

    def outcome_text(self, outcome: int, /) -> str:
        """Return an outcome as text, such as the name of a card."""

    def deal_outcomes(self, game: G_in, dealt: tuple[int, ...], /) -> tuple[int, ...]:
        """Return the possible outcomes after those dealt so far, ascending; empty once the deal is complete."""

    def deal(self, game: G_in, dealt: tuple[int, ...], /) -> S:
        """Return the start position after a complete deal; dealt: its outcomes in order."""

    def move_outcomes(self, state: S, move: Move, /) -> tuple[int, ...]:
        """Return the possible chance outcomes of a move, ascending; empty if the move involves no chance."""

    def play_with_outcome(self, state: S, move: Move, outcome: int, /) -> S:
        """Return the position after a move with this chance outcome. Raise IllegalMove if the move is illegal."""

    def private_outcomes(self, before: S, after: S, /) -> tuple[int, ...]:
        """Return the chance outcomes that only the mover saw, of the move that led from `before` to `after`."""


Observe: TypeAlias = Callable[[V, Player], "NDArray[np.float32]"]
"""(view, player) -> the player's observation, an array of the same shape in every position."""
