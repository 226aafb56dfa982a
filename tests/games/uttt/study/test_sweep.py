"""Temperature functions: the tournament of a sweep, what it says, and its section of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from kibitz.analysis.html.charts import Dot, round_ticks, scatter
from kibitz.arena.results import WinRate, compute
from kibitz.core.errors import BadOption
from kibitz.core.record import GameRecord
from kibitz.games.uttt.study.sweep import FIELD, FUNCTIONS, Sweep, find_sweep, sweep_json, sweep_tournament
from kibitz.games.uttt.study.sweep_html import sweep_section


def agent(function: str) -> str:
    return f"minimax(depth=2,eval=winning,start=3.0,step=0.1,jump={function})"


def games(function: str, ms: float, wins: int, field: Sequence[str] = ("random", "reflex")) -> list[GameRecord]:
    """Return ten games against each of the field, of which a function wins some at some time per move."""
    return [
        GameRecord("uttt", {}, (agent(function), other), ("40",), "1-0" if i < wins else "0-1", "", times=(ms / 1000,))
        for other in field
        for i in range(10)
    ]


@pytest.fixture(scope="module")
def found() -> Sweep:
    records = games("0", 4, 9) + games("5/t^2", 2, 8) + games("0.9", 1, 2) + games("max(0.5,1/t)", 3, 6)
    made = find_sweep(compute(records))
    assert made is not None
    return made


def test_every_function_meets_the_field_and_no_other() -> None:
    tournament = sweep_tournament(games=4)
    challengers = [agent(function) for function in FUNCTIONS]
    assert tournament.agents == (*challengers, *FIELD)
    met = Counter(pairing.agents for pairing in tournament.pairings())
    assert set(met) == {pair for c in challengers for f in FIELD for pair in ((c, f), (f, c))}
    assert set(met.values()) == {2}
    assert tournament.terms.ties == "replay"


@pytest.mark.parametrize(
    ("functions", "why"),
    [
        (["5/t^2"], "at least 2 different"),
        (["5/t^2", "5 / t^2"], "at least 2 different"),
        (["5/t^2", "5/"], "breaks off"),
        (["5/t^2", "1/(t-3)"], "no finite value at t = 3"),
        (["5/t^2", "t,t"], "cannot be read"),
    ],
)
def test_impossible_sweeps_are_refused(functions: list[str], why: str) -> None:
    with pytest.raises(BadOption, match=why):
        sweep_tournament(functions)


def test_points_have_rate_time_and_chances(found: Sweep) -> None:
    assert [point.function for point in found.points] == ["0.9", "5/t^2", "max(0.5,1/t)", "0"]
    point = found.points[1]
    assert point.rate == WinRate(16, 0, 4)
    assert point.ms == pytest.approx(2)
    assert point.chances == pytest.approx((5 / 9, 5 / 4.9**2))
    assert set(found.field) == {"random", "reflex"}


def test_the_best_are_those_that_no_other_beats(found: Sweep) -> None:
    assert {point.function for point in found.points if point.best} == {"0.9", "5/t^2", "0"}
    told = sweep_json(found)["functions"]
    assert [row["best"] for row in told] == [True, True, False, True]
    assert told[1]["chances"] == {1: 0.5556, 20: 0.2082}


def test_there_is_no_sweep_without_functions_to_compare_or_opponents_in_common() -> None:
    both = games("0", 4, 9) + games("5/t^2", 2, 8)
    assert find_sweep(compute(both)) is not None
    assert find_sweep(compute(games("0", 4, 9))) is None
    assert find_sweep(compute(games("0", 4, 9, ["random"]) + games("0.1", 4, 9, ["reflex"]))) is None
    other = [replace(r, agents=(r.agents[0].replace("winning", "cells"), r.agents[1])) for r in games("0.1", 4, 9)]
    assert find_sweep(compute(both + other)) is None  # two things differ: there is no saying which made the difference


def test_the_section_shows_every_function(found: Sweep) -> None:
    text = sweep_section(found)
    for point in found.points:
        assert f"<td>{point.function}</td>" in text
        assert text.count(f">{point.function}</text>") == 1
    assert text.count("<circle") == text.count('class="whisker"') == 4
    assert (text.count('class="dot"'), text.count('class="ring"')) == (3, 1)
    assert "http" not in text


def test_names_of_dots_in_one_place_do_not_cover_each_other() -> None:
    dots = [Dot(1.0, 0.5, (0.4, 0.6), f"function {i}", "", False) for i in range(4)]
    text = scatter(dots, "four in one place", str)
    places = {text[: text.index(f">function {i}<")].rpartition('x="')[2] for i in range(4)}
    assert len(places) == 4


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.613, 0.782), (-432, 611), (0, 0.0007), (5, 5), (0, 9.99)])
def test_round_ticks_span_what_is_shown(low: float, high: float) -> None:
    ticks = round_ticks(low, high)
    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert 2 <= len(ticks) <= 12
    assert ticks == sorted(set(ticks))
