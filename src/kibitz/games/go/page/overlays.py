"""What a model says about a position of Go, as overlays: probabilities of the next move, and expected ownership."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import sqrt

from kibitz.games.go.page.picture import layout, owner_square
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.rules.geometry import Point
from kibitz.picture import Circle, Group, LegendEntry, Overlay, Rect, Shape, Text

MAX_LABELLED_POINTS = 5
"""Write the probability on at most this many points,"""
MIN_LABELLED_SHARE = 0.01
"""and on none that is less likely than this."""
MIN_OWNERSHIP = 0.2
"""Draw nothing on a point that leans less to one side than this, from 0 to 1."""
SMALLEST_SQUARE, LARGEST_SQUARE = 0.2, 0.54
"""Widths of the squares of expected ownership, as shares of the room of a point."""
_HALF_LABEL = 0.42
"""Half the width of a point with a number, as a share of its room."""


def heat_overlay(size: int, shares: Sequence[tuple[Point, float]], chosen: Collection[Point] = ()) -> Overlay:
    """Return the probabilities of points to be played next: discs that grow with them, and the percentage on the best.

    shares: points with their probabilities, in any order. chosen: the points that are being explained, with a frame.
    """
    ranked = sorted(shares, key=lambda each: -each[1])
    most = ranked[0][1] if ranked else 1.0
    over: list[Shape] = []
    for rank, (point, share) in enumerate(ranked):
        strength = sqrt(share / most) if most > 0 else 0.0
        if rank < MAX_LABELLED_POINTS and share >= MIN_LABELLED_SHARE:
            over.append(_labelled(size, point, f"{100 * share:.0f}", "best" if rank == 0 else "good"))
        else:
            over.append(Circle("", "likely", *_at(size, point), (0.1 + 0.28 * strength) * layout(size).room))
    return Overlay(over=(*over, *(_frame(size, point) for point in chosen)), legend=_HEAT_LEGEND if ranked else ())


def _at(size: int, point: Point) -> tuple[float, float]:
    return layout(size).at(size, point)


def _labelled(size: int, point: Point, text: str, style: str) -> Shape:
    """Return a point with its probability in percent, on a rounded square, so that nobody takes it for a stone."""
    room = layout(size).room
    half = _HALF_LABEL * room
    square = Rect("", f"likely {style}", -half, -half, 2 * half, 2 * half, 0.16 * room)
    return Group("", "", *_at(size, point), (square, Text("", "likely-text", 0, 0, text, 0.5 * room)))


def _frame(size: int, point: Point) -> Shape:
    """Return the frame of a point that is being explained."""
    room = layout(size).room
    (x, y), half = _at(size, point), 0.48 * room
    return Rect("", "chosen", x - half, y - half, 2 * half, 2 * half, 0.2 * room)


_HEAT_LEGEND = (
    LegendEntry(
        (Rect("", "likely best", -11, -11, 22, 22, 4), Text("", "likely-text", 0, 0, "42", 13)),
        "The most likely moves, in percent",
    ),
    LegendEntry((Circle("", "likely", 0, 0, 7),), "A possible move, the larger the more likely"),
)
_OWNERSHIP_LEGEND = (
    LegendEntry(
        (Rect("", "owner expected black", -6, -6, 12, 12, 1.5),), "Expected to be Black's, the larger the surer"
    ),
    LegendEntry((Rect("", "owner expected white", -6, -6, 12, 12, 1.5),), "Expected to be White's"),
)


def ownership_overlay(state: GoState, shares: Sequence[float], marks: Collection[str] = ()) -> Overlay:
    """Return the expected owner of each point as squares, the larger the surer.

    shares: for each point from 1 (surely Black's) to -1 (surely White's). A point gets no square where a stone of its
    expected owner stands, or where the picture of the finished game, counted with these marks, shows its owner.
    """
    size, points = state.game.size, state.board.points
    counted = b""
    if state.is_over():
        counted = state.score([state.game.parse_move(mark) for mark in marks]).owners
    over: list[Shape] = []
    for point, share in enumerate(shares):
        colour = BLACK if share > 0 else WHITE
        if abs(share) < MIN_OWNERSHIP or points[point] == colour or (counted and counted[point] != EMPTY):
            continue
        sure = (min(abs(share), 1.0) - MIN_OWNERSHIP) / (1 - MIN_OWNERSHIP)
        width = SMALLEST_SQUARE + sure * (LARGEST_SQUARE - SMALLEST_SQUARE)
        over.append(owner_square(size, point, colour, width, "", "owner expected"))
    return Overlay(over=tuple(over), legend=_OWNERSHIP_LEGEND)
