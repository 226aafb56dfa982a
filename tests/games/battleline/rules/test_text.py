"""Texts of Battle Line: moves in other spellings, and positions that cannot be."""

from __future__ import annotations

import pytest

from kibitz.core.errors import BadText
from kibitz.games.battleline.rules import BattleLine

GAME = BattleLine()
START = "hands=r1,r2,r3,r4,r5,r6,r7/b1,b2,b3,b4,b5,b6,b7"
NO_FLAGS = "|".join(["-/-"] * 8)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("R8>3", "r8 > 3"),
        ("red 8 > 3", "r8 > 3"),
        ("Alexander > 3", "AL > 3"),
        ("companion  cavalry > 1", "CC > 1"),
        ("FOG > 2", "fog > 2"),
        ("claim4", "claim 4"),
        ("Draw Troops", "draw troop"),
        ("TRAITOR o5 @ 3 > 5", "traitor o5@3 > 5"),
        ("redeploy r4@2 >discard", "redeploy r4@2 > discard"),
        ("return shield bearers", "return SB"),
    ],
)
def test_moves_may_be_spelt_freely(text: str, plain: str) -> None:
    assert GAME.move_text(GAME.parse_move(text)) == plain


@pytest.mark.parametrize(
    "text",
    ["r8 > 10", "r8 > 0", "r11 > 1", "claim 0", "claim", "draw", "draw card", "scout > 3", "deserter > 3",
     "deserter o5@3 > 4", "traitor o5@3", "traitor o5@3 > discard", "redeploy r4@2", "return", "return x1", "r8 >",
     "> 3", "pass 3", "deserter SCOUT@1", "redeploy FOG@2 > 3", "r8 > ３"],
)  # fmt: skip
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(BadText, match=r"\w+.*\."):
        GAME.parse_move(text)


def test_a_position_may_leave_out_what_is_empty() -> None:
    state = GAME.parse_position(START)
    assert state.sizes == (46, 10)
    assert state.decks[0][0] == 7
    assert state.to_move == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The text is empty"),
        ("hello", "must be key=value"),
        ("colour=red", "Unknown key 'colour'"),
        (f"{START} turn=1 turn=2", "turn is given twice"),
        (f"{START} turn=x", "must be a number"),
        (f"{START} stage=sleep", "stage=sleep must be one of"),
        (f"{START} flags=-/-", "has 9 flags separated by |, got 1"),
        (f"{START} flags=r8|{NO_FLAGS}", "must be like"),
        (f"{START} flags=r8,r8/-|{NO_FLAGS}", "r8 is named twice"),
        (f"{START} turn=5 flags=r1/-|{NO_FLAGS}", "r1 is named twice in the position"),
        (f"{START} turn=9 flags=y1,y2,y3,y4/-|{NO_FLAGS}", "4 cards are too many for one side"),
        (f"{START} turn=9 flags=FOG/-|{NO_FLAGS}", "Fog cannot be part of a formation"),
        (f"{START} turn=9 flags=-/-+FOG+FOG|{NO_FLAGS}", "names FOG twice"),
        (f"{START} turn=9 flags=-/-+FOG|{NO_FLAGS}", "Fog is face up, but missing in played="),
        (f"{START} turn=9 played=FOG/-", "Fog is in played=, but not face up"),
        (f"{START} turn=9 flags=AL/-|{NO_FLAGS} played=-/AL", "who did not play it"),
        (f"{START} turn=9 flags=AL,CC/-|{NO_FLAGS} played=AL,CC/-", "played 2 and 0 Tactics"),
        (f"{START} turn=9 flags=AL,DA/CC|{NO_FLAGS} played=AL,DA/CC", "has two Leaders"),
        (f"{START} turn=9 discard=y1", "only Deserter and Redeploy discard"),
        (f"{START} turn=9 discard=MUD played=MUD/-", "Mud is discarded, but it must stay"),
        (f"{START} flags=y1/-|{NO_FLAGS}", "1 cards are face up, but only 0 can have been played"),
        (f"{START} turn=9 flags=y1,y2,y3/-:0|{NO_FLAGS}", "Flag 1 cannot have been claimed by the first player"),
        (f"{START} turn=9 flags=y8,y9/-:0|{NO_FLAGS}", "Only a complete side can claim"),
        (f"{START} turn=9 flags=y1,y2,y3/g4,g5,g6:0*0|{NO_FLAGS}", "does not beat"),
        (f"{START} turn=9 flags=y1,y2,y3/g4,g5,g6|{NO_FLAGS}", "the side completed first"),
        (f"{START} turn=9 flags=y1,y2/-*0|{NO_FLAGS}", "the side completed first"),
        ("hands=r1/b1,b2,b3,b4,b5,b6,b7", "must have drawn up to 7"),
        ("hands=r1,r2,r3,r4,r5,r6,r7,r8/b1,b2,b3,b4,b5,b6,b7", "holds 8 cards, but can hold at most 7"),
        (f"{START} troops=y1,y2", "is missing"),
        (f"{START} troops=AL", "is missing"),
        (f"{START} stage=draw", "the hand is full"),
        (f"{START} stage=scout left=3", "has not played Scout"),
        (f"{START} left=2", "left=2 does not fit stage=play"),
        (f"{START} stage=claim", "nothing to claim"),
        (f"{START} turn=9 passes=3", "3 passes in a row are impossible"),
        (f"{START} passes=1", "1 passes in a row are impossible at turn 0"),
        (f"{START} known=r1/-", "neither in a deck nor in the opponent's hand"),
        (f"{START} known=y1/-", "cannot have put back"),
        ("hands=r1/r2/r3", "must be like"),
    ],
)  # fmt: skip
def test_impossible_positions_are_refused(text: str, words: str) -> None:
    with pytest.raises(BadText, match=words):
        GAME.parse_position(text)


def test_cards_of_another_edition_are_refused() -> None:
    with pytest.raises(BadText, match="There is no r10"):
        BattleLine(edition="schotten-totten").parse_position("hands=r1,r2,r3,r4,r5,r6,r10/-")
    with pytest.raises(BadText, match="without Tactics"):
        BattleLine(tactics=False).parse_position("hands=r1,r2,r3,r4,r5,r6,AL/-")


VIEW = "player=0 hand=r1,r2,r3,r4,r5,r6,r7 held=7+0/7+0 decks=46+10"


def test_a_view_text_by_hand() -> None:
    view = GAME.parse_view(VIEW)
    assert view.hand == tuple(range(7))
    assert len(view.legal_moves()) == 63


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("player=2 held=7+0/7+0", "player=2 must be 0 or 1"),
        ("player=0", "held= must be like"),
        (VIEW.replace("46+10", "45+10"), "53 Troops are hidden, but the opponent's hand and the deck need 52"),
        (VIEW.replace("7+0/7", "6+0/7"), "The hand has 7 Troops, but held says 6"),
        (VIEW.replace("46+10", "many"), "decks=many must be like"),
        (f"{VIEW} back=1+0", "cannot have put back"),
        (f"{VIEW} exposed=r1", "cannot have put back"),
        (f"{VIEW} top=r1/-", "r1 is named twice"),
        (f"{VIEW} log=r1_>_x", "is not a move"),
        (f"{VIEW} hands=r1/r2", "Unknown key 'hands'"),
    ],
)
def test_impossible_views_are_refused(text: str, words: str) -> None:
    with pytest.raises(BadText, match=words):
        GAME.parse_view(text)
