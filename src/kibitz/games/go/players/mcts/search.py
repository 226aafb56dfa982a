"""The Python interface to the Monte Carlo search tree: grows it, queries it, and keeps it from move to move.

Time controls, passing and resigning are left to the agent. Imported on first use, because it loads the compiler.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled import rng
from kibitz.core.agent import Budget, Watch
from kibitz.core.errors import IllegalMove
from kibitz.core.game import Move
from kibitz.games.go.kernel.board import cells_of
from kibitz.games.go.kernel.position import pack
from kibitz.games.go.players.mcts import playout_board_kernel as board_kernel
from kibitz.games.go.players.mcts import playout_kernel, tree_kernel
from kibitz.games.go.players.mcts.agent import GuideSettings
from kibitz.games.go.players.mcts.trail import leads_to
from kibitz.games.go.players.mcts.tree_kernel import GrowArrays
from kibitz.games.go.players.mcts.windows import window_weights
from kibitz.games.go.predict.shipped import MAX_SIZE
from kibitz.games.go.rules import NO_MOVE, Go, GoState
from kibitz.search import control

if TYPE_CHECKING:
    from kibitz.games.go.players.mcts.guide import Guidance, Guide

MIN_MERCY_LEAD = 20  # a lead in stones that ends a playout early; on large boards a third of the points
MAX_DEPTH = 256
EVEN_GAMES_WITH_POLICY = 10.0  # virtual games that each move starts with if there is a policy
DOUBTED_RATES, DOUBTED_LEADS = 150, 300
"""Playouts of a move that weigh as much as all those of the position in the estimate of its win rate, and of its lead:
moves differ less in lead, by a few points, than playouts do, by dozens."""
GUIDE_RATE_SHARE, GUIDE_LEAD_SHARE, GUIDE_OWNERS_SHARE = 0.5, 0.75, 0.5
"""How much the guide's estimates of a 19x19 position count in an analysis, and the playouts the rest."""
SMALL_BOARD_GUIDE_SHARE = 0.25  # the same for all three on other boards, which the net knows less, and playouts better
REPORT_SECONDS = 0.2  # between two reports of an analysis
_NO_LIMIT = 1 << 40


class GoSearch:
    """The search tree of a game. Node 0, the root, is the last position searched."""

    def __init__(self, game: Go, nodes: int, guide: Guide | None, settings: GuideSettings = GuideSettings()) -> None:
        self.game, self.guide, self._settings = game, guide, settings
        self.tree, self._spare = tree_kernel.new_tree(nodes), tree_kernel.new_tree(nodes)
        self._source = np.zeros(nodes, np.int32)
        self.playouts = self.depth = 0  # of the last search
        self.forget()
        self.run(game.start(), (), Budget(playouts=1), None, 0, 0)
        tree_kernel.copy_subtree(self.tree, 0, self._spare, self._source)  # compile it now

    def forget(self) -> None:
        """Start the next search with an empty tree."""
        self._kept: tuple[GoState, int] | None = None  # the position after the chosen move, and its node
        self._analysed: GoState | None = None  # the position whose analysis can go on
        self.ends = np.zeros((0, 0), np.int64)  # of the last analysis; see GrowArrays
        self._advice: Guidance | None = None  # of the guide, on the position last analysed

    def keep_for_next(self, state: GoState, node: int) -> None:
        """Remember the position after the chosen move, and its node, so that the next search can reuse the subtree."""
        self._kept = (state, node)

    def run(
        self,
        state: GoState,
        before: tuple[int, ...],
        limits: Budget,
        watch: Watch | None,
        seed: int,
        pass_wins: int,
        report: Callable[[int], None] | None = None,
        moves: Collection[Move] | None = None,
    ) -> int:
        """Grow the tree from a position within the limits; return the node of the best move at the root.

        before: the recent moves, as Trail.before() returns them. pass_wins: virtual wins given to a pass at the root.
        report: makes this an analysis, which counts the ends of its playouts and goes on from the last analysis if the
        position is the same; it is called every REPORT_SECONDS with the node of the best move so far.
        moves: the moves to search; all legal ones by default.
        """
        began = time.perf_counter()
        start, arrays = self._start(state, limits.playouts or _NO_LIMIT, seed, pass_wins, report is not None, moves)
        if report is None or state != self._analysed:
            self._reuse(state, arrays.allowed, pass_wins)
            if report is not None and self.guide is not None:
                self._advice = self.guide.ask(start, arrays.moves, before, state.turn)
        self._analysed = None if report is None else state
        tree, scratch, due = self.tree, start.copy(), began + REPORT_SECONDS
        while True:
            left = limits.after(time.perf_counter() - began, 0, 0).seconds
            arrays.signal[control.STOP] = 0
            best = control.supervise(
                lambda: self._grow(tree, state.turn, before, start, scratch, arrays),
                arrays.signal,
                left if report is None else min(left or REPORT_SECONDS, REPORT_SECONDS),
                watch,
                lambda value: value / 1e6,
            )
            self.playouts, self.depth = int(arrays.signal[control.NODES]), int(arrays.signal[control.DEPTH])
            now = time.perf_counter()
            if report is None or _is_spent(limits, now - began, self.playouts) or (watch and watch.stopped):
                return best
            if now >= due and self.playouts:
                report(best)
                due = now + REPORT_SECONDS

    def _grow(
        self,
        tree: tree_kernel.GoTree,
        turn: int,
        before: tuple[int, ...],
        start: NDArray[np.int64],
        g: NDArray[np.int64],
        arrays: GrowArrays,
    ) -> int:
        """Grow the tree until its limit or a stop signal, asking the guide on the way; return the root's best child."""
        while True:
            best = tree_kernel.grow(tree, start, g, arrays)
            if tree.facts[tree_kernel.WAITING] == tree_kernel.NO_NODE:
                return best
            assert self.guide is not None
            advice = self.guide.ask(g, arrays.moves, before, turn)
            rate, games = advice.black_rate(self.game.komi), self._settings.value_games
            if rate is None:
                rate, games = 0.5, 0.0
            probabilities = advice.probabilities
            tree_kernel.take_advice(tree, g, arrays, probabilities, EVEN_GAMES_WITH_POLICY, rate, games)

    def _start(
        self,
        state: GoState,
        playouts: int,
        seed: int,
        pass_wins: int,
        is_analysis: bool,
        moves: Collection[Move] | None,
    ) -> tuple[NDArray[np.int64], GrowArrays]:
        """Return the position as the array that playouts start from, and the working arrays of one search.

        The playouts of an analysis are never cut short by a lead, so that their ends can be counted.
        """
        game, board = state.game, pack(state).board
        cells = [*board.cells.tolist(), 0]  # the last move number, a pass, has cell 0
        ko, last = (cells[point] if point >= 0 else 0 for point in (state.ko, state.last))
        mercy_lead = game.size**2 + 1 if is_analysis else max(game.size**2 // 3, MIN_MERCY_LEAD)
        settings = (*playout_kernel.DEFAULTS, mercy_lead)
        if not is_analysis or state != self._analysed:
            self.ends = np.zeros((tree_kernel.HALF_WINS + 1, len(board.stones)) if is_analysis else (0, 0), np.int64)
        komi = round(4 * game.komi)  # in quarter points
        start = board_kernel.new_game(board, 1 + state.to_move, ko, last, state.passes, komi, settings)
        guide = (self._settings.after, self._settings.weight) if self.guide is not None else (0, 0.0)
        allowed = np.zeros(len(board.stones), np.int64)
        allowed[[cells[move] for move in (state.legal_moves() if moves is None else moves)]] = 1
        return start, GrowArrays(
            weights=np.array([playouts, *tree_kernel.DEFAULTS, pass_wins, *guide], np.float64),
            signal=control.new_signal(),
            rng=rng.stream(seed),
            path=np.zeros(MAX_DEPTH, np.int64),
            moves=np.zeros(MAX_DEPTH + 3 * game.size**2 + 100, np.int64),
            player=np.zeros(len(board.stones), np.int64),
            allowed=allowed,
            windows=window_weights(),
            ends=self.ends,
        )

    def _reuse(self, state: GoState, allowed: NDArray[np.int64], pass_wins: int) -> None:
        """Keep only the subtree of a position, or empty the tree if it has no such node; allowed [cell]: 1 if legal."""
        node, new = self._node_of(state), self._spare
        if node:
            tree_kernel.copy_subtree(self.tree, node, new, self._source)
            end = 1 + int(new.links[0, tree_kernel.CHILDREN])
            if not allowed[new.links[1:end, tree_kernel.CELL]].all():
                node = 0
            new.sums[end - 1, [tree_kernel.GAMES, tree_kernel.WINS]] += pass_wins  # the pass is the last child
        if not node:
            new.facts[tree_kernel.USED] = 0
        self.tree, self._spare = new, self.tree

    def _node_of(self, state: GoState) -> int:
        """Return the node of a position that is one move after the kept one, or 0 if it is not in the tree."""
        if self._kept is None or state.last == NO_MOVE:
            return 0
        kept, node = self._kept
        node = self.children(node).get(state.last, 0)
        return node if self.tree.links[node, tree_kernel.CHILDREN] and leads_to(kept, state) else 0

    # Queries

    def children(self, node: int = 0) -> dict[Move, int]:
        """Return the children of a node: move -> node."""
        links = self.tree.links
        first = int(links[node, tree_kernel.CHILD])
        return {self._move(child): child for child in range(first, first + int(links[node, tree_kernel.CHILDREN]))}

    def tries(self, node: int = 0) -> int:
        """Return the number of playouts through a node."""
        return int(self.tree.links[node, tree_kernel.TRIES])

    def win_rate(self, node: int = 0) -> float:
        """Return the win rate at a node, for the player whose move leads to it."""
        return float(self.tree.sums[node, tree_kernel.WINS] / self.tree.sums[node, tree_kernel.GAMES])

    def likelihood(self, node: int) -> float:
        """Return the policy's probability of the move that leads to a node."""
        return float(self.tree.sums[node, tree_kernel.LIKELIHOOD])

    @property
    def has_policy(self) -> bool:
        """Whether the likelihoods of the moves at the root are known."""
        return bool(self.tree.links[0, tree_kernel.HAS_POLICY])

    def owners(self) -> tuple[float, ...]:
        """Return the expected owner of each point in the last analysis, from 1 (Black) to -1 (White)."""
        shares = self.ends[tree_kernel.OWNED, cells_of(self.game.size).astype(int)]
        shares = shares / max(int(self.ends[tree_kernel.BEGUN].sum()), 1)
        if self._advice is not None and self._advice.owners is not None:
            shares += self._guide_share(GUIDE_OWNERS_SHARE) * (self._advice.owners - shares)
        return tuple(shares.tolist())

    def estimate(self, node: int) -> tuple[float, float]:
        """Return Black's win rate and expected final lead after a move at the root, in the last analysis.

        Both are drawn towards those of the position, the more so the fewer playouts the move has.
        """
        cell, n = int(self.tree.links[node, tree_kernel.CELL]), self.ends.sum(1).tolist()
        begun, quarters, half_wins = self.ends[tree_kernel.BEGUN :, cell].tolist()
        everything = max(n[tree_kernel.BEGUN], 1)
        rate, lead = n[tree_kernel.HALF_WINS] / everything / 2, n[tree_kernel.QUARTERS] / everything / 4
        move_rate = (half_wins / 2 + DOUBTED_RATES * rate) / (begun + DOUBTED_RATES)
        move_lead = (quarters / 4 + DOUBTED_LEADS * lead) / (begun + DOUBTED_LEADS)
        if self._advice is not None and self._advice.black_lead is not None:
            guide_lead, guide_rate = self._advice.black_lead - self.game.komi, self._advice.black_rate(self.game.komi)
            move_rate += self._guide_share(GUIDE_RATE_SHARE) * ((guide_rate or 0.0) - rate)
            move_lead += self._guide_share(GUIDE_LEAD_SHARE) * (guide_lead - lead)
        return min(max(move_rate, 0.0), 1.0), move_lead

    def _guide_share(self, share: float) -> float:
        """Return how much an estimate of the guide counts on this board, given how much it does on 19x19."""
        return share if self.game.size == MAX_SIZE else SMALL_BOARD_GUIDE_SHARE

    def line(self, state: GoState, node: int, move: Move, limit: int = MAX_DEPTH) -> tuple[Move, ...]:
        """Return the main line: the move that leads to a node, then the most tried moves, while they are legal.

        It has up to `limit` moves.
        """
        line, links = [move], self.tree.links
        state = state.play(move)
        while len(line) < limit and not state.is_over() and links[node, tree_kernel.CHILDREN]:
            first = int(links[node, tree_kernel.CHILD])
            end = first + int(links[node, tree_kernel.CHILDREN])
            node = first + int(links[first:end, tree_kernel.TRIES].argmax())
            if not self.tries(node):
                break
            move = self._move(node)
            try:
                state = state.play(move)
            except IllegalMove:  # the tree checks for repeated boards only at the root
                break
            line.append(move)
        return tuple(line)

    def _move(self, node: int) -> Move:
        """Return the move that leads to a node."""
        cell, size = int(self.tree.links[node, tree_kernel.CELL]), self.game.size
        row, column = divmod(cell, size + 1)
        return (row - 1) * size + column - 1 if cell else size**2


def _is_spent(limits: Budget, seconds: float, playouts: int) -> bool:
    """Return whether a search has reached one of its limits."""
    return (limits.seconds is not None and seconds >= limits.seconds) or playouts >= (limits.playouts or _NO_LIMIT)
