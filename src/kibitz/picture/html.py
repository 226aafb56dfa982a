"""Pictures inside HTML documents: notebooks and reports.

For a notebook, give an object a `_repr_svg_` that returns standalone(...): its colours
are plain, so it needs nothing of the viewer but SVG. Use inline(...) in documents of
your own, or where the viewer's theme should decide. Sites that sanitise HTML output, as
GitHub does, remove inline SVG, so think twice before you offer `_repr_html_` as well.
"""

from __future__ import annotations

from collections.abc import Iterable

from kibitz.picture.picture import Mark, Overlay, Picture
from kibitz.picture.svg import Theme, clean, svg


def standalone(
    picture: Picture,
    *,
    name: str,
    style: str = "",
    art: str = "",
    marks: Iterable[Mark] = (),
    overlay: Overlay | None = None,
    theme: Theme = "light",
    title: str = "",
    width: float | None = None,
) -> str:
    """Return SVG text with plain colours, embedded fonts and a backdrop, for any viewer. See svg() for arguments."""
    return svg(
        picture, name=name, style=style, art=art, marks=marks, overlay=overlay, theme=theme, title=title, width=width,
        fonts=True, backdrop=True,
    )  # fmt: skip


def inline(
    picture: Picture,
    *,
    name: str,
    style: str = "",
    art: str = "",
    marks: Iterable[Mark] = (),
    overlay: Overlay | None = None,
    title: str = "",
    width: float | None = None,
    caption: str = "",
    fonts: bool = True,
) -> str:
    """Return an HTML fragment with a picture that is light or dark as its viewer is. See svg() for arguments."""
    text = svg(
        picture, name=name, style=style, art=art, marks=marks, overlay=overlay, theme=None, title=title, width=width,
        fonts=fonts, backdrop=True, inline=True,
    )  # fmt: skip
    return figure(text, caption=caption)


def figure(*svgs: str, caption: str = "") -> str:
    """Return an HTML fragment that shows SVG texts side by side, below each other where there is no room.

    Styled by attributes alone, so that it changes nothing else in the document.
    """
    shown = "".join(f'<div style="flex:0 1 auto;min-width:0">{text}</div>' for text in svgs)
    below = f'<figcaption style="flex-basis:100%">{clean(caption)}</figcaption>' if caption else ""
    return f'<figure style="display:flex;flex-wrap:wrap;gap:12px;margin:0">{shown}{below}</figure>'
