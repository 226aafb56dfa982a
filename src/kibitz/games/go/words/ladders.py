"""Reads out whether a chain can be captured by atari after atari, as in a ladder.

The attacker may play any atari. The defender, always in atari, can only add a liberty to the chain, on its last liberty
or by capturing stones next to it; after any other move the chain is captured at once. So the answers are exact, unless
the limit of stones is reached, and then there is none. Captures that take a ko do not count, for either side's good:
a ko that the attacker cannot take now is an escape.
"""

from __future__ import annotations

from dataclasses import dataclass

from kibitz.games.go.rules import EMPTY, Board, Point, other
from kibitz.games.go.rules.rules import ko_point
from kibitz.games.go.rules.text import NO_KO

MAX_STONES_PLACED = 500
"""Maximum number of stones placed in one reading."""
MIN_LADDER_PLIES = 5
"""A line of at least this many moves is called a ladder."""


class TooLong(Exception):
    """Raised when a reading reaches its limit."""


@dataclass(frozen=True)
class Reading:
    """The answer of a reading: whether the chain is captured, and the line that shows it, both sides at their best."""

    captured: bool
    line: tuple[Point, ...]

    @property
    def is_ladder(self) -> bool:
        """Whether it took a ladder to find out."""
        return len(self.line) >= MIN_LADDER_PLIES


def read_attack(board: Board, target: Point, ko: Point = NO_KO) -> Reading | None:
    """Return whether the attacker, who moves first, captures the chain at `target`; None if reading takes too long."""
    try:
        return _Reader(board, target).attack(board, ko)
    except TooLong:
        return None


def read_defence(board: Board, target: Point, ko: Point = NO_KO) -> Reading | None:
    """Return whether the chain at `target` is captured although the defender moves first; None if it takes too long.

    A chain with more than one liberty is not: the defender plays elsewhere first only if in atari.
    """
    if len(board.chain(target).liberties) > 1:
        return Reading(False, ())
    try:
        return _Reader(board, target).defend(board, ko)
    except TooLong:
        return None


class _Reader:
    def __init__(self, board: Board, target: Point) -> None:
        self.target = target
        self.defender = board.points[target]
        self.attacker = other(self.defender)
        self.stones_left = MAX_STONES_PLACED

    def _place(self, board: Board, point: Point, colour: int, ko: Point) -> tuple[Board, Point] | None:
        """Return the board after a move and the point forbidden by ko; None if the move is illegal or a suicide."""
        if point == ko:
            return None
        self.stones_left -= 1
        if self.stones_left < 0:
            raise TooLong
        placed = board.place(point, colour)
        return None if placed.lost else (placed.board, ko_point(placed, point))

    def attack(self, board: Board, ko: Point) -> Reading:
        """Return the answer with the attacker to move."""
        liberties = board.chain(self.target).liberties
        if len(liberties) > 2:
            return Reading(False, ())
        if len(liberties) == 1:
            (last,) = liberties
            return Reading(last != ko, (last,) if last != ko else ())
        longest: tuple[Point, ...] = ()
        for point in sorted(liberties, key=lambda each: -self._room(board, each)):
            after = self._place(board, point, self.attacker, ko)
            if after is not None:
                found = self.defend(*after)
                line = (point, *found.line)
                if found.captured:
                    return Reading(True, line)
                longest = max(longest, line, key=len)
        return Reading(False, longest)

    def defend(self, board: Board, ko: Point) -> Reading:
        """Return the answer with the defender to move and the chain in atari."""
        chain = board.chain(self.target)
        (last,) = chain.liberties
        line: tuple[Point, ...] = (last,) if last != ko else ()
        for point in (last, *sorted(self._captures(board, chain.stones) - {last})):
            after = self._place(board, point, self.defender, ko)
            if after is None:
                continue
            liberties = len(after[0].chain(self.target).liberties)
            if liberties > 2:
                return Reading(False, (point,))
            if liberties == 1 and point == last:
                found = self.attack(*after)
                found = Reading(found.captured, found.line)
            else:
                found = self.attack(*after)
            if not found.captured:
                return Reading(False, (point, *found.line))
            line = max(line, (point, *found.line), key=len)
        return Reading(last != ko, line)

    def _room(self, board: Board, point: Point) -> int:
        """Return the number of liberties that the defender would get there."""
        placed = board.place(point, self.defender)
        return 0 if placed.lost else len(placed.board.chain(self.target).liberties)

    def _captures(self, board: Board, stones: frozenset[Point]) -> set[Point]:
        """Return the points where the defender captures stones that are next to the chain."""
        found, seen = set[Point](), set[Point]()
        for stone in stones:
            for near in board.beside(stone):
                if board.points[near] == self.attacker and near not in seen:
                    chain = board.chain(near)
                    seen |= chain.stones
                    if len(chain.liberties) == 1:
                        found |= chain.liberties
        return found
