"""The player of Go that looks a position up in patterns of professional games: the matcher of the report of 2013.

Where the report counted windows of two sizes, this one asks the pattern model,
which knows the largest pattern that was seen around each point, and tells which
pattern spoke.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from kibitz.core.agent import Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.game import Game, View
from kibitz.games.go.players.judged import choose_model
from kibitz.games.go.players.mcts.agent import MonteCarlo, is_won
from kibitz.games.go.players.mcts.owners import owners
from kibitz.games.go.players.mcts.trail import Trail
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.rules.board import EMPTY, Board, other
from kibitz.games.go.rules.geometry import Point, neighbours

if TYPE_CHECKING:
    from kibitz.games.go.predict.model.model import Candidate, PatternModel

FALLBACK_PLAYOUTS = 50
"""Playouts for a move on boards that the patterns do not know."""
EXPLAINED = 20
"""So many of the likeliest moves are explained: if the choice is none of these, its pattern is not told."""
SETTLED = 0.9
"""A point is settled that random games give to one player so often, as a mean of 1 and -1."""


class Matcher(Agent):
    """The best match among patterns of professional games, without looking ahead.

    It fills no own eye and puts no own chain in atari. Values are shares: how
    likely each move is to be played. On boards that the patterns do not know it
    plays as mcts does with 50 playouts.
    """

    def __init__(self, game: Game) -> None:
        assert isinstance(game, Go)
        self._model: PatternModel | None = None
        self._fallback: MonteCarlo | None = None
        if choose_model("best", game.size) == "windows":
            self._fallback = MonteCarlo(game, playouts=FALLBACK_PLAYOUTS, resign=0, tree=50_000)
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget everything about earlier games; play the next one from this seed."""
        super().reset(seed)
        self._trail = Trail()
        if self._fallback is not None:
            self._fallback.reset(seed)

    def prepare(self) -> None:
        """Load the patterns, and have the looking up compiled or loaded."""
        if self._fallback is not None:
            self._fallback.prepare()
        elif self._model is None:
            from kibitz.games.go.predict.model.model import PatternModel

            self._model = PatternModel.load()
            start = self.game.start()
            assert isinstance(start, GoState)
            self._model.rank(start, explain=0)
            owners(start, games=2)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the likeliest move that is sound; a pass once there is none, or nothing is left to gain."""
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        if self._fallback is not None:
            choice = self._fallback.choose(view, budget, watch)
            return replace(choice, note=f"No pattern is known of a board of this size. {choice.note}")
        state = view.sample(self.rng)
        assert isinstance(state, GoState)
        before = self._trail.before(state)
        choice = self._match(state, before)
        self._trail.add(choice.move)
        return replace(choice, seconds=time.perf_counter() - began)

    def _match(self, state: GoState, before: tuple[int, ...]) -> Choice:
        """Return the best match, with the share of every move."""
        if is_won(state) and (state.passes == 1 or is_settled(state)):
            return Choice(state.game.pass_move, note="The board as it stands is won, and nothing is left to gain.")
        assert self._model is not None
        ranking, legal = self._model.rank(state, before, EXPLAINED), state.legal_moves()
        allowed = set(legal)
        point = next((p for p in ranking.order if p in allowed and is_sound(state, p)), None)
        if point is None:
            return Choice(state.game.pass_move, note="No move is left that fills no own eye and is not put in atari.")
        shares = [*ranking.shares.tolist(), 0.0]
        rank = 1 + ranking.order.index(point)
        spoke = next((_spoken(state, candidate) for candidate in ranking.candidates if candidate.point == point), "")
        return Choice(
            point, unit="share", moves=tuple(MoveValue(move, shares[move], exact=False) for move in legal),
            note=f"Number {rank} of the matches, {shares[point]:.1%} likely.{spoke}",
        )  # fmt: skip


def _spoken(state: GoState, candidate: Candidate) -> str:
    """Return which pattern spoke for a move, its middle as three rows, and what else speaks for it most."""
    from kibitz.games.go.patterns.shapes import window_rows

    told = ""
    if candidate.shape:
        rows = " ".join(window_rows(state.board, 1 + state.to_move, candidate.point, "3x3"))
        told = f" The largest known pattern around it is {candidate.shape}, in the middle {rows}."
    for_it = [reason.text for reason in candidate.reasons if reason.weight > 0 and "pattern" not in reason.text]
    return told + (f" Beside patterns, what speaks for it most: {for_it[0]}." if for_it else "")


def is_settled(state: GoState) -> bool:
    """Return whether random games leave hardly a doubt whose every point is. Stones are not looked at while few."""
    board = state.board
    if 2 * board.points.count(EMPTY) > len(board.points):
        return False
    return all(abs(share) > SETTLED for share in owners(state))


def is_sound(state: GoState, point: Point) -> bool:
    """Return whether a legal move fills no own eye, and is not in atari after it, unless it took something."""
    colour = 1 + state.to_move
    if is_eye(state.board, point, colour):
        return False
    placed = state.board.place(point, colour)
    return bool(placed.captured) or len(placed.board.chain(point).liberties) > 1


def is_eye(board: Board, point: Point, colour: int) -> bool:
    """Return whether an empty point is an eye: own stones on all sides, and not too many others at its corners."""
    if any(board.points[near] != colour for near in neighbours(board.size)[point]):
        return False
    row, column = divmod(point, board.size)
    corners = [
        board.points[r * board.size + c]
        for r in (row - 1, row + 1)
        for c in (column - 1, column + 1)
        if 0 <= r < board.size and 0 <= c < board.size
    ]
    return corners.count(other(colour)) <= (1 if len(corners) == 4 else 0)
