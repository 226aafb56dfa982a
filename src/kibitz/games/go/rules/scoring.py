"""Scoring a finished game by area or territory, after removing the stones that the players agree are dead.

Stones that nobody marks as dead count as alive, as in the Tromp-Taylor rules.
Knows nothing about moves.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from kibitz.core.errors import BadText
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board
from kibitz.games.go.rules.geometry import Point
from kibitz.games.go.rules.text import point_text

Scoring = Literal["area", "territory"]


@dataclass(frozen=True, slots=True)
class GoScore:
    """The score of a board, and the owner of each point."""

    black: float  # Black's points
    white: float  # White's points, komi included
    owners: bytes  # the owner of each point: BLACK, WHITE, or EMPTY for neutral points

    @property
    def margin(self) -> float:
        """Return Black's lead in points, negative if White is ahead."""
        return self.black - self.white

    @property
    def winner(self) -> int | None:
        """Return the winner: 0 for Black, 1 for White, None for a draw."""
        return None if self.margin == 0 else int(self.margin < 0)


def dead_chains(board: Board, marked: Collection[Point]) -> frozenset[Point]:
    """Return all stones of every chain that has a marked stone. Raise BadText if a marked point has no stone."""
    dead = set[Point]()
    for point in marked:
        if not 0 <= point < len(board.points):
            raise BadText("Only stones can be marked as dead, not a pass.")
        if board.points[point] == EMPTY:
            raise BadText(f"There is no stone on {point_text(board.size, point)} to mark as dead.")
        if point not in dead:
            dead |= board.chain(point).stones
    return frozenset(dead)


def score(
    board: Board, komi: float, scoring: Scoring, prisoners: tuple[int, int] = (0, 0), marked: Collection[Point] = ()
) -> GoScore:
    """Return the score of a board.

    Area scoring counts stones and the empty points that only one colour reaches;
    territory scoring counts those empty points and the prisoners taken. Chains
    with a marked stone are removed first and become prisoners. Raise BadText if
    a marked point has no stone.
    """
    dead = dead_chains(board, marked)
    taken = list(prisoners)
    for point in dead:
        taken[board.points[point] == BLACK] += 1  # White, player 1, captured the black ones
    cleared = board.with_stones(dead, EMPTY)
    owners = bytearray(cleared.points)
    for region, colours in cleared.regions():
        if len(colours) == 1:
            for point in region:
                owners[point] = next(iter(colours))
    points = [float(owners.count(colour)) for colour in (BLACK, WHITE)]
    if scoring == "territory":
        points = [points[player] - cleared.points.count(1 + player) + taken[player] for player in (0, 1)]
    return GoScore(points[0], points[1] + komi, bytes(owners))
