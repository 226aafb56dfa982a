"""Pictures as JSON: what the arrays are, and that changes lead from one picture to the next."""

from __future__ import annotations

import cProfile
import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest

import kibitz.picture as pic
from kibitz.picture import LegalMove, Overlay, Picture, Place, wire
from kibitz.testing.changes import apply, with_sorted_parts
from picture.small_pictures import CIRCLE, GROUP, LINE, PATH, PICTURE, PLACES, RECT, TEXT, USE, random_picture


@pytest.mark.parametrize(
    ("shape", "array"),
    [
        (LINE, ["l", "line", "stroke first draw", 10, 90, 80, 0]),
        (CIRCLE, ["c", "circle", "felt fill", 20, 20, 8]),
        (RECT, ["r", "rect", "shade", 60, 60, 20, 20, 2]),
        (PATH, ["p", "path", "stroke second", 10, 50, "M0 0L10.5 5"]),
        (TEXT, ["t", "text", "figure", 50, 20, "7", 20]),
        (USE, ["u", "use", "stone drop", 80, 20, "toy-stone", 10]),
        (
            GROUP,
            ["g", "group", "card red", 30, 65]
            + [[["r", "", "paper", -5, -8, 10, 16, 0], ["t", "", "figure", 0, 0, "K", 8]], 1.5, "deck"],
        ),
    ],
)
def test_shapes_are_arrays(shape: pic.Shape, array: list[Any]) -> None:
    assert wire.shapes_json([shape]) == [array]


def test_a_whole_picture() -> None:
    found = wire.to_json(PICTURE)
    assert found["frame"] == [0, 0, 100, 100]
    assert found["ground"] == [["r", "", "felt", 0, 0, 100, 100, 0]]
    assert found["places"] == [
        ["a", 20, 20, 20, 20, "a, empty", "stone"],
        ["b", 50, 20, 20, 20, "b, seven", "", "choose a line", None, None, [50, 30]],
        ["c", 50, 90, 80, 20, "the lower line", "", "", [10, 90, 90, 90], [50, 95]],
    ]
    assert found["moves"] == [["a"], ["b-c", "b to c", ["b", "c"]]]
    assert found["ghosts"] == {"stone": [["u", "", "stone ghost", 0, 0, "toy-stone", 10]]}
    assert found["buttons"] == [["pass", "Pass"]]
    assert (found["label"], found["prompt"], found["secret"]) == ("A toy, red to move", "Choose a place", "")
    assert found["views"] == {}


def test_numbers_are_short() -> None:
    assert (
        json.dumps(wire.shapes_json([pic.Line("", "", 1.0, 2.004, 1 / 3, -0.001)])) == '[["l", "", "", 1, 2, 0.33, 0]]'
    )
    assert wire.shapes_json([pic.Use("", "", 0, 0, "s", 78 / 88)])[0][-1] == 0.8864  # 124 times it must be right


def test_overlays_and_panels() -> None:
    sign = pic.Circle("", "felt", 0, 0, 5)
    overlay = Overlay((sign,), (), (pic.Fact("Chains", "3"),), (pic.LegendEntry((sign,), "a chain"),), {"v": Overlay()})
    assert wire.overlay_json(overlay) == {
        "under": [["c", "", "felt", 0, 0, 5]],
        "facts": [["Chains", "3"]],
        "legend": [[[["c", "", "felt", 0, 0, 5]], "a chain"]],
        "views": {"v": {}},
    }
    panel = pic.Panel("Cards", (pic.Note("Seen", "ten"), pic.Note(tone="good", picture=PICTURE)))
    assert wire.panel_json(panel) == {
        "title": "Cards",
        "notes": [{"title": "Seen", "text": "ten"}, {"tone": "good", "picture": wire.to_json(PICTURE)}],
    }


# Changes


def test_a_change_leads_to_the_next_picture() -> None:
    for seed in range(500):
        rng = Random(seed)
        before, after = random_picture(rng), random_picture(rng)
        change = wire.diff(before, after)
        whole = (before.frame, before.ground, list(before.views)) != (after.frame, after.ground, list(after.views))
        assert (change is None) == whole
        if change is not None:
            assert with_sorted_parts(apply(wire.to_json(before), change)) == with_sorted_parts(wire.to_json(after))
        assert wire.diff(before, random_picture(Random(seed))) == {}  # equal, but not the same objects


def test_as_few_shapes_as_possible_are_moved() -> None:
    def picture(order: Sequence[str]) -> Picture:
        return Picture((0, 0, 1, 1), (), tuple(pic.Circle(key, "", 0, 0, 1) for key in order))

    for keys in permutations("abcdef"):
        change = wire.diff(picture("abcdef"), picture(keys))
        assert change is not None
        moved = len(change["shapes"][1]) if change else 0
        staying = max(n for n in range(7) for some in combinations(keys, n) if list(some) == sorted(some))
        assert moved == 6 - staying


def test_one_card_to_the_top() -> None:
    shapes = PICTURE.shapes
    change = wire.diff(PICTURE, replace(PICTURE, shapes=(*shapes[1:], shapes[0])))
    assert change == {"shapes": [[], [[["@", LINE.key], "group"]]]}


def test_unchanged_fields_are_left_out() -> None:
    shapes = (replace(USE, style="stone"), replace(GROUP, x=31, scale=2, born=""))
    places = (replace(PLACES[0], w=30), replace(PLACES[1], label="b, eight"), replace(PLACES[2], walk=(50, 96)))
    change = wire.diff(replace(PICTURE, shapes=(USE, GROUP)), replace(PICTURE, shapes=shapes, places=places))
    changed = [
        ["@", "a", None, None, None, None, 30],
        ["@", "b", None, None, "b, eight"],
        ["c", 50, 90, 80, 20, "the lower line", "", "", [10, 90, 90, 90], [50, 96]],
    ]
    assert change == {
        "shapes": [[], [[["@", "use", None, None, "stone"]], [["@", "group", 31, None, None, 2, ""]]]],
        "places": [[], changed],
    }


def test_a_button_is_named_once() -> None:
    picture = replace(
        PICTURE, moves=(LegalMove("a", "Pass"),), buttons=(pic.Button("Pass", "a"), pic.Button("Skip", "a"))
    )
    assert wire.to_json(picture)["buttons"] == [["a"], ["a", "Skip"]]


def test_the_same_change_of_a_view_is_not_repeated() -> None:
    moved = replace(PICTURE, shapes=PICTURE.shapes[1:])
    change = wire.diff(replace(PICTURE, views={"v": PICTURE}), replace(moved, views={"v": moved}))
    assert change == {"shapes": [["line"], []], "views": {"v": 0}}


def test_a_view_with_a_new_ground_is_sent_whole() -> None:
    view = replace(PICTURE, ground=())
    before, after = replace(PICTURE, views={"v": PICTURE}), replace(PICTURE, views={"v": view})
    assert wire.diff(before, after) == {"views": {"v": wire.to_json(view)}}


# Speed and size


def big_board() -> Picture:
    """Return a board of 19 by 19 with 200 stones, as large as a Go position can be expected to be."""
    points = [
        (f"{'ABCDEFGHJKLMNOPQRST'[i % 19]}{1 + i // 19}", 46 + 36 * (i % 19), 46 + 36 * (i // 19)) for i in range(361)
    ]
    places = tuple(
        Place(key, x, y, 36, 36, f"{key}, black stone" if i < 200 else key, "stone")
        for i, (key, x, y) in enumerate(points)
    )
    stones = tuple(pic.Use(key, "stone drop black", x, y, "go-black", 17.21) for key, x, y in points[:200])
    moves = tuple(LegalMove(key) for key, *_ in points[200:])
    return Picture((0, 0, 740, 740), (pic.Rect("", "wood", 0, 0, 740, 740),), stones, places, moves)


def test_large_pictures_are_small_and_quick() -> None:
    picture = big_board()
    text = json.dumps(wire.to_json(picture), separators=(",", ":"))
    assert len(text) < 32_000
    assert len(gzip.compress(text.encode())) < 6_000
    after = replace(picture, shapes=picture.shapes[:-1], moves=picture.moves[1:])
    change = json.dumps(wire.diff(picture, after), separators=(",", ":"))
    assert change == '{"shapes":[["K11"],[]],"moves":[["L11"],[]]}'
    profile = cProfile.Profile()
    with profile:
        wire.to_json(picture)
        wire.diff(picture, after)
    calls = sum(entry.callcount for entry in profile.getstats())
    parts = len(picture.shapes) + len(picture.places) + len(picture.moves)
    assert calls < 5 * parts, "what was sent before is not made again"


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_CACHED_ARRAYS", 10)
    for i in range(100):
        assert wire.shapes_json([pic.Circle("", "", i, 0, 1)]) == [["c", "", "", i, 0, 1]]
        assert len(wire._cached) <= 10 or i == 0
