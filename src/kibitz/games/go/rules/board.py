"""The board: stones, chains, liberties and captures. Knows neither whose turn it is nor which moves are forbidden.

A board is stored as bytes, one per point in the order of geometry.py, with the
codes EMPTY (0), BLACK (1) and WHITE (2).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kibitz.games.go.rules.geometry import Point, neighbours

Colour: TypeAlias = int
EMPTY, BLACK, WHITE = 0, 1, 2  # a player's number plus one: Black is player 0, White is player 1


def other(colour: Colour) -> Colour:
    """Return the opponent's colour."""
    return BLACK + WHITE - colour


class Chain(NamedTuple):
    """A chain: stones of one colour connected along the lines, and its liberties."""

    stones: frozenset[Point]
    liberties: frozenset[Point]  # the empty points next to the stones


class Placed(NamedTuple):
    """The result of placing a stone."""

    board: Board
    captured: frozenset[Point]  # the captured stones of the opponent
    lost: frozenset[Point]  # the mover's own stones removed by a suicide, the new one included


@dataclass(frozen=True, slots=True)
class Board:
    """The stones on a square board. Immutable."""

    size: int
    points: bytes

    @staticmethod
    def empty(size: int) -> Board:
        """Return a board without stones."""
        return Board(size, bytes(size * size))

    def with_stones(self, points: Iterable[Point], colour: Colour) -> Board:
        """Return a copy with the given points set to a colour, or to EMPTY. Captures nothing."""
        changed = bytearray(self.points)
        for point in points:
            changed[point] = colour
        return Board(self.size, bytes(changed))

    def _connected(self, start: Point) -> tuple[frozenset[Point], set[Point]]:
        """Return all points with the code of `start` that are connected to it, and all points next to these."""
        beside, points, code = neighbours(self.size), self.points, self.points[start]
        region, border, todo = {start}, set[Point](), [start]
        while todo:
            for near in beside[todo.pop()]:
                if points[near] != code:
                    border.add(near)
                elif near not in region:
                    region.add(near)
                    todo.append(near)
        return frozenset(region), border

    def chain(self, point: Point) -> Chain:
        """Return the chain that the stone at a point belongs to."""
        stones, border = self._connected(point)
        return Chain(stones, frozenset(near for near in border if self.points[near] == EMPTY))

    def chains(self) -> dict[Point, Chain]:
        """Return a mapping from the point of every stone to its chain."""
        chains: dict[Point, Chain] = {}
        for point, code in enumerate(self.points):
            if code != EMPTY and point not in chains:
                chain = self.chain(point)
                chains.update(dict.fromkeys(chain.stones, chain))
        return chains

    def regions(self) -> list[tuple[frozenset[Point], frozenset[Colour]]]:
        """Return the regions of connected empty points, each with the colours of the stones that border it."""
        regions, seen = [], set[Point]()
        for start, code in enumerate(self.points):
            if code == EMPTY and start not in seen:
                region, border = self._connected(start)
                seen |= region
                regions.append((region, frozenset(self.points[near] for near in border)))
        return regions

    def place(self, point: Point, colour: Colour) -> Placed:
        """Put a stone on an empty point and remove chains without liberties: the opponent's first, then the mover's."""
        board = self.with_stones((point,), colour)
        captured = set[Point]()
        for near in neighbours(self.size)[point]:
            if board.points[near] == other(colour) and near not in captured:
                chain = board.chain(near)
                if not chain.liberties:
                    captured |= chain.stones
        if captured:
            board = board.with_stones(captured, EMPTY)
        own_chain = board.chain(point)
        if own_chain.liberties:
            return Placed(board, frozenset(captured), frozenset())
        return Placed(board.with_stones(own_chain.stones, EMPTY), frozenset(), own_chain.stones)
