"""Pictures as JSON of short arrays, and what changes from one picture to the next.

A picture is an object with the fields of Picture. Its parts are arrays, in the order of
their fields; empty fields at the end are left out, and None is null:

    shape   [letter, key, style, x, y, fields of its kind ..., born]
            l dx dy | c r | r w h rx | p d | t text size | u symbol scale | g shapes scale
    place   [key, x, y, w, h, label, ghost, prompt, ends, walk, mark]
    move    [move, label, steps], or several whose text ends with their last step:
            [start of the text, [last step, ...], other steps]
    button  [move, label]; without the label where the legal move has the same
    mark    [kind, places, text, tone]  fact    [label, text]     legend  [shapes, text]

Numbers have at most two decimals, scales four. A change is an object with the parts
that changed:

    shapes         [keys that go, [[shape, key of the shape below it] or [shape], ...]]
    places, moves  [keys that go, [those that are new or changed, ...]]
    views          {label: a change of that view, its whole picture, or 0: it changes alike}
    other parts    as in a whole picture

A symbol or group of which only these change is ["@", key, x, y, style, scale, born], any
other shape ["@", key, x, y, style], a place ["@", key, x, y, label, prompt, w, h], one with
ends, walk or mark only if x and y stay. What stays as it was is null, or left out at the
end; a text that becomes empty is "". If all go, the keys that go are `true`.
A part of a view's change that is 0 is the same as in the change of the whole picture.

An entry [shape, below] is inserted right above the shape `below`, or at the bottom where
that is empty, and is moved there if it is on the board already; [shape] changes where it
lies. Apply the entries in their order. A whole picture has a "ground", a change never
has. The order of places and moves means nothing.

Shapes and places are immutable, and painters cache them. Their arrays are cached here as
well, so treat everything that this module returns as read-only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from kibitz.picture.picture import (
    Circle,
    Group,
    LegalMove,
    LegendEntry,
    Line,
    Overlay,
    Panel,
    Path,
    Picture,
    Place,
    Rect,
    Shape,
    Text,
    Use,
)

Array: TypeAlias = list[Any]
Object: TypeAlias = dict[str, Any]
T = TypeVar("T")

MAX_CACHED_ARRAYS = 20_000
"""About 10 MB. Go on 19x19 needs 1,800 for all its stones and places."""

_cached: dict[int, tuple[object, Array]] = {}
"""id -> the shape, place or ground with that id, which is kept alive so that the id stays its own; and its array."""


def _array(thing: T, encode: Callable[[T], Array]) -> Array:
    """Return the array of an immutable object, from the cache if it is there."""
    found = _cached.get(id(thing))
    if found is None:
        if len(_cached) >= MAX_CACHED_ARRAYS:
            _cached.clear()
        found = _cached[id(thing)] = (thing, encode(thing))
    return found[1]


def number(value: float, decimals: int = 2) -> float:
    """Return a number rounded, and without a fraction if that is zero."""
    if type(value) is int:
        return value
    rounded = round(value, decimals)
    whole = int(rounded)
    return whole if whole == rounded else rounded


def scale_number(scale: float) -> float:
    """Return a scale rounded: four decimals, since it multiplies coordinates of up to a hundred."""
    return number(scale, 4)


# Shapes


def _line(shape: Line) -> Array:
    return ["l", shape.key, shape.style, number(shape.x), number(shape.y), number(shape.dx), number(shape.dy)]


def _circle(shape: Circle) -> Array:
    return ["c", shape.key, shape.style, number(shape.x), number(shape.y), number(shape.r)]


def _rect(shape: Rect) -> Array:
    size = number(shape.w), number(shape.h), number(shape.rx)
    return ["r", shape.key, shape.style, number(shape.x), number(shape.y), *size]


def _path(shape: Path) -> Array:
    return ["p", shape.key, shape.style, number(shape.x), number(shape.y), shape.d]


def _text(shape: Text) -> Array:
    return ["t", shape.key, shape.style, number(shape.x), number(shape.y), shape.text, number(shape.size)]


def _use(shape: Use) -> Array:
    return ["u", shape.key, shape.style, number(shape.x), number(shape.y), shape.symbol, scale_number(shape.scale)]


def _group(shape: Group) -> Array:
    inner = shapes_json(shape.shapes)
    return ["g", shape.key, shape.style, number(shape.x), number(shape.y), inner, scale_number(shape.scale)]


_ENCODERS: Mapping[type[Shape], Callable[[Any], Array]] = {
    Line: _line,
    Circle: _circle,
    Rect: _rect,
    Path: _path,
    Text: _text,
    Use: _use,
    Group: _group,
}


def _shape(shape: Shape) -> Array:
    array = _ENCODERS[type(shape)](shape)
    if shape.born:
        array.append(shape.born)
    return array


def shapes_json(shapes: Iterable[Shape]) -> Array:
    """Return shapes as arrays."""
    return [_array(shape, _shape) for shape in shapes]


# Places and moves


def _numbers(values: Sequence[float] | None) -> Array | None:
    return None if values is None else [number(value) for value in values]


def _trimmed(array: Array, dropped: tuple[object, ...] = ("", None, [])) -> Array:
    """Drop the empty fields at the end."""
    while array[-1] in dropped:
        array.pop()
    return array


def _place(place: Place) -> Array:
    box = number(place.x), number(place.y), number(place.w), number(place.h)
    spots = _numbers(place.ends), _numbers(place.walk), _numbers(place.mark)
    return _trimmed([place.key, *box, place.label, place.ghost, place.prompt, *spots])


def _places(places: Iterable[Place]) -> Array:
    return [_array(place, _place) for place in places]


def _move(move: LegalMove) -> Array:
    if move.steps:
        return [move.move, move.label, list(move.steps)]
    return [move.move, move.label] if move.label else [move.move]


def _moves(moves: Iterable[LegalMove]) -> Array:
    """Return moves as arrays; neighbours that differ in their last step alone share one."""
    arrays: Array = []
    stem: tuple[str, ...] = ()
    for move in moves:
        if move.label or (not move.steps and " > " not in move.move):
            arrays.append(_move(move))
            stem = ()
            continue
        *steps, last = move.path
        start = move.move.removesuffix(last)
        if not steps or start == move.move:
            arrays.append(_move(move))
            stem = ()
        elif (start, *steps) == stem:
            arrays[-1][1].append(last)
        else:
            stem = (start, *steps)
            arrays.append([start, [last]] if not move.steps else [start, [last], steps])
    return arrays


def _buttons(picture: Picture) -> Array:
    labels = {move.move: move.label for move in picture.moves}
    return [
        [button.move] if labels.get(button.move) == button.label else [button.move, button.label]
        for button in picture.buttons
    ]


def _ghosts(ghosts: Mapping[str, tuple[Shape, ...]]) -> Object:
    return {name: shapes_json(shapes) for name, shapes in ghosts.items()}


# Whole pictures, overlays, panels


def to_json(picture: Picture) -> Object:
    """Return a whole picture."""
    return {
        "frame": _numbers(picture.frame),
        "ground": _array(picture.ground, shapes_json),
        "shapes": shapes_json(picture.shapes),
        "places": _places(picture.places),
        "moves": _moves(picture.moves),
        "ghosts": _ghosts(picture.ghosts),
        "buttons": _buttons(picture),
        "label": picture.label,
        "prompt": picture.prompt,
        "secret": picture.secret,
        "views": {label: to_json(view) for label, view in picture.views.items()},
    }


def legend_json(legend: Iterable[LegendEntry]) -> Array:
    """Return the entries of a legend as arrays."""
    return [[shapes_json(entry.shapes), entry.text] for entry in legend]


def overlay_json(overlay: Overlay) -> Object:
    """Return an overlay, without the parts that are empty."""
    parts = {
        "under": shapes_json(overlay.under),
        "over": shapes_json(overlay.over),
        "facts": [[fact.label, fact.text] for fact in overlay.facts],
        "legend": legend_json(overlay.legend),
        "views": {label: overlay_json(view) for label, view in overlay.views.items()},
    }
    return {name: part for name, part in parts.items() if part}


def panel_json(panel: Panel) -> Object:
    """Return a panel: its title, and its notes without the fields that are empty."""
    notes = []
    for note in panel.notes:
        fields = {"title": note.title, "lead": note.lead, "text": note.text, "tone": note.tone}
        shown: Object = {name: text for name, text in fields.items() if text}
        if note.picture is not None:
            shown["picture"] = to_json(note.picture)
        notes.append(shown)
    return {"title": panel.title, "notes": notes}


# Changes


def diff(before: Picture, after: Picture) -> Object | None:
    """Return what changes from one picture to the next; an empty object if nothing does.

    Return None if the frame, the ground or the list of views differs: then send the whole picture.
    """
    if before.frame != after.frame or before.ground != after.ground or list(before.views) != list(after.views):
        return None
    change: Object = {}
    if shapes := _shapes_diff(before.shapes, after.shapes):
        change["shapes"] = shapes
    if places := _keyed_diff(before.places, after.places, lambda place: place.key, _changed_places):
        change["places"] = places
    if moves := _keyed_diff(before.moves, after.moves, lambda move: move.move, lambda put, _: _moves(put)):
        change["moves"] = moves
    if before.ghosts != after.ghosts:
        change["ghosts"] = _ghosts(after.ghosts)
    if (buttons := _buttons(after)) != _buttons(before):
        change["buttons"] = buttons
    for name in ("label", "prompt", "secret"):
        if getattr(before, name) != getattr(after, name):
            change[name] = getattr(after, name)
    if views := _views_diff(before.views, after.views, change):
        change["views"] = views
    return change


def _views_diff(before: Mapping[str, Picture], after: Mapping[str, Picture], whole: Object) -> Object:
    """Return the changes of the views; what changes as in the whole picture is only pointed at."""
    changes: Object = {}
    for label, view in after.items():
        change = diff(before[label], view)
        if change is None:
            changes[label] = to_json(view)
        elif change:
            parts = {name: 0 if whole.get(name) == part else part for name, part in change.items()}
            changes[label] = 0 if change == whole else parts
    return changes


def _middles(before: Sequence[T], after: Sequence[T]) -> tuple[int, Sequence[T], Sequence[T]]:
    """Return how many things both begin with, and what is left of each without these and the common end."""
    start, end = 0, 0
    shorter = min(len(before), len(after))
    while start < shorter and (before[start] is after[start] or before[start] == after[start]):
        start += 1
    while end < shorter - start and (before[-1 - end] is after[-1 - end] or before[-1 - end] == after[-1 - end]):
        end += 1
    return start, before[start : len(before) - end], after[start : len(after) - end]


def _keyed_diff(
    before: Sequence[T],
    after: Sequence[T],
    key: Callable[[T], str],
    encode: Callable[[list[T], Mapping[str, T]], Array],
) -> Array:
    """Return [keys that go, things that are new or changed], or nothing if there are none.

    encode: what makes arrays of those, given what was there before by key.
    """
    count = len(before)
    _, before, after = _middles(before, after)
    old = {key(thing): thing for thing in before}
    new = {key(thing) for thing in after}
    gone = [each for each in old if each not in new]
    put = [thing for thing in after if old.get(key(thing)) != thing]
    return [True if 0 < count == len(gone) else gone, encode(put, old)] if gone or put else []


def _changed_places(places: Sequence[Place], before: Mapping[str, Place]) -> Array:
    return [_slight(before.get(place.key), place) or _array(place, _place) for place in places]


_SLIGHT_CHANGES: Mapping[type, tuple[str, ...]] = {
    Group: ("style", "scale", "born"),
    Use: ("style", "scale", "born"),
    Place: ("label", "prompt", "w", "h"),
}
"""What may change in a short form besides the point; of other shapes the style."""


def _slight(before: Shape | Place | None, after: Shape | Place) -> Array | None:
    """Return the short form of a shape or place that changes little; None if it is new or changes more."""
    if before is None or type(before) is not type(after):
        return None
    if isinstance(after, Place) and (after.ends or after.walk or after.mark) and _point(before) != _point(after):
        return None
    names = _SLIGHT_CHANGES.get(type(after), ("style",))
    values = {name: getattr(after, name) for name in ("x", "y", *names)}
    if replace(before, **values) != after:
        return None
    changed = [None if getattr(before, name) == value else _short(name, value) for name, value in values.items()]
    while changed and changed[-1] is None:
        changed.pop()
    return ["@", after.key, *changed]


def _point(thing: Shape | Place) -> tuple[float, float]:
    return thing.x, thing.y


def _short(name: str, value: Any) -> Any:
    return value if isinstance(value, str) else scale_number(value) if name == "scale" else number(value)


def _shapes_diff(before: Sequence[Shape], after: Sequence[Shape]) -> Array:
    """Return [keys that go, entries that are new, changed or lie elsewhere], or nothing if there are none."""
    start, old_shapes, new_shapes = _middles(before, after)
    old = {shape.key: i for i, shape in enumerate(old_shapes)}
    new = {shape.key for shape in new_shapes}
    staying = _longest_rise([old[shape.key] for shape in new_shapes if shape.key in old])
    below = after[start - 1].key if start else ""
    put = []
    for shape in new_shapes:
        place = old.get(shape.key, -1)
        was = old_shapes[place] if place >= 0 else None
        if place not in staying:
            put.append([_slight(was, shape) or _array(shape, _shape), below])
        elif was != shape:
            put.append([_slight(was, shape) or _array(shape, _shape)])
        below = shape.key
    gone = [key for key in old if key not in new]
    return [gone, put] if gone or put else []


def _longest_rise(numbers: Sequence[int]) -> set[int]:
    """Return a longest rising subsequence of distinct numbers: the shapes that can stay where they lie."""
    tops: list[int] = []  # [i]: the smallest number that ends a rising subsequence of length i + 1
    under: dict[int, int | None] = {}  # number -> the one before it in such a subsequence
    for value in numbers:
        i = bisect_left(tops, value)
        under[value] = tops[i - 1] if i else None
        tops[i : i + 1] = [value]
    kept: set[int] = set()
    at = tops[-1] if tops else None
    while at is not None:
        kept.add(at)
        at = under[at]
    return kept
