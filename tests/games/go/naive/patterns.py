"""A plain search: every position of every game, turned in all eight ways, looked at in every place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board

Stones = Sequence[tuple[int, int]]  # colour and point of each stone; the point of a pass is -1
FITS = {".": {EMPTY}, "X": {BLACK}, "O": {WHITE}, "x": {BLACK, EMPTY}, "o": {WHITE, EMPTY}, "*": {EMPTY, BLACK, WHITE}}


class Seen(NamedTuple):
    """A hit: where the points of the pattern are on the board, and what they may be there."""

    game: int
    points: frozenset[tuple[int, frozenset[int]]]  # points with what they may be, wildcards left out
    rectangle: frozenset[int]


class First(NamedTuple):
    """How a hit began and went on."""

    move: int
    then: int | None  # the next move inside: its point


def boards_of(size: int, setup: Stones, moves: Stones) -> list[Board]:
    """Return the boards before the first move and after each."""
    board = Board.empty(size)
    for colour, point in setup:
        board = board.with_stones((point,), colour)
    boards = [board]
    for colour, point in moves:
        board = board if point < 0 else board.place(point, colour).board
        boards.append(board)
    return boards


def what_fits(char: str, swapped: bool) -> frozenset[int]:
    """Return the colours that fit a point of a pattern, whose own colours may be swapped."""
    return frozenset(BLACK + WHITE - code if swapped and code != EMPTY else code for code in FITS[char])


def turned(size: int, image: int) -> list[int]:
    """Return where each point goes: quarter turns, and from 4 on a mirror first."""
    found = []
    for point in range(size * size):
        row, col = divmod(point, size)
        if image >= 4:
            col = size - 1 - col
        for _ in range(image % 4):
            row, col = col, size - 1 - row
        found.append(row * size + col)
    return found


def turned_game(size: int, game: tuple[Stones, Stones], image: int) -> tuple[Stones, Stones]:
    """Return a game with all its stones turned."""
    to = turned(size, image)
    setup, moves = ([(colour, to[point] if point >= 0 else point) for colour, point in part] for part in game)
    return setup, moves


def corners_allowed(anchor: str, size: int, height: int, width: int) -> list[tuple[int, int]]:
    """Return the rows and columns that the top left corner of a pattern may have."""
    if anchor == "full":
        return [(0, 0)]
    if anchor == "corner":
        return [(0, size - width)]
    if anchor == "side":
        return [(0, col) for col in range(1, size - width)]
    first, lines = (1, 0) if anchor == "centre" else (0, 1)
    return [(row, col) for row in range(first, size - height + lines) for col in range(first, size - width + lines)]


def search(
    games: Sequence[tuple[Stones, Stones]],
    rows: Sequence[str],
    anchor: str,
    size: int,
    fixed: bool = False,
    low: int = 0,
    high: int = 10**6,
) -> dict[Seen, First]:
    """Return every hit in games, each its setup and its moves."""
    guises: dict[tuple[frozenset[tuple[int, frozenset[int]]], frozenset[int]], None] = {}
    for image in range(8):
        to = turned(size, image)
        for swap in (False, True)[: 1 if fixed else 2]:
            for top, left in corners_allowed(anchor, size, len(rows), len(rows[0])):
                points, rectangle = set(), set()
                for i, line in enumerate(rows):
                    for j, char in enumerate(line):
                        at = to[(top + i) * size + left + j]
                        rectangle.add(at)
                        if char != "*":
                            points.add((at, what_fits(char, swap)))
                guises[frozenset(points), frozenset(rectangle)] = None
    found: dict[Seen, First] = {}
    for number, (setup, moves) in enumerate(games):
        boards = boards_of(size, setup, moves)
        for wanted, inside in guises:
            for made, board in enumerate(boards):
                if low <= made <= high and all(board.points[point] in fits for point, fits in wanted):
                    then = next((point for _, point in moves[made:] if point in inside), None)
                    found[Seen(number, wanted, inside)] = First(made, then)
                    break
    return found
