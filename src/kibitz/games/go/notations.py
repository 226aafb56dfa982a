"""Games and positions of Go as texts: SGF, a list of moves, and the rows of a position."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.core.defaults.notations import read_moves, unknown_notation
from kibitz.core.game import Move
from kibitz.core.parts import Notation, Signature
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.sgf import games
from kibitz.games.go.sgf.servers import is_server_format


class GoNotations:
    """SGF, lists of moves such as D4 Q16 pass, and positions in rows."""

    kinds: Sequence[Notation] = (
        Notation("sgf", "SGF, GIB, NGF or UGF", "game"),
        Notation("moves", "Moves: D4 Q16 pass", "game"),
        Notation("rows", "Position in rows", "position"),
    )

    def read(self, game: Go, text: str, name: str | None, /) -> tuple[GoState, tuple[Move, ...]]:
        """Return the start and the moves of a text in a notation, autodetected if None. Raise BadText or BadOption.

        A record in SGF has its own board size, komi and handicap. Only the main line of the first game is read.
        """
        name = name or _detect(text)
        match name:
            case "sgf":
                return games.read(game, text)
            case "rows":
                return game.parse_position(text), ()
            case "moves":
                start = game.start()
                return start, read_moves(start, text.split())
        raise unknown_notation(name, (kind.name for kind in self.kinds))

    def signature(self, text: str, name: str | None, /) -> Signature | None:
        """Return the players with their ranks, and the result, of a record in SGF; None for other notations."""
        return games.signature(text) if (name or _detect(text)) == "sgf" else None

    def write(
        self, states: Sequence[GoState], moves: Sequence[Move], name: str, signed: Signature | None = None, /
    ) -> str:
        """Return a game, or its last position, in a notation; only SGF has room for a signature. Raise BadOption."""
        game = states[0].game
        match name:
            case "sgf":
                return games.write(states[0], moves, signed)
            case "moves":
                return " ".join(map(game.move_text, moves))
            case "rows":
                return game.position_text(states[-1])
        raise unknown_notation(name, (kind.name for kind in self.kinds))


def _detect(text: str) -> str:
    """Return the name of the notation that a text looks like."""
    if "(" in text or ";" in text or is_server_format(text):
        return "sgf"
    return "rows" if "/" in text else "moves"
