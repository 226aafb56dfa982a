"""The positions of a record, one before each move, as input to models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board, other
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

MAX_RECENT_MOVES = 8  # previous moves that models may use


@dataclass(frozen=True)
class Moment:
    """A position before a move."""

    board: Board
    colour: int  # the player to move: BLACK or WHITE
    recent: tuple[int, ...]
    """The points of the previous moves, the latest first; a pass is -1. Setup stones are not moves."""
    ko: int  # the point that may not be retaken now, or -1
    moves: int  # the number of moves made
    played: int  # the point that is played; -1 for a pass, or at the end of the record


def moments(size: int, plays: Iterable[int]) -> Iterator[Moment]:
    """Yield the position before each move, passes included, and the one after the last move.

    Stop before a move on an occupied point and before suicide. Accept a ko that is retaken
    at once, because some records omit threats.
    """
    now = Moment(Board.empty(size), BLACK, (), -1, 0, -1)
    for play in map(int, plays):
        point, colour = play & PASS, play >> POINT_BITS & 3
        if play & SETUP:
            # White moves first after Black's handicap stones
            first = WHITE if colour == BLACK and now.moves == 0 else now.colour
            now = replace(now, board=now.board.with_stones((point,), colour), recent=(), ko=-1, colour=first)
            continue
        now = replace(now, colour=colour, played=-1 if point == PASS else point)
        board, ko = now.board, -1
        if point != PASS:
            placed = None if board.points[point] != EMPTY else board.place(point, colour)
            if placed is None or placed.lost:
                break
            board, own = placed.board, placed.board.chain(point)
            if len(placed.captured) == len(own.stones) == len(own.liberties) == 1:
                ko = next(iter(placed.captured))
        yield now
        recent = (now.played, *now.recent)[:MAX_RECENT_MOVES]
        now = Moment(board, other(colour), recent, ko, now.moves + 1, -1)
    yield replace(now, played=-1)
