"""What guides the tree: a model asked about single positions of the search, given as arrays of the playout board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from kibitz.compiled.arrays import Float32Array, Float64Array, Int64Array
from kibitz.games.go.kernel.board import cells_of
from kibitz.games.go.players.mcts import playout_board_kernel as board_kernel
from kibitz.games.go.players.mcts.guide_kernel import read_logits, write_planes
from kibitz.games.go.predict.fit.course import Moment
from kibitz.games.go.predict.net.boards_kernel import LAST_MOVES
from kibitz.games.go.predict.net.net import PLANES
from kibitz.games.go.rules import BLACK, NO_MOVE, Board, Point

if TYPE_CHECKING:
    from kibitz.games.go.predict.models import Shares
    from kibitz.games.go.predict.net.net import PolicyNet


class Guidance(NamedTuple):
    """What a guide says about a position."""

    probabilities: Float64Array  # [cell]: how likely each point is played next; cell 0, the pass, has 0
    black_lead: float | None = None  # Black's expected lead on the board in points, without komi
    spread: float = 1.0  # how uncertain the lead is: the scale of a logistic distribution, in points
    owners: Float32Array | None = None  # [point]: the expected owner, from 1 (Black) to -1 (White)

    def black_rate(self, komi: float) -> float | None:
        """Return Black's chance to win, or None if the guide does not say."""
        if self.black_lead is None:
            return None
        return 1 / (1 + math.exp(min(max(-(self.black_lead - komi) / self.spread, -30.0), 30.0)))


class Guide(Protocol):
    """Anything that can be asked about a position in the tree."""

    def ask(self, g: Int64Array, moves: Int64Array, before: Sequence[int], turn: int) -> Guidance:
        """Return the advice on a position.

        g: the position. moves: the cells of the moves that led to it from the root. before: the points of the moves
        before the root, the latest first; turn: the number of moves before the root.
        """


class Predictor(Protocol):
    """A model that predicts moves."""

    def shares(self, moment: Moment, /) -> Shares:
        """Return the probability of each point being played next."""


class PredictorGuide:
    """Asks a model that predicts moves from positions of the rules."""

    def __init__(self, model: Predictor, size: int) -> None:
        self.model, self.size = model, size
        self._cells = cells_of(size).astype(int)
        self._points = {cell: point for point, cell in enumerate(self._cells.tolist())}

    def ask(self, g: Int64Array, moves: Int64Array, before: Sequence[int], turn: int) -> Guidance:
        """Return the probability of each point."""
        line = [self._points.get(cell, NO_MOVE) for cell in moves[: int(g[board_kernel.MADE])].tolist()]
        board = Board(self.size, g[board_kernel.STONES + self._cells].astype(np.uint8).tobytes())
        ko = self._points.get(int(g[board_kernel.KO]), NO_MOVE)
        moment = Moment(board, int(g[board_kernel.TO_PLAY]), (*line[::-1], *before), ko, turn + len(line), -1)
        probabilities = np.zeros(board_kernel.SECTION_WORDS)
        probabilities[self._cells] = self.model.shares(moment)
        return Guidance(probabilities)


class NetGuide:
    """Asks the net, which also estimates Black's lead."""

    def __init__(self, net: PolicyNet, size: int) -> None:
        self.net = net
        self._cells = [*cells_of(size).astype(int).tolist(), 0]
        self._planes = np.zeros((1, PLANES, size, size), np.float32)
        self._probabilities = np.zeros(board_kernel.SECTION_WORDS)
        self._before: Int64Array = np.zeros(LAST_MOVES, np.int64)
        self._liberties: Int64Array = np.zeros(board_kernel.SECTION_WORDS, np.int64)

    def ask(self, g: Int64Array, moves: Int64Array, before: Sequence[int], turn: int) -> Guidance:
        """Return the probability of each point, and the lead if the net estimates it."""
        self._before[:] = 0
        known = before[:LAST_MOVES]
        self._before[: len(known)] = [self._cells[point] for point in known]  # the last cell, 0, is that of a pass
        self._planes[:] = 0
        write_planes(g, moves, self._before, self._liberties, self._planes[0].reshape(PLANES, -1))
        found = self.net.run(self._planes)
        read_logits(g, found.logits[0], self._probabilities)
        if found.leads is None or found.spreads is None:
            return Guidance(self._probabilities)
        sign = 1 if g[board_kernel.TO_PLAY] == BLACK else -1
        owners = None if found.owners is None else sign * found.owners[0]
        return Guidance(self._probabilities, sign * float(found.leads[0]), float(found.spreads[0]), owners)


class SymmetricGuide:
    """A guide for searches of one of several moves that are equal by symmetry: it gets the probability of all."""

    def __init__(self, guide: Guide, size: int) -> None:
        self.guide, self._cells = guide, cells_of(size).astype(int)
        self.images: Sequence[tuple[Point, ...]] = ()
        """The symmetries of the position searched: for each, the image of every point."""

    def ask(self, g: Int64Array, moves: Int64Array, before: Sequence[int], turn: int) -> Guidance:
        """Return the advice; in the position searched, each point has the probability of all its images."""
        advice = self.guide.ask(g, moves, before, turn)
        if len(self.images) < 2 or g[board_kernel.MADE]:
            return advice
        shares, probabilities = advice.probabilities[self._cells], np.zeros_like(advice.probabilities)
        equal = [{image[point] for image in self.images} for point in range(len(shares))]
        probabilities[self._cells] = [sum(shares[each] for each in points) for points in equal]
        return advice._replace(probabilities=probabilities)
