"""Strings and coins as a picture: the dual of a grid, or any other graph.

A coin is a box and a string a line that is not drawn yet; strings to the ground end in
an arrow. The dual of a grid lies on the same paper as the grid, each coin in the middle
of its box, so that a string crosses the line it stands for. A unit of layout.py is 100 here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from kibitz.games.dots.page import parts
from kibitz.games.dots.page.grid import BOX, FIRST_DOT, dots_path, grid_frame, paper
from kibitz.games.dots.page.label import label
from kibitz.games.dots.page.layout import Point, string_ends, strings_between, where_coins_lie
from kibitz.games.dots.rules import NOBODY, Dots
from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String
from kibitz.picture import Frame, Group, LegalMove, Line, Path, Picture, Place, Shape, Text, Use

COINS_VIEW = "Strings and coins"  # the name of the dual of a grid among the views of a picture
UNIT = BOX
COIN_RADIUS = 24
HIDDEN_END = 20  # length of the part of a string that lies under its coin
GROUND_SHARE = 0.92  # how much of a string to the ground is drawn, so that its arrow stays on the paper of a grid
HALO_END = 12  # how much shorter than a string to the ground its halo is, whose round end must stay on the paper
MARGIN = 44  # from the outermost coins and string ends of a graph to the edge
MIN_FRAME = 300  # width and height that even the smallest graph fills
SIGN_SIZE = 26
MAX_NAME_LENGTH = 8  # longer names of coins are cut short on the board
ARROW = ((-9, -7), (2, 0), (-9, 7))  # the head of an arrow to the right, its tip at the origin


@dataclass(frozen=True)
class StringCourse:
    """The visible part of a string, from the rim of one coin to the other, or to the ground."""

    x1: float
    y1: float
    x2: float
    y2: float
    mark: Point  # where marks go, clear of those of other strings between the same coins
    to_ground: bool

    @property
    def turn(self) -> float:
        """Its direction, in radians from right to down."""
        return math.atan2(self.y2 - self.y1, self.x2 - self.x1)

    def beside(self, distance: float) -> Point:
        """Return the point at a distance from where marks go, across the string."""
        x, y = self.mark
        return round(x - distance * math.sin(self.turn), 1), round(y + distance * math.cos(self.turn), 1)


@dataclass(frozen=True)
class CoinsLayout:
    """Where the coins and strings of a graph are drawn."""

    frame: Frame
    coins: tuple[Point, ...]
    strings: tuple[StringCourse, ...]


def paint_coins(shown: parts.ShownPosition) -> Picture:
    """Return a position as strings and coins."""
    game = shown.state.game
    taken = [_taken_coin(game, coin, owner, shown.sign(owner)) for coin, owner in shown.taken]
    return shown.picture(coins_parts(game), _coin_place, above=taken)


# Where things lie


@lru_cache(maxsize=parts.MAX_CACHED_BOARDS)
def coins_layout(graph: Graph) -> CoinsLayout:
    """Return where the coins and strings of a graph are drawn."""
    centres, ends = where_coins_lie(graph), string_ends(graph)
    if graph.is_grid:
        frame, left, top = grid_frame(graph), FIRST_DOT + BOX / 2, FIRST_DOT + BOX / 2
    else:
        frame, left, top = _graph_frame([*centres, *(end for both in ends for end in both)])

    def scaled(point: Point) -> Point:
        return round(left + UNIT * point[0], 1), round(top + UNIT * point[1], 1)

    shares = _mark_shares(graph)
    courses = [
        _course(scaled(start), scaled(end), shares[string], graph.strings[string][1] == GROUND)
        for string, (start, end) in enumerate(ends)
    ]
    return CoinsLayout(frame, tuple(map(scaled, centres)), tuple(courses))


def _graph_frame(points: list[Point]) -> tuple[Frame, float, float]:
    """Return a frame around some points, and where their origin lies in it."""
    spans = []
    for values in zip(*points, strict=True):
        low, high = UNIT * min(values), UNIT * max(values)
        size = max(MIN_FRAME, math.ceil(high - low + 2 * MARGIN))
        spans.append((size, (size - low - high) / 2))
    (w, left), (h, top) = spans
    return (0, 0, w, h), left, top


def _mark_shares(graph: Graph) -> list[float]:
    """Return how far along each string marks go: strings between the same two coins take turns."""
    shares = [0.5] * len(graph.strings)
    for (low, _), strings in strings_between(graph).items():
        if low != GROUND:
            for number, string in enumerate(strings, 1):
                shares[string] = number / (len(strings) + 1)
    return shares


def _course(start: Point, end: Point, share: float, to_ground: bool) -> StringCourse:
    """Return the visible part of a string; share is how far along it marks go."""
    (x1, y1), (x2, y2) = start, end
    length = math.dist(start, end)
    cut = min(HIDDEN_END, 0.3 * length) / length if length else 0
    last = GROUND_SHARE if to_ground else 1 - cut

    def point(part: float) -> Point:
        return round(x1 + part * (x2 - x1), 1), round(y1 + part * (y2 - y1), 1)

    return StringCourse(*point(cut), *point(last), point(cut + share * (last - cut)), to_ground)


# What is drawn


@lru_cache(maxsize=parts.MAX_CACHED_BOARDS)
def coins_parts(game: Dots) -> parts.BoardParts:
    """Return all that a picture of these strings and coins can be made of."""
    graph, layout = game.board, coins_layout(game.board)
    ground = paper(layout.frame, graph)
    if graph.is_grid:
        ground += (Path("", "faint-dot", 0, 0, dots_path(graph)),)
    coins = tuple(_coin(graph, coin, x, y) for coin, (x, y) in enumerate(layout.coins))
    lines = tuple(_line_parts(game, string, course) for string, course in enumerate(layout.strings))
    first, second = (
        {"cut": (Path("", f"snip ghost {side}", 0, 0, "M-9 -9L9 9M9 -9L-9 9"),)} for side in parts.SIDES[:2]
    )
    return parts.BoardParts(layout.frame, ground, coins, lines, (first, second))


def _line_parts(game: Dots, string: String, course: StringCourse) -> parts.LineParts:
    text, name = game.move_text(string), _name(game, string)
    x, y, dx, dy = course.x1, course.y1, round(course.x2 - course.x1, 1), round(course.y2 - course.y1, 1)
    middle = round(x + dx / 2, 1), round(y + dy / 2, 1)
    off, size, ends = parts.WALK_OFFSET, parts.LINE_TARGET, (course.x1, course.y1, course.x2, course.y2)
    walk = (middle[0] + off, middle[1]) if abs(dx) >= abs(dy) else (middle[0], middle[1] + off)
    mark = None if course.mark == middle else course.mark
    thread: Shape = Line(f"string {text}", "string", x, y, dx, dy)
    if course.to_ground:
        arrow = Path("", "string", dx, dy, _turned(course.turn))
        thread = Group(f"string {text}", "", x, y, (Line("", "string", 0, 0, dx, dy), arrow))

    def place(words: str) -> Place:
        return Place(text, *middle, size, size, f"{name}{words}", "cut", ends=ends, walk=walk, mark=mark)

    share = 1 - (HALO_END / math.hypot(dx, dy) if course.to_ground else 0)
    first, second, nobody, still_open = map(place, parts.drawn_words(game, "cut"))
    cuts = [Line(text, f"cut fill {side}", x, y, dx, dy) for side in parts.SIDES]
    return parts.LineParts(
        shapes=(cuts[0], cuts[1], cuts[2], thread),
        places=(first, second, nobody, still_open),
        halo=Line(f"last {text}", "halo fill", x, y, round(share * dx, 1), round(share * dy, 1)),
        move=LegalMove(text),
    )


def _name(game: Dots, string: String) -> str:
    """Return a string in words, with what it joins."""
    graph = game.board
    first, second = graph.strings[string]
    if graph.is_grid:
        return f"String across {label(game, string)}{', to the ground' if second == GROUND else ''}"
    other = "the ground" if second == GROUND else graph.coins[second]
    return f"String {label(game, string)}, from {graph.coins[first]} to {other}"


def _turned(turn: float) -> str:
    """Return the head of an arrow in a direction."""
    cos, sin = math.cos(turn), math.sin(turn)
    return "M" + "L".join(f"{x * cos - y * sin:.1f} {x * sin + y * cos:.1f}" for x, y in ARROW)


def _coin(graph: Graph, coin: Coin, x: float, y: float) -> Shape:
    """Return a coin that nobody has taken. Those of a grid have no names."""
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
    """Return the face of a taken coin, with the sign of its owner."""
    x, y = coins_layout(game.board).coins[coin]
    side = parts.SIDES[owner]
    face: tuple[Shape, ...] = (Use("", "", 0, 0, f"dots-coin-{side}"),)
    if owner != NOBODY:
        face += (Text("", f"sign {side}", 0, 1.5, sign, parts.sign_size(sign, SIGN_SIZE)),)
    return Group(f"box {coin}", "fill", x, y, face)


@lru_cache(maxsize=parts.MAX_CACHED_BOXES)
def _coin_place(game: Dots, coin: Coin, owner: int) -> Place:
    """Return where the owner of a taken coin is changed."""
    x, y = coins_layout(game.board).coins[coin]
    if game.board.is_grid:
        row, col = divmod(coin, game.cols)
        name = f"Coin in row {row + 1}, column {col + 1}"
    else:
        name = f"Coin {game.board.coins[coin]}"
    size = 2 * COIN_RADIUS
    return Place(f"box {coin}", x, y, size, size, f"{name}, {parts.owner_words(game, owner)}")
