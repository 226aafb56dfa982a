"""The rules of Go: the game with its options, and its positions.

Black and White take turns to put a stone on an empty point or to pass. Stones
without liberties are captured, a ko may not be retaken at once, and after two
passes the board is counted. Written for readability, not speed; kernel/position.py
is its compiled twin, and tests check that both give the same moves and results.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Literal

from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.game import Game, Line, Move, NothingHidden, Outcome, Player
from kibitz.games.go.rules import geometry, text
from kibitz.games.go.rules.board import BLACK, EMPTY, Board, Chain, Placed, other
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE, Point, neighbours
from kibitz.games.go.rules.scoring import GoScore, Scoring, dead_chains, score
from kibitz.games.go.rules.text import MARKS, NO_KO

NO_MOVE = -1  # stands for an unknown last move


@dataclass(frozen=True)
class Go(Game["GoState", "GoState"]):
    """Go on a square board."""

    size: int = 19  # lines each way, 1 to 25
    komi: float = 7.5  # points that White gets for moving second, in quarters
    handicap: int = 0  # Black stones on the star points at the start, 2 to 9; White then moves first
    ko: Literal["simple", "positional"] = "simple"
    """simple: a ko may not be retaken at once. positional: no board may ever be repeated."""
    scoring: Scoring = "area"  # area: stones and surrounded points count. territory: surrounded points and prisoners.
    suicide: bool = False  # whether a move may leave its own stones without liberties

    name: ClassVar[str] = "go"
    title: ClassVar[str] = "Go"
    players: ClassVar[tuple[str, str]] = ("Black", "White")
    settles: ClassVar[bool] = True
    settle_prompt: ClassVar[str] = "Mark the dead stones"

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MAX_BOARD_SIZE:
            raise BadOption(f"A board cannot have {self.size} lines: size must be 1 to {MAX_BOARD_SIZE}.")
        if not abs(self.komi) <= MAX_BOARD_SIZE**2 or self.komi * 4 % 1:
            limit = MAX_BOARD_SIZE**2
            raise BadOption(f"komi={self.komi} is not possible: it must be -{limit} to {limit} points, in quarters.")
        if self.handicap and not geometry.handicap_points(self.size, self.handicap):
            limit = geometry.max_handicap(self.size)
            allowed = f"2 to {limit} stones, or 0" if limit else "0"
            raise BadOption(f"handicap={self.handicap} is not possible with size={self.size}: it must be {allowed}.")
        object.__setattr__(self, "komi", float(self.komi))

    @property
    def max_game_length(self) -> int:
        """The move limit, which ends every game whatever the ko rule: four moves per point, but at least 100."""
        return max(100, 4 * self.size**2)

    @property
    def pass_move(self) -> Move:
        """The move number of a pass, which follows the numbers of the points."""
        return self.size**2

    def start(self, seed: int = 0) -> GoState:
        """Return the starting position, with the handicap stones if there are any. The seed is ignored."""
        stones = geometry.handicap_points(self.size, self.handicap)
        return self.set_up(Board.empty(self.size).with_stones(stones, BLACK), int(self.handicap > 0))

    def set_up(self, board: Board, to_move: Player) -> GoState:
        """Return a position that starts a game from this board. Does not check that the stones have liberties."""
        return GoState(self, board, to_move, first=board.points if self.ko == "positional" else b"")

    def moves(self) -> range:
        """Return all move numbers: the points, row by row from the top left, then the pass."""
        return range(self.size**2 + 1)

    def move_text(self, move: Move) -> str:
        """Return a move as column and row, such as "D4", or "pass"."""
        return text.move_text(self.size, move)

    def parse_move(self, words: str) -> Move:
        """Parse a move: "D4", "dd" (as in SGF) or "pass". Raise BadText if it is none of these."""
        return text.parse_move(self.size, words)

    def position_text(self, state: GoState) -> str:
        """Return a position as text: the rows of the board, the player to move, and all else that affects legal moves.

        After the rows and X or O come the point forbidden by ko, or -; the number of consecutive passes just made; the
        prisoners of Black and of White; the number of moves made; and with ko=positional the board history: the first
        board, and the stones put on it since. Example, size 3 after B2 and C3: "2O/1X1/3 X - 0 0:0 2".
        """
        ko = "-" if state.ko == NO_KO else self.move_text(state.ko)
        words = [text.rows_text(state.board), MARKS[1 + state.to_move], ko, str(state.passes)]
        words += [f"{state.prisoners[0]}:{state.prisoners[1]}", str(state.turn)]
        if state.first:
            stones = [f"{MARKS[1 + stone % 2]}{self.move_text(stone // 2)}" for stone in state.history]
            words.append(",".join([text.rows_text(Board(self.size, state.first)), *stones]))
        return " ".join(words)

    def parse_position(self, words: str) -> GoState:
        """Parse a position; everything after its rows is optional. Raise BadText if it is malformed or impossible."""
        state = self.parse_draft(words)
        _check_possible(state)
        return state

    def parse_draft(self, position: str) -> GoState:
        """Parse a position without checking that it is possible. Raise BadText if it is malformed."""
        words = position.split()
        if not 1 <= len(words) <= 7:
            known = "its rows, the player to move, ko, passes, prisoners and turn"
            raise BadText(f"{position[:80]!r} is not a position: write {known}.")
        board = text.parse_rows(self.size, words[0])
        defaults = ("X", "-", "0", "0:0", "0", "")
        mover, ko, passes, prisoners, turn, history = (*words[1:], *defaults[len(words) - 1 :])
        if mover not in ("X", "O"):
            raise BadText(f"The side to move is {mover!r}, but must be X (Black) or O (White).")
        if not re.fullmatch("[012]", passes):
            raise BadText(f"The number of passes just made is {passes!r}, but must be 0, 1 or 2.")
        counts = re.fullmatch(r"([0-9]{1,4}):([0-9]{1,4})", prisoners, re.ASCII)
        if not counts:
            raise BadText(f"The prisoners are {prisoners!r}, but must be two numbers up to 9999, such as 3:0.")
        if not re.fullmatch("[0-9]{1,5}", turn, re.ASCII) or int(turn) > self.max_game_length:
            raise BadText(f"The turn is {turn!r}, but must be a number up to {self.max_game_length}.")
        if history and self.ko == "simple":
            raise BadText("A board history is allowed only with ko=positional.")
        state = replace(
            self.set_up(board, MARKS.index(mover) - 1),
            ko=NO_KO if ko == "-" else self._parse_point(ko),
            passes=int(passes),
            prisoners=(int(counts[1]), int(counts[2])),
            turn=int(turn),
        )
        return self._with_history(state, history) if history else state

    def _parse_point(self, word: str) -> Point:
        move = self.parse_move(word)
        if move == self.pass_move:
            raise BadText(f"{word!r} is not a point: write one such as D4.")
        return move

    def _with_history(self, state: GoState, word: str) -> GoState:
        """Parse a board history and return the position with it. Raise BadText if the history is malformed."""
        rows, *stones = word.split(",")
        history = []
        for stone in stones:
            if stone[:1] not in ("X", "O"):
                raise BadText(f"{stone!r} in the board history must be X or O followed by a point.")
            history.append(2 * self._parse_point(stone[1:]) + MARKS.index(stone[0]) - 1)
        return replace(state, first=text.parse_rows(self.size, rows).points, history=tuple(history))

    def draw(self, view: GoState, last: Move | None = None) -> tuple[Line, ...]:
        """Draw the board as lines for a terminal; once the game is over, mark the owner of each empty point."""
        owners = view.score().owners if view.is_over() else b""
        return text.draw(view.board, view.ko, view.prisoners, last, owners)

    def scores(self, view: GoState, marks: Collection[str] | None = None) -> tuple[float, float] | None:
        """Return the scores of Black and White, or None if the game is not over; `marks` are the dead stones.

        Raise BadText if a mark is not on a stone.
        """
        if not view.is_over():
            return None
        counted = view.score([self.parse_move(mark) for mark in marks or ()])
        return counted.black, counted.white

    def settle(self, state: GoState, marks: Collection[str]) -> tuple[Outcome, tuple[str, ...]]:
        """Return the outcome of a finished game with the chains of the marked stones removed, and all stones removed.

        Raise BadText if a mark is not on a stone, or if the game is not over.
        """
        if not state.is_over():
            raise BadText("The game is not over: dead stones are marked after both players have passed.")
        dead = dead_chains(state.board, [self.parse_move(mark) for mark in marks])
        return outcome_of(state.score(dead)), tuple(self.move_text(point) for point in sorted(dead))

    def symmetries(self) -> tuple[tuple[Move, ...], ...]:
        """Return the rotations and reflections that leave the start unchanged, each a tuple that maps move to move."""
        start = self.start().board.points
        return tuple(
            (*image, self.pass_move)
            for image in geometry.symmetries(self.size)
            if all(start[image[point]] == code for point, code in enumerate(start))
        )


@dataclass(frozen=True)
class GoState(NothingHidden):
    """A position of Go. Nothing is hidden from either player."""

    game: Go
    board: Board
    to_move: Player  # 0 Black, 1 White
    ko: Point = NO_KO  # the point forbidden by a simple ko; NO_KO (-1) if none, and always with ko=positional
    passes: int = 0  # passes just made in a row: 0, 1 or 2
    prisoners: tuple[int, int] = (0, 0)
    """Stones captured by Black and by White; stones lost by suicide count as captured by the opponent."""
    turn: int = 0  # the number of moves made
    first: bytes = b""  # with ko=positional the board that the game started from; else empty
    history: tuple[int, ...] = ()  # with ko=positional the stones put on it since, each 2 * point + player
    last: Move = field(default=NO_MOVE, compare=False)
    """The last move, or NO_MOVE (-1) if unknown. It does not affect the rules, but agents may use it."""

    @cached_property
    def past(self) -> tuple[bytes, ...]:
        """All boards of the game so far, the current one last; empty with ko=simple."""
        if not self.first:
            return ()
        board, boards = Board(self.game.size, self.first), [self.first]
        for stone in self.history:
            board = board.place(stone // 2, 1 + stone % 2).board
            boards.append(board.points)
        return tuple(boards)

    def is_over(self) -> bool:
        """Return whether both players have just passed, or the game has reached its move limit."""
        return self.passes == 2 or self.turn >= self.game.max_game_length

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal points in ascending order, then the pass; () once the game is over."""
        if self.is_over():
            return ()
        chains, past = self.board.chains(), set(self.past)
        colour, points, beside = 1 + self.to_move, self.board.points, neighbours(self.game.size)
        legal = []
        for point, code in enumerate(points):
            if code != EMPTY or point == self.ko:
                continue
            # A stone has a liberty beside an empty point, an enemy in atari, or a friend that is not in atari.
            if not self.game.suicide and not any(
                points[near] == EMPTY or (len(chains[near].liberties) == 1) == (points[near] != colour)
                for near in beside[point]
            ):
                continue
            if past and self.board.place(point, colour).board.points in past:
                continue
            legal.append(point)
        return (*legal, self.game.pass_move)

    def play(self, move: Move) -> GoState:
        """Return the position after a move. Raise IllegalMove, with the reason, if it is not legal."""
        if self.is_over():
            raise IllegalMove("The game is over.")
        if move not in self.game.moves():
            raise IllegalMove(f"Unknown move {move}: moves are 0 to {self.game.pass_move}, the last being the pass.")
        if move == self.game.pass_move:
            turn, passes = self.turn + 1, self.passes + 1
            return replace(self, to_move=1 - self.to_move, ko=NO_KO, passes=passes, turn=turn, last=move)
        placed = self._place(move)
        prisoners = list(self.prisoners)
        prisoners[self.to_move] += len(placed.captured)
        prisoners[1 - self.to_move] += len(placed.lost)
        after = replace(
            self,
            board=placed.board,
            to_move=1 - self.to_move,
            ko=NO_KO if self.first else ko_point(placed, move),
            passes=0,
            prisoners=(prisoners[0], prisoners[1]),
            turn=self.turn + 1,
            history=(*self.history, 2 * move + self.to_move) if self.first else (),
            last=move,
        )
        if self.first:  # fill the cache of `past`, so that the game need not be replayed
            after.__dict__["past"] = (*self.past, placed.board.points)
        return after

    def _place(self, point: Point) -> Placed:
        """Place a stone of the player to move. Raise IllegalMove, with the reason, if it is not legal."""
        if self.board.points[point] != EMPTY:
            raise IllegalMove(f"There is a stone on {self.game.move_text(point)} already.")
        if point == self.ko:
            raise IllegalMove(f"{self.game.move_text(point)} retakes the ko: play elsewhere first.")
        placed = self.board.place(point, 1 + self.to_move)
        if placed.lost and not self.game.suicide:
            raise IllegalMove(f"A stone on {self.game.move_text(point)} has no liberties and captures nothing.")
        if self.first and placed.board.points in self.past:
            raise IllegalMove(f"A stone on {self.game.move_text(point)} repeats an earlier board (superko).")
        return placed

    def score(self, dead: Collection[Point] = ()) -> GoScore:
        """Return the score after removing the chains of the dead stones. Raise BadText if a dead point has no stone."""
        return score(self.board, self.game.komi, self.game.scoring, self.prisoners, dead)

    def outcome(self) -> Outcome | None:
        """Return the outcome, counting all stones as alive, or None if the game is not over."""
        return outcome_of(self.score()) if self.is_over() else None


def outcome_of(final_score: GoScore) -> Outcome:
    """Return the outcome of a game that ended with this score, such as "10 points to 6.5"."""
    higher, lower = max(final_score.black, final_score.white), min(final_score.black, final_score.white)
    if final_score.winner is None:
        return Outcome(None, f"{higher:g} points each")
    return Outcome(final_score.winner, f"{higher:g} points to {lower:g}")


def ko_point(placed: Placed, move: Point) -> Point:
    """Return the point forbidden by ko if the new stone captured one, is alone and has one liberty; else NO_KO."""
    if len(placed.captured) != 1:
        return NO_KO
    chain = placed.board.chain(move)
    return next(iter(placed.captured)) if len(chain.stones) == len(chain.liberties) == 1 else NO_KO


def _check_possible(state: GoState) -> None:
    """Raise BadText if the parts of a position contradict each other."""
    for point, chain in state.board.chains().items():
        if not chain.liberties:
            raise BadText(f"The stone on {state.game.move_text(point)} has no liberties.")
    if state.ko != NO_KO:
        if state.first:
            raise BadText("A ko point is allowed only with ko=simple: write - instead.")
        _check_ko(state)
    if state.first:
        _check_history(state)


def _check_ko(state: GoState) -> None:
    """Raise BadText if the last move cannot have captured a single stone on the ko point."""
    board, where, taker = state.board, state.game.move_text(state.ko), other(1 + state.to_move)
    beside = neighbours(board.size)[state.ko]
    has_lone_taker = any(
        board.points[near] == taker and board.chain(near) == Chain(frozenset({near}), frozenset({state.ko}))
        for near in beside
    )
    if board.points[state.ko] != EMPTY or any(board.points[near] != taker for near in beside) or not has_lone_taker:
        raise BadText(f"There can be no ko on {where}: no stone next to it can just have captured one there.")
    if state.passes or not state.prisoners[1 - state.to_move]:
        raise BadText(f"There can be no ko on {where}: the last move was a pass, or captured nothing.")


def _check_history(state: GoState) -> None:
    """Raise BadText unless the moves of the history are legal and lead from the first board to the current one."""
    game, board, seen = state.game, Board(state.game.size, state.first), {state.first}
    if not all(chain.liberties for chain in board.chains().values()):
        raise BadText("The board history begins with a stone that has no liberties.")
    if len(state.history) > game.max_game_length:
        raise BadText(
            f"The board history has {len(state.history)} moves, but at most {game.max_game_length} are possible."
        )
    for stone in state.history:
        where = game.move_text(stone // 2)
        if board.points[stone // 2] != EMPTY:
            raise BadText(f"The board history puts a stone on {where}, which is already occupied.")
        placed = board.place(stone // 2, 1 + stone % 2)
        if placed.lost and not game.suicide:
            raise BadText(f"The board history has a suicide on {where}.")
        if placed.board.points in seen:
            raise BadText(f"The stone on {where} in the board history repeats an earlier board.")
        board = placed.board
        seen.add(board.points)
    if board != state.board:
        raise BadText("The board history does not lead to the rows of the position.")
