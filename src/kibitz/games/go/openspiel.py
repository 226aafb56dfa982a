"""Go in OpenSpiel: the same game until a board comes back, which ends OpenSpiel's game with a draw, but not ours."""

from __future__ import annotations

from kibitz.core.game import Move
from kibitz.games.go.rules import NO_MOVE, Go, GoState
from kibitz.interop.extend import SpielTwin


def _openspiel_name(game: Go) -> str:
    """Return OpenSpiel's name and parameters for a game of Go, or "" if it cannot play by these rules."""
    if not 2 <= game.size <= 19 or game != Go(size=game.size, komi=game.komi):
        return ""
    return f"go(board_size={game.size},komi={game.komi},max_game_length={game.max_game_length})"


def _actions(state: GoState, move: Move) -> tuple[int, ...]:
    """Return OpenSpiel's action for a move: the point with the rows counted from the bottom."""
    size = state.game.size
    return (move if move == state.game.pass_move else (size - 1 - move // size) * size + move % size,)


def _last_move(known: GoState, state: GoState) -> tuple[Move, ...]:
    return () if known == state or state.last == NO_MOVE else (state.last,)


TWIN = SpielTwin(_openspiel_name, _actions, _last_move)
