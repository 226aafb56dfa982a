"""Ratings, rates and the sequential test, against outside figures and simulation."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest

from kibitz.analysis.html.charts import shorten
from kibitz.arena.results import Rating, WinRate, bradley_terry_ratings, compute
from kibitz.arena.sprt import PairCount, Sprt
from kibitz.core.errors import BadOption
from kibitz.core.record import GameRecord


def game(
    first: str, second: str, result: str, id: str = "", times: tuple[float, ...] = (), reason: str = ""
) -> GameRecord:
    return GameRecord("uttt", {}, (first, second), ("40",) * len(times), result, reason, times=times, id=id)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_agree_with_openspiel(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    wins, draws = rng.integers(1, 40, (n, n)), np.triu(rng.integers(0, 10, (n, n)), 1)
    np.fill_diagonal(wins, 0)
    draws = draws + draws.T
    options = pyspiel.elo.default_elo_options()
    options.smoothing_factor = 0.0
    theirs = np.array(pyspiel.elo.compute_ratings_from_matrices(wins.tolist(), draws.tolist(), options))
    ours = np.array([r.elo for r in bradley_terry_ratings(wins + draws / 2, wins + wins.T + draws, prior=0)])
    assert ours - ours.mean() == pytest.approx(theirs - theirs.mean(), abs=0.01)


def test_an_undefeated_and_a_winless_player_have_finite_ratings() -> None:
    points = np.array([[0, 10, 10], [0, 0, 10], [0, 0, 0.0]])
    games = np.array([[0, 10, 10], [10, 0, 10], [10, 10, 0.0]])
    best, middle, worst = bradley_terry_ratings(points, games)
    assert 200 < best.elo < 1500
    assert middle.elo == pytest.approx(0, abs=1e-6)
    assert worst.elo == pytest.approx(-best.elo)
    assert best.margin > middle.margin > 0


@pytest.mark.parametrize(
    ("elo", "text"), [(-0.3, "0"), (0.0, "0"), (0.4, "0"), (-0.6, "-1"), (12.3, "+12"), (-1234.0, "-1234")]
)
def test_a_rating_near_zero_has_no_sign(elo: float, text: str) -> None:
    assert Rating(elo, 1.0).text == text


def test_more_games_make_narrower_intervals() -> None:
    points, games = np.array([[0, 6], [4, 0.0]]), np.array([[0, 10], [10, 0.0]])
    few, many = (bradley_terry_ratings(k * points, k * games)[0] for k in (1, 100))
    assert many.margin == pytest.approx(few.margin / 10, rel=0.1)


def test_rating_intervals_cover_the_truth() -> None:
    rng, covered, truth = np.random.default_rng(1), 0, np.array([120.0, 0.0, -120.0])
    chance = 1 / (1 + 10 ** ((truth[None, :] - truth[:, None]) / 400))
    for _ in range(200):
        points = np.zeros((3, 3))
        for i in range(3):
            for j in range(i):
                points[i, j] = rng.binomial(60, chance[i, j])
                points[j, i] = 60 - points[i, j]
        found = bradley_terry_ratings(points, 60 * (1 - np.eye(3)))
        covered += sum(abs(r.elo - t) <= r.margin for r, t in zip(found, truth, strict=True))
    assert 0.92 < covered / 600 < 0.98


def test_rates() -> None:
    even = WinRate(30, 20, 30)
    assert (even.games, even.share) == (80, 0.5)
    assert WinRate(10, 0, 0).interval[1] == pytest.approx(1)
    assert 0.6 < WinRate(10, 0, 0).interval[0] < 0.8
    assert WinRate(0, 0, 0).interval == (0, 1)
    low, high = WinRate(50, 0, 50).interval  # Wilson's interval of 50 out of 100
    assert [low, high] == pytest.approx([0.4038, 0.5962], abs=1e-3)


def test_results_are_counted_by_side_with_times_and_faults() -> None:
    results = compute(
        [
            game("a", "b", "1-0", times=(0.001, 0.010, 0.003)),
            game("b", "a", "1/2-1/2", times=(0.020, 0.002)),
            game("b", "a", "1-0", reason="forfeit by O: crash"),
        ],
        ["a", "b", "c"],
    )
    a, b = (next(s for s in results.standings if s.agent == name) for name in "ab")
    assert (a.total, a.as_first, a.as_second) == (WinRate(1, 1, 1), WinRate(1, 0, 0), WinRate(0, 1, 1))
    assert (b.total, b.as_first, b.as_second) == (WinRate(1, 1, 1), WinRate(1, 1, 0), WinRate(0, 0, 1))
    assert (a.forfeits, b.forfeits) == (1, 0)
    assert [a.mean_ms, a.median_ms] == pytest.approx([2, 2])
    assert b.mean_ms == pytest.approx(15)
    names = [s.agent for s in results.standings]
    assert results.crosstable[names.index("a")][names.index("b")] == WinRate(1, 1, 1)
    assert results.crosstable[names.index("a")][names.index("c")] is None
    assert results.lengths == (0, 2, 3)


def test_no_games_make_empty_results() -> None:
    results = compute([], ["a", "b"])
    assert [s.total.games for s in results.standings] == [0, 0]
    assert results.standings[0].rating.elo == 0


def test_the_test_is_decided_by_wins_or_losses_alone_but_not_at_once() -> None:
    test = Sprt(0, 50)
    assert test.verdict([0, 0, 0, 0, 5]) is None
    assert test.verdict([0, 0, 0, 0, 40]) == "H1"
    assert test.verdict([5, 0, 0, 0, 0]) is None
    assert test.verdict([40, 0, 0, 0, 0]) == "H0"
    assert test.log_ratio([0, 0, 0, 0, 0]) == 0
    assert test.log_ratio([0, 0, 30, 0, 0]) < 0 < test.log_ratio([0, 0, 10, 40, 10])


@pytest.mark.parametrize(("elo", "wrong"), [(0, "H1"), (60, "H0")])
def test_the_test_errs_as_seldom_as_promised(elo: float, wrong: str) -> None:
    rng, test, mistakes, trials = random.Random(3), Sprt(0, 60, 0.05, 0.05), 0, 120
    win = 1 / (1 + 10 ** (-elo / 400)) - 0.15
    for _ in range(trials):
        pairs, verdict = [0] * 5, None
        while verdict is None:
            halves = [2 if u < win else 1 if u < win + 0.3 else 0 for u in (rng.random(), rng.random())]
            pairs[sum(halves)] += 1
            verdict = test.verdict(pairs)
        mistakes += verdict == wrong
    assert mistakes / trials < 0.10


def test_pairs_count_in_order_until_the_verdict() -> None:
    records = [game(*(("a", "b", "1-0") if n % 2 else ("b", "a", "0-1")), id=str(n)) for n in range(1, 101)]
    counts = []
    for order in (records, records[::-1], random.Random(1).sample(records, 100)):
        count = PairCount(Sprt(0, 50), "a")
        for record in order:
            count.add(record)
        counts.append((count.verdict, count.pairs))
    assert counts[0] == counts[1] == counts[2]
    assert counts[0][0] == "H1"
    assert counts[0][1][4] < 50


@pytest.mark.parametrize("bad", [{"elo0": 5, "elo1": 5}, {"alpha": 0}, {"beta": 0.6}])
def test_impossible_tests_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(BadOption):
        Sprt(**bad)


def test_long_names_are_cut_in_the_middle() -> None:
    assert shorten("alphabeta(depth=6)", 14) == "alphab…epth=6)"
    assert shorten("random", 14) == "random"
    assert len(shorten("x" * 100, 15)) == 15


BEGUN_BY_SECOND = GameRecord(
    "uttt", {}, ("a", "b"), ("36", "0"), "1-0", "", start="9/9/9/9/4x4/9/9/9/9 o 4", times=(1.0, 2.0)
)
# The lines of a 1x2 board: 0 1 above, 2 3 below, 4 5 6 upright. The second player takes the left box by the fourth
# move, makes the fifth, and takes the other box by the seventh.
MOVED_AGAIN = GameRecord(
    "dots", {"rows": 1, "cols": 2}, ("a", "b"), ("0", "2", "4", "5", "1", "3", "6"), "0-1", "",
    times=(1.0, 10.0, 2.0, 20.0, 30.0, 3.0, 40.0),
)  # fmt: skip


@pytest.mark.parametrize(("record", "means"), [(BEGUN_BY_SECOND, [2000, 1000]), (MOVED_AGAIN, [2000, 25000])])
def test_times_count_for_the_player_who_moved(record: GameRecord, means: list[float]) -> None:
    assert [s.mean_ms for s in sorted(compute([record]).standings, key=lambda s: s.agent)] == means
    assert [s.mean_ms for s in compute([record], times=False).standings] == [0, 0]
