"""The selective agent. Knows no game; numba and the kernels are imported on first use."""

from __future__ import annotations

import threading
import time
from typing import Any

from kibitz.core import registry
from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, State, View
from kibitz.search.alphabeta.agent import UNLIMITED
from kibitz.search.values import choose_evaluation, shown, unit_of

MAX_THREADS = 64


class Selective(Agent):
    """Alpha-beta that searches likely moves deeper: the strongest search here.

    every=true gives each move its own value and line. The table has 2**table
    slots of 16 bytes. With more threads than one it finds more in the same
    time, but not twice the same. ponder=true lets it think while the opponent
    does. seconds is the agent's own limit for a move.
    """

    def __init__(
        self,
        game: Game,
        *,
        depth: int | None = None,
        eval: str = "",
        every: bool = False,
        table: int = 20,
        threads: int = 1,
        ponder: bool = False,
        seconds: float | None = None,
    ) -> None:
        if depth is not None and depth < 1:
            raise BadOption(f"selective cannot search to depth {depth}: it must be 1 or more.")
        if not 4 <= table <= 28:
            raise BadOption(f"selective cannot have a table of 2**{table} slots: it must be 4 to 28.")
        if not 1 <= threads <= MAX_THREADS:
            raise BadOption(f"selective cannot search with {threads} threads: it must be 1 to {MAX_THREADS}.")
        self.evaluation = choose_evaluation(game, eval)
        self.scale = registry.evaluations(game.name).known[self.evaluation].scale
        self.depth, self.every, self.table_bits = depth, every, table
        self.threads, self.ponder = threads, ponder
        self.seconds = Budget(seconds=seconds).seconds
        self._pondering: list[threading.Thread] = []
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Empty the table; nothing here is random."""
        self.close()
        super().reset(seed)
        self._searches: list[Any] = []

    def close(self) -> None:
        """Stop pondering."""
        if not self._pondering:
            return
        from kibitz.search import control

        for search in self._searches:
            search.signal[control.STOP] = 1
        for thread in self._pondering:
            thread.join()
        self._pondering = []

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the best move found; solved if the search reached the end of the game everywhere it mattered."""
        from kibitz.search import control
        from kibitz.search.selective.kernel import deepen

        self.check(view)
        self.close()
        self.prepare()
        began = time.perf_counter()
        state = view.sample(self.rng)
        budget = budget.within(self.seconds)
        if budget.seconds is None and budget.nodes is None and self.depth is None:
            budget = DEFAULT_BUDGET
        (position, search, root), *others = self._set_up(state, budget.nodes)
        helpers = [threading.Thread(target=deepen, args=other, daemon=True) for other in others]
        for helper in helpers:
            helper.start()
        try:
            control.supervise(
                lambda: deepen(position, search, root),
                search.signal,
                budget.seconds,
                watch,
                lambda value: shown(value, False, unit_of(self.game, False), self.scale),
            )
        finally:
            for _, other, _ in others:
                other.signal[control.STOP] = 1
            for helper in helpers:
                helper.join()
        choice = self._answer(search, root, time.perf_counter() - began)
        if self.ponder:
            self._start_pondering(state.play(choice.move))
        return choice

    def prepare(self) -> None:
        """Make the working arrays and have the kernel compiled or loaded."""
        if self._searches:
            return
        from kibitz.compiled.transposition import new_table
        from kibitz.search import control
        from kibitz.search.common import new_arrays
        from kibitz.search.selective.kernel import deepen, new_root

        kernel = registry.kernel(self.game.name)
        table = new_table(self.table_bits)
        self._searches = [new_arrays(kernel, table) for _ in range(self.threads)]
        self._searches[0].signal[control.STOP] = 1
        deepen(kernel.pack(self.game.start()), self._searches[0], new_root(kernel))

    def _set_up(self, state: State, nodes: int | None) -> list[tuple[Any, Any, Any]]:
        """Return position, working arrays and answer for each thread; every second one begins a ply deeper."""
        from kibitz.search import control
        from kibitz.search.common import depth_limit
        from kibitz.search.selective.kernel import new_root

        kernel = registry.kernel(self.game.name)
        depth = min(self.depth or depth_limit(kernel), depth_limit(kernel))
        most = UNLIMITED if nodes is None else max(min(nodes, UNLIMITED) // self.threads, 1)
        number = registry.evaluations(self.game.name).number(self.evaluation)
        for i, search in enumerate(self._searches):
            search.settings[:] = (depth, most, number, self.every, min(1 + i % 2, depth))
            search.signal[:] = control.new_signal()
            search.killers[:] = -1
            search.history[:] = 0
        return [(kernel.pack(state), search, new_root(kernel)) for search in self._searches]

    def _start_pondering(self, state: State) -> None:
        """Fill the table with what may follow, until the next call."""
        from kibitz.search.selective.kernel import deepen

        if state.outcome() is None:
            self._pondering = [
                threading.Thread(target=deepen, args=work, daemon=True) for work in self._set_up(state, None)
            ]
            for thread in self._pondering:
                thread.start()

    def _answer(self, search: Any, root: Any, seconds: float) -> Choice:
        """Return what the arrays say as a choice."""
        from kibitz.search import control
        from kibitz.search.selective.kernel import COUNT, SOLVED

        solved = bool(root.summary[SOLVED])
        unit = unit_of(self.game, solved)
        depth, found = int(search.signal[control.DEPTH]), search.signal[control.MOVE] >= 0
        moves = [
            MoveValue(
                int(root.moves[i]),
                shown(int(root.values[i]), bool(root.solved[i]), unit, self.scale),
                bool(root.solved[i]),
                tuple(int(move) for move in root.lines[i, : root.lengths[i]]),
            )
            for i in range(int(root.summary[COUNT]) if self.every and depth else 1)
        ]
        best = moves[0]
        return Choice(
            move=best.move,
            value=best.value if found else None,
            unit=unit if found else None,
            exact=solved,
            best=tuple(sorted(m.move for m in moves if solved and m.exact and m.value == best.value)) or (best.move,),
            moves=tuple(sorted(moves, key=lambda m: m.move)) if self.every and depth else (),
            line=best.line,
            depth=depth,
            nodes=sum(int(each.signal[control.NODES]) for each in self._searches),
            seconds=seconds,
        )
