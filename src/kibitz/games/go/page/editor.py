"""The position editor of Go: sets stones and the player to move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kibitz.core.defaults.page import Editor, Tool
from kibitz.core.errors import BadText
from kibitz.games.go.page.picture import draft, tool_drawing
from kibitz.games.go.rules import Go
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.rules.text import NO_KO, PositionFields, parse_position, position_text
from kibitz.picture import Picture

_CODES = {"black": BLACK, "white": WHITE, "nothing": EMPTY}
_TOOLS = (
    Tool("black", "Black", tool_drawing(BLACK)),
    Tool("white", "White", tool_drawing(WHITE)),
    Tool("nothing", "Nothing"),
)


class GoEditor(Editor[Go]):
    """Sets up positions, possible or not yet. A change drops ko, passes and earlier boards, but keeps the prisoners."""

    def tools(self, game: Go) -> Sequence[Tool]:
        """Return a black stone, a white stone and nothing."""
        return _TOOLS

    def chosen(self, game: Go, text: str) -> Mapping[str, str]:
        """Return the player to move. Raise BadText if the text cannot be read."""
        return {"to_move": str(_fields(game, text).to_move)}

    def press(self, game: Go, text: str, tool: str, place: str) -> str:
        """Return the position with a stone put on a point, or taken off if it is there already. Raise BadText."""
        if tool not in _CODES:
            raise BadText(f"Unknown tool {tool[:40]!r}: use {', '.join(_CODES)}.")
        point = game.parse_move(place)
        if point == game.pass_move:
            raise BadText("A stone needs a point, not a pass.")
        fields, code = _fields(game, text), _CODES[tool]
        code = EMPTY if fields.board.points[point] == code else code
        return _draft_text(fields._replace(board=fields.board.with_stones((point,), code)))

    def choose(self, game: Go, text: str, setting: str, value: str) -> str:
        """Return the position with another player to move. Raise BadText."""
        if setting != "to_move":
            raise BadText(f"Unknown setting {setting[:40]!r}: use to_move.")
        if value not in ("0", "1"):
            raise BadText(f"The player to move cannot be {value[:40]!r}: use 0 or 1.")
        return _draft_text(_fields(game, text)._replace(to_move=int(value)))

    def picture(self, game: Go, text: str) -> Picture:
        """Return the picture of a draft; every point can be pressed. Raise BadText if the text cannot be read."""
        return draft(game, _fields(game, text).board)


def _fields(game: Go, text: str) -> PositionFields:
    """Return the contents of a position text, possible or not; an empty text is the start. Raise BadText."""
    words = text if text.strip() else game.position_text(game.start())
    return parse_position(game.size, words, game.ko == "positional", game.longest)


def _draft_text(fields: PositionFields) -> str:
    """Return a draft as a text, without ko, passes and earlier boards."""
    return position_text(fields._replace(ko=NO_KO, passes=0, turn=0, first=b"", history=()))
