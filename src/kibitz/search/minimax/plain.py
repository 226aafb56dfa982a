"""Readable minimax: the same search as kernel.py, on the game's readable rules.

The reference for the compiled one: from the same seed it finds the same values,
plays the same moves and visits as many nodes. Hundreds of times slower.
"""

from __future__ import annotations

from kibitz.core import registry
from kibitz.core.agent import Budget, Watch
from kibitz.core.game import Move, State
from kibitz.search.alphabeta.plain import INFINITY, SearchStopped, Spending
from kibitz.search.minimax.agent import Minimax


class PlainMinimax(Minimax):
    """Minimax in plain Python: the readable reference for minimax."""

    def prepare(self) -> None:
        """Do nothing: plain Python needs no compiling."""

    def _values(self, state: State, evaluation: str, budget: Budget, watch: Watch | None) -> tuple[list[int], int]:
        """Return the values of the legal moves, fewer if the search was stopped, and the number of nodes searched."""
        readable = registry.evaluations(self.game.name)
        self.evaluate, self.final = readable.known[evaluation].function, readable.final
        self.spending = Spending(budget, watch)
        self.root = state.to_move
        values: list[int] = []
        for move in state.legal_moves():
            try:
                value = self._child(state, move, self.depth, -INFINITY, INFINITY)
            except SearchStopped:
                break
            if watch is not None and value > max(values, default=-INFINITY):
                watch.depth, watch.nodes, watch.move = self.depth, self.spending.nodes, move
                watch.value = self._shown(value, False, evaluation)
            values.append(value)
        return values, self.spending.nodes

    def _child(self, state: State, move: Move, depth: int, low: int, high: int) -> int:
        """Return the value of a move for the player who makes it; depth is the depth left before the move."""
        after = state.play(move)
        if after.to_move == state.to_move:
            return self._value(after, depth, low, high)
        if after.to_move == self.root:
            depth -= 1
        return -self._value(after, depth, -high, -low)

    def _value(self, state: State, depth: int, alpha: int, beta: int) -> int:
        """Return the value of a position for the player to move: exact within (alpha, beta), else a bound beyond it."""
        self.spending.count()
        if state.outcome() is not None:
            return self.final(state)
        if depth == 0:
            return self.evaluate(state)
        best = -INFINITY
        for move in state.legal_moves():
            best = max(best, self._child(state, move, depth, max(alpha, best), beta))
            if best >= beta:
                break
        return best
