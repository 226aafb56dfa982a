"""The picture of Battle Line: sound in every stage of a turn, complete for every move, silent about hidden cards."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean

import pytest

from kibitz.core.game import Move, Player
from kibitz.games.battleline.page import BattleLinePage
from kibitz.games.battleline.page.picture import BY_VALUE
from kibitz.games.battleline.page.steps import steps_of
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import card_name, card_text
from kibitz.games.battleline.rules.moves import DRAW, move_text, take_apart
from kibitz.picture import Group, Picture, Shape, Text, Use
from kibitz.picture.check import problems_of
from kibitz.picture.wire import diff, to_json
from kibitz.testing import random_play

GAME = BattleLine()
PAGE = BattleLinePage(BattleLine)
EDITIONS = (
    GAME,
    BattleLine(edition="schotten-totten"),
    BattleLine(edition="schotten-totten", tactics=False),
    BattleLine(tactics=False),
    BattleLine(claim_timing="end", scout_two=True, leader_limit="in_play"),
)
VIEWERS: tuple[Player | None, ...] = (0, 1, None)
MAX_MEAN_CHANGE = 500
"""Bytes of a change after compression, on average."""
MAX_CHANGE = 1_024
"""Bytes of the largest change after compression: a side is completed, and the next player can only claim or pass."""

TABLE = (
    "turn=42 flags=y2,g2,p2/r5,r8,y3+FOG:1*0|-/b1|p4,b4,y4/p9,y9|SB,g5/p3,p8,p10|y7,o7,b7/-|r10,o10,y10/r1,r6,g10*0|"
    "r7/y5|-/b8,b9,b10:1|y6,b6,o6/o1+MUD discard=REDEPLOY,r2 played=SB,REDEPLOY/FOG,MUD "
    "hands=r3,r9,o5,p7,g6,AL,SCOUT/b2,b3,g1,g3,g4,DA,TRAITOR"
)
"""A position late in a game: Fog at flag 1, Mud at flag 9, two flags claimed, and flag 6 to be claimed."""


def played(game: BattleLine, seeds: range) -> Iterator[tuple[BattleLineState, Sequence[Move]]]:
    """Yield the positions of random games, each with the public move that led to it."""
    for seed in seeds:
        states, moves = random_play(game, seed)
        for state, last in zip(states, [(), *((game.public_move(move),) for move in moves)], strict=True):
            assert isinstance(state, BattleLineState)
            yield state, last


def shape(picture: Picture, key: str) -> Shape:
    return next(each for each in picture.shapes if each.key == key)


def inner(picture: Picture, key: str) -> tuple[Shape, ...]:
    found = shape(picture, key)
    assert isinstance(found, Group)
    return found.shapes


def texts(picture: Picture, key: str) -> list[str]:
    return [each.text for each in inner(picture, key) if isinstance(each, Text)]


def keys(picture: Picture) -> set[str]:
    return {each.key for each in picture.shapes}


def label(picture: Picture, key: str) -> str:
    return next(place.label for place in picture.places if place.key == key)


def place_of(picture: Picture, key: str) -> tuple[float, float]:
    return next((place.x, place.y) for place in picture.places if place.key == key)


# Every stage of a turn


@pytest.mark.parametrize("game", EDITIONS, ids=lambda game: "-".join(map(str, game.options.values())))
def test_every_viewer_gets_a_sound_picture(game: BattleLine) -> None:
    for state, last in list(played(game, range(1)))[::4]:
        for viewer in VIEWERS:
            picture = PAGE.picture(state.view(viewer), last)
            assert problems_of(picture, PAGE.style_text(), PAGE.art_text(), name="battleline") == []


def test_moves_of_all_kinds_are_made_by_steps() -> None:
    kinds, stages = set[int](), set[int]()
    for game in (GAME, EDITIONS[-1]):
        for state, _ in played(game, range(5)):
            picture = PAGE.picture(state.view(state.to_move))
            legal = state.legal_moves()
            assert [move.move for move in picture.moves] == [move_text(move) for move in legal]
            by_steps = {move.path: move.move for move in picture.moves}
            assert by_steps == {PAGE.steps(state.view(0), move): move_text(move) for move in legal}
            kinds |= {take_apart(move).kind for move in legal}
            stages.add(state.stage)
            for viewer in (1 - state.to_move, None):
                assert PAGE.picture(state.view(viewer)).moves == ()
    assert len(kinds) == 10  # claim, place, Scout, pass, done, draw, return, Deserter, Traitor, Redeploy
    assert stages == set(range(5))


def test_moves_of_one_step_and_scout_are_buttons_too() -> None:
    picture = PAGE.picture(GAME.parse_position(TABLE).view(0))
    assert [(each.label, each.move) for each in picture.buttons] == [
        ("Claim flag 6", "claim 6"),
        ("Play Scout", "scout"),
    ]
    assert picture.prompt == "Choose a card, or claim a flag"
    drawing = GAME.parse_position(TABLE).play(GAME.parse_move("r3 > 7"))
    assert [each.label for each in PAGE.picture(drawing.view(0)).buttons] == ["Draw a Troop", "Draw a Tactics card"]


@pytest.mark.parametrize(
    ("move", "steps"),
    [
        ("r8 > 3", ("r8", "3")),
        ("fog > 2", ("FOG", "2")),
        ("scout", ("SCOUT", "discard")),
        ("deserter o5@3", ("DESERTER", "o5")),
        ("traitor o5@3 > 5", ("TRAITOR", "o5", "5")),
        ("redeploy r4@2 > 7", ("REDEPLOY", "r4", "7")),
        ("redeploy r4@2 > discard", ("REDEPLOY", "r4", "discard")),
        ("return r5", ("r5", "deck 0")),
        ("return AL", ("AL", "deck 1")),
        ("draw tactics", ("deck 1",)),
        ("claim 4", ("claim 4",)),
        ("pass", ("pass",)),
        ("done", ("done",)),
    ],
)
def test_steps(move: str, steps: tuple[str, ...]) -> None:
    assert steps_of(GAME.parse_move(move)) == steps
    public = steps_of(GAME.public_move(GAME.parse_move(move)))
    assert public == (steps[1:] if move.startswith("return") else steps)  # the deck alone


# What is hidden


@pytest.mark.parametrize("game", EDITIONS, ids=lambda game: "-".join(map(str, game.options.values())))
def test_nothing_depends_on_hidden_cards(game: BattleLine) -> None:
    rng, scouted = random.Random(3), 0
    for state, last in list(played(game, range(2)))[::6]:
        for viewer in VIEWERS:
            view = state.view(viewer)
            other = view.sample(rng).view(viewer)
            scouted += viewer is not None and bool(state.known[viewer])
            assert PAGE.picture(other, last) == PAGE.picture(view, last)
            assert PAGE.overlay(other) == PAGE.overlay(view)
            assert PAGE.panels(other) == PAGE.panels(view)
            assert PAGE.notes(other) == PAGE.notes(view)
    assert scouted or game != GAME


def test_hidden_cards_are_not_named() -> None:
    """Worked out from the state, not from the view: no key, label or text names a card that the viewer cannot know."""
    named = {word: card for card in GAME.all_cards for word in (card_text(card), card_name(card))}
    pattern = re.compile(rf"\b({'|'.join(sorted(named, key=len, reverse=True))})\b")
    checked = 0
    for state, last in list(played(GAME, range(3)))[::3]:
        for viewer in VIEWERS:
            known = set(state.face_up).union(*state.played)
            if viewer is not None:
                known |= {*state.hands[viewer], *state.known[viewer]}
            picture = PAGE.picture(state.view(viewer), last)
            words = json.dumps([to_json(picture), PAGE.notes(state.view(viewer))], ensure_ascii=False)
            words = re.sub(r"\b(Red|Orange|Yellow|Green|Blue|Purple) ", lambda found: found[0].lower(), words)
            told = {named[word] for word in pattern.findall(words)}
            checked += len(told)
            assert told <= known
    assert checked > 1000


def test_unknown_cards_have_keys_that_count() -> None:
    start = GAME.start(4)
    picture = PAGE.picture(start.view(0))
    assert {key for key in keys(picture) if key.startswith("theirs")} == {f"theirs 0 {i}" for i in range(7)}
    spectated = PAGE.picture(start.view(None))
    assert {key for key in keys(spectated) if key.startswith("own")} == {f"own 0 {i}" for i in range(7)}
    assert not keys(spectated) & {card_text(card) for card in GAME.all_cards}


def test_scout_shows_its_player_alone_what_was_put_back() -> None:
    state = GAME.parse_position(TABLE)
    for text in ("scout", "draw troop", "draw troop", "draw troop"):
        state = state.play(GAME.parse_move(text))
    assert PAGE.picture(state.view(0)).prompt == "Choose a card to put back, 2 more"
    after = state.play(GAME.parse_move("return r3")).play(GAME.parse_move("return o5"))
    mine, theirs = PAGE.picture(after.view(0)), PAGE.picture(after.view(1))
    assert {"r3", "o5"} <= keys(mine)
    assert not {"r3", "o5"} & keys(theirs)
    assert label(mine, "deck 0") == "Troops deck, 14 left; you put orange 5 and red 3 on top"
    assert label(theirs, "deck 0") == "Troops deck, 14 left"
    drawn = after.play(GAME.parse_move("b2 > 7")).play(GAME.parse_move("draw troop"))
    assert label(PAGE.picture(drawn.view(0)), "o5") == "Orange 5 (in your opponent's hand)"


def test_both_hands_are_open_after_the_end() -> None:
    state = next(state for state, _ in played(GAME, range(1)) if state.outcome() is not None)
    held = {card_text(card) for hand in state.hands for card in hand}
    assert not held <= keys(PAGE.picture(state.view(None)))
    for viewer in VIEWERS:
        picture = PAGE.picture(state.view(viewer), whole=state)
        assert held <= keys(picture)
        assert not [key for key in keys(picture) if key.startswith(("theirs", "own "))]
        assert problems_of(picture, PAGE.style_text(), PAGE.art_text(), name="battleline") == []


# What is seen


def test_both_players_see_their_own_side_below() -> None:
    state = GAME.parse_position(TABLE)
    for viewer, (below, above) in ((0, ("r7", "y5")), (1, ("y5", "r7"))):
        picture = PAGE.picture(state.view(viewer))
        assert place_of(picture, below)[1] > 290
        assert place_of(picture, above)[1] < 210


def test_claimed_flags_move_to_the_winner_who_covers_the_lost_side() -> None:
    picture = PAGE.picture(GAME.parse_position(TABLE).view(0))
    assert shape(picture, "claim 1").style == "flag second"
    assert shape(picture, "claim 1").y == shape(picture, "claim 2").y - 15
    assert [each.symbol for each in inner(picture, "claim 1") if isinstance(each, Use)] == ["battleline-nought"]
    assert {key for key in keys(picture) if key.startswith("veil")} == {"veil 1", "veil 8"}
    assert shape(picture, "veil 1").y > 290
    assert label(picture, "claim 1") == "Flag 1, claimed by your opponent"


def test_complete_sides_are_worth_something() -> None:
    picture = PAGE.picture(GAME.parse_position(TABLE).view(0))
    assert texts(picture, "worth 6 0") == ["phalanx 30", "P30", "1"]  # completed first
    assert texts(picture, "worth 6 1") == ["host 17", "H17"]
    assert "worth 9 0" not in keys(picture)  # Mud: three cards of four
    assert label(picture, "6") == (
        "Flag 6: your side red 10, orange 10 and yellow 10, phalanx 30, completed first; "
        "your opponent's side red 1, red 6 and green 10, host 17"
    )


def test_fog_and_mud_lie_beside_their_flags() -> None:
    picture = PAGE.picture(GAME.parse_position(TABLE).view(0))
    assert label(picture, "FOG") == "Fog: at this flag only the sums count"
    assert {"haze 1", "FOG", "MUD"} <= keys(picture)
    slots = {each.symbol for each in picture.shapes if isinstance(each, Use) and each.key in ("flag 9", "slots 9")}
    assert slots == {"battleline-slots-4"}


def test_the_last_turn_is_marked() -> None:
    state = GAME.parse_position(TABLE)
    last = [GAME.parse_move("g10 > 6"), GAME.parse_move("claim 8"), DRAW]
    picture = PAGE.picture(state.view(0), last)
    marked = {each.key for each in picture.shapes if "last" in each.style.split()}
    assert marked == {"g10", "claim 8", "deck 0"}


def test_tactics_that_must_wait_are_locked() -> None:
    text = TABLE.replace("SB,REDEPLOY/", "SB,REDEPLOY,CC/").replace("y7,o7,b7/-", "y7,o7,CC/-")
    picture = PAGE.picture(GAME.parse_position(text).view(0))
    assert {"lock AL", "lock SCOUT"} <= keys(picture)
    assert shape(picture, "AL").style == "card tactics held idle"
    assert label(picture, "SCOUT").endswith("(not before your opponent has played a Tactics card)")
    assert "their lock" in keys(PAGE.picture(GAME.parse_position(text).view(1)))
    assert PAGE.notes(GAME.parse_position(text).view(1)) == ("CC, SB, Re; waits", "Fo, Mu")


def test_the_edition_is_printed_on_the_cards() -> None:
    game = BattleLine(edition="schotten-totten")
    text = "turn=0 hands=r1,r2,r3,r4,r5,AL,CC/o1,o2,o3,o4,o5,o6,o7"
    picture = PAGE.picture(game.parse_position(text).view(0))
    assert "1–9" in texts(picture, "AL")
    assert label(picture, "CC") == "Companion Cavalry: any colour, with the value 7"


def test_the_hand_can_be_sorted_by_value() -> None:
    picture = PAGE.picture(GAME.parse_position(TABLE).view(0))
    hand = {"r3", "r9", "o5", "p7", "g6", "AL", "SCOUT"}
    by_colour = sorted(hand, key=lambda key: shape(picture, key).x)
    by_value = sorted(hand, key=lambda key: shape(picture.views[BY_VALUE], key).x)
    assert by_colour == ["r3", "r9", "o5", "g6", "p7", "AL", "SCOUT"]
    assert by_value == ["r3", "o5", "g6", "p7", "r9", "AL", "SCOUT"]


def test_a_drawn_card_comes_from_its_deck_and_a_played_one_from_the_hand() -> None:
    state = GAME.parse_position(TABLE)
    assert shape(PAGE.picture(state.view(0)), "r3").born == "deck 0"
    assert shape(PAGE.picture(state.view(0)), "AL").born == "deck 1"
    assert shape(PAGE.picture(state.view(0)), "g10").born == "their hand"
    assert shape(PAGE.picture(state.view(None)), "r7").born == "own hand"


def test_the_cover_is_a_position_and_options_are_explained() -> None:
    options, text = PAGE.cover
    assert PAGE.picture(BattleLine(**options).parse_position(text).view(None)).moves == ()
    assert set(PAGE.options) == set(GAME.options)


# Sizes


def compressed(thing: object) -> int:
    return len(gzip.compress(json.dumps(thing, separators=(",", ":"), ensure_ascii=False).encode(), 6))


def test_changes_are_small() -> None:
    sizes = list[int]()
    for seed in (0, 1, 2, 16, 31, 81, 117, 156):  # the last five have the largest changes of 160 games
        states = list(played(GAME, range(seed, seed + 1)))
        for viewer in VIEWERS:
            for before, after in pairwise(PAGE.picture(state.view(viewer), last) for state, last in states):
                change = diff(before, after)
                assert change is not None
                sizes.append(compressed(change))
    assert len(sizes) > 2500
    assert mean(sizes) < MAX_MEAN_CHANGE
    assert max(sizes) < MAX_CHANGE


def test_no_move_ends_within_the_steps_of_another() -> None:
    for state, _ in played(GAME, range(3)):
        steps = [move.steps or (move.move,) for move in PAGE.picture(state.view(state.to_move)).moves]
        assert not [one for one in steps for other in steps if one != other and other[: len(one)] == one]
