"""The course of a record: every position in which a move is made, as any model may look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kibitz.games.go.predict.model.layout import RECENT
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board, other
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

MOST_RECENT = 8
"""Moves before a position that are told."""


@dataclass(frozen=True)
class Moment:
    """A position before a move."""

    board: Board
    colour: int
    """Who moves: BLACK or WHITE."""
    recent: tuple[int, ...]
    """The points of the moves before, the last one first; a pass is -1. Setup stones are no moves."""
    ko: int
    """The point that may not be retaken now, or -1."""
    moves: int
    """How many moves were made."""
    played: int
    """The point that is played; -1 for a pass, or at the end of the record."""

    @property
    def facts(self) -> tuple[int, int, int]:
        """Return what PatternModel.rank_board wants to know beside the board."""
        return self.ko, self.moves, int(self.ko >= 0)


def moments(size: int, plays: Any) -> Iterator[Moment]:
    """Yield the position before each move, passes too, and that after the last one.

    Ends before a move on a stone, and before a suicide. A ko that is retaken at
    once is let pass, since records leave out threats.
    """
    now = Moment(Board.empty(size), BLACK, (), -1, 0, -1)
    for play in [int(play) for play in plays]:
        point, colour = play & PASS, play >> POINT_BITS & 3
        if play & SETUP:
            now = replace(
                now, board=now.board.with_stones((point,), colour), recent=(), ko=-1, colour=_first(now, colour)
            )
            continue
        now = replace(now, colour=colour, played=-1 if point == PASS else point)
        if point == PASS:
            yield now
            now = replace(now, recent=(-1, *now.recent)[:MOST_RECENT], ko=-1)
        else:
            placed = None if now.board.points[point] != EMPTY else now.board.place(point, colour)
            if placed is None or placed.lost:
                break
            yield now
            own = placed.board.chain(point)
            takes_ko = len(placed.captured) == len(own.stones) == len(own.liberties) == 1
            ko = next(iter(placed.captured)) if takes_ko else -1
            now = replace(now, board=placed.board, recent=(point, *now.recent)[:MOST_RECENT], ko=ko)
        now = replace(now, moves=now.moves + 1, colour=other(colour), played=-1)
    yield replace(now, played=-1)


def _first(now: Moment, colour: int) -> int:
    """Return who moves first after a stone was set up: White after Black's handicap."""
    return WHITE if colour == BLACK and now.moves == 0 else now.colour


assert RECENT <= MOST_RECENT
