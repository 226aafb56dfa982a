"""Many pictures of one game as one drawing: what they share is written once, so that a report can hold whole games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.picture.picture import Picture, Rect
from kibitz.picture.svg import SvgWriter, finished, opening


@dataclass(frozen=True)
class Film:
    """The pictures of one or more games on the same board."""

    svg: str
    """SVG text with the ground, and an empty <g class="kibitz-film"> for the elements of a frame."""
    elements: tuple[str, ...]
    """Every distinct element of the pictures, as SVG text."""
    frames: tuple[tuple[int, ...], ...]
    """By picture: the numbers of its elements, from bottom to top."""


def film(pictures: Sequence[Picture], *, name: str, style: str = "", art: str = "", title: str = "") -> Film:
    """Return pictures that have one ground and frame in common. See svg() for the other arguments.

    The drawing is light or dark as its viewer is.
    """
    first = pictures[0]
    writer = SvgWriter(style, name, art, theme=None, fonts=True)
    numbers: dict[str, int] = {}
    frames = []
    for picture in pictures:
        elements = writer.elements("shapes", picture.shapes)
        frames.append(tuple(numbers.setdefault(element, len(numbers)) for element in elements))
    body = writer.layer("backdrop", [Rect("", "backdrop", *first.frame)]) + writer.layer("ground", first.ground)
    head = opening(first, theme=None, title=title or first.label, width=None, inline=True)
    text = writer.document(head, f'{body}<g class="kibitz-film"></g>')
    svg, *elements = finished(text, *numbers)
    return Film(svg, tuple(elements), tuple(frames))
