"""The structure as a terminal shows it: the board, its dual, the legend, and the command that prints them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

import pytest

from cli.test_commands import output
from games.dots.boards import on_graph, picture
from games.dots.theory.test_structure import MANY
from kibitz.cli.app import choice_json
from kibitz.cli.show import show_insight
from kibitz.core import registry
from kibitz.core.agent import Choice
from kibitz.core.game import Line
from kibitz.core.package import GamePackage
from kibitz.core.parts import Words
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.theory.structure import structure_json
from kibitz.games.dots.words.insight import analysis_json, draw_analysis, draw_structure
from kibitz.testing import random_game
from toy.package import TOY
from toy.rules import Toy

SHOWN = """
   •─────•─────•─────•─────•─────•
  30 c1 31 c1 32 c1 33 c1 34 c1 35     ───○─────○─────○─────○─────○───
   •─────•─────•─────•─────•─────•
   │ O1 37 O1  │ s1 39 s1 40 s1 41        ○─────○     ○─────○─────○───
   • 10  • 11  • 12  •─────•─────•        │     │     │
   │ O1 43 O1  │ s1  │  ·  │  ·  │        ○─────○     ○     ·     ·
   •─────•─────• 17  •─────•─────•                    │
  48 c2  │ s1 50 s1  │ s2 52 J1 53     ───○     ○─────○     ○─────●───
   • 20  • 21  •─────• 23  • 24  •        │     │           │     │
   │ c2  │ s1 56 J2 57 J3 58    59        ○     ○─────●─────●─────●───
   • 25  •─────• 27  • 28  • 29  •        │           │     │     │

Phase     Middle: there is a string of 7, and 8 safe lines are left
Chains    Red, to move, wants an odd number of long chains: there are 2 now,
          which favours Blue.
Runs      c1 very long chain of 5; O1 long loop of 4; s1 very long string of 7
          from J2 to the ground; c2 chain of 2; s2 string of 1 from J3 to J1
Joints    J1 s2, an open box, the ground; J2 s1, J3, the ground; J3 s2, J2, an
          open box, the ground; 1 in which no run meets
Handouts  c2 hard-hearted by 20, half-hearted by 25 or 48; s2 by 23 or 52
Safe      8 lines: 24, 27, 28, 29, 53, 57, 58, 59
Loony     20 lines: 10, 11, 12, 17, 21, 25, 30, 31, 32, 33, 34, 35, 37, 39, 40,
          41, 43, 48, 50, 56
"""

OPENED = """
   •─────•─────•─────•
   │  C 10 J1 11 s1 12        ◌─────●─────○───
   •─────•  4  •─────•              │
   │  ·  │ s2  │  ·  │        ·     ○     ·
   •─────•  7  •─────•              │
"""


def plain(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def test_board_dual_and_legend() -> None:
    assert plain(draw_structure(picture(MANY))) == SHOWN.strip("\n")
    # Dead boxes are marked.
    shown = plain(draw_structure(picture("+-+-+-+\n|\n+-+ +-+\n| | | |\n+-+ +-+")))
    assert shown.startswith(OPENED.strip("\n"))
    assert "Dead      1 half-open tree of 1\n" in shown
    # A narrow terminal gets the dual below.
    wide, narrow = (plain(draw_structure(picture(MANY), width)).split("\n") for width in (80, 60))
    board = [line[:35].rstrip() for line in wide[:11]]
    assert narrow[:11] == board
    assert [line[3:] for line in narrow[13:22:2]] == [line[42:] for line in wide[1:11:2]]
    assert max(map(len, narrow)) <= 60


@pytest.mark.parametrize("size", [1, 3, 5, 9])
def test_it_fits_a_terminal(size: int) -> None:
    for state in random_game(Dots(size, size), 1):
        assert max(map(len, plain(draw_structure(state)).split("\n"))) <= 80


def test_owners_in_their_colours_and_the_list_of_a_graph() -> None:
    state = Dots(1, 2).parse_position("7f 12 1")
    spans = [span for line in draw_structure(state) for span in line]
    assert (" R ", "first") in spans
    assert (" B ", "second") in spans
    assert spans.count(("·", "first")) == spans.count(("·", "second")) == 1
    # A graph has its list and the legend.
    shown = plain(draw_structure(on_graph("ab", "ab", "b-", "cd", "cd")))
    assert " b   0→a  1→a  2→ground" in shown
    assert "Runs      P1 possible loop of 1 at J1 (a); O1 loop of 2 (c d)" in shown
    assert "Joints    J1 P1 twice, the ground" in shown


def test_the_command_shows_it() -> None:
    position = Dots().position_text(picture(MANY))
    shown = output("analyse", "dots", "--position", position, "--agent", "random")
    rows = [line.rstrip() for line in shown.splitlines()]
    wanted = SHOWN.strip("\n").split("\n")
    assert rows[: len(wanted)] == wanted
    told = json.loads(output("analyse", "dots", "--position", position, "--agent", "random", "--json"))
    assert told["structure"] == structure_json(picture(MANY))
    # A game without structure shows its board.
    assert "structure" not in json.loads(output("analyse", "uttt", "--agent", "reflex", "--json"))


def words_of(game: str) -> Words:
    words = registry.package(game).words
    assert words is not None
    return words()


def test_optional_words() -> None:
    assert (words_of("uttt").draw, words_of("uttt").data) == (None, None)
    assert (words_of("dots").draw, words_of("dots").data) == (draw_analysis, analysis_json)


def test_a_fault_in_the_words_of_a_game_is_not_hidden(add_game: Callable[[GamePackage], None]) -> None:
    def broken() -> Words:
        raise ModuleNotFoundError("no such thing", name="toy.missing")

    add_game(dataclasses.replace(TOY, words=broken))
    with pytest.raises(ModuleNotFoundError):
        show_insight(Toy().start())
    with pytest.raises(ModuleNotFoundError):
        choice_json(Toy().start(), Choice(0))


def test_it_is_a_view_of_the_state_alone() -> None:
    state = Dots(2, 2).start().play(0).play(5)
    again = Dots(2, 2).parse_position(Dots(2, 2).position_text(state))
    assert plain(draw_structure(again)) == plain(draw_structure(state))
