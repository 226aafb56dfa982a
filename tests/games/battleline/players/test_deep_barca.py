"""Deep Barca: what it plays, by the rules of the paper and by what the paper left open; promises of an agent."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest

import kibitz
from kibitz.core.errors import BadOption
from kibitz.games.battleline.players.deep_barca.agent import DeepBarca, PlainDeepBarca
from kibitz.games.battleline.players.deep_barca.chances import LITERAL
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules.cards import TACTICS, parse_card, parse_cards
from kibitz.games.battleline.rules.moves import move_text
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag

TROOPS_ONLY = BattleLine(tactics=False)
READINGS = ["best", "literal"]


def position(
    flags: dict[int, tuple[str, str]], hand: str, game: BattleLine = TROOPS_ONLY,
    owners: dict[int, int] | None = None, **more: Any,
) -> BattleLineState:  # fmt: skip
    """Return a position with these sides, the own one first, and this hand; the rest is dealt in order."""
    found = [Flag()] * 9
    for number, sides in flags.items():
        mine, theirs = (tuple(sorted(parse_cards(cards))) for cards in sides)
        first = 0 if len(mine) == 3 else 1 if len(theirs) == 3 else NOBODY
        found[number - 1] = Flag((mine, theirs), owner=(owners or {}).get(number, NOBODY), first=first)
    there = [card for flag in found for cards in flag.sides for card in cards]
    held = tuple(sorted(parse_cards(hand)))
    troops = [card for card in game.cards.troops if card not in there and card not in held]
    tactics = [card for card in TACTICS if card not in held] if game.tactics else []
    hands = (held, tuple(troops[: game.hand_size]))
    decks = (tuple(troops[game.hand_size :]), tuple(tactics))
    state = BattleLineState(
        game, tuple(found), (), ((), ()), 2 * len(there), stages.PLAY, 0, 0, stages.IN_PROGRESS, hands, decks, ((), ())
    )
    return replace(state, **more)


def player(game: BattleLine, reading: str) -> DeepBarca:
    return DeepBarca(game, reading="literal" if reading == "literal" else "best")


def chosen(state: BattleLineState, **options: Any) -> str:
    return move_text(DeepBarca(state.game, **options).choose(state.view(0)).move)


# 4.2: what emerged


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("hand", ["r8 b10 g1 y2 o3 p1 y4", "b8 g10 r1 r5 o2 p3 y6"])
def test_early_an_eight_is_preferred_to_a_ten(reading: str, hand: str) -> None:
    eight, ten = hand.split()[:2]
    choice = player(TROOPS_ONLY, reading).choose(position({}, hand).view(0))
    values = {move_text(move.move): move.value for move in choice.moves}
    assert move_text(choice.move).startswith(eight)
    assert all(values[f"{eight} > {f}"] > values[f"{ten} > {f}"] for f in range(1, 10))


@pytest.mark.parametrize("reading", READINGS)
def test_a_low_skirmish_that_only_the_third_seven_beats(reading: str) -> None:
    sides = {
        1: ("g8 g9 g10", "y7"), 2: ("p2", "y8 y9 y10"), 3: ("o9 o10", "y5"), 4: ("r1", "b8 b9 b10"),
        5: ("r5 r6", "g7 o7"), 6: ("p1", "p8 p9 p10"), 7: ("g4 g5", "p5"), 8: ("r8 r9 r10", "r7"),
        9: ("y4 b6 o8", "p7"),
    }  # fmt: skip
    state = position(sides, "b1 b2 b3 b4 y1 y2 y3", owners={1: 0, 2: 1, 4: 1, 6: 1, 8: 0})
    assert parse_card("r4") in state.decks[0] + state.hands[1]  # the wedge was still to be had
    assert chosen(state, reading=reading) == "b4 > 5"


# 3.5 and 3.6: flags about to be lost, and Tactics


LOST = {5: ("g1 o2", "r8 r9 r10"), 2: ("y5 y6", "b4"), 3: ("p8", "b6")}


@pytest.mark.parametrize("reading", READINGS)
def test_it_discards_what_they_want_on_a_flag_about_to_be_lost(reading: str) -> None:
    # b5 would make their b4 and b6 wedges; y4 and y7 would make the own one; o1 nobody wants
    state = position(LOST, "b5 y4 y7 o1 r1 g5 p10")
    choice = player(TROOPS_ONLY, reading).choose(state.view(0))
    assert move_text(choice.move) == "b5 > 5"
    assert "about to be lost" in choice.note


@pytest.mark.parametrize("reading", READINGS)
def test_it_claims_first_and_the_flag_that_wins(reading: str) -> None:
    sides = {1: ("r8 r9 r10", ""), 4: ("g8 g9 g10", ""), 6: ("b8 b9 b10", ""), 5: ("y8 y9 y10", "")}
    state = position(sides, "r1 r2 r3 o1 o2 o3 y1", owners={4: 0, 6: 0})
    choice = player(TROOPS_ONLY, reading).choose(state.view(0))
    assert move_text(choice.move) == "claim 5"
    assert choice.value == 1.0


def test_a_tactics_card_that_saves_the_game_is_played_by_rule() -> None:
    sides = {4: ("", "b8 b9 b10"), 5: ("g9 g10", "r8 r9 r10"), 6: ("", "y8 y9 y10"), 9: ("p3", "p4")}
    state = position(sides, "FOG r1 r2 r3 o1 o2 o3", game=BattleLine(), owners={4: 1, 6: 1})
    for options in ({"reading": "literal"}, {"tactics": "worth"}, {}):
        assert chosen(state, **options) == "fog > 5"  # g9 g10 and anything: 20 to 29 against 27
    safe = replace(state, flags=(*state.flags[:4], Flag(), *state.flags[5:]))
    assert chosen(replace(safe, turn=state.turn), reading="literal") != "fog > 5"


def test_no_tactics_card_is_played_without_need_by_the_paper() -> None:
    state = position({5: ("r9 r10", "b4")}, "AL r1 r2 r3 o1 o2 o3", game=BattleLine())
    assert not chosen(state, reading="literal").startswith("AL")


@pytest.mark.parametrize(
    ("theirs", "hand", "opponent", "deck"),
    [
        ("r8 r9 r10", "r1 r2 r3 o1 o2 o3", 0, "tactics"),  # it can be claimed already
        ("r8 r9", "r1 r2 r3 o1 o2 o3", 0, "tactics"),  # r10 would do it
        ("r4 b9", "r1 r2 r3 o1 o2 o3", 0, "troop"),  # no card makes that sure
        ("r8 r9", "AL r2 r3 o1 o2 o3", 1, "troop"),  # one is enough
        ("r8 r9", "AL r2 r3 o1 o2 o3", 2, "tactics"),  # unless he has two
        ("r8 r9", "SB r2 r3 o1 o2 o3", 1, "tactics"),  # or the own one is less useful
    ],
)
def test_tactics_are_drawn_by_rule(theirs: str, hand: str, opponent: int, deck: str) -> None:
    state = position({5: ("g1", theirs)}, hand, game=BattleLine(), stage=stages.DRAW)
    tactics = state.decks[1][:opponent]
    hands = (state.hands[0], (*state.hands[1][: 7 - opponent], *tactics))
    state = replace(state, hands=hands, decks=(state.decks[0], state.decks[1][opponent:]))
    assert chosen(state, draws="paper") == f"draw {deck}"


def test_no_tactics_card_is_drawn_that_could_not_be_played() -> None:
    state = position({5: ("g1 AL", "r8 r9")}, "r1 r2 r3 o1 o2 o3", game=BattleLine(), stage=stages.DRAW)
    ahead = replace(state, played=(parse_cards("AL"), ()))
    for options in ({"draws": "paper"}, {"draws": "worth"}):
        assert chosen(ahead, **options) == "draw troop"


def test_scout_puts_back_a_leader_that_is_dead() -> None:
    game = BattleLine()
    state = position({5: ("AL", "r8")}, "DA r1 r2 r3 o1 o2 o3 y1 y2", game=game)
    state = replace(
        state, stage=stages.NAMES.index("return"), left=2, played=(parse_cards("AL SCOUT"), parse_cards("MUD"))
    )
    assert chosen(state) == "return DA"


# 5: what the paper left open


def test_flags_about_to_be_lost_count_together() -> None:
    """Flags 5 and 6 lose the game with 4, neither of them alone. Only the one ten left wins flag 5 in the Fog."""
    sides = {4: ("", "b8 b9 b10"), 5: ("g8 p10", "r8 r9 r10"), 6: ("p1", "y8 y9 y10"), 9: ("o1 g10", "p4")}
    state = position(sides, "FOG r1 r2 r3 o3 o4 o5", game=BattleLine(), owners={4: 1})
    assert chosen(state, together=True) == "fog > 5"
    assert chosen(state, reading="literal", together=True) == "fog > 5"
    assert not chosen(state, together=False).startswith("fog")
    assert not chosen(state, reading="literal").startswith("fog")


def test_two_tactics_are_played_in_a_row_where_the_limit_allows() -> None:
    sides = {3: ("r9", "b9 b10"), 4: ("", "y6"), 5: ("g1", "p6 p7")}
    state = position(sides, "AL CC r1 r2 o3 o4 y1", game=BattleLine(), played=((), parse_cards("MUD")))
    both = DeepBarca(state.game, combine=True).choose(state.view(0))
    assert move_text(both.move).split()[0] in ("AL", "CC")
    assert re.fullmatch("Worth playing together with (AL|CC).", both.note)
    assert not chosen(state).startswith(("AL", "CC"))  # no flag is about to be lost
    even = replace(state, played=((), ()))
    assert not chosen(even, combine=True).startswith(("AL", "CC"))  # the second could not be played at once


@pytest.mark.parametrize("theirs", ["r8 r9", "r4 b9", ""])
def test_decks_are_weighed_by_what_they_bring(theirs: str) -> None:
    state = position({5: ("g1", theirs)}, "r1 r2 r3 o1 o2 o3", game=BattleLine(), stage=stages.DRAW)
    choice = DeepBarca(state.game, draws="worth").choose(state.view(0))
    tactics, troop = (float(found) for found in re.findall(r"(-?\d+\.\d) %", choice.note))
    assert tactics > 0  # a Leader alone is worth something
    assert move_text(choice.move) == ("draw tactics" if tactics > troop else "draw troop")


# Promises of an agent


@pytest.mark.parametrize("reading", READINGS)
def test_the_choice_does_not_depend_on_what_is_hidden(reading: str) -> None:
    game = BattleLine()
    agent, mover, rng = player(game, reading), kibitz.agent(game, "random", 5), random.Random(6)
    state, looked = game.start(8), 0
    while state.result == stages.IN_PROGRESS:
        view = state.view(state.to_move)
        if rng.random() < 0.2:
            looked += 1
            other = view.sample(rng)
            assert other != state or view.sizes[0] < 2
            assert agent.choose(other.view(state.to_move)).move == agent.choose(view).move
        state = state.play(mover.choose(view).move)
    assert looked > 8


@pytest.mark.parametrize(
    "game",
    [BattleLine(scout_two=True), BattleLine(claim_timing="end"), BattleLine(edition="schotten-totten")],
    ids=["start", "end", "schotten-totten"],
)
def test_it_plays_whole_games(game: BattleLine) -> None:
    agents = [kibitz.agent(game, "deep-barca"), kibitz.agent(game, "random")]
    won, seen = 0, set[int]()
    for seed in range(4):
        state = game.start(seed)
        agents[1].reset(seed)
        while state.result == stages.IN_PROGRESS:
            player = (state.to_move + seed) % 2
            seen |= {state.stage} if player == 0 else set()
            choice = agents[player].choose(state.view(state.to_move))
            if player == 0:
                assert [move.move for move in choice.moves] == list(state.legal_moves())
                assert choice.note
                assert choice.value is not None
                assert 0 <= choice.value <= 1
            state = state.play(choice.move)
        won += state.result - 1 == seed % 2
    assert won >= 3
    assert {stages.PLAY, stages.DRAW} <= seen


@pytest.mark.parametrize(
    "option",
    ["formations=0", "formations=-3", "formations=many", "reading=better", "tactics=never", "draws=both",
     "conflicts=perhaps", "together=2", "combine=", "ahead=one", "depth=3"],
)  # fmt: skip
def test_bad_options_are_refused(option: str) -> None:
    name, value = option.split("=")
    words = f"formations must be 1 or more, got {value}" if value in ("0", "-3") else name
    for agent in ("deep-barca", "plain-deep-barca"):
        with pytest.raises(BadOption, match=words):
            kibitz.agent("battleline", f"{agent}({option})")


def test_options_are_set() -> None:
    agent = kibitz.agent("battleline", "deep-barca(reading=literal,formations=6,conflicts=false,draws=worth)")
    assert isinstance(agent, DeepBarca)
    assert agent.reading == replace(LITERAL, formations=6, conflict=0.0)
    assert (agent.tactics, agent.draws, agent.together) == ("paper", "worth", False)
    assert issubclass(PlainDeepBarca, DeepBarca)


def test_its_note_says_what_it_aims_for() -> None:
    note = DeepBarca(TROOPS_ONLY).choose(position({5: ("r9", "b4")}, "r8 o1 o2 y1 y2 g1 g2").view(0)).note
    assert re.fullmatch(r"Aims for wedge \d+, \d+ % to make. Flag \d: \d+ %. The game: \d+ %.", note)
