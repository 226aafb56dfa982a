"""Problems: each replayed and proved again by the solver, small ones by brute force too; themes, grades, the maker."""

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
from games.dots.boards import picture, pictures
from kibitz.core.errors import BadOption, BadText
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.problems import problems as stock
from kibitz.games.dots.problems.problems import GRADES, THEMES, Problem, from_json, problems, result_words, select
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.search.agents import make_agent

ROOT = Path(__file__).parents[4]
ENTRIES: list[dict[str, Any]] = json.loads(
    resources.files("kibitz.games.dots.problems").joinpath(stock.PROBLEMS_FILE).read_text(encoding="utf-8")
)["problems"]
BRUTE = 13  # with this many lines, brute force takes about a tenth of a second


@cache
def solver(rows: int, cols: int) -> Solver:
    return Solver(Dots(rows, cols).board, 1 << 24)


def strings_left(state: DotsState) -> naive.Strings:
    return naive.part(naive.grid_strings(state.game.rows, state.game.cols), state.undrawn)


def degrees(state: DotsState, line: int) -> list[int]:
    """Return how many sides are open of each box beside a line."""
    strings = naive.grid_strings(state.game.rows, state.game.cols)
    return [sum(box in strings[other] for other in state.legal_moves()) for box in strings[line] if box is not None]


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
    # Most answers are a single line.
    assert sum(len(each.best) == 1 for each in problems()) >= 0.75 * len(problems())


def test_the_file_tells_how_it_was_made() -> None:
    made = stock.provenance()
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
    assert from_json(entry).to_json() == entry


@pytest.mark.parametrize("each", problems(), ids=lambda each: str(each.id))
def test_the_solver_proves_it_again(each: Problem) -> None:
    state = each.state
    found = solver(each.game.rows, each.game.cols).solve(state.drawn, moves=True)
    lead = state.scores[state.to_move] - state.scores[1 - state.to_move]
    assert {move: lead + value for move, value in found.moves.items()} == each.values
    assert sorted(each.values) == list(state.legal_moves())
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
        state, lines = each.state, each.state.legal_moves()
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
        can_take = any(1 in degrees(state, line) for line in state.legal_moves())
        safe = [line for line in state.legal_moves() if min(degrees(state, line)) > 2]
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
        ({"grade": 6}, BadOption, "Unknown grade 6: grades are 1 to 5."),
        ({"grade": 0}, BadOption, "Unknown grade 0"),
        ({"theme": "zugzwang"}, BadOption, "Unknown theme 'zugzwang'; the themes are take them all, double-deal"),
        ({"theme": "double"}, BadOption, "matches several themes: double-deal a chain, double-deal a loop."),
        ({"theme": ""}, BadOption, "Unknown theme ''"),
        ({"size": "9x9"}, BadOption, "No problem has a 9x9 board; use one of 2x3, "),
        ({"size": "big"}, BadText, "'big' is not a size: write rows x columns of boxes, such as 4x4."),
        ({"grade": 1, "theme": "hard"}, BadOption, "No problem matches grade 1, theme 'hard-hearted"),
    ],
)
def test_what_there_is_not_is_told(asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        select(**asked)


@pytest.mark.parametrize("number", [0, -1, len(ENTRIES) + 1])
def test_a_number_that_is_not_there(number: int) -> None:
    with pytest.raises(BadOption, match=f"Unknown problem {number}: problems are numbered 1 to {len(ENTRIES)}."):
        stock.problem(number)


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


# What makes a problem


# END_OF_CHAIN: boxes 1 and 2 can be taken, or left with v 0 3; a chain of 3 is below.
# STRING_OF_THREE: boxes 3, 4 and 5 are a string of 3; h 0 2 makes a possible loop of it.
# TO_BE_A_STRING: v 0 1 makes a string of 3, boxes 0, 3 and 4.
# TO_BE_SPOILT: v 1 0 makes a possible loop of boxes 0, 1, 3 and 4 before they become a chain.
# A_PAIR_TO_GIVE: v 2 2 gives the two boxes beside it; there are safe lines, such as h 1 1.
# LOST_FIGHT: h 2 0 is safe, but brute force finds that it loses the fight for control.
BOARDS = pictures("""
LAST_SAFE_LINE   END_OF_CHAIN   END_OF_LOOP   ONE_AND_TWO   TWO_AND_THREE   ONE_AND_THREE   STRING_OF_THREE
+-+ +-+          +-+-+-+        +-+-+-+-+     + +-+-+       +-+-+-+         +-+-+-+         + +-+ +
                 | |            |       |     | |                                                 |
+-+-+-+          +-+-+-+        +-+-+-+-+     +-+-+-+       +-+-+-+         +-+-+-+         + +-+ +
                                                                | |           | | |         |     |
                 +-+-+-+        +-+-+-+-+     +-+-+-+       +-+ +-+         +-+-+-+         +-+-+-+
TO_BE_A_STRING   TO_BE_SPOILT   THREE_BELOW_THREE   LOST_FIGHT   A_PAIR_TO_GIVE
+-+ +-+          +-+-+-+        +-+-+-+             + +-+-+-+    +-+-+-+
                 |   |                              |   | | |    | |   |
+ + + +          + + + +        +-+-+-+             + + +-+-+    +-+ + +
|   |                                 |             |   | | |    | |
+-+-+-+          +-+ + +        + + + +             + + +-+-+    +-+-+ +
                                                                       |
                                                                 + +-+-+
""")


@pytest.mark.parametrize(
    ("board", "line", "theme"),
    [
        ("END_OF_CHAIN", "v 0 3", "double-deal a chain"),
        ("END_OF_CHAIN", "v 0 2", "take them all"),
        ("END_OF_LOOP", "v 0 2", "double-deal a loop"),
        ("END_OF_LOOP", "v 0 3", "take them all"),
        ("ONE_AND_TWO", "h 0 0", "take in order"),
        ("TWO_AND_THREE", "v 1 1", "hard-hearted handout"),
        ("TWO_AND_THREE", "v 0 1", "which chain to open"),
        ("ONE_AND_THREE", "v 1 0", None),
        ("LAST_SAFE_LINE", "h 0 1", None),
        ("STRING_OF_THREE", "h 0 2", "fewer long chains"),
        ("TO_BE_A_STRING", "v 0 1", "make a long chain"),
        ("TO_BE_SPOILT", "v 1 0", "fewer long chains"),
        ("THREE_BELOW_THREE", "v 1 1", "the right safe line"),
        ("A_PAIR_TO_GIVE", "v 2 2", "sacrifice for parity"),
        ("LOST_FIGHT", "h 2 0", "boxes before control"),
    ],
)
def test_themes(board: str, line: str, theme: str | None) -> None:
    state = BOARDS[board]
    assert stock.theme_of(state, state.game.parse_move(line)) == theme


def test_the_lost_fight_is_lost() -> None:
    state = BOARDS["LOST_FIGHT"]
    assert naive.nimber(strings_left(state.play(state.game.parse_move("h 2 0")))) != 0


def test_no_theme_where_all_must_be_taken_and_one_answer_for_a_chain() -> None:
    row = picture("+-+-+-+-+\n|\n+-+-+-+-+")
    assert stock.theme_of(row, row.game.parse_move("v 0 1")) is None
    last_two = picture("+-+-+\n|\n+-+-+")
    assert stock.theme_of(last_two, last_two.game.parse_move("v 0 1")) is None
    # All lines of a chain are one answer.
    state = BOARDS["TWO_AND_THREE"]
    top = {stock.effect_of(state, state.game.parse_move(f"v 0 {col}")) for col in range(4)}
    assert len(top) == 1
    below = [stock.effect_of(state, state.game.parse_move(line)) for line in ("v 1 0", "v 1 1", "h 2 1")]
    assert below[0] == below[2] != below[1]  # the middle line leaves no double-deal


# Making them


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.make import dots_problems

    return dots_problems


def test_the_same_seed_makes_the_same_problems(maker: Any, tmp_path: Path) -> None:
    boards = (Dots(2, 3), Dots(2, 4, "icelandic"))
    made = [maker.make(7, 2, of_a_theme=2, boards=boards) for _ in range(2)]
    assert made[0] == made[1] != []
    assert maker.make(8, 2, of_a_theme=2, boards=boards) != made[0]
    path = tmp_path / "made.json"
    maker.write(path, made[0], 7, 2)
    written = json.loads(path.read_text())
    assert [from_json(entry) for entry in written["problems"]] == made[0]
    assert written["made"]["seed"] == 7


def test_a_wrong_file_is_found_out(maker: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = json.loads(json.dumps(ENTRIES[0]))
    path = tmp_path / "problems.json"
    for key, value in ((None, None), ("values", dict.fromkeys(entry["values"], 1)), ("theme", "zugzwang")):
        bad = entry if key is None else {**entry, key: value}
        path.write_text(json.dumps({"problems": [bad]}))
        with pytest.raises(SystemExit) as ended:
            maker.check(path)
        assert bool(ended.value.code) == (key is not None)
        said = capsys.readouterr().out
        assert (f"problem 1 {key} should be " if key else "1 problems proved again") in said
