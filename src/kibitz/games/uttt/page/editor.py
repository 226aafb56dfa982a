"""The position editor of Ultimate Tic-Tac-Toe: marks, the player to move and the board to play in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kibitz.core.defaults.page import Editor, EditorSetting, Tool
from kibitz.core.errors import BadText
from kibitz.games.uttt.page.picture import PLAYERS, draft, tool_drawing
from kibitz.games.uttt.rules import Uttt
from kibitz.games.uttt.rules.possible import has_line
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE, Fields, parse_position, position_fen
from kibitz.games.uttt.words import PLACES
from kibitz.picture import Picture

START = Fields((EMPTY,) * 81, None, 0, FREE, None)
ANY_BOARD = "any"
_CODES = {"X": 0, "O": 1, "nothing": EMPTY}
_TOOLS = (Tool("X", "X", tool_drawing(0)), Tool("O", "O", tool_drawing(1)), Tool("nothing", "Nothing"))
_SETTINGS = (
    EditorSetting("to_move", "To move", tuple((str(player), name) for player, name in enumerate(PLAYERS))),
    EditorSetting(
        "forced",
        "Board to play in",
        ((ANY_BOARD, "any"), *((str(board), f"{name} board") for board, name in enumerate(PLACES))),
    ),
)


class UtttEditor(Editor):
    """Sets up positions, reachable or not, as FEN-style texts."""

    def tools(self, game: Uttt) -> Sequence[Tool]:
        """Return the tools X, O and Nothing; Nothing clears a cell."""
        return _TOOLS

    def settings(self, game: Uttt) -> Sequence[EditorSetting]:
        """Return the two settings: the player to move and the board to play in."""
        return _SETTINGS

    def chosen(self, game: Uttt, text: str) -> Mapping[str, str]:
        """Return the value of every setting in a position. Raise BadText if the text is invalid."""
        fields = _fields(text)
        return {"to_move": str(fields.to_move), "forced": ANY_BOARD if fields.forced == FREE else str(fields.forced)}

    def press(self, game: Uttt, text: str, tool: str, place: str) -> str:
        """Return the position with a mark placed in a cell, or removed if it is already there.

        X is to move if X has no more marks than O, else O. Raise BadText if the text, tool or cell is invalid.
        """
        if tool not in _CODES:
            raise BadText(f"Unknown tool {tool[:40]!r}: use {', '.join(_CODES)}.")
        if not re.fullmatch("[0-9]{1,2}", place, re.ASCII) or int(place) > 80:
            raise BadText(f"Unknown cell {place[:40]!r}: cells are 0 to 80.")
        fields, cell, code = _fields(text), int(place), _CODES[tool]
        code = EMPTY if fields.cells[cell] == code else code
        cells = (*fields.cells[:cell], code, *fields.cells[cell + 1 :])
        return _draft_text(game, fields._replace(cells=cells, to_move=int(cells.count(0) > cells.count(1))))

    def choose(self, game: Uttt, text: str, setting: str, value: str) -> str:
        """Return the position with one setting changed. Raise BadText if the text, setting or value is invalid."""
        found = next((each for each in _SETTINGS if each.name == setting), None)
        if found is None:
            raise BadText(f"Unknown setting {setting[:40]!r}: use {', '.join(each.name for each in _SETTINGS)}.")
        if value not in dict(found.choices):
            raise BadText(f"{found.label} cannot be {value[:40]!r}: use {', '.join(dict(found.choices))}.")
        fields = _fields(text)
        if setting == "to_move":
            return _draft_text(game, fields._replace(to_move=int(value)))
        return _draft_text(game, fields._replace(forced=FREE if value == ANY_BOARD else int(value)))

    def picture(self, game: Uttt, text: str) -> Picture:
        """Return the picture of a draft, with every cell clickable. Raise BadText if the text is invalid."""
        fields = _fields(text)
        return draft(fields.cells, owners(fields), fields.to_move, fields.forced)


def owners(fields: Fields) -> tuple[int, ...]:
    """Return the owner of each board by its marks; if both players have a line, the owner in `fields`, else X."""
    board_owners = []
    for board in range(9):
        cells = fields.cells[9 * board : 9 * board + 9]
        lines = [player for player in (0, 1) if has_line(cells, player)]
        given = EMPTY if fields.boards is None else fields.boards[board]
        if lines:
            board_owners.append(given if given in lines else lines[0])
        else:
            board_owners.append(EMPTY if EMPTY in cells else DRAWN)
    return tuple(board_owners)


def _fields(text: str) -> Fields:
    return parse_position(text) if text.strip() else START


def _draft_text(game: Uttt, fields: Fields) -> str:
    """Return a draft as text; only the open variant includes the owners of boards."""
    is_open = game.variant == "open"
    return position_fen(fields._replace(boards=owners(fields) if is_open else None), owners=is_open)
