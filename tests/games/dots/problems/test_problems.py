"""Problems: each replayed and proved again by the solver, small ones by brute force too; answers, themes and grades."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from games.dots import naive
from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.problems.problems import (
    GRADES,
    PROBLEMS_FILE,
    THEMES,
    Problem,
    from_json,
    problem,
    problems,
    provenance,
    result_words,
    select,
    theme_named,
)
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.search.agents import make_agent

ROOT = Path(__file__).parents[4]
ENTRIES: list[dict[str, Any]] = json.loads(
    resources.files("kibitz.games.dots.problems").joinpath(PROBLEMS_FILE).read_text(encoding="utf-8")
)["problems"]
BRUTE = 13
"""Brute force takes about a tenth of a second with so many lines."""


@cache
def solver(rows: int, cols: int) -> Solver:
    return Solver(Dots(rows, cols).board, 1 << 24)


def undrawn(state: DotsState) -> list[int]:
    return [line for line in range(len(state.game.board.strings)) if not state.drawn >> line & 1]


def strings_left(state: DotsState) -> naive.Strings:
    return naive.part(naive.grid_strings(state.game.rows, state.game.cols), state.undrawn)


def degrees(state: DotsState, line: int) -> list[int]:
    """Return how many sides are open of each box beside a line."""
    strings = naive.grid_strings(state.game.rows, state.game.cols)
    return [sum(box in strings[other] for other in undrawn(state)) for box in strings[line] if box is not None]


# The set as a whole


def test_there_are_enough_of_every_kind() -> None:
    every = problems()
    assert len(every) >= 60
    assert [each.id for each in every] == list(range(1, len(every) + 1))
    grades = Counter(each.grade for each in every)
    assert set(grades) == set(GRADES)
    assert min(grades.values()) >= 5
    themes = Counter(each.theme for each in every)
    assert set(themes) == set(THEMES)
    assert min(themes.values()) >= 5
    assert len({each.size for each in every}) >= 8
    assert {each.game.start_ for each in every} == {"empty", "icelandic", "swedish"}
    assert [each.grade for each in every] == sorted(each.grade for each in every)


def test_no_position_is_there_twice() -> None:
    """Nor is a turn or a reflection of one."""
    seen = set()
    for each in problems():
        images = [
            sum(1 << image[line] for line in range(len(image)) if each.state.drawn >> line & 1)
            for image in each.game.symmetries()
        ]
        key = (each.game, min(images))
        assert key not in seen
        seen.add(key)


def test_most_answers_are_a_single_line() -> None:
    assert sum(len(each.best) == 1 for each in problems()) >= 0.75 * len(problems())


def test_the_file_tells_how_it_was_made() -> None:
    made = provenance()
    assert ".dots_problems make --seed" in made["command"]
    assert made["seed"] == int(re.findall(r"--seed (\d+)", made["command"])[0])
    assert re.fullmatch(r"\d+\.\d+\.\d+", made["kibitz"])
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", made["date"])


def test_the_page_counts_them_as_they_are() -> None:
    page = (ROOT / "docs" / "games" / "dots" / "problems.md").read_text(encoding="utf-8")
    counted = Counter((each.theme, each.grade) for each in problems())
    for theme in THEMES:
        row = [counted[theme, grade] for grade in GRADES]
        assert f"| {theme} | {' | '.join(str(n or '') for n in row)} | {sum(row)} |" in page
    grades = [sum(counted[theme, grade] for theme in THEMES) for grade in GRADES]
    assert f"| all | {' | '.join(map(str, grades))} | {len(problems())} |" in page
    single = sum(len(each.best) == 1 for each in problems())
    made = (ROOT / "docs" / "experiments" / "dots-problems.md").read_text(encoding="utf-8")
    assert f"{single} of the {len(problems())} problems have a single best line" in made


# Each problem


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["id"]))
def test_the_position_comes_from_its_game(entry: dict[str, Any]) -> None:
    """Boxes go to who draws their last line, who then moves again."""
    strings = naive.grid_strings(entry["rows"], entry["cols"])
    start = Dots(entry["rows"], entry["cols"], entry["start"]).start()
    left, mover, score = start.undrawn, 0, [0, 0]
    for move in map(int, entry["moves"].split()):
        assert left >> move & 1
        ((_, taken, left),) = [cut for cut in naive.cuts(strings, left) if cut[0] == move]
        score[mover] += taken
        mover = mover if taken else 1 - mover
    state = start.game.parse_position(entry["position"])
    assert state.undrawn == left
    assert list(state.scores) == score == entry["score"]
    assert state.to_move == mover
    assert entry["to_move"] == ("Red", "Blue")[mover]
    assert "-" not in entry["position"]
    assert from_json(entry).state == state


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["id"]))
def test_an_entry_is_written_as_it_is_read(entry: dict[str, Any]) -> None:
    assert from_json(entry).to_json() == entry


@pytest.mark.parametrize("each", problems(), ids=lambda each: str(each.id))
def test_the_solver_proves_it_again(each: Problem) -> None:
    state = each.state
    found = solver(each.game.rows, each.game.cols).solve(state.drawn, moves=True)
    lead = state.scores[state.to_move] - state.scores[1 - state.to_move]
    assert {move: lead + value for move, value in found.moves.items()} == each.values
    assert sorted(each.values) == undrawn(state)
    assert found.best == tuple(sorted(each.best))
    assert each.value == max(each.values.values())
    others = [value for move, value in each.values.items() if move not in each.best]
    assert each.second == max(others) < each.value
    assert (each.value > 0 and each.second <= 0) or (each.value == 0 and each.second < 0)


def small() -> Iterator[Problem]:
    return (each for each in problems() if each.state.undrawn.bit_count() <= BRUTE)


def test_brute_force_agrees_on_the_small_ones() -> None:
    checked = 0
    for each in small():
        state, lines = each.state, undrawn(each.state)
        lead = state.scores[state.to_move] - state.scores[1 - state.to_move]
        values = naive.move_values(strings_left(state))
        assert {lines[i]: lead + value for i, value in values.items()} == each.values
        checked += 1
    assert checked >= 20


def test_the_next_best_line_does_not_reach_the_goal() -> None:
    for each in problems():
        assert each.goal == ("win" if each.value > 0 else "draw")
        assert result_words(each.value) in each.explanation
        other = each.explanation.replace(result_words(each.value), "", 1)
        assert any(result_words(value) in other for value in each.values.values() if value < each.value)


def test_several_best_lines_open_the_same_or_take_the_same() -> None:
    """The other player can then take the same boxes, or they are ends of one row that is there to be taken."""
    several = [each for each in problems() if len(each.best) > 1]
    assert several
    for each in several:
        state, reached = each.state, set()
        strings = naive.grid_strings(each.game.rows, each.game.cols)
        for move in each.best:
            after = state.play(move)
            left, taken = after.undrawn, {coin for coin in range(len(state.owners)) if after.owners[coin] is not None}
            while takes := [cut for cut in naive.cuts(strings, left) if cut[1]]:
                left = takes[0][2]
            reached.add((left, after.to_move))
            assert taken >= {coin for coin, owner in enumerate(state.owners) if owner is not None}
        assert len(reached) == 1


# Themes


def test_what_the_best_line_does_fits_the_theme() -> None:
    for each in problems():
        state, best = each.state, each.best[0]
        sides = degrees(state, best)
        can_take = any(1 in degrees(state, line) for line in undrawn(state))
        safe = [line for line in undrawn(state) if min(degrees(state, line)) > 2]
        match each.theme:
            case "take them all" | "take in order":
                assert 1 in sides
            case "double-deal a chain" | "double-deal a loop":
                assert can_take
                assert 1 not in sides
            case "hard-hearted handout":
                assert (can_take, safe) == (False, [])
                assert sides == [2, 2]
            case "which chain to open":
                assert (can_take, safe) == (False, [])
                assert 2 in sides
            case "sacrifice for parity":
                assert not can_take
                assert safe
                assert 2 in sides
            case "boxes before control":
                assert not can_take
                assert safe
            case _:
                assert not can_take
                assert best in safe
                assert len(safe) > 1


def test_parity_is_what_the_themes_say() -> None:
    """By brute force: the nimber after the best line is 0 just if it wins the fight for control."""
    fights = {"sacrifice for parity", "make a long chain", "fewer long chains"}
    fights |= {"the right safe line", "hard-hearted handout"}
    seen = Counter[str]()
    for each in small():
        if each.theme in fights | {"boxes before control"}:
            nimber = naive.nimber(strings_left(each.state.play(each.best[0])))
            assert (nimber == 0) == (each.theme in fights)
            seen[each.theme] += 1
    assert len(seen) >= 5


# Answers


def test_answers_are_judged() -> None:
    each = problem(1)
    assert each.is_right(each.best[0])
    wrong = next(move for move in each.values if move not in each.best)
    assert not each.is_right(wrong)
    with pytest.raises(IllegalMove, match="is drawn already"):
        each.is_right(each.moves[0])
    with pytest.raises(IllegalMove, match="There is no line 999"):
        each.is_right(999)


def test_results_in_words() -> None:
    assert [result_words(margin) for margin in (3, 0, -1)] == ["wins by 3", "draws", "loses by 1"]


def test_problems_are_found_by_grade_theme_and_size() -> None:
    every = problems()
    assert select() == every
    assert select(grade=3) == tuple(each for each in every if each.grade == 3)
    assert select(theme="hard") == tuple(each for each in every if each.theme == "hard-hearted handout")
    assert select(size="05X5") == tuple(each for each in every if (each.game.rows, each.game.cols) == (5, 5))
    both = select(grade=2, theme="Hard-hearted  Handout")
    assert both
    assert all((each.grade, each.theme) == (2, "hard-hearted handout") for each in both)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"grade": 6}, BadOption, "There is no grade 6: grades are 1 to 5."),
        ({"grade": 0}, BadOption, "There is no grade 0"),
        ({"theme": "zugzwang"}, BadOption, "There is no theme 'zugzwang'; the themes are take them all, double-deal"),
        ({"theme": "double"}, BadOption, "matches several themes: double-deal a chain, double-deal a loop."),
        ({"theme": ""}, BadOption, "There is no theme ''"),
        ({"size": "9x9"}, BadOption, "There is no problem on 9x9; the sizes are 2x3, "),
        ({"size": "big"}, BadText, "'big' is not a size: write rows x columns of boxes, such as 4x4."),
        ({"grade": 1, "theme": "hard"}, BadOption, "There is no problem of grade 1 with the theme 'hard-hearted"),
    ],
)
def test_what_there_is_not_is_told(asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        select(**asked)


@pytest.mark.parametrize("number", [0, -1, len(ENTRIES) + 1])
def test_a_number_that_is_not_there(number: int) -> None:
    with pytest.raises(BadOption, match=f"There is no problem {number}: problems are numbered 1 to {len(ENTRIES)}."):
        problem(number)


def test_a_theme_may_be_named_by_a_part() -> None:
    assert theme_named("LOOP") == "double-deal a loop"
    assert theme_named("boxes before control") == "boxes before control"


# Grades


def misses(spec: str, each: Problem) -> bool:
    """Return whether a player draws another line with one of three seeds."""
    for seed in range(3):
        agent = make_agent(each.game, spec, seed)
        if agent.choose(each.state).move not in each.best:
            return True
    return False


@pytest.mark.parametrize("spec", ["greedy", "li-2012", "chain-rule"])
def test_players_miss_the_high_grades(spec: str) -> None:
    """Most of them at least: a player may have learned since."""
    missed = Counter(each.grade for each in problems() if misses(spec, each))
    graded = Counter(each.grade for each in problems())
    assert missed[5] >= 0.8 * graded[5]
    assert missed[1] <= 0.2 * graded[1]


def test_the_greedy_line_is_wrong_in_most() -> None:
    hard = [each for each in problems() if each.grade >= 3]
    assert sum(misses("greedy", each) for each in hard) >= 0.9 * len(hard)
    assert sum(misses("greedy", each) for each in problems()) > 0.5 * len(problems())
