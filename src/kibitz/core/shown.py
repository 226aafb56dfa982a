"""Positions shown outside the page: as SVG, as an HTML fragment for notebooks and reports, as text.

Puts a game's picture, style sheet and art together. Knows no game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kibitz.core import registry
from kibitz.core.game import Move, View
from kibitz.picture import Mark, Overlay, Picture
from kibitz.picture.html import inline, standalone
from kibitz.picture.svg import Theme


def svg_of(
    view: View,
    last: Sequence[Move] = (),
    *,
    marks: Iterable[Mark] = (),
    overlay: Overlay | None = None,
    theme: Theme = "light",
    title: str = "",
    width: float | None = None,
) -> str:
    """Return a position as an SVG file: plain colours, fonts embedded. last: the moves of the last turn."""
    picture, assets = _painted(view, last)
    return standalone(picture, marks=marks, overlay=overlay, theme=theme, title=title, width=width, **assets)


def html_of(
    view: View,
    last: Sequence[Move] = (),
    *,
    marks: Iterable[Mark] = (),
    overlay: Overlay | None = None,
    title: str = "",
    width: float | None = None,
    caption: str = "",
) -> str:
    """Return a position as an HTML fragment that is light or dark as its viewer is."""
    picture, assets = _painted(view, last)
    return inline(picture, marks=marks, overlay=overlay, title=title, width=width, caption=caption, **assets)


def _painted(view: View, last: Sequence[Move]) -> tuple[Picture, dict[str, Any]]:
    game, page = view.game, registry.page(view.game.name)
    signs = (game.players[0][:1], game.players[1][:1])
    picture = page.picture(view, [game.public_move(move) for move in last], signs=signs)
    return picture, {"name": game.name, "style": page.style_text(), "art": page.art_text()}


def text_of(view: View, last: Move | None = None) -> str:
    """Return the board as plain text, as the terminal draws it."""
    lines = ("".join(text for text, _ in line).rstrip() for line in view.game.draw(view, last))
    return "\n".join(lines)
