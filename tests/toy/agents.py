"""The agents under test."""

from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.mcts import Mcts
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts

AGENTS = {"alphabeta": AlphaBeta, "mcts": Mcts, "plain-alphabeta": PlainAlphaBeta, "plain-mcts": PlainMcts}
