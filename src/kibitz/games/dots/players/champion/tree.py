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
    """Return the most promising line where nothing can be taken; None if a box can be taken or the game is over.

    That is the quiet line with the most visits, with the share of playouts it wins; if every
    line is loony, the line with the best estimated margin.
    """
    if not state.undrawn or find_captures(state.game.board, state.drawn).coins:
        return None
    result = search(state.game.board, state.drawn, state.margin, budget, watch, rng)
    side = "ahead" if result.margin > 0 else "behind"
    score = "level" if abs(result.margin) < 0.05 else f"{abs(result.margin):.1f} {side}"
    if not result.playouts:
        note = f"Every line is loony; this one is estimated to end {score}."
        return Choice(result.line, result.margin, BOXES, note=note)
    note = f"Wins {result.wins:.0%} of {result.playouts:,} playouts, which end {score} on average."
    return Choice(result.line, result.wins, "probability", nodes=result.playouts, playouts=result.playouts, note=note)


def take_or_leave(state: DotsState, budget: Budget, watch: Watch | None, rng: random.Random) -> Choice | None:
    """Decide whether to take all boxes or to double-deal; return the next line.

    Return None if no box can be declined or theory knows the value of the rest. The rest
    is searched only when the next line depends on it.
    """
    graph = state.game.board
    taken = find_captures(graph, state.drawn)
    if not taken.declinable or simple_endgame(graph, taken.drawn_after) is not None:
        return None
    taking_line, declining_line = (lines_to_draw(state, taken, double_deal)[0] for double_deal in (False, True))
    if taking_line == declining_line:
        return Choice(taking_line, note="Takes a box that is worth taking in any case.")
    result = search(graph, taken.drawn_after, state.margin + len(taken.coins), budget, watch, rng)
    rest_value = result.margin - state.margin - len(taken.coins)
    chosen, verb = (declining_line, "Leaves") if rest_value < -taken.declinable else (taking_line, "Takes")
    note = f"{verb} the last {taken.declinable}: moving first in the rest is worth about {rest_value:+.1f}."
    return Choice(chosen, nodes=result.playouts, playouts=result.playouts, note=note)


def search(graph: Graph, drawn: int, lead: int, budget: Budget, watch: Watch | None, rng: random.Random) -> TreeResult:
    """Search a position; return the best line found. lead: the lead in boxes of the player to move.

    Assumes that nothing can be taken and that a line is undrawn.
    """
    import numpy as np

    from kibitz.compiled.rng import stream
    from kibitz.games.dots.players.champion.tree_kernel import grow, new_board, new_scratch, new_tree
    from kibitz.search import control

    board = new_board(graph, graph.all_strings & ~drawn)
    scratch, tree, signal = new_scratch(board), new_tree(_TREE_NODES), control.new_signal()
    playouts = budget.playouts or (budget.nodes // _NODES_PER_PLAYOUT + 1 if budget.nodes else 1 << 40)
    settings, random_words = np.array([playouts, lead], np.int64), stream(rng.getrandbits(64))
    control.supervise(lambda: grow(board, scratch, tree, signal, settings, random_words), signal, budget.seconds, watch)
    first_child, n_children = int(tree.child[0]), int(tree.children[0])
    if n_children == 0:
        # the middle line of each run: for a possible loop of 2 boxes any other would cost more
        openers = [run.strings[len(run.strings) // 2] for run in find_runs(graph, graph.all_strings & ~drawn)]
        value, line = max((_opening_estimate(graph, drawn, line), line) for line in openers)
        margin: float = lead + value
        return TreeResult(line, margin, 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5, 0)
    best = max(range(first_child, first_child + n_children), key=lambda child: int(tree.visits[child]))
    visits = int(tree.visits[best])
    margin, wins = float(tree.margins[best] / visits), float(tree.wins[best] / visits)
    return TreeResult(int(tree.line[best]), margin, wins, int(signal[control.NODES]))


def _opening_estimate(graph: Graph, drawn: int, line: Move) -> int:
    """Return an estimate of the value of a loony line, for a position without safe lines."""
    from kibitz.games.dots.players.champion.tree_kernel import estimate, new_board, new_scratch

    after = find_captures(graph, drawn | 1 << line)
    rest = new_board(graph, graph.all_strings & ~after.drawn_after)
    return -after.value(int(estimate(rest, new_scratch(rest))))
