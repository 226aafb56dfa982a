"""The vocabulary of agents: Agent, Budget, Choice, Watch.

Knows no game and no search. An agent is given a View and a Budget and returns
a Choice; whoever waits for it may look at it, and stop it, through a Watch.
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
    """A unit that is counted, such as boxes: its plural, which is the text itself, and its singular."""

    one: str

    def __new__(cls, one: str, many: str) -> Counted:
        """Return the unit with this singular and plural."""
        made = super().__new__(cls, many)
        made.one = one
        return made

    def __reduce__(self) -> tuple[type[Counted], tuple[str, str]]:
        return Counted, (self.one, str(self))

    def amount(self, value: float) -> str:
        """Return a value with its unit: "1 box", "2.5 points"."""
        return f"{value:g} {self.one if abs(value) == 1 else self}"


Unit: TypeAlias = Literal["result", "probability", "share"] | Counted
"""What a value counts: the result (-1, 0, 1) when solved, a win probability, something counted, such as boxes or
points, or the probability that a move is played (share), which is not what the move is worth."""


def value_text(value: float, unit: Unit | None, exact: bool) -> str:
    """Return a value in words: "52.3%", "win (proved)", "+3 boxes"."""
    if unit in ("result", "probability"):
        points = value if unit == "probability" else (value + 1) / 2
        word = "draw" if points == 0.5 else "win" if points > 0.5 else "loss"
        return f"{word} (proved)" if exact else f"{points:.1%}"
    if unit == "share":
        return f"{value:.1%}"
    name = unit.one if isinstance(unit, Counted) and abs(value) == 1 else unit or ""
    return f"{value:+g} {name}".strip() + (" (proved)" if exact else "")


WIN = 1_000_000
"""The scale of the searches' whole-number values: WIN or more is a won game, -WIN or less a lost one.

A game that counts boxes or points has its margins for values instead, all of them far below."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What an agent may spend on one turn; None means no limit.

    An agent keeps the limits that it can count. A search that is left without
    any, its own options included, takes DEFAULT_BUDGET.
    """

    seconds: float | None = None
    nodes: int | None = None
    """Positions looked at; a search by playouts counts a playout as one."""
    playouts: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "nodes", "playouts"):
            amount = getattr(self, name)
            # "not >" rather than "<=", so that a NaN is refused too
            if amount is not None and not amount > 0:
                raise BadOption(f"A budget of {amount} {name} is not possible: it must be more than 0.")

    def after(self, seconds: float, nodes: int, playouts: int) -> Budget:
        """Return what is left of this budget once so much is spent, never less than a trifle."""
        if self.seconds is None and self.nodes is None and self.playouts is None:
            return self
        return Budget(
            seconds=None if self.seconds is None else max(self.seconds - seconds, 0.001),
            nodes=None if self.nodes is None else max(self.nodes - nodes, 1),
            playouts=None if self.playouts is None else max(self.playouts - playouts, 1),
        )

    def within(self, seconds: float | None) -> Budget:
        """Return this budget with at most so many seconds; None for no such limit."""
        if seconds is None:
            return self
        return replace(self, seconds=seconds if self.seconds is None else min(seconds, self.seconds))


DEFAULT_BUDGET = Budget(seconds=1.0)
"""What a search takes that is left without any limit."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """What an agent thinks of one legal move."""

    move: Move
    value: float
    exact: bool
    line: tuple[Move, ...] = ()
    """The play expected from this move on, itself included; empty if the agent does not say."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An agent's answer: a move, and as much of the reason as it has. Values are the mover's."""

    move: Move
    value: float | None = None
    unit: Unit | None = None
    exact: bool = False
    """True when the value is proved, not estimated."""
    best: tuple[Move, ...] = ()
    """The move; when exact, all moves known to be as good, ascending."""
    moves: tuple[MoveValue, ...] = ()
    """A value for every legal move, from the agents that look at each."""
    line: tuple[Move, ...] = ()
    """The play expected, from this move on."""
    depth: int = 0
    nodes: int = 0
    playouts: int = 0
    seconds: float = 0.0
    note: str = ""
    """Why, in words."""
    view: View | None = field(default=None, repr=False, compare=False)
    """What the agent was shown, where the choice was made by analyse(): lets it show itself."""

    def __post_init__(self) -> None:
        if not self.best:
            object.__setattr__(self, "best", (self.move,))

    @property
    def proved(self) -> bool:
        """Whether the value is proved; a proved win of the move is enough, whatever the others are worth."""
        own = (m for m in self.moves if m.move == self.move and m.exact)
        return self.exact or (self.unit in ("result", "probability") and any(m.value == 1 for m in own))

    def __str__(self) -> str:
        from kibitz.core.defaults.shown import choice_text

        return choice_text(self)

    def _repr_html_(self) -> str | None:
        from kibitz.core.defaults.shown import choice_html

        return choice_html(self)


class Allowance:
    """Hands out the budgets of a game move by move, so that the moves of one turn share one budget."""

    def __init__(self, budgets: Sequence[Budget]) -> None:
        if len(budgets) != 2:
            raise BadOption(f"A game takes one budget for both players or one for each, not {len(budgets)}.")
        self._budgets = tuple(budgets)
        self._turn: tuple[int, Player] | None = None
        self._left = budgets[0]

    def before(self, state: State) -> Budget:
        """Return what the player to move may spend on this move."""
        turn = (state.turn, state.to_move)
        if self._turn != turn:
            self._turn, self._left = turn, self._budgets[state.to_move]
        return self._left

    def spend(self, choice: Choice, seconds: float) -> None:
        """Note what the move cost: the seconds measured, and what the agent counted."""
        self._left = self._left.after(seconds, choice.nodes, choice.playouts)


class Watch:
    """A search seen from outside: what it has found so far, and the button that ends it.

    The searching thread writes, others read; stop() may be called from any thread.
    """

    __slots__ = ("depth", "move", "nodes", "stopped", "value")

    def __init__(self) -> None:
        self.stopped = False
        self.depth = 0
        self.nodes = 0
        self.move: Move | None = None
        self.value: float | None = None

    def stop(self) -> None:
        """Ask for the best move found so far, now."""
        self.stopped = True


class Agent(ABC, Generic[G, V]):
    """A player. Its constructor's keyword parameters are the keys of its spec."""

    spec: str = ""
    """How it was asked for, such as "alphabeta(depth=4)". Set by the registry."""

    def __init__(self, game: G) -> None:
        self.game = game
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget everything about earlier games; play the next one from this seed."""
        self.rng = random.Random(seed)

    def prepare(self) -> None:
        """Do now what takes long once, such as compiling, so that no clock runs meanwhile."""

    def close(self) -> None:
        """Let go of what lies outside this process. The agent is not used any more."""

    def check(self, view: V) -> None:
        """Raise BadOption for a view of another game than the agent was made for."""
        if view.game != self.game:
            raise BadOption(f"The agent {self.spec} was made for {self.game}, not for {view.game}.")

    @abstractmethod
    def choose(self, view: V, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a legal move for the player to move. Called only while the game goes on."""
