"""What the page is told of Ultimate Tic-Tac-Toe: scenes, facts, the editor, notations."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.games.uttt import page
from kibitz.games.uttt.rules import State, Uttt
from kibitz.testing import random_game

GAME = Uttt()


def test_the_scene_of_the_start() -> None:
    scene = page.scene(GAME.start())
    assert scene["cells"] == [""] * 81
    assert scene["boards"] == [""] * 9
    assert scene["open"] == list(range(9))
    assert scene["legal"] == {str(cell): str(cell) for cell in range(81)}
    assert scene["last"] is None
    assert len(set(scene["names"])) == 81
    assert scene["names"][40] == "centre board, centre"
    assert scene["names"][9 * 2 + 6] == "top right board, bottom left"


def test_the_scene_in_the_middle() -> None:
    state = GAME.parse_position("xxx2o1x1/2o1xo2o/oo4o1x/oxxo5/o4o1o1/1xx2xo1x/3xx2x1/3o1o1xo/3xx1o2 o 8")
    scene = page.scene(state, [4, 8])
    assert scene["boards"] == ["X", "O", "", "", "", "X", "", "", ""]
    assert scene["open"] == [8]
    assert scene["legal"] == {str(72 + cell): str(72 + cell) for cell in (0, 1, 2, 5, 7, 8)}
    assert scene["cells"][:3] == ["X", "X", "X"]
    assert scene["cells"][5] == "O"
    assert scene["last"] == 8
    assert page.scores(state) == [2, 1]
    assert page.picture() == page.scene(state)


@pytest.mark.parametrize("variant", ["closed", "open"])
def test_scenes_say_what_the_rules_say(variant: str) -> None:
    game = registry.game("uttt", variant=variant)
    for state in random_game(game, 5):
        assert isinstance(state, State)
        scene = page.scene(state)
        assert [int(cell) for cell in scene["legal"]] == list(state.legal_moves())
        assert all(scene["cells"][int(cell)] == "" for cell in scene["legal"])
        assert {int(cell) // 9 for cell in scene["legal"]} == set(scene["open"])
        assert json.loads(json.dumps(scene)) == scene
    drawn = [scene["boards"][b] for b in range(9) if "" not in scene["cells"][9 * b : 9 * b + 9]]
    assert all(drawn)  # a full board is decided


def test_facts() -> None:
    state = GAME.parse_position("xxx6/xxx6/xx7/oo7/oo7/oo7/oo7/9/9 x -")
    facts = [fact["text"] for fact in page.layer(state)["facts"]]
    assert facts == ["X 2, O 0", "X in any open board", "X needs the top right board"]
    start = [fact["text"] for fact in page.layer(GAME.start().play(40))["facts"]]
    assert start == ["X 0, O 0", "O in the centre board"]


# The editor


def edited(*changes: dict[str, Any], game: Uttt = GAME) -> str:
    position = ""
    for change in changes:
        position = page.edit(game, position, change)
    return position


def test_any_position_of_a_game_can_be_edited_together() -> None:
    rng = random.Random(2)
    for variant in ("closed", "open"):
        game = Uttt(variant=variant)
        for state in random_game(game, 9)[::7]:
            assert isinstance(state, State)
            cells = [cell for cell in range(81) if state.cells[cell] != -1]
            rng.shuffle(cells)
            changes: list[dict[str, Any]] = [{"cell": cell, "mark": "XO"[state.cells[cell]]} for cell in cells]
            changes.append({"forced": None if state.forced == 9 else state.forced})
            found = game.parse_position(edited(*changes, game=game))
            assert (found.cells, found.forced, found.to_move) == (state.cells, state.forced, state.to_move)


def test_who_moves_follows_the_marks_until_it_is_said() -> None:
    position = edited({"cell": 40, "mark": "X"})
    assert position.split()[1] == "o"
    assert page.edit(GAME, position, {"to_move": 0}).split()[1] == "x"
    assert page.edit(GAME, position, {"cell": 40, "mark": ""}) == edited({"clear": True}) == "9/9/9/9/9/9/9/9/9 x -"


def test_an_impossible_position_is_drawn_but_cannot_be_played() -> None:
    position = edited({"cell": 0, "mark": "O"}, {"cell": 1, "mark": "O"}, {"cell": 2, "mark": "O"})
    with pytest.raises(BadText):
        GAME.parse_position(position)
    scene = page.draft_scene(GAME, position)
    assert scene["cells"][:3] == ["O", "O", "O"]
    assert scene["boards"][0] == "O"
    assert (scene["legal"], scene["open"], scene["to_move"], scene["forced"]) == ({}, [], 0, 9)


@pytest.mark.parametrize(
    "do",
    [
        {},
        {"cell": 81, "mark": "X"},
        {"cell": -1, "mark": "X"},
        {"cell": "0", "mark": "X"},
        {"cell": 0, "mark": "Y"},
        {"cell": 0},
        {"cell": 0, "mark": "X", "more": 1},
        {"forced": 9},
        {"forced": "-"},
        {"to_move": 2},
        {"to_move": None},
        {"clear": False},
        {"clear": True, "cell": 0},
        {"line": "0"},
    ],
)
def test_other_changes_are_refused(do: dict[str, Any]) -> None:
    with pytest.raises(BadText, match="sets a cell"):
        page.edit(GAME, "", do)


# Notations


def test_every_notation_reads_what_it_writes() -> None:
    for variant in ("closed", "open"):
        game = registry.game("uttt", variant=variant)
        states = random_game(game, 3)[:40]
        moves = [state.last for state in states[1:] if isinstance(state, State)]
        for notation in page.NOTATIONS:
            text = page.write(states, moves, notation["name"])
            for how in (notation["name"], None):
                start, found = page.read(game, text, how)
                assert list(found) == (moves if notation["kind"] == "game" else [])
                assert start == (states[0] if notation["kind"] == "game" else states[-1])


def test_texts_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadText, match=r"Move 2 \('40'\): Cell 4 of board 4 holds X already"):
        page.read(GAME, "40 40", "cells")
    with pytest.raises(BadText, match="Move 1"):
        page.read(GAME, "hello", "cells")
    for text in ("/", "999", "x" * 300):
        with pytest.raises(KibitzError):
            page.read(GAME, text, None)
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        page.read(GAME, "40", "sgf")
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        page.write([GAME.start()], [], "sgf")
