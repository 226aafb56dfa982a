"""The selective agent. Works for any game; numba and the kernels are imported on first use."""

from __future__ import annotations

import threading
from typing import Any

from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, State, View
from kibitz.search.alphabeta.agent import AlphaBeta

MAX_THREADS = 64


class Selective(AlphaBeta):
    """Alpha-beta that searches likely moves deeper: the strongest search here.

    every=true gives every move an exact value and a line. The transposition table has 2**table slots of 16 bytes.
    Several threads search more in the same time, but the results are not repeatable. ponder=true makes it think on the
    opponent's time too. seconds is the agent's own time limit for a move.
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
        if not 4 <= table <= 28:
            raise BadOption(f"selective cannot have table={table}: it must be 4 to 28, for 2**table slots.")
        if not 1 <= threads <= MAX_THREADS:
            raise BadOption(f"selective cannot search with {threads} threads: it must be 1 to {MAX_THREADS}.")
        self.threads, self.ponder = threads, ponder
        self._pondering: list[threading.Thread] = []
        self._set("selective", game, depth, eval, every, table, seconds)

    def reset(self, seed: int) -> None:
        """Stop pondering and empty the table; nothing here is random."""
        self.close()
        super().reset(seed)

    def close(self) -> None:
        """Stop pondering."""
        if not self._pondering:
            return
        from kibitz.search.control import STOP

        for search in self._searches:
            search.signal[STOP] = 1
        for thread in self._pondering:
            thread.join()
        self._pondering = []

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Stop pondering, then search and return the best move found."""
        self.check(view)
        self.close()
        return super().choose(view, budget, watch)

    @property
    def is_light(self) -> bool:
        """Return False: its strongest evaluations are too slow in plain Python."""
        return False

    def _search(self) -> Any:
        from kibitz.search.selective import kernel

        return kernel

    def _ponder(self, state: State, move: Move) -> None:
        if self.ponder and (after := state.play(move)).outcome() is None:
            self._pondering = self._run_in_threads(self._set_up(after, None))  # fills the table until the next call

    def _answer(self, search: Any, root: Any, seconds: float) -> Choice:
        from kibitz.search.selective.kernel import COUNT, SOLVED

        solved = bool(root.summary[SOLVED])
        lines = [tuple(int(move) for move in root.lines[i, : root.lengths[i]]) for i in range(root.summary[COUNT])]
        moves = [self._move_value(root, i, solved, bool(root.solved[i]), line) for i, line in enumerate(lines)]
        return self._choice(search, moves[0], sorted(moves, key=lambda m: m.move), lines[0], solved, seconds)
