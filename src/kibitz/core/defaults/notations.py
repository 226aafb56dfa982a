"""The two notations that every game has, and helpers for games with notations of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Game, Move, State
from kibitz.core.parts import Notation, Signature


class UnsignedNotations:
    """Notations that name neither the players nor the result."""

    def signature(self, text: str, name: str | None = None, /) -> None:
        """Return None."""


class PlainNotations(UnsignedNotations):
    """The default notations: a start position and one move per line, or a position alone."""

    kinds: ClassVar[Sequence[Notation]] = (
        Notation("moves", "Moves, one per line", "game"),
        Notation("position", "Position", "position"),
    )

    def read(self, game: Game, text: str, name: str | None = None, /) -> tuple[State, tuple[Move, ...]]:
        """Parse a text, whose first line may be a start position; return the start position and the moves.

        Raise BadText if the text cannot be read, BadOption for an unknown notation.
        """
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if name not in (None, "moves", "position"):
            raise unknown_notation(name or "", (each.name for each in self.kinds))
        if not lines:
            return game.start(), ()
        if name == "position" or (name is None and len(lines) == 1 and not _is_move(game, lines[0])):
            return game.parse_position(" ".join(lines)), ()
        start: State = game.start() if _is_move(game, lines[0]) else game.parse_position(lines.pop(0))
        return start, read_moves(start, lines)

    def write(
        self, states: Sequence[State], moves: Sequence[Move], name: str, signed: Signature | None = None, /
    ) -> str:
        """Write a game, or its last position, in the notation with this name. Raise BadOption if it is unknown."""
        start, end = states[0], states[-1]
        game = start.game
        if name == "position":
            return game.position_text(end)
        if name != "moves":
            raise unknown_notation(name, (each.name for each in self.kinds))
        first = [] if start == game.start() else [game.position_text(start)]
        return "\n".join([*first, *map(game.move_text, moves)])


def _is_move(game: Game, text: str) -> bool:
    try:
        game.parse_move(text)
    except BadText:
        return False
    return True


def read_moves(start: State, texts: Iterable[str]) -> tuple[Move, ...]:
    """Parse moves and play them from a position; return the moves. Raise BadText, naming the first illegal one."""
    state, moves = start, list[Move]()
    for number, text in enumerate(texts, 1):
        try:
            moves.append(state.game.parse_move(text))
            state = state.play(moves[-1])
        except KibitzError as error:
            raise BadText(f"Move {number} ({text[:60]!r}): {error}") from None
    return tuple(moves)


def unknown_notation(name: str, known: Iterable[str]) -> BadOption:
    """Return the error for an unknown notation."""
    return BadOption(f"There is no notation {name[:40]!r}; the notations are {', '.join(known)}.")
