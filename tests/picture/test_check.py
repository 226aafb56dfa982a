"""The picture contract: what problems_of finds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

import kibitz.picture as pic
from kibitz.picture import LegalMove, Overlay, Picture, Place
from kibitz.picture.check import overlay_problems, panel_problems, problems_of
from picture.small_pictures import ART, CIRCLE, NAME, PICTURE, PLACES, STYLE


def problems(picture: Picture = PICTURE, style: str = STYLE, art: str = ART) -> list[str]:
    return problems_of(picture, style, art, name=NAME)


def test_a_good_picture_has_no_problems() -> None:
    assert problems() == []
    assert problems(replace(PICTURE, views={"v": PICTURE})) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"shapes": (CIRCLE, CIRCLE)}, "two shapes have the key 'circle'"),
        ({"shapes": (replace(CIRCLE, key=""),)}, "Circle 'felt fill' has no key"),
        ({"shapes": (replace(CIRCLE, style="felt odd"),)}, "Circle 'circle': the class 'odd' is not in board.css"),
        ({"shapes": (replace(CIRCLE, x=95),)}, "Circle 'circle' reaches out of the frame"),
        ({"shapes": (pic.Line("l", "stroke", 50, 50, 0, -60),)}, "Line 'l' reaches out of the frame"),
        ({"shapes": (pic.Rect("r", "felt", 50, 50, 53, 9),)}, "Rect 'r' reaches out of the frame"),
        ({"shapes": (replace(CIRCLE, y=math.nan),)}, "Circle 'circle': [20, nan, 8] are not all finite"),
        ({"shapes": (pic.Use("u", "", 0, 0, "toy-odd"),)}, "Use 'u': the symbol 'toy-odd' is not in board.svg"),
        ({"shapes": (pic.Path("p", "", 0, 0, "M0 0<"),)}, "Path 'p': 'M0 0<' is not a path"),
        ({"shapes": (pic.Text("t", "", 0, 0, "a\x07", 9),)}, "Text 't': 'a\\x07' has a control character"),
        ({"shapes": (pic.Group("g", "", 50, 50, (CIRCLE,)),)}, "Group 'g': Circle 'circle' must have an empty key"),
        (
            {"shapes": (pic.Group("g", "", 50, 50, (pic.Circle("", "felt", 20, 0, 8),), 2),)},
            "Group 'g': Circle 'felt' reaches out of the frame",
        ),
        ({"ground": (CIRCLE,)}, "ground: Circle 'circle' must have an empty key"),
        ({"ghosts": {"stone": (CIRCLE,)}}, "ghost 'stone': Circle 'circle' must have an empty key"),
        ({"ghosts": {}}, "place 'a': the ghost 'stone' is not in the picture"),
        ({"places": (*PLACES, PLACES[0])}, "two places have the key 'a'"),
        ({"places": (*PLACES, Place("d", 5, 50, 20, 20, "d"))}, "place 'd' reaches out of the frame"),
        ({"places": (*PLACES, Place("d", 50, 50, 0, 20, "d"))}, "place 'd' has no size"),
        ({"places": (*PLACES, Place("d", 50, 50, 9, 9, ""))}, "place 'd' must have a key and a label"),
        ({"places": (*PLACES, Place("d", 50, 50, 9, 9, "d "))}, "place 'd': 'd ' begins or ends with a space"),
        ({"places": (*PLACES, Place("d", 50, 50, 9, 9, "d", mark=(0, 500)))}, "place 'd' reaches out of the frame"),
        ({"moves": (LegalMove("a"), LegalMove("a", "twice"))}, "two legal moves have the text 'a'"),
        ({"moves": (LegalMove("z"),)}, "the legal move 'z': there is no place 'z'"),
        ({"moves": (LegalMove("z", "", ("a", "y")),)}, "the legal move 'z': there is no place 'y'"),
        ({"moves": (LegalMove("a"), LegalMove("z", "", ("a",)))}, "the legal moves 'a' and 'z' have the same steps"),
        (
            {"moves": (LegalMove("a"), LegalMove("z", "", ("a", "b")))},
            "the legal move 'z' cannot be made: its first steps are 'a'",
        ),
        (
            {"moves": (LegalMove("a"), LegalMove("a > b"))},
            "the legal move 'a > b' cannot be made: its first steps are 'a'",
        ),
        ({"buttons": (pic.Button("", "pass"),)}, "Button(label='', move='pass') must have a label and a move"),
        ({"label": ""}, "the picture has no label for screen readers"),
        ({"label": "a" * 301}, f"'{'a' * 40}'... is longer than 300 characters"),
        ({"frame": (0, 0, 0, 10)}, "the frame (0, 0, 0, 10) has no size"),
        ({"views": {"v": replace(PICTURE, label="")}}, "view 'v': the picture has no label for screen readers"),
    ],
)
def test_problems_of_a_picture(change: dict[str, Any], problem: str) -> None:
    assert problems(replace(PICTURE, **change)) == [problem]


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (".other .x {}", "board.css: the selector '.other .x' must start with .toy"),
        (".toys .x {}", "board.css: the selector '.toys .x' must start with .toy"),
        (".game-toys {}", "board.css: the selector '.game-toys' must start with .toy"),
        ("@media print { .toy, svg {} }", "board.css: the selector 'svg' must start with .toy"),
        ("@keyframes turn {}", "board.css: the name in '@keyframes turn' must start with toy-"),
        (".toy { fill: var(--felled) }", "board.css: --felled is neither a token nor set in board.css"),
        (".toy .x { fill: url(#toy-odd) }", "board.css: #toy-odd, used by .toy .x, is not in board.svg"),
        (
            ".toy .x { fill: color-mix(in oklab, red, blue) }",
            "board.css: many SVG viewers do not support the colour 'color-mix(in oklab, red, blue)' of .toy .x",
        ),
    ],
)
def test_problems_of_a_style_sheet(rule: str, problem: str) -> None:
    assert problems(style=STYLE + rule) == [problem]


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ('<g id="other"/>', "board.svg: the id 'other' must start with toy-"),
        ('<g id="toy-stone"/>', "board.svg: the id 'toy-stone' appears twice"),
        ("<script/>", "board.svg: <script> is not allowed"),
        ('<g style="fill: red"/>', "board.svg: the attribute style of <g> is not allowed; use classes"),
        ('<g onclick="x"/>', "board.svg: the attribute onclick of <g> is not allowed; use classes"),
        ('<use href="other.svg"/>', "board.svg: 'other.svg' is not a definition of this file"),
        ('<use href="#toy-odd"/>', "board.svg: #toy-odd is not defined"),
        ('<path fill="url(#toy-odd)"/>', "board.svg: #toy-odd is not defined"),
    ],
)
def test_problems_of_art(part: str, problem: str) -> None:
    assert problems(art=ART.replace("</defs>", f"{part}</defs>")) == [problem]


def test_sheets_and_art_that_cannot_be_read() -> None:
    assert problems(style=STYLE + ".toy {")[0] == "board.css cannot be read: missing } after '.toy'"
    assert any(each.startswith("board.svg is not well-formed") for each in problems(art="<defs>"))


def test_overlays() -> None:
    sign = pic.Circle("", "felt", 0, 0, 5)
    good = Overlay((replace(sign, x=50, y=50),), legend=(pic.LegendEntry((sign,), "a chain"),))
    assert overlay_problems(good, PICTURE, STYLE, ART) == []
    bad = Overlay(over=(CIRCLE,), legend=(pic.LegendEntry((replace(sign, r=20),), "large"),))
    assert overlay_problems(bad, PICTURE, STYLE, ART) == [
        "Circle 'circle' must have an empty key",
        "legend: Circle 'felt' reaches out of the frame",
    ]


def test_overlays_of_other_views() -> None:
    small = replace(PICTURE, frame=(0, 0, 30, 100), shapes=(), places=(), moves=(), ground=())
    picture = replace(PICTURE, views={"small": small})
    sign = pic.Circle("", "felt", 50, 50, 5)
    good = Overlay((sign,), views={"small": Overlay((replace(sign, x=15),))})
    assert overlay_problems(good, picture, STYLE, ART) == []
    bad = Overlay(views={"small": Overlay((sign,)), "odd": Overlay()})
    assert overlay_problems(bad, picture, STYLE, ART) == [
        "view 'small': Circle 'felt' reaches out of the frame",
        "view 'odd' is not in the picture",
    ]


def test_panels() -> None:
    good = pic.Panel("Cards", (pic.Note("Seen", "ten " * 100 + "cards"), pic.Note(picture=PICTURE)))
    assert panel_problems([good], STYLE, ART, name=NAME) == []
    bad = pic.Panel("", (pic.Note("Seen "), pic.Note(text="\x07"), pic.Note(picture=replace(PICTURE, label=""))))
    assert panel_problems([bad, good, good], STYLE, ART, name=NAME) == [
        "a panel has no title",
        "panel '': 'Seen ' begins or ends with a space",
        "panel '': '\\x07' has a control character",
        "panel '': the picture has no label for screen readers",
        "two panels have the title 'Cards'",
    ]
