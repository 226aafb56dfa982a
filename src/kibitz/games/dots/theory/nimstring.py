"""Nimstring: the game of who moves last, which tells who will have to open the first long chain.

The moves are those of Dots-and-Boxes, but who cannot move loses: after taking the
last box one has to move again and cannot. Each part of a position that hangs
together is worth as much as a heap of Nim, its nimber, or it is loony: the player
to move can decline there and wins whatever the other parts are. The nimber of a
whole position is the exclusive or of those of its parts; the player to move loses
just if it is 0. Source: Berlekamp, Conway and Guy, Winning Ways (1982), chapter 16.

Knows nothing of how many boxes anybody has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String
from kibitz.games.dots.theory.endgames import captures, declined_in, fall
from kibitz.games.dots.theory.runs import bits

LOONY = -1
"""Stands for a loony part or position, which has no nimber."""
MOST_MOVES = 20_000
"""How many moves a count may look at before it is given up: less than a tenth of a second's work."""
MOST_OPTIONS = 24
"""How many moves that are not loony a part may have: with more, it is given up at once."""


class Region(NamedTuple):
    """A part of a position that hangs together by boxes."""

    strings: tuple[String, ...]
    coins: tuple[Coin, ...]
    nimber: int | None
    """0 or more, LOONY, or None if the part is too large."""


def nimber(graph: Graph, drawn: int) -> int | None:
    """Return the nimber of a position, LOONY if any part is loony, or else None if any part is too large."""
    return _total(region.nimber for region in regions(graph, drawn))


@lru_cache(maxsize=256)
def regions(graph: Graph, drawn: int) -> tuple[Region, ...]:
    """Return the parts of a position, each with its nimber."""
    return Count(graph).regions(drawn)


def _total(nimbers: Iterable[int | None]) -> int | None:
    found = list(nimbers)
    if LOONY in found:
        return LOONY
    total = 0
    for value in found:
        if value is None:
            return None
        total ^= value
    return total


class _TooLarge(Exception):
    """Says that a part is too large."""


class Count:
    """The nimbers of some positions of a graph and of all that can come of them.

    All that is asked shares what was found and the moves that may be looked at. So to
    ask what a move leaves costs next to nothing once the position before it is known.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.known: dict[int, int] = {}
        """The nimber of each set of strings that was looked at, with nothing to take."""
        self.left = MOST_MOVES

    def nimber(self, drawn: int) -> int | None:
        """Return the nimber of a position, as the function of this name does."""
        return _total(self._nimbers(drawn).values())

    def regions(self, drawn: int) -> tuple[Region, ...]:
        """Return the parts of a position, each with its nimber."""
        found = []
        for part, value in self._nimbers(drawn).items():
            strings = tuple(bits(part))
            coins = sorted({coin for s in strings for coin in self.graph.strings[s]} - {GROUND})
            found.append(Region(strings, tuple(coins), value))
        return tuple(found)

    def _nimbers(self, drawn: int) -> dict[int, int | None]:
        """Return the nimber of each part. The smallest are counted first: a large one may use up all that is left."""
        found: dict[int, int | None] = dict.fromkeys(parts(self.graph, self.graph.all_strings & ~drawn))
        for part in sorted(found, key=int.bit_count):
            found[part] = self._of_region(part)
        return found

    def _of_region(self, part: int) -> int | None:
        """Return the nimber of a part, LOONY, or None if it is too large."""
        taken = captures(self.graph, self.graph.all_strings & ~part)
        if taken.decline:
            return LOONY
        try:
            return self._of_all(part & ~taken.rest)  # what cannot be declined has to be taken
        except _TooLarge:
            return None

    def _of_all(self, undrawn: int) -> int:
        """Return the nimber of some strings, with nothing to take. Raises _TooLarge."""
        if undrawn not in self.known:
            total = 0
            for part in parts(self.graph, undrawn):
                if part not in self.known:
                    self.known[part] = self._of_part(part)
                total ^= self.known[part]
            self.known[undrawn] = total
        return self.known[undrawn]

    def _of_part(self, part: int) -> int:
        """Return the nimber of one part: the least that no move leads to, loony moves left out. Raises _TooLarge."""
        alone = _isolated(self.graph, part)
        if alone is not None:
            return alone
        if part.bit_count() > self.left:
            raise _TooLarge
        self.left -= part.bit_count()
        rests = list(self._moves(part))
        if len(rests) > MOST_OPTIONS:
            raise _TooLarge
        options = {self._of_all(rest) for rest in rests}
        return next(n for n in range(len(options) + 1) if n not in options)

    def _moves(self, part: int) -> Iterator[int]:
        """Yield what is left of a joined part after each move that is not loony, when the other has taken what he can.

        A cut leaves bare the ends that had two strings. Each begins a tree with a way out,
        for a closed one would be all of the part, a loop. So the other can decline just if
        more coins fall than those.
        """
        strings, masks = self.graph.strings, self.graph.masks
        cuts = list(bits(part))
        twos = {end for cut in cuts for end in strings[cut] if end != GROUND and (part & masks[end]).bit_count() == 2}
        loony = 0
        for cut in cuts:
            first, second = strings[cut]
            if first in twos and second in twos:  # whichever is bare by another cut, the other one falls after it
                loony |= (masks[first] | masks[second]) & ~(1 << cut)
        seen = set()
        for cut in cuts:
            ends = strings[cut]
            if loony >> cut & 1 or ends in seen:
                continue  # one of two strings with the same ends will do
            seen.add(ends)
            bare = [end for end in ends if end in twos]
            coins, _, rest = fall(self.graph, part ^ 1 << cut, bare)
            if len(coins) == len(bare):
                yield rest


def parts(graph: Graph, undrawn: int) -> Iterator[int]:
    """Yield the strings of each part that hangs together by coins, as sets of bits."""
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


def _isolated(graph: Graph, part: int) -> int | None:
    """Return the nimber of a part that is a chain or a loop, where every coin has two strings; None of another."""
    coins = {coin for string in bits(part) for coin in graph.strings[string]}
    kind: Literal["chain", "loop"] = "chain" if GROUND in coins else "loop"
    coins.discard(GROUND)
    if any((part & graph.masks[coin]).bit_count() != 2 for coin in coins):
        return None
    return 0 if declined_in(kind, len(coins)) else 1
