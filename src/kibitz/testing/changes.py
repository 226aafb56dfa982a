"""Apply changes to the JSON of tables and pictures, as the page does."""

from __future__ import annotations

from typing import Literal

from kibitz.core.untrusted import JsonObject
from kibitz.picture.wire import JsonArray


def whole_table(before: JsonObject | None, message: JsonObject) -> JsonObject:
    """Return the whole table after a message from the server; before: the table as the client knew it until then."""
    if "change" not in message:
        return message
    assert before is not None, "a change needs a table"
    assert message["since"] == before["number"], "a message was missed"
    moves = before["moves"][: message["kept_moves"]] + message["moves"]
    picture = apply(before["picture"], message["change"])
    return {"panels": before["panels"], "legal": before["legal"], **message, "moves": moves, "picture": picture}


def apply(picture: JsonObject, change: JsonObject) -> JsonObject:
    """Return the JSON of a picture after a change. kibitz.picture.wire describes both."""
    after = {**picture, **change}
    if "shapes" in change:
        removed, entries = change["shapes"]
        old = {shape[1]: shape for shape in picture["shapes"]}  # by key
        shapes = [shape for shape in picture["shapes"] if shape[1] not in removed]
        for entry, *below in entries:
            shape = _changed_shape(old[entry[1]], entry) if entry[0] == "@" else entry
            keys = [each[1] for each in shapes]
            if below:
                if shape[1] in keys:
                    del shapes[keys.index(shape[1])]
                index = [each[1] for each in shapes].index(below[0]) + 1 if below[0] else 0
                shapes.insert(index, shape)
            else:
                shapes[keys.index(shape[1])] = shape
        after["shapes"] = shapes
    for part in ("places", "moves"):
        if part in change:
            removed, entries = change[part]
            before = picture[part] if part == "places" else one_array_per_move(picture[part])
            by_key = {each[0]: each for each in before if removed is not True and each[0] not in removed}
            for each in entries if part == "places" else one_array_per_move(entries):
                array = _changed_place(by_key[each[1]], each) if each[0] == "@" else each
                by_key[array[0]] = array
            after[part] = list(by_key.values())
    if "views" in change:
        after["views"] = picture["views"] | {
            label: _changed_view(picture["views"][label], change, each) for label, each in change["views"].items()
        }
    return after


def _changed_view(view: JsonObject, main_change: JsonObject, change: JsonObject | Literal[0]) -> JsonObject:
    """Return the JSON of a view after its change; 0, whole or in a part, stands for the change of the main picture."""
    if change == 0:
        return apply(view, {name: part for name, part in main_change.items() if name != "views"})
    if "ground" in change:  # a whole picture
        return dict(change)
    return apply(view, {name: main_change[name] if part == 0 else part for name, part in change.items()})


def one_array_per_move(moves: JsonArray) -> JsonArray:
    """Return the arrays of moves with one array per move, splitting those that several moves share."""
    arrays = []
    for move in moves:
        if len(move) > 1 and isinstance(move[1], list):
            start, lasts, *steps = move
            arrays += [[start + last, "", [*steps[0], last]] if steps else [start + last] for last in lasts]
        else:
            arrays.append(move)
    return arrays


def _changed_shape(array: JsonArray, entry: JsonArray) -> JsonArray:
    """Return the array of a shape after a change in the short form, ["@", key, x, y, style, scale, born]."""
    changed = [*array, *([""] if array[0] in "ug" and len(array) == 7 else [])]  # symbols and groups: add `born`
    for i, value in zip((3, 4, 2, 6, 7), entry[2:], strict=False):  # the places of x, y, style, scale, born
        changed[i] = changed[i] if value is None else value
    return changed if changed[-1] != "" else changed[:-1]


def _changed_place(array: JsonArray, entry: JsonArray) -> JsonArray:
    """Return the array of a place after a change in the short form, ["@", key, x, y, label, prompt, w, h]."""
    changed = [*array, *[""] * (8 - len(array))]
    for i, value in zip((1, 2, 5, 7, 3, 4), entry[2:], strict=False):  # the places of x, y, label, prompt, w, h
        changed[i] = changed[i] if value is None else value
    while changed[-1] in ("", None, []):
        changed.pop()
    return changed


def with_sorted_parts(picture: JsonObject) -> JsonObject:
    """Return the JSON of a picture with sorted places and moves, whose order has no meaning."""
    views = {label: with_sorted_parts(view) for label, view in picture["views"].items()}
    moves = sorted(one_array_per_move(picture["moves"]))
    return {**picture, "places": sorted(picture["places"]), "moves": moves, "views": views}
