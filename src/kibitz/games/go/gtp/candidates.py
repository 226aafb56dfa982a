"""What an engine reports about its candidate moves, checked, and as a Choice. No report is trusted.

Used for both protocols: kata-analyze and lz-analyze over GTP, and KataGo's JSON.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kibitz.core.agent import DEFAULT_BUDGET, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import KibitzError
from kibitz.core.game import Move
from kibitz.games.go.gtp.lines import read_vertex
from kibitz.games.go.rules import GoState

MAX_LINE_MOVES = 30
"""Read at most this many moves of an expected line."""
MAX_VISITS = 10**12


@dataclass(frozen=True)
class ReportedMove:
    """A legal move with what the engine found, for the player to move."""

    move: Move
    order: int
    """The engine's rank of the move, 0 for the best."""
    win_rate: float
    visits: int
    score: float | None
    line: tuple[Move, ...]

    @staticmethod
    def read(state: GoState, fields: Mapping[str, object], full_rate: float = 1) -> ReportedMove | None:
        """Return a reported move, from its fields by KataGo's names. full_rate: the win rate of a sure win.

        None if the move, its win rate or its visits are missing, illegal or impossible.
        """
        move, line = fields.get("move"), fields.get("pv")
        order, rate = number(fields.get("order", 0), 0, MAX_VISITS), number(fields.get("winrate"), 0, full_rate)
        visits = number(fields.get("visits"), 0, MAX_VISITS)
        words = line if isinstance(line, list) and line[:1] == [move] else [move]
        moves = legal_line(state, words)
        if order is None or rate is None or visits is None or not moves:
            return None
        margin = state.game.size**2 + abs(state.game.komi)
        score = number(fields.get("scoreLead", fields.get("scoreMean")), -margin, margin)
        return ReportedMove(moves[0], int(order), rate / full_rate, int(visits), score, moves)


def number(value: object, low: float, high: float) -> float | None:
    """Return a number, given as such or as text, or None if it is not one or not in the range."""
    if not isinstance(value, int | float | str) or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and low <= found <= high else None


def legal_line(state: GoState, words: Iterable[object]) -> tuple[Move, ...]:
    """Parse the moves of a line; return those before the first that is not a legal move."""
    line = list[Move]()
    for word in words:
        try:
            if not isinstance(word, str) or len(line) == MAX_LINE_MOVES:
                break
            move = read_vertex(state.game, word)
            state = state.play(move)
        except KibitzError:
            break
        line.append(move)
    return tuple(line)


def owners_of(state: GoState, values: object) -> tuple[float, ...]:
    """Return the owner of each point, from 1 for the player to move to -1, or () if they are not all given."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != state.game.size**2:
        return ()
    owners = [number(value, -1.001, 1.001) for value in values]
    known = tuple(max(-1.0, min(owner, 1.0)) for owner in owners if owner is not None)
    return known if len(known) == len(owners) else ()


def choice_of(
    candidates: Iterable[ReportedMove | None],
    visits: float | None = None,
    owners: tuple[float, ...] = (),
    seconds: float = 0.0,
) -> Choice | None:
    """Return a report as a choice of its best move, or None if no candidate is legal. visits: of the whole search."""
    ranked = dict[Move, ReportedMove]()
    for each in sorted((each for each in candidates if each is not None), key=lambda each: each.order):
        ranked.setdefault(each.move, each)
    if not ranked:
        return None
    best = next(iter(ranked.values()))
    total = int(visits) if visits is not None else sum(each.visits for each in ranked.values())
    return Choice(
        best.move,
        best.win_rate,
        "probability",
        moves=tuple(
            MoveValue(each.move, each.win_rate, False, each.line, each.visits, each.score)
            for _, each in sorted(ranked.items())
        ),
        line=best.line,
        depth=max(len(each.line) for each in ranked.values()),
        nodes=total,
        playouts=total,
        seconds=seconds,
        score=best.score,
        owners=owners,
    )


class Analysis:
    """The analysis of a position by an engine: the last report, and whether the search may end."""

    def __init__(self, budget: Budget, watch: Watch | None) -> None:
        limits = [limit for limit in (budget.nodes, budget.playouts) if limit is not None]
        self.visits = min(limits, default=None)
        """Maximum number of visits, or None for no limit."""
        self.seconds = DEFAULT_BUDGET.seconds if budget.seconds is None and not limits else budget.seconds
        """Maximum time, or None for no limit."""
        self.found: Choice | None = None
        """The last report with a legal move."""
        self._watch = watch
        self._began = time.monotonic()

    @property
    def elapsed(self) -> float:
        """Seconds since the analysis began."""
        return time.monotonic() - self._began

    def add(self, report: Choice | None) -> None:
        """Take a report, and show it to those who watch."""
        if report is None:
            return
        self.found = report
        if self._watch is not None:
            self._watch.depth, self._watch.nodes = report.depth, report.nodes
            self._watch.move, self._watch.value, self._watch.choice = report.move, report.value, report

    @property
    def is_done(self) -> bool:
        """Whether there is a report and the budget is spent or the watch was stopped."""
        if self.found is None:
            return False
        return (
            (self._watch is not None and self._watch.stopped)
            or (self.seconds is not None and self.elapsed >= self.seconds)
            or (self.visits is not None and self.found.nodes >= self.visits)
        )
