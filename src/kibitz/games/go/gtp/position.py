"""The game that a GTP engine keeps: either colour may play at any time, moves can be undone, stones set up.

Knows nothing about GTP's text lines or agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Move, Player
from kibitz.core.record import reason_of
from kibitz.games.go.rules import BLACK, NO_KO, Go, GoState, Point, handicap_points, max_handicap

MAX_RECORD_BYTES = 16 << 20  # refuse to load larger records


class GtpPosition:
    """A board, its history, and the rules in force. game.handicap is always 0, since handicap stones are set up."""

    def __init__(self, game: Go) -> None:
        self.clear(game)

    def clear(self, game: Go) -> None:
        """Start a new game on an empty board."""
        self.game = replace(game, handicap=0)
        self.states = [self.game.start()]

    @property
    def state(self) -> GoState:
        """The current position."""
        return self.states[-1]

    def state_for(self, player: Player) -> GoState:
        """Return the current position with this player to move, as if two passes did not end the game."""
        state = self.state
        if state.to_move != player:
            return replace(state, to_move=player, ko=NO_KO, passes=0)
        return replace(state, passes=0) if state.passes == 2 else state

    def play(self, player: Player, move: Move) -> None:
        """Make a move. Raise IllegalMove if it is not legal."""
        self.states.append(self.state_for(player).play(move))

    def undo(self) -> None:
        """Take back the last move. Raise BadText if no move has been made."""
        if len(self.states) == 1:
            raise BadText("cannot undo: no move has been made")
        self.states.pop()

    def change_rules(self, game: Go) -> None:
        """Change options of the game, other than its size, for all positions so far."""
        self.game = game
        self.states = [replace(state, game=game) for state in self.states]

    def set_handicap_stones(self, points: Sequence[Point]) -> None:
        """Put handicap stones on the empty board, with White to move. Raise BadText if that is not possible."""
        if any(self.state.board.points) or len(self.states) > 1:
            raise BadText("board not empty")
        if len(points) < 2 or len(set(points)) != len(points) or self.game.pass_move in points:
            raise BadText("bad vertex list: a handicap is two different points or more")
        if len(points) >= self.game.size**2:
            raise BadText("bad vertex list: at least one point must stay empty")
        self.states = [self.game.set_up(self.state.board.with_stones(points, BLACK), to_move=1)]

    def set_fixed_handicap(self, stones: int) -> tuple[Point, ...]:
        """Put a fixed handicap on the empty board; return its points. Raise BadText if that is not possible."""
        points = handicap_points(self.game.size, stones)
        if not points:
            largest = max_handicap(self.game.size)
            allowed = f"2 to {largest} stones are possible" if largest else "none is possible"
            raise BadText(f"invalid handicap: on a board of size {self.game.size} {allowed}")
        self.set_handicap_stones(points)
        return points

    def load(self, path: Path, before_move: int | None) -> None:
        """Load an SGF file up to the position before move `before_move`, or all of it. Raise BadText if that fails."""
        from kibitz.games.go.sgf.encodings import decode
        from kibitz.games.go.sgf.games import read

        try:
            if not path.is_file() or path.stat().st_size > MAX_RECORD_BYTES:
                raise BadText(f"{path} is not a file, or larger than {MAX_RECORD_BYTES >> 20} MB")
            start, moves = read(self.game, decode(path.read_bytes())[0])
        except (OSError, ValueError) as error:
            raise BadText(f"cannot load file: {reason_of(error)}") from None
        except (BadText, IllegalMove) as error:
            raise BadText(f"cannot load file: {error}") from None
        game = replace(start.game, handicap=0)
        states = [replace(start, game=game)]
        for move in moves if before_move is None else moves[: max(before_move - 1, 0)]:
            states.append(states[-1].play(move))
        self.game, self.states = game, states
