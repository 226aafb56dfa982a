"""Random games of Battle Line under every set of options: cards conserved, rare events reached, kernel in lockstep."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kibitz.games.battleline.evaluate import EVALUATIONS
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import CARDS, FOG, MUD, TACTICS, card_text, is_troop
from kibitz.games.battleline.rules.open_cards import NOBODY
from kibitz.testing import random_game
from kibitz.testing.compiled import advance, describe

OPTIONS: list[dict[str, Any]] = [
    {},
    {"tactics": False},
    {"tactics": False, "claim_timing": "end"},
    {"edition": "schotten-totten", "tactics": False},
    {"leader_limit": "in_play", "claim_timing": "end", "unfillable": False},
    {"scout_two": True, "stuck_draw": True},
]


def games(options: dict[str, Any], seeds: range) -> list[tuple[BattleLineState, ...]]:
    return [random_game(BattleLine(**options), seed) for seed in seeds]


def places(state: BattleLineState) -> list[int]:
    """Return every card wherever it is."""
    cards = [*state.hands[0], *state.hands[1], *state.decks[0], *state.decks[1], *state.discards]
    for flag in state.flags:
        cards += [*flag.sides[0], *flag.sides[1], *[FOG] * flag.fog, *[MUD] * flag.mud]
    return sorted(cards)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_no_card_is_lost_and_every_limit_is_kept(options: dict[str, Any]) -> None:
    game = BattleLine(**options)
    for states in games(options, range(8)):
        for state in states:
            assert places(state) == list(game.all_cards)
            assert abs(len(state.played[0]) - len(state.played[1])) <= 1
            assert max(map(len, state.hands)) <= game.hand_size + 2
            for flag in state.flags:
                complete = [player for player in (0, 1) if flag.is_complete(player)]
                assert (flag.first in complete) if complete else flag.first == NOBODY
                assert all(len(side) <= (4 if flag.mud else 3) for side in flag.sides)
                assert list(flag.sides[0]) == sorted(flag.sides[0])
        for before, after in itertools.pairwise(states):
            assert after.face_up >= before.face_up, "what is face up stays so"
            assert all(now.owner == then.owner for then, now in zip(before.flags, after.flags, strict=True)
                       if then.owner != NOBODY)  # fmt: skip


@pytest.mark.checked
@pytest.mark.parametrize("options", OPTIONS[1:], ids=str)
def test_kernel_and_rules_agree_with_other_options(options: dict[str, Any]) -> None:
    """The verdicts are kept along the game here; the contract suite forgets them with every undo."""
    game, moves = BattleLine(**options), np.zeros(kernel.MAX_LEGAL_MOVES, np.int64)
    out = np.zeros(4 + len(EVALUATIONS.known), np.int64)
    for seed in range(100, 104):
        rng, state = random.Random(seed), game.start(seed)
        pos = kernel.pack(state)
        while True:
            n = describe(pos, moves, out)
            assert tuple(moves[:n].tolist()) == state.legal_moves()
            assert pos.words.tolist() == kernel.pack(state).words.tolist()  # type: ignore[attr-defined]  # an array
            if not n:
                break
            move = rng.choice(state.legal_moves())
            state = state.play(move)
            advance(pos, move)
        assert kernel.unpack(pos, game) == state


def events(states: Sequence[BattleLineState]) -> Counter[str]:
    """Count what happens rarely in one game."""
    found: Counter[str] = Counter()
    for before, after in itertools.pairwise(states):
        move = after.log[-1]
        kind, _, source, target = parts = (
            numbers.take_apart(move) if move < kernel.MOVES else numbers.Parts(numbers.RETURN)
        )
        me, flag = before.to_move, before.flags[target if 0 <= target < 9 else 0]
        if parts.played >= 60:
            found[f"play {card_text(parts.played)}"] += 1
        if kind == numbers.CLAIM:
            both = flag.is_complete(0) and flag.is_complete(1)
            proof = before.proof(target, me)
            found["claim with a wild card"] += any(not is_troop(c) for c in flag.sides[me])
            found["claim against a wild card"] += any(not is_troop(c) for c in flag.sides[1 - me])
            found["claim by a tie"] += proof.mine == proof.theirs
            found["claim by first completion"] += both and proof.mine == proof.theirs
            found["claim against an incomplete side"] += not both
            found["claim in Fog"] += flag.fog
            found["claim in Mud"] += flag.mud
        found["Mud with Fog"] += any(f.fog and f.mud for f in after.flags) and kind == numbers.PLACE
        found["pass"] += kind == numbers.PASS
        found["done"] += kind == numbers.DONE
        found["return"] += kind == numbers.RETURN
        found["traitor at its own flag"] += source == target >= 0
        found["redeploy to the discard"] += kind == numbers.USE_REDEPLOY and target == numbers.DISCARD
        found["first changes hands"] += any(
            NOBODY not in (a.first, b.first) and a.first != b.first
            for a, b in zip(before.flags, after.flags, strict=True)
        )
        found["known card drawn"] += kind == numbers.DRAW and any(c in after.hands[me] for c in after.known[1 - me])
        found["empty Troop deck"] += not after.decks[0] and bool(before.decks[0])
        found["both decks empty"] += not any(after.decks) and any(before.decks)
        found["forced Tactics draw"] += kind == numbers.DRAW and not before.decks[0]
    outcome = states[-1].outcome()
    assert outcome is not None
    found[outcome.reason.partition(",")[0]] += 1
    found["won by the second"] += outcome.winner == 1
    return found


def test_rare_events_are_reached() -> None:
    found: Counter[str] = Counter()
    for states in games({}, range(60)):
        found += events(states)
    for card in TACTICS:
        assert found[f"play {card_text(card)}"] >= 15, card_text(card)
    for event, least in {
        "claim with a wild card": 20, "claim against a wild card": 15, "claim by a tie": 1, "claim in Fog": 10,
        "claim in Mud": 5, "claim against an incomplete side": 30, "Mud with Fog": 5, "pass": 40, "return": 30,
        "traitor at its own flag": 2, "redeploy to the discard": 3, "first changes hands": 1, "known card drawn": 8,
        "empty Troop deck": 40, "both decks empty": 40, "three flags in a row": 15, "five flags": 5,
        "both players passed": 10, "won by the second": 10,
    }.items():  # fmt: skip
        assert found[event] >= least, (event, found[event])


def test_rarer_events_are_reached_under_other_options() -> None:
    found: Counter[str] = Counter()
    for states in games({"tactics": False, "claim_timing": "end"}, range(70)):
        found += events(states)
    assert found["claim by first completion"] >= 1
    assert found["done"] >= 30


def test_all_cards_are_used() -> None:
    assert len(BattleLine().all_cards) == CARDS == 70
    assert len(BattleLine(edition="schotten-totten").all_cards) == 64
    assert len(BattleLine(tactics=False).all_cards) == 60
