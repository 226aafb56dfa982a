"""Strings and coins as a picture: the dual of a grid, or any other graph.

A coin is a box and a string a line that is not drawn yet; strings to the ground end in
an arrow. The dual of a grid lies on the same paper as the grid, each coin in the middle
of its box, so that a string crosses the line it stands for. One unit of layout.py is 100.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kibitz.core.game import Player
from kibitz.games.dots.page.grid import BOX, FIRST_DOT, dots_path, grid_frame, paper
from kibitz.games.dots.page.label import label
from kibitz.games.dots.page.layout import string_ends, where_coins_lie
from kibitz.games.dots.page.parts import (
    LINE_TARGET,
    MAX_CACHED_BOARDS,
    MAX_CACHED_BOXES,
    SIDES,
    WALK_OFFSET,
    BoardParts,
    LineParts,
    Shown,
    drawn_words,
    legal_moves,
    line_places,
    line_shapes,
    owner_words,
    sign_size,
)
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String
from kibitz.games.dots.rules.text import NOBODY
from kibitz.picture import Frame, Group, LegalMove, Line, Path, Picture, Place, Shape, Text, Use

VIEW = "Strings and coins"
"""What the dual of a grid is called among the views of a picture."""
UNIT = BOX
COIN_RADIUS = 24
HIDDEN_END = 20
"""Length of the part of a string that lies under its coin."""
GROUND_SHARE = 0.92
"""How much of a string to the ground is drawn, so that its arrow stays on the paper of a grid."""
HALO_END = 12
"""How much shorter than a string to the ground its halo is, whose round end must stay on the paper."""
MARGIN = 44
"""From the outermost coins and string ends of a graph to the edge."""
MIN_FRAME = 300
"""Width and height that even the smallest graph fills."""
SIGN_SIZE = 26
MAX_NAME_LENGTH = 8
"""Longer names of coins are cut short on the board."""
ARROW = "M-9 -7L2 0L-9 7"
"""The head of an arrow to the right, its tip at the origin."""


@dataclass(frozen=True)
class Course:
    """Where a string is seen, from the rim of one coin to the other, or to the ground."""

    x1: float
    y1: float
    x2: float
    y2: float
    mark: tuple[float, float]
    """Where marks go: not on those of other strings between the same coins."""
    to_ground: bool

    @property
    def turn(self) -> float:
        """Its direction, in radians from right to down."""
        return math.atan2(self.y2 - self.y1, self.x2 - self.x1)

    def beside(self, distance: float) -> tuple[float, float]:
        """Return the point at a distance from where marks go, across the string."""
        x, y = self.mark
        return round(x - distance * math.sin(self.turn), 1), round(y + distance * math.cos(self.turn), 1)


@dataclass(frozen=True)
class Layout:
    """Where the coins and strings of a graph are drawn."""

    frame: Frame
    coins: tuple[tuple[float, float], ...]
    strings: tuple[Course, ...]


def paint_coins(shown: Shown) -> Picture:
    """Return a position as strings and coins."""
    game, parts = shown.state.game, coins_parts(shown.state.game)
    taken = [_taken_coin(game, coin, owner, shown.sign(owner)) for coin, owner in shown.taken]
    places = line_places(parts, shown)
    if shown.editing:
        places += tuple(_coin_place(game, coin, owner) for coin, owner in shown.taken)
    return Picture(
        frame=parts.frame,
        ground=parts.ground,
        shapes=(*line_shapes(parts, shown), *parts.top, *taken),
        places=places,
        moves=legal_moves(parts, shown),
        ghosts=_GHOSTS[shown.state.to_move],
        label=shown.label,
        prompt=shown.prompt,
    )


# Where things lie


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def coins_layout(graph: Graph) -> Layout:
    """Return where the coins and strings of a graph are drawn."""
    centres, ends = where_coins_lie(graph), string_ends(graph)
    if graph.is_grid:
        frame, left, top = grid_frame(graph), FIRST_DOT + BOX / 2, FIRST_DOT + BOX / 2
    else:
        frame, left, top = _graph_frame([*centres, *(end for both in ends for end in both)])

    def scaled(point: tuple[float, float]) -> tuple[float, float]:
        return round(left + UNIT * point[0], 1), round(top + UNIT * point[1], 1)

    shares = _mark_shares(graph)
    courses = [
        _course(scaled(start), scaled(end), shares[string], graph.strings[string][1] == GROUND)
        for string, (start, end) in enumerate(ends)
    ]
    return Layout(frame, tuple(map(scaled, centres)), tuple(courses))


def _graph_frame(points: list[tuple[float, float]]) -> tuple[Frame, float, float]:
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
    together = defaultdict[tuple[Coin, Coin], list[String]](list)
    for string, (a, b) in enumerate(graph.strings):
        together[min(a, b), max(a, b)].append(string)
    shares = [0.5] * len(graph.strings)
    for (low, _), strings in together.items():
        if low != GROUND:
            for number, string in enumerate(strings, 1):
                shares[string] = number / (len(strings) + 1)
    return shares


def _course(start: tuple[float, float], end: tuple[float, float], share: float, to_ground: bool) -> Course:
    """Return the part of a string that is seen."""
    (x1, y1), (x2, y2) = start, end
    length = math.dist(start, end)
    cut = min(HIDDEN_END, 0.3 * length) / length if length else 0
    last = GROUND_SHARE if to_ground else 1 - cut

    def point(part: float) -> tuple[float, float]:
        return round(x1 + part * (x2 - x1), 1), round(y1 + part * (y2 - y1), 1)

    return Course(*point(cut), *point(last), point(cut + share * (last - cut)), to_ground)


# What is drawn


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def coins_parts(game: Dots) -> BoardParts:
    """Return all that a picture of these strings and coins can be made of."""
    graph, layout = game.board, coins_layout(game.board)
    ground = paper(layout.frame, graph)
    if graph.is_grid:
        ground += (Path("", "faint-dot", 0, 0, dots_path(graph)),)
    coins = tuple(_coin(graph, coin, x, y) for coin, (x, y) in enumerate(layout.coins))
    lines = tuple(_line_parts(game, string, course) for string, course in enumerate(layout.strings))
    return BoardParts(layout.frame, ground, coins, lines)


def _line_parts(game: Dots, string: String, course: Course) -> LineParts:
    text, name = game.move_text(string), _name(game, string)
    x, y, dx, dy = course.x1, course.y1, round(course.x2 - course.x1, 1), round(course.y2 - course.y1, 1)
    middle = round(x + dx / 2, 1), round(y + dy / 2, 1)
    across = abs(dx) >= abs(dy)
    walk = (middle[0] + WALK_OFFSET, middle[1]) if across else (middle[0], middle[1] + WALK_OFFSET)
    thread: Shape = Line(f"string {text}", "string", x, y, dx, dy)
    if course.to_ground:
        arrow = Path("", "string", dx, dy, _turned(course.turn))
        thread = Group(f"string {text}", "", x, y, (Line("", "string", 0, 0, dx, dy), arrow))

    def place(words: str) -> Place:
        return Place(
            text, *middle, LINE_TARGET, LINE_TARGET, f"{name}{words}", "cut",
            ends=(course.x1, course.y1, course.x2, course.y2), walk=walk,
            mark=None if course.mark == middle else course.mark,
        )  # fmt: skip

    kept = 1 - (HALO_END / math.hypot(dx, dy) if course.to_ground else 0)
    first, second, nobody, still_open = map(place, drawn_words(game, "cut"))
    cuts = [Line(text, f"cut fill {side}", x, y, dx, dy) for side in SIDES]
    return LineParts(
        shapes=(cuts[0], cuts[1], cuts[2], thread),
        places=(first, second, nobody, still_open),
        halo=Line(f"last {text}", "halo fill", x, y, round(kept * dx, 1), round(kept * dy, 1)),
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
    points = [tuple(map(float, pair.split())) for pair in ARROW[1:].split("L")]
    cos, sin = math.cos(turn), math.sin(turn)
    return "M" + "L".join(f"{x * cos - y * sin:.1f} {x * sin + y * cos:.1f}" for x, y in points)


def _coin(graph: Graph, coin: Coin, x: float, y: float) -> Shape:
    """Return a coin that nobody has taken. Those of a grid have no names."""
    key, face = f"coin {coin}", "dots-coin"
    if graph.is_grid:
        return Use(key, "", x, y, face)
    name = graph.coins[coin]
    if len(name) > MAX_NAME_LENGTH:
        name = f"{name[: MAX_NAME_LENGTH - 1]}…"
    return Group(key, "", x, y, (Use("", "", 0, 0, face), Text("", "coin-name", 0, 1, name, _name_size(name))))


def _name_size(name: str) -> float:
    """Return the height at which a name fits on a coin."""
    return round(min(17.0, 62 / max(1, len(name))), 1)


@lru_cache(maxsize=MAX_CACHED_BOXES)
def _taken_coin(game: Dots, coin: Coin, owner: int, sign: str) -> Shape:
    """Return the face of a taken coin, with the sign of its owner."""
    x, y = coins_layout(game.board).coins[coin]
    side = SIDES[owner]
    face: tuple[Shape, ...] = (Use("", "", 0, 0, f"dots-coin-{side}"),)
    if owner != NOBODY:
        face += (Text("", f"sign {side}", 0, 1.5, sign, sign_size(sign, SIGN_SIZE)),)
    return Group(f"box {coin}", "fill", x, y, face)


@lru_cache(maxsize=MAX_CACHED_BOXES)
def _coin_place(game: Dots, coin: Coin, owner: int) -> Place:
    """Return where the owner of a taken coin is changed."""
    x, y = coins_layout(game.board).coins[coin]
    if game.board.is_grid:
        row, col = divmod(coin, game.cols)
        name = f"Coin in row {row + 1}, column {col + 1}"
    else:
        name = f"Coin {game.board.coins[coin]}"
    size = 2 * COIN_RADIUS
    return Place(f"box {coin}", x, y, size, size, f"{name}, {owner_words(game, owner)}")


def _ghosts(player: Player) -> Mapping[str, tuple[Shape, ...]]:
    """Return the preview of a cut by a player."""
    return {"cut": (Path("", f"snip ghost {SIDES[player]}", 0, 0, "M-9 -9L9 9M9 -9L-9 9"),)}


_GHOSTS = _ghosts(0), _ghosts(1)
