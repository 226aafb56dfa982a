"""Overlays of a model's predictions: probabilities of the next move, and expected ownership."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import sqrt

from kibitz.games.go.page.picture import layout, owner_square
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.rules.geometry import Point
from kibitz.picture import Circle, Group, LegendEntry, Overlay, Rect, Shape, Text

MAX_LABELLED_POINTS = 5
MIN_LABELLED_SHARE = 0.01
"""Write the probability on at most that many points, and on none that is less likely than this."""
MIN_OWNERSHIP = 0.2  # draw nothing on a point whose owner is less certain than this, from 0 to 1
MIN_SQUARE_WIDTH, MAX_SQUARE_WIDTH = 0.2, 0.54  # of the squares of expected ownership, as shares of the spacing
_HALF_LABEL = 0.42  # half the width of the square behind a number, as a share of the spacing


def heat_overlay(size: int, shares: Sequence[tuple[Point, float]], chosen: Collection[Point] = ()) -> Overlay:
    """Return the probability of each point being played next: discs that grow with it, percentages on the likeliest.

    shares: points with their probabilities, in any order. chosen: points to frame, because they are being explained.
    """
    ranked = sorted(shares, key=lambda each: -each[1])
    most = ranked[0][1] if ranked else 1.0
    over: list[Shape] = []
    for rank, (point, share) in enumerate(ranked):
        strength = sqrt(share / most) if most > 0 else 0.0
        if rank < MAX_LABELLED_POINTS and share >= MIN_LABELLED_SHARE:
            over.append(_labelled(size, point, f"{100 * share:.0f}", "best" if rank == 0 else "good"))
        else:
            over.append(Circle("", "likely", *_at(size, point), (0.1 + 0.28 * strength) * layout(size).spacing))
    return Overlay(over=(*over, *(_frame(size, point) for point in chosen)), legend=_HEAT_LEGEND if ranked else ())


def _at(size: int, point: Point) -> tuple[float, float]:
    return layout(size).at(size, point)


def _labelled(size: int, point: Point, text: str, style: str) -> Shape:
    """Return a percentage on a rounded square, which nobody takes for a stone."""
    spacing = layout(size).spacing
    half = _HALF_LABEL * spacing
    square = Rect("", f"likely {style}", -half, -half, 2 * half, 2 * half, 0.16 * spacing)
    return Group("", "", *_at(size, point), (square, Text("", "likely-text", 0, 0, text, 0.5 * spacing)))


def _frame(size: int, point: Point) -> Shape:
    """Return the frame of a point that is being explained."""
    spacing = layout(size).spacing
    (x, y), half = _at(size, point), 0.48 * spacing
    return Rect("", "chosen", x - half, y - half, 2 * half, 2 * half, 0.2 * spacing)


_HEAT_LEGEND = (
    LegendEntry(
        (Rect("", "likely best", -11, -11, 22, 22, 4), Text("", "likely-text", 0, 0, "42", 13)),
        "The most likely moves, in percent",
    ),
    LegendEntry((Circle("", "likely", 0, 0, 7),), "A possible move, the larger the more likely"),
)
_OWNERSHIP_LEGEND = (
    LegendEntry(
        (Rect("", "owner expected black", -6, -6, 12, 12, 1.5),), "Expected to be Black's, the larger the more certain"
    ),
    LegendEntry((Rect("", "owner expected white", -6, -6, 12, 12, 1.5),), "Expected to be White's"),
)


def ownership_overlay(state: GoState, shares: Sequence[float], marks: Collection[str] = ()) -> Overlay:
    """Return the expected owner of each point as squares, the larger the more certain.

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
        width = MIN_SQUARE_WIDTH + sure * (MAX_SQUARE_WIDTH - MIN_SQUARE_WIDTH)
        over.append(owner_square(size, point, colour, width, "", "owner expected"))
    return Overlay(over=tuple(over), legend=_OWNERSHIP_LEGEND)
