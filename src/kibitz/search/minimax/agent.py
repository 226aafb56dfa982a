"""The minimax agent of Amar & Ben Binyamin (2014), with its random jump.

Works for any game; numba and the kernels are imported on first use.
"""

from __future__ import annotations

import time
from typing import Any

from kibitz.compiled.gear import MAX_LIGHT_NODES, first_gear
from kibitz.core import registry
from kibitz.core.agent import WIN, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, State, View
from kibitz.search.alphabeta.agent import UNLIMITED
from kibitz.search.minimax.temperature import schedule
from kibitz.search.values import check_positive, choose_evaluation, shown, unit_of

UNWATCHED_NODES = 200_000
"""Number of nodes to search without checking the clock or Ctrl-C: a few hundredths of a second of work."""


class Minimax(Agent):
    """Minimax, a number of rounds (my move, your move) ahead; picks at random among equally good moves.

    eval may name several evaluations, joined by |: one of them is picked at random for each move. jump is a formula for
    the probability of playing a random move instead (none by default). Its variable, the temperature t, is `start` on
    the agent's first turn and grows by `step` on each later turn. seconds is the agent's own time limit for a move.
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
        check_positive("minimax", "depth", depth)
        self._set(game, depth, eval, jump, start, step, seconds)

    def _set(
        self, game: Game, depth: int, eval: str, jump: str, start: float, step: float, seconds: float | None
    ) -> None:
        """Store the options of this agent or of a subclass. Raise BadOption if one is invalid."""
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
        """Begin a new game: seed the random choices and reset the temperature to `start`."""
        super().reset(seed)
        self.turns = 0
        """Number of turns this agent has begun in the current game."""
        self._turn: int | None = None

    @property
    def is_light(self) -> bool:
        """Whether a move takes less than about a second in plain Python."""
        return bool(len(self.game.moves()) ** (1 + 2 * self.depth) <= MAX_LIGHT_NODES)

    @first_gear
    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return one of the best moves, or any move on a random jump; after a stop, the best move evaluated so far."""
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        if note := self._jump(view.turn):
            return Choice(self.rng.choice(view.legal_moves()), seconds=time.perf_counter() - began, note=note)
        evaluation = self.rng.choice(self.evaluations)
        state = view.sample(self.rng)
        values, nodes = self._values(state, evaluation, budget.within(self.seconds), watch)
        return self._answer(state.legal_moves(), values, nodes, evaluation, began)

    def _jump(self, turn: int) -> str:
        """Decide whether to jump to a random move on this turn; return a note on the jump, or "" for no jump."""
        if not self.jumps:
            return ""
        if turn != self._turn:
            self._turn, self.turns = turn, self.turns + 1
        k = min(self.turns, len(self.jumps)) - 1
        if self.rng.random() >= self.jumps[k]:
            return ""
        return f"random jump, p = {self.jumps[k]:.2f} at t = {self.start + k * self.step:.1f}"

    @first_gear
    def prepare(self) -> None:
        """Allocate the working arrays, reused from game to game, and compile the kernel or load it from the cache."""
        if self._search is not None:
            return
        from kibitz.search.control import STOP
        from kibitz.search.minimax.kernel import new_arrays, value_moves

        for name in self.evaluations:
            registry.evaluations(self.game.name).known[name].load()
        self._kernel = registry.kernel(self.game.name)
        self._search = new_arrays(self._kernel)
        self._search.signal[STOP] = 1
        value_moves(self._kernel.pack(self.game.start()), self._search)

    def _values(self, state: State, evaluation: str, budget: Budget, watch: Watch | None) -> tuple[list[int], int]:
        """Return the values of the legal moves, fewer if the search was stopped, and the number of nodes searched.

        A short search without a time limit or watch runs on the calling thread: a worker would cost more than it.
        """
        from kibitz.search import control
        from kibitz.search.minimax.kernel import value_moves

        position, search = self._kernel.pack(state), self._search
        signal, limit = search.signal, min(budget.nodes or UNLIMITED, UNLIMITED)

        def begin(limit: int) -> None:
            search.settings[:3] = self.depth, limit, registry.evaluations(self.game.name).number(evaluation)
            signal[:] = control.new_signal()

        valued, unwatched = 0, budget.seconds is None and watch is None
        if unwatched:
            begin(min(limit, UNWATCHED_NODES))
            valued = value_moves(position, search)
        if not unwatched or (signal[control.STOP] and limit > UNWATCHED_NODES):
            begin(limit)
            valued = control.supervise(lambda: value_moves(position, search), signal, budget.seconds, watch,
                                       lambda value: self._shown(value, False, evaluation))  # fmt: skip
        return search.values[:valued].tolist(), int(signal[control.NODES])

    def _shown(self, value: int, solved: bool, evaluation: str) -> float:
        """Convert a search value to the unit of a solved or an unsolved answer."""
        scale = registry.evaluations(self.game.name).known[evaluation].scale
        return shown(value, abs(value) >= WIN and solved, unit_of(self.game, solved), scale)

    def _answer(self, legal: tuple[Move, ...], values: list[int], nodes: int, evaluation: str, began: float) -> Choice:
        """Convert the results to a Choice. Fewer values than moves mean that the search was stopped."""
        complete = len(values) == len(legal)
        top = max(values, default=-WIN)
        unvalued = top <= -WIN and not complete  # an unsearched move is better than a lost one
        best = legal[len(values) :] if unvalued else tuple(legal[i] for i, value in enumerate(values) if value == top)
        move = self.rng.choice(best)
        solved = abs(top) >= WIN and not unvalued
        moves = [
            MoveValue(move, self._shown(value, solved, evaluation), abs(value) >= WIN)
            for move, value in zip(legal, values, strict=complete)
        ]
        return Choice(
            move=move,
            value=None if unvalued else self._shown(top, solved, evaluation),
            unit=None if unvalued else unit_of(self.game, solved),
            exact=solved,
            best=best if complete else (move,),
            moves=tuple(moves) if complete else (),
            depth=self.depth if complete else 0,
            nodes=nodes,
            seconds=time.perf_counter() - began,
            note=f"judged by {evaluation}" if len(self.evaluations) > 1 else "",
        )


class Greedy(Minimax):
    """The move with the best evaluation right after it, without look-ahead; picks at random among equally good moves.

    The options have the same meaning as those of minimax.
    """

    def __init__(self, game: Game, *, eval: str = "", jump: str = "", start: float = 3.0, step: float = 0.1) -> None:
        self._set(game, 0, eval, jump, start, step, None)
