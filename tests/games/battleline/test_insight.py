"""What is seen in a position of Battle Line without searching: by who looks on, by the player, at the terminal."""

from __future__ import annotations

import random
from dataclasses import fields

import pytest

from kibitz.games.battleline.players.prospects import Prospects
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import card_text, parse_card
from kibitz.games.battleline.rules.view import BattleLineView, PublicView
from kibitz.games.battleline.words import analysis_json, draw_analysis, reasons
from kibitz.testing import random_game

GAME = BattleLine()
NEAR = (
    "turn=20 flags=r9,o9,g9/b6,b7|p5,p9,p10/r7,g7|y8,y9/o2,b5|-/-|-/-|-/-|-/-|-/-|-/- discard=o5,DESERTER "
    "played=-/DESERTER hands=b8,r1,r2,r3,r4,r5,y10/o1,o3,o4,o6,o7,o8,y1"
)
"""Flag 1 is C7 of the rule sheet (b8 would beat it), flag 2 is C14 (a third 7), at flag 3 y7 and y10 make wedges."""


def test_who_looks_on_sees_no_card_that_does_not_lie_open() -> None:
    rng, seen = random.Random(4), 0
    for seed in range(8):
        for state in random_game(GAME, seed)[::5]:
            assert isinstance(state, BattleLineState)
            view = state.view(None)
            assert type(view) is PublicView
            names, of_state = ({field.name for field in fields(kind)} for kind in (view, BattleLineState))
            assert names - of_state == {"held", "sizes", "back"}
            assert view.legal_moves() == ()
            twin = view.sample(rng)
            assert twin.view(None) == view
            hidden, same = (sorted(sum((*each.hands, *each.decks), ())) for each in (twin, state))
            assert hidden == same
            seen += twin != state
            text = GAME.view_text(view)
            assert not any(word.startswith(("hand=", "player=", "top=", "known=")) for word in text.split())
            drawn = "".join(part for line in GAME.draw(view) for part, _ in line)
            assert not drawn.partition("   hand")[2].strip()
    assert seen > 80


def test_outs_prove_the_claim_and_are_not_in_the_wrong_hand() -> None:
    state = GAME.parse_position(NEAR)
    mine, theirs = Prospects(state.view(0)), Prospects(state.view(1))
    assert mine.outs(0, 0).wins == ()  # the side is complete
    assert parse_card("b8") not in mine.outs(0, 1).wins  # I hold it
    assert parse_card("b8") in theirs.outs(0, 1).wins  # for all the other knows, he may draw it
    assert {card_text(card) for card in mine.outs(2, 0).wins} >= {"y7", "y10"}
    assert {card_text(card) for card in mine.outs(1, 1).wins} == {"o7", "y7", "b7", "p7"} - {"b7"}  # b7 lies at flag 1
    assert 0 < mine.flag_chance(0, 0) < 1
    assert mine.flag_chance(0, 0) + mine.flag_chance(0, 1) == pytest.approx(1)


def test_the_analysis_for_programs_and_at_the_terminal() -> None:
    state = GAME.parse_position(NEAR)
    found = analysis_json(state)
    assert len(found["flags"]) == 9
    assert found["flags"][0]["claim"]["cards"] == ["b8"]
    assert found["flags"][2]["claim"]["claim"] is False  # not complete
    assert found["cards"]["blue"][7] == "mine"
    lines = ["".join(part for part, _ in line) for line in draw_analysis(state, 80)]
    assert max(map(len, lines)) <= 80
    assert "b8 could still make wedge 21" in " ".join(" ".join(lines).split())
    over = random_game(GAME, 1)[-1]
    assert over.outcome() is not None
    assert analysis_json(over)["flags"] == []


def test_reasons_name_what_a_card_does() -> None:
    view = GAME.parse_position(NEAR).view(0)
    said = reasons(view, GAME.parse_move("y10 > 3"))
    assert said[0] == "completes wedge 27 at flag 3"
    assert "cannot be beaten there" in said
    assert reasons(view, GAME.parse_move("b8 > 4"))[-1] == "takes a card of the other side's best formation at flag 1"
    assert isinstance(view, BattleLineView)
