"""The position editor of Dots-and-Boxes. Every set of lines is a possible position, so there are no drafts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kibitz.core.defaults.page import Editor
from kibitz.core.errors import BadText
from kibitz.core.game import Player
from kibitz.games.dots.page.label import label
from kibitz.games.dots.page.picture import paint
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import Coin, String
from kibitz.picture import Picture


class DotsEditor(Editor):
    """Draws and erases lines, and gives finished boxes to their owners."""

    def chosen(self, game: Any, text: str) -> Mapping[str, str]:
        """Return the player to move. Raise BadText."""
        return {"to_move": str(_read(game, text).to_move)}

    def press(self, game: Any, text: str, tool: str, place: str) -> str:
        """Return the position after a line was pressed, or a box by its key "box 3". Raise BadText.

        A line is drawn or erased; a box that it finishes goes to the player to move. A finished
        box goes from Red to Blue, then to nobody, then to Red again.
        """
        state = _read(game, text)
        if place.startswith("box "):
            return _text(_with_next_owner(state, _box(state.game, place.removeprefix("box "))))
        return _text(_with_line_changed(state, state.game.parse_move(place)))

    def choose(self, game: Any, text: str, setting: str, value: str) -> str:
        """Return the position with another player to move. Raise BadText."""
        state = _read(game, text)
        if setting != "to_move" or value not in ("0", "1"):
            raise BadText(f"Cannot set {setting[:40]!r} to {value[:40]!r}: the setting is to_move, 0 or 1.")
        return _text(DotsState(state.game, state.drawn, state.owned, int(value)))

    def picture(self, game: Any, text: str) -> Picture:
        """Return the position with a place for every line and every finished box. Raise BadText."""
        return paint(_read(game, text), editing=True)


def _read(game: Dots, text: str) -> DotsState:
    return game.parse_position(text) if text.strip() else game.start()


def _text(state: DotsState) -> str:
    return state.game.position_text(state)


def _box(game: Dots, text: str) -> Coin:
    """Return the number of a box. Raise BadText."""
    count = len(game.board.coins)
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and int(text) < count):
        raise BadText(f"There is no {game.unit} {text[:40]!r}: they are 0 to {count - 1}.")
    return int(text)


def _with_line_changed(state: DotsState, line: String) -> DotsState:
    """Return a position with a line drawn, or erased if it was. Raise BadText for a line of the start."""
    game, owned = state.game, list(state.owned)
    if game.border >> line & 1:
        raise BadText(f"Line {label(game, line)} belongs to the start of the game: it stays.")
    if not state.drawn >> line & 1:
        owned[state.to_move] |= sum(1 << box for box in state.taken_by(line))
    drawn = state.drawn ^ 1 << line
    finished = sum(1 << box for box, mask in enumerate(game.board.masks) if not mask & ~drawn)
    return DotsState(game, drawn, (owned[0] & finished, owned[1] & finished), state.to_move)


def _with_next_owner(state: DotsState, box: Coin) -> DotsState:
    """Return a position with the next owner of a finished box. Raise BadText for an open box."""
    owner = state.owners[box]
    if owner is None:
        game = state.game
        raise BadText(f"Only a finished {game.unit} has an owner: draw its {game.line}s first.")
    following: Player | None = (1, None, 0)[owner]
    owned = [boxes & ~(1 << box) for boxes in state.owned]
    if following is not None:
        owned[following] |= 1 << box
    return DotsState(state.game, state.drawn, (owned[0], owned[1]), state.to_move)
