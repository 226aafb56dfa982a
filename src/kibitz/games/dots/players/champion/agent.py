"""The strongest player: exact as soon as that can be done in time, before that a tree search with estimated ends.

In turn it tries: the opening book (book.py); the value of the position
(exact/solver.py); whether to take boxes or to double-deal, by an estimate where
theory does not know (tree.py, advice.py); a tree search over quiet lines
(tree.py); and last the rules of chain_rule.py.
"""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random
from typing import Any

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, View
from kibitz.games.dots.evaluate import BOXES
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.players.chain_rule import ChainRule
from kibitz.games.dots.players.champion import tree
from kibitz.games.dots.players.champion.book import look_up
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.advice import advise
from kibitz.games.dots.theory.endgames import captures

SURE = 40
"""With so many lines or fewer, isolated chains not counted, the value is asked for in any case."""
_AT_40, _A_LINE, _RATE = 1_000_000, 4.0, 3_000_000
"""Nodes to solve 5x5 with 40 lines left, how many times more for each line more, and nodes a second: all roughly."""
_VALUE = 0.6
"""The part of the budget in which the value must be found."""
_IN_TIME = 0.9
"""The part of the time that is planned with, so as not to be late."""


class Champion(Agent):
    """The strongest for a given time: exact play as early as it can be had, before that a tree search.

    memory is the size of the solver's table in megabytes, threads are those of
    the solver. book=false lets it do without its opening book. nodes and seconds
    are its own limits for a turn.
    """

    def __init__(
        self,
        game: Game,
        *,
        memory: int = 256,
        threads: int = 1,
        book: bool = True,
        nodes: int | None = None,
        seconds: float | None = None,
    ) -> None:
        assert isinstance(game, Dots)
        if not 1 <= memory <= 1 << 20:
            raise BadOption(f"champion cannot have a table of {memory} MB: it must be 1 to {1 << 20}.")
        self.book = book
        own = Budget(seconds=seconds, nodes=nodes)
        self.nodes, self.seconds = own.nodes, own.seconds
        self.solver = Solver(game.board, memory << 20, threads)
        self.fallback = ChainRule(game)
        self._prepared = False
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget what was solved."""
        super().reset(seed)
        self.solver.forget()
        self.fallback.reset(seed)

    def prepare(self) -> None:
        """Have the solver and the tree search compiled or loaded."""
        self.solver.prepare()
        if not self._prepared:
            assert isinstance(self.game, Dots)
            tree.prepare()
            tree.look_ahead(self.game.start(), Budget(playouts=1), None, Random(0))  # what is made once for a board
            self._prepared = True

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a best move if the position can be solved, else the most promising one."""
        self.check(view)
        state = view.sample(self.rng)
        assert isinstance(state, DotsState)
        self.prepare()
        turn = _Turn(state, self._own(budget), watch)
        legal = state.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0])
        choice = (
            self._by_book(turn)
            or self._by_value(turn)
            or tree.take_or_leave(state, turn.left(), watch, self.rng)
            or _by_advice(turn)
            or tree.look_ahead(state, turn.left(), watch, self.rng)
            or self.fallback.choose(state, turn.left(), watch)
        )
        return replace(choice, nodes=choice.nodes + turn.used, seconds=turn.elapsed())

    def _own(self, budget: Budget) -> Budget:
        """Return a budget within the agent's own limits."""
        budget = budget.within(self.seconds)
        if budget.seconds is not None:
            budget = budget.within(_IN_TIME * budget.seconds)
        if self.nodes is not None:
            budget = replace(budget, nodes=min(self.nodes, budget.nodes or self.nodes))
        return DEFAULT_BUDGET if budget == Budget() else budget

    def _by_book(self, turn: _Turn) -> Choice | None:
        """Return the move of the opening book."""
        entry = look_up(turn.state) if self.book else None
        if entry is None:
            return None
        note = f"From the opening book: won {entry.share:.0%} of {entry.playouts:,} playouts."
        return Choice(entry.move, entry.share, "probability", note=note)

    def _by_value(self, turn: _Turn) -> Choice | None:
        """Return a best move with its value, the margin at the end; None if that takes too long."""
        limits = turn.limits()
        if turn.lines < 0 or (turn.lines > SURE and self._reach(limits) < _AT_40 * _A_LINE ** (turn.lines - 40)):
            return None
        report = self.solver.report_to(turn.watch, turn.used)
        found = self.solver.solve(turn.state.drawn, one=True, report=report, **limits)
        turn.used += found.nodes
        if found.value is None or not found.best:
            return None
        value = turn.state.margin + found.value
        return Choice(found.best[0], value, BOXES, True, depth=turn.state.undrawn.bit_count())

    def _reach(self, limits: dict[str, Any]) -> float:
        """Return how many nodes the solver may have within limits, roughly."""
        by_time = float("inf") if limits["seconds"] is None else limits["seconds"] * _RATE * self.solver.threads
        return min(by_time, float("inf") if limits["nodes"] is None else limits["nodes"])


def _by_advice(turn: _Turn) -> Choice | None:
    """Return how to go on with boxes that can be taken, by theory or by rule of thumb; None if there are none."""
    advice = advise(turn.state)
    if advice is None:
        return None
    return Choice(advice.lines[0], note=f"{advice.sentence[0].upper()}{advice.sentence[1:]}.")


class _Turn:
    """One call of choose: the position, what is left of the budget, and what the search looks at."""

    def __init__(self, state: DotsState, budget: Budget, watch: Watch | None) -> None:
        from kibitz.games.dots.exact.root import set_up
        from kibitz.games.dots.exact.words import ALL

        self.state, self.budget, self.watch = state, budget, watch
        self.began, self.used = time.perf_counter(), 0
        graph = state.game.board
        root = set_up(graph, graph.all_strings & ~captures(graph, state.drawn).rest, ALL)
        self.lines = root.core.bit_count() if root else -1
        """Lines apart from isolated chains and loops, once all that can be taken is gone; -1 if they are too many."""

    def elapsed(self) -> float:
        """Return the seconds since the turn began."""
        return time.perf_counter() - self.began

    def left(self) -> Budget:
        """Return what is left of the budget."""
        return self.budget.after(self.elapsed(), self.used, 0)

    def limits(self) -> dict[str, Any]:
        """Return the seconds and nodes of the budget in which the value must be found."""
        seconds, nodes = self.budget.seconds, self.budget.nodes
        if seconds is None and nodes is None:
            nodes = _RATE  # the budget counts playouts alone
        return {
            "seconds": None if seconds is None else _VALUE * seconds - self.elapsed(),
            "nodes": None if nodes is None else int(_VALUE * nodes),
        }
