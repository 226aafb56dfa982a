"""Which of OpenSpiel's own games are ours, and how a game of ours is followed in one.

OpenSpiel's are compiled and far faster than ours in it, but they know no position
without the moves that led there. So a Twin follows a game from its start on; a
game that began elsewhere has none.
"""

from __future__ import annotations

from kibitz.core import registry
from kibitz.core.errors import IllegalMove
from kibitz.core.game import Game, Move, State
from kibitz.interop.extend import OPENSPIEL_TWIN, Likeness
from kibitz.interop.openspiel.games import pyspiel


class Twin:
    """A game of ours followed in a game of OpenSpiel."""

    def __init__(self, game: Game, alike: Likeness) -> None:
        self._alike = alike
        self.theirs = pyspiel.load_game(alike.theirs(game))
        self.position = self.theirs.new_initial_state()
        """Where their game is."""
        self._known = game.start()
        self._own: tuple[Move, ...] = ()
        """The move that was made here, if it was."""

    def follow(self, state: State) -> bool:
        """Play their game on to a position of ours; return whether it got there and goes on."""
        if self._known != state:
            own, self._own = self._own, ()
            if not (self._play(own) and self._play(self._alike.between(self._known, state))):
                return False
        return bool(self._known == state)

    def expect(self, move: Move) -> None:
        """Note the move that will be made next here."""
        self._own = (move,)

    def _play(self, moves: tuple[Move, ...]) -> bool:
        for move in moves:
            try:
                after = self._known.play(move)
            except IllegalMove:
                return False
            for action in self._alike.actions(self._known, move):
                self.position.apply_action(action)
            self._known = after
            if self.position.is_terminal():
                return False
        return True

    def choices(self) -> dict[tuple[int, ...], Move]:
        """Return the legal moves by their actions."""
        return {self._alike.actions(self._known, move): move for move in self._known.legal_moves()}


def twin_of(game: Game) -> Twin | None:
    """Return the start of OpenSpiel's own game, or None if it does not have this one."""
    alike = registry.package(game.name).get(OPENSPIEL_TWIN)
    return Twin(game, alike) if alike is not None and alike.theirs(game) else None
