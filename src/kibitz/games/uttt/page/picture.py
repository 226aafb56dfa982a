"""The painter of Ultimate Tic-Tac-Toe: nine boards of nine cells on paper, with marks drawn by hand.

Shapes, places and moves are cached, so that two pictures share the objects that did not
change between them. A cell has the same key in every picture: the text of the move in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import cos, pi, sin, tan
from types import MappingProxyType

from kibitz.core.game import Move, Player
from kibitz.games.uttt.rules import UtttState
from kibitz.games.uttt.rules.geometry import LINES, grid
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE, move_text
from kibitz.games.uttt.words import PLACES
from kibitz.picture import Frame, Group, LegalMove, Line, Path, Picture, Place, Rect, Shape, Text

CELL, BOARD, GAP, MARGIN = 64, 192, 18, 30
FRAME: Frame = (0, 0, 652, 652)
PLAYERS = ("X", "O")
COLUMNS = "abcdefghi"
_SIDES = ("first", "second")
_CELLS = (
    "top left", "top", "top right",
    "left", "centre", "right",
    "bottom left", "bottom", "bottom right",
)  # fmt: skip
_SMALL_MARK, _LARGE_MARK, _TOOL_MARK = (15.0, 16.5), (58.0, 63.0), (7.5, 8.0)
"""Half the width of an X, and the radius of an O."""
_LARGEST_SLIP = 0.07
"""How far the end of a hand-drawn stroke may be off, as a share of the mark's size."""
_RING_PARTS = 5
"""The number of curves that make an O."""


def cell_name(move: Move) -> str:
    """Return the name of a cell by the labels along the board: a1 is the top left cell, i9 the bottom right."""
    row, col = grid(move)
    return f"{COLUMNS[col]}{row + 1}"


def picture(state: UtttState, last: Sequence[Move] = ()) -> Picture:
    """Return the picture of a position, with its legal moves and the last move marked."""
    legal = state.legal_moves()
    played_on = [state.takes_moves(board) for board in range(9)]
    mover = PLAYERS[state.to_move]
    framed = sorted({move // 9 for move in legal})
    won = f"X has {_boards(state.boards.count(0))}, O {_boards(state.boards.count(1))}."
    if not legal:
        prompt, now = "", "The game is over."
    else:
        where = "any open board" if state.forced == FREE else f"the {PLACES[state.forced]} board"
        prompt, now = f"Play in {where}", f"{mover} to move in {where}."
    return Picture(
        FRAME,
        _background(),
        _shapes(state.cells, state.boards, played_on, last, framed, state.to_move),
        tuple([_place(move, code, "mark") for move, code in enumerate(state.cells)]),
        tuple([_legal_move(move) for move in legal]),
        _ghosts(state.to_move),
        label=f"Ultimate Tic-Tac-Toe. {now} {won}",
        prompt=prompt,
    )


def draft(cells: Sequence[int], boards: Sequence[int], to_move: Player, forced: int) -> Picture:
    """Return the picture of a position being edited, possible or not: every cell is clickable, but there are no moves.

    The small marks of decided boards are drawn clearly, because they can be edited.
    """
    framed = [] if forced == FREE else [forced]
    return Picture(
        FRAME,
        _background(),
        _shapes(cells, boards, (True,) * 9, (), framed, to_move),
        tuple([_place(move, code) for move, code in enumerate(cells)]),
        label="Ultimate Tic-Tac-Toe, a position being set up",
    )


@cache
def tool_drawing(player: Player) -> tuple[Shape, ...]:
    """Return a player's mark as an editor tool, drawn around the centre of a 24 by 24 box."""
    return (_mark("", f"tool {_SIDES[player]}", 0, 0, player, _TOOL_MARK[player], 40),)


def _boards(count: int) -> str:
    return "1 board" if count == 1 else f"{count} boards"


def _shapes(
    cells: Sequence[int],
    boards: Sequence[int],
    played_on: Sequence[bool],
    last: Sequence[Move],
    framed: Iterable[int],
    to_move: Player,
) -> tuple[Shape, ...]:
    """Return the shapes drawn on top of the empty boards, bottom first.

    played_on: whether each board takes moves; if a won board does, its small marks are clearer than its large one.
    framed: the boards to play in.
    """
    shapes: list[Shape] = []
    for board, owner in enumerate(boards):
        if owner != EMPTY:
            shapes += _decided_board(board, owner)
    for move in last[-1:]:
        shapes += _last_move(move)
    for move, code in enumerate(cells):
        if code != EMPTY:
            owner = boards[move // 9]
            shapes.append(_small_mark(move, code, "" if owner == EMPTY else "dim" if played_on[move // 9] else "faint"))
    for board, owner in enumerate(boards):
        if owner in (0, 1):
            shapes.append(_large_mark(board, owner, played_on[board]))
    shapes += [_open_frame(board, to_move) for board in framed]
    for line in LINES:
        owner = boards[line[0]]
        if owner in (0, 1) and boards[line[1]] == boards[line[2]] == owner:
            shapes.append(_row_of_boards(line, owner))
    return tuple(shapes)


# Coordinates


def _corner(board: int) -> tuple[int, int]:
    """Return x and y of the upper left corner of a board."""
    row, col = divmod(board, 3)
    return MARGIN + col * (BOARD + GAP), MARGIN + row * (BOARD + GAP)


def _board_centre(board: int) -> tuple[float, float]:
    x, y = _corner(board)
    return x + BOARD / 2, y + BOARD / 2


def _cell_centre(move: Move) -> tuple[float, float]:
    (x, y), (row, col) = _corner(move // 9), divmod(move % 9, 3)
    return x + (col + 0.5) * CELL, y + (row + 0.5) * CELL


# Cached shapes


@cache
def _background() -> tuple[Shape, ...]:
    """Return the empty boards, the lines between them and the names of columns and rows."""
    shapes: list[Shape] = []
    for board in range(9):
        x, y = _corner(board)
        shapes += [Rect("", "paper", x, y, BOARD, BOARD, 6), Path("", "thin", x, y, _THIN_LINES)]
    end = MARGIN + 3 * BOARD + 2 * GAP
    for i in (1, 2):
        at = MARGIN + i * (BOARD + GAP) - GAP / 2
        length = end - MARGIN + 4
        shapes += [Line("", "heavy", at, MARGIN - 2, 0, length), Line("", "heavy", MARGIN - 2, at, length, 0)]
    for i in range(9):
        at = MARGIN + i // 3 * (BOARD + GAP) + (i % 3 + 0.5) * CELL
        shapes += [Text("", "side", at, 14, COLUMNS[i], 15), Text("", "side", 13, at, str(i + 1), 15)]
    return tuple(shapes)


_THIN_LINES = f"M{CELL} 9V{BOARD - 9}M{2 * CELL} 9V{BOARD - 9}M9 {CELL}H{BOARD - 9}M9 {2 * CELL}H{BOARD - 9}"


@cache
def _decided_board(board: int, owner: int) -> tuple[Shape, ...]:
    """Return the tint of a won board, or the hatching of a drawn one."""
    x, y = _corner(board)
    style = "drawn" if owner == DRAWN else _SIDES[owner]
    tint = Rect(f"tint {board}", f"tint fill {style}", x - 0.75, y - 0.75, BOARD + 1.5, BOARD + 1.5, 6.75)
    return tint, Path(f"lines {board}", "thin decided", x, y, _THIN_LINES)


@cache
def _last_move(move: Move) -> tuple[Shape, ...]:
    x, y = _cell_centre(move)
    corners = "".join(f"M{a * 28} {b * 17}V{b * 28}H{a * 17}" for a in (-1, 1) for b in (-1, 1))
    tint = Rect(f"last tint {move}", "last-tint fill", x - 28, y - 28, 56, 56)
    return tint, Path(f"last {move}", "last fill", x, y, corners)


@cache
def _small_mark(move: Move, player: Player, style: str) -> Shape:
    x, y = _cell_centre(move)
    style = f"mark {_SIDES[player]} {style}".rstrip()
    return _mark(move_text(move), style, x, y, player, _SMALL_MARK[player], move)


@cache
def _large_mark(board: int, player: Player, played_on: bool) -> Shape:
    x, y = _board_centre(board)
    style = f"mark large {_SIDES[player]}" + (" dim" if played_on else "")
    return _mark(f"won {board}", style, x, y, player, _LARGE_MARK[player], 90 + board)


@cache
def _open_frame(board: int, to_move: Player) -> Shape:
    x, y = _corner(board)
    return Rect(f"open {board}", f"open fill {_SIDES[to_move]}", x + 1, y + 1, BOARD - 2, BOARD - 2, 6)


@cache
def _row_of_boards(line: tuple[int, int, int], player: Player) -> Shape:
    """Return the stroke through three won boards in a row, almost from edge to edge."""
    (x1, y1), (x2, y2) = _board_centre(line[0]), _board_centre(line[2])
    reach = 78 / max(abs(x2 - x1), abs(y2 - y1))
    dx, dy = reach * (x2 - x1), reach * (y2 - y1)  # from the outer centres towards the edge
    key = "row " + "".join(map(str, line))
    return Line(key, f"through draw {_SIDES[player]}", x1 - dx, y1 - dy, x2 - x1 + 2 * dx, y2 - y1 + 2 * dy)


@cache
def _place(move: Move, code: int, ghost: str = "") -> Place:
    label = f"{cell_name(move)}, {PLACES[move // 9]} board, {_CELLS[move % 9]}"
    if code != EMPTY:
        label += f", {PLAYERS[code]}"
    return Place(move_text(move), *_cell_centre(move), CELL, CELL, label, ghost)


@cache
def _legal_move(move: Move) -> LegalMove:
    return LegalMove(move_text(move))


@cache
def _ghosts(to_move: Player) -> Mapping[str, tuple[Shape, ...]]:
    mark = _mark("", f"mark ghost {_SIDES[to_move]}", 0, 0, to_move, _SMALL_MARK[to_move], 40)
    return MappingProxyType({"mark": (mark,)})


# Marks drawn by hand


def _mark(key: str, style: str, x: float, y: float, player: Player, size: float, seed: int) -> Shape:
    """Return an X or an O; the same seed gives the same strokes."""
    if player == 1:
        return Path(key, f"{style} draw", x, y, _ring(size, seed))
    first, second = _strokes(size, seed)
    return Group(key, style, x, y, (Path("", "draw", 0, 0, first), Path("", "draw later", 0, 0, second)))


def _slips(seed: int) -> list[float]:
    """Return ten pseudo-random numbers from -1 to 1: how far the strokes of a mark slip, as if drawn by hand."""
    return [(seed * 37 + i * 53) % 29 / 14 - 1 for i in range(10)]


def _strokes(half_width: float, seed: int) -> tuple[str, str]:
    """Return SVG paths of the two strokes of an X, slightly bent and with ends that are slightly off."""
    h, s = half_width, [half_width * _LARGEST_SLIP * slip for slip in _slips(seed)]
    return (
        f"M{s[0] - h:.1f} {s[1] - h:.1f}Q{s[2]:.1f} {s[3]:.1f} {h + s[4]:.1f} {h + s[5]:.1f}",
        f"M{h + s[6]:.1f} {s[7] - h:.1f}Q{s[3]:.1f} {s[8]:.1f} {s[9] - h:.1f} {h + s[0]:.1f}",
    )


def _ring(radius: float, seed: int) -> str:
    """Return the SVG path of an O, one stroke that starts near the top and ends slightly off its start."""
    slips = _slips(seed)
    turn = (2 * pi - 0.12) / _RING_PARTS
    handle = 4 / 3 * tan(turn / 4)  # of a cubic curve that follows an arc
    start = -1.75 + 0.3 * slips[0]  # radians; -pi / 2 is the top
    path = ""
    for i in range(_RING_PARTS + 1):
        angle = start + i * turn
        r = radius * (1 + 0.5 * _LARGEST_SLIP * slips[i + 1])
        if i == _RING_PARTS:
            r = radius * (1 + _LARGEST_SLIP * (0.4 + 0.6 * abs(slips[6])))
        x, y = r * cos(angle), r * sin(angle)
        along_x, along_y = -handle * r * sin(angle), handle * r * cos(angle)
        if i == 0:
            path = f"M{x:.1f} {y:.1f}C{x + along_x:.1f} {y + along_y:.1f}"
        else:
            path += f" {x - along_x:.1f} {y - along_y:.1f} {x:.1f} {y:.1f}"
            if i < _RING_PARTS:
                path += "S"
    return path.replace("S ", "S")
