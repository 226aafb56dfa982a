"""The picture of a Go position: stones on a wooden board.

Stones, places and moves are created once per board size and reused, so that
anything unchanged between two pictures is the same object. The key of a point is
always the text of its move, such as "D4".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from kibitz.core.game import Move, Player
from kibitz.games.go.rules import BLACK, EMPTY, WHITE, Board, Colour, Go, GoState, Point, dead_chains, star_points
from kibitz.games.go.rules.text import LETTERS, NO_KO, PASS_WORD, point_text
from kibitz.picture import Button, Circle, Frame, LegalMove, Path, Picture, Place, Rect, Shape, Text, Use

COLOURS = ("", "black", "white")  # the style names for EMPTY, BLACK and WHITE
MIN_FINE_BOARD_SIZE = 13  # boards of at least this size get finer lines and closer points
MIN_BOARD_WIDTH = 260
"""The width of a 4x4 board; smaller boards get wider margins, so that their stones do not look huge."""
STONE_RADIUS = 0.478
OWNER_WIDTH = 0.36
"""Radius of a stone, and width of the square that marks a point's owner once the game is over, in line spacings."""
_GRAIN_STEP = 13
_PASS_BUTTON = (Button("Pass", PASS_WORD),)


class BoardLayout(NamedTuple):
    """The measurements of a drawn board."""

    size: int
    spacing: int  # the distance between lines
    margin: float  # the distance from the edge of the wood to the first line
    frame: Frame
    fine: str  # the style suffix ' fine' for boards with fine lines; else empty

    def at(self, point: Point) -> tuple[float, float]:
        """Return the coordinates of a point."""
        row, col = divmod(point, self.size)
        return self.margin + col * self.spacing, self.margin + row * self.spacing

    def square(self, key: str, style: str, point: Point, width: float, rounded: float = 0) -> Shape:
        """Return a square centred on a point; width is in line spacings, `rounded` is the corner radius."""
        (x, y), side = self.at(point), width * self.spacing
        return Rect(key, style, x - side / 2, y - side / 2, side, side, rounded)


@cache
def layout(size: int) -> BoardLayout:
    """Return the layout of a board of this size."""
    spacing, margin, fine = (36, 46.0, " fine") if size >= MIN_FINE_BOARD_SIZE else (48, 58.0, "")
    margin = max(margin, (MIN_BOARD_WIDTH - (size - 1) * spacing) / 2)
    width = 2 * margin + (size - 1) * spacing
    return BoardLayout(size, spacing, margin, (0, 0, width, width), fine)


def picture(state: GoState, last: Sequence[Move] = (), marks: Collection[str] | None = None) -> Picture:
    """Return the picture of a position. In a finished game, `marks` are the stones marked as dead.

    Pressing a stone then marks or unmarks its chain. Raise BadText if a mark is not on a stone.
    """
    game, size, points = state.game, state.game.size, state.board.points
    is_over = state.is_over()
    is_settling = is_over and marks is not None
    dead = dead_chains(state.board, [game.parse_move(mark) for mark in marks or ()] if is_settling else ())
    shapes = _stones(state.board, dead)
    if is_over:
        for point, owner in enumerate(state.score(dead).owners):
            if owner != EMPTY and (points[point] == EMPTY or point in dead):
                shapes.append(_owner(size, point, owner))
    if state.ko != NO_KO:
        shapes.append(_ko(size, state.ko))
    for move in last[-1:]:
        if move != game.pass_move and points[move] != EMPTY:
            shapes.append(_ring(size, move, points[move]))
    stones = [point for point, code in enumerate(points) if code != EMPTY]
    pressable = stones if is_settling else state.legal_moves()[:-1]  # no pass
    return Picture(
        layout(size).frame,
        _ground(size),
        tuple(shapes),
        tuple(_settling_places(state.board, dead) if is_settling else _places(state)),
        tuple([_move(size, point) for point in pressable]),
        _ghosts(size, state.to_move),
        () if is_over else _PASS_BUTTON,
        label=_label(state),
        prompt=game.settle_prompt if is_settling else _prompt(state),
    )


def draft(game: Go, board: Board) -> Picture:
    """Return the picture of a board being set up, possible or not: every point can be pressed, but no move is legal."""
    size = game.size
    places = tuple([_place(size, point, code, "") for point, code in enumerate(board.points)])
    label = f"Go, {size} by {size}, a position being set up"
    return Picture(layout(size).frame, _ground(size), tuple(_stones(board, ())), places, label=label)


@cache
def tool_drawing(colour: Colour) -> tuple[Shape, ...]:
    """Return a stone centred in a box of 24 by 24."""
    return (Use("", f"stone {COLOURS[colour]}", 0, 0, f"go-{COLOURS[colour]}", 10),)


def _stones(board: Board, dead: Collection[Point]) -> list[Shape]:
    stones = [(point, code) for point, code in enumerate(board.points) if code != EMPTY]
    return [_stone(board.size, point, code, " dead" if point in dead else "") for point, code in stones]


def _places(state: GoState) -> list[Place]:
    size = state.game.size
    places = [_place(size, point, code) for point, code in enumerate(state.board.points)]
    if state.ko != NO_KO:
        places[state.ko] = _place(size, state.ko, EMPTY, "stone", ", forbidden by ko")
    return places


def _settling_places(board: Board, dead: Collection[Point]) -> list[Place]:
    """Return the places that can be pressed while the players mark dead stones."""
    size = board.size
    return [
        _place(size, point, code, "pick", ", dead" if point in dead else ", alive")
        if code != EMPTY
        else _place(size, point, code)
        for point, code in enumerate(board.points)
    ]


def _label(state: GoState) -> str:
    game, points = state.game, state.board.points
    passed = f"{game.players[1 - state.to_move]} passed. " if state.passes else ""
    now = "The game is over." if state.is_over() else f"{passed}{game.players[state.to_move]} to move."
    black, white = points.count(BLACK), points.count(WHITE)
    return f"Go, {game.size} by {game.size}. {now} {black} black and {white} white stones."


def _prompt(state: GoState) -> str:
    if state.is_over():
        return ""
    if state.passes:
        return f"{state.game.players[1 - state.to_move]} passed. Pass too to end the game, or play on"
    return "Play a stone, or pass"


# Shapes created once per board size


@cache
def _ground(size: int) -> tuple[Shape, ...]:
    """Return the background: wood, lines, star points and coordinates."""
    plan = layout(size)
    margin, width = plan.margin, plan.frame[2]
    end, steps = width - margin, [margin + i * plan.spacing for i in range(size)]
    lines = "".join(f"M{margin:g} {at:g}H{end:g}M{at:g} {margin:g}V{end:g}" for at in steps[1:-1])
    stars = star_points(size) or ({0} if size == 1 else set())  # mark the point of a 1x1 board, which has no lines
    names: list[Shape] = []
    label_line = margin - (27 if plan.fine else 39)
    for i, at in enumerate(steps):
        names += [Text("", "side", at, label_line, LETTERS[i], 15), Text("", "side", label_line, at, str(size - i), 15)]
    return (
        *_wood(width),
        *([Path("", f"lines{plan.fine}", 0, 0, lines)] if lines else []),
        Rect("", "rim", margin, margin, end - margin, end - margin),
        *(Circle("", "star", *plan.at(point), 3.8 if plan.fine else 4.2) for point in sorted(stars)),
        *names,
    )


def _wood(width: float) -> tuple[Shape, ...]:
    """Return the wooden board: its grain, a lit upper edge and a shaded lower edge."""
    rng, wide = Random(7), int(width)
    fine = "".join(
        f"M{x} 0c{rng.randint(-8, 8)} {wide // 3} {rng.randint(-6, 6)} {wide // 2} {rng.randint(-6, 6)} {wide}"
        for x in range(3, wide, _GRAIN_STEP)
    )
    broad = "".join(f"M{rng.randint(0, wide)} 0c14 {wide // 3} -14 {wide // 2} 6 {wide}" for _ in range(wide // 56))
    return (
        Rect("", "wood", 0, 0, width, width, 5),
        Path("", "grain", 0, 0, fine),
        Path("", "grain broad", 0, 0, broad),
        Rect("", "edge", 0.75, 0.75, width - 1.5, width - 1.5, 4.5),
        Path("", "light", 4, 2.5, f"M0 0H{width - 8:g}"),
        Path("", "shade", 3, width - 2.5, f"M0 0H{width - 6:g}"),
    )


@cache
def _stone(size: int, point: Point, colour: Colour, state: str) -> Shape:
    """Return a stone; state is a style suffix such as " dead", or empty."""
    plan, name = layout(size), COLOURS[colour]
    scale = STONE_RADIUS * plan.spacing
    return Use(point_text(size, point), f"stone drop {name}{state}", *plan.at(point), f"go-{name}", scale)


@cache
def _owner(size: int, point: Point, colour: Colour) -> Shape:
    """Return the square that marks the owner of a point once the game is over."""
    style = f"owner fill {COLOURS[colour]}"
    return layout(size).square(f"owner {point_text(size, point)}", style, point, OWNER_WIDTH, 1.5)


@cache
def _ring(size: int, point: Point, colour: Colour) -> Shape:
    """Return the ring that marks the last move."""
    plan, key = layout(size), f"last {point_text(size, point)}"
    style = f"last fill on-{COLOURS[colour]}{plan.fine}"
    return Circle(key, style, *plan.at(point), 0.5 * STONE_RADIUS * plan.spacing)


@cache
def _ko(size: int, point: Point) -> Shape:
    """Return the square that marks a point forbidden by ko."""
    return layout(size).square(f"ko {point_text(size, point)}", f"ko fill{layout(size).fine}", point, 0.4)


@cache
def _place(size: int, point: Point, colour: Colour, ghost: str = "stone", state: str = "") -> Place:
    """Return the place for a point; state is appended to its label."""
    plan, name = layout(size), point_text(size, point)
    label = f"{name}, {COLOURS[colour]} stone{state}" if colour != EMPTY else f"{name}{state}"
    return Place(name, *plan.at(point), plan.spacing, plan.spacing, label, ghost)


@cache
def _move(size: int, point: Point) -> LegalMove:
    return LegalMove(point_text(size, point))


@cache
def _ghosts(size: int, to_move: Player) -> Mapping[str, tuple[Shape, ...]]:
    """Return the previews of a press: a stone with crosshairs, visible around a finger, and a frame."""
    plan, name = layout(size), COLOURS[1 + to_move]
    far, half = plan.frame[2], 0.5 * plan.spacing
    stone = Use("", f"stone ghost {name}", 0, 0, f"go-{name}", STONE_RADIUS * plan.spacing)
    aim = Path("", "aim", 0, 0, f"M{-far:g} 0H{far:g}M0 {-far:g}V{far:g}")
    frame = Rect("", "pick", -half, -half, plan.spacing, plan.spacing, 4)
    return MappingProxyType({"stone": (aim, stone), "pick": (frame,)})
