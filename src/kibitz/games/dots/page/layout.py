"""Where coins and strings are drawn: at the places that a graph gives, or else by forces between them.

One unit is about the distance of two neighbours; x goes to the right and y down.
The same graph always has the same picture.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String

Point: TypeAlias = tuple[float, float]

_GROUND_STRING_LENGTH = 0.72
_TWIN_DISTANCE = 0.16  # distance of strings that join the same two coins
_FORCE_STEPS = 120


@lru_cache(maxsize=64)
def where_coins_lie(graph: Graph) -> tuple[Point, ...]:
    """Return the place of each coin."""
    places = graph.places or _by_forces(graph)
    unit = _unit(graph, places)
    left, top = min(x for x, _ in places), min(y for _, y in places)
    return tuple((round((x - left) / unit, 3), round((y - top) / unit, 3)) for x, y in places)


@lru_cache(maxsize=64)
def string_ends(graph: Graph) -> tuple[tuple[Point, Point], ...]:
    """Return where each string begins and ends. Those to the ground end in the open, away from the others."""
    places = where_coins_lie(graph)
    ends: list[tuple[Point, Point]] = [((0.0, 0.0), (0.0, 0.0))] * len(graph.strings)
    for (low, high), strings in strings_between(graph).items():
        if low == GROUND:
            (x, y), far = places[high], _GROUND_STRING_LENGTH
            for string, angle in zip(strings, _open_angles(graph, places, high, len(strings)), strict=True):
                ends[string] = (x, y), (round(x + far * math.cos(angle), 3), round(y + far * math.sin(angle), 3))
        else:
            for i, string in enumerate(strings):
                ends[string] = _beside(places[low], places[high], _TWIN_DISTANCE * (i - (len(strings) - 1) / 2))
    return tuple(ends)


def strings_between(graph: Graph) -> Mapping[tuple[Coin, Coin], list[String]]:
    """Return the strings by their two ends, the lower first: GROUND is the lowest."""
    together = defaultdict[tuple[Coin, Coin], list[String]](list)
    for string, (a, b) in enumerate(graph.strings):
        together[min(a, b), max(a, b)].append(string)
    return together


def _beside(start: Point, end: Point, shift: float) -> tuple[Point, Point]:
    """Return a line between two places, moved to its side."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    x, y = -dy / length * shift, dx / length * shift
    return (round(start[0] + x, 3), round(start[1] + y, 3)), (round(end[0] + x, 3), round(end[1] + y, 3))


def _open_angles(graph: Graph, places: Sequence[Point], coin: Coin, number: int) -> list[float]:
    """Return directions from a coin for its strings to the ground: each in the widest gap that is left."""
    if graph.is_grid:
        return _border_angles(graph, coin)
    x, y = places[coin]
    others = [graph.other_end(string, coin) for string in graph.strings_of[coin]]
    taken = [math.atan2(places[other][1] - y, places[other][0] - x) for other in others if other != GROUND]
    for _ in range(number):
        taken.append(_widest_gap(taken))
    return taken[-number:]


def _border_angles(graph: Graph, coin: Coin) -> list[float]:
    """Return the directions of a box of a grid in which the border lies, in the order of its lines."""
    row, col = divmod(coin, graph.cols)
    angles = []
    for string in graph.strings_of[coin]:
        if graph.other_end(string, coin) == GROUND:
            way, r, c = graph.line(string)
            across = -math.pi / 2 if r == row else math.pi / 2
            angles.append(across if way == "h" else math.pi if c == col else 0.0)
    return angles


def _widest_gap(taken: Sequence[float]) -> float:
    """Return the direction in the middle of the widest gap between some directions; up if there are none."""
    if not taken:
        return -math.pi / 2
    around = sorted(taken)
    gaps = [(b - a, a) for a, b in zip(around, [*around[1:], around[0] + 2 * math.pi], strict=True)]
    gap, start = max(gaps, key=lambda found: round(found[0], 6))
    return start + gap / 2


def _unit(graph: Graph, places: Sequence[Point]) -> float:
    """Return the median length of a string between coins."""
    lengths = sorted(math.dist(places[a], places[b]) for a, b in graph.strings if b != GROUND)
    return (lengths[len(lengths) // 2] if lengths else 1.0) or 1.0


def _by_forces(graph: Graph) -> tuple[Point, ...]:
    """Return places at which strings pull and coins push each other (after Fruchterman & Reingold 1991)."""
    n = len(graph.coins)
    places = [(math.cos(2 * math.pi * i / n) * n / 4, math.sin(2 * math.pi * i / n) * n / 4) for i in range(n)]
    joined = sorted({(min(a, b), max(a, b)) for a, b in graph.strings if b != GROUND})
    for step in range(_FORCE_STEPS):
        push = [_push(places, i) for i in range(n)]
        for a, b in joined:
            dx, dy = places[b][0] - places[a][0], places[b][1] - places[a][1]
            pull = math.hypot(dx, dy)
            push[a] = push[a][0] + dx * pull, push[a][1] + dy * pull
            push[b] = push[b][0] - dx * pull, push[b][1] - dy * pull
        longest = 0.5 * (1 - step / _FORCE_STEPS)  # how far a coin may go, less and less
        for i, (x, y) in enumerate(push):
            length = math.hypot(x, y)
            scale = min(length, longest) / length if length else 0.0
            places[i] = places[i][0] + x * scale, places[i][1] + y * scale
    return tuple(places)


def _push(places: Sequence[Point], i: Coin) -> Point:
    """Return the force of all other coins, and of a weak pull to the middle, on a coin."""
    x, y = places[i]
    right, down = -0.05 * x, -0.05 * y
    for j, (ox, oy) in enumerate(places):
        if i != j:
            dx, dy = x - ox, y - oy
            near = dx * dx + dy * dy
            if near < 1e-6:  # two coins in one place: move them apart in opposite directions
                dx, near = (0.1 if i < j else -0.1), 0.01
            right, down = right + dx / near, down + dy / near
    return right, down
