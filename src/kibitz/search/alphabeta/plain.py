"""Readable alpha-beta: the same search as alphabeta/kernel.py, on the game's readable rules.

The reference for the compiled one: same value and best move, and without a
transposition table the same number of nodes. Hundreds of times slower.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TypeAlias

from kibitz.core import registry
from kibitz.core.agent import DEFAULT_BUDGET, WIN, Agent, Budget, Choice, Watch
from kibitz.core.game import Game, Move, State, View
from kibitz.search.values import check_positive, choose_evaluation, shown, unit_of

INFINITY = 1 << 30
_Searched: TypeAlias = tuple[int, bool, list[Move]]
"""A value, whether it depends on an estimate, and the best line."""


class SearchStopped(Exception):
    """Raised when a search has used up its budget or was stopped."""


class Spending:
    """Counts the nodes of a plain search, and ends it when its budget is used up."""

    def __init__(self, budget: Budget, watch: Watch | None) -> None:
        self.nodes = 0
        self._deadline = None if budget.seconds is None else time.perf_counter() + budget.seconds
        self._most, self._watch = budget.nodes, watch

    def count(self) -> None:
        """Count one more position. Raise SearchStopped if the budget is used up or the watch stops the search."""
        late = self._deadline is not None and time.perf_counter() >= self._deadline
        spent = self._most is not None and self.nodes >= self._most
        if late or spent or (self._watch is not None and self._watch.stopped):
            raise SearchStopped
        self.nodes += 1


class PlainAlphaBeta(Agent):
    """Alpha-beta in plain Python: the readable reference for alphabeta, without a table."""

    def __init__(self, game: Game, *, depth: int | None = None, eval: str = "") -> None:
        check_positive("plain-alphabeta", "depth", depth)
        readable = registry.evaluations(game.name)
        evaluation = readable.known[choose_evaluation(game, eval)]
        self.evaluate, self.final, self.scale = evaluation.function, readable.final, evaluation.scale
        self.depth = depth
        super().__init__(game)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the best move of the deepest search that depth and budget allow."""
        if budget.seconds is None and budget.nodes is None and self.depth is None:
            budget = DEFAULT_BUDGET
        began = time.perf_counter()
        self.spending, self.watch = Spending(budget, watch), watch
        self.killers: defaultdict[int, list[Move]] = defaultdict(list)
        self.history: defaultdict[tuple[int, Move], int] = defaultdict(int)
        state = view.sample(self.rng)
        self.best, self.solved = state.legal_moves()[0], False
        self.value: int | None = None
        self.line: list[Move] = [self.best]
        depth = 0
        try:
            while depth != self.depth and not (depth and (self.solved or len(state.legal_moves()) == 1)):
                for cut in self.history:
                    self.history[cut] >>= 1
                self._iterate(state, depth + 1)
                depth += 1
        except SearchStopped:
            pass
        unit = unit_of(self.game, self.solved)
        return Choice(
            move=self.best,
            value=None if self.value is None else shown(self.value, self.solved, unit, self.scale),
            unit=None if self.value is None else unit,
            exact=self.solved,
            line=tuple(self.line),
            depth=depth,
            nodes=self.spending.nodes,
            seconds=time.perf_counter() - began,
        )

    def _iterate(self, state: State, depth: int) -> None:
        """Search the root moves to one depth: the best move so far first, then the others in ascending order."""
        held = self.best
        top, estimated = -INFINITY, False
        for move in [held, *(move for move in state.legal_moves() if move != held)]:
            try:
                value, guess, line = self._child(state, move, depth, top, INFINITY, 0)
            except SearchStopped:
                if move != held and top <= -WIN:  # an unsearched move is better than a lost one
                    self.best, self.line = move, [move]
                raise
            estimated = estimated or guess
            if value > top:
                top = value
                self.best, self.value, self.line, self.solved = move, value, [move, *line], value >= WIN
                if self.watch is not None:
                    self.watch.depth, self.watch.move, self.watch.nodes = depth, move, self.spending.nodes
                    self.watch.value = shown(value, False, unit_of(self.game, False), self.scale)
        self.solved = not estimated or abs(top) >= WIN

    def _child(self, state: State, move: Move, depth: int, low: int, high: int, ply: int) -> _Searched:
        """Return a move's value for the player who makes it, whether it is estimated, and the best line after it."""
        after = state.play(move)
        if after.to_move == state.to_move:
            return self._value(after, depth - 1, low, high, ply + 1)
        value, estimated, line = self._value(after, depth - 1, -high, -low, ply + 1)
        return -value, estimated, line

    def _value(self, state: State, depth: int, alpha: int, beta: int, ply: int) -> _Searched:
        """Return a position's value for the player to move, whether it is estimated, and the best line."""
        self.spending.count()
        if state.outcome() is not None:
            return self.final(state), False, []
        if depth == 0:
            return self.evaluate(state), True, []
        me = state.to_move
        best, low, estimated, line = -INFINITY, alpha, False, list[Move]()
        for move in self._ordered(state, ply):
            value, guess, rest = self._child(state, move, depth, low, beta, ply)
            estimated = estimated or guess
            if value > best:
                best, line = value, [move, *rest]
                low = max(low, value)
                if best >= beta:
                    self.history[me, move] += depth * depth
                    if move not in self.killers[ply][:1]:
                        self.killers[ply] = [move, *self.killers[ply][:1]]
                    break
        return best, estimated and abs(best) < WIN, line

    def _ordered(self, state: State, ply: int) -> list[Move]:
        """Return the legal moves in the order to try them: killers first, then by history, then by number."""
        killers = self.killers[ply]

        def order(move: Move) -> tuple[int, int]:
            return killers.index(move) if move in killers else 2, -self.history.get((state.to_move, move), 0)

        return sorted(state.legal_moves(), key=order)
