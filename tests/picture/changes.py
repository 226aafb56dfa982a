"""Changes of pictures applied to their JSON, as a renderer does it."""

from __future__ import annotations

from typing import Any


def apply(picture: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of the picture after a change, as a renderer makes it."""
    after = {**picture, **change}
    if "shapes" in change:
        gone, put = change["shapes"]
        shapes = [shape for shape in picture["shapes"] if shape[1] not in gone]
        for shape, *below in put:
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
            found = {each[0]: each for each in picture[part] if each[0] not in gone} | {each[0]: each for each in put}
            after[part] = list(found.values())
    if "views" in change:
        after["views"] = picture["views"] | {
            label: each if "ground" in each else apply(picture["views"][label], each)
            for label, each in change["views"].items()
        }
    return after


def in_order(picture: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of a picture with places and moves sorted, whose order means nothing."""
    views = {label: in_order(view) for label, view in picture["views"].items()}
    return {**picture, "places": sorted(picture["places"]), "moves": sorted(picture["moves"]), "views": views}
