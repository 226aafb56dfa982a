"""Games that OpenSpiel has too, and how one of ours is followed in OpenSpiel's own.

OpenSpiel's games are compiled and far faster than ours in it, but cannot start from a
position. So a follower replays a game from its start; a game that began elsewhere has none.
"""

from __future__ import annotations

from kibitz.core import registry
from kibitz.core.errors import IllegalMove
from kibitz.core.game import Game, Move, State
from kibitz.interop.extend import OPENSPIEL_TWIN, SpielTwin
from kibitz.interop.openspiel.games import pyspiel


class TwinFollower:
    """A game of ours, replayed in OpenSpiel's own version."""

    def __init__(self, game: Game, alike: SpielTwin) -> None:
        self._alike = alike
        self.theirs = pyspiel.load_game(alike.theirs(game))
        self.position = self.theirs.new_initial_state()
        """The current state of their game."""
        self._known = game.start()
        self._own: tuple[Move, ...] = ()
        """The move we expect to be made next, if any."""

    def follow(self, state: State) -> bool:
        """Advance their game to a position of ours; return whether it got there unfinished."""
        if self._known != state:
            own, self._own = self._own, ()
            if not (self._play(own) and self._play(self._alike.between(self._known, state))):
                return False
        return bool(self._known == state)

    def expect(self, move: Move) -> None:
        """Note the move that is about to be made."""
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
        """Return the legal moves, keyed by OpenSpiel's actions."""
        return {self._alike.actions(self._known, move): move for move in self._known.legal_moves()}


def twin_of(game: Game) -> TwinFollower | None:
    """Return a follower at the start of the game, or None if OpenSpiel does not have it."""
    alike = registry.package(game.name).get(OPENSPIEL_TWIN)
    return TwinFollower(game, alike) if alike is not None and alike.theirs(game) else None
