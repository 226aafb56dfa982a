"""Life and death in small enclosed areas, solved completely.

An area is a set of connected points without stones of the attacker, except for attacking chains that have no liberty
outside it. All liberties of the defender's chains in it are inside, so only moves inside decide whether the largest of
them, the target, can be captured. Every position that can arise there is examined.

The attacker's chains around the area count as safe, which can only be wrong in the defender's favour: `is_firm` says
whether each of them has enough liberties outside. Kos are answered twice, once in favour of each side.

The target's own stones never change before it is captured, so a position of an area is the set of the defender's other
stones in it, and that of the attacker's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from kibitz.games.go.rules import BLACK, WHITE, Colour, other
from kibitz.games.go.words.bits import Field, Mask, Stones, split

MAX_EMPTY_POINTS = 6
MAX_POINTS = 10
"""Larger areas are not examined: more than MAX_EMPTY_POINTS empty points, or MAX_POINTS that may change."""
MAX_POSITIONS = 2000
"""Maximum number of positions of an area that are examined."""
MIN_OUTSIDE_LIBERTIES = 3
"""A wall is firm if each of its chains has this many liberties outside the area."""

Inside: TypeAlias = tuple[Mask, Mask]
"""A position of an area: the defender's stones in it except the target, and the attacker's."""
Positions: TypeAlias = frozenset[tuple[Inside, bool]]
"""Positions of an area, each with whether the attacker is to move."""


class AreaStep(NamedTuple):
    """A move in an area."""

    inside: Inside | None  # the position after it; None if it captures the target
    is_ko: bool  # whether it captures one stone that could be retaken at once but for the ko rule


@dataclass(frozen=True)
class Area:
    """An area with its target."""

    board: Field
    defender: Colour
    target: Mask
    points: Mask
    """The points that may change."""
    inside: Inside
    """The position now."""
    walls: Mask
    """The attacker's stones around it."""
    is_firm: bool
    """Whether each chain of the walls has MIN_OUTSIDE_LIBERTIES."""
    _steps: dict[tuple[Inside, bool], dict[Mask, AreaStep]] = field(default_factory=dict, repr=False, compare=False)

    def steps(self, inside: Inside, attacks: bool) -> dict[Mask, AreaStep]:
        """Return the moves of the attacker, or of the defender, and what they lead to."""
        key = inside, attacks
        if key not in self._steps:
            free = self.points & ~(inside[0] | inside[1])
            found = {point: self._step(inside, attacks, point) for point in split(free)}
            self._steps[key] = {point: step for point, step in found.items() if step is not None}
        return self._steps[key]

    def _step(self, inside: Inside, attacks: bool, point: Mask) -> AreaStep | None:
        """Return what a move leads to, or None if it is a suicide."""
        defender, attacker = inside[0] | self.target, inside[1]
        own, enemy = (attacker | point, defender) if attacks else (defender | point, attacker)
        near, captured = self.board.spread(point), 0
        for chain in self.board.parts(enemy, near):
            if not self._has_liberty(chain, own | enemy, not attacks):
                captured |= chain
        if captured & self.target:
            return AreaStep(None, False)
        enemy &= ~captured
        chain = self.board.flood(point, own)
        if not self._has_liberty(chain, own | enemy, attacks):
            return None
        is_ko = captured.bit_count() == 1 and chain == point and not (attacks and near & self.walls)
        is_ko = is_ko and near & self.points & ~(own | enemy) == captured
        defender, attacker = (enemy, own) if attacks else (own, enemy)
        return AreaStep((defender & ~self.target, attacker), is_ko)

    def _has_liberty(self, chain: Mask, occupied: Mask, is_attacker: bool) -> bool:
        """Return whether a chain has a liberty; the attacker's have one outside if they touch the walls."""
        beside = self.board.spread(chain)
        return beside & self.points & ~occupied != 0 or (is_attacker and beside & self.walls != 0)

    @cached_property
    def losses(self) -> tuple[Positions, Positions] | None:
        """The positions in which the target is lost; None if too many can arise.

        First those in which it is lost although the attacker never takes a ko, then those in which it is lost if the
        defender never does. Positions are all that can arise from this one, whoever moves first.
        """
        found = [(self.inside, True), (self.inside, False)]
        known = set(found)
        for inside, attacks in found:
            after = [step.inside for step in self.steps(inside, attacks).values()]
            for each in after if attacks else [*after, inside]:  # the defender may also play elsewhere
                if each is not None and (each, not attacks) not in known:
                    known.add((each, not attacks))
                    found.append((each, not attacks))
            if len(found) > MAX_POSITIONS:
                return None
        return self._lost(found, ko_for_attacker=False), self._lost(found, ko_for_attacker=True)

    def _lost(self, positions: list[tuple[Inside, bool]], ko_for_attacker: bool) -> Positions:
        """Return the positions from which the attacker can force the capture of the target."""
        before: dict[tuple[Inside, bool], list[tuple[Inside, bool]]] = {each: [] for each in positions}
        escapes = dict[tuple[Inside, bool], int]()  # the defender's moves that are not known to lose
        lost = list[tuple[Inside, bool]]()
        for at in positions:
            inside, attacks = at
            steps = [s for s in self.steps(*at).values() if not s.is_ko or attacks == ko_for_attacker]
            if attacks and any(step.inside is None for step in steps):
                lost.append(at)
            after = [step.inside for step in steps if step.inside is not None]
            for each in after if attacks else [*after, inside]:
                before[each, not attacks].append(at)
            escapes[at] = len(after) + 1
        known = set(lost)
        for at in lost:
            for earlier in before[at]:
                escapes[earlier] -= 1
                if earlier not in known and (earlier[1] or not escapes[earlier]):
                    known.add(earlier)
                    lost.append(earlier)
        return frozenset(lost)


class AreaVerdict(NamedTuple):
    """What a move decides."""

    kills: bool
    """Whether it kills the target, which would otherwise live; if not, it saves the target, which would be killed."""
    stones: int
    """The number of stones of the target."""


def decide(area: Area, point: Mask, colour: Colour) -> AreaVerdict | None:
    """Return what a move decides in an area, or None if nothing is proved."""
    losses = area.losses if point & area.points and area.is_firm else None
    if losses is None:
        return None
    surely_lost, perhaps_lost = losses
    attacks = colour != area.defender
    step = area.steps(area.inside, attacks).get(point)
    if step is None or step.inside is None or step.is_ko:
        return None
    after = step.inside, not attacks
    if attacks:
        is_decisive = (area.inside, False) not in perhaps_lost and after in surely_lost
    else:
        is_decisive = (area.inside, True) in surely_lost and after not in perhaps_lost
    return AreaVerdict(attacks, area.target.bit_count()) if is_decisive else None


@lru_cache(maxsize=32)
def find_areas(stones: Stones) -> tuple[Area, ...]:
    """Return all areas that are small enough, of both colours."""
    return tuple(area for defender in (BLACK, WHITE) for area in _areas_of(stones, defender))


def _areas_of(stones: Stones, defender: Colour) -> Iterator[Area]:
    """Yield the small areas of one defender."""
    field, attackers, left = stones.field, stones.of(other(defender)), stones.of(defender)
    while left:
        region = _region(stones, left & -left, attackers)
        left &= ~region
        if (region & stones.empty).bit_count() > MAX_EMPTY_POINTS:
            continue
        target = max(field.parts(region & stones.of(defender)), key=int.bit_count)
        points, walls = region & ~target, attackers & ~region
        around = field.parts(walls, field.spread(region))
        if points.bit_count() <= MAX_POINTS:
            is_firm = all((stones.liberties(c) & ~region).bit_count() >= MIN_OUTSIDE_LIBERTIES for c in around)
            inside = points & stones.of(defender), points & attackers
            yield Area(field, defender, target, points, inside, walls, is_firm)


def _region(stones: Stones, start: Mask, attackers: Mask) -> Mask:
    """Return the connected points without attackers, but with those chains of theirs that have no liberty elsewhere."""
    field = stones.field
    region = field.flood(start, field.all & ~attackers)
    while (region & stones.empty).bit_count() <= MAX_EMPTY_POINTS:
        inner = sum(
            chain
            for chain in field.parts(attackers & ~region, field.spread(region))
            if not stones.liberties(chain) & ~region
        )
        if not inner:
            break
        region = field.flood(region | inner, field.all & ~attackers | region | inner)
    return region
