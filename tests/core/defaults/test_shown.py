"""Positions and views printed and shown in a notebook: the board, and nothing hidden."""

from __future__ import annotations

import random
import re

import pytest

import kibitz
from conftest import AddGame
from kibitz.core.agent import Choice, MoveValue
from kibitz.core.package import GamePackage
from toy.cards import HighCard


@pytest.mark.parametrize("name", ["battleline", "high-card", "uttt"])
def test_positions_and_views_show_the_board(name: str, add_game: AddGame) -> None:
    add_game(GamePackage(HighCard))
    state = kibitz.game(name).start(1)
    for _ in range(3):
        state = state.play(state.legal_moves()[0])
    for shown in (state, state.view(0), state.view(None)):
        assert str(shown) != repr(shown)
        assert shown._repr_svg_().startswith("<svg")


@pytest.mark.parametrize("name", ["battleline", "high-card"])
def test_a_shown_position_hides_the_cards(name: str, add_game: AddGame) -> None:
    add_game(GamePackage(HighCard))
    state = kibitz.game(name).start(1)
    other = state.view(None).sample(random.Random(2))
    assert other != state
    assert str(other) == str(state)
    assert other._repr_svg_() == state._repr_svg_()


def test_estimates_beside_a_proved_result_are_not_shown_as_results() -> None:
    """As of a heap whose best move is proved while the others were looked at little."""
    game = kibitz.game("uttt")
    moves = (MoveValue(0, 1, True), MoveValue(1, 0, False), MoveValue(2, -1, False), MoveValue(3, -1, True))
    choice = Choice(0, 1, "result", True, moves=moves, view=game.start().view(0))
    assert re.findall(r">(\d+|win|draw|loss)</text>", choice._repr_html_() or "")[-4:] == ["win", "50", "0", "loss"]
    assert "win (proved)" in str(choice)
