"""The grid as a picture: lines drawn by hand between dots on squared paper.

Units: a box is 100 wide, the upper left dot is at (44, 44).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import product

from kibitz.games.dots.page import parts
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.rules.graph import Coin, Graph, String
from kibitz.picture import Frame, Group, LegalMove, Line, Path, Picture, Place, Rect, Shape, Text

BOX = 100
FIRST_DOT = 44  # the coordinate of the first column and the first row of dots
LAST_MARGIN = 26  # from the last dots to the lower and the right edge
SIDE_NAME_MARGIN = 17
SIDE_NAME_SIZE = 16
SIGN_SIZE = 38
BOX_TARGET = 50  # width and height of the square in which a box is pressed in the editor


def paint_grid(shown: parts.ShownPosition, views: Mapping[str, Picture]) -> Picture:
    """Return the picture of a position on a grid."""
    game = shown.state.game
    boxes = [_finished_box(game, box, owner, shown.sign(owner)) for box, owner in shown.taken]
    return shown.picture(grid_parts(game), _box_place, below=boxes, views=views)


def coordinate(column: float) -> float:
    """Return the coordinate of a column or row of dots, counted from 0."""
    return FIRST_DOT + BOX * column


def grid_frame(graph: Graph) -> Frame:
    """Return the frame of a grid, used both for the grid and for its strings and coins."""
    return 0, 0, coordinate(graph.cols) + LAST_MARGIN, coordinate(graph.rows) + LAST_MARGIN


def line_from(graph: Graph, line: String) -> tuple[float, float, int, int]:
    """Return x and y of the left or upper dot of a line, and the offset from there to its other dot."""
    direction, row, col = graph.coordinates(line)
    return (coordinate(col), coordinate(row), *((BOX, 0) if direction == "h" else (0, BOX)))


def box_corner(graph: Graph, box: Coin) -> tuple[float, float]:
    """Return x and y of the upper left corner of a box."""
    row, col = divmod(box, graph.cols)
    return coordinate(col), coordinate(row)


def paper(frame: Frame, graph: Graph) -> tuple[Shape, ...]:
    """Return a sheet of squared paper, with the names of the columns and rows if the graph is a grid."""
    _, _, width, height = frame
    sheet = Rect("", "paper", 1, 1, width - 2, height - 2, 6), Rect("", "squares", 2, 2, width - 4, height - 4, 5)
    if not graph.is_grid:
        return sheet
    columns, rows = parts.COLUMN_NAMES[: graph.cols + 1], parts.ROW_NAMES[: graph.rows + 1]
    return (
        *sheet,
        *(Text("", "side", coordinate(i), SIDE_NAME_MARGIN, name, SIDE_NAME_SIZE) for i, name in enumerate(columns)),
        *(Text("", "side", SIDE_NAME_MARGIN, coordinate(i), name, SIDE_NAME_SIZE) for i, name in enumerate(rows)),
    )


def dots_path(graph: Graph) -> str:
    """Return all dots as one path of zero-length strokes with round ends."""
    columns, rows = (map(coordinate, range(n + 1)) for n in (graph.cols, graph.rows))
    return "".join(f"M{x:g} {y:g}h.01" for y, x in product(rows, columns))


@lru_cache(maxsize=parts.MAX_CACHED_BOARDS)
def grid_parts(game: Dots) -> parts.BoardParts:
    """Return all parts that pictures of a game on a grid use."""
    frame = grid_frame(game.board)
    dots = Path("dots", "dot", 0, 0, dots_path(game.board))
    lines = tuple(_line_parts(game, line) for line in game.moves())
    single = _previews(lambda x, y, path: (Path("", "stroke ghost first", x, y, path),))
    double = _previews(lambda x, y, path: _double_line(path, "ghost", x, y))
    return parts.BoardParts(frame, paper(frame, game.board), (dots,), lines, (single, double))


def _line_parts(game: Dots, line: String) -> parts.LineParts:
    text, (x, y, dx, dy) = game.move_text(line), line_from(game.board, line)
    name, path = parts.label(game, line), _bent_path(line, dx, dy)
    middle = x + dx / 2, y + dy / 2
    offset, target = parts.WALK_OFFSET, parts.LINE_TARGET
    walk = (middle[0], middle[1] + offset) if dx else (middle[0] + offset, middle[1])
    ends, kind = (x, y, x + dx, y + dy), "h" if dx else "v"

    def place(words: str) -> Place:
        return Place(text, *middle, target, target, f"{name}{words}", kind, ends=ends, walk=walk)

    return parts.LineParts(
        shapes=(
            Path(text, "stroke draw first", x, y, path),
            Group(text, "", x, y, _double_line(path, "draw")),
            Path(text, "stroke draw nobody", x, y, path),
            Line(f"trace {text}", "trace", x, y, dx, dy),
        ),
        places=tuple(map(place, parts.drawn_words(game, "drawn"))),
        halo=Line(f"last {text}", "halo fill", x, y, dx, dy),
        move=LegalMove(text),
    )


def _bent_path(line: String, dx: int, dy: int) -> str:
    """Return the path of a line as if drawn by hand: bent in the middle by up to 2.6, always the same for a line."""
    bend = (line * 37 % 27 - 13) / 5  # looks random from line to line
    return f"M0 0Q{dx / 2 + (bend if dy else 0):g} {dy / 2 + (bend if dx else 0):g} {dx} {dy}"


def _double_line(path: str, motion: str, x: float = 0, y: float = 0) -> tuple[Shape, ...]:
    """Return a line of the second player: two strokes, the thinner one on top."""
    return Path("", f"stroke {motion} second", x, y, path), Path("", f"core {motion}", x, y, path)


def _previews(stroke: Callable[[float, float, str], tuple[Shape, ...]]) -> parts.Ghosts:
    """Return the previews of a horizontal and a vertical line. stroke: draws a line from its start and path."""
    return {"h": stroke(-BOX / 2, 0, _bent_path(0, BOX, 0)), "v": stroke(0, -BOX / 2, _bent_path(0, 0, BOX))}


@lru_cache(maxsize=parts.MAX_CACHED_BOXES)
def _finished_box(game: Dots, box: Coin, owner: int, sign: str) -> Shape:
    """Return the shape of a finished box, with the sign of its owner."""
    text = Text("", "", BOX / 2, BOX / 2 + 2, sign, SIGN_SIZE)
    return parts.finished_shape(f"box {box}", box_corner(game.board, box), "dots-box", owner, text)


@lru_cache(maxsize=parts.MAX_CACHED_BOXES)
def _box_place(game: Dots, box: Coin, owner: int) -> Place:
    """Return the place that the editor's user presses to change the owner of a finished box."""
    x, y = box_corner(game.board, box)
    row, col = divmod(box, game.cols)
    words = f"Box in row {row + 1}, column {col + 1}, {parts.owner_words(game, owner)}"
    return Place(f"box {box}", x + BOX / 2, y + BOX / 2, BOX_TARGET, BOX_TARGET, words)
