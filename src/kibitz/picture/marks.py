"""Marks as shapes: the rules by which both renderers put values, hints and lines at places.

The page draws the same marks in JavaScript, because hovering over a move in a list must
mark it at once; a test compares the two. These are the rules:

1. A mark stands at the last of its places: at Place.mark, or in the middle. Marks whose last place is not in the
   picture are left out.
2. A place has one mark at most. A step of the expected line goes before a hint, a hint before a value; among values
   the better tone goes first, then the earlier in the list. A spot is only a frame and does not count.
3. The steps before the last are framed for a hint and a spot, not for values and lines, which would frame every card.
4. The measure of a place is the least of its width, its height and 30; 30 for a place with ends. r is 0.42 of it.
   (On a page drawn small, the measure is at least 24 pixels.)
       hint    a diamond with half-diagonal r, on one of 1.45 r
       line    a disc of radius 1.1 r with the number 1.2 r high
       value   a rounded box 2.2 r high, corners 0.5 r, at least as wide, with the text 1.15 r high; 0.9 r and 0.7 r a
               letter are allowed for. If this is wider than the place, box and text shrink together, to 0.6 at most.
               A text of two lines, such as "A" over "48", has a box 3.2 r high and its second line 0.9 r high.
       spot    the outline of the place, 2 inside, corners 8; along the line for a place with ends
       frame   the outline of the place itself, corners 8
5. Spots and frames lie below the other marks, and these lie in the order of the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kibitz.picture.picture import Circle, Line, Mark, Path, Place, Rect, Shape, Text
from kibitz.picture.wire import number

MAX_MEASURE = 30
"""The largest side of a place, in units, by which marks are measured."""
MIN_SHRINK = 0.6
"""How small a value may become to fit into its place."""

_KINDS: Mapping[str, int] = {"line": 0, "hint": 1, "value": 2}
_TONES: Mapping[str, int] = {"best": 0, "fair": 1, "": 2, "poor": 3}


def mark_shapes(marks: Iterable[Mark], places: Iterable[Place]) -> list[Shape]:
    """Return the shapes of marks, from bottom to top, in the classes of the platform's board.css."""
    known = {place.key: place for place in places}
    there = [mark for mark in marks if mark.places and mark.places[-1] in known]
    shapes: list[Shape] = []
    for mark in there:
        if mark.kind in ("hint", "spot"):
            shapes += [_outline("frame", known[key], 0) for key in mark.places[:-1] if key in known]
        if mark.kind == "spot":
            shapes.append(_outline("spot", known[mark.places[-1]], 2))
    for mark in chosen(there):
        shapes += _drawing(mark, known[mark.places[-1]])
    return shapes


def chosen(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks that are shown at their last places, one at each, in the order of the list."""
    numbered = [(i, mark) for i, mark in enumerate(marks) if mark.kind in _KINDS]
    numbered.sort(key=lambda each: (_KINDS[each[1].kind], _TONES.get(each[1].tone, 2), each[0]))
    shown: dict[str, tuple[int, Mark]] = {}
    for i, mark in numbered:
        shown.setdefault(mark.places[-1], (i, mark))
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
    if mark.kind == "hint":
        yield Path("", "hint-frame", x, y, _diamond(1.45 * r))
        yield Path("", "hint", x, y, _diamond(r))
    elif mark.kind == "line":
        yield Circle("", "step", x, y, 1.1 * r)
        yield Text("", "step", x, y, mark.text, 1.2 * r)
    else:
        yield from _pill(mark, x, y, r, None if place.ends else place.w)


def _diamond(k: float) -> str:
    k = number(k)
    return f"M0 {-k}L{k} 0 0 {k} {-k} 0Z"


def _pill(mark: Mark, x: float, y: float, r: float, room: float | None) -> Iterator[Shape]:
    style = f"pill {mark.tone}".strip()
    first, _, second = mark.text.partition("\n")
    high = (3.2 if second else 2.2) * r
    wide = max(high, r * (0.9 + 0.7 * max(len(first), 0.8 * len(second))))
    shrink = max(MIN_SHRINK, min(1, room / wide)) if room else 1
    yield Rect("", style, x - shrink * wide / 2, y - shrink * high / 2, shrink * wide, shrink * high, 0.5 * shrink * r)
    if second:
        yield Text("", style, x, y - 0.55 * shrink * r, first, 1.3 * shrink * r)
        yield Text("", style, x, y + 0.75 * shrink * r, second, 0.9 * shrink * r)
    elif first:
        yield Text("", style, x, y, first, 1.15 * shrink * r)
