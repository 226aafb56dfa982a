"""The agents under test."""

from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.search.alphabeta.agent import AlphaBeta
from kibitz.search.alphabeta.plain import PlainAlphaBeta
from kibitz.search.mcts.agent import Mcts
from kibitz.search.mcts.plain import PlainMcts

AGENTS = AgentTable(
    {
        "alphabeta": AgentEntry(AlphaBeta),
        "mcts": AgentEntry(Mcts),
        "plain-alphabeta": AgentEntry(PlainAlphaBeta),
        "plain-mcts": AgentEntry(PlainMcts),
    },
    analyst="alphabeta",
)
