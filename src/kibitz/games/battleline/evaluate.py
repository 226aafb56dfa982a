"""Readable evaluations of Battle Line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kibitz.core.agent import WIN, Unit
from kibitz.core.game import State as AnyState
from kibitz.games.battleline.rules import State

FLAG_VALUE = 100


def final(state: AnyState) -> int:
    """Return WIN, 0 or -WIN for the player to move of a finished game."""
    outcome = state.outcome()
    assert outcome is not None
    return WIN * outcome.value(state.to_move)


def flags(state: AnyState) -> int:
    """Count the flags of the player to move against the opponent's, claimed ones only."""
    assert isinstance(state, State)
    me = state.to_move
    return FLAG_VALUE * (len(state.owned(me)) - len(state.owned(1 - me)))


EVALUATIONS: Mapping[str, Callable[[AnyState], int]] = {"flags": flags}
SCALES = {"flags": 200.0}
UNIT: Unit = "probability"
