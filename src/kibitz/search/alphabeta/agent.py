"""The alpha-beta agent. Works for any game; numba and the kernels are imported on first use."""

from __future__ import annotations

import threading
import time
from typing import Any

from kibitz.compiled.gear import MAX_LIGHT_NODES, first_gear
from kibitz.core import registry
from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, State, View
from kibitz.search.values import check_positive, choose_evaluation, shown, unit_of

UNLIMITED = 1 << 62
"""The number of nodes or playouts that stands for no limit."""


class AlphaBeta(Agent):
    """Alpha-beta with iterative deepening, as deep as depth and budget allow.

    every=true gives every move an exact value, not only the best one. The transposition table has 2**table slots of 16
    bytes; table=0 turns it off. seconds is the agent's own time limit for a turn.
    """

    threads = 1

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
            raise BadOption(f"alphabeta cannot have table={table}: it must be 0, or 4 to 28 for 2**table slots.")
        self._set("alphabeta", game, depth, eval, every, table, seconds)

    def _set(
        self, name: str, game: Game, depth: int | None, eval: str, every: bool, table: int, seconds: float | None
    ) -> None:
        """Store the options shared with subclasses. Raise BadOption if one is invalid."""
        check_positive(name, "depth", depth)
        self.evaluation = choose_evaluation(game, eval)
        self.scale = registry.evaluations(game.name).known[self.evaluation].scale
        self.depth, self.every, self.table_bits = depth, every, table
        self.seconds = Budget(seconds=seconds).seconds
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Clear the table. The seed is ignored: nothing here is random."""
        super().reset(seed)
        self._searches: list[Any] = []

    @property
    def is_light(self) -> bool:
        """Whether a move takes less than about a second in plain Python."""
        return self.depth is not None and len(self.game.moves()) ** self.depth <= MAX_LIGHT_NODES

    @first_gear
    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the best move found; it is solved if its value depends on no estimate."""
        from kibitz.search.control import STOP, supervise

        self.check(view)
        self.prepare()
        began = time.perf_counter()
        state, budget, unit = view.sample(self.rng), budget.within(self.seconds), unit_of(self.game, False)
        if budget.seconds is None and budget.nodes is None and self.depth is None:
            budget = DEFAULT_BUDGET
        (position, search, root), *others = self._set_up(state, budget.nodes)
        deepen, helpers = self._search().deepen, self._run_in_threads(others)
        try:
            supervise(lambda: deepen(position, search, root), search.signal, budget.seconds, watch,
                      lambda value: shown(value, False, unit, self.scale))  # fmt: skip
        finally:
            for _, other, _ in others:
                other.signal[STOP] = 1
            for helper in helpers:
                helper.join()
        choice = self._answer(search, root, time.perf_counter() - began)
        self._ponder(state, choice.move)
        return choice

    @first_gear
    def prepare(self) -> None:
        """Allocate working arrays per thread, with one shared table; compile the kernel or load it from the cache."""
        if self._searches:
            return
        from kibitz.compiled.transposition import new_table
        from kibitz.search.common import new_arrays
        from kibitz.search.control import STOP

        registry.evaluations(self.game.name).known[self.evaluation].load()
        kernel, table = registry.kernel(self.game.name), new_table(self.table_bits)
        self._searches = [new_arrays(kernel, table) for _ in range(self.threads)]
        self._searches[0].signal[STOP] = 1
        self._search().deepen(kernel.pack(self.game.start()), self._searches[0], self._search().new_root(kernel))

    def _search(self) -> Any:
        """Return the module with the compiled search; subclasses return another."""
        from kibitz.search.alphabeta import kernel

        return kernel

    def _ponder(self, state: State, move: Move) -> None:
        """Start thinking on the opponent's time after a move. Does nothing here; Selective overrides it."""

    def _set_up(self, state: State, nodes: int | None) -> list[tuple[Any, Any, Any]]:
        """Return (position, working arrays, result arrays) per thread; every second thread starts one ply deeper."""
        from kibitz.search.common import depth_limit, start_search

        kernel, new_root = registry.kernel(self.game.name), self._search().new_root
        per_thread = UNLIMITED if nodes is None else max(min(nodes, UNLIMITED) // self.threads, 1)
        limit, number = depth_limit(kernel), registry.evaluations(self.game.name).number(self.evaluation)
        depth = min(self.depth or limit, limit)
        for i, search in enumerate(self._searches):
            start_search(search, depth, per_thread, number, self.every, min(1 + i % 2, depth))
        return [(kernel.pack(state), search, new_root(kernel)) for search in self._searches]

    def _run_in_threads(self, searches: list[tuple[Any, Any, Any]]) -> list[threading.Thread]:
        """Start and return a thread for each (position, working arrays, result arrays)."""
        threads = [threading.Thread(target=self._search().deepen, args=search, daemon=True) for search in searches]
        for thread in threads:
            thread.start()
        return threads

    def _answer(self, search: Any, root: Any, seconds: float) -> Choice:
        """Convert the results in the arrays to a Choice."""
        from kibitz.search.alphabeta.kernel import BEST, COUNT, LENGTH, SOLVED

        best, solved = int(root.summary[BEST]), bool(root.summary[SOLVED])
        chosen = self._move_value(root, best, solved, solved)  # root.solved is set only with every=true
        moves = [self._move_value(root, i, solved, bool(root.solved[i])) for i in range(root.summary[COUNT])]
        line = tuple(int(m) for m in root.line[0, : root.summary[LENGTH]])
        return self._choice(search, chosen, moves, line, solved, seconds)

    def _move_value(self, root: Any, i: int, solved: bool, exact: bool, line: tuple[Move, ...] = ()) -> MoveValue:
        """Return root move i with its value, in the unit of a solved or an unsolved answer."""
        value = shown(int(root.values[i]), exact, unit_of(self.game, solved), self.scale)
        return MoveValue(int(root.moves[i]), value, exact, line)

    def _choice(
        self, search: Any, best: MoveValue, moves: list[MoveValue], line: tuple[Move, ...], solved: bool, seconds: float
    ) -> Choice:
        """Return the Choice, with the values of all moves if every=true and at least one iteration was completed."""
        from kibitz.search.control import DEPTH, MOVE, NODES

        depth, found = int(search.signal[DEPTH]), search.signal[MOVE] >= 0
        if not (self.every and depth):
            moves = []
        return Choice(
            move=best.move,
            value=best.value if found else None,
            unit=unit_of(self.game, solved) if found else None,
            exact=solved,
            best=tuple(m.move for m in moves if solved and m.exact and m.value == best.value),
            moves=tuple(moves),
            line=line,
            depth=depth,
            nodes=sum(int(each.signal[NODES]) for each in self._searches),
            seconds=seconds,
        )
