"""Readable Monte Carlo tree search: the same search as kernel.py, on the game's readable rules.

The reference for the compiled search: the same seed gives the same playouts, and so the same tree.
"""

from __future__ import annotations

import math
import time

from kibitz.core import registry
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.game import Game, Move, State, View
from kibitz.core.seeds import Stream
from kibitz.search.mcts.agent import ROLLOUT, PlayoutSearch
from kibitz.search.values import check_positive, choose_evaluation, probability


class PlainNode:
    """A position in the tree. Points are the first player's."""

    def __init__(self, state: State, move: Move = -1) -> None:
        self.state, self.move = state, move
        self.children: list[PlainNode] = []
        self.visits, self.points = 0, 0.0
        outcome = state.outcome()
        self.proved: float | None = None if outcome is None else points_of(state)

    def mean(self, untried: float) -> float:
        """Return the node's proved points, or else its average, or `untried` before the first visit."""
        if self.proved is not None:
            return self.proved
        return self.points / self.visits if self.visits else untried

    def expand(self) -> None:
        """Add the children, and prove the node if finished games among them decide it."""
        self.children = [PlainNode(self.state.play(move), move) for move in self.state.legal_moves()]
        self.prove()

    def prove(self) -> None:
        """Adopt the result of a winning child, or the best result if all children are proved."""
        best = max if self.state.to_move == 0 else min
        goal = 1.0 if self.state.to_move == 0 else 0.0
        known = [child.proved for child in self.children if child.proved is not None]
        if known and (best(known) == goal or len(known) == len(self.children)):
            self.proved = best(known)


def points_of(state: State) -> float:
    """Return the first player's points in a finished game: 0, 0.5 or 1."""
    outcome = state.outcome()
    assert outcome is not None
    return (1 + outcome.value(0)) / 2


class PlainMcts(PlayoutSearch):
    """Monte Carlo tree search in plain Python: the readable reference for mcts."""

    def __init__(
        self, game: Game, *, playouts: int | None = None, leaf: str = ROLLOUT, c: float = 0.7, first: float = 0.5
    ) -> None:
        check_positive("plain-mcts", "playouts", playouts)
        self.leaf = leaf if leaf == ROLLOUT else choose_evaluation(game, leaf)
        self.playouts, self.c, self.first = playouts, c, first
        super().__init__(game)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the most visited move, or a proved win."""
        root = PlainNode(view.sample(self.rng))
        self.stream = Stream(self.rng.getrandbits(64))
        began = time.perf_counter()
        root.expand()
        self.depth = playouts = 0
        for number in self._playouts(budget, watch):
            if root.proved is not None:
                break
            self._playout(root)
            playouts = number
            if watch is not None:
                best = self._best(root)
                watch.depth, watch.nodes, watch.move = self.depth, playouts, best.move
                watch.value = self._points(root, best)
        children = [(child.move, self._points(root, child), child.proved is not None) for child in root.children]
        best_move, seconds = self._best(root).move, time.perf_counter() - began
        return self._choice(children, best_move, root.proved is not None, (best_move,), self.depth, playouts, seconds)

    def _playout(self, root: PlainNode) -> None:
        """Walk down to a leaf, evaluate it, and add its points to all nodes on the path."""
        path = [root]
        while path[-1].children and path[-1].proved is None:
            path.append(self._select(path[-1]))
        leaf = path[-1]
        if leaf.proved is None and leaf.visits:
            leaf.expand()
        points = self._judge(leaf.state) if leaf.proved is None else leaf.proved
        self.depth = max(self.depth, len(path) - 1)
        for node in reversed(path):
            node.visits += 1
            node.points += points
            if node.proved is None and any(child.proved is not None for child in node.children):
                node.prove()

    def _select(self, node: PlainNode) -> PlainNode:
        """Return the child with the highest UCT score; proved losses come last."""
        explore = self.c * math.sqrt(math.log(node.visits + 1.0))

        def score(child: PlainNode) -> float:
            if child.proved is not None:
                mine = child.proved if node.state.to_move == 0 else 1.0 - child.proved
                return mine if mine > 0.0 else -0.5
            if not child.visits:
                return self.first + explore
            mean = child.points / child.visits
            return (mean if node.state.to_move == 0 else 1.0 - mean) + explore / math.sqrt(child.visits)

        return max(node.children, key=score)

    def _judge(self, state: State) -> float:
        """Evaluate a leaf; return the first player's points, 0 to 1."""
        if self.leaf != ROLLOUT:
            evaluation = registry.evaluations(self.game.name).known[self.leaf]
            value = evaluation.function(state)
            return probability(value if state.to_move == 0 else -value, evaluation.scale)
        while moves := state.legal_moves():
            state = state.play(moves[self.stream.below(len(moves))])
        return points_of(state)

    def _points(self, root: PlainNode, child: PlainNode) -> float:
        """Return the points of a child for the player to move at the root."""
        points = child.mean(untried=0.5)
        return points if root.state.to_move == 0 else 1.0 - points

    def _best(self, root: PlainNode) -> PlainNode:
        """Return the child to play: prefer proved wins, avoid proved losses, then by visits and points."""

        def merit(child: PlainNode) -> tuple[int, int, float]:
            mine = self._points(root, child)
            rank = 0 if child.proved in (None, 0.5) else (1 if mine == 1.0 else -1)
            return rank, child.visits, mine

        return max(root.children, key=merit)
