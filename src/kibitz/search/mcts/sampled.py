"""Monte Carlo tree search for games that hide something. Knows no game and proves nothing.

Every playout starts from another state sampled from the view, so a move is valued over all deals
that are possible, never over one. A node stands for the moves that led to it, whatever was dealt:
information set MCTS with a single observer (Cowling, Powley & Whitehouse 2012, section IV).
"""

from __future__ import annotations

import math
import time

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, Player, State, View
from kibitz.search.mcts.plain import points_of


class SampledNode:
    """What is known about a move after the moves before it. Points are the first player's."""

    def __init__(self) -> None:
        self.children: dict[Move, SampledNode] = {}
        self.visits, self.points = 0, 0.0
        self.offered = 0
        """In how many playouts the move was legal there."""

    def mean(self, player: Player) -> float:
        """Return the average points of a player, a half without any."""
        points = self.points / self.visits if self.visits else 0.5
        return points if player == 0 else 1.0 - points


class SampledMcts(Agent):
    """Monte Carlo tree search over sampled deals, for games that hide something."""

    def __init__(self, game: Game, *, playouts: int | None = None, c: float = 0.7) -> None:
        if playouts is not None and playouts < 1:
            raise BadOption(f"sampled-mcts cannot search with {playouts} playouts: it must be 1 or more.")
        self.playouts, self.c = playouts, c
        super().__init__(game)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move with most visits. Its value is an estimate, even where a single deal would prove it."""
        self.check(view)
        limits = [n for n in (self.playouts, budget.playouts, budget.nodes) if n]
        seconds = DEFAULT_BUDGET.seconds if not limits and budget.seconds is None else budget.seconds
        began = time.perf_counter()
        root, me = SampledNode(), view.to_move
        root.children = {move: SampledNode() for move in view.legal_moves()}
        depth, playouts = 0, 0
        while playouts < min(limits, default=playouts + 1):
            if seconds is not None and time.perf_counter() - began >= seconds:
                break
            if watch is not None and watch.stopped:
                break
            depth = max(depth, self._playout(root, view.sample(self.rng)))
            playouts += 1
            if watch is not None:
                watch.depth, watch.nodes, watch.move = depth, playouts, _best(root, me)
                watch.value = root.children[watch.move].mean(me)
        chosen = _best(root, me)
        return Choice(
            move=chosen,
            value=root.children[chosen].mean(me),
            unit="probability",
            moves=tuple(MoveValue(move, child.mean(me), False) for move, child in root.children.items()),
            depth=depth,
            nodes=playouts,
            playouts=playouts,
            seconds=time.perf_counter() - began,
        )

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
        """Return the legal move to follow: a random new one, or the best of points and curiosity."""
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
