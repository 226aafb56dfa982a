"""The tree search over safe lines whose ends are solved, for positions that are too large to be solved themselves."""

from __future__ import annotations

import random

from kibitz.core.agent import Budget, Choice, Watch
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.rules import State

_NODES = 1 << 20
"""The pool of the tree."""
_NODES_A_PLAYOUT = 500
"""What a playout counts for in a budget of nodes, roughly."""


def look_ahead(
    solver: Solver, state: State, budget: Budget, watch: Watch | None, rng: random.Random, solve_at: int
) -> Choice | None:
    """Return the line of most visits, with the share of playouts that it wins; None where there is none to search.

    A playout ends when solve_at safe lines are left. There is nothing to search
    where a box can be taken, no line is safe, or too many lines are left.
    """
    import numpy as np

    from kibitz.compiled.rng import stream
    from kibitz.games.dots.exact.root import set_up
    from kibitz.games.dots.exact.tree_kernel import grow, new_path, new_tree
    from kibitz.games.dots.exact.words import NODES
    from kibitz.games.dots.theory import captures
    from kibitz.search import control

    graph = state.game.board
    root = None if captures(graph, state.drawn).coins else set_up(graph, state.undrawn, solver.flags)
    if root is None:
        return None
    table, busy = solver.arrays()
    tree, signal = new_tree(_NODES), control.new_signal()
    playouts = budget.playouts or (budget.nodes // _NODES_A_PLAYOUT + 1 if budget.nodes else 1 << 40)
    settings = np.array([playouts, state.margin, solve_at], np.int64)
    position = np.array([root.core, root.unsafe, root.left], np.int64)
    numbers = stream(rng.getrandbits(64))
    control.supervise(
        lambda: grow(table, busy, signal, root.words, tree, new_path(), settings, numbers, position),
        signal,
        budget.seconds,
        watch,
    )
    first, n = int(tree.child[0]), int(tree.children[0])
    if n == 0 or tree.visits[0] == 0:
        return None
    best = max(range(first, first + n), key=lambda child: int(tree.visits[child]))
    share = float(tree.points[best] / max(int(tree.visits[best]), 1))
    note = f"Wins {share:.0%} of {int(tree.used[1]):,} playouts, each solved at its end."
    move = root.strings[int(tree.string[best])]
    return Choice(move, share, "probability", nodes=int(root.words[NODES]), playouts=int(tree.used[1]), note=note)
