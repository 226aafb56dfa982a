"""Readable evaluations of Battle Line."""

from __future__ import annotations

from kibitz.core.game import State
from kibitz.core.parts import Evaluation, Evaluations
from kibitz.games.battleline.rules import BattleLineState

FLAG_VALUE = 100


def flags(state: State) -> int:
    """Count the flags of the player to move against the opponent's, claimed ones only."""
    assert isinstance(state, BattleLineState)
    me = state.to_move
    return FLAG_VALUE * (len(state.owned(me)) - len(state.owned(1 - me)))


EVALUATIONS = Evaluations({"flags": Evaluation(flags, 200.0)})
