"""The Python side of the champion's search: grows the tree from a position, and reads a choice from it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from kibitz.compiled.arrays import Floats
from kibitz.core.agent import Budget, Choice, MoveValue, Watch
from kibitz.core.game import Move
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.players.champion import search_kernel as at
from kibitz.games.battleline.players.champion.belief_kernel import new_belief
from kibitz.games.battleline.players.champion.net import Net
from kibitz.games.battleline.players.champion.net_kernel import new_evaluator
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules.moves import DRAW, PLACE, RETURN
from kibitz.search import control

MAX_NODES = 200_000
_UNLIMITED_PLAYOUTS = 1 << 40


class ChampionSearch:
    """A tree, regrown for every position, and the net that evaluates its leaves."""

    def __init__(self, game: BattleLine, net: Net, weights: tuple[float, float, float, float], leaf_turns: int) -> None:
        """Make the tree.

        weights: EXPLORE, SHARPNESS, TRUST and NOISE of search_kernel. leaf_turns: turns played out from a leaf.
        """
        self.game, self.weights = game, (*weights, leaf_turns)
        self.tree, self.evaluator = at.new_tree(MAX_NODES), new_evaluator(net)
        self.best, self.root_ratings = at.NONE, cast(Floats, np.zeros(0))

    def grow(self, state: BattleLineState, limits: Budget, watch: Watch | None, seed: int, credit: float) -> None:
        """Grow the tree from a position. credit: how much the opponent's plays reveal about their hand, 0 to 1."""
        weights = np.array([*self.weights, limits.playouts or _UNLIMITED_PLAYOUTS], np.float64)
        belief = new_belief(kernel.pack(self.game.start(0)), state.log, credit)
        tools = at.new_tools(cast(Floats, weights), seed, belief)
        position, scratch = kernel.pack(state), kernel.pack(state)
        search = partial(at.grow, position, scratch, self.tree, tools, self.evaluator)
        self.best = control.supervise(search, tools.signal, limits.seconds, watch, lambda value: value / 1e6)
        self.root_ratings = tools.root

    def obvious_choice(self, moves: tuple[Move, ...]) -> Choice:
        """Return the first claim or the only move, with the value found by a few playouts."""
        playouts = int(self.tree.node[0, at.VISITS])
        value = float(self.tree.points[0]) / playouts
        note = "A claim is made as soon as it can be proved." if moves[0] < PLACE else "The only move."
        values = tuple(MoveValue(move, value, exact=False) for move in moves)
        return Choice(moves[0], value, "probability", moves=values, nodes=playouts, playouts=playouts, note=note)

    def choice(self, state: BattleLineState) -> Choice:
        """Return the choice for the position that the tree was grown from."""
        node, moves, children = self.tree.node, state.legal_moves(), self._children(0)
        playouts, solved = int(node[0, at.VISITS]), int(node[0, at.PROVED]) != at.UNKNOWN
        move, visits = int(node[self.best, at.NODE_MOVE]), node[self.best, at.VISITS]
        values = self._values(moves, children)
        value = values[moves.index(move)].value
        # a move with too few playouts to be chosen is not shown as better
        values = [each if each.value <= value else replace(each, value=value) for each in values]
        note = f"About a {value:.0%} chance to win ({visits:,} simulated deals). "
        note += f"{len(children)} of {len(moves)} moves tried in {playouts:,} deals."
        if solved:  # convert from points, 0 to 1, to results, -1 to 1
            note = "Proved: both decks are empty, so nothing is hidden any more."
            values = [replace(each, value=2 * each.value - 1) for each in values]
            value = 2 * value - 1
        return Choice(
            move, value, "result" if solved else "probability", solved,
            best=tuple(m.move for m in values if solved and m.exact and m.value == value) or (move,),
            moves=tuple(values), line=self._line(state, move), nodes=playouts, playouts=playouts, note=note,
        )  # fmt: skip

    def _values(self, moves: tuple[Move, ...], children: dict[Move, int]) -> list[MoveValue]:
        """Return the value of each move: proved, or its playouts' mean, blended with its rating if they are few."""
        tree, trust = self.tree, self.weights[at.TRUST]
        mean = tree.points[0] / tree.node[0, at.VISITS]
        ratings = [float(self.root_ratings[i]) for i in range(len(moves))]
        values = []
        for move, rating in zip(moves, ratings, strict=True):
            value, proved = min(max(mean + rating - max(ratings), 0.0), 1.0), at.UNKNOWN
            if move in children:
                child = children[move]
                proved = int(tree.node[child, at.PROVED])
                value = (tree.points[child] + trust * value) / (tree.node[child, at.VISITS] + trust)
            exact = proved != at.UNKNOWN
            values.append(MoveValue(move, float(proved / 2 if exact else value), exact))
        return values

    def _children(self, node: int) -> dict[Move, int]:
        """Return the children of a node by their moves."""
        found, child = dict[Move, int](), self.tree.node[node, at.CHILD]
        while child != at.NONE:
            found[int(self.tree.node[child, at.NODE_MOVE])] = child
            child = self.tree.node[child, at.SIBLING]
        return found

    def _line(self, state: BattleLineState, move: Move) -> tuple[Move, ...]:
        """Return a move and those expected in the rest of the turn, up to the first that depends on an unknown card."""
        line, turn, node = [move], state.turn, self.best
        state = state.play(move)
        while state.outcome() is None and state.turn == turn:
            moves, children = state.legal_moves(), self._children(node)
            tried = [move for move in moves if move in children]
            drawn = any(DRAW <= move < RETURN for move in line)
            if (drawn and state.stage == stages.RETURN) or (len(moves) > 1 and not tried):
                break
            move = moves[0]
            if len(moves) > 1:
                move = max(tried, key=lambda m: self.tree.node[children[m], at.VISITS])
                node = children[move]
            line.append(move)
            state = state.play(move)
        return tuple(line)
