"""Marks as shapes: which are shown, and how large."""

from __future__ import annotations

import pytest

from kibitz.picture import Circle, Line, Mark, Path, Place, Rect, Text
from kibitz.picture.marks import mark_shapes, marks_to_show
from picture.small_pictures import PLACES

BOX = Place("a", 50, 50, 64, 64, "a")
SMALL = Place("s", 5, 5, 20, 20, "s")
COLUMN = Place("col", 200, 100, 78, 190, "col", mark=(200, 170))


def pill_of(mark: Mark, *places: Place) -> tuple[Rect, list[Text]]:
    """Return the box and the lines of a value."""
    box, *texts = mark_shapes([mark], places)
    assert isinstance(box, Rect)
    return box, [text for text in texts if isinstance(text, Text)]


def test_one_mark_a_place() -> None:
    marks = [
        Mark("value", ("a",), "1", "poor"),
        Mark("value", ("a", "c"), "2", "good"),
        Mark("value", ("b",), "3"),
        Mark("line", ("b",), "1"),
        Mark("hint", ("b",)),
        Mark("spot", ("a",)),
    ]
    assert marks_to_show(marks) == [marks[1], marks[3]]


def test_a_hint_keeps_the_value_of_its_move() -> None:
    marks = [Mark("value", ("a",), "3", "best"), Mark("hint", ("a",)), Mark("value", ("a", "c"), "4", "poor")]
    assert marks_to_show(marks) == [Mark("hint", ("a",), "3", "best")]
    diamond, pill, text = mark_shapes(marks, [BOX])
    assert diamond == Path("", "hint around", 50, 50, "M0 -22.68L22.68 0 0 22.68 -22.68 0Z")
    assert (type(pill), pill.style, getattr(text, "text", "")) == (Rect, "pill best", "3")


def test_equal_values_keep_the_first() -> None:
    marks = [Mark("value", ("a", "x"), "7"), Mark("value", ("a", "y"), "6")]
    assert marks_to_show(marks) == marks[:1]


def test_marks_without_a_place_are_left_out() -> None:
    assert mark_shapes([Mark("value", ("gone", "a"), "1"), Mark("hint", ())], [BOX]) == []
    assert len(mark_shapes([Mark("hint", ("gone", "a"))], [BOX])) == 2  # no frame where there is no place


def test_a_hint_is_a_diamond_in_a_frame_and_frames_the_first_step() -> None:
    frame, outer, inner = mark_shapes([Mark("hint", ("a", "col"))], [BOX, COLUMN])
    assert frame == Rect("", "frame", 18, 18, 64, 64, 8)
    assert outer == Path("", "hint-frame", 200, 170, "M0 -18.27L18.27 0 0 18.27 -18.27 0Z")
    assert inner == Path("", "hint", 200, 170, "M0 -12.6L12.6 0 0 12.6 -12.6 0Z")


def test_values_stand_at_the_first_step_and_frame_nothing() -> None:
    pill, [text] = pill_of(Mark("value", ("col", "a"), "48", "best"), BOX, COLUMN)
    assert (pill.style, text.style, text.text) == ("pill best", "pill best", "48")
    assert (pill.w, pill.h) == pytest.approx((12.6 * 2.3, 12.6 * 2.2))
    assert (text.x, text.y, text.size) == pytest.approx((200, 170, 14.49))


def test_long_values_shrink_into_their_place() -> None:
    pill, [text] = pill_of(Mark("value", ("s",), "-12"), SMALL)
    assert pill.w == pytest.approx(20)
    assert text.size == pytest.approx(1.15 * 8.4 * 20 / (8.4 * 3.0))
    pill, _ = pill_of(Mark("value", ("s",), "-12.5 points"), SMALL)
    assert pill.w == pytest.approx(0.6 * 8.4 * (0.9 + 0.7 * 12))


def test_two_lines() -> None:
    pill, [above, below] = pill_of(Mark("value", ("a",), "A\n48", "fair"), BOX)
    assert pill.w == pill.h == pytest.approx(3.2 * 12.6)
    assert (above.text, below.text) == ("A", "48")
    assert above.y < 50 < below.y


def test_steps_are_discs() -> None:
    disc, text = mark_shapes([Mark("line", ("a",), "3")], [BOX])
    assert isinstance(disc, Circle)
    assert isinstance(text, Text)
    assert (disc.style, text.text) == ("step", "3")
    assert disc.r == pytest.approx(13.86)


def test_spots_lie_below_and_follow_lines() -> None:
    shapes = mark_shapes([Mark("value", ("a",), "1"), Mark("spot", ("b", "c"))], PLACES)
    assert shapes[:2] == [Rect("", "frame", 40, 10, 20, 20, 8), Line("", "spot", 10, 90, 80, 0)]
    assert mark_shapes([Mark("spot", ("a",))], [BOX]) == [Rect("", "spot", 20, 20, 60, 60, 8)]
