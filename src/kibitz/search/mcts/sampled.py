"""Monte Carlo tree search for games with hidden information. Works for any game; proves nothing.

Every playout starts from a newly sampled state that fits the view, so the value of a move is an average
over possible deals. A node stands for the moves that led to it, whatever was dealt:
information set MCTS with a single observer (Cowling, Powley & Whitehouse 2012, section IV).
"""

from __future__ import annotations

import math
import time

from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.game import Game, Move, Player, State, View
from kibitz.search.mcts.agent import PlayoutSearch
from kibitz.search.mcts.plain import points_of
from kibitz.search.values import check_positive


class SampledNode:
    """Statistics of one sequence of moves, over all deals. Points are the first player's."""

    def __init__(self) -> None:
        self.children: dict[Move, SampledNode] = {}
        self.visits, self.points = 0, 0.0
        self.offered = 0
        """The number of playouts in which the last move of the sequence was legal."""

    def mean(self, player: Player) -> float:
        """Return a player's average points, or 0.5 before the first visit."""
        points = self.points / self.visits if self.visits else 0.5
        return points if player == 0 else 1.0 - points


class SampledMcts(PlayoutSearch):
    """Monte Carlo tree search over sampled deals, for games that hide something."""

    def __init__(self, game: Game, *, playouts: int | None = None, c: float = 0.7) -> None:
        check_positive("sampled-mcts", "playouts", playouts)
        self.playouts, self.c = playouts, c
        super().__init__(game)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the most visited move. Its value, an average over sampled deals, is never exact."""
        self.check(view)
        began, me, root = time.perf_counter(), view.to_move, SampledNode()
        root.children = {move: SampledNode() for move in view.legal_moves()}
        depth = playouts = 0
        for playouts in self._playouts(budget, watch):
            depth = max(depth, self._playout(root, view.sample(self.rng)))
            if watch is not None:
                watch.depth, watch.nodes, watch.move = depth, playouts, _best(root, me)
                watch.value = root.children[watch.move].mean(me)
        children = [(move, child.mean(me), False) for move, child in root.children.items()]
        return self._choice(children, _best(root, me), False, (), depth, playouts, time.perf_counter() - began)

    def _playout(self, root: SampledNode, state: State) -> int:
        """Walk down to an unvisited node, finish the game at random, and update the path; return the path's length."""
        path = [root]
        while path[-1].visits or len(path) == 1:
            moves = state.legal_moves()
            if not moves:
                break
            move = self._select(path[-1], moves, state.to_move)
            path.append(path[-1].children[move])
            state = state.play(move)
        while moves := state.legal_moves():
            state = state.play(self.rng.choice(moves))
        points = points_of(state)
        for node in path:
            node.visits += 1
            node.points += points
        return len(path) - 1

    def _select(self, node: SampledNode, moves: tuple[Move, ...], player: Player) -> Move:
        """Return a random unvisited move, or if there is none, the legal move with the highest UCT score."""
        children = {move: node.children.setdefault(move, SampledNode()) for move in moves}
        for child in children.values():
            child.offered += 1
        if new := [move for move, child in children.items() if not child.visits]:
            return self.rng.choice(new)

        def score(move: Move) -> float:
            child = children[move]
            return child.mean(player) + self.c * math.sqrt(math.log(child.offered) / child.visits)

        return max(moves, key=score)


def _best(root: SampledNode, player: Player) -> Move:
    """Return the most visited move; break ties by average points, then by the lowest number."""
    return max(root.children, key=lambda move: (root.children[move].visits, root.children[move].mean(player)))
