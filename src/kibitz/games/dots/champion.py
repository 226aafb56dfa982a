"""The strongest player: exact as soon as that can be done in time, before that a tree search with solved leaves.

In turn it tries: the opening book (book.py); the value of the position
(exact/solver.py); whether it is won, which is known sooner; boxes that are to be
taken, by theory (advice.py); a tree search over safe lines whose ends are solved
(exact/tree.py); and last the rules of chain_rule.py.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, View
from kibitz.games.dots.advice import advise
from kibitz.games.dots.book import look_up
from kibitz.games.dots.chain_rule import ChainRule
from kibitz.games.dots.exact import tree
from kibitz.games.dots.exact.solution import Progress
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.rules import Dots, State
from kibitz.games.dots.theory import Captures, captures

SURE = 40
"""With so many lines or fewer apart from isolated chains the value is asked for, with more only whether it is a win."""
_RATE = 3_000_000
"""Nodes a second, roughly."""
_AT_41, _A_LINE = 1_000_000, 2.8
"""Nodes to tell who wins with 41 lines, and how many times more for each line more: medians on 5x5."""
_PATIENCE = 3
"""A position is tried that takes so many times the nodes there are, since half of them take far less than others."""
_VALUE, _WIN, _CHOICE = 0.5, 0.75, 0.9
"""The parts of the budget by which the value, the win, and the choice among equal moves must be found."""
_IN_TIME = 0.95
"""The part of the time that is planned with, so as not to be late."""
_EQUALS = 6
"""So many equal moves are compared."""


class Champion(Agent):
    """The strongest for a given time: exact play as early as it can be had, before that solved playouts.

    memory is the size of the solver's table in megabytes, threads are those of
    the solver; a playout is solved when solve_at safe lines are left. book=false
    lets it do without its opening book. nodes and seconds are its own limits
    for a turn.
    """

    def __init__(
        self,
        game: Game,
        *,
        memory: int = 256,
        threads: int = 1,
        solve_at: int = 8,
        book: bool = True,
        nodes: int | None = None,
        seconds: float | None = None,
    ) -> None:
        assert isinstance(game, Dots)
        if not 1 <= memory <= 1 << 20:
            raise BadOption(f"champion cannot have a table of {memory} MB: it must be 1 to {1 << 20}.")
        if not 0 <= solve_at <= 63:
            raise BadOption(f"champion cannot solve at {solve_at} safe lines: it must be 0 to 63.")
        self.solve_at, self.book = solve_at, book
        own = Budget(seconds=seconds, nodes=nodes)
        self.nodes, self.seconds = own.nodes, own.seconds
        self.solver = Solver(game.board, memory << 20, threads)
        self.fallback = ChainRule(game)
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget what was solved."""
        super().reset(seed)
        self.solver.forget()
        self.fallback.reset(seed)

    def prepare(self) -> None:
        """Have the solver and the tree searches compiled or loaded."""
        self.solver.prepare()
        assert isinstance(self.game, Dots)
        start, one = self.game.start(), Budget(playouts=1)
        tree.look_ahead(self.solver, start, one, None, self.rng, self.solve_at)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a best move if the position can be solved, else the most promising one."""
        self.check(view)
        state = view.sample(self.rng)
        assert isinstance(state, State)
        self.solver.prepare()
        turn = _Turn(state, self._own(budget), watch)
        legal = state.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0])
        choice = (
            self._by_book(turn)
            or self._by_value(turn)
            or self._by_win(turn)
            or _by_advice(turn)
            or tree.look_ahead(self.solver, state, turn.left(), watch, self.rng, self.solve_at)
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
        note = f"From the opening book: won {entry.share:.0%} of {entry.playouts:,} playouts, each solved at its end."
        return Choice(entry.move, entry.share, "probability", note=note)

    # Proofs

    def _by_value(self, turn: _Turn) -> Choice | None:
        """Return a best move with its value, the margin at the end; None if that takes too long."""
        if not 0 <= turn.lines <= SURE:
            return None
        found = self.solver.solve(turn.state.drawn, report=self._report(turn), **turn.limits(_VALUE))
        turn.used += found.nodes
        if found.value is None or not found.best:
            return None
        state, best = turn.state, found.best
        move = best[0] if turn.taken.coins else self._hardest(turn, best)
        value = state.margin + found.value
        return Choice(
            move, value, "boxes", True, best if found.all_best else (), depth=state.undrawn.bit_count()
        )  # fmt: skip

    def _hardest(self, turn: _Turn, best: tuple[Move, ...]) -> Move:
        """Return, of equal moves, the one after which the smallest part of the replies is best."""
        hardest, least = best[0], 2.0
        for move in best[:_EQUALS] if len(best) > 1 else ():
            limits = turn.limits(_CHOICE)
            if limits["seconds"] is not None and limits["seconds"] <= 0:
                break
            found = self.solver.solve(turn.state.drawn | 1 << move, **limits)
            turn.used += found.nodes
            share = len(found.best) / (turn.state.undrawn.bit_count() - 1) if found.all_best else 1.0
            if share < least:
                hardest, least = move, share
        return hardest

    def _by_win(self, turn: _Turn) -> Choice | None:
        """Return a move that is proved to win, or to draw where nothing wins; None if there is none or no time."""
        if turn.lines < 0 or turn.nodes(_WIN, self.solver.threads) * _PATIENCE < _AT_41 * _A_LINE ** (turn.lines - 41):
            return None
        lead, even = turn.state.margin, len(turn.state.game.board.coins) % 2 == 0
        for result in (1, 0) if even else (1,):
            found = self.solver.test(
                turn.state.drawn, result - lead, report=self._report(turn), **turn.limits(_WIN)
            )  # fmt: skip
            turn.used += found.nodes
            if found.best:
                return Choice(found.best[0], result, "result", True)
            if found.upper >= result - lead:
                return None  # out of time
        return None

    def _report(self, turn: _Turn) -> Any:
        def report(progress: Progress) -> None:
            if turn.watch is not None:
                turn.watch.nodes = turn.used + progress.nodes
                if turn.watch.stopped:
                    self.solver.stop()

        return report


def _by_advice(turn: _Turn) -> Choice | None:
    """Return how to go on with boxes that can be taken, by theory or by rule of thumb; None if there are none."""
    advice = advise(turn.state)
    return None if advice is None else Choice(advice.lines[0], note=f"{advice.sentence}.")


class _Turn:
    """One call of choose: the position, what is left of the budget, and what the search looks at."""

    def __init__(self, state: State, budget: Budget, watch: Watch | None) -> None:
        from kibitz.games.dots.exact.root import set_up
        from kibitz.games.dots.exact.words import ALL

        self.state, self.budget, self.watch = state, budget, watch
        self.began, self.used = time.perf_counter(), 0
        self.taken: Captures = captures(state.game.board, state.drawn)
        root = set_up(state.game.board, state.game.board.all_strings & ~self.taken.rest, ALL)
        self.lines = root.core.bit_count() if root else -1
        """Lines apart from isolated chains and loops, once all that can be taken is gone; -1 if they are too many."""

    def elapsed(self) -> float:
        """Return the seconds since the turn began."""
        return time.perf_counter() - self.began

    def left(self) -> Budget:
        """Return what is left of the budget."""
        return self.budget.after(self.elapsed(), self.used, 0)

    def nodes(self, share: float, threads: int) -> float:
        """Return how many nodes may be had up to a share of the budget, roughly."""
        limits = self.limits(share)
        by_time = float("inf") if limits["seconds"] is None else limits["seconds"] * _RATE * threads
        return min(by_time, float("inf") if limits["nodes"] is None else limits["nodes"])

    def limits(self, share: float) -> dict[str, Any]:
        """Return the seconds and nodes that are left up to a share of the budget, for the solver."""
        seconds, nodes = self.budget.seconds, self.budget.nodes
        if seconds is None and nodes is None:
            nodes = _RATE  # the budget counts playouts alone
        return {
            "seconds": None if seconds is None else share * seconds - self.elapsed(),
            "nodes": None if nodes is None else int(share * nodes) - self.used,
        }
