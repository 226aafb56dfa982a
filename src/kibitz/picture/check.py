"""What is wrong with a picture, in words: the contract between painters and renderers.

A test suite calls problems_of for the pictures of many positions; an empty list means
that both renderers can draw the picture.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree

from kibitz.picture import (
    RESERVED_STYLES,
    Circle,
    Frame,
    Group,
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
from kibitz.picture.sheet import headings, parse
from kibitz.picture.svg import BOARD_STYLE, NOT_XML, REFERENCE, TOKENS, local_name, read_art

OUTSIDE_TOLERANCE = 2
"""How far something may reach beyond the frame, in units: the thickness of a stroke."""
MAX_LABEL_LENGTH = 300
"""The longest label or text, in characters. Anything longer is not read out to the end."""

_CLASS = re.compile(r"\.(-?[a-zA-Z_][\w-]*)")
_NEW_COLOURS = re.compile(r"\b(color-mix|oklch|oklab|lch|lab|hwb|color)\(")


class _Assets(NamedTuple):
    classes: frozenset[str]
    ids: frozenset[str]


def problems_of(picture: Picture, style: str, art: str, *, name: str) -> list[str]:
    """Return what is wrong with a picture and its style sheet and art; an empty list if nothing is.

    style, art: the texts of the game's board.css and board.svg; name: the game's.
    """
    assets = _assets(style, art)
    return list(dict.fromkeys([*asset_problems(style, art, name=name), *_picture_problems(picture, assets)]))


def overlay_problems(overlay: Overlay, picture: Picture, style: str, art: str) -> list[str]:
    """Return what is wrong with an overlay that is drawn over a picture and its views."""
    return list(dict.fromkeys(_overlay_problems(overlay, picture, _assets(style, art))))


def panel_problems(panels: Iterable[Panel], style: str, art: str, *, name: str) -> list[str]:
    """Return what is wrong with the panels beside a picture. Their paragraphs may have any length."""
    panels = tuple(panels)
    found = [each for panel in panels for each in _panel_problems(panel, style, art, name)]
    return list(dict.fromkeys([*found, *_twice((panel.title for panel in panels), "two panels have the title")]))


# Style sheets and art


@lru_cache(maxsize=16)
def _assets(style: str, art: str) -> _Assets:
    if unreadable(style, art):  # asset_problems says so
        return _Assets(frozenset(), frozenset())
    platform = BOARD_STYLE.read_text("utf-8")
    classes = {found for text in (platform, style) for each in headings(text) for found in _CLASS.findall(each)}
    return _Assets(frozenset(classes | RESERVED_STYLES), frozenset(read_art(art).at))


def unreadable(style: str, art: str) -> str:
    """Return why a board.css or board.svg cannot be read; an empty text if both can."""
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
    """Return what is wrong with a game's board.css and board.svg themselves."""
    if fault := unreadable(style, art):
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
                yield f"board.css: many SVG viewers do not know the colour {declaration.value!r} of {rule.text}"


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


def _picture_problems(picture: Picture, assets: _Assets, where: str = "") -> Iterator[str]:
    if not all(map(math.isfinite, picture.frame)) or min(picture.frame[2:]) <= 0:
        yield f"{where}the frame {picture.frame} has no size"
        return
    if not picture.label:
        yield f"{where}the picture has no label for screen readers"
    yield from _twice((shape.key for shape in picture.shapes), f"{where}two shapes have the key")
    yield from _twice((place.key for place in picture.places), f"{where}two places have the key")
    yield from _twice((move.move for move in picture.moves), f"{where}two legal moves have the text")
    for shape in picture.shapes:
        if not shape.key:
            yield f"{where}{_named(shape)} has no key"
        yield from (f"{where}{each}" for each in _shape_problems(shape, assets, picture.frame))
    for shape in picture.ground:
        yield from (f"{where}ground: {each}" for each in _keyless_problems(shape, assets, picture.frame))
    for name, shapes in picture.ghosts.items():
        for shape in shapes:
            yield from (f"{where}ghost {name!r}: {each}" for each in _keyless_problems(shape, assets, None))
    for place in picture.places:
        yield from (f"{where}{each}" for each in _place_problems(place, picture))
    yield from (f"{where}{each}" for each in _move_problems(picture))
    for text in (picture.label, picture.prompt, picture.secret):
        yield from (f"{where}{each}" for each in _text_problems(text))
    for label, view in picture.views.items():
        yield from _picture_problems(view, assets, f"{where}view {label!r}: ")


def _overlay_problems(overlay: Overlay, picture: Picture, assets: _Assets) -> Iterator[str]:
    for shape in (*overlay.under, *overlay.over):
        yield from _keyless_problems(shape, assets, picture.frame)
    for entry in overlay.legend:
        for shape in entry.shapes:
            yield from (f"legend: {each}" for each in _keyless_problems(shape, assets, (-12, -12, 24, 24)))
        yield from _text_problems(entry.text)
    for fact in overlay.facts:
        yield from (*_text_problems(fact.label), *_text_problems(fact.text))
    for label, view in overlay.views.items():
        if label in picture.views:
            yield from (f"view {label!r}: {each}" for each in _overlay_problems(view, picture.views[label], assets))
        else:
            yield f"view {label!r} is not in the picture"


def _panel_problems(panel: Panel, style: str, art: str, name: str) -> Iterator[str]:
    if not panel.title:
        yield "a panel has no title"
    where = f"panel {panel.title!r}: "
    for note in panel.notes:
        yield from (f"{where}{each}" for each in _text_problems(note.title))
        if NOT_XML.search(note.text):
            yield f"{where}{note.text!r} has a control character"
        if note.picture is not None:
            yield from (f"{where}{each}" for each in problems_of(note.picture, style, art, name=name))


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
    """Yield what is wrong with a shape; frame: the coordinates in which it must lie, if there are any."""
    name = _named(shape)
    unknown = [word for word in shape.style.split() if word not in assets.classes]
    yield from (f"{name}: the class {word!r} is not in board.css" for word in unknown)
    numbers = [value for each in fields(shape) if isinstance(value := getattr(shape, each.name), (int, float))]
    if not all(map(math.isfinite, numbers)):
        yield f"{name}: {numbers} are not all finite"
        return
    if frame is not None and any(_outside(x, y, frame) for x, y in _corners(shape)):
        yield f"{name} reaches out of the frame"
    if isinstance(shape, Use) and shape.symbol not in assets.ids:
        yield f"{name}: the symbol {shape.symbol!r} is not in board.svg"
    if isinstance(shape, Text):
        yield from (f"{name}: {each}" for each in _text_problems(shape.text))
    if isinstance(shape, Path) and not re.fullmatch(r"[Mm][-+\d.,\sa-zA-Z]*", shape.d):
        yield f"{name}: {shape.d[:40]!r} is not a path"
    if isinstance(shape, Group):
        inner = None if frame is None or not shape.scale else _inside(frame, shape)
        for each in shape.shapes:
            yield from (f"{name}: {problem}" for problem in _keyless_problems(each, assets, inner))


def _inside(frame: Frame, group: Group) -> Frame:
    """Return a frame in the coordinates of a group, larger by what the group's scale leaves of the tolerance."""
    x, y, w, h = frame
    slack = OUTSIDE_TOLERANCE / group.scale - OUTSIDE_TOLERANCE
    left, top = (x - group.x) / group.scale - slack, (y - group.y) / group.scale - slack
    return left, top, w / group.scale + 2 * slack, h / group.scale + 2 * slack


def _corners(shape: Shape) -> tuple[tuple[float, float], ...]:
    """Return points between which a shape lies, as far as that is known: of a path, a text or a symbol its point."""
    x, y = shape.x, shape.y
    match shape:
        case Line():
            return (x, y), (x + shape.dx, y + shape.dy)
        case Circle():
            return (x - shape.r, y - shape.r), (x + shape.r, y + shape.r)
        case Rect():
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
        yield from (f"{name}: {each}" for each in _text_problems(text))


def _move_problems(picture: Picture) -> Iterator[str]:
    places: Mapping[str, object] = dict.fromkeys(place.key for place in picture.places)
    for move in picture.moves:
        for step in move.path:
            if step not in places:
                yield f"the legal move {move.move!r}: there is no place {step!r}"
        yield from _text_problems(move.label)
    steps: dict[tuple[str, ...], str] = {}
    for move in picture.moves:
        other = steps.setdefault(move.path, move.move)
        if other != move.move:
            yield f"the legal moves {other!r} and {move.move!r} have the same steps"
    for move in picture.moves:
        path = move.path
        for i in range(1, len(path)):
            if path[:i] in steps:
                yield f"the legal move {move.move!r} cannot be made: its first steps are {steps[path[:i]]!r}"
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
