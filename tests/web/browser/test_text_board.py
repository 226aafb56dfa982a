"""A game with rules alone, off the grid: its board is text, its moves are buttons, its sides have names and points."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from distributions import plant
from web.browser.looking import expect_moves, look
from web.browser.serving import Server
from web.talking import ANN, BOB

RULES = """
from dataclasses import dataclass

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Game, NothingHidden, Outcome
from kibitz.core.package import GamePackage


@dataclass(frozen=True)
class Heap(Game):
    name = "heap"
    title = "Heap"
    players = ("South", "North")

    def start(self, seed=0):
        return State(self, 7, 0, (0, 0))

    def moves(self):
        return range(3)

    def move_text(self, move):
        return f"take {move + 1}"

    def parse_move(self, text):
        if text not in ("take 1", "take 2", "take 3"):
            raise BadText(f"{text!r} is not a move.")
        return int(text[-1]) - 1

    def position_text(self, state):
        return f"{state.left} {state.turn} {state.taken[0]} {state.taken[1]}"

    def parse_position(self, text):
        left, turn, south, north = map(int, text.split())
        return State(self, left, turn, (south, north))

    def scores(self, view, marks=None):
        return view.taken

    def draw(self, view, last=None):
        return ((("South ", "first"), (str(view.taken[0]), "")), (("heap  ", ""), ("o" * view.left, "legal")))


@dataclass(frozen=True)
class State(NothingHidden):
    game: Heap
    left: int
    turn: int
    taken: tuple[int, int]

    @property
    def to_move(self):
        return self.turn % 2

    def legal_moves(self):
        return tuple(range(min(3, self.left)))

    def play(self, move):
        if move not in self.legal_moves():
            raise IllegalMove("There are not that many.")
        taken = list(self.taken)
        taken[self.to_move] += move + 1
        return State(self.game, self.left - move - 1, self.turn + 1, tuple(taken))

    def outcome(self):
        return None if self.left else Outcome(1 - self.to_move, "the last one is taken")


GAME = GamePackage(Heap)
"""


@pytest.fixture(scope="module")
def heaps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that has the game installed."""
    games = tmp_path_factory.mktemp("games")
    plant(games, "heap", "1.0", games={"heap": "heap_game:GAME"}, modules={"heap_game.py": RULES})
    server = Server(tmp_path_factory.mktemp("tables"), games=games)
    yield server
    server.stop()


def test_values_are_on_the_buttons(page: Page, heaps: Server) -> None:
    page.goto(heaps.table("heap", [ANN, BOB], seconds=None))
    buttons = page.locator(".board-buttons button")
    expect(buttons).to_have_text(["take 1", "take 2", "take 3"])
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_label("Analyse the position on the board").check()
    expect(buttons.nth(2).locator(".value.best")).to_have_text("win")  # four are left
    for losing in (0, 1):  # seldom proved, and never drawn or won
        expect(buttons.nth(losing).locator(".value")).to_have_text(re.compile(r"^(\d+|loss)$"))
    expect(page.locator(".values .value", has_text=re.compile(r"^(\d+ %|loss)$"))).to_have_count(2)
    look(page)
    page.locator("label", has_text="Nothing").click()
    expect(buttons).to_have_text(["take 1", "take 2", "take 3"])


def test_seats_name_the_sides_in_neutral_colours(page: Page, heaps: Server) -> None:
    page.goto(heaps.table("heap", [ANN, BOB], seconds=None))
    page.locator(".board-buttons button").nth(1).click()
    expect_moves(page, 1)
    expect(page.locator(".seat .score")).to_have_text(["2", "0"])
    expect(page.locator(".seat .time").nth(0)).to_contain_text("South")
    expect(page.locator(".seat .time").nth(1)).to_contain_text("North")
    colour = "el => getComputedStyle(el).backgroundColor"
    south, north = (page.locator(".seat .stone").nth(i).evaluate(colour) for i in (0, 1))
    page.goto(heaps.table("dots", [ANN, BOB], seconds=None))
    expect(page.locator(".seat .time").nth(0)).to_contain_text("Red")
    red, blue = (page.locator(".seat .stone").nth(i).evaluate(colour) for i in (0, 1))
    assert len({south, north, red, blue}) == 4
