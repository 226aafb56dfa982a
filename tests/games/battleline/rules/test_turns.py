"""The turn cases S1 to S19 of the rule sheet: positions, moves, and what is then legal, refused or decided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.battleline.rules.test_rules import legal, play, position
from kibitz.core.errors import BadText, IllegalMove
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import card_text

CASES = json.loads((Path(__file__).parents[3] / "data" / "battleline_cases.json").read_text())["turns"]
CHECKED = {"play", "legal", "only", "count", "refused", "is", "sides", "outcome"}


def sides(state: BattleLineState, number: int) -> str:
    """Return the cards at a flag, as a position has them."""
    return "/".join(",".join(map(card_text, side)) or "-" for side in state.flags[number - 1].sides)


def facts(state: BattleLineState) -> dict[str, Any]:
    return {
        "to_move": state.to_move,
        "hands": [len(hand) for hand in state.hands],
        "played": [len(cards) for cards in state.played],
        "discards": len(state.discards),
    }


def check(state: BattleLineState, step: dict[str, Any]) -> None:
    """Compare a position with what a step says of it."""
    moves = legal(state)
    assert set(step.get("legal", [])) <= set(moves)
    assert moves == step.get("only", moves)
    assert len(moves) == step.get("count", len(moves))
    assert facts(state) == facts(state) | step.get("is", {})
    for number, cards in step.get("sides", {}).items():
        assert sides(state, int(number)) == cards
    if "outcome" in step:
        outcome = state.outcome()
        assert (outcome and [outcome.winner, outcome.reason]) == step["outcome"]
    for text, words in step.get("refused", {}).items():
        assert text not in moves
        with pytest.raises((IllegalMove, BadText), match=words):
            play(state, text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_turns_of_the_rule_sheet(case: dict[str, Any]) -> None:
    placed = dict(case["position"])
    placed["flags"] = {int(number): text for number, text in placed.get("flags", {}).items()}
    state = position(BattleLine(**case.get("options", {})), **placed)
    for step in case["steps"]:
        assert step.keys() <= CHECKED
        state = play(state, *step.get("play", []))
        check(state, step)


def test_no_case_is_missing() -> None:
    sheet = {1, 2, 4, 5, 6, 7, 8, 10, 11, 12, 14, 16, 17, 18, 19}
    assert {f"S{number}" for number in sheet} <= {case["id"] for case in CASES}
