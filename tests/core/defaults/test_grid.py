"""Games on a grid: names of cells, texts that parse back, and errors for wrong ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import pytest

from kibitz.core.defaults.grid import GridGame, GridState, column_text
from kibitz.core.errors import BadText, IllegalMove


@dataclass(frozen=True)
class Cells(GridState):
    def winner(self) -> int | None:
        return None


@dataclass(frozen=True)
class Grid(GridGame):
    rows: int = 3
    cols: int = 3
    name: ClassVar[str] = "grid"
    title: ClassVar[str] = "Grid"
    state = Cells


def test_a_state_must_define_winner() -> None:
    with pytest.raises(TypeError, match="winner"):
        GridState(Grid(), ())  # type: ignore[abstract]


@pytest.mark.parametrize(("col", "text"), [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (702, "aaa")])
def test_columns_have_letters(col: int, text: str) -> None:
    assert column_text(col) == text


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (3, 3), (12, 26), (2, 27), (2, 60), (1, 800)])
def test_texts_are_read_back_on_any_grid(rows: int, cols: int) -> None:
    game = Grid(rows, cols)
    texts = [game.move_text(move) for move in game.moves()]
    assert len(set(texts)) == rows * cols
    assert all(re.fullmatch(r"[a-z]+[0-9]+", text) for text in texts)
    assert [game.parse_move(text) for text in texts] == list(game.moves())
    state = game.start().play(game.moves()[-1])
    assert game.parse_position(game.position_text(state)) == state
    lines = game.draw(state, game.moves()[-1])
    assert len({sum(len(text) for text, _ in line) for line in lines}) == 1
    assert "".join(text for text, _ in lines[0]).split() == [column_text(col) for col in range(cols)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("xyx/ooo/3 x", "'xyx/ooo/3' has 'y' for a cell: write x, o, or the number of empty cells."),
        ("xx/ooo/3 x", "'xx/ooo/3' is not a board: write 3 rows of 3 cells."),
        ("xxx/ooo x", "'xxx/ooo' is not a board: write 3 rows of 3 cells."),
        ("xxx/ooo/3", "'xxx/ooo/3' is not a position: write rows and the player to move, as in 3/1x1/3 o."),
    ],
)
def test_a_bad_position_text_is_explained(text: str, message: str) -> None:
    with pytest.raises(BadText) as refused:
        Grid().parse_position(text)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (99, "99 is not a move: moves are 0 to 8."),
        (-1, "-1 is not a move: moves are 0 to 8."),
        (4, "b2 cannot be played: there is no empty cell."),
    ],
)
def test_an_illegal_move_is_explained(move: int, message: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        Grid().parse_position("3/1x1/3 o").play(move)
    assert str(refused.value) == message


@dataclass(frozen=True)
class Drops(Grid):
    """A grid with a move apart from its cells, texts in capitals, and labels of their own."""

    name: ClassVar[str] = "drops"

    def moves(self) -> range:
        return range(10)

    def cells_of(self, move: int) -> tuple[int, ...]:
        return () if move == 9 else (move,)

    def move_text(self, move: int) -> str:
        return "PASS" if move == 9 else super().move_text(move).upper()

    def move_label(self, move: int) -> str:
        return "Pass the turn" if move == 9 else super().move_label(move)


def test_moves_are_read_by_text_and_label_in_any_case() -> None:
    game = Drops()
    for move in game.moves():
        for text in (game.move_text(move), game.move_label(move)):
            assert [game.parse_move(each) for each in (text, text.lower(), f" {text.upper()} ")] == [move] * 3
    with pytest.raises(BadText, match=r"'d9' is not a move: write one of A1, B1, C1, .*, PASS"):
        game.parse_move("d9")


@dataclass(frozen=True)
class Cased(Grid):
    """A grid on which the case of a text matters."""

    name: ClassVar[str] = "cased"

    def move_text(self, move: int) -> str:
        return "abcABCxyz"[move]


def test_texts_that_differ_in_case_alone_stay_apart() -> None:
    assert [Cased().parse_move(text) for text in "abcABCxyzX"] == [*range(9), 6]


def test_a_pass_is_marked_as_the_last_move() -> None:
    game = Drops()
    state = game.start().play(4)
    boards = [game.draw(state, last) for last in (4, 9)]
    marked = [[text for line in lines for text, role in line if role == "last"] for lines in boards]
    assert marked == [["x"], ["Pass the turn"]]
    sizes = [[sum(len(text) for text, _ in line) for line in lines] for lines in boards]
    assert sizes[0] == sizes[1]
