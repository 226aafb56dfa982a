"""Strings and coins as a picture: the dual of a grid, or any other graph.

A coin is a box and a string a line that is not drawn yet; strings to the ground end in an arrow. The dual of a grid
lies on the same paper as the grid, each coin in the middle of its box, so that a string crosses the line it stands
for. The coins of another graph lie where the graph says, or else are placed by a force-directed layout; the same graph
always has the same picture. Places and ends are first computed in units of about the distance between neighbours, x to
the right and y down; a unit is 100 wide in the picture.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import add
from typing import TypeAlias

from kibitz.games.dots.page import parts
from kibitz.games.dots.page.grid import BOX, FIRST_DOT, dots_path, grid_frame, paper
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String
from kibitz.picture import Frame, Group, LegalMove, Line, Path, Picture, Place, Shape, Text, Use

Point: TypeAlias = tuple[float, float]

COINS_VIEW = "Strings and coins"  # the name of the dual of a grid among the views of a picture
UNIT = BOX
COIN_RADIUS = 24
HIDDEN_END = 20  # length of the part of a string that lies under its coin
GROUND_SHARE = 0.92  # share of a string to the ground that is drawn: its arrow must stay on a grid's paper
HALO_END = 12  # how much shorter the halo of a string to the ground is: its round end must stay on the paper
MARGIN = 44  # from the outermost coins and string ends of a graph to the edge
MIN_FRAME = 300  # minimum width and height, for small graphs
SIGN_SIZE = 26
MAX_NAME_LENGTH = 8  # longer names of coins are truncated on the board
_GROUND_STRING_LENGTH = 0.72
_TWIN_DISTANCE = 0.16  # distance between strings that join the same two coins
_FORCE_STEPS = 120
ARROW = ((-9, -7), (2, 0), (-9, 7))  # the head of an arrow to the right, its tip at the origin


@dataclass(frozen=True)
class StringSegment:
    """The visible part of a string, from the rim of one coin to the other, or to the ground."""

    x1: float
    y1: float
    x2: float
    y2: float
    mark: Point  # where marks go, clear of those of other strings between the same coins
    to_ground: bool

    @property
    def angle(self) -> float:
        """The direction in radians: 0 is right, pi / 2 down."""
        return math.atan2(self.y2 - self.y1, self.x2 - self.x1)

    def beside(self, distance: float) -> Point:
        """Return the point at this distance from `mark`, at right angles to the string."""
        x, y = self.mark
        return round(x - distance * math.sin(self.angle), 1), round(y + distance * math.cos(self.angle), 1)


@dataclass(frozen=True)
class CoinsLayout:
    """Where the coins and strings of a graph are drawn."""

    frame: Frame
    coins: tuple[Point, ...]
    strings: tuple[StringSegment, ...]


def paint_coins(shown: parts.ShownPosition) -> Picture:
    """Return the picture of a position as strings and coins."""
    game = shown.state.game
    taken = [_taken_coin(game, coin, owner, shown.sign(owner)) for coin, owner in shown.taken]
    return shown.picture(coins_parts(game), _coin_place, above=taken)


# Layout


@lru_cache(maxsize=parts.MAX_CACHED_BOARDS)
def coins_layout(graph: Graph) -> CoinsLayout:
    """Return where the coins and strings of a graph are drawn."""
    centres, ends = coin_places(graph), string_ends(graph)
    if graph.is_grid:
        frame, left, top = grid_frame(graph), FIRST_DOT + BOX / 2, FIRST_DOT + BOX / 2
    else:
        frame, left, top = _graph_frame([*centres, *(end for both in ends for end in both)])

    def scaled(point: Point) -> Point:
        return round(left + UNIT * point[0], 1), round(top + UNIT * point[1], 1)

    shares = _mark_shares(graph)
    segments = [
        _segment(scaled(start), scaled(end), shares[string], graph.strings[string][1] == GROUND)
        for string, (start, end) in enumerate(ends)
    ]
    return CoinsLayout(frame, tuple(map(scaled, centres)), tuple(segments))


def _graph_frame(points: list[Point]) -> tuple[Frame, float, float]:
    """Return a frame around points given in units, and x and y of their origin (0, 0) in the frame."""
    spans = []
    for values in zip(*points, strict=True):
        low, high = UNIT * min(values), UNIT * max(values)
        size = max(MIN_FRAME, math.ceil(high - low + 2 * MARGIN))
        spans.append((size, (size - low - high) / 2))
    (w, left), (h, top) = spans
    return (0, 0, w, h), left, top


def _mark_shares(graph: Graph) -> list[float]:
    """Return where along each string its marks are drawn, from 0 to 1; staggered for strings between the same coins."""
    shares = [0.5] * len(graph.strings)
    for (low, _), strings in strings_between(graph).items():
        if low != GROUND:
            for number, string in enumerate(strings, 1):
                shares[string] = number / (len(strings) + 1)
    return shares


def _segment(start: Point, end: Point, share: float, to_ground: bool) -> StringSegment:
    """Return the visible part of a string. share: where along this part its marks are drawn, from 0 to 1."""
    (x1, y1), (x2, y2) = start, end
    length = math.dist(start, end)
    hidden = min(HIDDEN_END, 0.3 * length) / length if length else 0
    end_share = GROUND_SHARE if to_ground else 1 - hidden

    def point(share_along: float) -> Point:
        return round(x1 + share_along * (x2 - x1), 1), round(y1 + share_along * (y2 - y1), 1)

    return StringSegment(*point(hidden), *point(end_share), point(hidden + share * (end_share - hidden)), to_ground)


# Layout in units


@lru_cache(maxsize=64)
def coin_places(graph: Graph) -> tuple[Point, ...]:
    """Return x and y of each coin, in units of the median length of a string between coins."""
    places = graph.places or _force_layout(graph)
    lengths = sorted(math.dist(places[a], places[b]) for a, b in graph.strings if b != GROUND)
    unit = (lengths[len(lengths) // 2] if lengths else 1.0) or 1.0
    left, top = min(x for x, _ in places), min(y for _, y in places)
    return tuple((round((x - left) / unit, 3), round((y - top) / unit, 3)) for x, y in places)


@lru_cache(maxsize=64)
def string_ends(graph: Graph) -> tuple[tuple[Point, Point], ...]:
    """Return where each string begins and ends, in units. Strings to the ground end in the open, away from others."""
    places = coin_places(graph)
    ends: list[tuple[Point, Point]] = [((0.0, 0.0), (0.0, 0.0))] * len(graph.strings)
    for (low, high), strings in strings_between(graph).items():
        if low == GROUND:
            (x, y), length = places[high], _GROUND_STRING_LENGTH
            for string, angle in zip(strings, _open_angles(graph, places, high, len(strings)), strict=True):
                ends[string] = (x, y), (round(x + length * math.cos(angle), 3), round(y + length * math.sin(angle), 3))
        else:
            for i, string in enumerate(strings):
                ends[string] = _shifted(places[low], places[high], _TWIN_DISTANCE * (i - (len(strings) - 1) / 2))
    return tuple(ends)


def strings_between(graph: Graph) -> Mapping[tuple[Coin, Coin], list[String]]:
    """Group the strings by their two ends, the lower number first; GROUND is the lowest."""
    groups = defaultdict[tuple[Coin, Coin], list[String]](list)
    for string, (a, b) in enumerate(graph.strings):
        groups[min(a, b), max(a, b)].append(string)
    return groups


def _shifted(start: Point, end: Point, shift: float) -> tuple[Point, Point]:
    """Return the ends of the line between two places, shifted sideways by a distance."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    x, y = -dy / length * shift, dx / length * shift
    return (round(start[0] + x, 3), round(start[1] + y, 3)), (round(end[0] + x, 3), round(end[1] + y, 3))


def _open_angles(graph: Graph, places: Sequence[Point], coin: Coin, number: int) -> list[float]:
    """Return a direction, in radians, for each of a coin's strings to the ground, where most space is left."""
    if graph.is_grid:
        return _border_angles(graph, coin)
    x, y = places[coin]
    others = [graph.other_end(string, coin) for string in graph.strings_of[coin]]
    angles = [math.atan2(places[other][1] - y, places[other][0] - x) for other in others if other != GROUND]
    for _ in range(number):
        angles.append(_widest_gap(angles))
    return angles[-number:]


def _border_angles(graph: Graph, coin: Coin) -> list[float]:
    """Return the directions, in radians, from a box to the border lines of its grid, in the order of its lines."""
    row, col = divmod(coin, graph.cols)
    angles = []
    for string in graph.strings_of[coin]:
        if graph.other_end(string, coin) == GROUND:
            direction, r, c = graph.coordinates(string)
            vertical_angle = -math.pi / 2 if r == row else math.pi / 2
            angles.append(vertical_angle if direction == "h" else math.pi if c == col else 0.0)
    return angles


def _widest_gap(angles: Sequence[float]) -> float:
    """Return the middle of the widest gap between the directions, in radians; straight up if there are none."""
    if not angles:
        return -math.pi / 2
    around = sorted(angles)
    gaps = [(b - a, a) for a, b in zip(around, [*around[1:], around[0] + 2 * math.pi], strict=True)]
    gap, start = max(gaps, key=lambda found: round(found[0], 6))
    return start + gap / 2


def _force_layout(graph: Graph) -> tuple[Point, ...]:
    """Return a force-directed layout: strings pull, coins repel each other (Fruchterman & Reingold 1991)."""
    n = len(graph.coins)
    angles = [2 * math.pi * i / n for i in range(n)]
    places = [complex(math.cos(angle) * n / 4, math.sin(angle) * n / 4) for angle in angles]
    joined = sorted({(min(a, b), max(a, b)) for a, b in graph.strings if b != GROUND})

    def repulsion(i: Coin, j: Coin) -> complex:
        offset = places[i] - places[j]
        squared_distance = offset.real * offset.real + offset.imag * offset.imag
        if squared_distance < 1e-6:  # two coins in one place: move them apart in opposite directions
            offset, squared_distance = complex(0.1 if i < j else -0.1, offset.imag), 0.01
        return offset / squared_distance

    # Rounding decides the layout of a symmetric graph, and sum() and abs() round differently across Python versions.
    for step in range(_FORCE_STEPS):  # a weak force pulls every coin to the middle
        forces = [reduce(add, (repulsion(i, j) for j in range(n) if i != j), -0.05 * places[i]) for i in range(n)]
        for a, b in joined:
            offset = places[b] - places[a]
            pull = offset * math.hypot(offset.real, offset.imag)
            forces[a] += pull
            forces[b] -= pull
        max_step = 0.5 * (1 - step / _FORCE_STEPS)  # coins move less and less
        for i, force in enumerate(forces):
            length = math.hypot(force.real, force.imag)
            places[i] += force * (min(length, max_step) / length) if length else 0
    return tuple((place.real, place.imag) for place in places)


# Shapes


@lru_cache(maxsize=parts.MAX_CACHED_BOARDS)
def coins_parts(game: Dots) -> parts.BoardParts:
    """Return all parts that pictures of a game's strings and coins use."""
    graph, layout = game.board, coins_layout(game.board)
    ground = paper(layout.frame, graph)
    if graph.is_grid:
        ground += (Path("", "faint-dot", 0, 0, dots_path(graph)),)
    coins = tuple(_coin(graph, coin, x, y) for coin, (x, y) in enumerate(layout.coins))
    lines = tuple(_line_parts(game, string, segment) for string, segment in enumerate(layout.strings))
    first, second = (
        {"cut": (Path("", f"snip ghost {side}", 0, 0, "M-9 -9L9 9M9 -9L-9 9"),)} for side in parts.SIDES[:2]
    )
    return parts.BoardParts(layout.frame, ground, coins, lines, (first, second))


def _line_parts(game: Dots, string: String, segment: StringSegment) -> parts.LineParts:
    text, description = game.move_text(string), _description(game, string)
    x, y, dx, dy = segment.x1, segment.y1, round(segment.x2 - segment.x1, 1), round(segment.y2 - segment.y1, 1)
    middle = round(x + dx / 2, 1), round(y + dy / 2, 1)
    offset, target, ends = parts.WALK_OFFSET, parts.LINE_TARGET, (segment.x1, segment.y1, segment.x2, segment.y2)
    walk = (middle[0] + offset, middle[1]) if abs(dx) >= abs(dy) else (middle[0], middle[1] + offset)
    mark = None if segment.mark == middle else segment.mark
    string_shape: Shape = Line(f"string {text}", "string", x, y, dx, dy)
    if segment.to_ground:
        cos, sin = math.cos(segment.angle), math.sin(segment.angle)
        head = "M" + "L".join(f"{a * cos - b * sin:.1f} {a * sin + b * cos:.1f}" for a, b in ARROW)
        arrow = Path("", "string", dx, dy, head)
        string_shape = Group(f"string {text}", "", x, y, (Line("", "string", 0, 0, dx, dy), arrow))

    def place(words: str) -> Place:
        return Place(text, *middle, target, target, f"{description}{words}", "cut", ends=ends, walk=walk, mark=mark)

    share = 1 - (HALO_END / math.hypot(dx, dy) if segment.to_ground else 0)
    return parts.LineParts(
        shapes=(*(Line(text, f"cut fill {side}", x, y, dx, dy) for side in parts.SIDES), string_shape),
        places=tuple(map(place, parts.drawn_words(game, "cut"))),
        halo=Line(f"last {text}", "halo fill", x, y, round(share * dx, 1), round(share * dy, 1)),
        move=LegalMove(text),
    )


def _description(game: Dots, string: String) -> str:
    """Return the description of a string for screen readers, including what it joins."""
    graph = game.board
    first, second = graph.strings[string]
    if graph.is_grid:
        return f"String across {parts.label(game, string)}{', to the ground' if second == GROUND else ''}"
    other = "the ground" if second == GROUND else graph.coins[second]
    return f"String {parts.label(game, string)}, from {graph.coins[first]} to {other}"


def _coin(graph: Graph, coin: Coin, x: float, y: float) -> Shape:
    """Return the shape of an untaken coin, with its name unless the graph is a grid."""
    key, face = f"coin {coin}", "dots-coin"
    if graph.is_grid:
        return Use(key, "", x, y, face)
    name = graph.coins[coin]
    if len(name) > MAX_NAME_LENGTH:
        name = f"{name[: MAX_NAME_LENGTH - 1]}…"
    size = round(min(17.0, 62 / max(1, len(name))), 1)  # so that the name fits on the coin
    return Group(key, "", x, y, (Use("", "", 0, 0, face), Text("", "coin-name", 0, 1, name, size)))


@lru_cache(maxsize=parts.MAX_CACHED_BOXES)
def _taken_coin(game: Dots, coin: Coin, owner: int, sign: str) -> Shape:
    """Return the shape of a taken coin, with the sign of its owner."""
    text, place = Text("", "", 0, 1.5, sign, SIGN_SIZE), coins_layout(game.board).coins[coin]
    return parts.finished_shape(f"box {coin}", place, "dots-coin", owner, text)


@lru_cache(maxsize=parts.MAX_CACHED_BOXES)
def _coin_place(game: Dots, coin: Coin, owner: int) -> Place:
    """Return the place that the editor's user presses to change the owner of a taken coin."""
    x, y = coins_layout(game.board).coins[coin]
    if game.board.is_grid:
        row, col = divmod(coin, game.cols)
        name = f"Coin in row {row + 1}, column {col + 1}"
    else:
        name = f"Coin {game.board.coins[coin]}"
    size = 2 * COIN_RADIUS
    return Place(f"box {coin}", x, y, size, size, f"{name}, {parts.owner_words(game, owner)}")
