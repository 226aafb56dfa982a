"""Default pictures: text boards, where every role has a style and every word its place, and grids."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar, get_args

import pytest

from conftest import OURS, AddGame
from core.defaults.test_grid import Cells
from kibitz.core import registry
from kibitz.core.defaults.grid import GridGame
from kibitz.core.defaults.picture import LETTER_WIDTH, LINE_HEIGHT, MARGIN, grid_picture, prompt_of, text_picture
from kibitz.core.defaults.shown import svg_of
from kibitz.core.game import Line, Move, Role, View
from kibitz.core.package import GamePackage
from kibitz.picture import Rect, Text
from kibitz.picture.check import problems_of
from toy.cards import HighCard
from toy.rules import Toy

ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Drawn(Toy):
    """A game whose board has a stretch of every role in a line of its own, and a last move of spaces."""

    name: ClassVar[str] = "drawn"
    title: ClassVar[str] = "Drawn"

    def draw(self, view: View, last: Move | None = None) -> tuple[Line, ...]:
        lines: list[Line] = [((f"{row:>2} ", ""), (f"  two  {role} ", role)) for row, role in enumerate(ROLES)]
        return (*lines, (("ab", ""), ("   ", "last"), ("  cd  ", "first")), ())


def test_words_stand_where_the_terminal_has_them() -> None:
    view = Drawn().start()
    picture = text_picture(view, [])
    assert problems_of(picture, "", "", name="drawn") == []
    lines = ["".join(text for text, _ in line) for line in view.game.draw(view)]
    letters = {(row, col): letter for row, line in enumerate(lines) for col, letter in enumerate(line) if letter != " "}
    found = dict[tuple[int, int], str]()
    for shape in picture.shapes:
        if isinstance(shape, Text):
            row, col = (shape.y - MARGIN) / LINE_HEIGHT - 0.5, (shape.x - MARGIN) / LETTER_WIDTH
            found |= {(round(row), round(col) + i): letter for i, letter in enumerate(shape.text)}
    assert found == letters


def test_every_role_is_painted() -> None:
    picture = text_picture(Drawn().start(), [])
    styles = {shape.style for shape in picture.shapes if isinstance(shape, Text)}
    assert styles == {f"plain-text plain-{role}" if role else "plain-text" for role in ROLES}
    boxes = [shape for shape in picture.shapes if isinstance(shape, Rect)]
    widths = [round(box.w / LETTER_WIDTH, 1) for box in boxes]
    assert widths == [len("two  last") + 0.3, 3.3]  # without the spaces around words, or all of them


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_sides_and_the_last_move_differ_in_colour(theme: str, add_game: AddGame) -> None:
    add_game(GamePackage(Drawn))
    svg = svg_of(Drawn().start(), theme="dark" if theme == "dark" else "light")
    assert "var(" not in svg
    colours = {"light": ("#972d1f", "#224d89", "#f6e8c3"), "dark": ("#f3a392", "#a3c5f3", "#3d321b")}
    assert all(colour in svg for colour in colours[theme])


@pytest.mark.parametrize("name", OURS)
def test_any_game_can_be_shown_as_text(name: str) -> None:
    game, rng = registry.game(name), random.Random(1)
    state, last = game.start(1), list[Move]()
    for _ in range(12):
        picture = text_picture(state.view(state.to_move), last)
        assert problems_of(picture, "", "", name=name) == []
        assert len(picture.buttons) == len(state.legal_moves())
        move = rng.choice(state.legal_moves())
        state, last = state.play(move), [game.public_move(move)]


def test_words_that_stay_are_the_same_objects() -> None:
    view = Drawn().start()
    before, after = (text_picture(view, []).shapes for _ in range(2))
    assert all(one is other for one, other in zip(before, after, strict=True))


def test_every_view_names_the_player_to_move() -> None:
    state = HighCard().start(1)
    while state.outcome() is None:
        for player in (0, 1, None):
            assert prompt_of(state.view(player)) == f"{state.game.players[state.to_move]} to move"
        state = state.play(state.legal_moves()[0])
    assert {prompt_of(state.view(player)) for player in (0, 1, None)} == {"The game is over"}


@dataclass(frozen=True)
class Growing(Toy):
    """A game whose lines end in spaces until the mark at their end is made."""

    name: ClassVar[str] = "growing"

    def draw(self, view: View, last: Move | None = None) -> tuple[Line, ...]:
        return ((("a  ", ""), ("   ", "" if last is None else "last")),)


def test_the_frame_stays_and_holds_a_mark_at_the_end_of_a_line() -> None:
    before, after = (text_picture(Growing().start(), last) for last in ([], [1]))
    assert before.frame == after.frame
    (box,) = (shape for shape in after.shapes if isinstance(shape, Rect))
    assert box.x + box.w < after.frame[2] - MARGIN / 2


@dataclass(frozen=True)
class Arrows(GridGame):
    """A game on a grid whose moves are texts with arrows."""

    name, title, state = "arrows", "Arrows", Cells
    rows, cols = 1, 3

    def move_text(self, move: Move) -> str:
        return f"hand > {super().move_text(move)}"


def test_a_text_with_an_arrow_is_one_place() -> None:
    picture = grid_picture(Arrows().start(), [])
    assert problems_of(picture, "", "", name="arrows") == []
    assert [move.path for move in picture.moves] == [("hand > a1",), ("hand > b1",), ("hand > c1",)]
