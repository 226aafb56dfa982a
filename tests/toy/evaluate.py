"""The evaluation, in plain Python."""

from __future__ import annotations

from kibitz.core.parts import Evaluation, Evaluations
from toy.rules import State


def parity(state: State) -> int:
    return (state.stones * 37) % 11 - 5


EVALUATIONS = Evaluations({"parity": Evaluation(parity, 5.0)})
