"""What stands beside the table of Battle Line: the tab of cards, chances of the flags, moves in words, notations."""

from __future__ import annotations

import pytest

from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Outcome
from kibitz.core.parts import Signature
from kibitz.core.record import GameRecord
from kibitz.games.battleline.notations import BattleLineNotations
from kibitz.games.battleline.page import BattleLinePage
from kibitz.games.battleline.players.prospects import Prospects, whereabouts
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import card_text
from kibitz.picture import Note, Picture, Rect, Text
from kibitz.picture.check import overlay_problems, problems_of
from kibitz.testing import random_game, random_play

GAME = BattleLine()
PAGE = BattleLinePage(BattleLine)
NOTATIONS = BattleLineNotations()
WORKED = (
    "turn=20 flags=r9,o9,g9/b6,b7|p5,p9,p10/r7,g7|r8,r10/-|-/-|-/-|-/-|-/-|-/-|-/- discard=b5,DESERTER "
    "played=-/DESERTER hands=b8,r1,r2,r3,r4,r5,r6/o1,o2,o3,o4,o5,o6,y1"
)
"""C7 and C14 of the rule sheet: b8 beats three nines, p7 makes the phalanx that beats a battalion."""


def card_table(state: BattleLineState, viewer: int | None) -> Picture:
    found = PAGE.panels(state.view(viewer))[0].notes[0].picture
    assert found is not None
    return found


def test_panels_and_overlays_are_sound() -> None:
    style, art = PAGE.style_text(), PAGE.art_text()
    for game in (GAME, BattleLine(edition="schotten-totten", tactics=False)):
        for state in random_game(game, 5)[::7]:
            for viewer in (0, 1, None):
                view = state.view(viewer)
                assert overlay_problems(PAGE.overlay(view), PAGE.picture(view), style, art) == []
                for note in PAGE.panels(view)[0].notes:
                    assert note.picture is None or not problems_of(note.picture, style, art, name="battleline")


def test_every_troop_has_a_cell_that_says_where_it_is() -> None:
    state = GAME.parse_position(WORKED)
    table = card_table(state, 0)
    labels = {place.key: place.label for place in table.places}
    assert len(labels) == 60
    expected = ("Red 9: on the board", "Blue 5: discarded", "Blue 8: in your hand", "Orange 1: unseen")
    assert tuple(labels[key] for key in ("r9", "b5", "b8", "o1")) == expected
    spectated = {place.key: place.label for place in card_table(state, None).places}
    assert spectated["b8"] == "Blue 8: unseen"
    for card, place in whereabouts(state.view(0)).items():
        cell = next(each for each in table.shapes if each.key == card_text(card))
        assert cell.style.split()[1] == place


def test_the_legend_names_what_is_there() -> None:
    table = card_table(GAME.parse_position(WORKED), 0)
    assert {"board", "discard", "mine", "unseen"} <= {each.key for each in table.shapes}
    assert not {"theirs", "deck"} & {each.key for each in table.shapes}


def test_claims_of_a_worked_position() -> None:
    heading, *notes = PAGE.panels(GAME.parse_position(WORKED).view(0))[0].notes[1:]
    assert heading == Note("Claims")
    assert [note.title for note in notes[:2]] == ["Flag 1", "Flag 2"]
    assert notes[0].lead == "You cannot claim it with phalanx 27."
    assert notes[0].text.startswith("b8 could still make wedge 21")
    assert notes[0].tone == ""
    assert notes[0].picture is not None
    assert notes[0].picture.label == "Would beat it: blue 8"
    assert [each.key for each in notes[0].picture.shapes] == ["b8"]
    assert "phalanx 21" in notes[1].lead + notes[1].text
    theirs = PAGE.panels(GAME.parse_position(WORKED).view(1))[0].notes[2:]
    assert theirs[0].lead.startswith("Your opponent cannot claim it")


def test_a_flag_is_named_once_and_has_both_verdicts() -> None:
    flags, hands = "|".join(["r8,r9,r10/b4,b7,b9*0", *["-/-"] * 8]), "r2,r3,r5,r6,o1,o2,o3/y2,y3,y4,y5,p1,p2,p3"
    text = f"turn=6 stage=play flags={flags} hands={hands}"
    notes = PAGE.panels(GAME.parse_position(text).view(0))[0].notes
    claims = [note for note in notes if note.lead]
    assert [note.title for note in claims] == ["Flag 1", ""]
    assert [note.lead.split(" claim")[0] for note in claims] == ["You can", "Your opponent cannot"]


def test_without_complete_sides_there_are_no_claims() -> None:
    notes = PAGE.panels(GAME.start(1).view(0))[0].notes
    assert [note.title for note in notes if note.title] == ["Claims", "Tactics"]
    assert notes[-1].text == "You played no Tactics cards. Your opponent played no Tactics cards."


def test_chances_are_bars_and_facts() -> None:
    overlay = PAGE.overlay(GAME.parse_position(WORKED).view(0))
    texts = [each.text for each in overlay.over if isinstance(each, Text)]
    assert len(texts) == 9
    assert [fact.label for fact in overlay.facts] == ["Game", *(f"Flag {number}" for number in range(1, 10))]
    assert all(fact.text.startswith(text) for fact, text in zip(overlay.facts[1:], texts, strict=True))
    assert "for you" in overlay.facts[0].text
    assert len([each for each in overlay.over if isinstance(each, Rect) and each.style == "rim"]) == 9
    spectated = PAGE.overlay(GAME.parse_position(WORKED).view(None))
    assert "for the first player" in spectated.facts[0].text


def test_a_card_of_the_own_hand_is_no_out_of_the_opponent() -> None:
    """At flag 1 the second player needs b8, which the first player holds."""
    state = GAME.parse_position(WORKED)

    def outs(viewer: int | None) -> set[str]:
        found = Prospects(state.view(viewer)).outs(0, 1)
        return {card_text(card) for card in (*found.wins, *found.helps)}

    assert "b8" in outs(1)
    assert "b8" in outs(None)
    assert outs(0) == outs(1) - {"b8"}
    facts = {fact.label: fact.text for fact in PAGE.overlay(state.view(1)).facts}
    assert "blue 8" in facts["Flag 1"]


def test_a_finished_game_has_no_chances() -> None:
    assert PAGE.overlay(random_game(GAME, 1)[-1].view(0)).over == ()


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("r8 > 3", "Red 8 to flag 3"),
        ("AL > 9", "Alexander to flag 9"),
        ("claim 4", "Claim flag 4"),
        ("draw tactics", "Draw a Tactics card"),
        ("redeploy r4@2 > discard", "Redeploy: red 4 of flag 2 is discarded"),
        ("traitor o5@3 > 5", "Traitor: orange 5 of flag 3 goes to flag 5"),
    ],
)
def test_moves_in_words(move: str, words: str) -> None:
    assert PAGE.label(GAME, GAME.parse_move(move)) == words
    assert PAGE.label(GAME, GAME.parse_move(move), public=True) == words


def test_a_card_put_back_is_named_to_its_player_alone() -> None:
    move = GAME.parse_move("return r5")
    assert PAGE.label(GAME, move) == "Put back red 5"
    assert PAGE.label(GAME, move, public=True) == "Put back a Troop"
    assert PAGE.label(GAME, GAME.public_move(move)) == "Put back a Troop"


def test_scores_are_flags_and_no_game_is_longer_than_the_limit() -> None:
    assert GAME.scores(GAME.parse_position(BattleLinePage.cover[1]).view(None)) == (1, 1)
    assert max(len(random_play(GAME, seed)[1]) for seed in range(5)) < GAME.max_game_length


# Notations


def test_notations_are_detected() -> None:
    ours, moves = random_game(GAME, 4), random_play(GAME, 4)[1]
    for kind in NOTATIONS.kinds:
        text = NOTATIONS.write(ours, moves, kind.name)
        expected = (ours[0], tuple(moves)) if kind.kind == "game" else (ours[-1], ())
        for name in (kind.name, None):
            assert NOTATIONS.read(GAME, text, name) == expected


def test_records_are_signed() -> None:
    start = GAME.start(2)
    signed = Signature(("Ada", "Level 5"), Outcome(1, "Ada resigned"))
    record = GameRecord.from_json(NOTATIONS.write([start], [], "record", signed))
    assert record.agents == ("Ada", "Level 5")
    assert (record.result, record.reason) == ("0-1", "Ada resigned")
    assert NOTATIONS.read(GAME, record.to_json(), None) == (start, ())


def test_bad_texts_are_refused() -> None:
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        NOTATIONS.read(GAME, "turn=0", "sgf")
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        NOTATIONS.write([GAME.start()], [], "sgf")
    with pytest.raises(BadText, match="The text is empty"):
        NOTATIONS.read(GAME, "", "moves")
    with pytest.raises(BadText, match="record of uttt"):
        NOTATIONS.read(GAME, GameRecord("uttt", {}, ("a", "b"), (), "*", "").to_json(), None)
