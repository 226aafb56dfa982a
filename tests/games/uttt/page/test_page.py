"""Ultimate Tic-Tac-Toe as people see it: pictures, facts, the editor, notations."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise

import pytest

import kibitz
from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.parts import Notations
from kibitz.games.uttt.notations import UtttNotations
from kibitz.games.uttt.page.editor import UtttEditor
from kibitz.games.uttt.page.page import UtttPage
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.picture import Group, Path, Picture, Rect, Shape
from kibitz.picture.check import overlay_problems, problems_of
from kibitz.picture.wire import diff
from kibitz.testing import random_game, random_play

GAME = Uttt()
PAGE = UtttPage()
EDITOR = UtttEditor()
NOTATIONS: Notations[UtttState] = UtttNotations()
MIDDLE = "xxx2o1x1/2o1xo2o/oo4o1x/oxxo5/o4o1o1/1xx2xo1x/3xx2x1/3o1o1xo/3xx1o2 o 8"
VARIANTS = ("closed", "open")


def styles(picture: Picture) -> dict[str, str]:
    """Return the style of every shape by key."""
    assert len({shape.key for shape in picture.shapes}) == len(picture.shapes)
    return {shape.key: shape.style for shape in picture.shapes}


def of_kind(picture: Picture, word: str) -> dict[str, str]:
    """Return the shapes whose key starts with a word, as {rest of the key: style}."""
    found = styles(picture)
    return {key.removeprefix(f"{word} "): style for key, style in found.items() if key.startswith(f"{word} ")}


# Pictures


def test_the_start_is_nine_open_boards() -> None:
    picture = PAGE.picture(GAME.start())
    assert styles(picture) == {f"open {board}": "open fill first" for board in range(9)}
    assert [move.move for move in picture.moves] == [str(cell) for cell in range(81)]
    assert picture.prompt == "Play in any open board"
    assert picture.label == "Ultimate Tic-Tac-Toe. X to move in any open board. X has 0 boards, O 0 boards."
    labels = {place.key: place.label for place in picture.places}
    assert len(set(labels.values())) == 81
    assert labels["0"] == "a1, top left board, top left"
    assert labels["40"] == "e5, centre board, centre"
    assert labels[str(9 * 2 + 6)] == "g3, top right board, bottom left"


def test_the_middle_of_a_game() -> None:
    state = GAME.parse_position(MIDDLE)
    picture = PAGE.picture(state, [4, 8])
    found = styles(picture)
    assert of_kind(picture, "open") == {"8": "open fill second"}
    assert of_kind(picture, "tint") == {"0": "tint fill first", "1": "tint fill second", "5": "tint fill first"}
    assert of_kind(picture, "won") == {
        "0": "mark large first",
        "1": "mark large second draw",
        "5": "mark large first",
    }
    assert of_kind(picture, "last") == {"8": "last fill", "tint 8": "last-tint fill"}
    assert found["0"] == "mark first faint"
    assert found["11"] == "mark second faint draw"
    assert found["27"] == "mark second draw"
    assert [move.move for move in picture.moves] == [str(72 + cell) for cell in (0, 1, 2, 5, 7, 8)]
    assert {place.label for place in picture.places if place.key in ("0", "5")} == {
        "a1, top left board, top left, X",
        "c2, top left board, right, O",
    }
    assert picture.prompt == "Play in the bottom right board"
    assert GAME.scores(state) == (2, 1)


def test_a_drawn_board_is_hatched_and_a_finished_game_has_a_line_through_three_boards() -> None:
    state = GAME.parse_position("xxx6/xxx6/xxx6/ooxxxooxo/oo7/oo7/oo7/o8/9 o -")
    picture = PAGE.picture(state)
    assert of_kind(picture, "tint")["3"] == "tint fill drawn"
    assert of_kind(picture, "row") == {"012": "through draw first"}
    assert not of_kind(picture, "open")
    assert not picture.moves
    assert picture.prompt == ""
    assert picture.label == "Ultimate Tic-Tac-Toe. The game is over. X has 3 boards, O 0 boards."


def test_small_marks_stay_clear_where_a_won_board_is_played_on() -> None:
    position = "xxx6/oo7/9/9/9/9/9/9/9 o 0"
    opened = Uttt(variant="open").parse_position(f"{position} x........")
    found = styles(PAGE.picture(opened))
    assert found["0"] == "mark first dim"
    assert found["won 0"] == "mark large first dim"
    assert found["open 0"] == "open fill second"
    closed = styles(PAGE.picture(GAME.parse_position(position.replace("o 0", "o -"))))
    assert closed["0"] == "mark first faint"
    assert closed["won 0"] == "mark large first"


@pytest.mark.parametrize("variant", VARIANTS)
def test_pictures_show_what_the_rules_say(variant: str) -> None:
    game = registry.game("uttt", variant=variant)
    states, moves = random_play(game, 5)
    for number, state in enumerate(states):
        assert isinstance(state, UtttState)
        picture = PAGE.picture(state, moves[:number])
        found, places = styles(picture), {place.key for place in picture.places}
        assert [int(move.move) for move in picture.moves] == list(state.legal_moves())
        assert all(PAGE.steps(state, int(move.move)) == (move.move,) for move in picture.moves)
        assert len(places) == len(picture.places) == 81
        assert {key for key in found if key.isdigit()} == {str(i) for i, code in enumerate(state.cells) if code != -1}
        assert set(of_kind(picture, "open")) == {str(move // 9) for move in state.legal_moves()}
        assert set(of_kind(picture, "tint")) == {str(i) for i, owner in enumerate(state.boards) if owner != -1}
        assert {place.ghost for place in picture.places} <= set(picture.ghosts)
    assert len(states) > 30


def test_a_move_changes_few_shapes() -> None:
    states, moves = random_play(GAME, 8)
    pictures = [PAGE.picture(state, moves[:i]) for i, state in enumerate(states) if isinstance(state, UtttState)]
    for before, after in pairwise(pictures):
        change = diff(before, after)
        assert change is not None
        gone, put = change["shapes"]
        assert len(put) <= 20
        assert len(change["places"][1]) == 1
        old = {shape.key: shape for shape in before.shapes}
        changed = {entry[0][1] for entry in put}
        assert all(shape is old[shape.key] for shape in after.shapes if shape.key in old and shape.key not in changed)
        assert all(key.startswith(("open", "last")) for key in gone)


def strokes(shapes: tuple[Shape, ...]) -> list[str]:
    """Return the paths of hand-drawn marks."""
    found = []
    for shape in shapes:
        if isinstance(shape, Group):
            found += strokes(shape.shapes)
        elif isinstance(shape, Path) and "draw" in shape.style.split():
            found.append(shape.d)
    return found


def test_marks_are_drawn_by_hand_but_stay_in_their_cells() -> None:
    drawn = strokes(PAGE.picture(GAME.parse_position(MIDDLE)).shapes)
    assert max(Counter(drawn).values()) <= 3
    small = [path for path in drawn if len(path) < 200 and not re.search(r"[4-9]\d\.", path)]
    assert len(small) > 40
    for path in small:
        assert all(abs(float(number)) <= 24 for number in re.findall(r"-?[0-9.]+", path))


def test_a_draft_shows_marks_owners_and_the_forced_board_but_nothing_to_play() -> None:
    picture = EDITOR.picture(GAME, "ooo6/9/9/9/9/9/9/9/9 x 4")
    found = styles(picture)
    assert {"0", "1", "2", "won 0", "open 4"} < set(found)
    assert found["open 4"] == "open fill first"
    assert not picture.moves
    assert len(picture.places) == 81
    with pytest.raises(BadText):
        EDITOR.picture(GAME, "9/9 x -")


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_renderers_can_draw_the_pictures(variant: str) -> None:
    assert PAGE.style is not None
    assert PAGE.art is not None
    style, art = PAGE.style.read_text(encoding="utf-8"), PAGE.art.read_text(encoding="utf-8")
    game = registry.game("uttt", variant=variant)
    assert isinstance(game, Uttt)
    for state in random_game(game, 1)[::4]:
        assert isinstance(state, UtttState)
        for picture in (PAGE.picture(state, (40,)), EDITOR.picture(game, game.position_text(state))):
            assert problems_of(picture, style, art, name="uttt") == []
        assert overlay_problems(PAGE.overlay(state), picture, style, art) == []


def test_names() -> None:
    assert [PAGE.label(GAME, move) for move in (0, 8, 9, 40, 72, 80)] == ["a1", "c3", "d1", "e5", "g7", "i9"]
    assert all(GAME.parse_move(PAGE.label(GAME, move)) == move for move in GAME.moves())
    options, position = PAGE.cover
    assert PAGE.picture(kibitz.game("uttt", **options).parse_position(position)).moves
    assert set(PAGE.options) == set(GAME.options)
    assert all(isinstance(shape, (Group, Path)) for tool in EDITOR.tools(GAME) for shape in tool.shapes)
    assert isinstance(PAGE.picture(GAME.start(), [40]).shapes[0], Rect)


def test_facts() -> None:
    state = GAME.parse_position("xxx6/xxx6/xx7/oo7/oo7/oo7/oo7/9/9 x -")
    facts = [fact.text for fact in PAGE.overlay(state).facts]
    assert facts == ["X 2, O 0", "X in any open board", "X needs the top right board"]
    start = [fact.text for fact in PAGE.overlay(GAME.start().play(40)).facts]
    assert start == ["X 0, O 0", "O in the centre board"]


# The editor


def pressed(*presses: tuple[str, int], game: Uttt = GAME) -> str:
    position = ""
    for tool, cell in presses:
        position = EDITOR.press(game, position, tool, str(cell))
    return position


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_position_of_a_game_can_be_set_up(variant: str) -> None:
    rng, game = random.Random(2), registry.game("uttt", variant=variant)
    assert isinstance(game, Uttt)
    for state in random_game(game, 9)[::7]:
        assert isinstance(state, UtttState)
        cells = [cell for cell in range(81) if state.cells[cell] != -1]
        rng.shuffle(cells)
        draft = pressed(*(("XO"[state.cells[cell]], cell) for cell in cells), game=game)
        forced = "any" if state.forced == 9 else str(state.forced)
        draft = EDITOR.choose(game, draft, "forced", forced)
        assert EDITOR.chosen(game, draft) == {"to_move": str(state.to_move), "forced": forced}
        found = game.parse_position(draft)
        assert (found.cells, found.forced, found.to_move) == (state.cells, state.forced, state.to_move)
        assert EDITOR.picture(game, game.position_text(found)) == EDITOR.picture(game, draft)


def test_the_player_to_move_follows_the_marks_until_it_is_chosen() -> None:
    position = pressed(("X", 40))
    assert position.split()[1] == "o"
    assert EDITOR.choose(GAME, position, "to_move", "0").split()[1] == "x"
    assert EDITOR.press(GAME, position, "X", "40") == "9/9/9/9/9/9/9/9/9 x -"  # a second press takes it away
    assert EDITOR.press(GAME, position, "nothing", "40") == "9/9/9/9/9/9/9/9/9 x -"
    assert EDITOR.press(GAME, position, "O", "40") == "9/9/9/9/4o4/9/9/9/9 x -"
    assert EDITOR.chosen(GAME, "") == {"to_move": "0", "forced": "any"}


def test_an_impossible_position_is_drawn_but_cannot_be_played() -> None:
    position = pressed(("O", 0), ("O", 1), ("O", 2))
    with pytest.raises(BadText):
        GAME.parse_position(position)
    assert styles(EDITOR.picture(GAME, position))["won 0"] == "mark large second dim draw"


@pytest.mark.parametrize(
    ("tool", "place"), [("X", "81"), ("X", "-1"), ("X", ""), ("X", "e5"), ("X", "²"), ("Y", "0"), ("", "0"), ("x", "0")]
)
def test_other_presses_are_refused(tool: str, place: str) -> None:
    with pytest.raises(BadText, match="Unknown"):
        EDITOR.press(GAME, "", tool, place)


@pytest.mark.parametrize(
    ("setting", "value"), [("forced", "9"), ("forced", "-"), ("to_move", "2"), ("to_move", ""), ("komi", "1")]
)
def test_other_choices_are_refused(setting: str, value: str) -> None:
    with pytest.raises(BadText, match=r"cannot be|Unknown setting"):
        EDITOR.choose(GAME, "", setting, value)


# Notations


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_notation_reads_what_it_writes(variant: str) -> None:
    game = registry.game("uttt", variant=variant)
    played = [state for state in random_game(game, 3)[:40] if isinstance(state, UtttState)]
    moves = [state.last for state in played[1:]]
    for kind in NOTATIONS.kinds:
        text = NOTATIONS.write(played, moves, kind.name)
        for name in (kind.name, None):
            start, found = NOTATIONS.read(game, text, name)
            assert list(found) == (moves if kind.kind == "game" else [])
            assert start == (played[0] if kind.kind == "game" else played[-1])


def test_moves_as_the_page_names_them_are_read() -> None:
    assert NOTATIONS.read(GAME, "e5 d4 a1", None)[1] == (40, 36, 0)


def test_texts_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadText, match=r"Move 2 \('40'\): Cell 4 of board 4 is already taken by X"):
        NOTATIONS.read(GAME, "40 40", "cells")
    with pytest.raises(BadText, match="Move 1"):
        NOTATIONS.read(GAME, "hello", "cells")
    for text in ("/", "999", "x" * 300):
        with pytest.raises(KibitzError):
            NOTATIONS.read(GAME, text, None)
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        NOTATIONS.read(GAME, "40", "sgf")
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        NOTATIONS.write([GAME.start()], [], "sgf")
