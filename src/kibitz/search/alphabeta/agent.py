"""The alpha-beta agent. Knows no game; numba and the kernels are imported on first use."""

from __future__ import annotations

import time
from typing import Any

from kibitz.core import registry
from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, View
from kibitz.search.values import choose_evaluation, shown, unit_of

UNLIMITED = 1 << 62


class AlphaBeta(Agent):
    """Alpha-beta with iterative deepening, as deep as depth and budget allow.

    every=true gives each move its own value, not only the best one. The table
    has 2**table slots of 16 bytes, none with table=0. seconds is the agent's
    own limit for a turn.
    """

    def __init__(
        self,
        game: Game,
        *,
        depth: int | None = None,
        eval: str = "",
        every: bool = False,
        table: int = 20,
        seconds: float | None = None,
    ) -> None:
        if depth is not None and depth < 1:
            raise BadOption(f"alphabeta cannot search to depth {depth}: it must be 1 or more.")
        if not (table == 0 or 4 <= table <= 28):
            raise BadOption(f"alphabeta cannot have a table of 2**{table} slots: it must be 0, or 4 to 28.")
        self.evaluation = choose_evaluation(game, eval)
        self.scale = registry.evaluations(game.name).known[self.evaluation].scale
        self.depth, self.every, self.table_bits = depth, every, table
        self.seconds = Budget(seconds=seconds).seconds
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Empty the table; nothing here is random."""
        super().reset(seed)
        self._search: Any = None

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the best move found; solved if the search reached the end of the game everywhere it mattered."""
        from kibitz.search import control
        from kibitz.search.alphabeta.kernel import deepen, new_root
        from kibitz.search.common import depth_limit

        self.check(view)
        self.prepare()
        kernel = registry.kernel(self.game.name)
        position, root = kernel.pack(view.sample(self.rng)), new_root(kernel)
        budget = budget.within(self.seconds)
        if budget.seconds is None and budget.nodes is None and self.depth is None:
            budget = DEFAULT_BUDGET
        search = self._search
        search.settings[:] = (
            min(self.depth or depth_limit(kernel), depth_limit(kernel)),
            min(budget.nodes or UNLIMITED, UNLIMITED),
            registry.evaluations(self.game.name).number(self.evaluation),
            self.every,
            1,
        )
        search.signal[:] = control.new_signal()
        search.killers[:] = -1
        search.history[:] = 0
        began = time.perf_counter()
        control.supervise(
            lambda: deepen(position, search, root),
            search.signal,
            budget.seconds,
            watch,
            lambda value: shown(value, False, unit_of(self.game, False), self.scale),
        )
        return self._answer(search, root, time.perf_counter() - began)

    def prepare(self) -> None:
        """Make the working arrays and have the kernel compiled or loaded."""
        if self._search is not None:
            return
        from kibitz.compiled.transposition import new_table
        from kibitz.search import control
        from kibitz.search.alphabeta.kernel import deepen, new_root
        from kibitz.search.common import new_arrays

        kernel = registry.kernel(self.game.name)
        self._search = new_arrays(kernel, new_table(self.table_bits))
        self._search.signal[control.STOP] = 1
        deepen(kernel.pack(self.game.start()), self._search, new_root(kernel))

    def _answer(self, search: Any, root: Any, seconds: float) -> Choice:
        """Return what the arrays say as a choice."""
        from kibitz.search import control
        from kibitz.search.alphabeta.kernel import BEST, COUNT, LENGTH, SOLVED

        best, solved = int(root.summary[BEST]), bool(root.summary[SOLVED])
        unit = unit_of(self.game, solved)
        depth, found = int(search.signal[control.DEPTH]), search.signal[control.MOVE] >= 0
        move, value = int(root.moves[best]), shown(int(root.values[best]), solved, unit, self.scale)
        moves = [
            MoveValue(int(m), shown(int(v), bool(s), unit, self.scale), bool(s))
            for m, v, s in zip(root.moves, root.values, root.solved, strict=True)
        ][: root.summary[COUNT] if self.every and depth else 0]
        equal = tuple(m.move for m in moves if solved and m.exact and m.value == value)
        return Choice(
            move=move,
            value=value if found else None,
            unit=unit if found else None,
            exact=solved,
            best=equal or (move,),
            moves=tuple(moves),
            line=tuple(int(m) for m in root.line[0, : root.summary[LENGTH]]),
            depth=depth,
            nodes=int(search.signal[control.NODES]),
            seconds=seconds,
        )
