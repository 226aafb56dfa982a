"""The toy as a game that plugs in."""

from __future__ import annotations

from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentTable, Evaluations, Kernel
from toy.rules import State, Toy


def _kernel() -> Kernel[State]:
    from toy import kernel

    return kernel


def _evaluations() -> Evaluations[State]:
    from toy.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from toy.agents import AGENTS

    return AGENTS


TOY = GamePackage(rules=Toy, kernel=_kernel, evaluations=_evaluations, agents=_agents)
