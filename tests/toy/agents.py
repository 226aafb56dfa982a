"""The agents under test."""

from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.mcts import Mcts
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts

AGENTS = AgentTable(
    {
        "alphabeta": AgentEntry(AlphaBeta),
        "mcts": AgentEntry(Mcts),
        "plain-alphabeta": AgentEntry(PlainAlphaBeta),
        "plain-mcts": AgentEntry(PlainMcts),
    },
    analyst="alphabeta",
)
