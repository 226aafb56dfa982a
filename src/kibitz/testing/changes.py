"""Apply changes to the JSON of tables and pictures, as the page does."""

from __future__ import annotations

from typing import Literal

from kibitz.core.untrusted import JsonObject
from kibitz.picture.wire import JsonArray


def whole_table(before: JsonObject | None, message: JsonObject) -> JsonObject:
    """Return the table as a client knows it after a message from the server; before: the table until then."""
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
        gone, put = change["shapes"]
        old = {shape[1]: shape for shape in picture["shapes"]}
        shapes = [shape for shape in picture["shapes"] if shape[1] not in gone]
        for entry, *below in put:
            shape = _restyled(old[entry[1]], entry) if entry[0] == "@" else entry
            keys = [each[1] for each in shapes]
            if below:
                if shape[1] in keys:
                    del shapes[keys.index(shape[1])]
                under = [each[1] for each in shapes].index(below[0]) + 1 if below[0] else 0
                shapes.insert(under, shape)
            else:
                shapes[keys.index(shape[1])] = shape
        after["shapes"] = shapes
    for part in ("places", "moves"):
        if part in change:
            gone, put = change[part]
            before = picture[part] if part == "places" else spread(picture[part])
            by_key = {each[0]: each for each in before if gone is not True and each[0] not in gone}
            for each in put if part == "places" else spread(put):
                whole = _relabelled(by_key[each[1]], each) if each[0] == "@" else each
                by_key[whole[0]] = whole
            after[part] = list(by_key.values())
    if "views" in change:
        after["views"] = picture["views"] | {
            label: _viewed(picture["views"][label], change, each) for label, each in change["views"].items()
        }
    return after


def _viewed(view: JsonObject, whole: JsonObject, change: JsonObject | Literal[0]) -> JsonObject:
    """Return the JSON of a view after its change; 0 stands for the change of the whole picture."""
    if change == 0:
        return apply(view, {name: part for name, part in whole.items() if name != "views"})
    if "ground" in change:
        return dict(change)
    return apply(view, {name: whole[name] if part == 0 else part for name, part in change.items()})


def spread(moves: JsonArray) -> JsonArray:
    """Return one array per move, splitting those that several moves share."""
    arrays = []
    for move in moves:
        if len(move) > 1 and isinstance(move[1], list):
            start, lasts, *steps = move
            arrays += [[start + last, "", [*steps[0], last]] if steps else [start + last] for last in lasts]
        else:
            arrays.append(move)
    return arrays


def _restyled(array: JsonArray, entry: JsonArray) -> JsonArray:
    """Return the array of a shape after a change in the short form."""
    whole = [*array, *([""] if array[0] in "ug" and len(array) == 7 else [])]
    for at, value in zip((3, 4, 2, 6, 7), entry[2:], strict=False):  # x, y, style, scale, born
        whole[at] = whole[at] if value is None else value
    return whole if whole[-1] != "" else whole[:-1]


def _relabelled(array: JsonArray, entry: JsonArray) -> JsonArray:
    """Return the array of a place after a change in the short form."""
    whole = [*array, *[""] * (8 - len(array))]
    for at, value in zip((1, 2, 5, 7, 3, 4), entry[2:], strict=False):  # x, y, label, prompt, w, h
        whole[at] = whole[at] if value is None else value
    while whole[-1] in ("", None, []):
        whole.pop()
    return whole


def in_order(picture: JsonObject) -> JsonObject:
    """Return the JSON of a picture with sorted places and moves, whose order has no meaning."""
    views = {label: in_order(view) for label, view in picture["views"].items()}
    return {**picture, "places": sorted(picture["places"]), "moves": sorted(spread(picture["moves"])), "views": views}
