"""The alpha-beta agent. Knows no game; numba and the kernels are imported on first use."""

from __future__ import annotations

import time
from typing import Any

from kibitz.core import registry
from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, View
from kibitz.search.values import choose_evaluation, shown, unit_of

UNLIMITED = 1 << 62
"""The number of nodes or playouts of a search without such a limit."""


class AlphaBeta(Agent):
    """Alpha-beta with iterative deepening, as deep as depth and budget allow.

    every=true gives each move its own value, not only the best one. The table has 2**table slots of 16 bytes, none with
    table=0. seconds is the agent's own limit for a turn.
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
        if not (table == 0 or 4 <= table <= 28):
            raise BadOption(f"alphabeta cannot have a table of 2**{table} slots: it must be 0, or 4 to 28.")
        self._set("alphabeta", game, depth, eval, every, table, seconds)

    def _set(
        self, name: str, game: Game, depth: int | None, eval: str, every: bool, table: int, seconds: float | None
    ) -> None:
        """Store the options of this agent or of one based on it. Raise BadOption."""
        if depth is not None and depth < 1:
            raise BadOption(f"{name} cannot search to depth {depth}: it must be 1 or more.")
        self.evaluation = choose_evaluation(game, eval)
        self.scale = registry.evaluations(game.name).known[self.evaluation].scale
        self.depth, self.every, self.table_bits = depth, every, table
        self.seconds = Budget(seconds=seconds).seconds
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Empty the table; nothing here is random."""
        super().reset(seed)
        self._searches: list[Any] = []

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the best move found; solved if the search reached the end of the game everywhere it mattered."""
        from kibitz.search.alphabeta.kernel import deepen, new_root

        self.check(view)
        self.prepare()
        kernel, (search,) = registry.kernel(self.game.name), self._searches
        position, root = kernel.pack(view.sample(self.rng)), new_root(kernel)
        budget = self._within(budget)
        self._start(search, min(budget.nodes or UNLIMITED, UNLIMITED))
        began = time.perf_counter()
        self._supervise(lambda: deepen(position, search, root), search, budget, watch)
        return self._answer(search, root, time.perf_counter() - began)

    def prepare(self) -> None:
        """Make the working arrays and have the kernel compiled or loaded."""
        from kibitz.search.alphabeta.kernel import deepen, new_root

        self._prepare(deepen, new_root, 1)

    def _prepare(self, deepen: Any, new_root: Any, threads: int) -> None:
        """Make the working arrays of each thread, which share a table, and call a kernel that stops at once."""
        if self._searches:
            return
        from kibitz.compiled.transposition import new_table
        from kibitz.search.common import new_arrays
        from kibitz.search.control import STOP

        kernel, table = registry.kernel(self.game.name), new_table(self.table_bits)
        self._searches = [new_arrays(kernel, table) for _ in range(threads)]
        self._searches[0].signal[STOP] = 1
        deepen(kernel.pack(self.game.start()), self._searches[0], new_root(kernel))

    def _within(self, budget: Budget) -> Budget:
        """Return a budget within the agent's own limit, or the default one if nothing limits the search."""
        budget = budget.within(self.seconds)
        unlimited = budget.seconds is None and budget.nodes is None and self.depth is None
        return DEFAULT_BUDGET if unlimited else budget

    def _start(self, search: Any, nodes: int, first_depth: int = 1) -> None:
        """Make working arrays ready for a search of at most `nodes` nodes."""
        from kibitz.search.common import depth_limit, start_search

        limit = depth_limit(registry.kernel(self.game.name))
        depth, number = min(self.depth or limit, limit), registry.evaluations(self.game.name).number(self.evaluation)
        start_search(search, depth, nodes, number, self.every, min(first_depth, depth))

    def _supervise(self, kernel: Any, search: Any, budget: Budget, watch: Watch | None) -> None:
        """Run a kernel within a budget, and show its progress to the watch."""
        from kibitz.search.control import supervise

        unit = unit_of(self.game, False)
        supervise(kernel, search.signal, budget.seconds, watch, lambda value: shown(value, False, unit, self.scale))

    def _answer(self, search: Any, root: Any, seconds: float) -> Choice:
        """Return what the arrays say as a choice."""
        from kibitz.search.alphabeta.kernel import BEST, COUNT, LENGTH, SOLVED

        best, solved = int(root.summary[BEST]), bool(root.summary[SOLVED])
        chosen = self._move_value(root, best, solved, solved)  # root.solved is set only with every=true
        moves = [self._move_value(root, i, solved, bool(root.solved[i])) for i in range(root.summary[COUNT])]
        line = tuple(int(m) for m in root.line[0, : root.summary[LENGTH]])
        return self._choice(search, chosen, moves, line, solved, seconds)

    def _move_value(self, root: Any, i: int, solved: bool, exact: bool, line: tuple[Move, ...] = ()) -> MoveValue:
        """Return a root move with its value, in the unit of an answer that is solved or not."""
        value = shown(int(root.values[i]), exact, unit_of(self.game, solved), self.scale)
        return MoveValue(int(root.moves[i]), value, exact, line)

    def _choice(
        self, search: Any, best: MoveValue, moves: list[MoveValue], line: tuple[Move, ...], solved: bool, seconds: float
    ) -> Choice:
        """Return an answer, with the values of all moves if there are such."""
        from kibitz.search.control import DEPTH, MOVE, NODES

        depth, found = int(search.signal[DEPTH]), search.signal[MOVE] >= 0
        if not (self.every and depth):
            moves = []
        equal = tuple(m.move for m in moves if solved and m.exact and m.value == best.value)
        return Choice(
            move=best.move,
            value=best.value if found else None,
            unit=unit_of(self.game, solved) if found else None,
            exact=solved,
            best=equal or (best.move,),
            moves=tuple(moves),
            line=line,
            depth=depth,
            nodes=sum(int(each.signal[NODES]) for each in self._searches),
            seconds=seconds,
        )
