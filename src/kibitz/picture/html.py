"""Pictures for notebooks and HTML documents.

For a notebook, give an object a `_repr_svg_` that returns standalone(...): its colours are plain, so any viewer
of SVG will do. Use inline(...) in your own documents, or to follow the light or dark theme of the viewer. Sites that
sanitise HTML output, as GitHub does, remove inline SVG, so think twice before you offer `_repr_html_` as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from kibitz.picture import Picture, Rect
from kibitz.picture.svg import Drawing, GameAssets, SvgWriter, Theme, clean, opening, svg, with_unique_ids


def standalone(picture: Picture, *, theme: Theme = "light", **drawing: Unpack[Drawing]) -> str:
    """Return SVG text with plain colours, embedded fonts and a backdrop, for any viewer. See svg() for arguments."""
    return svg(picture, theme=theme, backdrop=True, **drawing)


def inline(picture: Picture, *, caption: str = "", **drawing: Unpack[Drawing]) -> str:
    """Return an HTML fragment with a picture that follows the viewer's theme. See svg() for arguments."""
    return figure(svg(picture, theme=None, backdrop=True, inline=True, **drawing), caption=caption)


def figure(*svgs: str, caption: str = "") -> str:
    """Return an HTML fragment that shows SVG texts side by side, or below each other on narrow screens.

    It is styled by attributes alone, so it does not affect the rest of the document.
    """
    shown = "".join(f'<div style="flex:0 1 auto;min-width:0">{text}</div>' for text in svgs)
    below = f'<figcaption style="flex-basis:100%">{clean(caption)}</figcaption>' if caption else ""
    return f'<figure style="display:flex;flex-wrap:wrap;gap:12px;margin:0">{shown}{below}</figure>'


@dataclass(frozen=True)
class Film:
    """Many pictures on the same board as one drawing, in which every element is written once."""

    svg: str
    """SVG text with the ground, and an empty <g class="kibitz-film"> for the elements of a frame."""
    elements: tuple[str, ...]
    """Every distinct element of the pictures, as SVG text."""
    frames: tuple[tuple[int, ...], ...]
    """For each picture, the indices of its elements in `elements`, from bottom to top."""


def film(pictures: Sequence[Picture], *, title: str = "", **assets: Unpack[GameAssets]) -> Film:
    """Return a film of pictures with the same ground and frame; it follows the viewer's theme. Arguments: see svg()."""
    first = pictures[0]
    writer = SvgWriter(theme=None, fonts=True, **assets)
    numbers: dict[str, int] = {}
    frames = []
    for picture in pictures:
        elements = writer.elements("shapes", picture.shapes)
        frames.append(tuple(numbers.setdefault(element, len(numbers)) for element in elements))
    body = writer.layer("backdrop", [Rect("", "backdrop", *first.frame)]) + writer.layer("ground", first.ground)
    head = opening(first, theme=None, title=title or first.label, width=None, inline=True)
    text = writer.document(head, f'{body}<g class="kibitz-film"></g>')
    svg, *elements = with_unique_ids(text, *numbers)
    return Film(svg, tuple(elements), tuple(frames))
