"""The 2014 study: its table, our figures beside it, and the section of the report."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from kibitz.arena.report.figures import Report, results_json
from kibitz.arena.report.html import page
from kibitz.arena.results import Results, WinRate, compute
from kibitz.arena.store import TournamentFolder, seal
from kibitz.arena.tournament import preset
from kibitz.core.record import GameRecord
from kibitz.games.uttt.study.paper import (
    EVALUATIONS,
    OPTIONS,
    SUMMARY,
    TABLE,
    Study,
    compare_study,
    mean,
    spearman,
)
from kibitz.games.uttt.study.paper_html import findings, study_section
from kibitz.games.uttt.study.sections import SECTIONS

MS = {agent: 2.0 * row.ms for agent, row in TABLE.items()}
"""What each agent takes for a move in the games made here."""


def game(first: str, second: str, result: str) -> GameRecord:
    times = tuple(MS.get(agent, 40.0) / 1000 for agent in (first, second))
    return GameRecord("uttt", dict(OPTIONS), (first, second), ("40", "36"), result, "", times=times)


def round_robin(extra: tuple[str, ...] = ()) -> list[GameRecord]:
    """Return games in which, of each two agents, the better of Table I wins three of four, and extras all."""
    order = [*extra, *TABLE]
    games = []
    for better, worse in itertools.combinations(order, 2):
        last = game(better, worse, "1-0") if better in extra else game(worse, better, "1-0")
        games += [game(better, worse, "1-0"), game(worse, better, "0-1"), game(better, worse, "1-0"), last]
    return games


@pytest.fixture(scope="module")
def results() -> Results:
    return compute(round_robin(("champion",)))


@pytest.fixture(scope="module")
def found(results: Results) -> Study:
    made = compare_study(results)
    assert made is not None
    return made


def test_the_preset_plays_110_ordered_pairings_of_100_games() -> None:
    tournament = preset("uttt-2014")
    met = Counter(pairing.agents for pairing in tournament.pairings())
    assert set(met) == set(itertools.permutations(TABLE, 2))
    assert (len(met), set(met.values())) == (110, {100})
    assert len({pairing.seed for pairing in tournament.pairings()}) == 11_000
    assert tournament.terms.ties == "replay"
    assert tournament.openings == ()
    assert tournament.make_game().options == OPTIONS


def test_table_i_gives_the_headlines_of_the_paper(found: Study) -> None:
    assert len(TABLE) == 11
    assert mean([row.share for row in TABLE.values()]) == pytest.approx(0.5, abs=1e-8)  # every game has a winner
    assert mean([trade.saved for trade in found.jump.paper]) == pytest.approx(SUMMARY["saved"], abs=1e-4)
    assert mean([trade.lost for trade in found.jump.paper]) == pytest.approx(SUMMARY["lost"], abs=1e-4)
    assert mean([TABLE[f"MM_{name}"].ms for name in EVALUATIONS]) == pytest.approx(SUMMARY["ms"], abs=1)


def test_rates_count_the_eleven_alone_and_others_come_last(found: Study) -> None:
    assert [entry.agent for entry in found.entries] == [*TABLE, "champion"]
    assert found.entry("MM_Winning").rate == WinRate(30, 0, 10)
    assert found.entry("random").rate == WinRate(10, 0, 30)
    assert found.entry("G_Winning").rate == WinRate(4 * 3 + 6, 0, 4 + 6 * 3)
    assert found.entry("champion").rate == WinRate(44, 0, 0)
    assert found.entry("champion").difference is None
    assert found.entry("MM_Winning").difference == pytest.approx(75 - 92.562708)
    assert found.most_different.agent == "reflex"  # 16 wins of 40, 21.8 % in the paper
    assert found.spearman == pytest.approx(1)


def test_trades_are_shares_of_plain_minimax(found: Study) -> None:
    jump, greedy = found.jump.ours[0], found.greedy.ours[0]
    assert jump.saved == pytest.approx(found.jump.paper[0].saved)  # all our times are twice the paper's
    assert jump.lost == pytest.approx((30 - 28) / 30)  # 30 and 28 wins of 40
    assert greedy.lost == pytest.approx((30 - 18) / 30)
    low, high = greedy.lost_interval or (0, 0)
    assert 0 < low < greedy.lost < high < 1
    assert found.minimax.ms == pytest.approx(2 * 1009.6, rel=1e-3)
    assert found.minimax.share == pytest.approx((30 + 26 + 22) / 120)


def test_the_goal_needs_rate_and_time(found: Study) -> None:
    assert [entry.agent for entry in found.entries if entry.reaches_goal] == ["champion"]
    goal, learning = findings(found)[-2:]
    assert "It is reached by champion (100.0%)." in goal
    assert learning.startswith("champion was trained on ")


@pytest.mark.parametrize(
    ("ones", "others", "expected"),
    [
        ([1, 2, 3, 4, 5], [10, 20, 30, 40, 50], 1),
        ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], -1),
        ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 1 - 6 * 4 / (5 * 24)),
        ([1, 2, 2, 4], [1, 2, 3, 4], 4.5 / (4.5 * 5) ** 0.5),  # ranks 1, 2.5, 2.5, 4
        ([1, 1, 1], [1, 2, 3], 0),
    ],
)
def test_spearman_by_hand(ones: list[float], others: list[float], expected: float) -> None:
    assert spearman(ones, others) == pytest.approx(expected)


def test_there_is_no_study_without_the_eleven_or_by_other_rules() -> None:
    games = round_robin()
    assert compare_study(compute(games)) is not None
    assert compare_study(compute([record for record in games if "reflex" not in record.agents], list(TABLE))) is None
    assert compare_study(compute([replace(record, options={"variant": "open"}) for record in games])) is None
    assert compare_study(compute([], list(TABLE))) is None
    strangers = [record for record in games if set(record.agents) != {"reflex", "random"}]
    assert compare_study(compute(strangers)) is None
    assert compare_study(compute([game("champion", agent, "1-0") for agent in TABLE])) is None


def test_the_page_has_the_table_and_all_six_figures(results: Results, found: Study) -> None:
    text = page(results, [], None, "a study", [study_section(found)])
    assert re.findall(r"<figcaption>Figure (\d)\.", text) == list("123456")
    assert text.count("<figure>") == text.count("</figure>") == 6
    assert "http" not in text
    for row in TABLE.values():
        assert f"<td>{row.share:.1%}</td>" in text
    section = text[text.index("The 2014 study") :]
    charts = re.findall(r"<figure>.*?</figure>", section)
    for chart in charts:
        assert chart.count("faded") == 6  # the paper's values beside ours
        assert all(name in chart for name in EVALUATIONS)
    assert [chart.count('class="error"') for chart in charts] == [6, 0, 0, 6, 3, 3]


def test_results_json_has_the_same_figures(results: Results, found: Study) -> None:
    told = json.loads(json.dumps(results_json(Report(results, (), 0, 0, True, ((SECTIONS[0], found),)))))["study_2014"]
    assert [row["agent"] for row in told["table"]] == [entry.agent for entry in found.entries]
    assert told["table"][0]["rate"] == 0.75
    assert told["table"][0]["paper_rate"] == pytest.approx(0.92562708)
    assert told["table"][-1]["difference"] is None
    assert told["goal"]["reached"] == ["champion"]
    assert [row["evaluation"] for row in told["jump"]] == list(EVALUATIONS)


def test_the_terminal_shows_both_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from kibitz.cli.arena import report

    tournament = replace(preset("uttt-2014"), games=4)
    store = TournamentFolder.create(tmp_path / "out", tournament)
    results = {frozenset(record.agents): record.agents[0] for record in round_robin()}
    records = [
        replace(game(*p.agents, "1-0" if results[frozenset(p.agents)] == p.agents[0] else "0-1"), id=p.id)
        for p in tournament.pairings()
    ]
    store.append([seal(record) for record in records])
    report([store.folder], None)
    told = capsys.readouterr().out
    assert "The 2014 study" in told
    assert "92.6%" in told
    assert "Spearman" in told
    assert "The 2014 study" in (store.folder / "report.html").read_text()
