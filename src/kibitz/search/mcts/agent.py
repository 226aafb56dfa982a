"""The Monte Carlo tree search agent. Knows no game; numba and the kernels are imported on first use."""

from __future__ import annotations

import time
from typing import Any

from kibitz.core import registry
from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, View
from kibitz.search.alphabeta.agent import UNLIMITED
from kibitz.search.values import choose_evaluation

ROLLOUT = "rollout"
"""The leaf that is judged by a random game to its end."""


class Mcts(Agent):
    """Monte Carlo tree search: UCT with a solver.

    A leaf is judged by a random game (leaf=rollout) or by an evaluation of the game (leaf=NAME). c is the constant of
    UCT, first the points of a move that was not tried yet, tree how many nodes the tree may have. seconds is the
    agent's own limit for a turn.
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
        if playouts is not None and playouts < 1:
            raise BadOption(f"mcts cannot search with {playouts} playouts: it must be 1 or more.")
        if not 1000 <= tree <= 100_000_000:
            raise BadOption(f"mcts cannot have a tree of {tree} nodes: it must be 1000 to 100000000.")
        self.leaf = leaf if leaf == ROLLOUT else choose_evaluation(game, leaf)
        self.playouts, self.c, self.first, self.tree_size = playouts, c, first, tree
        self.seconds = Budget(seconds=seconds).seconds
        self._tree: Any = None
        super().__init__(game)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move with most visits, or a proved win."""
        from kibitz.search import control
        from kibitz.search.mcts.kernel import grow

        self.check(view)
        kernel = registry.kernel(self.game.name)
        state = view.sample(self.rng)
        position, scratch = kernel.pack(state), kernel.pack(state)
        budget = budget.within(self.seconds)
        limits = [n for n in (self.playouts, budget.playouts, budget.nodes) if n]
        if not limits and budget.seconds is None:
            budget = DEFAULT_BUDGET
        self.prepare()
        tree = self._tree
        tools = self._tools(kernel, min([*limits, UNLIMITED]), self.rng.getrandbits(64))
        began = time.perf_counter()
        best = control.supervise(
            lambda: grow(position, scratch, tree, tools), tools.signal, budget.seconds, watch, lambda value: value / 1e6
        )
        return self._answer(tools, best, time.perf_counter() - began)

    def _tools(self, kernel: Any, playouts: int, seed: int) -> Any:
        """Return the working arrays for one search."""
        import numpy as np

        from kibitz.compiled import rng
        from kibitz.search import control
        from kibitz.search.mcts.kernel import MctsScratch

        evaluated, known = self.leaf != ROLLOUT, registry.evaluations(self.game.name)
        scale = known.known[self.leaf].scale if evaluated else 1.0
        return MctsScratch(
            settings=np.array([playouts, known.number(self.leaf) if evaluated else -1], np.int64),
            weights=np.array([self.c, self.first, scale], np.float64),
            signal=control.new_signal(),
            rng=rng.stream(seed),
            moves=np.zeros(kernel.MAX_LEGAL_MOVES, np.int64),
            path=np.zeros(kernel.MAX_GAME_LENGTH + 1, np.int64),
        )

    def prepare(self) -> None:
        """Make the tree, and have the kernel compiled or loaded."""
        if self._tree is not None:
            return
        from kibitz.search.control import STOP
        from kibitz.search.mcts.kernel import grow, new_tree

        kernel = registry.kernel(self.game.name)
        self._tree = new_tree(self.tree_size)
        tools = self._tools(kernel, 1, 0)
        tools.signal[STOP] = 1
        start = self.game.start()
        grow(kernel.pack(start), kernel.pack(start), self._tree, tools)

    def _answer(self, tools: Any, best: int, seconds: float) -> Choice:
        """Return what the tree says as a choice."""
        from kibitz.search.control import DEPTH, NODES
        from kibitz.search.mcts.kernel import UNKNOWN

        tree = self._tree
        player = int(tree.mover[0])
        solved = bool(tree.proved[0] != UNKNOWN)
        moves = []
        for child in range(tree.child[0], tree.child[0] + tree.children[0]):
            exact = bool(tree.proved[child] != UNKNOWN)
            if exact:
                points = tree.proved[child] / 2
            else:
                points = tree.points[child] / tree.visits[child] if tree.visits[child] else 0.5
            points = float(points if player == 0 else 1 - points)
            moves.append(MoveValue(int(tree.move[child]), 2 * points - 1 if solved else points, exact))
        chosen = moves[best - int(tree.child[0])]
        equal = tuple(m.move for m in moves if solved and m.exact and m.value == chosen.value)
        return Choice(
            move=chosen.move,
            value=chosen.value,
            unit="result" if solved else "probability",
            exact=solved,
            best=equal or (chosen.move,),
            moves=tuple(moves),
            line=(chosen.move, *self._line(best)),
            depth=int(tools.signal[DEPTH]),
            nodes=int(tools.signal[NODES]),
            playouts=int(tools.signal[NODES]),
            seconds=seconds,
        )

    def _line(self, node: int) -> tuple[int, ...]:
        """Return the moves of most visits from a node on."""
        tree, line = self._tree, list[int]()
        while tree.children[node]:
            first = int(tree.child[node])
            node = max(range(first, first + int(tree.children[node])), key=lambda child: tree.visits[child])
            if not tree.visits[node]:
                break
            line.append(int(tree.move[node]))
        return tuple(line)
