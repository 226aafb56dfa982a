"""Pictures as JSON, and the changes from one picture to the next.

A picture is an object with the fields of Picture. Its parts are arrays of their fields, in
order; empty fields at the end are left out, and None is null:

    shape   [letter, key, style, x, y, fields of its kind ..., born]
            l dx dy | c r | r w h rx | p d | t text size | u symbol scale | g shapes scale
    place   [key, x, y, w, h, label, ghost, prompt, ends, walk, mark]
    move    [move, label, steps], or several moves whose texts end with their last steps:
            [start of the texts, [last step, ...], other steps]
    button  [move, label]; without the label if the legal move has the same one
    mark    [kind, places, text, tone]  fact    [label, text]     legend  [shapes, text]

Numbers have at most two decimals, scales four. A change is an object with the parts that changed:

    shapes         [removed keys, [[shape, key of the shape below it] or [shape], ...]]
    places, moves  [removed keys, [new or changed ones, ...]]
    views          {label: the change of that view, its whole picture, or 0 if it changes as the main picture does}
    other parts    as in a whole picture

If everything is removed, the removed keys are `true`. A shape or place that changes only a little has a short form:

    symbol or group  ["@", key, x, y, style, scale, born]
    other shape      ["@", key, x, y, style]
    place            ["@", key, x, y, label, prompt, w, h]; with ends, walk or mark only if x and y stay

Unchanged fields are null, or left out at the end; a text that becomes empty is "". A part of
a view's change that is 0 equals that part in the change of the whole picture.

An entry [shape, below] is inserted right above the shape `below`, or at the bottom if that is empty, or moved there if
it is already on the board; an entry [shape] changes in place. Apply the entries in order. A whole picture has a
"ground", a change never has one. The order of places and moves has no meaning.

Shapes and places are immutable, and pages cache them. Their arrays are cached here, so treat
everything that this module returns as read-only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import kibitz.picture as pic
from kibitz.picture import Group, LegalMove, LegendEntry, Overlay, Panel, Picture, Place, Shape, Use

JsonArray: TypeAlias = list[Any]
JsonObject: TypeAlias = dict[str, Any]
T = TypeVar("T")

MAX_CACHED_ARRAYS = 20_000
"""The maximum number of cached arrays, about 10 MB. Go on 19x19 needs 1,800 for all stones and places."""

_cached: dict[int, tuple[object, JsonArray]] = {}
"""id -> the shape, place or ground with that id (kept alive so that the id stays unique), and its array."""


def _array(thing: T, encode: Callable[[T], JsonArray]) -> JsonArray:
    """Return the JSON array that encodes an immutable object, from the cache if possible."""
    entry = _cached.get(id(thing))
    if entry is None:
        if len(_cached) >= MAX_CACHED_ARRAYS:
            _cached.clear()
        entry = _cached[id(thing)] = (thing, encode(thing))
    return entry[1]


def number(value: float, decimals: int = 2) -> float:
    """Round a number; return it as an int if the rounded value is whole."""
    if type(value) is int:
        return value
    rounded = round(value, decimals)
    whole = int(rounded)
    return whole if whole == rounded else rounded


def scale_number(scale: float) -> float:
    """Round a scale to four decimals, since it multiplies coordinates of up to a hundred."""
    return number(scale, 4)


# Shapes

_FIELDS: Mapping[type[Shape], tuple[str, ...]] = {
    pic.Line: ("l", "dx", "dy"),
    pic.Circle: ("c", "r"),
    pic.Rect: ("r", "w", "h", "rx"),
    pic.Path: ("p", "d"),
    pic.Text: ("t", "text", "size"),
    Use: ("u", "symbol", "scale"),
    Group: ("g", "shapes", "scale"),
}
"""Kind of shape -> its letter, and the fields that only this kind has."""


def _shape(shape: Shape) -> JsonArray:
    letter, *names = _FIELDS[type(shape)]
    own = [_field(name, getattr(shape, name)) for name in names]
    born = [shape.born] if shape.born else []
    return [letter, shape.key, shape.style, number(shape.x), number(shape.y), *own, *born]


def _field(name: str, value: str | float | tuple[Shape, ...]) -> str | float | JsonArray:
    if isinstance(value, tuple):
        return shapes_json(value)
    return value if isinstance(value, str) else scale_number(value) if name == "scale" else number(value)


def shapes_json(shapes: Iterable[Shape]) -> JsonArray:
    """Encode shapes as JSON arrays."""
    return [_array(shape, _shape) for shape in shapes]


# Places and moves


def _numbers(values: Sequence[float] | None) -> JsonArray | None:
    return None if values is None else [number(value) for value in values]


def _trimmed(array: JsonArray, empty: tuple[object, ...] = ("", None, [])) -> JsonArray:
    """Remove the empty fields at the end of an array; return the same array."""
    while array[-1] in empty:
        array.pop()
    return array


def _place(place: Place) -> JsonArray:
    box = number(place.x), number(place.y), number(place.w), number(place.h)
    spots = _numbers(place.ends), _numbers(place.walk), _numbers(place.mark)
    return _trimmed([place.key, *box, place.label, place.ghost, place.prompt, *spots])


def _places(places: Iterable[Place]) -> JsonArray:
    return [_array(place, _place) for place in places]


def _moves(moves: Iterable[LegalMove]) -> JsonArray:
    """Return moves as arrays; consecutive moves that differ only in their last step share one array."""
    arrays: JsonArray = []
    shared_start: tuple[str, ...] = ()
    for move in moves:
        *steps, last = move.path
        start = move.move.removesuffix(last)
        if move.label or not steps or start == move.move:
            arrays.append(_trimmed([move.move, move.label, list(move.steps)]))
            shared_start = ()
        elif (start, *steps) == shared_start:
            arrays[-1][1].append(last)
        else:
            shared_start = (start, *steps)
            arrays.append([start, [last]] if not move.steps else [start, [last], steps])
    return arrays


def _buttons(picture: Picture) -> JsonArray:
    labels = {move.move: move.label for move in picture.moves}
    return [
        [button.move] if labels.get(button.move) == button.label else [button.move, button.label]
        for button in picture.buttons
    ]


def _ghosts(ghosts: Mapping[str, tuple[Shape, ...]]) -> JsonObject:
    return {name: shapes_json(shapes) for name, shapes in ghosts.items()}


# Whole pictures, overlays, panels


def to_json(picture: Picture) -> JsonObject:
    """Encode a whole picture as JSON."""
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


def legend_json(legend: Iterable[LegendEntry]) -> JsonArray:
    """Encode the entries of a legend as JSON arrays."""
    return [[shapes_json(entry.shapes), entry.text] for entry in legend]


def overlay_json(overlay: Overlay) -> JsonObject:
    """Encode an overlay as JSON, without its empty parts."""
    parts = {
        "under": shapes_json(overlay.under),
        "over": shapes_json(overlay.over),
        "facts": [[fact.label, fact.text] for fact in overlay.facts],
        "legend": legend_json(overlay.legend),
        "views": {label: overlay_json(view) for label, view in overlay.views.items()},
    }
    return {name: part for name, part in parts.items() if part}


def panel_json(panel: Panel) -> JsonObject:
    """Encode a panel as JSON: its title, and its notes without their empty fields."""
    notes = []
    for note in panel.notes:
        fields = {"title": note.title, "lead": note.lead, "text": note.text, "tone": note.tone}
        shown: JsonObject = {name: text for name, text in fields.items() if text}
        if note.picture is not None:
            shown["picture"] = to_json(note.picture)
        notes.append(shown)
    return {"title": panel.title, "notes": notes}


# Changes


def diff(before: Picture, after: Picture) -> JsonObject | None:
    """Return the change from one picture to the next; an empty object if they are equal.

    Return None if the frame, the ground or the list of views differs, so that the whole picture must be sent.
    """
    if before.frame != after.frame or before.ground != after.ground or list(before.views) != list(after.views):
        return None
    change: JsonObject = {}
    if shapes := _shapes_diff(before.shapes, after.shapes):
        change["shapes"] = shapes
    if places := _keyed_diff(before.places, after.places, lambda place: place.key, _changed_places):
        change["places"] = places
    if moves := _keyed_diff(before.moves, after.moves, lambda move: move.move, lambda moves, _: _moves(moves)):
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


def _views_diff(before: Mapping[str, Picture], after: Mapping[str, Picture], main_change: JsonObject) -> JsonObject:
    """Return the changes of the views by label; 0 stands for a change or part equal to that of the main picture."""
    changes: JsonObject = {}
    for label, view in after.items():
        change = diff(before[label], view)
        if change is None:
            changes[label] = to_json(view)
        elif change:
            parts = {name: 0 if main_change.get(name) == part else part for name, part in change.items()}
            changes[label] = 0 if change == main_change else parts
    return changes


def _differing_parts(before: Sequence[T], after: Sequence[T]) -> tuple[int, Sequence[T], Sequence[T]]:
    """Return the length of the common prefix of two sequences, and both without their common prefix and suffix."""
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
    encode: Callable[[list[T], Mapping[str, T]], JsonArray],
) -> JsonArray:
    """Return [removed keys, new or changed places or moves], or an empty list if nothing changed.

    encode: turns the new or changed ones into arrays, given the old ones by key.
    """
    old_count = len(before)
    _, before, after = _differing_parts(before, after)
    old = {key(each): each for each in before}
    new_keys = {key(each) for each in after}
    removed = [each for each in old if each not in new_keys]
    changed = [each for each in after if old.get(key(each)) != each]
    everything = 0 < old_count == len(removed)
    return [True if everything else removed, encode(changed, old)] if removed or changed else []


def _changed_places(places: Sequence[Place], before: Mapping[str, Place]) -> JsonArray:
    return [_short_form(before.get(place.key), place) or _array(place, _place) for place in places]


_SHORT_FORM_FIELDS: Mapping[type, tuple[str, ...]] = {
    Group: ("style", "scale", "born"),
    Use: ("style", "scale", "born"),
    Place: ("label", "prompt", "w", "h"),
}
"""The fields besides x and y that may change in the short form; for other shapes only the style."""


def _short_form(before: Shape | Place | None, after: Shape | Place) -> JsonArray | None:
    """Return the short form of a changed shape or place; None if it is new or changes too much."""
    if before is None or type(before) is not type(after):
        return None
    if isinstance(after, Place) and (after.ends or after.walk or after.mark) and _point(before) != _point(after):
        return None
    names = _SHORT_FORM_FIELDS.get(type(after), ("style",))
    values = {name: getattr(after, name) for name in ("x", "y", *names)}
    if replace(before, **values) != after:
        return None
    changed = [None if getattr(before, name) == value else _field(name, value) for name, value in values.items()]
    return _trimmed(["@", after.key, *changed], (None,))


def _point(thing: Shape | Place) -> tuple[float, float]:
    return thing.x, thing.y


def _shapes_diff(before: Sequence[Shape], after: Sequence[Shape]) -> JsonArray:
    """Return [removed keys, entries of new, changed or moved shapes], or an empty list if nothing changed."""
    start, old_shapes, new_shapes = _differing_parts(before, after)
    old_indices = {shape.key: i for i, shape in enumerate(old_shapes)}
    new_keys = {shape.key for shape in new_shapes}
    staying = _longest_increase([old_indices[shape.key] for shape in new_shapes if shape.key in old_indices])
    below = after[start - 1].key if start else ""
    entries = []
    for shape in new_shapes:
        index = old_indices.get(shape.key, -1)
        old_shape = old_shapes[index] if index >= 0 else None
        if index not in staying:
            entries.append([_short_form(old_shape, shape) or _array(shape, _shape), below])
        elif old_shape != shape:
            entries.append([_short_form(old_shape, shape) or _array(shape, _shape)])
        below = shape.key
    removed = [key for key in old_indices if key not in new_keys]
    return [removed, entries] if removed or entries else []


def _longest_increase(numbers: Sequence[int]) -> set[int]:
    """Return a longest increasing subsequence of distinct numbers: the old indices of shapes that need not move."""
    smallest_ends: list[int] = []  # [i]: the smallest number that ends an increasing subsequence of length i + 1
    predecessors: dict[int, int | None] = {}  # number -> its predecessor in such a subsequence
    for value in numbers:
        i = bisect_left(smallest_ends, value)
        predecessors[value] = smallest_ends[i - 1] if i else None
        smallest_ends[i : i + 1] = [value]
    staying: set[int] = set()
    current = smallest_ends[-1] if smallest_ends else None
    while current is not None:
        staying.add(current)
        current = predecessors[current]
    return staying
