"""Games and positions of Ultimate Tic-Tac-Toe in four notations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kibitz.core.defaults.notations import UnsignedNotations, read_moves, unknown_notation
from kibitz.core.game import Move
from kibitz.core.parts import Notation, Signature
from kibitz.games.uttt.rules import Uttt, UtttState


class UtttNotations(UnsignedNotations):
    """Moves as rows and columns or as numbers, positions in FEN style or in digits."""

    kinds: Sequence[Notation] = (
        Notation("moves", "Moves: row and column", "game"),
        Notation("cells", "Moves: 9 x board + cell", "game"),
        Notation("fen", "Position, FEN-like", "position"),
        Notation("digits", "Position, 93 digits", "position"),
    )

    def read(self, game: Uttt, text: str, name: str | None, /) -> tuple[UtttState, tuple[Move, ...]]:
        """Parse a text; return the start and the moves. Detect the notation if None. Raise BadText or BadOption."""
        name = name or _detect(text)
        match name:
            case "fen" | "digits":
                return game.parse_position(text), ()
            case "moves":
                words = [line.strip() for line in text.splitlines() if line.strip()]
            case "cells":
                words = text.split()
            case _:
                raise unknown_notation(name, (kind.name for kind in self.kinds))
        start = game.start()
        return start, read_moves(start, words)

    def write(
        self, states: Sequence[UtttState], moves: Sequence[Move], name: str, signed: Signature | None = None, /
    ) -> str:
        """Write a game, or its last position, without the signature. Raise BadOption if the notation is unknown."""
        game = states[0].game
        match name:
            case "moves":
                return "\n".join(map(game.move_label, moves))
            case "cells":
                return " ".join(map(game.move_text, moves))
            case "fen":
                return game.fen(states[-1])
            case "digits":
                return game.position_text(states[-1])
        raise unknown_notation(name, (kind.name for kind in self.kinds))


def _detect(text: str) -> str:
    """Guess the notation of a text; return its name."""
    words = text.split()
    if "/" in text or (len(words) == 1 and len(words[0]) > 2):
        return "fen"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "moves" if all(re.fullmatch(r"[0-8]\s+[0-8]", line) for line in lines) else "cells"
