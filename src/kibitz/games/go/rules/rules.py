"""The law of Go: the game with its options, and its positions.

Black and White in turn put a stone on an empty point or pass. Stones without
liberties are captured, a ko may not be retaken at once, and after two passes
the board is counted. Knows nothing of search or of speed; kernel.py is held to
what this file says.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.game import Game, Line, Move, NothingHidden, Outcome, Player, State, View
from kibitz.games.go.rules import drawing, text
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board, Chain, Placed, other
from kibitz.games.go.rules.geometry import LARGEST, Point, handicap_points, most_handicap, neighbours, symmetries
from kibitz.games.go.rules.scoring import Score, Scoring, dead_chains, score
from kibitz.games.go.rules.text import NO_KO, Fields

UNKNOWN = -1
"""The last move where none is known."""


@dataclass(frozen=True)
class Go(Game):
    """Go on a square board."""

    size: int = 19
    """Lines each way, 1 to 25."""
    komi: float = 7.5
    """Points that White gets for moving second, in quarters."""
    handicap: int = 0
    """Black stones on the star points at the start, 2 to 9; White then moves first."""
    ko: Literal["simple", "positional"] = "simple"
    """simple: a ko may not be retaken at once. positional: no board may ever come back."""
    scoring: Scoring = "area"
    """area: stones and surrounded points count. territory: surrounded points and prisoners."""
    suicide: bool = False
    """Whether stones may be played that have no liberties and capture nothing."""

    name: ClassVar[str] = "go"
    title: ClassVar[str] = "Go"
    players: ClassVar[tuple[str, str]] = ("Black", "White")
    settles: ClassVar[bool] = True
    settle_prompt: ClassVar[str] = "Mark the dead stones"

    def __post_init__(self) -> None:
        if not 1 <= self.size <= LARGEST:
            raise BadOption(f"A board cannot have {self.size} lines: size must be 1 to {LARGEST}.")
        if not abs(self.komi) <= LARGEST**2 or self.komi * 4 % 1:
            raise BadOption(f"komi={self.komi} is not possible: it must be up to {LARGEST**2} points, in quarters.")
        if self.handicap and not handicap_points(self.size, self.handicap):
            most = most_handicap(self.size)
            what = f"2 to {most} stones, or 0" if most else "0"
            raise BadOption(f"handicap={self.handicap} is not possible with size={self.size}: it must be {what}.")
        object.__setattr__(self, "komi", float(self.komi))

    @property
    def limit(self) -> int:
        """The most moves of a game: four for each point, at least 100. So every game ends, whatever the ko rule."""
        return longest(self.size)

    @property
    def longest(self) -> int:
        """The largest number of moves, see limit."""
        return self.limit

    @property
    def pass_move(self) -> Move:
        """The number of the pass, after those of all points."""
        return self.size**2

    def start(self, seed: int = 0) -> GoState:
        """Return the empty board, or that with the handicap stones; nothing is dealt."""
        board = Board.empty(self.size).with_stones(handicap_points(self.size, self.handicap), BLACK)
        first = board.points if self.ko == "positional" else b""
        return GoState(self, board, int(self.handicap > 0), first=first)

    def moves(self) -> range:
        """Return the numbers of all points, row by row from the top left, and of the pass."""
        return range(self.size**2 + 1)

    def move_text(self, move: Move) -> str:
        """Return column and row, such as D4, or "pass"."""
        return text.move_text(self.size, move)

    def parse_move(self, words: str) -> Move:
        """Return the move of "D4", "dd" (as in SGF) or "pass". Raises BadText."""
        return text.parse_move(self.size, words)

    def position_text(self, state: State) -> str:
        """Return the rows of the board, who moves, and what else decides what may follow."""
        assert isinstance(state, GoState)
        return text.position_text(
            Fields(
                state.board,
                state.to_move,
                state.ko,
                state.passes,
                state.prisoners,
                state.turn,
                state.first,
                state.history,
            )
        )

    def parse_position(self, words: str) -> GoState:
        """Return the position of a text, of which all but the rows may be left out. Raises BadText."""
        fields = text.parse_position(self.size, words, self.ko == "positional", self.limit)
        _check_possible(self, fields)
        return GoState(
            self,
            fields.board,
            fields.to_move,
            fields.ko,
            fields.passes,
            fields.prisoners,
            fields.turn,
            fields.first,
            fields.history,
        )

    def draw(self, view: View, last: Move | None = None) -> tuple[Line, ...]:
        """Return the board as lines for a terminal, its owners marked when the game is over."""
        assert isinstance(view, GoState)
        owners = b"" if view.outcome() is None else view.score().owners
        return drawing.draw(view.board, view.ko, view.prisoners, last, owners)

    def scores(self, view: View, marks: Collection[str] | None = None) -> tuple[float, float] | None:
        """Return the points of both players once the game is over, or None before; marks are the dead stones.

        Raise BadText for a mark on a point without a stone.
        """
        assert isinstance(view, GoState)
        if not view.is_over():
            return None
        counted = view.score([self.parse_move(mark) for mark in marks or ()])
        return counted.black, counted.white

    def settle(self, state: State, marks: Collection[str]) -> tuple[Outcome, tuple[str, ...]]:
        """Return how a finished game ended without the chains of these stones, and all of these stones.

        Raises BadText for a point without a stone, or a game that goes on.
        """
        assert isinstance(state, GoState)
        if not state.is_over():
            raise BadText("The game goes on: stones are agreed to be dead when both players have passed.")
        dead = dead_chains(state.board, [self.parse_move(mark) for mark in marks])
        return outcome_of(state.score(dead)), tuple(self.move_text(point) for point in sorted(dead))

    def symmetries(self) -> tuple[tuple[Move, ...], ...]:
        """Return the turns and reflections of the board that leave its start as it is."""
        start = self.start().board.points
        return tuple(
            (*image, self.pass_move)
            for image in symmetries(self.size)
            if all(start[image[point]] == code for point, code in enumerate(start))
        )


@dataclass(frozen=True)
class GoState(NothingHidden):
    """A position. Everybody sees everything."""

    game: Go
    board: Board
    to_move: Player
    """0 Black, 1 White."""
    ko: Point = NO_KO
    """The point that may not be played on now, with ko=simple; else NO_KO (-1)."""
    passes: int = 0
    """Passes just made, one after the other: 0, 1 or 2."""
    prisoners: tuple[int, int] = (0, 0)
    """Stones that Black and White have taken; a suicide's go to the opponent."""
    turn: int = 0
    """How many moves have been made."""
    first: bytes = b""
    """The first board, with ko=positional; else nothing."""
    history: tuple[int, ...] = ()
    """The stones put on it since, each 2 * point + player, with ko=positional."""
    last: Move = field(default=UNKNOWN, compare=False)
    """The last move, or UNKNOWN (-1). It decides nothing: a memory for agents."""

    @cached_property
    def past(self) -> tuple[bytes, ...]:
        """Return every board of the game so far in order, the present one last; nothing with ko=simple."""
        return tuple(_course(self.game.size, self.first, self.history)) if self.first else ()

    def is_over(self) -> bool:
        """Return whether both players passed, or the most moves of a game are made."""
        return self.passes == 2 or self.turn >= self.game.limit

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the points that may be played on, and the pass."""
        if self.is_over():
            return ()
        chains, past = self.board.chains(), set(self.past)
        colour, points, beside = 1 + self.to_move, self.board.points, neighbours(self.game.size)
        found = []
        for point, code in enumerate(points):
            if code != EMPTY or point == self.ko:
                continue
            if not self.game.suicide and not any(
                points[near] == EMPTY or (len(chains[near].liberties) == 1) == (points[near] != colour)
                for near in beside[point]
            ):
                continue
            if past and self.board.place(point, colour).board.points in past:
                continue
            found.append(point)
        return (*found, self.game.pass_move)

    def play(self, move: Move) -> GoState:
        """Return the position after a stone or a pass. Raises IllegalMove that says why."""
        if self.is_over():
            raise IllegalMove("The game is over.")
        if move not in self.game.moves():
            raise IllegalMove(f"There is no move {move}: the points are 0 to {self.game.pass_move - 1}, then the pass.")
        if move == self.game.pass_move:
            return self._after(self.board, passes=self.passes + 1, last=move)
        if self.board.points[move] != EMPTY:
            raise IllegalMove(f"There is a stone on {self.game.move_text(move)} already.")
        if move == self.ko:
            raise IllegalMove(f"{self.game.move_text(move)} retakes the ko: play elsewhere first.")
        placed = self.board.place(move, 1 + self.to_move)
        if placed.lost and not self.game.suicide:
            raise IllegalMove(f"A stone on {self.game.move_text(move)} has no liberties and captures nothing.")
        if self.first and placed.board.points in self.past:
            raise IllegalMove(f"A stone on {self.game.move_text(move)} brings an earlier board back (superko).")
        mine, yours = self.prisoners[self.to_move] + len(placed.captured), self.prisoners[1 - self.to_move]
        yours += len(placed.lost)
        after = self._after(
            placed.board,
            ko=NO_KO if self.first else _ko_point(placed, move),
            prisoners=(mine, yours) if self.to_move == 0 else (yours, mine),
            history=(*self.history, 2 * move + self.to_move) if self.first else (),
            last=move,
        )
        if self.first:  # so that it need not be replayed
            after.__dict__["past"] = (*self.past, placed.board.points)
        return after

    def _after(
        self,
        board: Board,
        *,
        ko: Point = NO_KO,
        passes: int = 0,
        prisoners: tuple[int, int] | None = None,
        history: tuple[int, ...] | None = None,
        last: Move,
    ) -> GoState:
        """Return the next position with what has changed."""
        return GoState(
            self.game,
            board,
            1 - self.to_move,
            ko,
            passes,
            self.prisoners if prisoners is None else prisoners,
            self.turn + 1,
            self.first,
            self.history if history is None else history,
            last,
        )

    def score(self, dead: Collection[Point] = ()) -> Score:
        """Count the board as it stands, without the chains of these stones if the players agree that they are dead.

        Raises BadText for a point without a stone.
        """
        return score(self.board, self.game.komi, self.game.scoring, self.prisoners, dead)

    def outcome(self) -> Outcome | None:
        """Return how the game ended, counted as the board stands, or None while it goes on."""
        return outcome_of(self.score()) if self.is_over() else None


def longest(size: int) -> int:
    """Return the most moves of a game on a board of this size."""
    return max(100, 4 * size * size)


def outcome_of(counted: Score) -> Outcome:
    """Return a count as the outcome of a game."""
    most, least = max(counted.black, counted.white), min(counted.black, counted.white)
    if counted.winner is None:
        return Outcome(None, f"{most:g} points each")
    return Outcome(counted.winner, f"{most:g} points to {least:g}")


def _ko_point(placed: Placed, move: Point) -> Point:
    """Return the point that a simple ko forbids after a stone: it took one, stands alone and has but that liberty."""
    if len(placed.captured) != 1:
        return NO_KO
    chain = placed.board.chain(move)
    return next(iter(placed.captured)) if len(chain.stones) == len(chain.liberties) == 1 else NO_KO


def _course(size: int, first: bytes, history: tuple[int, ...]) -> list[bytes]:
    """Return the boards from the first one on."""
    board, boards = Board(size, first), [first]
    for stone in history:
        board = board.place(stone // 2, 1 + stone % 2).board
        boards.append(board.points)
    return boards


def _check_possible(game: Go, fields: Fields) -> None:
    """Raise BadText if the words of a position contradict each other."""
    board = fields.board
    for point, chain in board.chains().items():
        if not chain.liberties:
            raise BadText(f"The stone on {text.point_text(game.size, point)} has no liberties.")
    if fields.ko != NO_KO:
        if game.ko == "positional":
            raise BadText("A ko point belongs to positions with ko=simple only.")
        _check_ko(game, fields)
    if fields.first:
        _check_course(game, fields)


def _check_ko(game: Go, fields: Fields) -> None:
    """Raise BadText if the last move cannot have taken one stone on the ko point."""
    board, where, taker = fields.board, text.point_text(game.size, fields.ko), other(1 + fields.to_move)
    beside = neighbours(game.size)[fields.ko]
    alone = any(
        board.points[near] == taker and board.chain(near) == Chain(frozenset({near}), frozenset({fields.ko}))
        for near in beside
    )
    if board.points[fields.ko] != EMPTY or any(board.points[near] != taker for near in beside) or not alone:
        raise BadText(f"There can be no ko on {where}: no stone beside it has just taken one there.")
    if fields.passes or not fields.prisoners[1 - fields.to_move]:
        raise BadText(f"There can be no ko on {where}: the last move was a pass, or nobody has taken a stone.")


def _check_course(game: Go, fields: Fields) -> None:
    """Raise BadText if the boards do not lead from the first one to the present one by moves that were legal."""
    board, seen = Board(game.size, fields.first), {fields.first}
    if not all(chain.liberties for chain in board.chains().values()):
        raise BadText("The course of boards begins with a stone that has no liberties.")
    if len(fields.history) > game.limit:
        raise BadText(f"The course of boards has {len(fields.history)} moves, but at most {game.limit} are possible.")
    for stone in fields.history:
        where = text.point_text(game.size, stone // 2)
        if board.points[stone // 2] != EMPTY:
            raise BadText(f"The course of boards puts a stone on {where}, where one is already.")
        placed = board.place(stone // 2, 1 + stone % 2)
        if placed.lost and not game.suicide:
            raise BadText(f"The course of boards has a suicide on {where}.")
        if placed.board.points in seen:
            raise BadText(f"The course of boards brings a board back by the stone on {where}.")
        board = placed.board
        seen.add(board.points)
    if board != fields.board:
        raise BadText("The course of boards does not lead to the rows of the position.")


assert (EMPTY, BLACK, WHITE) == (0, 1, 2)  # a player's colour is his number and 1
