"""The minimax agent of Amar & Ben Binyamin (2014), with its random jump.

Knows no game; numba and the kernels are imported on first use.
"""

from __future__ import annotations

import time
from typing import Any

from kibitz.core import registry
from kibitz.core.agent import WIN, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, State, View
from kibitz.search.alphabeta.agent import UNLIMITED
from kibitz.search.minimax.temperature import schedule
from kibitz.search.values import choose_evaluation, shown, unit_of

UNWATCHED_NODES = 200_000
"""Nodes that are searched without a look at the clock and at Ctrl-C: some hundredths of a second."""


class Minimax(Agent):
    """Minimax, so many rounds (my move, your move) ahead; equally good moves are drawn by lot.

    eval may name several evaluations, joined by |, of which one is drawn for each move. jump is the probability of a
    random move instead, as a function of the temperature t, which is `start` on the first own turn of a game and grows
    by `step` with each; without it there are no jumps. seconds is the agent's own limit for a move.
    """

    def __init__(
        self,
        game: Game,
        *,
        depth: int = 2,
        eval: str = "",
        jump: str = "",
        start: float = 3.0,
        step: float = 0.1,
        seconds: float | None = None,
    ) -> None:
        if depth < 1:
            raise BadOption(f"minimax cannot search to depth {depth}: it must be 1 or more.")
        self._set(game, depth, eval, jump, start, step, seconds)

    def _set(
        self, game: Game, depth: int, eval: str, jump: str, start: float, step: float, seconds: float | None
    ) -> None:
        """Take over the options, from here or from an agent made of this one."""
        names = [name.strip() for name in eval.split("|")]
        if len(names) > 1 and not all(names):
            raise BadOption(f"eval={eval} lacks a name beside a |: write one evaluation, or several such as a|b.")
        self.evaluations = tuple(choose_evaluation(game, name) for name in names)
        self.jumps = schedule(jump, start, step) if jump else ()
        self.depth, self.start, self.step = depth, start, step
        self.seconds = Budget(seconds=seconds).seconds
        self._search: Any = None
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Begin a new game: the temperature is back at its start."""
        super().reset(seed)
        self.turns = 0
        """Own turns begun in this game."""
        self._turn: int | None = None

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return one of the best moves, or any move if it jumps. Stopped, the best of the moves valued so far."""
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        note = self._jump(view.turn)
        if note:
            return Choice(self.rng.choice(view.legal_moves()), seconds=time.perf_counter() - began, note=note)
        evaluation = self.rng.choice(self.evaluations)
        state = view.sample(self.rng)
        values, nodes = self._values(state, evaluation, budget.within(self.seconds), watch)
        return self._answer(state.legal_moves(), values, nodes, evaluation, began)

    def _jump(self, turn: int) -> str:
        """Return why a random move is due now, or "" if none is."""
        if not self.jumps:
            return ""
        if turn != self._turn:
            self._turn, self.turns = turn, self.turns + 1
        k = min(self.turns, len(self.jumps)) - 1
        if self.rng.random() >= self.jumps[k]:
            return ""
        return f"random jump, p = {self.jumps[k]:.2f} at t = {self.start + k * self.step:.1f}"

    def prepare(self) -> None:
        """Make the working arrays, which all games share, and have the kernel compiled or loaded."""
        if self._search is not None:
            return
        from kibitz.search.control import STOP
        from kibitz.search.minimax.kernel import new_arrays, value_moves

        self._kernel = registry.kernel(self.game.name)
        self._search = new_arrays(self._kernel)
        self._search.signal[STOP] = 1
        value_moves(self._kernel.pack(self.game.start()), self._search)

    def _values(self, state: State, evaluation: str, budget: Budget, watch: Watch | None) -> tuple[list[int], int]:
        """Return the values of the legal moves, as far as it got, and the nodes it took.

        A search that turns out to be short runs on this thread: the worker that
        a longer one needs would cost more than the search.
        """
        from kibitz.search import control
        from kibitz.search.minimax.kernel import value_moves

        kernel, search = self._kernel, self._search
        position, signal = kernel.pack(state), search.signal
        limit = min(budget.nodes or UNLIMITED, UNLIMITED)

        def begin(limit: int) -> None:
            search.settings[:3] = self.depth, limit, registry.evaluations(self.game.name).number(evaluation)
            signal[:] = control.new_signal()

        valued, unwatched = 0, budget.seconds is None and watch is None
        if unwatched:
            begin(min(limit, UNWATCHED_NODES))
            valued = value_moves(position, search)
        if not unwatched or (signal[control.STOP] and limit > UNWATCHED_NODES):
            begin(limit)
            unit, scale = unit_of(self.game, False), self._scale(evaluation)
            valued = control.supervise(
                lambda: value_moves(position, search),
                signal,
                budget.seconds,
                watch,
                lambda value: shown(value, False, unit, scale),
            )
        return search.values[:valued].tolist(), int(signal[control.NODES])

    def _scale(self, evaluation: str) -> float:
        return registry.evaluations(self.game.name).known[evaluation].scale

    def _answer(self, legal: tuple[Move, ...], values: list[int], nodes: int, evaluation: str, began: float) -> Choice:
        """Return what was found as a choice. Fewer values than moves mean that the search was stopped."""
        complete = len(values) == len(legal)
        top = max(values, default=-WIN)
        unvalued = top <= -WIN and not complete  # rather a move not looked at than a lost one
        best = legal[len(values) :] if unvalued else tuple(legal[i] for i, value in enumerate(values) if value == top)
        move = self.rng.choice(best)
        solved = abs(top) >= WIN and not unvalued
        unit, scale = unit_of(self.game, solved), self._scale(evaluation)

        def valued(move: Move, value: int) -> MoveValue:
            exact = abs(value) >= WIN
            return MoveValue(move, shown(value, exact, unit, scale), exact)

        return Choice(
            move=move,
            value=None if unvalued else shown(top, solved, unit, scale),
            unit=None if unvalued else unit,
            exact=solved,
            best=best if complete else (move,),
            moves=tuple(map(valued, legal, values)) if complete else (),
            depth=self.depth if complete else 0,
            nodes=nodes,
            seconds=time.perf_counter() - began,
            note=f"judged by {evaluation}" if len(self.evaluations) > 1 else "",
        )


class Greedy(Minimax):
    """The best evaluation right after the own move, no look-ahead; equally good moves are drawn by lot.

    The keys mean what they mean to minimax.
    """

    def __init__(self, game: Game, *, eval: str = "", jump: str = "", start: float = 3.0, step: float = 0.1) -> None:
        self._set(game, 0, eval, jump, start, step, None)
