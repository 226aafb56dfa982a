"""Words for moves of the opening: corner points, approaches and enclosures, and the biggest open area."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kibitz.games.go.rules import EMPTY, Board, Colour, Point

MIN_SIZE = 9
"""Smaller boards have no opening."""
MIN_OPEN_SIDE, MIN_DISTANCE = 7, 4
"""An open area has at least MIN_OPEN_SIDE lines each way, and a move in it is MIN_DISTANCE lines from any stone."""
MIN_LINE, MAX_CORNER_LINE = 3, 5
"""Corner moves and moves in open areas are on the third line or higher; corner moves on the fifth at most."""
MAX_APPROACH = 4
"""An approach or enclosure is 2 to MAX_APPROACH lines from the stone in the corner, counted the longer way."""
MAX_APPROACH_LINE = 4
"""It is on this line or a lower one: higher moves press or cap."""


def corner_lines(size: int) -> int:
    """Return the number of lines each way that belong to a corner."""
    return 7 if size >= 15 else 6 if size >= 12 else 4


def lines_of(size: int, point: Point) -> tuple[int, int]:
    """Return the line of a point, counted from the nearest edge, and that counted from the nearest edge across."""
    row, col = divmod(point, size)
    return min(row, size - 1 - row) + 1, min(col, size - 1 - col) + 1


def corner_of(size: int, point: Point) -> frozenset[Point]:
    """Return the points of the corner that a point lies in; empty if it lies in none."""
    row, col = divmod(point, size)
    reach = corner_lines(size)
    rows = next((r for r in (range(reach), range(size - reach, size)) if row in r), range(0))
    cols = next((c for c in (range(reach), range(size - reach, size)) if col in c), range(0))
    return frozenset(r * size + c for r in rows for c in cols)


def corner_words(board: Board, point: Point, colour: Colour) -> Iterator[str]:
    """Yield what a move does in a corner with at most one stone."""
    size, lines = board.size, sorted(lines_of(board.size, point))
    if size < MIN_SIZE or lines[0] < MIN_LINE:
        return
    stones = [each for each in corner_of(size, point) if board.points[each] != EMPTY]
    name = f"{lines[0]}-{lines[1]} point"
    if not stones and lines[1] <= MAX_CORNER_LINE and corner_of(size, point):
        yield f"takes an empty corner at the {name}"
    if len(stones) != 1:
        return
    (stone,) = stones
    stone_lines = sorted(lines_of(size, stone))
    if stone_lines[0] < MIN_LINE or stone_lines[1] > MAX_CORNER_LINE:
        return
    down, across = abs(point // size - stone // size), abs(point % size - stone % size)
    is_outside = sum(lines) > sum(stone_lines) and lines[0] <= MAX_APPROACH_LINE
    is_near = is_outside and 2 <= max(down, across) <= MAX_APPROACH
    if board.points[stone] == colour:
        if is_near:
            yield "encloses the corner"
    elif lines == [3, 3] and stone_lines == [4, 4]:
        yield "invades the corner at the 3-3 point"
    elif down + across == 1:
        yield "attaches to the stone in the corner"
    elif is_near:
        yield "approaches the corner"


@lru_cache(maxsize=64)
def biggest_open_side(board: Board) -> tuple[int, frozenset[Point]]:
    """Return the side of the largest squares without stones, and the points of all squares of this size."""
    size = board.size
    sides = [0] * len(board.points)  # of the largest square without stones whose lower right corner is here
    for point, code in enumerate(board.points):
        if code == EMPTY:
            on_edge = point < size or point % size == 0
            sides[point] = 1 if on_edge else 1 + min(sides[point - 1], sides[point - size], sides[point - size - 1])
    side = max(sides)
    ends = [point for point, each in enumerate(sides) if each == side]
    inside = (end - size * row - col for end in ends for row in range(side) for col in range(side))
    return side, frozenset(inside)


def open_area_words(board: Board, point: Point) -> Iterator[str]:
    """Yield whether a move lies in the biggest open area, measured in squares without stones."""
    size = board.size
    if min(lines_of(size, point)) < MIN_LINE or not any(board.points):
        return
    row, col = divmod(point, size)
    rows = range(max(0, row - MIN_DISTANCE + 1), min(size, row + MIN_DISTANCE))
    cols = range(max(0, col - MIN_DISTANCE + 1), min(size, col + MIN_DISTANCE))
    if any(board.points[r * size + c] != EMPTY for r in rows for c in cols):
        return
    side, points = biggest_open_side(board)
    if side >= MIN_OPEN_SIDE and point in points:
        yield f"plays in the biggest open area ({side} by {side} lines without a stone)"
