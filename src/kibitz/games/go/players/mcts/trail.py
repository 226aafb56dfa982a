"""Keeps track of the recent moves of a game for an agent, since a position stores only the last move."""

from __future__ import annotations

from kibitz.core.game import Move
from kibitz.games.go.rules import NO_MOVE, GoState

MAX_REMEMBERED_MOVES = 8


class Trail:
    """The recent moves before each position that an agent is asked about."""

    def __init__(self) -> None:
        self._asked: tuple[GoState, tuple[int, ...]] | None = None
        """The last position asked about, and the points of the moves before it, latest first."""
        self._after_choice: tuple[GoState, tuple[int, ...]] | None = None  # the same after the chosen move

    def before(self, state: GoState) -> tuple[int, ...]:
        """Return the points of the moves before a position, latest first; -1 for a pass or an unknown move.

        Earlier moves are known only if the position is the one last asked about, or
        comes one move after it, as in a review, or after the position that add() led to.
        """
        last = _point(state, state.last)
        points: tuple[int, ...] = (last,)
        if self._asked is not None and self._asked[0] == state and self._asked[1][0] == last:
            points = self._asked[1]
        elif self._asked is not None and leads_to(self._asked[0], state):
            points = (last, *self._asked[1])[:MAX_REMEMBERED_MOVES]
        elif self._after_choice is not None and leads_to(self._after_choice[0], state):
            points = (last, *self._after_choice[1])[:MAX_REMEMBERED_MOVES]
        self._asked = (state, points)
        return points

    def add(self, move: Move) -> None:
        """Record the move chosen in the position last asked about."""
        assert self._asked is not None
        state, before = self._asked
        self._after_choice = (state.play(move), (_point(state, move), *before)[:MAX_REMEMBERED_MOVES])


def _point(state: GoState, move: Move) -> int:
    return move if move != state.game.pass_move else NO_MOVE


def leads_to(before: GoState, after: GoState) -> bool:
    """Return whether playing the last move of `after` in the position `before` leads to `after`."""
    if after.turn != before.turn + 1 or before.is_over() or after.last not in before.legal_moves():
        return False
    return before.play(after.last) == after
