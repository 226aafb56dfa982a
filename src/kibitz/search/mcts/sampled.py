"""Monte Carlo tree search for games that hide something. Knows no game and proves nothing.

Every playout starts from another state sampled from the view, so a move is valued over all deals
that are possible, never over one. A node stands for the moves that led to it, whatever was dealt:
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
    """What is known about a move after the moves before it. Points are the first player's."""

    def __init__(self) -> None:
        self.children: dict[Move, SampledNode] = {}
        self.visits, self.points = 0, 0.0
        self.offered = 0
        """The number of playouts in which the move was legal there."""

    def mean(self, player: Player) -> float:
        """Return the average points of a player, a half without any."""
        points = self.points / self.visits if self.visits else 0.5
        return points if player == 0 else 1.0 - points


class SampledMcts(PlayoutSearch):
    """Monte Carlo tree search over sampled deals, for games that hide something."""

    def __init__(self, game: Game, *, playouts: int | None = None, c: float = 0.7) -> None:
        check_positive("sampled-mcts", "playouts", playouts)
        self.playouts, self.c = playouts, c
        super().__init__(game)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move with most visits. Its value is an estimate, even where a single deal would prove it."""
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
        """Walk down to a move that is new, play on at random, and add the points on the way back; return the depth."""
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
        """Return the legal move to follow: a random new one, or the best sum of points and exploration."""
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
    """Return the move with most visits; of equal ones that with most points, then the lowest."""
    return max(root.children, key=lambda move: (root.children[move].visits, root.children[move].mean(player)))
