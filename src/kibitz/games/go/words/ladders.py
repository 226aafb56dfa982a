"""Reads out whether a chain can be captured by atari after atari, as in a ladder.

The attacker may play any atari. The defender, always in atari, can only add a liberty to the chain, on its last liberty
or by capturing stones next to it; after any other move the chain is captured at once. So the answers are exact, unless
the limit of stones is reached, and then there is none. A ko that the attacker may not take back at once is an escape.
"""

from __future__ import annotations

from dataclasses import dataclass

from kibitz.games.go.rules import other
from kibitz.games.go.words.bits import Mask, Stones, split

MAX_STONES_PLACED = 300
"""Maximum number of stones placed in one reading."""
MIN_LADDER_PLIES = 7
"""A line of at least this many moves, with at least three ataris, is called a ladder."""
MAX_NET_LIBERTIES = 4
"""A chain with more liberties than this is not read to be caught in a net."""


class TooLong(Exception):
    """Raised when a reading reaches its limit."""


@dataclass(frozen=True)
class LadderReading:
    """The answer of a reading: whether the chain is captured, and the longest line that was read on the way to it."""

    captured: bool
    line: tuple[Mask, ...]

    @property
    def is_ladder(self) -> bool:
        """Whether the line is as long as a ladder and runs on without taking stones back."""
        return len(set(self.line)) == len(self.line) >= MIN_LADDER_PLIES


def read_attack(stones: Stones, target: Mask, ko: Mask = 0) -> LadderReading | None:
    """Return whether the attacker, who moves first, captures the chain of a stone; None if reading takes too long."""
    try:
        return _LadderReader(stones, target).attack(stones, ko)
    except TooLong:
        return None


def read_defence(stones: Stones, target: Mask, ko: Mask = 0) -> LadderReading | None:
    """Return whether a chain in atari is captured although the defender moves first; None if reading takes too long."""
    try:
        return _LadderReader(stones, target).defend(stones, ko)
    except TooLong:
        return None


def is_netted(stones: Stones, target: Mask, ko: Mask = 0) -> bool:
    """Return whether the attacker, who moves first, catches the chain of a stone in a net, or that is not known.

    A net is a move on or beside a liberty after which ataris capture the chain, whatever the defender answers there.
    """
    own = stones.liberties(stones.chain(target))
    if own.bit_count() > MAX_NET_LIBERTIES:
        return False
    attacker = other(1 if target & stones.black else 2)
    for point in split((own | stones.field.spread(own)) & stones.empty & ~ko):
        placed = stones.place(point, attacker)
        if placed is not None and _is_shut_in(placed.stones, target, placed.ko(point)):
            return True
    return False


def _is_shut_in(stones: Stones, target: Mask, ko: Mask) -> bool:
    """Return whether ataris capture a chain after each answer of the defender beside it, or that is not known."""
    field, chain, defender = stones.field, stones.chain(target), 1 if target & stones.black else 2
    own = stones.liberties(chain)
    answers = own | field.spread(own)
    for beside in field.parts(stones.of(other(defender)), field.spread(chain | own)):
        liberties = stones.liberties(beside)
        if liberties.bit_count() <= 2:
            answers |= liberties
    for point in split(answers & stones.empty & ~ko):
        placed = stones.place(point, defender)
        if placed is not None:
            reading = read_attack(placed.stones, target, placed.ko(point))
            if reading is not None and not reading.captured:
                return False
    return True


class _LadderReader:
    def __init__(self, stones: Stones, target: Mask) -> None:
        self.target = target
        self.defender = 1 if target & stones.black else 2
        self.attacker = other(self.defender)
        self.stones_left = MAX_STONES_PLACED

    def _place(self, stones: Stones, point: Mask, colour: int, ko: Mask) -> tuple[Stones, Mask] | None:
        """Return the stones after a move and the point forbidden by ko; None if the move is illegal or a suicide."""
        if point == ko:
            return None
        self.stones_left -= 1
        if self.stones_left < 0:
            raise TooLong
        placed = stones.place(point, colour)
        return None if placed is None else (placed.stones, placed.ko(point))

    def attack(self, stones: Stones, ko: Mask) -> LadderReading:
        """Return the answer with the attacker to move."""
        liberties = stones.liberties(stones.chain(self.target))
        if liberties.bit_count() > 2:
            return LadderReading(False, ())
        if liberties.bit_count() == 1:
            return LadderReading(liberties != ko, (liberties,) if liberties != ko else ())
        longest: tuple[Mask, ...] = ()
        for point in sorted(split(liberties), key=lambda each: (-self._room(stones, each), each)):
            after = self._place(stones, point, self.attacker, ko)
            if after is not None:
                found = self.defend(*after)
                line = (point, *found.line)
                if found.captured:
                    return LadderReading(True, line)
                longest = max(longest, line, key=len)
        return LadderReading(False, longest)

    def defend(self, stones: Stones, ko: Mask) -> LadderReading:
        """Return the answer with the defender to move and the chain in atari."""
        chain = stones.chain(self.target)
        last = stones.liberties(chain)
        longest: tuple[Mask, ...] = ()
        for point in (last, *split(self._captures(stones, chain) & ~last)):
            after = self._place(stones, point, self.defender, ko)
            if after is not None:
                found = self.attack(*after)
                line = (point, *found.line)
                if not found.captured:
                    return LadderReading(False, line)
                longest = max(longest, line, key=len)
        return LadderReading(last != ko, longest)

    def _room(self, stones: Stones, point: Mask) -> int:
        """Return the number of empty points next to a liberty of the chain, where it would extend."""
        return (stones.field.spread(point) & stones.empty).bit_count()

    def _captures(self, stones: Stones, chain: Mask) -> Mask:
        """Return the points where the defender captures stones that are next to the chain."""
        field, found = stones.field, 0
        for beside in field.parts(stones.of(self.attacker), field.spread(chain)):
            liberties = stones.liberties(beside)
            if liberties.bit_count() == 1:
                found |= liberties
        return found
