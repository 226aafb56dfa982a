"""Which of OpenSpiel's own games are ours, and how a game of ours is followed in one.

OpenSpiel's are compiled and far faster than ours in it, but they know no position
without the moves that led there. So a Twin follows a game from its start on; a
game that began elsewhere has none. In Go a board that comes back ends OpenSpiel's
game with a draw, which ours goes on from: until then the two are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kibitz.core.errors import IllegalMove
from kibitz.core.game import Game, Move, State
from kibitz.games.dots.rules import Dots
from kibitz.games.dots.rules import State as DotsState
from kibitz.games.go.rules import UNKNOWN, Go
from kibitz.games.go.rules import State as GoState
from kibitz.games.uttt.rules import State as UtttState
from kibitz.games.uttt.rules import Uttt
from kibitz.games.uttt.text import FREE
from kibitz.interop.openspiel import pyspiel


@dataclass(frozen=True)
class Likeness:
    """How one of our games is one of OpenSpiel's."""

    theirs: Callable[[Game], str]
    """Return the name and parameters of their game; nothing if the options are not in it."""
    actions: Callable[[State, Move], tuple[int, ...]]
    """Return their actions for a move of ours."""
    between: Callable[[State, State], tuple[Move, ...]]
    """Return the moves that lead from one position to another; any if none do."""


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
        return self._known == state

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
    """Return the start of OpenSpiel's own game; None if it has not this one."""
    alike = ALIKE.get(game.name)
    return Twin(game, alike) if alike is not None and alike.theirs(game) else None


def _dots(game: Game) -> str:
    assert isinstance(game, Dots)
    if game.graph or game.start_ != "empty":
        return ""
    return f"dots_and_boxes(num_rows={game.rows},num_cols={game.cols})"


def _lines_between(known: State, state: State) -> tuple[Move, ...]:
    """Return the new lines in an order that a game can have: those that take boxes as soon as they do."""
    assert isinstance(known, DotsState)
    assert isinstance(state, DotsState)
    left = [line for line in state.game.moves() if (state.drawn & ~known.drawn) >> line & 1]
    found: list[Move] = []
    while left:
        line = next((line for line in left if known.taken_by(line)), left[0])
        left.remove(line)
        found.append(line)
        known = known.play(line)
    return tuple(found)


def _uttt(game: Game) -> str:
    assert isinstance(game, Uttt)
    return "ultimate_tic_tac_toe" if game == Uttt() else ""


def _board_and_cell(state: State, move: Move) -> tuple[int, ...]:
    """Return the cell, after the board where that is free."""
    assert isinstance(state, UtttState)
    board, cell = divmod(move, 9)
    return (board, cell) if state.forced == FREE else (cell,)


def _go(game: Game) -> str:
    assert isinstance(game, Go)
    if not 2 <= game.size <= 19 or game != Go(size=game.size, komi=game.komi):
        return ""
    return f"go(board_size={game.size},komi={game.komi},max_game_length={game.limit})"


def _from_below(state: State, move: Move) -> tuple[int, ...]:
    """Return a point with the rows counted from the bottom."""
    assert isinstance(state, GoState)
    size = state.game.size
    return (move if move == state.game.pass_move else (size - 1 - move // size) * size + move % size,)


def _last(known: State, state: State) -> tuple[Move, ...]:
    """Return the last move, unless nothing is new."""
    assert isinstance(state, UtttState | GoState)
    return () if known == state or state.last == UNKNOWN else (state.last,)


ALIKE: Mapping[str, Likeness] = {
    "dots": Likeness(_dots, lambda state, move: (move,), _lines_between),
    "go": Likeness(_go, _from_below, _last),
    "uttt": Likeness(_uttt, _board_and_cell, _last),
}
"""Our game -> how it is one of theirs."""
