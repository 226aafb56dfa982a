"""The page module of Dots-and-Boxes that the server still asks for, in page/old.py: scenes, layers, the editor."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from kibitz.core import registry
from kibitz.core.errors import BadText
from kibitz.games.dots import page
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
