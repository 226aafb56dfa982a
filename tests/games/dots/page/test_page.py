"""The page of Dots-and-Boxes: overlays, names of lines, the editor, notations, problems, scores."""

from __future__ import annotations

import math
import random
import re

import pytest

from games.dots.boards import TWINS, play
from games.dots.page.test_picture import ART, CSS, PAGE
from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText, IllegalMove, KibitzError
from kibitz.core.parts import Notations, Problems, Signature
from kibitz.core.spec import parameters
from kibitz.games.dots.notations.notations import NOTATIONS, DotsNotations
from kibitz.games.dots.page.coins import COINS_VIEW
from kibitz.games.dots.page.page import DotsEditor
from kibitz.games.dots.problems import problems
from kibitz.games.dots.problems.problems import DotsProblems
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.structure import structure_of
from kibitz.picture import Circle, Overlay, Path, Shape, Text
from kibitz.picture.check import overlay_problems, problems_of
from kibitz.testing import random_game, random_play

EDITOR = DotsEditor()


# The overlay


def facts(overlay: Overlay) -> dict[str, str]:
    return {fact.label: fact.text for fact in overlay.facts}


def legend(overlay: Overlay) -> list[str]:
    return [entry.text for entry in overlay.legend]


def of_style(shapes: tuple[Shape, ...], style: str) -> list[Shape]:
    return [shape for shape in shapes if style in shape.style.split()]


def test_a_chain() -> None:
    """On 1x5 with all lines across drawn there is one chain of 5, and every move is loony."""
    overlay = PAGE.overlay(play(Dots(1, 5), "0 1 2 3 4 5 6 7 8 9"))
    [tile] = of_style(overlay.under, "tile")
    assert isinstance(tile, Path)
    assert tile.style == "tile tone0"
    corners = [tuple(map(int, found)) for found in re.findall(r"M(\d+) (\d+)h100v100h-100z", tile.d)]
    assert corners == [(44 + 100 * box, 44) for box in range(5)]
    [thread] = of_style(overlay.under, "thread")
    assert isinstance(thread, Path)
    assert thread.d == "M44 94L94 94L194 94L294 94L394 94L494 94L544 94"  # from the border to the border
    assert [(each.text, each.x, each.y) for each in overlay.under if isinstance(each, Text)] == [("5", 294, 95)]
    crescents = of_style(overlay.over, "loony")
    assert [(each.x, each.y) for each in crescents] == [(44 + 100 * line, 64) for line in range(6)]
    assert overlay.over == tuple(crescents)
    assert legend(overlay) == ["long chain of 5", "loony line"]
    coins = overlay.views[COINS_VIEW]
    assert len(of_style(coins.under, "way")) == 6
    assert len([each for each in coins.under if isinstance(each, Circle)]) == 5
    assert len(coins.over) == 6
    assert facts(overlay)["Phase"] == "Final: no safe line is left."
    # 6 lines and 5 boxes: the player to move wants an even number of long chains, and there is one
    assert facts(overlay)["Long chains"] == (
        "Red, to move, wants an even number of long chains: there is 1 now, which favours Blue."
    )
    # the controller takes all of the last chain: 5 - 4 fully controlled, and 4 more
    assert facts(overlay)["Controlled value"] == (
        "5 for the player in control (1 fully controlled + 4 terminal bonus). "
        "The player to move opens the chain of 5 and nets -5."
    )
    assert facts(overlay)["Nimbers"] == "*0 (5 boxes): the other player can win the fight for control."
    assert "Advice" not in facts(overlay)


def test_a_loop_and_joints() -> None:
    loop = PAGE.overlay(Dots(2, 2, "swedish").start())  # four boxes, each open to two others
    assert legend(loop) == ["long loop of 4", "loony line"]
    [thread] = of_style(loop.under, "thread")
    assert isinstance(thread, Path)
    assert thread.d.endswith("z")  # closed on itself
    plus = PAGE.overlay(Dots(3, 3, "swedish").start())  # the corners are runs of 1, the others are joints
    assert legend(plus) == ["string of 1"] * 4 + ["joint", "safe line"]
    joints = of_style(plus.under, "joint")  # the centre is one too, but no run meets in it
    assert [(each.x, each.y) for each in joints] == [(194, 94), (94, 194), (294, 194), (194, 294)]
    assert len(of_style(plus.views[COINS_VIEW].under, "joint-ring")) == 4
    assert [each.style for each in plus.over] == ["safe"] * 4


def test_advice_and_boxes_to_take() -> None:
    """Two chains of 4, one of them opened: to take 2 and leave 2 keeps control of the other 4."""
    game = Dots(2, 4)
    state = play(game, " ".join(map(str, range(12))))  # all lines across
    assert legend(PAGE.overlay(state)) == ["long chain of 4", "long chain of 4", "loony line"]
    overlay = PAGE.overlay(state.play(game.board.vertical(0, 0)))
    assert [(each.x, each.y) for each in of_style(overlay.under, "dead")] == [(56 + 100 * box, 56) for box in range(4)]
    assert legend(overlay) == ["long chain of 4", "box that can be taken", "loony line"]
    found = facts(overlay)
    assert found["Advice"].startswith("Take 2, then leave 2 with e1–e2 (a double-deal): it keeps control of 4 boxes")
    assert found["Nimbers"].startswith("Loony")
    assert found["Controlled value"].startswith("When the dead boxes are taken: 4 for the player in control")


def test_safe_lines_are_shown_once_there_is_a_run() -> None:
    start = PAGE.overlay(Dots(3, 3).start())
    assert (start.under, start.over, start.legend) == ((), (), ())
    assert facts(start)["Phase"].startswith("Start")


def test_overlays_of_whole_games() -> None:
    names = set()
    for game in (Dots(3, 3), Dots(2, 5, "icelandic"), TWINS):
        for seed in range(4):
            for state in random_game(game, seed):
                overlay, found = PAGE.overlay(state), structure_of(state)
                picture = PAGE.picture(state)
                views = [(picture.views[name], overlay.views[name]) for name in overlay.views]
                for drawn, over in [(picture, overlay), *views]:
                    marks = [place.mark or (place.x, place.y) for place in drawn.places]
                    room = min((math.dist(mark, (sign.x, sign.y)) for sign in over.over for mark in marks), default=99)
                    assert room > 24 or not game.board.is_grid  # a graph may have strings close to each other
                    assert overlay_problems(over, drawn, CSS, ART) == []
                    assert len(over.over) == len(overlay.over)
                signs = {shape.style for shape in overlay.over}
                assert ("safe" in signs) == any(text.startswith("safe ") for text in legend(overlay))
                assert ("loony" in signs) == any(text.startswith("loony ") for text in legend(overlay))
                assert len(of_style(overlay.under, "dead")) == len(found.dead)
                named = [text for text in legend(overlay) if " of " in text]
                assert named == [f"{'long ' * run.long}{run.name} of {run.length}" for run in found.runs]
                names |= {run.name for run in found.runs}
    assert names >= {"chain", "string", "possible loop"}


# Names, options, scores


def test_lines_by_their_dots() -> None:
    """Letters count columns of dots, numbers rows from the top."""
    game = Dots(2, 3)
    names = {"h 0 0": "a1–b1", "h 2 2": "c3–d3", "v 0 0": "a1–a2", "v 1 3": "d2–d3"}
    assert {text: PAGE.label(game, game.parse_move(text)) for text in names} == names
    told = PAGE.relabel(
        game, "Takes 2 boxes, then h 2 2 (a double-deal); the next best line, 17 (v 1 3), draws 2 to 2."
    )
    assert told == "Takes 2 boxes, then c3–d3 (a double-deal); the next best line, d2–d3, draws 2 to 2."
    largest = Dots(9, 9)
    assert PAGE.label(largest, largest.parse_move("v 8 9")) == "j9–j10"
    assert len({PAGE.label(largest, line) for line in largest.moves()}) == 180
    assert PAGE.label(TWINS, 4, public=True) == "g"
    assert PAGE.relabel(TWINS, "h 0 0") == "h 0 0"


def test_options_and_cover() -> None:
    assert set(PAGE.options) == set(parameters(Dots))
    assert set(PAGE.options["start"].labels) == {"empty", "icelandic", "swedish"}
    for name in ("rows", "cols"):
        least, most = PAGE.options[name].minimum, PAGE.options[name].maximum
        assert (least, most) == (1, 9)
        for wrong in (0, 10):
            with pytest.raises(BadOption):
                registry.game("dots", **{name: wrong})
    assert PAGE.blurb
    assert not any("nobody" in shape.style for shape in PAGE.picture(PAGE.cover_view()).shapes)  # in both colours


@pytest.mark.parametrize("game", [Dots(2, 3), Dots(3, 3, "swedish"), Dots(2, 2, "icelandic"), TWINS], ids=str)
def test_scores_and_the_longest_game(game: Dots) -> None:
    states = random_game(game, 5)
    assert game.max_game_length == len(states) - 1
    for state in states:
        first, second = game.scores(state)
        assert (first, second) == (state.owners.count(0), state.owners.count(1))
    assert sum(game.scores(states[-1])) == len(game.board.coins)


# The editor


def test_lines_owners_and_the_player_to_move_are_edited() -> None:
    game, position = Dots(1, 1), ""
    for line in ("h 0 0", "1", "2"):
        position = EDITOR.press(game, position, "", line)
    assert position == "7 . 1"
    finished = EDITOR.press(game, position, "", "3")
    assert finished == "f 1 1"  # the box goes to the player to move
    assert EDITOR.press(game, finished, "", "0") == "e . 1"  # an open box has no owner
    assert EDITOR.press(TWINS, "", "", "bc") == "4 ... 1"
    # A box goes round its owners.
    game, position, owners = Dots(1, 1), "f 1 1", []
    for _ in range(3):
        position = EDITOR.press(game, position, "", "box 0")
        owners.append(position)
    assert owners == ["f 2 1", "f - 1", "f 1 1"]
    # The player to move is chosen.
    game = Dots(1, 1)
    [setting] = EDITOR.settings(game)
    assert (setting.name, setting.choices) == ("to_move", (("0", "Red"), ("1", "Blue")))
    assert EDITOR.chosen(game, "") == {"to_move": "0"}
    position = EDITOR.choose(game, "f 1 1", "to_move", "1")
    assert position == "f 1 2"
    assert EDITOR.chosen(game, position) == {"to_move": "1"}
    assert list(EDITOR.tools(game)) == []
    blue = EDITOR.press(game, EDITOR.choose(game, "7 . 1", "to_move", "1"), "", "3")
    assert blue == "f 2 2"  # what it finishes is Blue's


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("99", "not a line"),
        ("", "not a line"),
        ("boxes", "not a line"),
        ("box 0", "Only a finished box"),
        ("box 9", "There is no box '9': the boxes are 0 to 3"),
        ("box -1", "There is no box"),
        ("box ", "There is no box"),
        ("box 1e1", "There is no box"),
        ("box ²", "There is no box"),
        ("box " + "9" * 5000, "There is no box"),
    ],
)
def test_other_presses_are_refused(place: str, words: str) -> None:
    with pytest.raises(BadText, match=words):
        EDITOR.press(Dots(2, 2), "", "", place)


@pytest.mark.parametrize(("setting", "value"), [("to_move", "2"), ("to_move", ""), ("to_move", "1.0"), ("size", "0")])
def test_other_settings_are_refused(setting: str, value: str) -> None:
    with pytest.raises(BadText, match="set to_move to 0 or 1"):
        EDITOR.choose(Dots(2, 2), "", setting, value)


def test_other_texts_are_refused_and_the_border_stays() -> None:
    game = Dots(2, 2)
    for ask in (
        lambda: EDITOR.press(game, "zz", "", "0"),
        lambda: EDITOR.choose(game, "zz", "to_move", "1"),
        lambda: EDITOR.chosen(game, "zz"),
        lambda: EDITOR.picture(game, "zz"),
    ):
        with pytest.raises(BadText):
            ask()
    # The border of a Swedish game stays.
    with pytest.raises(BadText, match="is drawn at the start"):
        EDITOR.press(Dots(2, 2, "swedish"), "", "", "0")


@pytest.mark.parametrize("game", [Dots(2, 3), Dots(2, 2, "icelandic"), TWINS], ids=str)
def test_everything_in_the_editors_picture_can_be_pressed(game: Dots) -> None:
    rng, position = random.Random(1), ""
    boxes = 0
    for _ in range(150):
        picture = EDITOR.picture(game, position)
        assert picture.moves == ()
        assert problems_of(picture, CSS, ART, name="dots") == []
        keys = [place.key for place in picture.places]
        assert all([place.key for place in view.places] == keys for view in picture.views.values())
        state = game.parse_position(position) if position else game.start()
        finished = [f"box {box}" for box, owner in enumerate(state.owners) if owner is not None]
        assert keys == [*map(game.move_text, game.moves()), *finished]
        boxes += len(finished)
        key = rng.choice(keys)
        if key not in finished and game.border >> game.parse_move(key) & 1:
            continue
        after = game.parse_position(EDITOR.press(game, position, "", key))
        changed = 0 if key in finished else 1 << game.parse_move(key)
        assert (after.drawn ^ state.drawn, after.to_move) == (changed, state.to_move)
        assert (after.owned == state.owned) <= (key not in finished)
        position = game.position_text(after)
    assert boxes > 10


# Notations and problems


def test_notations_of_the_package() -> None:
    notations: Notations[DotsState] = DotsNotations()
    states, played = random_play(Dots(2, 2), 1)
    assert tuple(each.name for each in notations.kinds) == NOTATIONS
    for notation in notations.kinds:
        assert notation.label
        text = notations.write(states, played, notation.name)
        assert notations.write(states, played, notation.name, Signature(("Ada", "Bob"), states[-1].outcome())) == text
        whole = (states[0], tuple(played)) if notation.kind == "game" else (states[-1], ())
        assert notations.read(Dots(2, 2), text, notation.name) == whole
    # A notation that states the size is read on that board.
    start, moves = notations.read(Dots(5, 5), "#2,b5a4b3c4d1", None)  # from the docs of notations.py
    assert (start.game, list(moves)) == (Dots(2, 2), [0, 6, 2, 7, 5])
    start, moves = notations.read(Dots(2, 2), "0 6 2 7 5", None)
    assert (start.game, list(moves)) == (Dots(2, 2), [0, 6, 2, 7, 5])
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        notations.read(Dots(2, 2), "0", "sgf")
    with pytest.raises(BadOption, match="no notation 'sgf'"):
        notations.write([start], [], "sgf")
    with pytest.raises(KibitzError):
        notations.read(Dots(2, 2), "?", None)


def test_a_problem_is_shown_without_its_answer() -> None:
    contract: Problems = DotsProblems()
    asked, shown = problems.problem(7), contract.show(7)
    assert (shown.state, shown.last) == (asked.state, asked.moves[-1:])
    assert (shown.heading.number, shown.count, shown.heading.grade) == (7, len(problems.problems()), asked.grade)
    assert (shown.hint, shown.heading.theme, shown.heading.size) == (asked.hint, asked.theme, asked.size)
    headings = contract.headings()
    assert [each.number for each in headings] == list(range(1, 89))
    assert headings[6] == shown.heading
    assert shown.heading.title == f"{Dots.players[asked.state.to_move]} to {asked.goal}"


def test_every_answer_is_judged() -> None:
    contract = DotsProblems()
    for number in (1, 40, 88):
        asked = problems.problem(number)
        best = tuple(map(str, asked.best))
        for line in asked.state.legal_moves():
            verdict = contract.judge(number, str(line))
            right = line in asked.best
            assert (verdict.right, verdict.best) == (right, best if right else ())
            assert verdict.words.startswith("Right." if right else f"No. {PAGE.label(asked.game, line)} ")
            assert not re.search(r"\b[hv] \d \d\b", verdict.words)  # lines are named by their dots
            assert (verdict.state, verdict.last) == (asked.state.play(line), (line,))
        told = contract.judge(number, None)
        assert (told.right, told.best, told.state) == (None, best, None)
        assert told.words.startswith(PAGE.label(asked.game, asked.best[0]))
    for unknown in (0, 89):
        with pytest.raises(BadOption):
            contract.show(unknown)
        with pytest.raises(BadOption):
            contract.judge(unknown, None)
    with pytest.raises(BadText):
        contract.judge(1, "x")
    with pytest.raises(IllegalMove):
        contract.judge(1, str(problems.problem(1).moves[0]))
