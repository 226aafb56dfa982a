"""The Monte Carlo tree search agent. Works for any game; numba and the kernels are imported on first use."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from kibitz.compiled.gear import MAX_LIGHT_PLAYOUTS, first_gear
from kibitz.core import registry
from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Unit, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, View
from kibitz.search.alphabeta.agent import UNLIMITED
from kibitz.search.values import check_positive, choose_evaluation

ROLLOUT = "rollout"
"""The value of `leaf` that evaluates a leaf by playing a random game to its end."""


class PlayoutSearch(Agent):
    """Base class of the Monte Carlo tree searches: limits on playouts and time, and conversion to a Choice."""

    playouts: int | None

    def _limits(self, budget: Budget) -> tuple[int, float | None]:
        """Return the limits in playouts and in seconds; if neither is limited, the default number of seconds."""
        limits = [n for n in (self.playouts, budget.playouts, budget.nodes) if n]
        seconds = DEFAULT_BUDGET.seconds if not limits and budget.seconds is None else budget.seconds
        return min([*limits, UNLIMITED]), seconds

    def _playouts(self, budget: Budget, watch: Watch | None) -> Iterator[int]:
        """Yield 1, 2, 3 ..., one number before each playout, until a limit is reached or the watch stops it."""
        (most, seconds), began = self._limits(budget), time.perf_counter()
        for number in range(1, most + 1):
            late = seconds is not None and time.perf_counter() - began >= seconds
            if late or (watch is not None and watch.stopped):
                return
            yield number

    def _choice(
        self,
        children: Sequence[tuple[Move, float, bool]],
        best: Move,
        solved: bool,
        line: tuple[Move, ...],
        depth: int,
        playouts: int,
        seconds: float,
    ) -> Choice:
        """Return the search's result as a Choice. children: (move, its points from 0 to 1, whether they are proved)."""
        moves = tuple(MoveValue(move, 2 * points - 1 if solved else points, exact) for move, points, exact in children)
        value = next(m.value for m in moves if m.move == best)
        equal = tuple(m.move for m in moves if solved and m.exact and m.value == value)
        unit: Unit = "result" if solved else "probability"
        return Choice(best, value, unit, solved, equal, moves, line, depth, playouts, playouts, seconds)


class Mcts(PlayoutSearch):
    """Monte Carlo tree search: UCT with a solver.

    A leaf is evaluated by a random game (leaf=rollout) or by one of the game's evaluations (leaf=NAME). c is the
    exploration constant of UCT, first the assumed points of an untried move, tree the maximum number of nodes in the
    tree. seconds is the agent's own time limit for a turn.
    """

    def __init__(
        self,
        game: Game,
        *,
        playouts: int | None = None,
        leaf: str = ROLLOUT,
        c: float = 0.7,
        first: float = 0.5,
        tree: int = 1_000_000,
        seconds: float | None = None,
    ) -> None:
        check_positive("mcts", "playouts", playouts)
        if not 1000 <= tree <= 100_000_000:
            raise BadOption(f"mcts cannot have a tree of {tree} nodes: it must be 1000 to 100000000.")
        self.leaf = leaf if leaf == ROLLOUT else choose_evaluation(game, leaf)
        self.playouts, self.c, self.first, self.tree_size = playouts, c, first, tree
        self.seconds = Budget(seconds=seconds).seconds
        self._tree: Any = None
        super().__init__(game)

    @property
    def is_light(self) -> bool:
        """Whether a move takes less than about a second in plain Python."""
        return self.playouts is not None and self.playouts <= MAX_LIGHT_PLAYOUTS

    @first_gear
    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the most visited move, or a proved win."""
        from kibitz.search import control
        from kibitz.search.mcts.kernel import grow

        self.check(view)
        kernel = registry.kernel(self.game.name)
        state = view.sample(self.rng)
        playouts, seconds = self._limits(budget.within(self.seconds))
        self.prepare()
        position, scratch = kernel.pack(state), kernel.pack(state)
        tree, tools = self._tree, self._tools(playouts, self.rng.getrandbits(64))
        began = time.perf_counter()
        best = control.supervise(
            lambda: grow(position, scratch, tree, tools), tools.signal, seconds, watch, lambda value: value / 1e6
        )
        return self._answer(tools, best, time.perf_counter() - began)

    def _tools(self, playouts: int, seed: int) -> Any:
        """Return the working arrays for one search."""
        import numpy as np

        from kibitz.compiled import rng
        from kibitz.search import control
        from kibitz.search.mcts.kernel import MctsScratch

        evaluated, known = self.leaf != ROLLOUT, registry.evaluations(self.game.name)
        scale, kernel = known.known[self.leaf].scale if evaluated else 1.0, registry.kernel(self.game.name)
        return MctsScratch(
            settings=np.array([playouts, known.number(self.leaf) if evaluated else -1], np.int64),
            weights=np.array([self.c, self.first, scale], np.float64),
            signal=control.new_signal(),
            rng=rng.stream(seed),
            **control.zeros(moves=kernel.MAX_LEGAL_MOVES, path=kernel.MAX_GAME_LENGTH + 1),
        )

    @first_gear
    def prepare(self) -> None:
        """Allocate the tree, and compile the kernel or load it from the cache."""
        if self._tree is not None:
            return
        from kibitz.search.control import STOP
        from kibitz.search.mcts.kernel import grow, new_tree

        if self.leaf != ROLLOUT:
            registry.evaluations(self.game.name).known[self.leaf].load()
        pack, start = registry.kernel(self.game.name).pack, self.game.start()
        self._tree, tools = new_tree(self.tree_size), self._tools(1, 0)
        tools.signal[STOP] = 1
        grow(pack(start), pack(start), self._tree, tools)

    def _answer(self, tools: Any, best: int, seconds: float) -> Choice:
        """Convert the tree's results to a Choice; best is the chosen child of the root."""
        from kibitz.search.control import DEPTH, NODES
        from kibitz.search.mcts.kernel import UNKNOWN

        tree, playouts = self._tree, int(tools.signal[NODES])
        player, first = int(tree.mover[0]), int(tree.child[0])
        children = []
        for child in range(first, first + int(tree.children[0])):
            proved, visits = int(tree.proved[child]), int(tree.visits[child])
            points = float(tree.points[child]) / visits if visits else 0.5
            points = points if proved == UNKNOWN else proved / 2
            children.append((int(tree.move[child]), points if player == 0 else 1 - points, proved != UNKNOWN))
        best_move, solved, depth = int(tree.move[best]), bool(tree.proved[0] != UNKNOWN), int(tools.signal[DEPTH])
        return self._choice(children, best_move, solved, self._line(best), depth, playouts, seconds)

    def _line(self, node: int) -> tuple[int, ...]:
        """Return the move that leads to a node, followed by the most visited move at each step below it."""
        tree, line = self._tree, [int(self._tree.move[node])]
        while tree.children[node]:
            first = int(tree.child[node])
            node = max(range(first, first + int(tree.children[node])), key=lambda child: tree.visits[child])
            if not tree.visits[node]:
                break
            line.append(int(tree.move[node]))
        return tuple(line)
