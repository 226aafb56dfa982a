"""The beginner who grabs boxes: no plan, no chains, no double-deals. Searches nothing."""

from __future__ import annotations

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import Move, View
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.theory.endgames import captures
from kibitz.games.dots.theory.structure import structure_of


class Greedy(Agent):
    """Takes a box if it can, else draws any safe line, else gives away as few boxes as it can."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the line that takes most; if none takes any, a random one of those that give least."""
        self.check(view)
        state = view.sample(self.rng)
        assert isinstance(state, DotsState)
        moves = state.legal_moves()
        most = max(len(state.taken_by(move)) for move in moves)
        if most:
            move = next(move for move in moves if len(state.taken_by(move)) == most)
            return Choice(move, note=f"Takes {state.game.counted(most)}.")
        safe = structure_of(state).safe_lines
        if safe:
            return Choice(self.rng.choice(safe), note=f"Plays a safe {state.game.line}.")
        given = {move: boxes_given(state, move) for move in moves}
        least = min(given.values())
        cheapest = [move for move in moves if given[move] == least]
        return Choice(self.rng.choice(cheapest), note=f"Has to give {state.game.counted(least)} away.")


def boxes_given(state: DotsState, move: Move) -> int:
    """Return how many boxes the other player can take after a line that takes none."""
    return len(captures(state.game.board, state.drawn | 1 << move).coins)
