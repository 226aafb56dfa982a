"""Dates, ranks, results, events and names as records write them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kibitz.games.go.sgf.heads import name_key, parse_date, parse_event, parse_number, parse_rank, parse_result


@pytest.mark.parametrize(
    ("text", "date"),
    [("1995-03-12", "1995-03-12"), ("1995-03-12,13", "1995-03-12"), ("1995/3/2", "1995-03-02"), ("1995-03", "1995-03"),
     ("c. 1770", "1770"), ("Published on 12 Mar 1995", "1995-03-12"), ("March 12, 1995", "1995-03-12"),
     ("1995年3月12日", "1995-03-12"), ("25/12/1995", "1995-12-25"), ("1995-13-40", "1995"), ("unknown", None),
     ("", None), ("99999", None)],
)  # fmt: skip
def test_dates(text: str, date: str | None) -> None:
    found = parse_date(text)
    assert (None if found is None else str(found)) == date


@pytest.mark.parametrize(
    ("text", "rank"),
    [("9p", 19), ("9 dan", 9), ("3k", -2), ("12 kyu", -11), ("九段", 19), ("5d?", 5), ("7段", 17),
     ("Meijin", 19), ("6d (pro)", 16), ("strong", None), ("", None), ("99k", None), ("1d", 1), ("3단", 13)],
)  # fmt: skip
def test_ranks(text: str, rank: int | None) -> None:
    assert parse_rank(text) == rank


def test_ranks_are_in_order() -> None:
    ranks = [parse_rank(text) for text in ("30k", "2k", "1k", "1d", "9d", "1p", "9p")]
    assert all(a is not None and b is not None and a < b for a, b in pairwise(ranks))


@pytest.mark.parametrize(
    ("text", "winner", "how", "margin"),
    [("B+3.5", 1, "points", 3.5), ("W+R", 2, "resign", None), ("W+Resign", 2, "resign", None),
     ("b+t", 1, "time", None), ("W+F", 2, "forfeit", None), ("B+", 1, "", None), ("W+0,5", 2, "points", 0.5),
     ("0", 0, "draw", 0.0), ("Jigo", 0, "draw", 0.0), ("Void", 0, "void", None), ("?", 0, "", None), ("", 0, "", None),
     ("黑中盘胜", 1, "resign", None), ("白胜1.5", 2, "points", 1.5), ("Black wins by resignation", 1, "resign", None),
     ("Bob did not come", 0, "", None), ("B+99999999999", 1, "", None), ("W+1e400", 2, "", None),
     ("B+3.5 points (2 stones)", 1, "points", 3.5)],
)  # fmt: skip
def test_results(text: str, winner: int, how: str, margin: float | None) -> None:
    found = parse_result(text)
    assert (found.winner, found.how, found.margin) == (winner, how, margin)


def test_absurd_numbers_are_none() -> None:
    assert parse_number("6.5", 400) == 6.5
    assert parse_number("6,5", 400) == 6.5
    assert [parse_number(text, 400) for text in ("1e99", "9" * 50, "-5000", "nan", "six", "")] == [None] * 6


def test_events_have_editions() -> None:
    assert parse_event("19th Honinbo") == ("Honinbo", 19)
    assert parse_event("第3届应氏杯") == ("应氏杯", 3)
    assert parse_event("Friendly game") == ("Friendly game", None)


def test_spellings_of_a_name_have_one_key() -> None:
    assert len({name_key(name) for name in ("Cho Chi-kun", "CHO Chikun", "Chikun Cho", "Cho Chikun 9p")}) == 1
    assert name_key("Müller") == name_key("muller")
    assert name_key("Cho U") != name_key("Cho Chikun")
