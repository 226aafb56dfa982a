"""The simplest agent, for any game."""

from __future__ import annotations

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import View


class Random(Agent):
    """Any legal move, all equally likely."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a legal move drawn from the agent's own seed."""
        return Choice(self.rng.choice(view.legal_moves()))
