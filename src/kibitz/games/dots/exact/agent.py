"""The agent that plays and analyses by the exact solver, and by alpha-beta where that cannot finish in time."""

from __future__ import annotations

import time
from dataclasses import replace

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, View
from kibitz.games.dots.evaluate import BOXES
from kibitz.games.dots.exact.solution import Solution
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.search.alphabeta.agent import AlphaBeta

HOPELESS = 48
"""With more lines than this no solve is tried, though one of isolated chains alone would be quick."""
_SHARE = 0.7
"""The part of a budget that a solve may use up, so that alpha-beta can still answer if it fails."""
_LONGEST_LINE, _NODES_A_MOVE = 24, 100_000


class Exact(Agent):
    """Best play by the exact solver as soon as it can finish in time; alpha-beta before that.

    every=true gives each move its own value. memory is the size of the solver's
    table in megabytes; seconds is the agent's own limit for a turn.
    """

    def __init__(
        self, game: Game, *, every: bool = False, memory: int = 256, threads: int = 1, seconds: float | None = None
    ) -> None:
        assert isinstance(game, Dots)
        if not 1 <= memory <= 1 << 20:
            raise BadOption(f"exact cannot have a table of {memory} MB: it must be 1 to {1 << 20}.")
        self.every, self.memory = every, memory
        self.seconds = Budget(seconds=seconds).seconds
        self.solver = Solver(game.board, memory << 20, threads)
        self.fallback = AlphaBeta(game, every=every)
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget what was solved; nothing here is random."""
        super().reset(seed)
        self.solver.forget()
        self.fallback.reset(seed)

    def prepare(self) -> None:
        """Have both searches compiled or loaded."""
        self.solver.prepare()
        self.fallback.prepare()

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a best move with its exact value, or the best that alpha-beta finds."""
        self.check(view)
        state = view.sample(self.rng)
        assert isinstance(state, DotsState)
        self.prepare()
        budget = budget.within(self.seconds)
        if budget.seconds is None and budget.nodes is None:
            budget = replace(DEFAULT_BUDGET, playouts=budget.playouts)
        began = time.perf_counter()
        solution = None
        if state.undrawn.bit_count() <= HOPELESS:
            solution = self._solve(state, budget, watch)
            if solution.exact and solution.best and (solution.moves or not self.every):
                line = self._line(state, solution.best[0], budget, began)
                return self._exact(state, solution, line, time.perf_counter() - began)
        used = 0 if solution is None else solution.nodes
        left = budget.after(time.perf_counter() - began, used, 0)
        choice = self.fallback.choose(view, left, watch)
        choice = replace(choice, seconds=time.perf_counter() - began, nodes=choice.nodes + used)
        return choice if solution is None or not solution.exact else self._with_value(state, solution, choice)

    def _solve(self, state: DotsState, budget: Budget, watch: Watch | None) -> Solution:
        return self.solver.solve(
            state.drawn,
            moves=self.every,
            seconds=None if budget.seconds is None else _SHARE * budget.seconds,
            nodes=None if budget.nodes is None else int(_SHARE * budget.nodes),
            report=self.solver.report_to(watch),
        )

    def _exact(self, state: DotsState, solution: Solution, line: tuple[Move, ...], seconds: float) -> Choice:
        """Return a proved choice. Values are the margin at the end of the game."""
        assert solution.value is not None
        return Choice(
            move=solution.best[0],
            value=state.margin + solution.value,
            unit=BOXES,
            exact=True,
            best=solution.best,
            moves=tuple(MoveValue(move, state.margin + value, True) for move, value in solution.moves.items()),
            line=line,
            depth=state.undrawn.bit_count(),
            nodes=solution.nodes,
            seconds=seconds,
        )

    def _with_value(self, state: DotsState, solution: Solution, choice: Choice) -> Choice:
        """Return the proved value and move, with alpha-beta's estimates for the moves that are not proved."""
        assert solution.value is not None
        value, move = state.margin + solution.value, solution.best[0] if solution.best else choice.move
        moves = tuple(
            MoveValue(m.move, value, True) if m.move in solution.best else replace(m, value=min(m.value, value))
            for m in choice.moves
        )
        return replace(choice, move=move, value=value, exact=bool(solution.best), best=(), moves=moves, line=(move,))

    def _line(self, state: DotsState, move: Move, budget: Budget, began: float) -> tuple[Move, ...]:
        """Return best play from a move on, as far as it is found at once and within the budget's time."""
        line, drawn = [move], state.drawn | 1 << move
        while len(line) < _LONGEST_LINE and drawn != state.game.board.all_strings:
            left = None if budget.seconds is None else budget.seconds - (time.perf_counter() - began)
            found = self.solver.best_move(drawn, _NODES_A_MOVE, left) if left is None or left > 0 else None
            if found is None:
                break
            line.append(found)
            drawn |= 1 << found
        return tuple(line)
