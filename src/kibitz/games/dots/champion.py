"""The strongest player: exact as soon as that can be done in time, before that a tree search with solved leaves.

Boards whose core does not fit the solver yet are played by chain_rule.py.
"""

from __future__ import annotations

import time
from dataclasses import replace

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, View
from kibitz.games.dots.advice import advise
from kibitz.games.dots.chain_rule import ChainRule
from kibitz.games.dots.exact.solver import Progress, Solver
from kibitz.games.dots.rules import Dots, State
from kibitz.games.dots.theory import captures

_SHARE = 0.7
"""The part of a budget that a solve may use up before the tree search has to answer."""
_AT_40, _A_LINE, _RATE = 2_000_000, 2.0, 3_000_000
"""Nodes to solve 5x5 with 40 lines left, how many times more for each line more, and nodes a second: all roughly."""
_NODES = 1 << 20
"""The pool of the tree search."""
_NODES_A_PLAYOUT = 500
"""What a playout counts for in a budget of nodes, roughly."""


class Champion(Agent):
    """The strongest for a given time: exact play as early as it can be had, before that solved playouts.

    memory is the size of the solver's table in megabytes, threads are those of
    the solver; a playout is solved when solve_at lines are left. nodes and
    seconds are the agent's own limits for a turn.
    """

    def __init__(
        self,
        game: Game,
        *,
        memory: int = 256,
        threads: int = 1,
        solve_at: int = 30,
        nodes: int | None = None,
        seconds: float | None = None,
    ) -> None:
        assert isinstance(game, Dots)
        if not 1 <= memory <= 1 << 20:
            raise BadOption(f"champion cannot have a table of {memory} MB: it must be 1 to {1 << 20}.")
        if not 1 <= solve_at <= 63:
            raise BadOption(f"champion cannot solve at {solve_at} lines: it must be 1 to 63.")
        self.solve_at = solve_at
        own = Budget(seconds=seconds, nodes=nodes)
        self.nodes, self.seconds = own.nodes, own.seconds
        self.solver = Solver(game.board, memory << 20, threads)
        self.fallback = ChainRule(game)
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget what was solved."""
        super().reset(seed)
        self.solver.forget()
        self.fallback.reset(seed)

    def prepare(self) -> None:
        """Have the solver and the tree search compiled or loaded."""
        self.solver.prepare()
        assert isinstance(self.game, Dots)
        self._look_ahead(self.game.start(), Budget(playouts=1), None)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a best move if the position can be solved, else the most promising one."""
        self.check(view)
        state = view.sample(self.rng)
        assert isinstance(state, State)
        self.solver.prepare()
        budget = budget.within(self.seconds)
        if self.nodes is not None:
            budget = replace(budget, nodes=min(self.nodes, budget.nodes or self.nodes))
        if budget == Budget():
            budget = DEFAULT_BUDGET
        began = time.perf_counter()
        legal = state.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0])
        choice = self._solve(state, budget, watch)
        if choice is None:
            choice = self._plan(state, budget.after(time.perf_counter() - began, 0, 0), watch)
        return replace(choice, seconds=time.perf_counter() - began)

    def _solve(self, state: State, budget: Budget, watch: Watch | None) -> Choice | None:
        """Return a best move with its value, the margin at the end; None if that takes too long."""
        rest = captures(state.game.board, state.drawn).rest
        lines = (state.game.board.all_strings & ~rest).bit_count()
        allowed = budget.nodes or (2 * _AT_40 if budget.seconds is None else int(_RATE * budget.seconds))
        if lines > 40 and _SHARE * allowed < _AT_40 * _A_LINE ** (lines - 40) / 2:
            return None  # it will hardly come to an end, so the tree search may have all the time

        def report(progress: Progress) -> None:
            if watch is not None:
                watch.nodes = progress.nodes
                if watch.stopped:
                    self.solver.stop()

        found = self.solver.solve(
            state.drawn,
            one=True,
            seconds=None if budget.seconds is None else _SHARE * budget.seconds,
            nodes=int(_SHARE * allowed) if budget.nodes or budget.seconds is None else None,
            report=report,
        )
        if found.value is None or not found.best:
            return None
        value = state.margin + found.value
        return Choice(found.best[0], value, "boxes", True, nodes=found.nodes, depth=state.undrawn.bit_count())

    def _plan(self, state: State, budget: Budget, watch: Watch | None) -> Choice:
        """Return a move by a tree search, or by the chain rule where the board is too large for one."""
        found = captures(state.game.board, state.drawn)
        if not found.coins:
            return self._look_ahead(state, budget, watch) or self.fallback.choose(state, _half(budget), watch)
        advice = advise(state)
        assert advice is not None
        return Choice(advice.lines[0], note=f"{advice.sentence}.")

    def _look_ahead(self, state: State, budget: Budget, watch: Watch | None) -> Choice | None:
        """Return the move of most visits in a tree search over safe lines; None if the board is too large."""
        import numpy as np

        from kibitz.compiled.rng import stream
        from kibitz.games.dots.exact.root import set_up
        from kibitz.games.dots.exact.tree_kernel import grow, new_path, new_tree
        from kibitz.games.dots.exact.words import NODES
        from kibitz.search import control

        graph = state.game.board
        root = set_up(graph, state.undrawn, self.solver.flags)
        if root is None:
            return None
        table, busy = self.solver.arrays()
        tree, signal = new_tree(_NODES), control.new_signal()
        playouts = budget.playouts or (budget.nodes // _NODES_A_PLAYOUT + 1 if budget.nodes else 1 << 40)
        settings = np.array([playouts, state.margin, self.solve_at], np.int64)
        position = np.array([root.core, root.unsafe, root.left], np.int64)
        rng = stream(self.rng.getrandbits(64))
        control.supervise(
            lambda: grow(table, busy, signal, root.words, tree, new_path(), settings, rng, position),
            signal,
            budget.seconds,
            watch,
        )
        first, n = int(tree.child[0]), int(tree.children[0])
        if n == 0 or tree.visits[0] == 0:
            return None
        best = max(range(first, first + n), key=lambda child: int(tree.visits[child]))
        share = float(tree.points[best] / max(int(tree.visits[best]), 1))
        move = root.strings[int(tree.string[best])]
        nodes = int(root.words[NODES])
        note = f"wins {share:.0%} of {int(tree.used[1]):,} playouts that were solved at their ends"
        return Choice(move, nodes=nodes, playouts=int(tree.used[1]), note=note)


def _half(budget: Budget) -> Budget:
    """Return a budget with half of the time, for a player that may overrun it a little."""
    return budget.within(None if budget.seconds is None else budget.seconds / 2)
