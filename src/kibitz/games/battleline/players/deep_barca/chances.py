"""Deep Barca's arithmetic, to read: what a side may become and how likely, the chance to win a flag, and the game.

After McCulloch, Bladow, Dobrow & Wright (2017), sections 3.2 to 3.5. Works from the
chance of each Troop to come to a side; knows no hands and no turns.
chances_kernel.py is the same compiled, operation by operation.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations
from typing import TypeAlias

from kibitz.games.battleline.players.outlook import at_least
from kibitz.games.battleline.rules import cards
from kibitz.games.battleline.rules.cards import Card, Edition
from kibitz.games.battleline.rules.formations import BATTALION, HOST, PHALANX, SKIRMISH, WEDGE, best_completion, cap_of
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import wins

Rank: TypeAlias = int
Chances: TypeAlias = Sequence[float]
"""[Troop] how likely it comes to a side; 0 for those that are face up."""
EVERY = 1 << 20
"""More formations than there are."""


@dataclass(frozen=True)
class Reading:
    """How the paper is read where it can be read in more than one way."""

    formations: int
    """How many formations of the own side count, the strongest first."""
    all_superior: bool
    """Whether every formation of theirs that is stronger may beat one, or only their strongest, so many as above."""
    nested: bool
    """Whether the own formations count as the best one made, or as if one could win where a better one lost."""
    wishes: int
    """How many formations make a wishlist."""
    conflict: float
    """How much of a card's chance is shared among the own flags that want it: 0 for none of it, 1 for all."""
    their_part: float
    """The part of the opponent's chance to get a card that counts: he may have no use for it at this flag."""
    joint: bool
    """Whether the game is judged over all outcomes of nine flags, or by five and by three in a row apart."""


LITERAL = Reading(4, False, False, 4, 1.0, 1.0, False)
BEST = Reading(4, True, True, 4, 0.5, 0.5, True)


@dataclass
class Formation:
    """What a side may make, all ways to the same rank and sum together."""

    score: tuple[Rank, int]
    missed: float = 1.0
    """The chance that none of the ways to it works out."""
    cards: set[Card] = field(default_factory=set)
    """The Troops that it lacks; those of all ways."""

    @property
    def chance(self) -> float:
        """Return the chance to make it."""
        return 1.0 - self.missed


@dataclass(frozen=True)
class Side:
    """One side of a flag, and what lies beside it."""

    cards: tuple[Card, ...]
    fog: bool
    mud: bool
    edition: Edition

    @property
    def need(self) -> int:
        """Return how many cards it lacks."""
        return cap_of(self.mud) - len(self.cards)


def formations_of(side: Side, chance: Chances) -> list[Formation]:
    """Return what a side may make, the strongest first.

    Hosts count where one card is missing, where Fog makes all formations hosts, and where nothing else can be made.
    """
    found = _Found()
    if side.need == 0:
        found.add(_score_with(side), 1.0, ())
    elif side.need == 1:
        for card in range(cards.TROOPS):
            if chance[card] > 0:
                found.add(_score_with(side, card), chance[card], (card,))
    else:
        if not side.fog:
            _Makers(side, chance, found).all()
        if not found.by_score:
            _hosts(side, chance, found)
    return [found.by_score[score] for score in sorted(found.by_score, reverse=True)]


class _Found:
    """The formations found so far."""

    def __init__(self) -> None:
        self.by_score: dict[tuple[Rank, int], Formation] = {}

    def add(self, score: tuple[Rank, int], chance: float, lacking: Iterable[Card]) -> None:
        """Note one way to make a score."""
        if chance > 0:
            formation = self.by_score.setdefault(score, Formation(score))
            formation.missed *= 1.0 - chance
            formation.cards.update(lacking)


def _score_with(side: Side, *added: Card) -> tuple[Rank, int]:
    """Return the score of a side that these cards complete."""
    best = best_completion(tuple(sorted((*side.cards, *added))), frozenset(), side.fog, side.mud, side.edition)
    assert best is not None
    return best.score.rank, best.score.sum


def _base(side: Side) -> int:
    """Return the sum of a side, its wild cards as high as they go."""
    return sum(max(side.edition.values_of(card)) for card in side.cards)


class _Makers:
    """The ways of a side that lacks two cards or more."""

    def __init__(self, side: Side, chance: Chances, found: _Found) -> None:
        self.side, self.chance, self.found = side, chance, found
        self.cap, self.values = cap_of(side.mud), side.edition.values
        troops = [card for card in side.cards if cards.is_troop(card)]
        self.wilds = [card for card in side.cards if not cards.is_troop(card)]
        self.own = {cards.value_of(card) for card in troops}
        self.colours = {cards.colour_of(card) for card in troops}
        self.distinct = len(self.own) == len(troops)

    def all(self) -> None:
        """Find everything but hosts."""
        colours = range(len(cards.COLOURS))
        if self.distinct:
            by_value = [1.0 - math.prod(1.0 - self.chance[10 * c + v] for c in colours) for v in range(cards.MAX_VALUE)]
            self.runs(SKIRMISH, by_value, colours)
        for value in range(1, self.values + 1):
            if self.own <= {value} and all(value in self.side.edition.values_of(wild) for wild in self.wilds):
                self.phalanx(value)
        for colour in colours:
            if self.colours <= {colour}:
                by_value = list(self.chance[10 * colour : 10 * colour + 10])
                if self.distinct:
                    self.runs(WEDGE, by_value, [colour])
                self.battalions(by_value, colour)

    def runs(self, rank: Rank, by_value: Chances, colours: Iterable[int]) -> None:
        """Find wedges or skirmishes; wild cards stand for what is hardest to get. by_value: [value - 1]."""
        for low in range(1, self.values - self.cap + 2):
            run = set(range(low, low + self.cap))
            missing = self.without_wilds(run - self.own, by_value) if self.own <= run else None
            if missing is not None:
                chance = math.prod(by_value[value - 1] for value in sorted(missing))
                lacking = [10 * colour + value - 1 for value in missing for colour in colours]
                self.found.add((rank, sum(run)), chance, lacking)

    def without_wilds(self, missing: set[int], by_value: Chances) -> set[int] | None:
        """Return the missing values less one for each wild card, the least free first; None if one has no place."""
        for wild in sorted(self.wilds, key=lambda card: (card != cards.CC, card != cards.SB)):
            places = missing.intersection(self.side.edition.values_of(wild))
            if not places:
                return None
            missing = missing - {min(places, key=lambda value: (by_value[value - 1], value))}
        return missing

    def phalanx(self, value: int) -> None:
        """Find the phalanx of a value."""
        troops = [10 * colour + value - 1 for colour in range(len(cards.COLOURS))]
        if sum(self.chance[card] > 0 for card in troops) >= self.side.need:
            chance = at_least(self.side.need, [self.chance[card] for card in troops])
            self.found.add((PHALANX, self.cap * value), chance, troops)

    def battalions(self, by_value: Chances, colour: int) -> None:
        """Find the battalions of a colour: each set of values that makes one and no wedge."""
        base = _base(self.side)
        there = [value for value in range(1, cards.MAX_VALUE + 1) if by_value[value - 1] > 0]
        for values in combinations(there, self.side.need):
            if not self.wilds and _is_run({*values, *self.own}, self.cap):
                continue
            chance = math.prod(by_value[value - 1] for value in values)
            self.found.add((BATTALION, base + sum(values)), chance, [10 * colour + value - 1 for value in values])


def _is_run(values: Collection[int], n: int) -> bool:
    return len(values) == n and max(values) - min(values) == n - 1


def _hosts(side: Side, chance: Chances, found: _Found) -> None:
    """Find the sums that the highest cards of any colour make: how likely each is the best."""
    have: list[dict[int, float]] = [{0: 1.0}, *({} for _ in range(side.need))]
    troops = [10 * c + value - 1 for value in range(side.edition.values, 0, -1) for c in range(len(cards.COLOURS))]
    available = [card for card in troops if chance[card] > 0]
    for card in available:
        for n in range(side.need - 1, -1, -1):
            for total in sorted(have[n]):
                more = total + cards.value_of(card)
                have[n + 1][more] = have[n + 1].get(more, 0.0) + have[n][total] * chance[card]
                have[n][total] *= 1.0 - chance[card]
    for total, likely in sorted(have[side.need].items()):
        found.add((HOST, _base(side) + total), likely, available)


@lru_cache(maxsize=1000)  # most plays leave most flags as they were
def wishlist(side: Side, chance: tuple[float, ...], formations: int) -> frozenset[Card]:
    """Return the Troops that the strongest formations of a side lack. A side without cards wants none yet."""
    if not side.cards or side.need == 0:
        return frozenset()
    return frozenset[Card]().union(*(formation.cards for formation in formations_of(side, chance)[:formations]))


def shared(chance: Chances, wishlists: Collection[Collection[Card]], conflict: float) -> list[float]:
    """Return the chances once each card is shared among the flags that want it."""
    wanting = [sum(card in wishes for wishes in wishlists) for card in range(cards.TROOPS)]
    return [p * (1.0 - conflict * (1.0 - 1.0 / max(n, 1))) for p, n in zip(chance, wanting, strict=True)]


def flag_chance(
    mine: Side, theirs: Side, my: Sequence[Formation], their: Sequence[Formation], first: bool, reading: Reading
) -> float:
    """Return the chance to win a flag that nobody owns: MFA, and the mean of it and BSFA if one side has no cards.

    my, their: what the sides may make. first: whether mine, of two complete sides, was completed first.
    """
    if not mine.cards and not theirs.cards:
        return 0.5
    if mine.need == theirs.need == 0:
        tie = float(first)
    else:  # who lacks fewer cards is expected to be first
        tie = 0.5 if mine.need == theirs.need else float(mine.need < theirs.need)
    most = EVERY if reading.all_superior else reading.formations
    many = many_formations(my[: reading.formations], their[:most], tie, reading.nested)
    if not mine.cards:
        return 0.5 * (many + many_formations(my[:1], their[:most], tie, reading.nested))
    if not theirs.cards:
        return 0.5 * (many + many_formations(my[: reading.formations], their[:1], tie, reading.nested))
    return many


def many_formations(my: Sequence[Formation], their: Sequence[Formation], tie: float, nested: bool) -> float:
    """Return the chance to win by one of these formations against those: the multiple formation approach.

    tie: the part of an equal score that is mine. With only the best of a side it is the best single formation approach.
    """
    lost, best, above = 1.0, 0.0, 1.0
    for formation in my:
        win = formation.chance * not_beaten(formation, their, tie)
        lost *= 1.0 - win
        best += above * win
        above *= 1.0 - formation.chance
    return best if nested else 1.0 - lost


def not_beaten(formation: Formation, their: Sequence[Formation], tie: float) -> float:
    """Return the chance that none of theirs beats a formation."""
    safe = 1.0
    for other in their:
        if other.score > formation.score:
            safe *= 1.0 - other.chance
        elif other.score == formation.score:
            return safe * (1.0 - other.chance * (1.0 - tie))
    return safe


def game_chance(flags: Sequence[float], deck_left: float = 0.0, joint: bool = True) -> float:
    """Return the chance to win the game from the chances to win each flag, each won or lost apart from the others.

    joint: over all outcomes, half of those in which both sides would win, since it is not told who is first.
    Otherwise the mean of five flags and of three in a row, weighted by the part of the Troop deck that is left,
    as the paper leans from one to the other.
    """
    likely = [1.0]
    for p in flags:
        likely = [chance * (1.0 - p) for chance in likely] + [chance * p for chance in likely]
    if joint:
        return sum(map(math.prod, zip(likely, _worth(), strict=True)))
    weight = min(deck_left, 1.0)
    return weight * sum(_where(likely, _five())) + (1.0 - weight) * sum(_where(likely, _three()))


def _where(likely: Sequence[float], outcomes: Sequence[bool]) -> Iterator[float]:
    return (chance for chance, there in zip(likely, outcomes, strict=True) if there)


def _flags_of(mask: int) -> tuple[int, ...]:
    return tuple(flag for flag in range(FLAGS) if mask >> flag & 1)


@cache
def _worth() -> tuple[float, ...]:
    """Return what each set of won flags is worth: 1, 0, or a half where the others would win too."""
    won = [bool(wins(_flags_of(mask))) for mask in range(1 << FLAGS)]
    return tuple((1 + won[mask] - won[len(won) - 1 - mask]) / 2 for mask in range(1 << FLAGS))


@cache
def _five() -> tuple[bool, ...]:
    return tuple(mask.bit_count() >= 5 for mask in range(1 << FLAGS))


@cache
def _three() -> tuple[bool, ...]:
    return tuple(bool(mask & mask >> 1 & mask >> 2) for mask in range(1 << FLAGS))
