"""What the page is given of Battle Line: notations, the steps of moves, claims, outs and chances."""

from __future__ import annotations

import random

import pytest

from kibitz.games.battleline import chances, page
from kibitz.games.battleline.page import layer, scene
from kibitz.games.battleline.rules import BattleLine

GAME = BattleLine()


def test_notations_are_read_again() -> None:
    rng, states, moves = random.Random(2), [GAME.start(4)], list[int]()
    while states[-1].outcome() is None and len(moves) < 60:
        moves.append(rng.choice(states[-1].legal_moves()))
        states.append(states[-1].play(moves[-1]))
    for notation in ("moves", "record"):
        text = page.write(states, moves, notation)
        for named in (notation, None):
            start, found = page.read(GAME, text, named)
            assert (start, found) == (states[0], tuple(moves))
    assert page.read(GAME, page.write(states, moves, "position"), None) == (states[-1], ())


def test_steps_make_each_legal_move_in_one_way_only() -> None:
    kinds = set[str]()
    for seed in range(6):
        state, rng = GAME.start(seed), random.Random(seed)
        while state.outcome() is None:
            shown = scene(state.view(state.to_move))
            steps = [tuple(each["steps"]) for each in shown["legal"]]
            assert [each["move"] for each in shown["legal"]] == [GAME.move_text(move) for move in state.legal_moves()]
            assert len(set(steps)) == len(steps)
            assert not [a for a in steps for b in steps if a != b and b[: len(a)] == a]  # none ends within another
            kinds |= {step.split()[0] for each in steps for step in each}
            state = state.play(rng.choice(state.legal_moves()))
    assert kinds == {"card", "flag", "at", "deck", "discard", "claim", "pass"}


def test_claims_chances_and_outs_of_a_worked_position() -> None:
    """C7 and C14 of the rule sheet: b8 beats three nines, p7 makes the phalanx that beats a battalion."""
    state = GAME.parse_position(
        "turn=20 flags=r9,o9,g9/b6,b7|p5,p9,p10/r7,g7|r8,r10/-|-/-|-/-|-/-|-/-|-/-|-/- discard=b5,DESERTER "
        "played=-/DESERTER hands=b8,r1,r2,r3,r4,r5,r6/o1,o2,o3,o4,o5,o6,y1"
    )
    flags = scene(state.view(0))["flags"]
    first = flags[0]["claims"][0]
    assert (first["claim"], first["cards"], first["mine"], first["theirs"]) == (False, ["b8"], "phalanx 27", "wedge 21")
    assert flags[1]["claims"][0]["claim"] is False
    assert flags[1]["claims"][0]["theirs"] == "phalanx 21"
    seen = layer(state.view(0))
    assert "b8" not in seen["outs"]["1"][1]["wins"]  # it is in the viewer's own hand, which the other cannot draw
    public = layer(state.view(None))
    assert "b8" in public["outs"]["1"][1]["wins"]  # for who does not know that, it proves the claim of the other
    assert public["outs"]["3"][0]["wins"] == []  # the nine lies on flag 1
    assert seen["player"] == 0
    assert 0 < seen["chance"] < 1


def test_the_chance_of_the_game_from_even_flags() -> None:
    """BATTLE LINE facts: at 0.6 for every flag the game is won with 0.7141, at 0.5 with a half."""
    assert chances.game_chance([0.5] * 9) == pytest.approx(0.5)
    assert chances.game_chance([0.6] * 9) == pytest.approx(0.7141, abs=5e-5)
    assert chances.game_chance([1.0] * 3 + [0.0] * 6) == 0.5  # three in a row, but the other has five
    assert chances.game_chance([1.0] * 5 + [0.0] * 4) == 0.5
    assert chances.game_chance([0.0] * 9) == 0.0
