"""Marks as shapes: values, hints and expected lines on the board.

The page draws the same marks in JavaScript, because hovering over a move in a list must
mark it at once; a test compares the two. Both follow these rules:

1. A value is drawn at the first place of its move, or on the page at the next place to press, if the move begins with
   the places pressed so far. Every other mark is drawn at the last of its places. Its position is Place.mark, or the
   middle of the place. Marks whose place is not in the picture are left out.
2. A place shows at most one mark. A step of the expected line beats a value; among values the better tone wins, then
   the earlier in the list. A hint and a value at the same place are drawn together. A spot is only a frame and does
   not count.
3. A hint or a spot also frames the steps before the last; values and lines do not, since they would frame every card.
4. The measure of a place is the smallest of its width, its height and 30; 30 for a place with ends. r is 0.42 of it.
   (On a page drawn small, the measure is at least 24 pixels. If places are smaller than that, or there are more than
   100 values at places without ends, only the best five are shown; only the first if more than five are equally good.)
       hint    a diamond with half-diagonal r on top of one with 1.45 r; with a value, a diamond below the box of the
               value that is 0.7 r wider on both sides
       line    a disc of radius 1.1 r with the number 1.2 r high
       value   a rounded box 2.2 r high, corners 0.5 r, with the text 1.15 r high; its width is 0.9 r plus 0.7 r per
               letter, at least its height. If it is wider than the place, box and text shrink, at most to 60 %.
               A text of two lines, such as "A" over "48", has a box 3.2 r high and its second line 0.9 r high.
       spot    the outline of the place, inset by 2, corners 8; along the line for a place with ends
       frame   the outline of the place itself, corners 8
5. Spots and frames lie below the other marks, which lie in the order of the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kibitz.picture import Circle, Line, Mark, Path, Place, Rect, Shape, Text
from kibitz.picture.wire import number

MAX_MEASURE = 30
"""The maximum measure of a place, in units of the picture."""
MIN_SHRINK = 0.6
"""The smallest factor by which a value is scaled down to fit its place."""

_KINDS: Mapping[str, int] = {"line": 0, "hint": 1, "value": 2}
_TONES: Mapping[str, int] = {"best": 0, "good": 1, "fair": 2, "": 3, "poor": 4}


def mark_shapes(marks: Iterable[Mark], places: Iterable[Place]) -> list[Shape]:
    """Return the shapes of marks, from bottom to top, with classes of the platform's board.css."""
    known = {place.key: place for place in places}
    visible = [mark for mark in marks if mark.places and _place_key(mark) in known]
    shapes: list[Shape] = []
    for mark in visible:
        if mark.kind in ("hint", "spot"):
            shapes += [_outline("frame", known[key], 0) for key in mark.places[:-1] if key in known]
        if mark.kind == "spot":
            shapes.append(_outline("spot", known[_place_key(mark)], 2))
    for mark in marks_to_show(visible):
        shapes += _drawing(mark, known[_place_key(mark)])
    return shapes


def _place_key(mark: Mark) -> str:
    """Return the key of the place where a mark is drawn."""
    return mark.places[0] if mark.kind == "value" else mark.places[-1]


def marks_to_show(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks to show: at most one per place, in the given order. A hint shows the text of a value there."""
    numbered = [(i, mark) for i, mark in enumerate(marks) if mark.kind in _KINDS]
    numbered.sort(key=lambda each: (_KINDS[each[1].kind], _TONES.get(each[1].tone, 3), each[0]))  # most important first
    shown: dict[str, tuple[int, Mark]] = {}
    for i, mark in numbered:
        _, first = shown.setdefault(_place_key(mark), (i, mark))
        if mark.kind == "value" and first.kind == "hint" and not first.text:
            shown[_place_key(mark)] = i, replace(first, text=mark.text, tone=mark.tone)
    return [mark for _, mark in sorted(shown.values(), key=lambda each: each[0])]


def _outline(style: str, place: Place, inset: float) -> Shape:
    if place.ends:
        x1, y1, x2, y2 = place.ends
        return Line("", style, x1, y1, x2 - x1, y2 - y1)
    w, h = place.w - 2 * inset, place.h - 2 * inset
    return Rect("", style, place.x - w / 2, place.y - h / 2, w, h, 8)


def _drawing(mark: Mark, place: Place) -> Iterator[Shape]:
    measure = MAX_MEASURE if place.ends else min(MAX_MEASURE, place.w, place.h)
    r = 0.42 * measure
    x, y = place.mark or (place.x, place.y)
    max_width = None if place.ends else place.w
    if mark.kind == "hint" and mark.text:
        box, texts = _pill(mark, x, y, r, max_width)
        yield Path("", "hint around", x, y, _diamond(box.w / 2 + 0.7 * r))
        yield from (box, *texts)
    elif mark.kind == "hint":
        yield Path("", "hint-frame", x, y, _diamond(1.45 * r))
        yield Path("", "hint", x, y, _diamond(r))
    elif mark.kind == "line":
        yield Circle("", "step", x, y, 1.1 * r)
        yield Text("", "step", x, y, mark.text, 1.2 * r)
    else:
        box, texts = _pill(mark, x, y, r, max_width)
        yield from (box, *texts)


def _diamond(k: float) -> str:
    k = number(k)
    return f"M0 {-k}L{k} 0 0 {k} {-k} 0Z"


def _pill(mark: Mark, x: float, y: float, r: float, max_width: float | None) -> tuple[Rect, list[Text]]:
    """Return the box of a value and its one or two lines of text, in the proportions of rule 4 of this module."""
    style = f"pill {mark.tone}".strip()
    first, _, second = mark.text.partition("\n")
    height = (3.2 if second else 2.2) * r
    width = max(height, r * (0.9 + 0.7 * max(len(first), 0.8 * len(second))))
    shrink = max(MIN_SHRINK, min(1, max_width / width)) if max_width else 1
    r, width, height = shrink * r, shrink * width, shrink * height
    box = Rect("", style, x - width / 2, y - height / 2, width, height, 0.5 * r)
    if second:
        return box, [
            Text("", style, x, y - 0.55 * r, first, 1.3 * r),
            Text("", style, x, y + 0.75 * r, second, 0.9 * r),
        ]
    return box, [Text("", style, x, y, first, 1.15 * r)] if first else []
