"""Plain readings on the rules' board, slow and without shortcuts, to check those in games/go/words against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kibitz.games.go.rules import EMPTY, Board, Colour, GoState, Point, other
from kibitz.games.go.rules.rules import ko_point
from kibitz.games.go.rules.text import NO_KO


def moves(
    board: Board, colour: Colour, ko: Point, points: Iterable[Point] | None = None
) -> Iterator[tuple[Board, int]]:
    """Yield the board and the forbidden point after each move that is legal."""
    for point in range(len(board.points)) if points is None else points:
        if board.points[point] == EMPTY and point != ko:
            placed = board.place(point, colour)
            if not placed.lost:
                yield placed.board, ko_point(placed, point)


def is_caught(board: Board, target: Point, attacks: bool, ko: Point = NO_KO) -> bool:
    """Return whether atari after atari captures a chain, with the attacker or the defender to move.

    Every legal move is tried, for both sides.
    """
    colour = board.points[target]
    liberties = board.chain(target).liberties
    if attacks:
        if len(liberties) == 1:
            return ko not in liberties
        boards = moves(board, other(colour), ko)
        return len(liberties) == 2 and any(
            after.points[target] == colour
            and len(after.chain(target).liberties) == 1
            and is_caught(after, target, False, then)
            for after, then in boards
        )
    if ko in liberties:
        return False  # the defender plays elsewhere
    return all(is_caught(after, target, True, then) for after, then in moves(board, colour, ko))


def can_capture(
    board: Board, target: Point, points: frozenset[Point], attacks: bool, plies: int, seen: dict[object, bool]
) -> bool:
    """Return whether the attacker captures a chain within some plies, if both play only on these points, or pass.

    Ko captures may be retaken at once. seen: results to reuse.
    """
    key = board.points, attacks, plies
    if key not in seen:
        colour = board.points[target]
        after = [board, *(each for each, _ in moves(board, other(colour) if attacks else colour, NO_KO, points))]
        results = (
            each.points[target] != colour
            or (plies > 1 and can_capture(each, target, points, not attacks, plies - 1, seen))
            for each in after
        )
        seen[key] = any(results) if attacks else all(results)
    return seen[key]


def after(state: GoState, move: Point) -> Board:
    """Return the board after a move."""
    return state.play(move).board
