"""Checks of pictures, style sheets and art: the contract between pages and renderers.

The contract tests call problems_of for the pictures of many positions. If it finds no
problem, both renderers can draw the picture.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree

import kibitz.picture as pic
from kibitz.picture import RESERVED_STYLES, Frame, Group, Overlay, Panel, Picture, Place, Shape
from kibitz.picture.sheet import headings, parse
from kibitz.picture.svg import BOARD_STYLE, NOT_XML, REFERENCE, TOKENS, local_name, read_art

OUTSIDE_TOLERANCE = 2
"""How far shapes may extend beyond the frame, in units: the thickness of a stroke."""
MAX_LABEL_LENGTH = 300
"""The maximum length of a label or text, in characters, for the sake of screen readers."""

_CLASS = re.compile(r"\.(-?[a-zA-Z_][\w-]*)")
_NEW_COLOURS = re.compile(r"\b(color-mix|oklch|oklab|lch|lab|hwb|color)\(")


class _Assets(NamedTuple):
    classes: frozenset[str]
    ids: frozenset[str]


def problems_of(picture: Picture, style: str, art: str, *, name: str) -> list[str]:
    """Return the problems of a picture and of its style sheet and art; empty if there are none.

    style, art: the texts of the game's board.css and board.svg; name: the name of the game.
    """
    assets = _assets(style, art)
    return list(dict.fromkeys([*asset_problems(style, art, name=name), *_picture_problems(picture, assets)]))


def overlay_problems(overlay: Overlay, picture: Picture, style: str, art: str) -> list[str]:
    """Return the problems of an overlay and of its views; picture: the picture that it is drawn over."""
    return list(dict.fromkeys(_overlay_problems(overlay, picture, _assets(style, art))))


def panel_problems(panels: Iterable[Panel], style: str, art: str, *, name: str) -> list[str]:
    """Return the problems of the panels beside a board. Unlike labels, their paragraphs may have any length."""
    panels = tuple(panels)
    problems = [each for panel in panels for each in _panel_problems(panel, style, art, name)]
    return list(dict.fromkeys([*problems, *_twice((panel.title for panel in panels), "two panels have the title")]))


# Style sheets and art


@lru_cache(maxsize=16)
def _assets(style: str, art: str) -> _Assets:
    if asset_fault(style, art):  # asset_problems reports it
        return _Assets(frozenset(), frozenset())
    platform = BOARD_STYLE.read_text("utf-8")
    classes = {name for text in (platform, style) for each in headings(text) for name in _CLASS.findall(each)}
    return _Assets(frozenset(classes | RESERVED_STYLES), frozenset(read_art(art).at))


def asset_fault(style: str, art: str) -> str:
    """Return why a board.css or board.svg cannot be parsed; empty if both can."""
    try:
        parse(style), headings(style)
    except ValueError as error:
        return f"board.css cannot be read: {error}"
    try:
        read_art(art)
    except ValueError as error:
        return str(error)
    return ""


@lru_cache(maxsize=16)
def asset_problems(style: str, art: str, *, name: str) -> tuple[str, ...]:
    """Return the problems of a game's board.css and board.svg."""
    if fault := asset_fault(style, art):
        return (fault,)
    return (*_style_problems(style, art, name), *_art_problems(art, name))


def _style_problems(style: str, art: str, name: str) -> Iterator[str]:
    for heading in headings(style):
        if heading.startswith("@keyframes"):
            if not heading.split()[-1].startswith(f"{name}-"):
                yield f"board.css: the name in {heading!r} must start with {name}-"
        elif not heading.startswith("@") and not re.match(rf"\.(game-)?{re.escape(name)}(?![\w-])", heading):
            yield f"board.css: the selector {heading!r} must start with .{name}"
    platform = TOKENS.read_text("utf-8") + BOARD_STYLE.read_text("utf-8")
    known = set(re.findall(r"(--[\w-]+)\s*:", platform + style)) | {"--i"}
    for unknown in sorted(set(re.findall(r"var\(\s*(--[\w-]+)\s*\)", style)) - known):
        yield f"board.css: {unknown} is neither a token nor set in board.css"
    ids = set(read_art(art).at)
    for rule in parse(style):
        for declaration in rule.declarations:
            for missing in set(REFERENCE.findall(declaration.value)) - ids:
                yield f"board.css: #{missing}, used by {rule.text}, is not in board.svg"
            if _NEW_COLOURS.search(declaration.value):
                yield f"board.css: many SVG viewers do not support the colour {declaration.value!r} of {rule.text}"


def _art_problems(art: str, name: str) -> Iterator[str]:
    known = read_art(art)
    if art.strip() and not known.parts:
        yield "board.svg: no <defs> element, or an empty one"
    ids: list[str] = []
    for node in (each for part in known.parts for each in part.iter()):
        ids += [node.attrib["id"]] if "id" in node.attrib else []
        yield from _node_problems(node, set(known.at))
    for each in ids:
        if not each.startswith(f"{name}-"):
            yield f"board.svg: the id {each!r} must start with {name}-"
        if ids.count(each) > 1:
            yield f"board.svg: the id {each!r} appears twice"


def _node_problems(node: ElementTree.Element, ids: set[str]) -> Iterator[str]:
    tag = local_name(node.tag)
    if tag in ("script", "style", "image", "foreignObject"):
        yield f"board.svg: <{tag}> is not allowed"
    for attribute, value in node.items():
        attribute = local_name(attribute)
        if attribute == "style" or attribute.startswith("on"):
            yield f"board.svg: the attribute {attribute} of <{tag}> is not allowed; use classes"
        if attribute == "href" and not value.startswith("#"):
            yield f"board.svg: {value!r} is not a definition of this file"
        wanted = REFERENCE.findall(value) + ([value[1:]] if attribute == "href" and value.startswith("#") else [])
        yield from (f"board.svg: #{missing} is not defined" for missing in wanted if missing not in ids)


# Pictures


def _picture_problems(picture: Picture, assets: _Assets) -> Iterator[str]:
    if not all(map(math.isfinite, picture.frame)) or min(picture.frame[2:]) <= 0:
        yield f"the frame {picture.frame} has no size"
        return
    if not picture.label:
        yield "the picture has no label for screen readers"
    yield from _twice((shape.key for shape in picture.shapes), "two shapes have the key")
    yield from _twice((place.key for place in picture.places), "two places have the key")
    yield from _twice((move.move for move in picture.moves), "two legal moves have the text")
    for shape in picture.shapes:
        if not shape.key:
            yield f"{_named(shape)} has no key"
        yield from _shape_problems(shape, assets, picture.frame)
    for shape in picture.ground:
        yield from _prefixed("ground: ", _keyless_problems(shape, assets, picture.frame))
    for name, shapes in picture.ghosts.items():
        for shape in shapes:
            yield from _prefixed(f"ghost {name!r}: ", _keyless_problems(shape, assets, None))
    for place in picture.places:
        yield from _place_problems(place, picture)
    yield from _move_problems(picture)
    for text in (picture.label, picture.prompt, picture.secret):
        yield from _text_problems(text)
    for label, view in picture.views.items():
        yield from _prefixed(f"view {label!r}: ", _picture_problems(view, assets))


def _overlay_problems(overlay: Overlay, picture: Picture, assets: _Assets) -> Iterator[str]:
    for shape in (*overlay.under, *overlay.over):
        yield from _keyless_problems(shape, assets, picture.frame)
    for entry in overlay.legend:
        for shape in entry.shapes:
            yield from _prefixed("legend: ", _keyless_problems(shape, assets, (-12, -12, 24, 24)))
        yield from _text_problems(entry.text)
    for fact in overlay.facts:
        yield from (*_text_problems(fact.label), *_text_problems(fact.text))
    for label, view in overlay.views.items():
        if label in picture.views:
            yield from _prefixed(f"view {label!r}: ", _overlay_problems(view, picture.views[label], assets))
        else:
            yield f"view {label!r} is not in the picture"


def _panel_problems(panel: Panel, style: str, art: str, name: str) -> Iterator[str]:
    if not panel.title:
        yield "a panel has no title"
    where = f"panel {panel.title!r}: "
    for note in panel.notes:
        yield from _prefixed(where, _text_problems(note.title))
        if NOT_XML.search(note.text):
            yield f"{where}{note.text!r} has a control character"
        if note.picture is not None:
            yield from _prefixed(where, problems_of(note.picture, style, art, name=name))


def _prefixed(prefix: str, problems: Iterable[str]) -> Iterator[str]:
    return (f"{prefix}{problem}" for problem in problems)


def _twice(keys: Iterable[str], message: str) -> Iterator[str]:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            yield f"{message} {key!r}"
        seen.add(key)


def _named(shape: Shape) -> str:
    return f"{type(shape).__name__} {shape.key or shape.style!r}"


def _keyless_problems(shape: Shape, assets: _Assets, frame: Frame | None) -> Iterator[str]:
    if shape.key:
        yield f"{_named(shape)} must have an empty key"
    yield from _shape_problems(shape, assets, frame)


def _shape_problems(shape: Shape, assets: _Assets, frame: Frame | None) -> Iterator[str]:
    """Yield the problems of a shape; frame: the area that it must not leave, or None for no limit."""
    name = _named(shape)
    unknown = [word for word in shape.style.split() if word not in assets.classes]
    yield from (f"{name}: the class {word!r} is not in board.css" for word in unknown)
    numbers = [value for each in fields(shape) if isinstance(value := getattr(shape, each.name), (int, float))]
    if not all(map(math.isfinite, numbers)):
        yield f"{name}: {numbers} are not all finite"
        return
    if frame is not None and any(_outside(x, y, frame) for x, y in _corners(shape)):
        yield f"{name} reaches out of the frame"
    if isinstance(shape, pic.Use) and shape.symbol not in assets.ids:
        yield f"{name}: the symbol {shape.symbol!r} is not in board.svg"
    if isinstance(shape, pic.Text):
        yield from _prefixed(f"{name}: ", _text_problems(shape.text))
    if isinstance(shape, pic.Path) and not re.fullmatch(r"[Mm][-+\d.,\sa-zA-Z]*", shape.d):
        yield f"{name}: {shape.d[:40]!r} is not a path"
    if isinstance(shape, Group):
        inner = None if frame is None or not shape.scale else _frame_in_group(frame, shape)
        for each in shape.shapes:
            yield from _prefixed(f"{name}: ", _keyless_problems(each, assets, inner))


def _frame_in_group(frame: Frame, group: Group) -> Frame:
    """Return a frame in the coordinates of a group, widened so that OUTSIDE_TOLERANCE is scaled like the frame."""
    x, y, w, h = frame
    widening = OUTSIDE_TOLERANCE / group.scale - OUTSIDE_TOLERANCE
    left, top = (x - group.x) / group.scale - widening, (y - group.y) / group.scale - widening
    return left, top, w / group.scale + 2 * widening, h / group.scale + 2 * widening


def _corners(shape: Shape) -> tuple[tuple[float, float], ...]:
    """Return two opposite corners of a shape; only its point if its size is unknown, nothing for a group."""
    x, y = shape.x, shape.y
    match shape:
        case pic.Line():
            return (x, y), (x + shape.dx, y + shape.dy)
        case pic.Circle():
            return (x - shape.r, y - shape.r), (x + shape.r, y + shape.r)
        case pic.Rect():
            return (x, y), (x + shape.w, y + shape.h)
        case Group():
            return ()
        case _:
            return ((x, y),)


def _outside(x: float, y: float, frame: Frame) -> bool:
    left, top, w, h = frame
    return not (
        left - OUTSIDE_TOLERANCE <= x <= left + w + OUTSIDE_TOLERANCE
        and top - OUTSIDE_TOLERANCE <= y <= top + h + OUTSIDE_TOLERANCE
    )


def _place_problems(place: Place, picture: Picture) -> Iterator[str]:
    name = f"place {place.key!r}"
    numbers = (place.x, place.y, place.w, place.h, *(place.ends or ()), *(place.walk or ()), *(place.mark or ()))
    if not all(map(math.isfinite, numbers)):
        yield f"{name}: {numbers} are not all finite"
        return
    if not place.ends and (place.w <= 0 or place.h <= 0):
        yield f"{name} has no size"
    half_w, half_h = place.w / 2, place.h / 2
    corners = [(place.x - half_w, place.y - half_h), (place.x + half_w, place.y + half_h)]
    if place.ends:
        corners = [place.ends[:2], place.ends[2:]]
    if place.mark:
        corners.append(place.mark)
    if any(_outside(x, y, picture.frame) for x, y in corners):
        yield f"{name} reaches out of the frame"
    if place.ghost and place.ghost not in picture.ghosts:
        yield f"{name}: the ghost {place.ghost!r} is not in the picture"
    if not place.key or not place.label:
        yield f"{name} must have a key and a label"
    for text in (place.key, place.label, place.prompt):
        yield from _prefixed(f"{name}: ", _text_problems(text))


def _move_problems(picture: Picture) -> Iterator[str]:
    places = {place.key for place in picture.places}
    by_path: dict[tuple[str, ...], str] = {}
    for move in picture.moves:
        for step in move.path:
            if step not in places:
                yield f"the legal move {move.move!r}: there is no place {step!r}"
        yield from _text_problems(move.label)
        other = by_path.setdefault(move.path, move.move)
        if other != move.move:
            yield f"the legal moves {other!r} and {move.move!r} have the same steps"
    for move in picture.moves:
        for start in (move.path[:i] for i in range(1, len(move.path))):
            if start in by_path:
                yield f"the legal move {move.move!r} cannot be made: its first steps are {by_path[start]!r}"
    for button in picture.buttons:
        if not button.label or not button.move:
            yield f"{button} must have a label and a move"
        yield from _text_problems(button.label)


def _text_problems(text: str) -> Iterator[str]:
    if NOT_XML.search(text):
        yield f"{text!r} has a control character"
    if text != text.strip():
        yield f"{text!r} begins or ends with a space"
    if len(text) > MAX_LABEL_LENGTH:
        yield f"{text[:40]!r}... is longer than {MAX_LABEL_LENGTH} characters"
