"""The basic types of agents: Agent, Budget, Choice, Watch.

Independent of any game or search. An agent gets a View and a Budget and returns a
Choice; the caller can follow its progress, and stop it, through a Watch.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, TypeAlias

from kibitz.core.errors import BadOption
from kibitz.core.game import G, Move, Player, State, V, View


class Counted(str):
    """A unit that can be counted, such as boxes. The string itself is the plural."""

    one: str
    """The singular."""

    def __new__(cls, one: str, many: str) -> Counted:
        """Return the unit with this singular and plural: Counted("box", "boxes")."""
        unit = super().__new__(cls, many)
        unit.one = one
        return unit

    def __reduce__(self) -> tuple[type[Counted], tuple[str, str]]:
        return Counted, (self.one, str(self))

    def amount(self, value: float) -> str:
        """Return a value with its unit: "1 box", "2.5 points"."""
        return f"{value:g} {self.one if abs(value) == 1 else self}"


Unit: TypeAlias = Literal["result", "probability", "share"] | Counted
"""What a value measures: the result (-1, 0, 1) if it is solved, the probability of a win, a count such as boxes or
points, or the probability that a move is played (share), which says nothing about its worth."""


def value_text(value: float, unit: Unit | None, exact: bool) -> str:
    """Return a value in words: "52.3%", "win (proved)", "+3 boxes"."""
    if unit in ("result", "probability"):
        probability = value if unit == "probability" else (value + 1) / 2
        word = "draw" if probability == 0.5 else "win" if probability > 0.5 else "loss"
        return f"{word} (proved)" if exact else f"{probability:.1%}"
    if unit == "share":
        return f"{value:.1%}"
    name = unit.one if isinstance(unit, Counted) and abs(value) == 1 else unit or ""
    return f"{value:+g} {name}".strip() + (" (proved)" if exact else "")


WIN = 1_000_000
"""The value of a won game in searches, which compute in whole numbers; a lost game is -WIN.

Games won by boxes or points use the margin as value instead, which is far below WIN."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What an agent may spend on one turn; None means no limit.

    Agents respect the limits that they can measure. A search with no limit at all,
    neither here nor in its own options, uses DEFAULT_BUDGET.
    """

    seconds: float | None = None
    nodes: int | None = None
    """Positions visited; Monte Carlo searches count each playout as one."""
    playouts: int | None = None

    def __post_init__(self) -> None:
        for name, amount in (("seconds", self.seconds), ("nodes", self.nodes), ("playouts", self.playouts)):
            if amount is not None and not amount > 0:  # "not >" instead of "<=" also refuses NaN
                raise BadOption(f"A budget must be more than 0, got {amount} {name}.")

    def after(self, seconds: float, nodes: int, playouts: int) -> Budget:
        """Return the budget that is left after spending this much: at least 1 ms, one node and one playout."""
        return Budget(
            seconds=None if self.seconds is None else max(self.seconds - seconds, 0.001),
            nodes=None if self.nodes is None else max(self.nodes - nodes, 1),
            playouts=None if self.playouts is None else max(self.playouts - playouts, 1),
        )

    def within(self, seconds: float | None) -> Budget:
        """Return this budget limited to a number of seconds; None leaves it as it is."""
        if seconds is None:
            return self
        return replace(self, seconds=seconds if self.seconds is None else min(seconds, self.seconds))


DEFAULT_BUDGET = Budget(seconds=1.0)
"""The budget of a search that has no other limit."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """An agent's value of one legal move, for the player to move."""

    move: Move
    value: float
    """In the unit of the choice. A "result" that is not exact is an estimate between -1 and 1."""
    exact: bool
    """Whether this move's value is proved, even if those of other moves are not."""
    line: tuple[Move, ...] = ()
    """The expected line from this move on, including it; empty if the agent has none."""
    visits: int | None = None
    """How often the search tried the move; None if the agent does not count visits."""
    score: float | None = None
    """The expected final margin after the move, in the game's points; None if the agent does not estimate it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An agent's answer: a move, and what the agent knows about it. Values are for the player to move."""

    move: Move
    value: float | None = None
    unit: Unit | None = None
    exact: bool = False
    """Whether the value is proved, not estimated."""
    best: tuple[Move, ...] = ()
    """The best moves, ascending: if exact, all that are proved equally good, otherwise the chosen move alone."""
    moves: tuple[MoveValue, ...] = ()
    """The values of all legal moves, or of those worth considering, in ascending order; empty if the agent has none."""
    line: tuple[Move, ...] = ()
    """The expected line, from this move on."""
    depth: int = 0
    nodes: int = 0
    playouts: int = 0
    seconds: float = 0.0
    note: str = ""
    """The reason for the move, in words."""
    score: float | None = None
    """The expected final margin, in the game's points; None if the agent does not estimate it."""
    owners: tuple[float, ...] = ()
    """The expected owner of each point of the board, in the order of the game's point numbers (row by row), from +1,
    the player to move, to -1, the opponent; empty if the agent does not estimate it."""
    view: View | None = field(default=None, repr=False, compare=False)
    """The view that was analysed; set by analyse(), so that the choice can print its board."""

    def __post_init__(self) -> None:
        if not self.best:
            object.__setattr__(self, "best", (self.move,))

    @property
    def candidates(self) -> tuple[MoveValue, ...]:
        """The valued moves, best first: the chosen move, the other best moves, then by visits and by value."""
        rank = lambda m: (m.move != self.move, m.move not in self.best, -(m.visits or 0), -m.value, m.move)  # noqa: E731
        return tuple(sorted(self.moves, key=rank))

    @property
    def proved(self) -> bool:
        """Whether the value is proved. If the chosen move is a proved win, the values of other moves do not matter."""
        chosen = (m for m in self.moves if m.move == self.move and m.exact)
        return self.exact or (self.unit in ("result", "probability") and any(m.value == 1 for m in chosen))

    def __str__(self) -> str:
        from kibitz.core.defaults.shown import choice_text

        return choice_text(self)

    def _repr_html_(self) -> str | None:
        from kibitz.core.defaults.shown import choice_html

        return choice_html(self)


class Allowance:
    """The budgets of both players during a game; the moves of one turn share one budget."""

    def __init__(self, budgets: Sequence[Budget]) -> None:
        if len(budgets) != 2:
            raise BadOption(f"A game takes one budget for both players or one for each, got {len(budgets)} budgets.")
        self._budgets = tuple(budgets)
        self._turn: tuple[int, Player] | None = None
        self._left = budgets[0]

    def budget(self, state: State) -> Budget:
        """Return the budget of the player to move for the next move: what is left of the budget for this turn."""
        turn = (state.turn, state.to_move)
        if self._turn != turn:
            self._turn, self._left = turn, self._budgets[state.to_move]
        return self._left

    def spend(self, choice: Choice, seconds: float) -> None:
        """Deduct the cost of a move: the seconds measured, and the nodes and playouts that the agent counted."""
        self._left = self._left.after(seconds, choice.nodes, choice.playouts)


@dataclass(slots=True, eq=False)
class Watch:
    """The progress of a search, written by its thread and read by others, and a way to stop it."""

    stopped: bool = False
    depth: int = 0
    nodes: int = 0
    move: Move | None = None
    value: float | None = None
    choice: Choice | None = None
    """The answer so far, replaced as it grows, from agents that report one during the search."""

    def stop(self) -> None:
        """Make the search return its best move so far as soon as it can. Any thread may call this."""
        self.stopped = True


class Agent(ABC, Generic[G, V]):
    """A player. The keyword parameters of its constructor are the options of its spec."""

    spec: str = ""
    """The spec it was made from: "alphabeta(depth=4)". Set by make_agent."""
    command: str = ""
    """The command line of an outside program; empty for other agents."""

    def __init__(self, game: G) -> None:
        self.game = game
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget earlier games, and play the next one with this seed."""
        self.rng = random.Random(seed)

    def prepare(self) -> None:
        """Do slow one-time work, such as compiling, before the clock starts."""

    def close(self) -> None:
        """Release resources outside this process, such as another program. The agent cannot be used afterwards."""

    def check(self, view: V) -> None:
        """Raise BadOption if a view belongs to a different game from the one the agent was made for."""
        if view.game != self.game:
            raise BadOption(f"The agent {self.spec} was made for {self.game}, not for {view.game}.")

    @abstractmethod
    def choose(self, view: V, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a legal move for the player to move. Not called once the game is over."""

    def analyse(self, view: V, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the choice in a position that is analysed, not played: some programs then say more of their search."""
        return self.choose(view, budget, watch)
