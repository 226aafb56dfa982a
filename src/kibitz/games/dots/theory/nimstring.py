"""Nimstring: the game of moving last, which decides which player has to open the first long chain.

The moves are those of Dots-and-Boxes, but a player who cannot move loses: taking the last box obliges the player to
move again, which is impossible. Each connected part of a position is either equivalent to a heap of Nim, whose size is
its nimber, or loony: the player to move can decline there and wins whatever the other parts are. The nimber of a whole
position is the exclusive or of those of its parts; the player to move loses exactly if it is 0. Source: Berlekamp,
Conway and Guy, Winning Ways (1982), chapter 16.

Ignores the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from operator import xor
from typing import Literal, NamedTuple

from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String
from kibitz.games.dots.theory.endgames import declinable_boxes, find_captures
from kibitz.games.dots.theory.runs import bits, take_boxes

LOONY = -1  # in place of a nimber, for a loony part or position
MAX_EXAMINED_MOVES = 20_000  # give up a search after this many moves: less than a tenth of a second
MAX_OPTIONS = 24  # give up on a part with more than this many moves that are not loony


class Region(NamedTuple):
    """A connected part of a position; the ground connects nothing."""

    strings: tuple[String, ...]
    coins: tuple[Coin, ...]
    nimber: int | None  # 0 or more, LOONY, or None if the part is too large


def nimber(graph: Graph, drawn: int) -> int | None:
    """Return the nimber of a position, LOONY if any part is loony, or else None if any part is too large."""
    return _combine(region.nimber for region in regions(graph, drawn))


@lru_cache(maxsize=256)
def regions(graph: Graph, drawn: int) -> tuple[Region, ...]:
    """Return the parts of a position, each with its nimber."""
    return NimberSearch(graph).regions(drawn)


def _combine(nimbers: Iterable[int | None]) -> int | None:
    """Return the nimber of a position from those of its parts: LOONY if any is loony, else None if any is unknown."""
    values = list(nimbers)
    if LOONY in values:
        return LOONY
    known = [value for value in values if value is not None]
    return reduce(xor, known, 0) if len(known) == len(values) else None


class _TooLarge(Exception):
    """Raised during a search when a part is too large."""


class NimberSearch:
    """Finds the nimbers of several positions of a graph, with a limit on the total work.

    Results are shared, so once a position is known, the positions after its moves cost next to nothing.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.known: dict[int, int] = {}
        """The nimber of each set of strings examined so far, with nothing to take."""
        self.moves_left = MAX_EXAMINED_MOVES

    def nimber(self, drawn: int) -> int | None:
        """Return the nimber of a position, LOONY if any part is loony, or else None if any part is too large."""
        return _combine(self._nimbers(drawn).values())

    def regions(self, drawn: int) -> tuple[Region, ...]:
        """Return the parts of a position, each with its nimber."""
        regions = []
        for part, value in self._nimbers(drawn).items():
            strings = tuple(bits(part))
            coins = sorted({coin for s in strings for coin in self.graph.strings[s]} - {GROUND})
            regions.append(Region(strings, tuple(coins), value))
        return tuple(regions)

    def _nimbers(self, drawn: int) -> dict[int, int | None]:
        """Return the nimber of each connected part. Search small parts first, as a large one may use up the limit."""
        nimbers: dict[int, int | None] = dict.fromkeys(connected_parts(self.graph, self.graph.all_strings & ~drawn))
        for part in sorted(nimbers, key=int.bit_count):
            nimbers[part] = self._part_nimber(part)
        return nimbers

    def _part_nimber(self, part: int) -> int | None:
        """Return the nimber of a connected part, LOONY, or None if it is too large."""
        taken = find_captures(self.graph, self.graph.all_strings & ~part)
        if taken.declinable:
            return LOONY
        try:
            return self._quiet_nimber(part & ~taken.drawn_after)  # captures that cannot be declined must be made
        except _TooLarge:
            return None

    def _quiet_nimber(self, undrawn: int) -> int:
        """Return the nimber of a set of strings with nothing to take. Raise _TooLarge if the search gives up."""
        if undrawn not in self.known:
            total = 0
            for part in connected_parts(self.graph, undrawn):
                if part not in self.known:
                    self.known[part] = self._search_part(part)
                total ^= self.known[part]
            self.known[undrawn] = total
        return self.known[undrawn]

    def _search_part(self, part: int) -> int:
        """Return the nimber of a connected part with nothing to take: the least nimber that no move leads to.

        Loony moves do not count. Raise _TooLarge if the search gives up.
        """
        nimber = _isolated_nimber(self.graph, part)
        if nimber is not None:
            return nimber
        if part.bit_count() > self.moves_left:
            raise _TooLarge
        self.moves_left -= part.bit_count()
        positions = list(self._positions_after_moves(part))
        if len(positions) > MAX_OPTIONS:
            raise _TooLarge
        nimbers = {self._quiet_nimber(position) for position in positions}
        return next(n for n in range(len(nimbers) + 1) if n not in nimbers)

    def _positions_after_moves(self, part: int) -> Iterator[int]:
        """Yield the strings left after each move that is not loony and the captures that follow it.

        A cut leaves each end that had two strings with one, and captures spread from there. They always have a way
        out, because otherwise the whole part would be a loop. So the opponent can decline exactly if more coins than
        these ends can be taken.
        """
        strings, masks = self.graph.strings, self.graph.masks
        cuts = list(bits(part))
        links = {end for cut in cuts for end in strings[cut] if end != GROUND and (part & masks[end]).bit_count() == 2}
        loony = 0
        for cut in cuts:
            first, second = strings[cut]
            if first in links and second in links:  # cutting the other string of either gives both away
                loony |= (masks[first] | masks[second]) & ~(1 << cut)
        tried = set()
        for cut in cuts:
            ends = strings[cut]
            if loony >> cut & 1 or ends in tried:
                continue  # one of several strings with the same ends is enough
            tried.add(ends)
            exposed = [end for end in ends if end in links]
            taken = take_boxes(self.graph, part ^ 1 << cut, exposed)
            if len(taken.boxes) == len(exposed):
                yield taken.undrawn


def connected_parts(graph: Graph, undrawn: int) -> Iterator[int]:
    """Yield the connected parts of a set of strings, each as bits; the ground connects nothing."""
    strings, masks = graph.strings, graph.masks
    while undrawn:
        part, queue = 0, undrawn & -undrawn
        while queue:
            part |= queue
            reached = 0
            for string in bits(queue):
                first, second = strings[string]
                reached |= masks[first]
                if second != GROUND:
                    reached |= masks[second]
            queue = reached & undrawn & ~part
        yield part
        undrawn &= ~part


def _isolated_nimber(graph: Graph, part: int) -> int | None:
    """Return the nimber of a part that is an isolated chain or loop, or None if some coin does not have two strings."""
    coins = {coin for string in bits(part) for coin in graph.strings[string]}
    kind: Literal["chain", "loop"] = "chain" if GROUND in coins else "loop"
    coins.discard(GROUND)
    if any((part & graph.masks[coin]).bit_count() != 2 for coin in coins):
        return None
    return 0 if declinable_boxes(kind, len(coins)) else 1
