"""What the notations of all games share: moves read one after the other, and a notation that there is not."""

from __future__ import annotations

from collections.abc import Iterable

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Move, State


def read_moves(start: State, texts: Iterable[str]) -> tuple[Move, ...]:
    """Return the moves of some texts, each played after those before it. Raises BadText that names the first bad."""
    state, moves = start, list[Move]()
    for number, text in enumerate(texts, 1):
        try:
            moves.append(state.game.parse_move(text))
            state = state.play(moves[-1])
        except KibitzError as error:
            raise BadText(f"Move {number} ({text[:60]!r}): {error}") from None
    return tuple(moves)


def no_notation(name: str, known: Iterable[str]) -> BadOption:
    """Return the error for a notation that does not exist."""
    return BadOption(f"There is no notation {name[:40]!r}; the notations are {', '.join(known)}.")
