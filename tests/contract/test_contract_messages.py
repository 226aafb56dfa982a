"""Messages of the contract tests: failures name the values, not only the line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

RULES = '''
from dataclasses import dataclass
from kibitz.core import registry
from kibitz.core.errors import BadText
from kibitz.core.defaults.grid import EMPTY, GridGame, GridState
from kibitz.core.package import GamePackage
from kibitz.core.defaults.page import OptionHelp, PlainPage
from kibitz.testing import PictureContract, RulesContract

@dataclass(frozen=True)
class State(GridState):
    def winner(self):
        return None

    def placeable(self):
        moves = tuple(cell for cell, mark in enumerate(self.cells) if mark == EMPTY)
        return moves[::-1] if len(moves) == 3 else moves

@dataclass(frozen=True)
class Broken(GridGame):
    name, title, state = "broken", "Broken", State
    rows, cols = 2, 3

    def parse_move(self, text):
        return 0 if text == "b2" else int(text[5:]) if text.startswith("-1") else super().parse_move(text)

    def draw(self, view, last=None):
        return tuple(tuple((text, "") for text, _ in line) for line in super().draw(view, last))

class Page(PlainPage):
    options = {"colour": OptionHelp("Colour")}

registry.add(GamePackage(Broken, page=lambda: Page(Broken)))

class TestBroken(RulesContract, PictureContract, game="broken"):
    """A game with five faults."""
'''

SAID = {
    "test_legal_moves_ascend": "legal_moves() does not ascend: (",
    "test_move_texts_parse_back": "move 4 has the text 'b2', which is read as move 0",
    "test_nonsense_is_not_a_move": "parse_move('-1') must raise BadText, but raises ValueError: ",
    "test_drawn_boards": "draw() gives no stretch the role 'last' after ",
    "test_the_page_loads": "the page explains the options ['colour'], which the game does not have",
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says about a game with faults."""
    file = tmp_path_factory.mktemp("broken") / "test_broken.py"
    file.write_text(RULES, encoding="utf-8")
    args = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(file.parent), str(file)]
    command = [sys.executable, "-m", "pytest", *args, "-k", " or ".join(SAID)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("test", SAID)
def test_a_failure_names_the_fault(printed: str, test: str) -> None:
    assert any(line.startswith("E ") and SAID[test] in line for line in printed.splitlines()), printed


def test_asserts_show_their_values(printed: str) -> None:
    assert any(line.startswith("E ") and "assert [" in line and "] == [" in line for line in printed.splitlines())
