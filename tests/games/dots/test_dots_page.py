"""What the page is told of Dots-and-Boxes: scenes of grids and graphs, layers, the editor, notations, problems."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import pytest

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.games.dots import page, problems
from kibitz.games.dots.graph import GROUND, Graph, grid, read_graph
from kibitz.games.dots.page_layout import string_ends, where_coins_lie
from kibitz.games.dots.rules import Dots, State
from kibitz.testing import random_game

TWO = Dots(1, 2)
"""Lines 0 1 above, 2 3 below, 4 5 6 upright; the boxes are (0 2 4 5) and (1 3 5 6)."""
TRIANGLE = json.dumps(
    {
        "coins": ["a", "b", "c"],
        "strings": [["ab", "a", "b"], ["ab2", "a", "b"], ["bc", "b", "c"], ["ca", "c", "a"], ["g", "a", "ground"]],
    }
)


def played(game: Dots, *moves: int) -> State:
    state = game.start()
    for move in moves:
        state = state.play(move)
    return state


def test_the_scene_of_a_grid() -> None:
    state = played(TWO, 0, 2, 4, 5)  # Blue drew 5 and took the left box
    scene = page.scene(state, [5])
    assert (scene["kind"], scene["rows"], scene["cols"]) == ("dots", 1, 2)
    assert [(line["way"], line["row"], line["col"]) for line in scene["lines"]] == [
        ("h", 0, 0), ("h", 0, 1), ("h", 1, 0), ("h", 1, 1), ("v", 0, 0), ("v", 0, 1), ("v", 0, 2),
    ]  # fmt: skip
    assert [line["owner"] for line in scene["lines"]] == [0, None, 1, None, 0, 1, None]
    assert [line["legal"] for line in scene["lines"]] == [False, True, False, True, False, False, True]
    assert [line["move"] for line in scene["lines"]] == list("0123456")
    assert [line["name"] for line in scene["lines"]] == ["h 0 0", "h 0 1", "h 1 0", "h 1 1", "v 0 0", "v 0 1", "v 0 2"]
    assert (scene["boxes"], scene["scores"], scene["last"]) == ([1, None], [0, 1], [5])


def test_lines_of_nobody() -> None:
    scene = page.scene(Dots(2, 2, "swedish").start())
    assert sum(line["owner"] == "start" for line in scene["lines"]) == 8
    read = page.scene(TWO.parse_position("35"))  # 0 2 4 5
    assert [line["owner"] for line in read["lines"]] == ["start", None, "start", None, "start", "start", None]
    assert read["boxes"] == [2, None]  # finished, and nobody's


def test_the_dual_of_a_grid() -> None:
    scene = page.scene(played(TWO, 0))["dual"]
    assert scene["kind"] == "coins"
    assert [(coin["x"], coin["y"]) for coin in scene["coins"]] == [(0, 0), (1, 0)]
    strings = scene["strings"]
    assert [(each["a"], each["b"]) for each in strings] == [
        ("0,0", "ground"), ("0,1", "ground"), ("0,0", "ground"), ("0,1", "ground"),
        ("0,0", "ground"), ("0,0", "0,1"), ("0,1", "ground"),
    ]  # fmt: skip
    # each string crosses its line: up, up, down, down, left, between, right
    ways = [(each["x2"] - each["x1"], each["y2"] - each["y1"]) for each in strings]
    assert [(round(math.copysign(1, x)) if abs(x) > 0.01 else 0, round(math.copysign(1, y)) if abs(y) > 0.01 else 0)
            for x, y in ways] == [(0, -1), (0, -1), (0, 1), (0, 1), (-1, 0), (1, 0), (1, 0)]  # fmt: skip
    assert [each["legal"] for each in strings] == [False, *[True] * 6]


def test_the_scene_of_a_graph() -> None:
    game = registry.game("dots", graph=TRIANGLE)
    scene = page.scene(game.start().play(4).view(0))
    assert scene["kind"] == "coins"
    assert [coin["id"] for coin in scene["coins"]] == ["a", "b", "c"]
    assert [each["move"] for each in scene["strings"]] == ["ab", "ab2", "bc", "ca", "g"]
    assert [each["owner"] for each in scene["strings"]] == [None, None, None, None, 0]
    assert scene["strings"][4]["b"] == "ground"


def graphs() -> list[Graph]:
    ring = {"coins": list(range(30)), "strings": [[f"s{i}", i, (i + 1) % 30] for i in range(30)]}
    star = {"coins": list(range(9)), "strings": [[f"s{i}", 0, i] for i in range(1, 9)]}
    apart = {"coins": ["a", "b"], "strings": [["s", "a", "ground"], ["t", "b", "ground"], ["u", "b", "ground"]]}
    placed = {"coins": ["a", "b"], "strings": [["s", "a", "b"]], "places": {"a": [100, 50], "b": [100, 80]}}
    same = {"coins": ["a", "b"], "strings": [["s", "a", "b"]], "places": {"a": [1, 1], "b": [1, 1]}}
    written = [TRIANGLE, *map(json.dumps, (ring, star, apart, placed, same))]
    return [*map(read_graph, written), grid(3, 4)]


@pytest.mark.parametrize("graph", graphs(), ids=range(7))
def test_every_graph_has_a_picture(graph: Graph) -> None:
    places, ends = where_coins_lie(graph), string_ends(graph)
    assert all(math.isfinite(part) for place in places for part in place)
    for (start, end), (a, b) in zip(ends, graph.strings, strict=True):
        assert all(math.isfinite(part) for part in (*start, *end))
        first, second = (start, end) if math.dist(start, places[a]) <= math.dist(end, places[a]) else (end, start)
        assert math.dist(first, places[a]) < 0.5  # begins at its coin
        if b != GROUND:
            assert math.dist(second, places[b]) < 0.5
        else:
            assert 0.5 < math.dist(second, places[a]) < 0.8
    if len(set(graph.places)) == len(graph.places):
        assert len(set(ends)) == len(ends)  # no two strings lie on each other
        lengths = sorted(math.dist(places[a], places[b]) for a, b in graph.strings if b != GROUND)
        assert not lengths or 0.9 < lengths[len(lengths) // 2] < 1.1


def test_a_given_place_is_kept_in_proportion() -> None:
    graph = next(each for each in graphs() if each.places == ((100.0, 50.0), (100.0, 80.0)))
    assert where_coins_lie(graph) == ((0.0, 0.0), (0.0, 1.0))


# The layer


def test_a_chain_in_the_layer() -> None:
    """On 1x5 with all lines across drawn there is one chain of 5, and every move is loony."""
    game = Dots(1, 5)
    state = played(game, *range(10))
    layer = page.layer(state)
    [chain] = layer["runs"]
    assert (chain["kind"], chain["length"], chain["long"]) == ("chain", 5, True)
    assert (chain["boxes"], chain["lines"]) == ([0, 1, 2, 3, 4], [10, 11, 12, 13, 14, 15])
    assert layer["loony"] == [10, 11, 12, 13, 14, 15]
    assert (layer["safe"], layer["joints"], layer["dead"]) == ([], [], [])
    facts = {fact["label"]: fact["text"] for fact in layer["facts"]}
    assert facts["Phase"] == "Final: no safe line is left."
    # 6 lines and 5 boxes: the player to move wants an even number of long chains, and there is one
    assert facts["Long chains"] == (
        "Red, to move, wants an even number of long chains: there is 1 now, which favours Blue."
    )
    # the controller takes all of the last chain: 5 - 4 fully controlled, and 4 more
    assert facts["Controlled value"] == (
        "5 for who keeps control (1 fully controlled + 4 terminal bonus). "
        "Who must move opens the chain of 5 and nets -5."
    )
    assert facts["Nimbers"] == "*0 (5 boxes): the other player can win the fight for control."
    assert "Advice" not in facts


def test_a_loop_and_joints_in_the_layer() -> None:
    [loop] = page.layer(Dots(2, 2, "swedish").start())["runs"]  # four boxes, each open to two others
    assert (loop["kind"], loop["length"], loop["long"], sorted(loop["boxes"])) == ("loop", 4, True, [0, 1, 2, 3])
    plus = Dots(3, 3, "swedish").start()  # the corners are runs of 1, the others are joints
    layer = page.layer(plus)
    assert sorted(box for run in layer["runs"] for box in run["boxes"]) == [0, 2, 6, 8]
    assert layer["joints"] == [1, 3, 5, 7]  # the centre is one too, but no run meets in it


def test_advice_in_the_layer() -> None:
    """Two chains of 4, one of them opened: to take 2 and leave 2 keeps control of the other 4."""
    game = Dots(2, 4)
    state = played(game, *(game.board.horizontal(row, col) for row in range(3) for col in range(4)))
    assert [(run["kind"], run["length"]) for run in page.layer(state)["runs"]] == [("chain", 4), ("chain", 4)]
    opened = state.play(game.board.vertical(0, 0))
    layer = page.layer(opened)
    assert layer["dead"] == [0, 1, 2, 3]
    facts = {fact["label"]: fact["text"] for fact in layer["facts"]}
    assert facts["Advice"].startswith("Take 2, then leave 2 with e1–e2 (a double-deal): it keeps control of 4 boxes")
    assert facts["Nimbers"].startswith("Loony")
    assert facts["Controlled value"].startswith("When all that can be taken is gone: 4 for who keeps control")


def test_layers_of_whole_games_are_json_and_fit() -> None:
    games = [Dots(3, 3), Dots(2, 5, "icelandic"), registry.game("dots", graph=TRIANGLE)]
    kinds = set()
    for game in games:
        for seed in range(4):
            for state in random_game(game, seed):
                assert isinstance(state, State)
                layer = json.loads(json.dumps(page.layer(state)))
                legal = set(state.legal_moves())
                boxes = [box for run in layer["runs"] for box in run["boxes"]] + layer["joints"] + layer["dead"]
                assert len(boxes) == len(set(boxes))  # a box is one thing only
                assert all(state.owners[box] is None for box in boxes)
                lines = [line for run in layer["runs"] for line in run["lines"]] + layer["loony"] + layer["safe"]
                assert set(lines) <= legal
                assert {run["tone"] for run in layer["runs"]} <= set(range(8))
                kinds |= {run["kind"] for run in layer["runs"]}
                assert sum(page.scores(state)) == len(state.game.board.coins) - state.owners.count(None)
    assert kinds >= {"chain", "string", "possible loop"}


# The editor


def test_lines_are_drawn_and_taken_away() -> None:
    game = Dots(1, 1)
    position = ""
    for line in ("h 0 0", "1", "2"):
        position = page.edit(game, position, {"line": line})
    assert position == "7 . 1"
    finished = page.edit(game, position, {"line": "3"})
    assert finished == "f 1 1"  # the box goes to who is to move
    assert page.edit(game, finished, {"box": 0, "owner": 1}) == "f 2 1"
    assert page.edit(game, finished, {"box": 0, "owner": None}) == "f - 1"
    assert page.edit(game, finished, {"line": "0"}) == "e . 1"  # an open box has no owner
    assert page.edit(game, finished, {"to_move": 1}) == "f 1 2"
    assert page.edit(game, finished, {"clear": True}) == "0 . 1"
    assert page.edit(registry.game("dots", graph=TRIANGLE), "", {"line": "bc"}) == "4 ... 1"


@pytest.mark.parametrize(
    ("do", "words"),
    [
        ({}, "draws a line"),
        ({"line": 0}, "draws a line"),
        ({"line": "99"}, "not a line"),
        ({"line": "0", "by": 1}, "draws a line"),
        ({"box": 0, "owner": 0}, "Only a finished box"),
        ({"box": 9, "owner": 0}, "There is no box 9"),
        ({"box": -1, "owner": 0}, "There is no box -1"),
        ({"box": 0, "owner": 2}, "draws a line"),
        ({"to_move": "1"}, "draws a line"),
        ({"clear": 0}, "draws a line"),
        ({"cell": 0, "mark": "X"}, "draws a line"),
    ],
)
def test_other_changes_are_refused(do: dict[str, Any], words: str) -> None:
    with pytest.raises(BadText, match=words):
        page.edit(Dots(2, 2), "", do)


def test_the_border_of_a_swedish_game_stays() -> None:
    with pytest.raises(BadText, match="belongs to the start"):
        page.edit(Dots(2, 2, "swedish"), "", {"line": "0"})


# Notations and problems


def test_every_notation_reads_what_it_writes() -> None:
    game = Dots(2, 2)
    states = [state for state in random_game(game, 1) if isinstance(state, State)]
    moves = [(after.drawn ^ before.drawn).bit_length() - 1 for before, after in pairwise(states)]
    assert {each["name"] for each in page.NOTATIONS} == {
        "ids", "lines", "littlegolem", "dbl", "trmph", "record", "ascii", "hex",
    }  # fmt: skip
    for notation in page.NOTATIONS:
        text = page.write(states, moves, notation["name"])
        start, found = page.read(game, text, notation["name"])
        assert list(found) == (moves if notation["kind"] == "game" else [])
        assert start == (states[0] if notation["kind"] == "game" else states[-1])


def test_a_notation_that_tells_the_size_is_read_on_it() -> None:
    start, moves = page.read(Dots(5, 5), "#2,b5a4b3c4d1", None)  # from the docs of notations.py
    assert (start.game, list(moves)) == (Dots(2, 2), [0, 6, 2, 7, 5])
    start, moves = page.read(Dots(2, 2), "0 6 2 7 5", None)
    assert (start.game, list(moves)) == (Dots(2, 2), [0, 6, 2, 7, 5])
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        page.read(Dots(2, 2), "0", "sgf")
    with pytest.raises(KibitzError):
        page.read(Dots(2, 2), "?", None)


def test_a_problem_is_shown_without_its_answer() -> None:
    asked = problems.problem(7)
    state, last, told = page.show_problem(7)
    assert state == asked.state
    assert list(last) == [asked.moves[-1]]
    assert (told["number"], told["of"], told["grade"]) == (7, len(problems.problems()), asked.grade)
    assert set(told) == {"number", "title", "grade", "theme", "size", "of", "hint", "options"}
    assert len(page.list_problems()) == len(problems.problems())


def test_every_answer_is_judged() -> None:
    for number in (1, 40, 88):
        asked = problems.problem(number)
        for line in asked.state.legal_moves():
            after, last, told = page.judge_answer(number, str(line))
            assert (told["right"], "best" in told) == (line in asked.best, line in asked.best)
            assert told["words"].startswith("Right." if line in asked.best else "No.")
            assert (after, list(last)) == (asked.state.play(line), [line])
        assert page.show_answer(number)["best"] == [str(line) for line in asked.best]
    with pytest.raises(BadOption):
        page.show_problem(0)
    with pytest.raises(BadText):
        page.judge_answer(1, "x")


def test_lines_by_their_dots() -> None:
    """Letters count columns of dots, numbers rows from the top."""
    game = Dots(2, 3)
    names = {"h 0 0": "a1–b1", "h 2 2": "c3–d3", "v 0 0": "a1–a2", "v 1 3": "d2–d3"}
    assert {text: page.label(game, game.parse_move(text)) for text in names} == names
    told = page.words(game, "Takes 2 boxes, then h 2 2 (a double-deal); the next best line, 17 (v 1 3), draws 2 to 2.")
    assert told == "Takes 2 boxes, then c3–d3 (a double-deal); the next best line, d2–d3, draws 2 to 2."
    largest = Dots(9, 9)
    assert page.label(largest, largest.parse_move("v 8 9")) == "j9–j10"
    assert len({page.label(largest, line) for line in largest.moves()}) == 180
