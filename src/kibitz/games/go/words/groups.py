"""Which chains belong together, and what a move connects or cuts.

Chains of one colour are linked if the opponent cannot separate them with one move: they share two liberties, or one
where an enemy stone would be captured at once, or they surround enemy stones in atari. Linked chains form a group.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations

from kibitz.games.go.rules import BLACK, WHITE, Colour, Point, other
from kibitz.games.go.words.bits import Mask, Stones, split
from kibitz.games.go.words.ladders import read_attack

NEAR = 3
"""Replies to a cut are tried up to this distance from it, counted along the lines."""


class Groups:
    """The groups of one colour, each as the mask of its stones."""

    def __init__(self, stones: Stones, colour: Colour) -> None:
        field = stones.field
        chains = [(chain, stones.liberties(chain)) for chain in field.parts(stones.of(colour))]
        self.stones, self.colour = stones, colour
        self._groups = [chain for chain, _ in chains]
        self._shared = 0
        for (chain, liberties), (other_chain, others) in combinations(chains, 2):
            shared = liberties & others
            if shared:
                self._shared |= shared
                if shared & (shared - 1) or not _stands(stones, shared, other(colour)):
                    self._link(chain | other_chain)
        enemies = stones.of(other(colour))
        for chain in field.parts(enemies):
            if stones.liberties(chain).bit_count() == 1:
                self._link(field.spread(chain) & stones.of(colour))

    def _link(self, stones: Mask) -> None:
        """Join the groups that have any of these stones."""
        joined = [group for group in self._groups if group & stones]
        if len(joined) > 1:
            self._groups = [group for group in self._groups if not group & stones]
            self._groups.append(sum(joined))

    def touching(self, mask: Mask) -> list[Mask]:
        """Return the groups that have a stone among these points."""
        return [group for group in self._groups if group & mask]

    def are_apart(self, stones: Iterable[Mask]) -> bool:
        """Return whether the stones are in different groups."""
        return all(len(self.touching(pair[0] | pair[1])) == 2 for pair in combinations(stones, 2))

    def joints(self, stones: Iterable[Mask]) -> Mask:
        """Return where a move that is not captured at once joins two of the groups of these stones."""
        chosen, field, found = self.touching(sum(stones)), self.stones.field, 0
        for one, two in combinations(chosen, 2):
            found |= self._shared & field.spread(one) & field.spread(two)
        return sum(point for point in split(found) if _stands(self.stones, point, self.colour))


@lru_cache(maxsize=64)
def groups_of(stones: Stones, colour: Colour) -> Groups:
    """Return the groups of a colour."""
    return Groups(stones, colour)


def connected(stones: Stones, point: Mask, colour: Colour) -> int:
    """Return how many groups a move connects that the opponent could have separated there; 0 if it connects none."""
    beside = stones.field.spread(point) & stones.of(colour)
    groups = groups_of(stones, colour).touching(beside)
    placed, cut = stones.place(point, colour), stones.place(point, other(colour))
    if len(groups) < 2 or placed is None or cut is None or cut.captured:
        return 0  # if the cut captures something, the move rather saves that
    members = [group & beside & -(group & beside) for group in groups]
    apart = groups_of(cut.stones, colour)
    if not _is_caught(cut.stones, point) and apart.are_apart(members) and not apart.joints(members):
        return 0 if _is_caught(placed.stones, point) else len(groups)
    return 0


def cut_apart(stones: Stones, point: Mask, colour: Colour) -> int:
    """Return how many groups of the opponent a move separates; 0 if it separates none, or that is not certain.

    It is certain if the stone cannot be captured in a ladder, the opponent cannot join the groups with one move, and
    has no move nearby with two threats to do one of these.
    """
    beside = stones.field.spread(point) & stones.of(other(colour))
    groups = groups_of(stones, other(colour)).touching(beside)
    placed = stones.place(point, colour)
    if len(groups) < 2 or placed is None or placed.captured:
        return 0
    members = [group & beside & -(group & beside) for group in groups]
    if _holds(placed.stones, point, members) and _survives_replies(placed.stones, point, members):
        return len(groups)
    return 0


def _is_caught(stones: Stones, point: Mask) -> bool:
    """Return whether the chain of a stone can be captured in a ladder, or that is not known."""
    reading = read_attack(stones, point)
    return reading is None or reading.captured


def _holds(stones: Stones, point: Mask, members: list[Mask]) -> bool:
    """Return whether a cut stands although the opponent moves: no capture of it and no joint of the groups at once."""
    groups = groups_of(stones, WHITE if point & stones.black else BLACK)
    return groups.are_apart(members) and not groups.joints(members) and not _is_caught(stones, point)


def _survives_replies(stones: Stones, point: Mask, members: list[Mask]) -> bool:
    """Return whether the owner of a cut has an answer to each reply nearby."""
    colour = BLACK if point & stones.black else WHITE
    near = point
    for _ in range(NEAR):
        near |= stones.field.spread(near)
    for reply in split(near & stones.empty):
        placed = stones.place(reply, other(colour))
        if placed is None or _holds(placed.stones, point, members):
            continue
        after = placed.stones
        if placed.captured & point or not groups_of(after, other(colour)).are_apart(members):
            return False
        answers = groups_of(after, other(colour)).joints(members) | after.liberties(after.chain(point))
        if not any(_answers(after, answer, point, members) for answer in split(answers)):
            return False
    return True


def _answers(stones: Stones, answer: Mask, point: Mask, members: list[Mask]) -> bool:
    """Return whether an answer to a reply makes the cut hold."""
    placed = stones.place(answer, BLACK if point & stones.black else WHITE)
    if placed is None or stones_in_atari(placed.stones, answer):
        return False
    return any(placed.captured & member for member in members) or _holds(placed.stones, point, members)


def stones_in_atari(stones: Stones, stone: Mask) -> bool:
    """Return whether the chain of a stone has one liberty."""
    return stones.liberties(stones.chain(stone)).bit_count() == 1


def _stands(stones: Stones, point: Mask, colour: Colour) -> bool:
    """Return whether a stone here would not be captured at once."""
    placed = stones.place(point, colour)
    return placed is not None and not stones_in_atari(placed.stones, point)


def distance(size: int, a: Point, b: Point) -> int:
    """Return the distance of two points, counted along the lines."""
    return abs(a // size - b // size) + abs(a % size - b % size)
