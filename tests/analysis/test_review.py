"""Reviews: judgements from made-up analysts, whose answers are known, and the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

import kibitz
from html_page import HtmlPage
from kibitz.analysis.html import charts
from kibitz.analysis.html.review import curve_shares, page, worth_text
from kibitz.analysis.review import COUNT, Judgement, Review, judge_moves, reviewers
from kibitz.core.agent import Choice, MoveValue, Unit
from kibitz.core.errors import BadOption
from kibitz.core.game import State
from kibitz.games.dots.evaluate import BOXES

UTTT = kibitz.game("uttt")
RECORD = kibitz.play(UTTT, [kibitz.agent(UTTT, "random"), kibitz.agent(UTTT, "reflex")], seed=1)
STATES = kibitz.replay(RECORD)
MOVES = tuple(int(move) for move in RECORD.moves)


def judged(worths: Sequence[float], losses: Sequence[float], unit: Unit = "probability") -> list[Judgement]:
    """Return judgements by an analyst to whom the best move at each ply has this worth, and the one played a loss."""

    def look(state: State) -> Choice:
        at = STATES.index(state)
        other = next((move for move in state.legal_moves() if move != MOVES[at]), MOVES[at])
        best = other if losses[at] else MOVES[at]
        played = MoveValue(MOVES[at], worths[at] - losses[at], False)
        return Choice(best, worths[at], unit, moves=(played, MoveValue(best, worths[at], False)), line=(best,))

    return list(judge_moves(STATES, MOVES[: len(worths)], look))


@pytest.mark.parametrize(
    ("loss", "verdict"),
    [(0.0, "best"), (0.0009, "best"), (0.04, "good"), (0.06, "inaccuracy"), (0.11, "mistake"), (0.3, "blunder")],
)
def test_verdicts_follow_the_loss(loss: float, verdict: str) -> None:
    (judgement,) = judged([0.5], [loss])
    assert judgement.loss == pytest.approx(loss)
    assert judgement.verdict == verdict


def test_boxes_have_thresholds_of_their_own() -> None:
    verdicts = [j.verdict for j in judged([3, 3, 3, 3], [0.5, 1, 2, 4], BOXES)]
    assert verdicts == ["good", "inaccuracy", "mistake", "blunder"]
    assert {j.scale for j in judged([3], [0], BOXES)} == {COUNT}


def test_results_are_counted_as_points() -> None:
    (judgement,) = judged([1], [2], "result")
    assert (judgement.best_worth, judgement.worth, judgement.loss) == (1.0, 0.0, 1.0)


def test_a_move_turns_the_game_when_it_stood_better_before_it() -> None:
    turned = [j.is_turning_point for j in judged([0.8, 0.5, 0.8, 0.3, 0.66], [0.3, 0.2, 0.1, 0.2, 0.02])]
    assert turned == [True, True, False, False, False]
    assert judged([0.8], [0.6])[0].outlooks == ("winning", "losing")


def test_curve_and_verdicts() -> None:
    worths, losses = [0.5, 0.6, 0.7], [0.0, 0.2, 0.1]
    review = Review(RECORD, UTTT, STATES, tuple(judged(worths, losses)))
    assert not review.complete
    assert review.curve == pytest.approx((0.5, 0.4, 0.7, 0.6))
    assert review.verdicts(1) == {"blunder": 1}
    assert review.accuracy(0) is None, "the analyst valued two moves, and there is no glance at others"
    assert Review(RECORD, UTTT, STATES, ()).accuracy(0) is None


def valued_by(worth: dict[int, float]) -> Callable[[State], Choice]:
    """Return an analyst to whom the i-th legal move is worth 0.9 - i / 100, or as given for a move."""

    def look(state: State) -> Choice:
        legal = state.legal_moves()
        values = [MoveValue(move, worth.get(move, 0.9 - at / 100), False) for at, move in enumerate(legal)]
        best = max(values, key=lambda each: each.value)
        return Choice(best.move, best.value, "probability", moves=tuple(values))

    return look


def test_accuracy_compares_with_random_moves() -> None:
    look = valued_by({})
    judgements = list(judge_moves(STATES, MOVES, look))
    expected = sum((len(state.legal_moves()) - 1) / 200 for state in STATES[:-1] if state.to_move == 0)
    assert sum(j.random_loss or 0 for j in judgements if j.player == 0) == pytest.approx(expected)
    own = [j for j in judgements if j.player == 0]
    as_random = [replace(j, worth=j.best_worth - (j.random_loss or 0)) for j in own]
    for moves, accuracy in ((as_random, 0.0), ([replace(j, worth=j.best_worth) for j in own], 1.0)):
        assert Review(RECORD, UTTT, STATES, tuple(moves)).accuracy(0) == pytest.approx(accuracy)
    worse = [replace(j, worth=0.0) for j in own]
    assert Review(RECORD, UTTT, STATES, tuple(worse)).accuracy(0) == 0.0
    assert Review(RECORD, UTTT, STATES, tuple(own[:1])).accuracy(1) is None


def test_moves_that_are_all_equal_say_nothing() -> None:
    equal = valued_by(dict.fromkeys(range(81), 0.5))
    assert Review(RECORD, UTTT, STATES, tuple(judge_moves(STATES, MOVES, equal))).accuracy(0) is None


def test_a_random_move_stands_for_those_that_are_not_listed() -> None:
    full, glanced = valued_by({}), list[State]()

    def look(state: State) -> Choice:
        choice = full(state)
        return replace(choice, moves=choice.moves[:2])

    def glance(state: State) -> Choice:
        glanced.append(state)
        return Choice(state.legal_moves()[0], 0.6, "probability")

    states, moves = STATES[:3], MOVES[:2]
    found = list(judge_moves(states, moves, look, glance))
    legal = len(states[0].legal_moves())
    assert found[0].random_loss == pytest.approx((0 + 0.01 + (legal - 2) * 0.5) / legal)
    assert glanced == [state for state in glanced if state.turn - 1 in (states[0].turn, states[1].turn)]
    assert len(glanced) == 2
    again = list(judge_moves(states, moves, look, glance))
    assert glanced[:2] == glanced[2:], "the sample depends on the number of the move alone"
    assert again == found


def test_without_a_value_for_the_move_the_next_position_is_compared_and_asked_about_once() -> None:
    asked = list[State]()

    def look(state: State) -> Choice:
        asked.append(state)
        return Choice(state.legal_moves()[0], 0.5 + 0.01 * STATES.index(state), "probability")

    found = list(judge_moves(STATES, MOVES, look))
    assert asked == list(STATES[:-1])
    assert found[0].worth == pytest.approx(1 - 0.51)
    outcome = STATES[-1].outcome()
    assert outcome is not None
    assert found[-1].worth == (outcome.value(STATES[-2].to_move) + 1) / 2
    assert all(j.loss >= 0 for j in found)


@pytest.mark.parametrize(
    ("value", "exact", "shown"), [(0.5, False, "50%"), (0.5, True, "draw"), (1.0, False, "win"), (0.0, True, "loss")]
)
def test_a_worth_is_a_result_only_if_no_other_move_can_be_better(value: float, exact: bool, shown: str) -> None:
    """The value of the best move may be proved while another move may still turn out to be better."""

    def look(state: State) -> Choice:
        others = (MoveValue(move, min(value, 0.1), exact) for move in state.legal_moves() if move != MOVES[0])
        return Choice(MOVES[0], value, "probability", exact, moves=(MoveValue(MOVES[0], value, True), *others))

    (judgement,) = judge_moves(STATES, MOVES[:1], look)
    assert worth_text(judgement, judgement.best_worth) == worth_text(judgement, judgement.worth) == shown


def test_an_analyst_without_a_value_is_refused() -> None:
    with pytest.raises(BadOption, match="before move 1: give it more time or nodes"):
        list(judge_moves(STATES, MOVES, lambda state: Choice(state.legal_moves()[0])))


@pytest.fixture(scope="module")
def review() -> Review:
    judgements = judge_moves(STATES, MOVES, *reviewers(kibitz.Budget(nodes=2000)))
    return Review(replace(RECORD, agents=("<b>human</b>", "reflex")), UTTT, STATES, tuple(judgements))


def test_the_analyst_reviews_a_whole_game(review: Review) -> None:
    assert review.complete
    assert len(review.curve) == len(STATES)
    assert all(0 <= worth <= 1 for worth in review.curve)
    assert [j.move for j in review.judgements] == list(MOVES)
    assert all((j.loss == 0) <= (j.verdict == "best") for j in review.judgements)
    last = review.judgements[-1]
    assert (last.verdict, last.worth, last.exact) == ("best", 1.0, True), "the move that won the game"
    assert "wins the game" in last.reasons[0]


def test_the_page_stands_alone_and_shows_everything(review: Review) -> None:
    text = page(review, "a <title>")
    assert HtmlPage(text).links == []
    assert not re.search("https?:|@import|url\\((?!#|data:)", text)
    assert "&lt;b&gt;human&lt;/b&gt;" in text
    assert "<b>human" not in text
    assert text.count("<li>") == len(MOVES)
    assert text.count('<article class="card">') == len(review.turning_points) > 0
    assert "Only" not in text


def test_the_page_of_a_broken_off_review_says_so(review: Review) -> None:
    text = page(replace(review, judgements=review.judgements[:3]), "t")
    HtmlPage(text)
    assert f"Only 3 of {len(MOVES)} moves were reviewed." in text
    HtmlPage(page(replace(review, judgements=()), "t"))


def test_counts_are_scaled_to_the_largest() -> None:
    found = Review(RECORD, UTTT, STATES, tuple(judged([2, -4], [0, 0], BOXES)))
    assert curve_shares(found) == [0.75, 1.0, 1.0]


def test_a_calibration_is_drawn_within_its_square() -> None:
    svg = charts.calibration([(0.05, 0.0, 0.0, 0.2, 10), (0.95, 1.0, 0.9, 1.0, 1000)], "a & b")
    HtmlPage(svg)
    assert svg.count("<circle") == 2
    assert "predicted 95.0%, scored 100.0% (95 % 90.0% to 100.0%), 1000 positions" in svg
    assert "a &amp; b" in svg
