"""Changes of pictures applied to their JSON, as a renderer does it."""

from __future__ import annotations

from typing import Any


def apply(picture: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of the picture after a change, as a renderer makes it."""
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
            found = {each[0]: each for each in before if gone is not True and each[0] not in gone}
            for each in put if part == "places" else spread(put):
                whole = _relabelled(found[each[1]], each) if each[0] == "@" else each
                found[whole[0]] = whole
            after[part] = list(found.values())
    if "views" in change:
        after["views"] = picture["views"] | {
            label: each
            if "ground" in each
            else apply(
                picture["views"][label], {name: change[name] if part == 0 else part for name, part in each.items()}
            )
            for label, each in change["views"].items()
        }
    return after


def spread(moves: list[Any]) -> list[Any]:
    """Return the arrays of moves one by one, where several share an array."""
    found = []
    for move in moves:
        if len(move) > 1 and isinstance(move[1], list):
            start, lasts, *steps = move
            found += [[start + last, "", [*steps[0], last]] if steps else [start + last] for last in lasts]
        else:
            found.append(move)
    return found


def _restyled(array: list[Any], entry: list[Any]) -> list[Any]:
    """Return the array of a shape after a short entry."""
    _, _, x, y, *style = entry
    return [*array[:2], style[0] if style else array[2], x, y, *array[5:]]


def _relabelled(array: list[Any], entry: list[Any]) -> list[Any]:
    """Return the array of a place after a short entry."""
    _, _, x, y, *texts = entry
    whole = [*array, *[""] * (8 - len(array))]
    whole[1:3] = x, y
    for at, text in zip((5, 7), texts, strict=False):
        whole[at] = whole[at] if text is None else text
    while whole[-1] in ("", None, []):
        whole.pop()
    return whole


def in_order(picture: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of a picture with places and moves sorted, whose order means nothing."""
    views = {label: in_order(view) for label, view in picture["views"].items()}
    return {**picture, "places": sorted(picture["places"]), "moves": sorted(spread(picture["moves"])), "views": views}
