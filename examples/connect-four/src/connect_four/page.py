"""Connect Four on the page: a blue stand with round holes."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Unpack

from connect_four.rules import COLS, LINES, ROWS, State
from kibitz.core.defaults.grid import EMPTY
from kibitz.core.defaults.page import PictureOptions, PlainPage
from kibitz.core.defaults.picture import CELL, MARGIN, cell_centre
from kibitz.picture import Circle, Picture, Rect, Shape, Text


@cache
def _ground() -> tuple[Shape, ...]:
    names = (Text("", "side", MARGIN + (col + 0.5) * CELL, 18, "abcdefg"[col], 15) for col in range(COLS))
    holes = (Circle("", "hole", *cell_centre(COLS, cell), 26) for cell in range(ROWS * COLS))
    return (Rect("", "stand", MARGIN - 8, MARGIN - 2, COLS * CELL + 16, ROWS * CELL + 10, 10), *holes, *names)


@cache
def _disc(cell: int, player: int) -> Shape:
    return Circle(f"disc {cell}", f"disc drop {('red', 'yellow')[player]}", *cell_centre(COLS, cell), 26)


class ConnectFourPage(PlainPage[State, State]):
    """The page of Connect Four: places as on any grid, with a picture of its own."""

    style = files(__package__) / "board.css"
    blurb = "Drop discs into seven columns. Four in a row, in any direction, win."
    cover = ({}, "7/7/3o3/2xx3/2oxo2/1xoxo2 x")

    def picture(self, view: State, last: Sequence[int] = (), **options: Unpack[PictureOptions[State]]) -> Picture:
        """Return the stand with its discs; the last disc is dotted, and a winning four ringed."""
        shapes = [_disc(cell, mark) for cell, mark in enumerate(view.cells) if mark != EMPTY]
        if last and (cell := view.game.marked_cell(view, last[-1])) is not None:
            shapes.append(Circle(f"last {cell}", "last fill", *cell_centre(COLS, cell), 8))
        for line in LINES:
            if view.cells[line[0]] != EMPTY and len({view.cells[cell] for cell in line}) == 1:
                shapes += [Circle(f"won {cell} of {line}", "won fill", *cell_centre(COLS, cell), 23) for cell in line]
        ghost = replace(_disc(0, view.to_move), key="", style=f"disc ghost {('red', 'yellow')[view.to_move]}", x=0, y=0)
        plain = super().picture(view, last, **options)
        return replace(plain, ground=_ground(), shapes=tuple(shapes), ghosts={"piece": (ghost,)})
