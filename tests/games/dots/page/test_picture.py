"""Pictures of Dots-and-Boxes: the grid, strings and coins, and what every picture of a game must hold to."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import pytest

from games.dots.boards import TWINS, play
from kibitz.core.game import Move
from kibitz.games.dots.page.coins import COINS_VIEW, coin_places, string_ends
from kibitz.games.dots.page.page import DotsPage
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.rules.graph import GROUND, Graph, grid, read_graph
from kibitz.picture import Group, LegalMove, Line, Path, Picture, Shape, Text, Use
from kibitz.picture.check import asset_problems, problems_of
from kibitz.picture.wire import diff
from kibitz.testing import random_play

PAGE = DotsPage()
assert PAGE.style is not None
assert PAGE.art is not None
CSS, ART = PAGE.style.read_text(encoding="utf-8"), PAGE.art.read_text(encoding="utf-8")

TWO = Dots(1, 2)
"""Lines 0 1 above, 2 3 below, 4 5 6 upright; the boxes are (0 2 4 5) and (1 3 5 6)."""


def by_key(picture: Picture) -> dict[str, Shape]:
    return {shape.key: shape for shape in picture.shapes}


def styles(shape: Shape) -> str:
    """Return the styles of a shape and of all that is in it."""
    inner = " ".join(map(styles, shape.shapes)) if isinstance(shape, Group) else ""
    return f"{shape.style} {inner}".strip()


def all_parts(shapes: tuple[Shape, ...]) -> Iterator[Shape]:
    for shape in shapes:
        yield shape
        if isinstance(shape, Group):
            yield from all_parts(shape.shapes)


def texts(shape: Shape) -> list[str]:
    return [each.text for each in all_parts((shape,)) if isinstance(each, Text)]


def check(picture: Picture) -> None:
    """Assert what holds for every picture, and that its views can be pressed in the same way."""
    assert problems_of(picture, CSS, ART, name="dots") == []
    for view in picture.views.values():
        assert [place.key for place in view.places] == [place.key for place in picture.places]
        assert view.moves == picture.moves


def test_colours_are_tokens() -> None:
    assert not asset_problems(CSS, ART, name="dots")
    named = re.sub(r"/\*.*?\*/", "", CSS, flags=re.DOTALL)
    assert "#" not in re.sub(r"--dots-[\w-]+: light-dark\([^)]*\)|url\([^)]*\)", "", named)


# Key positions


def test_a_grid() -> None:
    state = play(TWO, "0 2 4 5")  # Blue drew 5 and took the left box
    picture = PAGE.picture(state, [5], signs=("5", "Ad"))
    check(picture)
    assert list(picture.frame) == [0, 0, 270, 170]
    shapes = by_key(picture)
    assert list(shapes) == [
        "box 0", "last 5", "0", "trace 1", "2", "trace 3", "4", "5", "trace 6", "dots",
    ]  # fmt: skip
    assert {key: styles(shapes[key]) for key in ("0", "2", "4", "5")} == {
        "0": "stroke draw first",
        "2": "stroke draw second core draw",
        "4": "stroke draw first",
        "5": "stroke draw second core draw",
    }
    assert (shapes["0"].x, shapes["0"].y) == (44, 44)
    assert (shapes["5"].x, shapes["5"].y) == (144, 44)
    halo = shapes["last 5"]
    assert isinstance(halo, Line)
    assert (halo.style, halo.x, halo.y, halo.dx, halo.dy) == ("halo fill", 144, 44, 0, 100)
    box = shapes["box 0"]
    assert (box.x, box.y, styles(box), texts(box)) == (44, 44, "fill  sign second", ["Ad"])
    assert [move.move for move in picture.moves] == ["1", "3", "6"]
    assert {place.key: place.label for place in picture.places} == {
        "0": "a1–b1, drawn by Red",
        "1": "b1–c1",
        "2": "a2–b2, drawn by Blue",
        "3": "b2–c2",
        "4": "a1–a2, drawn by Red",
        "5": "b1–b2, drawn by Blue",
        "6": "c1–c2",
    }
    assert (picture.label, picture.prompt) == ("Dots-and-Boxes, 1 by 2. Red 0, Blue 1. Blue to move.", "Draw a line")
    assert [shape.text for shape in picture.ground if isinstance(shape, Text)] == ["a", "b", "c", "1", "2"]
    picture = PAGE.picture(play(TWO, "0 2 1 3 4 6 5"), [5])  # the last line takes both boxes
    check(picture)
    assert (picture.moves, picture.prompt) == ((), "")
    assert picture.label == "Dots-and-Boxes, 1 by 2. Red 2, Blue 0. The game is over."
    shapes = by_key(picture)
    assert [texts(shapes[key]) for key in ("box 0", "box 1")] == [["R"], ["R"]]  # without signs, initials


@pytest.mark.parametrize("sign", ["A", "Ad", "Ada", "W1"])
def test_signs_fit_in_a_box(sign: str) -> None:
    picture = PAGE.picture(play(TWO, "0 2 4 5"), signs=("", sign))
    for view in (picture, picture.views[COINS_VIEW]):
        [text] = [each for each in all_parts((by_key(view)["box 0"],)) if isinstance(each, Text)]
        room = 60 if view is picture else 38
        assert text.text == sign
        assert 0.72 * text.size * len(sign) <= room


def test_lines_are_bent_a_little_and_always_the_same() -> None:
    game = Dots(9, 9)
    bends = set()
    for line in game.moves():
        once, twice = (by_key(PAGE.picture(game.start().play(line)))[str(line)] for _ in range(2))
        assert once is twice
        assert isinstance(once, Path)
        found = re.fullmatch(r"M0 0Q([-\d.]+) ([-\d.]+) (100 0|0 100)", once.d)
        assert found
        across = found[3] == "100 0"
        middle = (float(found[1]), float(found[2])) if across else (float(found[2]), float(found[1]))
        assert middle[0] == 50
        assert abs(middle[1]) <= 2.6
        bends.add(middle[1])
    assert len(bends) > 20


@pytest.mark.parametrize(("start", "border"), [("empty", 0), ("icelandic", 5), ("swedish", 10)])
def test_lines_of_the_start_are_nobodys(start: Literal["empty", "icelandic", "swedish"], border: int) -> None:
    game = Dots(3, 2, start)
    picture = PAGE.picture(game.start())
    check(picture)
    drawn = {key for key, shape in by_key(picture).items() if styles(shape) == "stroke draw nobody"}
    assert drawn == {str(line) for line in game.moves() if game.border >> line & 1}
    assert len(drawn) == border
    cut = {key for key, shape in by_key(picture.views[COINS_VIEW]).items() if shape.style == "cut fill nobody"}
    assert cut == drawn
    assert all(place.label.endswith(", drawn") == (place.key in drawn) for place in picture.places)


def test_a_position_that_does_not_tell_who_drew() -> None:
    picture = PAGE.picture(TWO.parse_position("35"))  # 0 2 4 5
    shapes = by_key(picture)
    assert [key for key in shapes if "nobody" in styles(shapes[key])] == ["0", "2", "4", "5"]
    box = shapes["box 0"]  # finished, and nobody's
    assert isinstance(box, Group)
    assert box.shapes == (Use("", "", 0, 0, "dots-box-nobody"),)


# Strings and coins


def test_strings_cross_their_lines() -> None:
    picture = PAGE.picture(Dots(3, 4).start())
    lines = {place.key: place for place in picture.places}
    strings = picture.views[COINS_VIEW]
    assert strings.frame == picture.frame
    for place in strings.places:
        line = lines[place.key]
        assert place.ends is not None
        assert line.ends is not None
        (x1, y1, x2, y2), (a1, b1, a2, _) = place.ends, line.ends
        middle = line.x, line.y
        if a1 == a2:  # the line goes down, its string across
            assert y1 == y2 == middle[1]
            assert min(x1, x2) < a1 < max(x1, x2)
        else:
            assert x1 == x2 == middle[0]
            assert min(y1, y2) < b1 < max(y1, y2)
        if "ground" not in place.label:
            assert (place.x, place.y) == middle


def test_coins_of_a_grid() -> None:
    picture = PAGE.picture(play(TWO, "0 2 4 5"), [5]).views[COINS_VIEW]
    shapes = by_key(picture)
    assert list(shapes) == [
        "last 5", "0", "string 1", "2", "string 3", "4", "5", "string 6", "coin 0", "coin 1", "box 0",
    ]  # fmt: skip
    assert [shapes[key].style for key in ("0", "2")] == ["cut fill first", "cut fill second"]
    assert [(shapes[key].x, shapes[key].y) for key in ("coin 0", "coin 1", "box 0")] == [(94, 94), (194, 94), (94, 94)]
    assert texts(shapes["box 0"]) == ["B"]
    assert texts(shapes["coin 1"]) == []
    labels = {place.key: place.label for place in picture.places}
    assert labels["5"] == "String across b1–b2, cut by Blue"
    assert labels["6"] == "String across c1–c2, to the ground"


def test_the_halo_of_a_string_to_the_ground_stays_on_the_paper() -> None:
    for line in range(7):
        picture = PAGE.picture(TWO.start().play(line), [line]).views[COINS_VIEW]
        halo, (x, y, w, h) = by_key(picture)[f"last {line}"], picture.frame
        assert isinstance(halo, Line)
        assert x + 11.5 <= halo.x + halo.dx <= x + w - 11.5, line
        assert y + 11.5 <= halo.y + halo.dy <= y + h - 11.5, line


def test_a_graph() -> None:
    picture = PAGE.picture(play(TWINS, "g ab"), [TWINS.parse_move("ab")])
    check(picture)
    assert not picture.views
    shapes = by_key(picture)
    assert list(shapes)[:6] == ["last ab", "ab", "string ab2", "string bc", "string ca", "g"]
    assert [texts(shapes[f"coin {coin}"]) for coin in range(3)] == [["a"], ["b"], ["c"]]
    labels = {place.key: place.label for place in picture.places}
    assert labels["g"] == "String g, from a to the ground, cut by Red"
    assert labels["bc"] == "String bc, from b to c"
    assert (picture.label, picture.prompt) == ("Strings-and-Coins. Red 0, Blue 0. Red to move.", "Cut a string")
    marks = [place.mark or (place.x, place.y) for place in picture.places]
    assert min(math.dist(a, b) for i, a in enumerate(marks) for b in marks[:i]) > 20  # two strings join a and b
    # Long names of coins are cut short.
    graph = {"coins": ["a" * 32, "b"], "strings": [["s", "a" * 32, "b"]]}
    shapes = by_key(PAGE.picture(Dots(graph=json.dumps(graph)).start()))
    assert texts(shapes["coin 0"]) == ["aaaaaaa…"]
    # Only strings to the ground have arrows.
    picture = PAGE.picture(Dots(2, 2).start()).views[COINS_VIEW]
    arrows = {key for key, shape in by_key(picture).items() if isinstance(shape, Group)}
    assert arrows == {f"string {line}" for line in (0, 1, 4, 5, 6, 8, 9, 11)}


def graphs() -> list[Graph]:
    ring = {"coins": list(range(30)), "strings": [[f"s{i}", i, (i + 1) % 30] for i in range(30)]}
    star = {"coins": list(range(9)), "strings": [[f"s{i}", 0, i] for i in range(1, 9)]}
    apart = {"coins": ["a", "b"], "strings": [["s", "a", "ground"], ["t", "b", "ground"], ["u", "b", "ground"]]}
    placed = {"coins": ["a", "b"], "strings": [["s", "a", "b"]], "places": {"a": [100, 50], "b": [100, 80]}}
    same = {"coins": ["a", "b"], "strings": [["s", "a", "b"]], "places": {"a": [1, 1], "b": [1, 1]}}
    written = [TWINS.graph, *map(json.dumps, (ring, star, apart, placed, same))]
    return [*map(read_graph, written), grid(3, 4)]


@pytest.mark.parametrize("graph", graphs(), ids=range(7))
def test_every_graph_has_a_picture(graph: Graph) -> None:
    places, ends = coin_places(graph), string_ends(graph)
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
    game = Dots(graph.rows, graph.cols) if graph.is_grid else Dots(graph=graph.to_json())
    check(PAGE.picture(game.start()))


def test_a_given_place_is_kept_in_proportion() -> None:
    graph = next(each for each in graphs() if each.places == ((100.0, 50.0), (100.0, 80.0)))
    assert coin_places(graph) == ((0.0, 0.0), (0.0, 1.0))


# Whole games


def every_kind() -> list[Dots]:
    return [
        Dots(1, 1), Dots(5, 5), Dots(2, 7), Dots(9, 9), Dots(3, 3, "swedish"), Dots(4, 2, "icelandic"), TWINS,
    ]  # fmt: skip


def pictures(game: Dots, seed: int) -> list[Picture]:
    """Return the pictures of a random game, each with the lines of its last turn."""
    states, moves = random_play(game, seed)
    found, last, mover = [PAGE.picture(game.start())], list[Move](), 0
    for before, after, move in zip(states, states[1:], moves, strict=False):
        last = [*last, move] if mover == before.to_move else [move]
        mover = before.to_move
        found.append(PAGE.picture(after, last, signs=("A", "5")))
    return found


@pytest.mark.parametrize("game", every_kind(), ids=str)
def test_random_games_are_painted(game: Dots) -> None:
    states, moves = random_play(game, 3)
    for state, picture in zip(states, pictures(game, 3), strict=True):
        check(picture)
        assert [move.move for move in picture.moves] == [game.move_text(move) for move in state.legal_moves()]
        assert all(move == LegalMove(move.move) for move in picture.moves)
        boxes = {key for key in by_key(picture) if key.startswith("box ")}
        assert boxes == {f"box {box}" for box, owner in enumerate(state.owners) if owner is not None}
        for move in game.moves():  # legal or not, a mark has its place
            assert set(PAGE.steps(state, move)) <= {place.key for place in picture.places}
    assert len(moves) == game.max_game_length


@pytest.mark.parametrize("game", every_kind(), ids=str)
def test_what_stays_is_the_same_object(game: Dots) -> None:
    for before, after in pairwise(pictures(game, 1)):
        assert before.ground is after.ground
        views = zip((before, *before.views.values()), (after, *after.views.values()), strict=True)
        for old, new in views:
            shapes, places = by_key(old), {place.key: place for place in old.places}
            assert all(shape is shapes[shape.key] for shape in new.shapes if shapes.get(shape.key) == shape)
            assert all(place is places[place.key] for place in new.places if places[place.key] == place)
            changed = sum(places[place.key] is not place for place in new.places)
            assert changed <= 1


def test_a_move_is_small_on_the_wire() -> None:
    for before, after in pairwise(pictures(Dots(5, 5), 2)):
        change = json.dumps(diff(before, after), separators=(",", ":"), ensure_ascii=False).encode()
        assert len(gzip.compress(change)) < 700
