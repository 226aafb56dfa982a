"""Default pictures: the cells of a grid, or the board as text.

On a grid each move has one place, the box around its cells; in a text board every legal
move is a button. The styles are at the end of picture/board.css.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from kibitz.core.defaults.grid import EMPTY, GridGame, GridState, column_text
from kibitz.core.game import Line, Move, Role, View, is_over
from kibitz.picture import Button, Circle, Frame, Group, LegalMove, Path, Picture, Place, Rect, Shape, Text

CELL, MARGIN = 64, 34
PIECE_RADIUS = 23
CORNER = 28
"""Half the side of the square, in units, whose corners mark the last move."""
TEXT_SIZE, LINE_HEIGHT = 18, 21
"""The font size and the line height of a text board: tight enough for box-drawing characters to meet."""
LETTER_WIDTH = 0.6 * TEXT_SIZE
"""The width of a letter in nearly all monospaced fonts."""
_SIDES = ("first", "second")
_CACHED_GAMES = 16


def plain_picture(view: View, last: Sequence[Move]) -> Picture:
    """Return a picture of the grid for a grid game, otherwise of the text board."""
    return grid_picture(view, last) if isinstance(view, GridState) else text_picture(view, last)


def prompt_of(view: View) -> str:
    """Return a text such as "X to move", or "The game is over"."""
    return "The game is over" if is_over(view) else f"{view.game.players[view.to_move]} to move"


# Grids


def grid_picture(view: GridState, last: Sequence[Move]) -> Picture:
    """Return the grid with a disc or a ring in each filled cell."""
    game: GridGame = view.game
    shapes: list[Shape] = []
    for move in last[-1:]:
        cell = game.marked_cell(view, move)
        if cell is not None:
            shapes.append(_last_move_corners(game, cell))
    shapes += [_piece(game, cell, mark) for cell, mark in enumerate(view.cells) if mark != EMPTY]
    legal = view.legal_moves()
    places = [_place(game, view, move) for move in game.moves() if game.cells_of(move)]
    return Picture(
        frame=_frame(game),
        ground=_ground(game),
        shapes=tuple(shapes),
        places=tuple(places),
        moves=tuple(_legal_move(game.move_text(move)) for move in legal if game.cells_of(move)),
        ghosts={"piece": (_disc("ghost", view.to_move),)},
        buttons=tuple(Button(game.move_label(move), game.move_text(move)) for move in legal if not game.cells_of(move)),
        label=f"{game.title}. {prompt_of(view)}",
        prompt=prompt_of(view),
    )


def _legal_move(text: str) -> LegalMove:
    """Return a legal move with one place to press, even if its text has the " > " that usually separates places."""
    return LegalMove(text, steps=(text,) if " > " in text else ())


def cell_centre(cols: int, cell: int) -> tuple[float, float]:
    """Return the centre of a cell on a grid with this number of columns."""
    return MARGIN + (cell % cols + 0.5) * CELL, MARGIN + (cell // cols + 0.5) * CELL


def _frame(game: GridGame) -> Frame:
    return 0, 0, game.cols * CELL + MARGIN + 12, game.rows * CELL + MARGIN + 12


@lru_cache(_CACHED_GAMES)
def _ground(game: GridGame) -> tuple[Shape, ...]:
    """Return the background: the sheet, the grid lines, and the names of columns and rows."""
    width, height = game.cols * CELL, game.rows * CELL
    lines = "".join(f"M{col * CELL} 0V{height}" for col in range(game.cols + 1))
    lines += "".join(f"M0 {row * CELL}H{width}" for row in range(game.rows + 1))
    _, _, frame_width, frame_height = _frame(game)
    return (
        Rect("", "plain-sheet", 1, 1, frame_width - 2, frame_height - 2, 6),
        Path("", "plain-lines", MARGIN, MARGIN, lines),
        *(Text("", "side", MARGIN + (col + 0.5) * CELL, 18, column_text(col), 15) for col in range(game.cols)),
        *(Text("", "side", 17, MARGIN + (row + 0.5) * CELL, str(row + 1), 15) for row in range(game.rows)),
    )


def _disc(style: str, player: int, key: str = "", x: float = 0, y: float = 0) -> Group:
    """Return a piece around (x, y): a disc for the first player, a ring for the second."""
    parts: tuple[Shape, ...] = (Circle("", _SIDES[player], 0, 0, PIECE_RADIUS),)
    if player == 1:
        parts += (Circle("", "plain-core", 0, 0, PIECE_RADIUS / 2),)
    return Group(key, f"plain-piece {style}", x, y, parts)


@lru_cache(4096)
def _piece(game: GridGame, cell: int, player: int) -> Shape:
    return _disc("drop", player, f"piece {cell}", *cell_centre(game.cols, cell))


@lru_cache(4096)
def _last_move_corners(game: GridGame, cell: int) -> Shape:
    ends = "".join(f"M{x * CORNER} {y * 17}V{y * CORNER}H{x * 17}" for x in (-1, 1) for y in (-1, 1))
    return Path(f"last {cell}", "plain-corners fill", *cell_centre(game.cols, cell), ends)


def _place(game: GridGame, view: GridState, move: Move) -> Place:
    cells = game.cells_of(move)
    marks = tuple(view.cells[cell] for cell in cells)
    target = view.landing(move) if EMPTY in marks else cells[0]
    return _cached_place(game, move, marks, target)


@lru_cache(4096)
def _cached_place(game: GridGame, move: Move, marks: tuple[int, ...], target: int) -> Place:
    """Return the place of a move: the box around its cells.

    marks: the players' marks in these cells. target: the cell that the move marks, where its value is shown.
    """
    xs, ys = zip(*(cell_centre(game.cols, cell) for cell in game.cells_of(move)), strict=True)
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    owners = [game.players[mark] for mark in marks if mark != EMPTY]
    return Place(
        game.move_text(move),
        (left + right) / 2,
        (top + bottom) / 2,
        right - left + CELL,
        bottom - top + CELL,
        ", ".join([game.move_label(move), *owners]),
        ghost="piece",
        mark=cell_centre(game.cols, target) if len(marks) > 1 else None,
    )


# Text


def text_picture(view: View, last: Sequence[Move]) -> Picture:
    """Return the board as the terminal draws it: words in the colours of their roles, and a button for each move.

    Each line is also a place, not used by any move, so that a screen reader can read the board.
    """
    game, legal = view.game, view.legal_moves()
    lines = game.draw(view, last[-1] if last else None)
    texts = ["".join(text for text, _ in line) for line in lines]
    width = max(map(len, texts), default=1) * LETTER_WIDTH + 2 * MARGIN
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN
    return Picture(
        frame=(0, 0, width, height),
        ground=(Rect("", "plain-sheet", 1, 1, width - 2, height - 2, 6),),
        shapes=tuple(shape for row, line in enumerate(lines) for shape in _line_shapes(row, line)),
        places=tuple(_line_place(row, text, width) for row, text in enumerate(texts) if text.strip()),
        buttons=tuple(Button(game.move_label(move), game.move_text(move)) for move in legal),
        label=f"{game.title}. {prompt_of(view)}",
        prompt=prompt_of(view),
    )


def _line_place(row: int, text: str, width: float) -> Place:
    label = " ".join(text.split())[:200]
    return Place(f"line {row}", width / 2, _line_middle(row), width - 2 * MARGIN, LINE_HEIGHT, label)


def _line_middle(row: int) -> float:
    return MARGIN + (row + 0.5) * LINE_HEIGHT


def _line_shapes(row: int, line: Line) -> Iterator[Shape]:
    """Yield the words of a line, each at its column, so that columns stay straight in any font.

    A box is drawn behind the last move, even if its text is only spaces.
    """
    col = 0
    for text, role in line:
        if role == "last" and text:
            indent = len(text) - len(text.lstrip()) if text.strip() else 0
            yield _last_box(row, col + indent, len(text.strip()) or len(text))
        for word in re.finditer(r"\S+", text):
            yield _word(row, col + word.start(), word[0], role)
        col += len(text)


@lru_cache(4096)
def _word(row: int, col: int, word: str, role: Role) -> Shape:
    style = f"plain-text plain-{role}" if role else "plain-text"
    return Text(f"word {row} {col}", style, MARGIN + col * LETTER_WIDTH, _line_middle(row), word, TEXT_SIZE)


@lru_cache(4096)
def _last_box(row: int, col: int, letters: int) -> Shape:
    x, y = MARGIN + (col - 0.15) * LETTER_WIDTH, _line_middle(row) - LINE_HEIGHT / 2
    return Rect(f"last {row} {col}", "plain-last-box fill", x, y, (letters + 0.3) * LETTER_WIDTH, LINE_HEIGHT, 3)
