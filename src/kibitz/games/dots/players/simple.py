"""A beginner that grabs boxes: no plan, no chains, no double-deals. Searches nothing."""

from __future__ import annotations

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import Move
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.endgames import captures
from kibitz.games.dots.theory.structure import structure_of


class GreedyDots(Agent[Dots, DotsState]):
    """Takes a box if it can, else draws any safe line, else gives away as few boxes as it can."""

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the line that takes most; if none takes any, a random one of those that give least."""
        self.check(view)
        moves = view.legal_moves()
        most = max(len(view.taken_by(move)) for move in moves)
        if most:
            move = next(move for move in moves if len(view.taken_by(move)) == most)
            return Choice(move, note=f"Takes {view.game.counted(most)}.")
        safe = structure_of(view).safe_lines
        if safe:
            return Choice(self.rng.choice(safe), note=f"Plays a safe {view.game.line}.")
        given = {move: boxes_given(view, move) for move in moves}
        least = min(given.values())
        cheapest = [move for move in moves if given[move] == least]
        return Choice(self.rng.choice(cheapest), note=f"Has to give {view.game.counted(least)} away.")


def boxes_given(state: DotsState, move: Move) -> int:
    """Return how many boxes the opponent can take after a line that takes none."""
    return len(captures(state.game.board, state.drawn | 1 << move).coins)
