"""What is read from the lines of kata-analyze and lz-analyze, true or not."""

from __future__ import annotations

import pytest

from games.go.go_games import played
from kibitz.core.agent import Choice
from kibitz.games.go.gtp.info import read_report
from kibitz.games.go.gtp.setup import kata_rules, set_up
from kibitz.games.go.rules import Go

FIVE = Go(size=5, komi=0.5)
STATE = played(FIVE, "C3")
OWNERS = "0.5 " * 24 + "-1"
KATA = (
    "info move C2 visits 8 edgeVisits 8 winrate 0.25 scoreMean -3.5 scoreLead -3.5 prior 0.4 order 0 pv C2 D3 C3 "
    "pvVisits 8 5 1 info move B3 visits 3 winrate 0.2 scoreLead -4 isSymmetryOf D3 order 1 pv B3 "
    f"rootInfo visits 12 winrate 0.24 scoreLead -3.6 ownership {OWNERS}"
)


def report(line: str, kata: bool = True) -> Choice | None:
    return read_report(STATE, line, kata, 0.0)


def test_a_line_of_kata_analyze() -> None:
    choice = report(KATA)
    assert choice is not None
    assert FIVE.move_text(choice.move) == "C2"
    assert (choice.value, choice.unit, choice.score, choice.nodes) == (0.25, "probability", -3.5, 12)
    assert [FIVE.move_text(move) for move in choice.line] == ["C2", "D3"], "C3 is taken, so the line ends before it"
    assert [(FIVE.move_text(m.move), m.value, m.visits, m.score) for m in choice.candidates] == [
        ("C2", 0.25, 8, -3.5),
        ("B3", 0.2, 3, -4.0),
    ]
    assert choice.owners == (*[0.5] * 24, -1.0)


def test_a_line_of_lz_analyze() -> None:
    choice = report("info move D3 visits 9 winrate 4802 prior 2211 lcb 4781 order 0 pv D3 C4", kata=False)
    assert choice is not None
    assert (choice.value, choice.score, choice.owners, choice.nodes) == (0.4802, None, (), 9)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "info",
        "info move",
        "info info info",
        "hello",
        "info move C3 visits 5 winrate 0.5 order 0 pv C3",
        "info move Z9 visits 5 winrate 0.5 order 0 pv Z9",
        "info move C2 visits 5 winrate nan order 0 pv C2",
        "info move C2 visits 5 winrate 1.5 order 0 pv C2",
        "info move C2 visits -5 winrate 0.5 order 0 pv C2",
        "info move C2 visits 1e99 winrate 0.5 order 0 pv C2",
        "info move C2 winrate 0.5 order 0 pv C2",
        "info pv C2 move winrate visits",
    ],
)
def test_a_report_without_a_possible_move_is_none(line: str) -> None:
    assert report(line) is None


@pytest.mark.parametrize(
    "part",
    [
        "scoreLead 1e9",
        "scoreLead inf",
        "pv Q16 Q16",
        "ownership 0.5 0.5",
        "ownership " + "2 " * 25,
        "ownership " + "x " * 25,
        "rootInfo visits none",
    ],
)
def test_what_is_impossible_is_left_out(part: str) -> None:
    choice = report(f"info move C2 visits 5 winrate 0.5 order 0 {part}")
    assert choice is not None
    assert (choice.value, choice.score, choice.owners, choice.nodes) == (0.5, None, (), 5)
    assert len(choice.line) == 1


def test_a_move_reported_twice_counts_once() -> None:
    choice = report("info move C2 visits 5 winrate 0.5 order 1 pv C2 info move C2 visits 6 winrate 0.6 order 0 pv C2")
    assert choice is not None
    assert [(m.value, m.visits) for m in choice.moves] == [(0.6, 6)]


def test_prisoners_count_in_a_position_set_up_for_territory() -> None:
    capture = ("B1", "A1", "A2")  # Black takes A1
    for scoring, komi in (("area", 0.5), ("territory", -0.5)):
        game = Go(size=5, komi=0.5, scoring=scoring)  # type: ignore[arg-type]
        assert set_up(played(game, *capture)).komi == komi
    assert kata_rules(Go(scoring="territory"))["tax"] == "SEKI"
