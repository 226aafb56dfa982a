"""The strongest player: exact as soon as a solve fits the budget, before that a tree search with estimated endgames.

It tries in turn: the opening book (book.py); the exact value of the position (exact/solver.py); whether to take boxes
or to double-deal, by an estimate where theory does not know (tree.py, advice.py); and a tree search over quiet lines
(tree.py).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from random import Random

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, Watch
from kibitz.games.dots.evaluate import BOXES
from kibitz.games.dots.exact import layout
from kibitz.games.dots.exact.agent import solver_for
from kibitz.games.dots.players.champion import tree
from kibitz.games.dots.players.champion.book import look_up
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.advice import advise
from kibitz.games.dots.theory.endgames import find_captures

ALWAYS_SOLVED_LINES = 40  # with at most this many lines left, isolated chains not counted, a solve is always tried
_NODES_FOR_40_LINES, _NODES_FACTOR_PER_LINE, _NODES_PER_SECOND = 1_000_000, 4.0, 3_000_000
"""Approximate nodes to solve 5x5 with 40 lines left, the factor per further line, and the solver's speed."""
_SOLVE_SHARE = 0.6  # the part of the budget in which a solve must finish
_PLANNED_SHARE = 0.9  # the part of the time that is planned for, so as not to be late


class DotsChampion(Agent[Dots, DotsState]):
    """The strongest for a given time: exact play as early as possible, before that a tree search.

    memory is the size of the solver's table in megabytes, threads are those of the solver. book=false turns the
    opening book off. nodes and seconds are its own limits for a turn.
    """

    def __init__(
        self,
        game: Dots,
        *,
        memory: int = 256,
        threads: int = 1,
        book: bool = True,
        nodes: int | None = None,
        seconds: float | None = None,
    ) -> None:
        self.book = book
        own = Budget(seconds=seconds, nodes=nodes)
        self.nodes, self.seconds = own.nodes, own.seconds
        self.solver = solver_for(game, memory, threads, "champion")
        self._prepared = False
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget what was solved."""
        super().reset(seed)
        self.solver.forget()

    def prepare(self) -> None:
        """Compile the solver and the tree search, or load them from the cache."""
        self.solver.prepare()
        if not self._prepared:
            tree.prepare()
            tree.look_ahead(self.game.start(), Budget(playouts=1), None, Random(0))  # fills the caches of this board
            self._prepared = True

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a best move if the position can be solved in time, otherwise the most promising one."""
        self.check(view)
        self.prepare()
        turn = _ChampionTurn(view, self._limited_budget(budget), watch)
        legal = view.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0])
        choice = (
            self._by_book(turn)
            or self._by_solver(turn)
            or tree.take_or_leave(view, turn.left(), watch, self.rng)
            or _by_advice(turn)
            or tree.look_ahead(view, turn.left(), watch, self.rng)
        )
        assert choice is not None, "a box can be taken, or the tree search has an answer"
        return replace(choice, nodes=choice.nodes + turn.used, seconds=turn.elapsed())

    def _limited_budget(self, budget: Budget) -> Budget:
        """Return a budget within the agent's own limits."""
        budget = budget.within(self.seconds)
        if budget.seconds is not None:
            budget = budget.within(_PLANNED_SHARE * budget.seconds)
        if self.nodes is not None:
            budget = replace(budget, nodes=min(self.nodes, budget.nodes or self.nodes))
        return DEFAULT_BUDGET if budget == Budget() else budget

    def _by_book(self, turn: _ChampionTurn) -> Choice | None:
        """Return the opening book's move, or None if the position is not in the book or the book is turned off."""
        entry = look_up(turn.state) if self.book else None
        if entry is None:
            return None
        note = f"From the opening book: won {entry.share:.0%} of {entry.playouts:,} playouts."
        return Choice(entry.move, entry.share, "probability", note=note)

    def _by_solver(self, turn: _ChampionTurn) -> Choice | None:
        """Return a best move found by the solver, with its final margin; None if that takes too long."""
        from kibitz.games.dots.exact.root import set_up

        graph = turn.state.game.board
        root = set_up(graph, graph.all_strings & ~find_captures(graph, turn.state.drawn).drawn_after, layout.ALL)
        if root is None:
            return None
        lines = root.core.bit_count()
        seconds, nodes = turn.solve_limits()
        nodes_in_time = float("inf") if seconds is None else seconds * _NODES_PER_SECOND * self.solver.threads
        affordable = min(nodes_in_time, float("inf") if nodes is None else nodes)
        needed = _NODES_FOR_40_LINES * _NODES_FACTOR_PER_LINE ** (lines - 40)
        if lines > ALWAYS_SOLVED_LINES and affordable < needed:
            return None
        report = self.solver.report_to(turn.watch, turn.used)
        solution = self.solver.solve(turn.state.drawn, first_best=True, report=report, seconds=seconds, nodes=nodes)
        turn.used += solution.nodes
        if solution.value is None or not solution.best:
            return None
        value = turn.state.margin + solution.value
        return Choice(solution.best[0], value, BOXES, True, depth=turn.state.undrawn.bit_count())


def _by_advice(turn: _ChampionTurn) -> Choice | None:
    """Return the next line by theory or by rule of thumb where boxes can be taken; None if there are none to take."""
    advice = advise(turn.state)
    if advice is None:
        return None
    return Choice(advice.lines[0], note=f"{advice.sentence[0].upper()}{advice.sentence[1:]}.")


@dataclass
class _ChampionTurn:
    """One call of choose: the position, the budget and what is left of it."""

    state: DotsState
    budget: Budget
    watch: Watch | None
    began: float = field(default_factory=time.perf_counter)
    used: int = 0  # nodes

    def elapsed(self) -> float:
        """Return the seconds since the turn began."""
        return time.perf_counter() - self.began

    def left(self) -> Budget:
        """Return what is left of the budget."""
        return self.budget.after(self.elapsed(), self.used, 0)

    def solve_limits(self) -> tuple[float | None, int | None]:
        """Return the limits of a solve in seconds and in nodes; None for no limit."""
        seconds, nodes = self.budget.seconds, self.budget.nodes
        if seconds is None and nodes is None:
            nodes = _NODES_PER_SECOND  # the budget counts playouts alone
        return (
            None if seconds is None else _SOLVE_SHARE * seconds - self.elapsed(),
            None if nodes is None else int(_SOLVE_SHARE * nodes),
        )
