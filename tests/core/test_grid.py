"""Games on a grid: names of cells, texts that are read back, and what is said about wrong ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import pytest

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.grid import GridGame, GridState, column_text


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


def test_a_state_must_say_who_has_won() -> None:
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
    ("text", "said"),
    [
        ("xyx/ooo/3 x", "'xyx/ooo/3' has 'y' for a cell: write x, o, or the number of empty cells."),
        ("xx/ooo/3 x", "'xx/ooo/3' is not a grid of 3 rows of 3 cells."),
        ("xxx/ooo x", "'xxx/ooo' is not a grid of 3 rows of 3 cells."),
        ("xxx/ooo/3", "'xxx/ooo/3' is not a position: write rows and the player to move, as in 3/1x1/3 o."),
    ],
)
def test_what_is_wrong_with_a_position_is_said(text: str, said: str) -> None:
    with pytest.raises(BadText) as refused:
        Grid().parse_position(text)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("move", "said"),
    [(99, "99 is not a move."), (-1, "-1 is not a move."), (4, "b2 cannot be played: there is no room.")],
)
def test_why_a_move_is_illegal_is_said(move: int, said: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        Grid().parse_position("3/1x1/3 o").play(move)
    assert str(refused.value) == said
