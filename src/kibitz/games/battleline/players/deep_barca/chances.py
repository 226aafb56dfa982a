"""Deep Barca's arithmetic in plain Python: what a side may make, the chance to win a flag, and to win the game.

After McCulloch, Bladow, Dobrow & Wright (2017), sections 3.2 to 3.5. Works from each side's chance to
get each Troop; knows no hands and no turns. chances_kernel.py does the same, compiled, operation by operation.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations
from typing import TypeAlias

from kibitz.games.battleline.players.prospects import Chances, chance_of_at_least
from kibitz.games.battleline.rules import cards
from kibitz.games.battleline.rules import formations as ranks
from kibitz.games.battleline.rules.cards import Card, Edition
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import win_reason

Score: TypeAlias = tuple[int, int]
"""Rank and sum."""
_COLOURS = range(len(cards.COLOURS))


@dataclass(frozen=True)
class Reading:
    """How the paper is read where it can be read in more than one way."""

    formations: int
    """How many of my formations count at a flag, the strongest first."""
    all_superior: bool
    """Whether all of their formations may beat one of mine, or only their strongest `formations`."""
    nested: bool
    """Whether only the best formation that I make counts, or a weaker one could win where a better one lost."""
    wishes: int
    """How many formations, the strongest first, a wishlist covers."""
    conflict: float
    """How much of a card's chance is shared among my flags that want it: 0 for none of it, 1 for all."""
    their_part: float
    """The fraction of the opponent's chance to get a card that counts: they may have no use for it at this flag."""
    joint: bool
    """Whether the game is judged over all outcomes of nine flags, or separately for five and three in a row."""


LITERAL = Reading(4, False, False, 4, 1.0, 1.0, False)
BEST = Reading(4, True, True, 4, 0.5, 0.5, True)


@dataclass
class Formation:
    """A score that a side may make, with all ways to make it combined."""

    score: Score
    fail_chance: float = 1.0
    """The chance that every way to make it fails."""
    cards: set[Card] = field(default_factory=set)
    """The Troops that the side still needs for any of the ways."""

    @property
    def chance(self) -> float:
        """Return the chance to make this formation in one way or another."""
        return 1.0 - self.fail_chance


@dataclass(frozen=True)
class Side:
    """One side of a flag, with Fog and Mud."""

    cards: tuple[Card, ...]
    fog: bool
    mud: bool
    edition: Edition

    @property
    def need(self) -> int:
        """Return how many more cards the side needs to be complete."""
        return ranks.cap_of(self.mud) - len(self.cards)

    def score_with(self, *added: Card) -> Score:
        """Return the score once these cards complete the side."""
        found = ranks.score(tuple(sorted((*self.cards, *added))), self.fog, self.mud, self.edition)
        return found.rank, found.sum


def formations_of(side: Side, chance: Chances) -> list[Formation]:
    """Return the formations that a side may make, the strongest first.

    Hosts count only if at most one card is missing, if there is Fog, or if nothing else can be made.
    """
    finder = _FormationFinder(side, chance)
    if side.need == 0:
        finder.add(side.score_with(), 1.0, ())
    elif side.need == 1:
        for card in range(cards.TROOPS):
            if chance[card] > 0:
                finder.add(side.score_with(card), chance[card], (card,))
    else:
        if not side.fog:
            finder.add_all_but_hosts()
        if not finder.found:
            finder.add_hosts()
    return [finder.found[score] for score in sorted(finder.found, reverse=True)]


class _FormationFinder:
    """Collects the formations that one side may make."""

    def __init__(self, side: Side, chance: Chances) -> None:
        self.side, self.chance = side, chance
        self.found: dict[Score, Formation] = {}
        self.cap, self.values = ranks.cap_of(side.mud), side.edition.values
        troops = [card for card in side.cards if cards.is_troop(card)]
        self.wilds = [card for card in side.cards if not cards.is_troop(card)]
        self.own = {cards.value_of(card) for card in troops}
        self.colours = {cards.colour_of(card) for card in troops}
        self.distinct = len(self.own) == len(troops)
        self.base = sum(max(side.edition.values_of(card)) for card in side.cards)

    def add(self, score: Score, chance: float, lacking: Iterable[Card]) -> None:
        """Record one way to make a score. lacking: the Troops that it needs."""
        if chance > 0:
            formation = self.found.setdefault(score, Formation(score))
            formation.fail_chance *= 1.0 - chance
            formation.cards.update(lacking)

    def add_all_but_hosts(self) -> None:
        """Add all formations except hosts, for a side that lacks two cards or more."""
        if self.distinct:
            none = (math.prod(1.0 - self.chance[10 * c + v] for c in _COLOURS) for v in range(cards.MAX_VALUE))
            self.add_runs(ranks.SKIRMISH, [1.0 - p for p in none], _COLOURS)
        for value in range(1, self.values + 1):
            if self.own <= {value} and all(value in self.side.edition.values_of(wild) for wild in self.wilds):
                self.add_phalanx(value)
        for colour in _COLOURS:
            if self.colours <= {colour}:
                by_value = self.chance[10 * colour : 10 * colour + 10]
                if self.distinct:
                    self.add_runs(ranks.WEDGE, by_value, [colour])
                self.add_battalions(by_value, colour)

    def add_runs(self, rank: int, by_value: Chances, colours: Iterable[int]) -> None:
        """Add wedges or skirmishes in some colours. by_value: [value - 1] the chance to get a Troop of a value."""
        for low in range(1, self.values - self.cap + 2):
            run = set(range(low, low + self.cap))
            missing = self.left_for_troops(run - self.own, by_value) if self.own <= run else None
            if missing is not None:
                chance = math.prod(by_value[value - 1] for value in sorted(missing))
                lacking = [10 * colour + value - 1 for value in missing for colour in colours]
                self.add((rank, sum(run)), chance, lacking)

    def left_for_troops(self, missing: set[int], by_value: Chances) -> set[int] | None:
        """Return the missing values left once each wild card takes the one hardest to get; None if one fits nowhere."""
        for wild in sorted(self.wilds, key=lambda card: (card != cards.CC, card != cards.SB)):
            fitting = missing.intersection(self.side.edition.values_of(wild))
            if not fitting:
                return None
            missing = missing - {min(fitting, key=lambda value: (by_value[value - 1], value))}
        return missing

    def add_phalanx(self, value: int) -> None:
        """Add the phalanx of a value, if enough Troops of that value can be had."""
        troops = [10 * colour + value - 1 for colour in _COLOURS]
        if sum(self.chance[card] > 0 for card in troops) >= self.side.need:
            chance = chance_of_at_least(self.side.need, [self.chance[card] for card in troops])
            self.add((ranks.PHALANX, self.cap * value), chance, troops)

    def add_battalions(self, by_value: Chances, colour: int) -> None:
        """Add the battalions of a colour, one for each set of values that does not make a wedge."""
        available = [value for value in range(1, cards.MAX_VALUE + 1) if by_value[value - 1] > 0]
        for values in combinations(available, self.side.need):
            all_values = {*values, *self.own}
            is_run = len(all_values) == self.cap and max(all_values) - min(all_values) == self.cap - 1
            if is_run and not self.wilds:
                continue
            chance = math.prod(by_value[value - 1] for value in values)
            lacking = [10 * colour + value - 1 for value in values]
            self.add((ranks.BATTALION, self.base + sum(values)), chance, lacking)

    def add_hosts(self) -> None:
        """Add the hosts: for each sum, the chance that it is the highest the side can make."""
        need, chance = self.side.need, self.chance
        # sums[n][total]: the chance that the n highest Troops which the side gets, of those seen so far, have this sum
        sums: list[dict[int, float]] = [{0: 1.0}, *({} for _ in range(need))]
        troops = [10 * c + value - 1 for value in range(self.values, 0, -1) for c in _COLOURS]
        available = [card for card in troops if chance[card] > 0]
        for card in available:
            for n in range(need - 1, -1, -1):
                for total in sorted(sums[n]):
                    more = total + cards.value_of(card)
                    sums[n + 1][more] = sums[n + 1].get(more, 0.0) + sums[n][total] * chance[card]
                    sums[n][total] *= 1.0 - chance[card]
        for total, likelihood in sorted(sums[need].items()):
            self.add((ranks.HOST, self.base + total), likelihood, available)


@lru_cache(maxsize=1000)  # most plays leave most flags as they were
def wishlist(side: Side, chance: tuple[float, ...], formations: int) -> frozenset[Card]:
    """Return the Troops that the strongest `formations` of a side lack; none for an empty or complete side."""
    if not side.cards or side.need == 0:
        return frozenset()
    return frozenset[Card]().union(*(formation.cards for formation in formations_of(side, chance)[:formations]))


def shared_chances(chance: Chances, wishlists: Collection[Collection[Card]], conflict: float) -> list[float]:
    """Return the chance to get each Troop, shared among the flags whose wishlists have it. conflict: see Reading."""
    wanting = [sum(card in wishes for wishes in wishlists) for card in range(cards.TROOPS)]
    return [p * (1.0 - conflict * (1.0 - 1.0 / max(n, 1))) for p, n in zip(chance, wanting, strict=True)]


def flag_chance(
    mine: Side, theirs: Side, my: Sequence[Formation], their: Sequence[Formation], first: bool, reading: Reading
) -> float:
    """Return the chance to win an unclaimed flag: MFA, or the mean of MFA and BSFA if one side has no cards.

    MFA and BSFA are the paper's multiple and best single formation approach. my, their: what the sides may make.
    first: whether mine, of two complete sides, was completed first.
    """
    if not mine.cards and not theirs.cards:
        return 0.5
    if mine.need == theirs.need == 0:
        tie = float(first)
    else:  # the side that lacks fewer cards is expected to be first
        tie = 0.5 if mine.need == theirs.need else float(mine.need < theirs.need)
    my = my[: reading.formations]
    their = their if reading.all_superior else their[: reading.formations]
    many = multiple_formation_chance(my, their, tie, reading.nested)
    if mine.cards and theirs.cards:
        return many
    single = (my, their[:1]) if mine.cards else (my[:1], their)
    return 0.5 * (many + multiple_formation_chance(*single, tie, reading.nested))


def multiple_formation_chance(my: Sequence[Formation], their: Sequence[Formation], tie: float, nested: bool) -> float:
    """Return the chance that one of my formations wins against theirs, both listed with the strongest first.

    tie: the fraction of equal scores that I win. nested: whether only the best formation that I make counts.
    """
    no_win, best_wins, none_better = 1.0, 0.0, 1.0  # none_better: the chance that I make no better formation
    for formation in my:
        win = formation.chance * unbeaten_chance(formation, their, tie)
        no_win *= 1.0 - win
        best_wins += none_better * win
        none_better *= 1.0 - formation.chance
    return best_wins if nested else 1.0 - no_win


def unbeaten_chance(formation: Formation, their: Sequence[Formation], tie: float) -> float:
    """Return the chance that none of their formations beats this one. tie: as in multiple_formation_chance."""
    unbeaten = 1.0
    for other in their:
        if other.score > formation.score:
            unbeaten *= 1.0 - other.chance
        elif other.score == formation.score:
            return unbeaten * (1.0 - other.chance * (1.0 - tie))
    return unbeaten


def game_chance(flags: Sequence[float], deck_left: float = 0.0, joint: bool = True) -> float:
    """Return the chance to win the game from the chances to win each flag, as if flags were independent.

    joint: sum over all outcomes; those in which both sides would win count half, since either may be first. Otherwise
    return the mean of the chances of five flags and of three in a row, weighted by deck_left, the fraction of the
    Troop deck that is left: the paper shifts from the one to the other as the game goes on.
    """
    outcomes = [1.0]  # [set of flags won] its probability
    for p in flags:
        outcomes = [chance * (1.0 - p) for chance in outcomes] + [chance * p for chance in outcomes]
    if joint:
        return sum(chance * worth for chance, worth in zip(outcomes, _outcome_worths(), strict=True))
    five = sum(chance for mask, chance in enumerate(outcomes) if mask.bit_count() >= 5)
    three = sum(chance for mask, chance in enumerate(outcomes) if mask & mask >> 1 & mask >> 2)
    weight = min(deck_left, 1.0)
    return weight * five + (1.0 - weight) * three


@cache
def _outcome_worths() -> tuple[float, ...]:
    """Return the worth of each set of flags that I win: 1 for a win, 0 for a loss, 1/2 if both sides would win."""
    won = [bool(win_reason(f for f in range(FLAGS) if mask >> f & 1)) for mask in range(1 << FLAGS)]
    return tuple((1 + mine - theirs) / 2 for mine, theirs in zip(won, reversed(won), strict=True))
