"""The page of Dots-and-Boxes: pictures, names of lines, the overlay of chains, and the position editor."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import ClassVar

from kibitz.core.defaults.page import Editor, OptionHelp, PlainPage
from kibitz.core.errors import BadText
from kibitz.core.game import Game, Move, Player
from kibitz.games.dots.page import parts
from kibitz.games.dots.page.coins import COINS_VIEW, paint_coins
from kibitz.games.dots.page.grid import paint_grid
from kibitz.games.dots.page.overlay import overlay_of
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import Coin, String
from kibitz.games.dots.rules.rules import MAX_BOARD_SIZE
from kibitz.picture import Overlay, Picture

_COVER_MOVES = (0, 4, 6, 9, 12, 15, 18, 21, 1, 13, 22, 20, 10, 17, 14)


def paint(
    state: DotsState, last: Sequence[Move] = (), signs: tuple[str, str] = ("", ""), *, editing: bool = False
) -> Picture:
    """Return the picture of a position: the grid with its dual as a second view, or the coins of another graph.

    last: the lines of the last turn. signs: the text in each player's boxes, by default R
    and B. editing: whether the picture is for the editor, with places for finished boxes and no moves.
    """
    shown = parts.ShownPosition(state, last, signs, editing)
    coins = paint_coins(shown)
    return paint_grid(shown, {COINS_VIEW: coins}) if state.game.board.is_grid else coins


class DotsEditor(Editor[Dots]):
    """Draws and erases lines, and changes the owners of finished boxes. Every set of lines is a possible position."""

    def chosen(self, game: Dots, text: str) -> Mapping[str, str]:
        """Return the value of the editor's only setting, the player to move. Raise BadText if the text is invalid."""
        return {"to_move": str(_parse_state(game, text).to_move)}

    def press(self, game: Dots, text: str, tool: str, place: str) -> str:
        """Return the position after the user presses a line or a box ("box 3"). Raise BadText if a text is invalid.

        A line is drawn or erased; a box that it finishes goes to the player to move. A finished
        box goes from Red to Blue, then to nobody, then to Red again.
        """
        state = _parse_state(game, text)
        if place.startswith("box "):
            return game.position_text(_with_next_owner(state, _parse_box(game, place.removeprefix("box "))))
        return game.position_text(_with_line_changed(state, game.parse_move(place)))

    def choose(self, game: Dots, text: str, setting: str, value: str) -> str:
        """Return the position with this player to move. Raise BadText if the text, setting or value is invalid."""
        state = _parse_state(game, text)
        if setting != "to_move" or value not in ("0", "1"):
            raise BadText(f"Cannot set {setting[:40]!r} to {value[:40]!r}: set to_move to 0 or 1.")
        return game.position_text(DotsState(game, state.drawn, state.owned, int(value)))

    def picture(self, game: Dots, text: str) -> Picture:
        """Return the picture, with a place for every line and finished box. Raise BadText if the text is invalid."""
        return paint(_parse_state(game, text), editing=True)


def _parse_state(game: Dots, text: str) -> DotsState:
    return game.parse_position(text) if text.strip() else game.start()


def _parse_box(game: Dots, text: str) -> Coin:
    """Parse the number of a box. Raise BadText if there is no such box."""
    count = len(game.board.coins)
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and int(text) < count):
        raise BadText(f"There is no {game.unit} {text[:40]!r}: the {game.units} are 0 to {count - 1}.")
    return int(text)


def _with_line_changed(state: DotsState, line: String) -> DotsState:
    """Return a position with a line drawn, or erased if it was drawn. Raise BadText for a line drawn at the start."""
    game, owned = state.game, list(state.owned)
    if game.border >> line & 1:
        raise BadText(f"Line {parts.label(game, line)} is drawn at the start of this game and cannot be erased.")
    if not state.drawn >> line & 1:
        owned[state.to_move] |= sum(1 << box for box in state.taken_by(line))
    drawn = state.drawn ^ 1 << line
    finished = sum(1 << box for box, mask in enumerate(game.board.masks) if not mask & ~drawn)
    return DotsState(game, drawn, (owned[0] & finished, owned[1] & finished), state.to_move)


def _with_next_owner(state: DotsState, box: Coin) -> DotsState:
    """Return a position with a finished box given to the next owner: Red, Blue, nobody. Raise BadText if unfinished."""
    owner = state.owners[box]
    if owner is None:
        game = state.game
        raise BadText(f"Only a finished {game.unit} has an owner: draw its {game.line_word}s first.")
    next_owner: Player | None = (1, None, 0)[owner]
    owned = [boxes & ~(1 << box) for boxes in state.owned]
    if next_owner is not None:
        owned[next_owner] |= 1 << box
    return DotsState(state.game, state.drawn, (owned[0], owned[1]), state.to_move)


class DotsPage(PlainPage[DotsState, DotsState, Dots]):
    """The page of Dots-and-Boxes and Strings-and-Coins."""

    style = files(__package__) / "board.css"
    art = files(__package__) / "board.svg"
    red_and_blue: ClassVar[bool] = True
    blurb: ClassVar[str] = (
        "Take turns drawing lines between dots. Whoever draws the fourth side of a box owns it and moves again. "
        "Most boxes wins."
    )
    options: ClassVar[Mapping[str, OptionHelp]] = MappingProxyType(
        {
            "rows": OptionHelp("Rows", "Rows of boxes.", minimum=1, maximum=MAX_BOARD_SIZE),
            "cols": OptionHelp("Columns", "Columns of boxes.", minimum=1, maximum=MAX_BOARD_SIZE),
            "start": OptionHelp(
                "Drawn at the start",
                "icelandic: the left and bottom border. swedish: all of it.",
                labels={"empty": "Nothing", "icelandic": "Left and bottom border", "swedish": "All of the border"},
            ),
            "graph": OptionHelp(
                "Your own graph", "Coins and strings as JSON, to be played on instead of a grid.", advanced=True
            ),
        }
    )
    editor = DotsEditor()

    def __init__(self, rules: type[Game[DotsState, DotsState]] = Dots) -> None:
        super().__init__(rules)

    def cover_view(self) -> DotsState:
        """Return the position on the game's cover, played line by line so that every line has its player's colour."""
        state = Dots(3, 3).start()
        for move in _COVER_MOVES:
            state = state.play(move)
        return state

    def picture(
        self,
        view: DotsState,
        last: Sequence[Move] = (),
        *,
        signs: tuple[str, str] = ("", ""),
        marks: Collection[str] | None = None,
        whole: DotsState | None = None,
    ) -> Picture:
        """Return the picture of a position; a grid has its strings and coins as a second view."""
        return paint(view, last, signs)

    def overlay(self, view: DotsState) -> Overlay:
        """Return chains and loops, joints, loony and safe lines, and the theory in words."""
        return overlay_of(view)

    def label(self, game: Dots, move: Move, public: bool = False) -> str:
        """Return the name of a line: the two dots that it joins."""
        return parts.label(game, move)

    def relabel(self, game: Dots, sentence: str) -> str:
        """Replace the names of lines in a sentence by the dots that they join."""
        return parts.relabel(game, sentence)
