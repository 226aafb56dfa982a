"""The toy as a game that plugs in, with its evaluation and the agents under test."""

from __future__ import annotations

from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentEntry, AgentTable, Evaluation, Evaluations, Kernel
from kibitz.search.alphabeta.agent import AlphaBeta
from kibitz.search.alphabeta.plain import PlainAlphaBeta
from kibitz.search.mcts.agent import Mcts
from kibitz.search.mcts.plain import PlainMcts
from toy.rules import State, Toy


def _kernel() -> Kernel[State]:
    from toy import kernel

    return kernel


def parity(state: State) -> int:
    return (state.stones * 37) % 11 - 5


EVALUATIONS = Evaluations({"parity": Evaluation(parity, 5.0)})
AGENTS = AgentTable(
    {
        "alphabeta": AgentEntry(AlphaBeta),
        "mcts": AgentEntry(Mcts),
        "plain-alphabeta": AgentEntry(PlainAlphaBeta),
        "plain-mcts": AgentEntry(PlainMcts),
    },
    analyst="alphabeta",
)
TOY = GamePackage(Toy, _kernel, lambda: EVALUATIONS, lambda: AGENTS)
