"""The evaluation of Battle Line in plain Python."""

from __future__ import annotations

from kibitz.core.parts import Evaluation, Evaluations
from kibitz.games.battleline.rules import BattleLine, BattleLineState

FLAG_VALUE = 100


def flags(state: BattleLineState) -> int:
    """Return how many more flags the player to move has claimed, times FLAG_VALUE."""
    me = state.to_move
    return FLAG_VALUE * (len(state.owned(me)) - len(state.owned(1 - me)))


EVALUATIONS = Evaluations[BattleLineState, BattleLine]({"flags": Evaluation(flags, 200.0)})
