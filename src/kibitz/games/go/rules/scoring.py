"""Counting a finished game: area or territory, with the stones that the players agree are dead.

Without such an agreement every stone on the board counts as alive, as in the
rules of Tromp and Taylor. Knows nothing of moves.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from kibitz.core.errors import BadText
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board, Colour
from kibitz.games.go.rules.geometry import Point

Scoring = Literal["area", "territory"]


@dataclass(frozen=True, slots=True)
class Score:
    """The count of a board."""

    black: float
    """Black's points."""
    white: float
    """White's points, komi included."""
    owners: bytes
    """For each point BLACK, WHITE, or EMPTY for nobody's."""

    @property
    def margin(self) -> float:
        """Return by how many points Black is ahead."""
        return self.black - self.white

    @property
    def winner(self) -> int | None:
        """Return 0 for Black, 1 for White, None for a draw."""
        return None if self.margin == 0 else int(self.margin < 0)


def dead_chains(board: Board, marked: Collection[Point]) -> frozenset[Point]:
    """Return all stones of the chains that have a marked stone. Raises BadText for a point without a stone."""
    dead = set[Point]()
    for point in marked:
        if not 0 <= point < len(board.points) or board.points[point] == EMPTY:
            raise BadText(f"There is no stone on point {point} that could be dead.")
        if point not in dead:
            dead |= board.chain(point).stones
    return frozenset(dead)


def score(
    board: Board, komi: float, scoring: Scoring, prisoners: tuple[int, int] = (0, 0), marked: Collection[Point] = ()
) -> Score:
    """Count a board.

    Area: stones and the empty points that only one colour reaches. Territory:
    these points and the prisoners that each player took. Marked stones, and
    all of their chains, are taken off first and become prisoners. Raises
    BadText if a marked point has no stone.
    """
    dead = dead_chains(board, marked)
    taken = list(prisoners)
    for point in dead:
        taken[board.points[point] == BLACK] += 1
    cleared = board.with_stones(dead, EMPTY)
    owners = bytearray(cleared.points)
    for region, colours in cleared.regions():
        if len(colours) == 1:
            for point in region:
                owners[point] = next(iter(colours))
    black, white = (_count(owners, cleared, colour, scoring, taken) for colour in (BLACK, WHITE))
    return Score(float(black), white + komi, bytes(owners))


def _count(owners: bytearray, board: Board, colour: Colour, scoring: Scoring, prisoners: list[int]) -> int:
    """Return a player's points before komi."""
    area = owners.count(colour)
    if scoring == "area":
        return area
    return area - board.points.count(colour) + prisoners[colour - 1]
