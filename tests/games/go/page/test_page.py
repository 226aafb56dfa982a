"""Go as people see it: pictures, dead stones, facts, overlays, the editor, notations."""

from __future__ import annotations

import gzip
import json
import random
from itertools import pairwise
from typing import Any

import pytest

import kibitz
from games.go.go_games import KO, OVER, played
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Outcome
from kibitz.core.parts import Notations, Signature
from kibitz.games.go.notations import GoNotations
from kibitz.games.go.page.page import GoEditor, GoPage, heat_overlay, ownership_overlay
from kibitz.games.go.rules import MAX_BOARD_SIZE, Go, GoState, star_points
from kibitz.picture import Circle, Group, Overlay, Picture, Rect, Text, Use
from kibitz.picture.check import overlay_problems, problems_of
from kibitz.picture.wire import diff, to_json
from kibitz.testing import random_game, random_play

PAGE = GoPage()
EDITOR = GoEditor()
NOTATIONS: Notations[GoState] = GoNotations()
SMALL = Go(5, 0.5)


def styles(picture: Picture) -> dict[str, str]:
    """Return the style of every shape by key."""
    assert len({shape.key for shape in picture.shapes}) == len(picture.shapes)
    return {shape.key: shape.style for shape in picture.shapes}


def of_kind(picture: Picture, word: str) -> dict[str, str]:
    """Return the shapes whose key starts with a word, as {rest of the key: style}."""
    found = styles(picture)
    return {key.removeprefix(f"{word} "): style for key, style in found.items() if key.startswith(f"{word} ")}


def labels(picture: Picture) -> dict[str, str]:
    return {place.key: place.label for place in picture.places}


# Pictures


def test_stones_and_the_last_move() -> None:
    game = Go(9)
    picture = PAGE.picture(played(game, "C7", "G3", "D6"), [game.parse_move("G3"), game.parse_move("D6")])
    stones = {"C7": "stone drop black", "D6": "stone drop black", "G3": "stone drop white"}
    assert styles(picture) == {**stones, "last D6": "last fill on-black"}
    stone = picture.shapes[0]
    assert isinstance(stone, Use)
    assert (stone.key, stone.x, stone.y, stone.symbol) == ("C7", 58 + 2 * 48, 58 + 2 * 48, "go-black")
    assert stone.scale == pytest.approx(0.478 * 48)
    assert (labels(picture)["C7"], labels(picture)["J1"]) == ("C7, black stone", "J1")
    assert {move.move for move in picture.moves} == set(labels(picture)) - set(stones)
    assert [(button.label, button.move) for button in picture.buttons] == [("Pass", "pass")]
    assert picture.label == "Go, 9 by 9. White to move. 2 black and 1 white stones."
    assert picture.prompt == "Play a stone, or pass"
    assert all(set(place.ghost.split()) <= set(picture.ghosts) for place in picture.places)
    assert "white" in " ".join(shape.style for shape in picture.ghosts["stone"])


def test_a_pass_has_no_place_but_is_announced() -> None:
    state = played(SMALL, "C3", "pass")
    picture = PAGE.picture(state, [SMALL.pass_move])
    assert styles(picture) == {"C3": "stone drop black"}
    assert picture.prompt == "White passed. Pass too to end the game, or play on"
    assert "White passed. Black to move." in picture.label
    assert (PAGE.steps(state, SMALL.pass_move), PAGE.steps(state, 0)) == ((), ("A5",))


def test_a_ko_is_marked_and_a_suicide_leaves_no_ring() -> None:
    state = played(SMALL, *KO)
    picture = PAGE.picture(state, [state.last])
    assert of_kind(picture, "ko") == {"C2": "ko fill"}
    assert "C2" not in {move.move for move in picture.moves}
    assert labels(picture)["C2"] == "C2, forbidden by ko"
    assert of_kind(picture, "last") == {"B2": "last fill on-white"}
    suicide = played(Go(5, suicide=True), "A2", "pass", "B1", "A1")
    assert not of_kind(PAGE.picture(suicide, [suicide.last]), "last")
    assert labels(PAGE.picture(suicide))["A1"] == "A1"


def test_dead_stones_are_marked_while_the_players_settle() -> None:
    state = played(SMALL, *OVER)
    nobody = PAGE.picture(state, [SMALL.pass_move], marks=())
    assert (of_kind(nobody, "owner"), nobody.buttons, nobody.prompt) == ({}, (), "Mark the dead stones")
    assert {move.move for move in nobody.moves} == set(OVER) - {"pass"}
    assert (labels(nobody)["E3"], labels(nobody)["B3"]) == ("E3, black stone, alive", "B3")
    settled = PAGE.picture(state, marks=["E3", "A3"])
    columns = {"A": "black", "B": "black", "E": "white"}
    assert of_kind(settled, "owner") == {
        f"{column}{row}": f"owner fill {colour}" for column, colour in columns.items() for row in range(1, 6)
    }
    assert (styles(settled)["E3"], styles(settled)["A3"]) == ("stone drop black dead", "stone drop white dead")
    assert labels(settled)["A3"] == "A3, white stone, dead"
    assert SMALL.scores(state) == SMALL.scores(state, ()) == (6, 6.5)
    assert SMALL.scores(state, ["E3", "A3"]) == (15, 10.5)
    assert SMALL.scores(played(SMALL, *OVER[:-1])) is None
    whole_chain = {shape.key for shape in PAGE.picture(state, marks=["D2"]).shapes if "dead" in shape.style}
    assert whole_chain == {f"D{row}" for row in range(1, 6)}
    for wrong in ("B1", "Z9"):
        with pytest.raises(BadText):
            PAGE.picture(state, marks=[wrong])


def test_a_finished_game_shows_its_owners_and_nothing_to_press() -> None:
    game = Go(3, 0.5)
    picture = PAGE.picture(played(game, "B2", "pass", "pass"))
    assert len(of_kind(picture, "owner")) == 8
    assert (picture.moves, picture.buttons, picture.prompt) == ((), (), "")
    assert labels(picture)["B2"] == "B2, black stone"
    assert "The game is over." in picture.label


@pytest.mark.parametrize("size", range(1, MAX_BOARD_SIZE + 1))
def test_every_size_is_drawn(size: int) -> None:
    picture = PAGE.picture(Go(size).start())
    _, _, width, height = picture.frame
    assert width == height >= 260
    assert len(picture.places) == size * size
    assert len({(place.x, place.y) for place in picture.places}) == size * size
    assert all(20 < place.x < width - 20 and 20 < place.y < height - 20 for place in picture.places)
    stars = [shape for shape in picture.ground if isinstance(shape, Circle)]
    assert len(stars) == max(len(star_points(size)), size == 1)
    names = [shape.text for shape in picture.ground if isinstance(shape, Text)]
    assert len(names) == 2 * size
    points = {f"{col}{row}" for col in names if col.isalpha() for row in names if row.isdigit()}
    assert {place.key for place in picture.places} == points
    assert_drawable(picture)
    assert picture.ground is PAGE.picture(Go(size, 0.5).start()).ground


def test_sizes_and_handicap_as_in_the_design() -> None:
    nine, nineteen = PAGE.picture(Go(9).start()), PAGE.picture(Go(19, handicap=9).start())
    assert [nine.frame[2:], nineteen.frame[2:]] == [(500, 500), (740, 740)]
    assert len(nineteen.shapes) == 9
    assert "black" in nineteen.shapes[0].style
    assert "white" in " ".join(shape.style for shape in nineteen.ghosts["stone"])


@pytest.mark.parametrize("options", [{}, {"ko": "positional"}, {"suicide": True}, {"scoring": "territory"}])
def test_pictures_show_what_the_rules_say(options: dict[str, Any]) -> None:
    game = Go(5, 0.5, **options)
    states, moves = random_play(game, 3)
    for number, state in enumerate(states):
        assert isinstance(state, GoState)
        picture = PAGE.picture(state, moves[:number], marks=() if number % 2 else None)
        found, names = styles(picture), labels(picture)
        stones = {game.move_text(point) for point, code in enumerate(state.board.points) if code}
        assert {key for key in found if " " not in key} == stones
        assert len(names) == len(picture.places) == 25
        wanted = [game.move_text(move) for move in state.legal_moves() if move != game.pass_move]
        settling = state.is_over() and number % 2
        assert [move.move for move in picture.moves] == (sorted(stones, key=game.parse_move) if settling else wanted)
        assert {step for move in state.legal_moves() for step in PAGE.steps(state, move)} <= set(names)
        assert bool(picture.buttons) == (not state.is_over())
    assert len(states) > 20


def test_a_full_board_is_small_enough_to_send() -> None:
    rng, state = random.Random(1), Go().start()
    while sum(map(bool, state.board.points)) < 200:
        state = state.play(rng.choice(state.legal_moves()[:-1]))
    text = json.dumps(to_json(PAGE.picture(state, [state.last])), separators=(",", ":")).encode()
    assert len(text) < 32 * 1024
    assert len(gzip.compress(text)) < 6 * 1024


def test_a_move_changes_few_objects() -> None:
    states, moves = random_play(Go(9), 2)
    pictures = [PAGE.picture(state, moves[:i]) for i, state in enumerate(states[:160]) if isinstance(state, GoState)]
    captures = 0
    for before, after in pairwise(pictures):
        change = diff(before, after)
        assert change is not None
        changed = {entry[entry[0] == "@"] for entry in change.get("places", [[], []])[1]}
        shapes, places = ({part.key: part for part in parts} for parts in (before.shapes, before.places))
        assert all(shapes.get(shape.key, shape) is shape for shape in after.shapes if shape.key not in changed)
        assert all(places[place.key] is place for place in after.places if place.key not in changed)
        captures += len(changed) > 2
        assert len(json.dumps(change)) < 1500
        assert before.ground is after.ground
    assert captures


def test_both_renderers_can_draw_the_pictures() -> None:
    settled, ko = played(SMALL, *OVER), played(SMALL, *KO)
    assert_drawable(PAGE.picture(settled, [SMALL.pass_move], marks=["A3"]))
    assert_drawable(PAGE.picture(ko, [ko.last]), heat_overlay(5, [(0, 0.5), (1, 0.001)], [0]))
    assert_drawable(EDITOR.picture(SMALL, ""), ownership_overlay(ko, [1.0] * 12 + [-1.0] * 13))
    for state in random_game(Go(9), 4)[::9]:
        assert isinstance(state, GoState)
        assert_drawable(PAGE.picture(state, [state.last] if state.last >= 0 else []), PAGE.overlay(state))


def assert_drawable(picture: Picture, overlay: Overlay = Overlay()) -> None:
    assert PAGE.style is not None
    assert PAGE.art is not None
    style, art = PAGE.style.read_text(encoding="utf-8"), PAGE.art.read_text(encoding="utf-8")
    assert problems_of(picture, style, art, name="go") == []
    assert overlay_problems(overlay, picture, style, art) == []


def test_the_cover_and_the_options() -> None:
    options, position = PAGE.cover
    assert PAGE.picture(kibitz.game("go", **options).parse_position(position)).moves
    assert set(PAGE.options) == set(SMALL.options)
    assert (PAGE.label(SMALL, 0), PAGE.label(SMALL, SMALL.pass_move)) == ("A5", "pass")
    assert (SMALL.max_game_length, Go().max_game_length) == (100, 4 * 361)


# Facts, notes, overlays


def test_facts_and_notes() -> None:
    facts = [(fact.label, fact.text) for fact in PAGE.overlay(played(SMALL, *KO)).facts]
    assert facts == [
        ("Black", "3 stones, 0 prisoners"),
        ("White", "4 stones, 1 prisoner"),
        ("Counted", "stones and territory, komi 0.5"),
        ("Ko", "Black may not play C2 now"),
        ("Atari", "Black can be captured at A1"),
        ("Atari", "White can be captured at C2"),
    ]
    assert PAGE.notes(played(SMALL, *KO)) == ("0 prisoners", "1 prisoner, komi 0.5")
    assert PAGE.notes(played(SMALL, *OVER), ["A3"]) == ("", "komi 0.5")


def test_heat_is_discs_with_numbers_on_the_best() -> None:
    shares = [(7, 0.005), (3, 0.4), (4, 0.2), (5, 0.1), (6, 0.05), (8, 0.02), (9, 0.015)]
    overlay = heat_overlay(9, shares, [5])
    labels = [shape for group in overlay.over if isinstance(group, Group) for shape in group.shapes]
    assert [label.text for label in labels if isinstance(label, Text)] == ["40", "20", "10", "5", "2"]
    discs = [shape.r for shape in overlay.over if isinstance(shape, Circle)]
    assert len(discs) == 2
    assert discs[0] > discs[1] > 0
    assert overlay.over[-1].style == "chosen"
    assert (overlay.over[0].x, overlay.over[0].y) == (58 + 3 * 48, 58)
    assert len(overlay.legend) == 2
    assert heat_overlay(9, []).over == ()


def test_expected_owners_are_squares_the_larger_the_surer() -> None:
    state = played(SMALL, *KO)
    shares = [0.0] * 25
    for name, share in (("A5", 1.0), ("B5", 0.2), ("C5", 0.19), ("D5", -0.6), ("B3", 1.0), ("C3", 0.9)):
        shares[SMALL.parse_move(name)] = share
    squares = [shape for shape in ownership_overlay(state, shares).over if isinstance(shape, Rect)]
    assert [(round(each.w / 48, 2), each.style.split()[-1]) for each in squares] == [
        (0.54, "black"),  # A5
        (0.2, "black"),  # B5
        (0.37, "white"),  # D5
        (0.5, "black"),  # C3, a white stone; Black's own stone on B3 has none
    ]
    over = played(SMALL, *OVER)
    assert len(ownership_overlay(over, [1.0] * 25).over) == 13  # nobody's points; stones are their owners'
    assert not ownership_overlay(over, [1.0] * 25, ["E3", "A3"]).over  # every point has an owner


# The editor


@pytest.mark.parametrize("ko", ["simple", "positional"])
def test_any_position_of_a_game_can_be_set_up(ko: str) -> None:
    rng, game = random.Random(2), Go(5, 0.5, ko="positional" if ko == "positional" else "simple")
    for state in random_game(game, 9)[::5]:
        assert isinstance(state, GoState)
        points = [point for point, code in enumerate(state.board.points) if code]
        rng.shuffle(points)
        draft = ""
        for point in points:
            colour = ("", "black", "white")[state.board.points[point]]
            draft = EDITOR.press(game, draft, colour, game.move_text(point))
        draft = EDITOR.choose(game, draft, "to_move", str(state.to_move))
        assert EDITOR.chosen(game, draft) == {"to_move": str(state.to_move)}
        found = game.parse_position(draft)
        assert (found.board, found.to_move) == (state.board, state.to_move)
        assert EDITOR.picture(game, draft).shapes == PAGE.picture(found).shapes


def test_presses_toggle_and_pass_through_what_is_not_possible() -> None:
    game, draft = Go(3), ""
    for point, tool in (("A3", "black"), ("B3", "white"), ("A2", "white")):
        draft = EDITOR.press(game, draft, tool, point)
    assert draft.split()[0] == "XO1/O2/3"
    with pytest.raises(BadText, match="no liberties"):
        game.parse_position(draft)
    picture = EDITOR.picture(game, draft)
    assert styles(picture) == {"A3": "stone drop black", "B3": "stone drop white", "A2": "stone drop white"}
    assert (len(picture.places), picture.moves, picture.buttons) == (9, (), ())
    for tool, rows in {"black": "1O1/O2/3", "nothing": "1O1/O2/3", "white": "OO1/O2/3"}.items():
        assert EDITOR.press(game, draft, tool, "A3").split()[0] == rows
    assert [tool.name for tool in EDITOR.tools(game)] == ["black", "white", "nothing"]
    assert [setting.name for setting in EDITOR.settings(game)] == ["to_move"]
    # a change forgets the ko but not the prisoners
    text = SMALL.position_text(played(SMALL, *KO))
    assert text.split()[2:] == ["C2", "0", "0:1", "8"]
    assert EDITOR.press(SMALL, text, "black", "E5").split()[2:] == ["-", "0", "0:1", "0"]


def test_other_presses_and_choices_are_refused() -> None:
    for tool, place in (("black", "Z9"), ("black", "pass"), ("black", ""), ("red", "A1")):
        with pytest.raises(BadText):
            EDITOR.press(SMALL, "", tool, place)
    for setting, value in (("to_move", "2"), ("to_move", ""), ("komi", "1")):
        with pytest.raises(BadText):
            EDITOR.choose(SMALL, "", setting, value)


# Notations


@pytest.mark.parametrize("options", [{}, {"handicap": 2}, {"scoring": "territory", "komi": -3.25}])
def test_every_notation_reads_what_it_writes(options: dict[str, Any]) -> None:
    game = Go(**{"size": 9, "komi": 6.5, **options})
    all_states, all_moves = random_play(game, 3)
    states, moves = all_states[:60], all_moves[:59]
    for kind in NOTATIONS.kinds:
        text = NOTATIONS.write(states, moves, kind.name)
        for name in (kind.name, None):
            start, found = NOTATIONS.read(game, text, name)
            assert found == (moves if kind.kind == "game" else ())
            assert start == (states[0] if kind.kind == "game" else states[-1])


def test_a_record_is_signed() -> None:
    start, moves = SMALL.start(), [12, 25]
    states = [start, start.play(12), start.play(12).play(25)]
    plain = NOTATIONS.write(states, moves, "sgf")
    assert plain.startswith("(;FF[4]GM[1]CA[UTF-8]AP[kibitz]SZ[5]KM[0.5]RU[Chinese];B[cc];W[]")
    for outcome, result in (
        (Outcome(0, "15 points to 10.5"), "B+4.5"),
        (Outcome(1, "Ann resigned"), "W+R"),
        (Outcome(1, "on time"), "W+T"),
        (Outcome(None, "6 points each"), "0"),
    ):
        signed = NOTATIONS.write(states, moves, "sgf", Signature(("Ann [1]", "Bob\\"), outcome))
        assert f"PB[Ann \\[1\\]]PW[Bob\\\\]RE[{result}];B[cc]" in signed
        assert NOTATIONS.read(SMALL, signed, None) == (start, (12, 25))
    unfinished = NOTATIONS.write(states, moves, "sgf", Signature(("Ann", "Bob"), None))
    assert "PB[Ann]PW[Bob];" in unfinished
    assert NOTATIONS.write(states, moves, "moves", Signature(("Ann", "Bob"), None)) == "C3 pass"


def test_records_with_variations_handicap_and_setup_are_read() -> None:
    def read(text: str) -> tuple[GoState, list[str]]:
        start, moves = NOTATIONS.read(Go(), text, "sgf")
        return start, [start.game.move_text(move) for move in moves]

    japanese = Go(9, scoring="territory").start()
    assert read("(;SZ[9]RU[Japanese];B[cc](;W[gg];B[gc])(;W[cg]))") == (japanese, ["C7", "G3", "G7"])
    fixed, _ = read("(;SZ[9]HA[2]KM[0]AB[gc][cg];W[ee])")
    assert fixed == Go(9, 0, handicap=2).start()
    free, _ = read("(;SZ[9]HA[2]AB[aa][bb];W[ee])")
    assert free.game.position_text(free).startswith("X8/1X7/9")
    assert read("(;SZ[9];B[cc];B[gg])")[1] == ["C7", "pass", "G3"]  # White is taken to have passed


def test_texts_that_make_no_sense_are_refused() -> None:
    wrong = {"(;SZ[9];B[cc];W[cc])": "Move 2", "(;SZ[9];B[cc];AW[gg])": "after the first move", "nonsense(": "not SGF"}
    for text, words in {**wrong, "C3 C3": r"Move 2 \('C3'\)"}.items():
        with pytest.raises(BadText, match=words):
            NOTATIONS.read(Go(), text, None)
    for text in ("/", "hello", "x" * 300):
        with pytest.raises(KibitzError):
            NOTATIONS.read(SMALL, text, None)
    for act in (lambda: NOTATIONS.read(SMALL, "C3", "fen"), lambda: NOTATIONS.write([SMALL.start()], [], "fen")):
        with pytest.raises(BadOption, match="no notation 'fen'"):
            act()
