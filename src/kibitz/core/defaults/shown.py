"""Positions, choices and records shown outside the page: as SVG, as HTML for notebooks and reports, as text.

Puts a game's picture, style sheet and art together. Knows no game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from kibitz.core import registry
from kibitz.core.agent import Choice, value_text
from kibitz.core.errors import BadText
from kibitz.core.game import Move, State, View, hides
from kibitz.core.record import GameRecord, replay
from kibitz.picture import Mark, Overlay, Picture
from kibitz.picture.html import inline, standalone
from kibitz.picture.svg import Theme

MAX_MARKED_MOVES = 5
"""Values shown on the board of a choice: more would hide the position."""


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


def whole_picture(state: State, last: Sequence[Move] = ()) -> Picture:
    """Return the picture of a position of a finished game, in which nothing has to stay hidden."""
    if not hides(state):
        return _picture(state.view(state.to_move), last)
    return _picture(state.view(None), last, whole=state)


def assets(game: str) -> dict[str, str]:
    """Return the name, style sheet and art of a game, as the functions that draw pictures take them."""
    page = registry.page(game)
    return {"name": game, "style": page.style_text(), "art": page.art_text()}


def _painted(view: View, last: Sequence[Move]) -> tuple[Picture, dict[str, Any]]:
    return _picture(view, last), assets(view.game.name)


def _picture(view: View, last: Sequence[Move], whole: State | None = None) -> Picture:
    game = view.game
    signs = (game.players[0][:1], game.players[1][:1])
    public = [game.public_move(move) for move in last]
    return registry.page(game.name).picture(view, public, signs=signs, whole=whole)


def text_of(view: View, last: Move | None = None) -> str:
    """Return the board as plain text, as the terminal draws it."""
    lines = ("".join(text for text, _ in line).rstrip() for line in view.game.draw(view, last))
    return "\n".join(lines)


# Choices


def choice_text(choice: Choice) -> str:
    """Return the board of a choice, if it has one, and what it says in a line or two."""
    if choice.view is None:
        return repr(choice)
    label = choice.view.game.move_label
    value = "" if choice.value is None else f", {value_text(choice.value, choice.unit, choice.proved)}"
    line = " ".join(map(label, choice.line[1:]))
    said = f"{label(choice.move)}{value}" + (f", then {line}" if line else "")
    return "\n".join(filter(None, [text_of(choice.view), said, choice.note]))


def choice_html(choice: Choice) -> str | None:
    """Return the picture of a choice with the values of its best moves; None if it has no position."""
    if choice.view is None:
        return None
    caption = choice_text(choice).removeprefix(text_of(choice.view)).strip()
    return html_of(choice.view, marks=choice_marks(choice), caption=" ".join(caption.splitlines()))


def choice_marks(choice: Choice) -> list[Mark]:
    """Return a mark for each of the best moves of a choice: its value, the chosen one toned as best."""
    assert choice.view is not None
    steps, view = registry.page(choice.view.game.name).steps, choice.view
    ranked = sorted(choice.moves, key=lambda m: (m.move not in choice.best, -m.value, m.move))[:MAX_MARKED_MOVES]
    if not ranked:
        return [Mark("hint", steps(view, choice.move))]
    tones = {move: "best" if move == choice.move else "good" for move in (*choice.best, choice.move)}
    return [Mark("value", steps(view, m.move), _short(m.value, choice, m.exact), tones.get(m.move, "")) for m in ranked]


def _short(value: float, choice: Choice, exact: bool) -> str:
    """Return a value as it fits on a move: "+3", "62", "win"."""
    text = value_text(value, choice.unit, exact).split()[0]
    return f"{float(text[:-1]):.0f}" if text.endswith("%") else text


# Records


def record_text(record: GameRecord) -> str:
    """Return the last position of a recorded game, and how it ended."""
    said = f"{record.agents[0]} – {record.agents[1]}: {record.result}, {record.reason}, {len(record.moves)} moves"
    try:
        view, last = _final(record)
    except BadText as error:
        return f"{said}\n{error}"
    return f"{text_of(view, last[-1] if last else None)}\n{said}"


def record_html(record: GameRecord) -> str:
    """Return the picture of a recorded game's last position, with the result and the moves below it."""
    said = f"{record.agents[0]} – {record.agents[1]}: {record.result}, {record.reason}"
    try:
        view, last = _final(record)
    except BadText as error:
        return f"<p>{escape(said)}</p><p>{escape(str(error))}</p>"
    moves = ", ".join(f"{number}. {text}" for number, text in enumerate(record.moves, 1))
    return html_of(view, last, caption=said) + f"<details><summary>Moves</summary>{escape(moves)}</details>"


def _final(record: GameRecord) -> tuple[View, list[Move]]:
    """Return the last position of a recorded game as a spectator sees it, and the last move. Raise BadText."""
    states = replay(record)
    state: State = states[-1]
    last = [state.game.parse_move(text) for text in record.moves[-1:]]
    return state.view(None if hides(state) else state.to_move), last
