"""The game that a GTP engine keeps: any colour may play at any time, moves are taken back, stones are set up.

Knows neither the lines of GTP nor agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Move, Player
from kibitz.core.record import reason_of
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.rules.board import BLACK
from kibitz.games.go.rules.geometry import Point, handicap_points, max_handicap
from kibitz.games.go.rules.text import NO_KO

MOST_BYTES = 16 << 20
"""A record to be loaded may be so large."""


class Table:
    """A board, its past, and the rules in force. game.handicap is 0: handicap stones are set up."""

    def __init__(self, game: Go) -> None:
        self.clear(game)

    def clear(self, game: Go) -> None:
        """Begin a new game on an empty board."""
        self.game = replace(game, handicap=0)
        self.states = [self.game.start()]

    @property
    def state(self) -> GoState:
        """The position on the board."""
        return self.states[-1]

    def turn_of(self, player: Player) -> GoState:
        """Return the position with this player to move, and a game that both players ended by passing open again."""
        state = self.state
        if state.to_move != player:
            return replace(state, to_move=player, ko=NO_KO, passes=0)
        return replace(state, passes=0) if state.passes == 2 else state

    def play(self, player: Player, move: Move) -> None:
        """Make a move. Raises IllegalMove."""
        self.states.append(self.turn_of(player).play(move))

    def undo(self) -> None:
        """Take the last move back. Raises BadText."""
        if len(self.states) == 1:
            raise BadText("cannot undo: no move has been made")
        self.states.pop()

    def change(self, **options: Any) -> None:
        """Take other options of the game, for all positions, those of the past too. Raises BadOption."""
        self.game = replace(self.game, **options)
        self.states = [replace(state, game=self.game) for state in self.states]

    def set_stones(self, points: Sequence[Point]) -> None:
        """Put handicap stones on the empty board; White moves then. Raises BadText."""
        if any(self.state.board.points) or len(self.states) > 1:
            raise BadText("board not empty")
        if len(points) < 2 or len(set(points)) != len(points) or self.game.pass_move in points:
            raise BadText("bad vertex list: a handicap is two different points or more")
        if len(points) >= self.game.size**2:
            raise BadText("bad vertex list: no point would be left")
        board = self.state.board.with_stones(tuple(points), BLACK)
        self.states = [self.game.set_up(board, to_move=1)]

    def fixed_handicap(self, stones: int) -> tuple[Point, ...]:
        """Return where so many stones go. Raises BadText if there is no such handicap."""
        points = handicap_points(self.game.size, stones)
        if not points:
            most = max_handicap(self.game.size)
            there = f"there are 2 to {most}" if most else "there are none"
            raise BadText(f"invalid handicap: on a board of size {self.game.size} {there}")
        return points

    def load(self, path: Path, before: int | None) -> None:
        """Take over a record in SGF, up to before its move of this number. Raises BadText, nothing being changed."""
        from kibitz.games.go.sgf.encodings import decode
        from kibitz.games.go.sgf.games import read

        try:
            if not path.is_file() or path.stat().st_size > MOST_BYTES:
                raise BadText(f"cannot load file: it is no file, or one of more than {MOST_BYTES >> 20} MB")
            text = decode(path.read_bytes())[0]
        except (OSError, ValueError) as error:
            raise BadText(f"cannot load file: {reason_of(error)}") from None
        try:
            start, moves = read(self.game, text)
        except (BadText, IllegalMove) as error:
            raise BadText(f"cannot load file: {error}") from None
        game = replace(start.game, handicap=0)
        states = [replace(start, game=game)]
        for move in moves if before is None else moves[: max(before - 1, 0)]:
            states.append(states[-1].play(move))
        self.game, self.states = game, states
