"""Formations and claims: the worked cases of the rule sheet, and brute force over random ones."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.battleline import naive
from kibitz.compiled.jit import entry
from kibitz.core.errors import BadText
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.kernel.layout import FOG_BIT, MUD_BIT, SEEN
from kibitz.games.battleline.kernel.proof import complete
from kibitz.games.battleline.kernel.proof import prove as prove_compiled
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules.cards import SCHOTTEN_TOTTEN, card_text, parse_card, parse_cards
from kibitz.games.battleline.rules.formations import RANKS, Proof, best_completion, prove, score, unseen_troops
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag

CASES = json.loads((Path(__file__).parents[3] / "data" / "battleline_cases.json").read_text())


def fog_and_mud(flag: str) -> tuple[bool, bool]:
    return "Fog" in flag, "Mud" in flag


def told(found: Any) -> dict[str, Any] | None:
    return None if found is None else {"rank": RANKS[found.rank], "sum": found.sum}


@pytest.mark.parametrize("case", CASES["formations"], ids=lambda case: case["id"])
def test_formations_of_the_rule_sheet(case: dict[str, Any]) -> None:
    fog, mud = fog_and_mud(case["flag"])
    cards = parse_cards(case["cards"])
    expected = {"rank": case["rank"], "sum": case["sum"]}
    assert told(score(cards, fog, mud)) == expected
    assert told(score(cards[::-1], fog, mud)) == expected
    rank, total = naive.worth(tuple(map(naive.read, case["cards"].split())), fog)
    assert {"rank": naive.ORDER[rank], "sum": total} == expected


def judged(case: dict[str, Any]) -> Proof:
    fog, mud = fog_and_mud(case["flag"])
    mine, theirs = parse_cards(case["mine"]), parse_cards(case["theirs"])
    visible = () if case["visible"] == "ALL" else parse_cards(case["visible"])
    unseen = frozenset[int]() if case["visible"] == "ALL" else unseen_troops((*mine, *theirs, *visible))
    return prove(mine, theirs, unseen, fog, mud, case["first"] == "mine")


@pytest.mark.parametrize("case", CASES["claims"], ids=lambda case: case["id"])
def test_claims_of_the_rule_sheet(case: dict[str, Any]) -> None:
    proof = judged(case)
    assert proof.claim == case["claim"]
    assert told(proof.mine) == case["mine_score"]
    assert told(proof.theirs) == case["theirs_score"]
    assert proof.why.endswith(".")


@pytest.mark.parametrize(
    ("case", "cards"), [("C2", "r10 r9 r8"), ("C7", "b8"), ("C14", "p7"), ("C17", "o8"), ("C20", "r10")]
)
def test_a_failed_claim_names_cards_that_do_beat_it(case: str, cards: str) -> None:
    """The expected cards were found by hand; another best completion may do as well, but must beat the claim too."""
    found = next(row for row in CASES["claims"] if row["id"] == case)
    proof, (fog, mud) = judged(found), fog_and_mud(found["flag"])
    assert proof.theirs is not None
    assert proof.mine is not None
    side = (*parse_cards(found["theirs"]), *proof.cards)
    assert score(side, fog, mud) == proof.theirs > proof.mine
    assert score((*parse_cards(found["theirs"]), *parse_cards(cards)), fog, mud) == proof.theirs
    assert all(card_text(card) in proof.why for card in proof.cards)


@pytest.mark.parametrize(
    ("cards", "fog", "mud", "expected"),
    [
        ("AL CC SB", True, False, "host 21"),
        ("AL b2 b3", True, False, "host 15"),
        ("AL DA r9", False, False, "wedge 27"),
        ("AL DA CC SB", False, True, "battalion 31"),
        ("r10 r2 AL", False, False, "battalion 22"),
        ("r8 CC AL", False, False, "phalanx 24"),
        ("o2 p2 SB", False, False, "phalanx 6"),
        ("r1 SB o3", False, False, "skirmish 6"),
        ("r9 r8 r7 r6", True, True, "host 30"),
    ],
)
def test_wild_cards_choose_best(cards: str, fog: bool, mud: bool, expected: str) -> None:
    """r8 CC AL: r8 with a red 8 and a red anything is no run, so three 8s are best."""
    assert str(score(parse_cards(cards), fog, mud)) == expected


def test_schotten_totten_has_other_cards() -> None:
    assert str(score(parse_cards("r8 r9 AL"), edition=SCHOTTEN_TOTTEN)) == "wedge 24"
    assert str(score(parse_cards("r9 b9 CC"), edition=SCHOTTEN_TOTTEN)) == "host 25"
    best = best_completion((), unseen_troops((), SCHOTTEN_TOTTEN), False, False, SCHOTTEN_TOTTEN)
    assert best is not None
    assert str(best.score) == "wedge 24"


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("r1 r2 r11", "'r11' is not a card"),
        ("r1 r2 r1", "r1 is named twice"),
        ("r1 r2 FOG", "Fog cannot be part of a formation"),
        ("r1 r2 r3 r4", "4 cards are too many for one side"),
        ("r1 r2", "needs 3 cards here, got 2"),
        ("z9 r1 r2", "'z9' is not a card"),
    ],
)
def test_what_is_no_formation_is_refused(cards: str, words: str) -> None:
    with pytest.raises(BadText, match=words):
        score(parse_cards(cards))


def test_long_names_are_cards_too() -> None:
    assert parse_cards("Companion Cavalry, shield bearers Alexander  r10") == parse_cards("CC SB AL r10")


@entry
def verdict(pos: Any, player: int, flag: int) -> int:
    return prove_compiled(pos.words, pos.verdicts, player, flag)


@entry
def completion(out: Any, troops: int, wilds: int, unseen: int, flag: int, values: int, cavalry: int) -> None:
    found, added = complete(troops, wilds, unseen, flag, values, cavalry, -1)
    out[0] = found
    out[1] = added


def at_a_flag(case: naive.Case, mine: tuple[int, ...], theirs: tuple[int, ...], unseen: frozenset[int]) -> Any:
    """Return a compiled position with a case at flag 1. Only what claims look at is there."""
    cap = 4 if case.mud else 3
    both = [len(mine) == cap, len(theirs) == cap]
    first = (0 if case.mine_first else 1) if all(both) else both.index(True) if any(both) else NOBODY
    flags = (Flag((mine, theirs), case.fog, case.mud, NOBODY, first), *[Flag()] * 8)
    pos = kernel.pack(
        BattleLineState(BattleLine(), flags, (), ((), ()), 0, stages.PLAY, 0, 0, 0, ((), ()), ((), ()), ((), ()))
    )
    pos.words[SEEN] = (1 << 60) - 1 - sum(1 << card for card in unseen)
    return pos


@pytest.mark.parametrize("seed", range(10))
def test_claims_agree_with_trying_everything(seed: int) -> None:
    rng, claims, out = random.Random(seed), 0, np.zeros(2, np.int64)
    counts = dict.fromkeys(("wild", "fog and mud", "tie", "close"), 0)
    for _ in range(400):
        case = naive.random_case(rng)
        mine, theirs = (tuple(sorted(parse_card(naive.write(card)) for card in side)) for side in case[:2])
        unseen = frozenset(parse_card(naive.write(card)) for card in case.unseen)
        expected = naive.may_claim(case)
        proof = prove(mine, theirs, unseen, case.fog, case.mud, case.mine_first)
        assert proof.claim == expected, case
        assert bool(verdict(at_a_flag(case, mine, theirs, unseen), 0, 0)) == expected, case
        cap = 4 if case.mud else 3
        best = naive.best(case.theirs, case.unseen, case.fog, cap)
        if proof.mine is not None:
            assert (None if proof.theirs is None else (proof.theirs.rank, proof.theirs.sum)) == best, case
        completion(
            out, sum(1 << card for card in theirs if card < 60), sum(1 << card - 60 for card in theirs if card >= 60),
            sum(1 << card for card in unseen), FOG_BIT * case.fog | MUD_BIT * case.mud, 10, 8,
        )  # fmt: skip
        assert out[0] == (-1 if best is None else 64 * best[0] + best[1]), case
        added = [naive.read(card_text(card)) for card in range(60) if int(out[1]) >> card & 1]
        assert best is None or naive.worth((*case.theirs, *added), case.fog) == best
        claims += expected
        counts["wild"] += expected and any(isinstance(card, str) for card in case.mine)
        counts["fog and mud"] += case.fog and case.mud
        counts["tie"] += proof.mine is not None and proof.mine == proof.theirs
        counts["close"] += proof.mine is not None and proof.theirs is not None and proof.mine.rank == proof.theirs.rank
        naive.worth.cache_clear()
    assert 80 < claims < 320
    assert counts["wild"] >= 15
    assert counts["fog and mud"] >= 5
    assert counts["tie"] >= 2
    assert counts["close"] >= 40
