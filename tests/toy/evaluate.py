"""Readable evaluations."""

from __future__ import annotations

from kibitz.core.agent import WIN
from kibitz.core.parts import Evaluation, Evaluations
from toy.rules import State


def final(state: State) -> int:
    outcome = state.outcome()
    assert outcome is not None
    return outcome.value(state.to_move) * WIN


def parity(state: State) -> int:
    return (state.stones * 37) % 11 - 5


EVALUATIONS = Evaluations({"parity": Evaluation(parity, 5.0)}, final)
