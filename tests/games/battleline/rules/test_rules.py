"""The rules of Battle Line by hand-made positions: limits, stages, ends, refusals."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kibitz.core.errors import IllegalMove
from kibitz.games.battleline.rules import BattleLine, BattleLineState

GAME = BattleLine()


def position(game: BattleLine = GAME, **words: Any) -> BattleLineState:
    """Return a position of the keys of a text; flags as a dict of number -> text, hands filled up with spare Troops."""
    flags = words.pop("flags", {})
    words["flags"] = "|".join(flags.get(number, "-/-") for number in range(1, 10))
    words.setdefault("turn", 40)
    hands = words.pop("hands", "-/-").split("/")
    named = set(re.findall("[roygbp][0-9]+", " ".join([*hands, *map(str, words.values())])))
    spare = [f"{colour}{value}" for colour in "pygbor" for value in range(1, 8) if f"{colour}{value}" not in named]
    for i in (0, 1):
        cards = [card for card in hands[i].split(",") if card != "-"]
        while len(cards) < game.hand_size and words.get("troops") != "-":
            cards.append(spare.pop(0))
        hands[i] = ",".join(cards) or "-"
    words["hands"] = "/".join(hands)
    return game.parse_position(" ".join(f"{key}={value}" for key, value in words.items()))


def legal(state: BattleLineState, start: str = "") -> list[str]:
    return [text for text in map(state.game.move_text, state.legal_moves()) if text.startswith(start)]


def play(state: BattleLineState, *moves: str) -> BattleLineState:
    for text in moves:
        state = state.play(state.game.parse_move(text))
    return state


def refusal(state: BattleLineState, text: str) -> str:
    with pytest.raises(IllegalMove) as error:
        play(state, text)
    return str(error.value)


def test_the_deal() -> None:
    state = GAME.start(5)
    assert [len(hand) for hand in state.hands] == [7, 7]
    assert state.sizes == (46, 10)
    assert all(card < 60 for hand in state.hands for card in hand)
    assert len(legal(state)) == 63
    assert GAME.start(6) != state
    assert BattleLine(tactics=False).start(5).sizes == (46, 0)
    small = BattleLine(edition="schotten-totten", tactics=False).start(5)
    assert [len(hand) for hand in small.hands] == [6, 6]
    assert small.sizes == (42, 0)
    assert BattleLine(edition="schotten-totten").start(5).sizes == (40, 10)


FULL_SIDES = {
    1: "r1,o3,g5/b1", 2: "r2,o4,g6/b2", 3: "r3,o5,g7/b3", 4: "r4,o6,g8/b4", 5: "r5,o7,g9/b5", 6: "r6,o8,g10/b6",
    7: "r7,o9,g1/b7", 8: "r8,o10,g2/b8", 9: "r9,o1,g3/b9",
}  # fmt: skip


ALL_BUT_THE_LAST = {
    1: "r1,o2,y3/g1,b2,r4*0", 2: "r2,o3,y4/g2,b3,r5*0", 3: "r3,o4,y5/g3,b4,r6*0", 4: "o1,y1,r7/g4,b5,p8*0",
    5: "o5,y2,r8/g5,b6,p9*0", 6: "o6,y6,r9/g6,b7,p10*0", 7: "o7,y7,r10/g7,b8,b1*0", 8: "o8,y8/g8,b9",
    9: "o9,y9/g9,b10",
}  # fmt: skip


def test_traitor_undoes_a_formation() -> None:
    state = position(flags={3: "r1/o5,o6,o7"}, hands="TRAITOR/-")
    after = play(state, "traitor o5@3 > 3")
    assert after.flags[2].sides == ((0, 14), (15, 16))
    assert after.flags[2].first == -1
    assert "does not lie on the opponent's side" in refusal(state, "traitor r1@3 > 4")


def test_claims_at_the_end_come_before_the_draw() -> None:
    game = BattleLine(claim_timing="end")
    state = position(game, flags={3: "r8,r9/-"}, hands="r10/-")
    assert "claimed after a card is played" in refusal(state, "claim 3")
    state = play(state, "r10 > 3")
    assert legal(state) == ["claim 3", "draw troop", "draw tactics"]
    state = play(state, "claim 3")
    assert state.flags[2].owner == 0
    assert legal(state) == ["draw troop", "draw tactics"]


WON = {1: "r8,r9,r10/-:0", 2: "o8,o9,o10/-:0", 3: "g8,g9,g10/-", 9: "b8,b9,b10/-"}


def test_claims_may_be_withheld_and_made_one_by_one() -> None:
    state = position(flags=WON)
    after = play(state, "claim 9")
    assert after.outcome() is None
    assert after.to_move == 0
    assert "claim 3" in legal(after)
    assert len(legal(play(state, legal(state, "p")[0]))) == 2


def test_redeploy_undoes_one_formation_and_completes_another() -> None:
    state = position(flags={2: "r4,r5/-", 3: "b1,b2,b3/-"}, hands="REDEPLOY/-")
    assert "not back to flag 2" in refusal(state, "redeploy r4@2 > 2")
    assert "no free place" in refusal(state, "redeploy r4@2 > 3")
    after = play(state, "redeploy r4@2 > discard")
    assert after.discards == (3, 67)
    moved = play(state, "redeploy b3@3 > 2")
    assert moved.flags[2].first == -1
    assert moved.flags[1].first == 0


def test_a_leader_off_the_table_counts_only_by_the_strict_limit() -> None:
    state = position(flags={1: "r1,AL/b1,CC"}, played="AL/CC", hands="DA/-")
    assert not legal(state, "DA")
    assert "only one Leader in a game" in refusal(state, "DA > 2")
    words: dict[str, Any] = {
        "flags": {1: "r1/b1,CC", 2: "-/-+FOG"}, "played": "AL,FOG/CC,DESERTER", "discard": "AL,DESERTER",
        "hands": "DA/-",
    }  # fmt: skip
    assert not legal(position(**words), "DA")
    assert legal(position(BattleLine(leader_limit="in_play"), **words), "DA")


def test_mud_makes_both_sides_incomplete() -> None:
    state = position(flags={4: "r8,r9,r10/b8,b9,b10*0"}, hands="r7/MUD", turn=41)
    assert state.flags[3].first == 0
    after = play(state, "mud > 4")
    assert after.flags[3].first == -1
    after = play(after, "draw troop", "r7 > 4")
    assert after.flags[3].first == 0
    assert len(after.flags[3].sides[0]) == 4


def test_a_tie_goes_to_who_completed_first() -> None:
    state = position(flags={4: "r4,r5,r6/b4,b5,b6*1"})
    assert "claim 4" not in legal(state)
    assert "the other one was completed first" in refusal(state, "claim 4")
    assert "claim 4" in legal(position(flags={4: "r4,r5,r6/b4,b5,b6*0"}))


def test_completing_anew_counts_anew() -> None:
    state = position(flags={4: "r4,r5,r6/b4,b5,b6*0"}, hands="p1/DESERTER", turn=41)
    state = play(state, "deserter r4@4")
    assert state.flags[3].first == 1
    state = play(state, "draw troop", "p1 > 4")
    assert state.flags[3].first == 1


def test_scout_takes_three_and_puts_two_back_in_order() -> None:
    state = play(position(hands="SCOUT,r1,r2/-", turn=6), "scout")
    assert legal(state) == ["draw troop", "draw tactics"]
    state = play(state, "draw troop", "draw tactics", "draw troop")
    assert len(state.hands[0]) == 9
    assert legal(state) == [f"return {GAME.move_text(608 + card)[7:]}" for card in state.hands[0]]
    first = play(state, "return r1", "return r3")
    assert [GAME.move_text(608 + card)[7:] for card in first.decks[0][:3]] == ["r3", "r1", "r5"]
    assert first.to_move == 1, "no draw after Scout"
    assert len(first.hands[0]) == 7
    assert first.known == ((0, 2), ())
    other = play(state, "return r3", "return r1")
    assert other.decks[0][:2] == (0, 2)


def test_scout_with_fewer_cards_left_returns_what_is_too_much() -> None:
    words: dict[str, Any] = {
        "flags": ALL_BUT_THE_LAST,
        "hands": "p2,p3,p4,p5,SCOUT,AL,DA/p6,p7,g10,o10,y10,CC,SB",
        "troops": "p1", "tactics": "MUD,FOG,REDEPLOY,DESERTER,TRAITOR", "turn": 60,
    }  # fmt: skip
    state = position(**words)
    state = play(state, "scout", "draw troop", "draw tactics", "draw tactics")
    assert state.left == 2
    few = {**words, "tactics": "-", "flags": {**ALL_BUT_THE_LAST, 8: "o8,y8/g8,b9+FOG+MUD"}}
    few |= {"discard": "REDEPLOY,DESERTER,TRAITOR", "played": "FOG,MUD/REDEPLOY,DESERTER,TRAITOR"}
    state = play(position(**few), "scout")
    assert legal(state) == ["draw troop"]
    state = play(state, "draw troop")
    assert state.to_move == 1, "seven cards after one was taken: nothing is put back"
    state = play(position(BattleLine(scout_two=True), **few), "scout", "draw troop")
    assert state.left == 2


def test_a_stuck_game_goes_to_who_has_more_flags() -> None:
    flags = {1: "r8,r9,r10/-:0", 2: "o1,y2,g4/b1", 3: "g1/o2,y4,b6"}
    words: dict[str, Any] = {"flags": flags, "turn": 60, "passes": 2}
    game = BattleLine(tactics=False)
    state = position(game, **words)
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (0, "both players passed, 2 flags to 1")
    drawn = position(BattleLine(tactics=False, stuck_draw=True), **words).outcome()
    assert drawn is not None
    assert drawn.winner is None


def test_a_claim_breaks_the_row_of_passes() -> None:
    flags = {**FULL_SIDES, 9: "r8,r9,r10/-"} | {8: "r7,o10,g2/b8", 7: "o8,o9,g1/b7", 6: "r6,p8,g10/b6"}
    state = position(flags=flags, passes=1, turn=60)
    assert legal(state) == ["claim 9", "pass"]
    assert play(state, "claim 9").passes == 0
    assert play(state, "claim 9", "pass").outcome() is None
    assert play(state, "pass").outcome() is not None


def test_a_card_of_the_claimants_hand_is_no_evidence() -> None:
    """Case C4: r10 r9 r8 is open to the opponent, though the claimant holds r10."""
    for hands in ("r10/-", "-/r10"):
        state = position(flags={1: "y7,y8,y9/r8"}, hands=hands)
        assert "claim 1" not in legal(state)
        assert "r9 r10 could still make wedge 27" in refusal(state, "claim 1")


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("r9 > 3", "red 9 is not in the hand"),
        ("p1 > 1", "Flag 1 is claimed"),
        ("p1 > 2", "no free place"),
        ("draw troop", "Draw a card after playing one"),
        ("return p1", "only after Scout"),
        ("done", "Use done only"),
        ("claim 1", "already claimed by first"),
        ("deserter b2@4", "does not lie on the opponent's side of flag 4"),
        ("deserter b1@1", "Flag 1 is claimed: nothing there can be moved"),
        ("fog > 1", "Fog is not in the hand"),
        ("scout", "Scout is not in the hand"),
    ],
)
def test_refusals_say_the_rule(move: str, words: str) -> None:
    claimed = {} if move == "r9 > 3" else {1: "r8,r9,r10/b1:0"}
    assert words in refusal(position(flags={**claimed, 2: "o1,o2,o4/b2"}, hands="p1,DESERTER/-"), move)


def test_schotten_totten_claims_after_the_play() -> None:
    game = BattleLine(edition="schotten-totten", tactics=False)
    assert game.claims_at == "end"
    state = position(game, flags={3: "r7,r8/-"}, hands="r9/-")
    assert "claim 3" in legal(play(state, "r9 > 3"))
