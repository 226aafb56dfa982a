"""The agent that plays and analyses with the exact solver, and with alpha-beta where that cannot finish in time."""

from __future__ import annotations

import time
from dataclasses import replace

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Move
from kibitz.games.dots.evaluate import BOXES
from kibitz.games.dots.exact.solver import Solution, Solver
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.search.alphabeta.agent import AlphaBeta

MAX_SOLVED_LINES = 48
"""With more undrawn lines than this, no solve is tried, even if most are in isolated chains and it would be quick."""
MAX_MEMORY_MB = 1 << 20
_SOLVE_SHARE = 0.7  # the part of a budget that a solve may use up, so that alpha-beta can still answer if it fails
_MAX_LINE_MOVES, _NODES_PER_LINE_MOVE = 24, 100_000


def solver_for(game: Dots, memory: int, threads: int, agent: str) -> Solver:
    """Return a solver with a table of up to `memory` megabytes. Raise BadOption, naming the agent, for a bad size."""
    if not 1 <= memory <= MAX_MEMORY_MB:
        raise BadOption(f"The memory of {agent} must be 1 to {MAX_MEMORY_MB} MB, not {memory}.")
    return Solver(game.board, memory << 20, threads)


class Exact(Agent[Dots, DotsState]):
    """Best play by the exact solver as soon as it can finish in time; alpha-beta before that.

    every=true gives each move its own value. memory is the size of the solver's
    table in megabytes; seconds is the agent's own limit for a turn.
    """

    def __init__(
        self, game: Dots, *, every: bool = False, memory: int = 256, threads: int = 1, seconds: float | None = None
    ) -> None:
        self.every, self.memory = every, memory
        self.seconds = Budget(seconds=seconds).seconds
        self.solver = solver_for(game, memory, threads, "exact")
        self.fallback = AlphaBeta(game, every=every)
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget all results. The seed changes nothing, as nothing here is random."""
        super().reset(seed)
        self.solver.forget()
        self.fallback.reset(seed)

    def prepare(self) -> None:
        """Compile both searches, or load them from the cache."""
        self.solver.prepare()
        self.fallback.prepare()

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a best move with its exact value, or alpha-beta's choice if the position cannot be solved in time."""
        self.check(view)
        self.prepare()
        budget = budget.within(self.seconds)
        if budget.seconds is None and budget.nodes is None:
            budget = replace(DEFAULT_BUDGET, playouts=budget.playouts)
        began = time.perf_counter()
        solution = None
        if view.undrawn.bit_count() <= MAX_SOLVED_LINES:
            solution = self.solver.solve(
                view.drawn,
                moves=self.every,
                seconds=None if budget.seconds is None else _SOLVE_SHARE * budget.seconds,
                nodes=None if budget.nodes is None else int(_SOLVE_SHARE * budget.nodes),
                report=self.solver.report_to(watch),
            )
            if solution.exact and solution.best and (solution.moves or not self.every):
                line = self._best_line(view, solution.best[0], budget, began)
                return self._exact_choice(view, solution, line, time.perf_counter() - began)
        used = 0 if solution is None else solution.nodes
        left = budget.after(time.perf_counter() - began, used, 0)
        choice = self.fallback.choose(view, left, watch)
        choice = replace(choice, seconds=time.perf_counter() - began, nodes=choice.nodes + used)
        return choice if solution is None or not solution.exact else self._proved_choice(view, solution, choice)

    def _exact_choice(self, state: DotsState, solution: Solution, line: tuple[Move, ...], seconds: float) -> Choice:
        """Convert an exact solution to a choice; its values are margins at the end of the game."""
        return Choice(
            move=solution.best[0],
            value=state.margin + solution.lower,
            unit=BOXES,
            exact=True,
            best=solution.best,
            moves=tuple(MoveValue(move, state.margin + value, True) for move, value in solution.moves.items()),
            line=line,
            depth=state.undrawn.bit_count(),
            nodes=solution.nodes,
            seconds=seconds,
        )

    def _proved_choice(self, state: DotsState, solution: Solution, choice: Choice) -> Choice:
        """Return alpha-beta's choice, corrected by the solution: its value and its best moves are proved."""
        value, move = state.margin + solution.lower, solution.best[0] if solution.best else choice.move
        moves = tuple(
            MoveValue(m.move, value, True) if m.move in solution.best else replace(m, value=min(m.value, value))
            for m in choice.moves
        )
        return replace(choice, move=move, value=value, exact=bool(solution.best), best=(), moves=moves, line=(move,))

    def _best_line(self, state: DotsState, move: Move, budget: Budget, began: float) -> tuple[Move, ...]:
        """Return best play that begins with a move, as far as the solver finds it quickly and in the budget's time."""
        line, drawn = [move], state.drawn | 1 << move
        while len(line) < _MAX_LINE_MOVES and drawn != state.game.board.all_strings:
            left = None if budget.seconds is None else budget.seconds - (time.perf_counter() - began)
            best = self.solver.best_move(drawn, _NODES_PER_LINE_MOVE, left) if left is None or left > 0 else None
            if best is None:
                break
            line.append(best)
            drawn |= 1 << best
        return tuple(line)
