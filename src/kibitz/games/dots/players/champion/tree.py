"""The search for positions that are too large for the solver: a tree over quiet lines with estimated endgames.

Compiled in tree_kernel.py, which is imported on first use. Decides which line to draw, and whether to take all boxes
or to double-deal. Its values are estimates, never proved.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.game import Move
from kibitz.games.dots.evaluate import BOXES
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.rules.graph import Graph, grid
from kibitz.games.dots.theory.advice import lines_to_draw
from kibitz.games.dots.theory.endgames import find_captures, simple_endgame
from kibitz.games.dots.theory.runs import find_runs

_TREE_NODES = 1 << 20
_NODES_PER_PLAYOUT = 30  # what a playout costs in a budget of nodes: the solver searches about as many in the same time


class TreeResult(NamedTuple):
    """The result of searching a position in which nothing can be taken, for the player to move."""

    line: Move
    margin: float  # at the end of the game
    wins: float  # the share of the playouts with this line that are won
    playouts: int  # 0 if every line is loony: then one line of each run is compared by the estimate alone


def prepare() -> None:
    """Compile the search and the estimate, or load them from the cache."""
    search(grid(1, 1), 0, 0, Budget(playouts=1), None, random.Random(0))
    search(grid(1, 3), 0b111111, 0, Budget(playouts=1), None, random.Random(0))  # a chain of 3: all lines are loony


def look_ahead(state: DotsState, budget: Budget, watch: Watch | None, rng: random.Random) -> Choice | None:
    """Return the most promising line where nothing can be taken; None where something can, or nothing is left.

    That is the quiet line with the most visits, with the share of playouts it wins; if every
    line is loony, the line that is estimated to cost least in the end.
    """
    if not state.undrawn or find_captures(state.game.board, state.drawn).coins:
        return None
    found = search(state.game.board, state.drawn, state.margin, budget, watch, rng)
    side = "ahead" if found.margin > 0 else "behind"
    score = "level" if abs(found.margin) < 0.05 else f"{abs(found.margin):.1f} {side}"
    if not found.playouts:
        note = f"Every line is loony; this one is estimated to end {score}."
        return Choice(found.line, found.margin, BOXES, note=note)
    note = f"Wins {found.wins:.0%} of {found.playouts:,} playouts, which end {score} on average."
    return Choice(found.line, found.wins, "probability", nodes=found.playouts, playouts=found.playouts, note=note)


def take_or_leave(state: DotsState, budget: Budget, watch: Watch | None, rng: random.Random) -> Choice | None:
    """Decide whether to take or decline; return the next line, or None if none can be declined or theory knows.

    The rest is searched only when the next line depends on it.
    """
    graph = state.game.board
    taken = find_captures(graph, state.drawn)
    if not taken.declinable or simple_endgame(graph, taken.drawn_after) is not None:
        return None
    take, leave = (lines_to_draw(state, taken, double_deal)[0] for double_deal in (False, True))
    if take == leave:
        return Choice(take, note="Takes a box that is worth taking in any case.")
    found = search(graph, taken.drawn_after, state.margin + len(taken.coins), budget, watch, rng)
    rest = found.margin - state.margin - len(taken.coins)
    chosen, act = (leave, "Leaves") if rest < -taken.declinable else (take, "Takes")
    note = f"{act} the last {taken.declinable}: moving first in the rest is worth about {rest:+.1f}."
    return Choice(chosen, nodes=found.playouts, playouts=found.playouts, note=note)


def search(graph: Graph, drawn: int, lead: int, budget: Budget, watch: Watch | None, rng: random.Random) -> TreeResult:
    """Search a position; return the best line found. lead: the present lead in boxes of the player to move.

    Assumes that nothing can be taken and that a line is left.
    """
    import numpy as np

    from kibitz.compiled.rng import stream
    from kibitz.games.dots.players.champion.tree_kernel import grow, new_board, new_scratch, new_tree
    from kibitz.search import control

    board = new_board(graph, graph.all_strings & ~drawn)
    scratch, tree, signal = new_scratch(board), new_tree(_TREE_NODES), control.new_signal()
    playouts = budget.playouts or (budget.nodes // _NODES_PER_PLAYOUT + 1 if budget.nodes else 1 << 40)
    settings, numbers = np.array([playouts, lead], np.int64), stream(rng.getrandbits(64))
    control.supervise(lambda: grow(board, scratch, tree, signal, settings, numbers), signal, budget.seconds, watch)
    first, n = int(tree.child[0]), int(tree.children[0])
    if n == 0:
        # of each run the middle line: for a possible loop of 2 boxes any other would cost more
        openers = [run.strings[len(run.strings) // 2] for run in find_runs(graph, graph.all_strings & ~drawn)]
        value, line = max((_opened(graph, drawn, line), line) for line in openers)
        return TreeResult(line, lead + value, 0.5 + 0.5 * ((lead + value > 0) - (lead + value < 0)), 0)
    best = max(range(first, first + n), key=lambda child: int(tree.visits[child]))
    visits = int(tree.visits[best])
    margin, wins = float(tree.margins[best] / visits), float(tree.wins[best] / visits)
    return TreeResult(int(tree.line[best]), margin, wins, int(signal[control.NODES]))


def _opened(graph: Graph, drawn: int, line: Move) -> int:
    """Return an estimate of the value of a loony line, where no line is safe."""
    from kibitz.games.dots.players.champion.tree_kernel import estimate, new_board, new_scratch

    after = find_captures(graph, drawn | 1 << line)
    rest = new_board(graph, graph.all_strings & ~after.drawn_after)
    return -after.value(int(estimate(rest, new_scratch(rest))))
