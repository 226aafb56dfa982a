"""Formations: the score of a side at a flag, its best completion, and whether a claim is proved.

Knows cards, not hands, turns or players. "Mine" is the side that claims, "theirs"
the other. Fog and Mud are given as arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kibitz.core.errors import BadText
from kibitz.games.battleline.rules import cards
from kibitz.games.battleline.rules.cards import Card, Edition

RANKS = ("host", "skirmish", "battalion", "phalanx", "wedge")
HOST, SKIRMISH, BATTALION, PHALANX, WEDGE = range(5)


@dataclass(frozen=True, order=True, slots=True)
class FormationScore:
    """The score of a complete formation: the rank decides, then the sum."""

    rank: int
    """HOST (0) to WEDGE (4)."""
    sum: int

    def __str__(self) -> str:
        return f"{RANKS[self.rank]} {self.sum}"

    @property
    def short(self) -> str:
        """Return the score in a few letters: W27 for a wedge of 27."""
        return f"{RANKS[self.rank][0].upper()}{self.sum}"


@dataclass(frozen=True, slots=True)
class Completion:
    """The best formation that a side can become."""

    score: FormationScore
    added: tuple[Card, ...]
    """The Troops that the side still needs, ascending; empty if it is complete."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a flag can be claimed, and why."""

    claim: bool
    mine: FormationScore | None
    """The score of the claiming side; None if it is not complete."""
    theirs: FormationScore | None
    """The other side's score or best possible score; None if it can never be complete, or if mine is None."""
    cards: tuple[Card, ...]
    """The unseen Troops that would best complete the other side: a counter-example if the claim fails."""
    why: str


def cap_of(mud: bool) -> int:
    """Return the number of cards in a complete side: four with Mud, else three."""
    return 4 if mud else 3


def score(
    side: Sequence[Card], fog: bool = False, mud: bool = False, edition: Edition = cards.BATTLE_LINE
) -> FormationScore:
    """Return the score of a complete side with the best choice of wild cards. Raise BadText if it is not complete."""
    check_side(side, mud)
    if len(side) < cap_of(mud):
        raise BadText(f"A formation needs {cap_of(mud)} cards here, got {len(side)}.")
    found = best_completion(tuple(side), frozenset(), fog, mud, edition)
    assert found is not None
    return found.score


def check_side(side: Sequence[Card], mud: bool) -> None:
    """Raise BadText if these cards cannot lie on one side of a flag."""
    for card in side:
        if not (cards.is_troop(card) or card in cards.MORALE):
            raise BadText(f"{cards.card_name(card)} cannot be part of a formation: only Troops, AL, DA, CC and SB can.")
    if len(side) > cap_of(mud):
        raise BadText(f"{len(side)} cards are too many for one side: {'with' if mud else 'without'} Mud it has "
                      f"{cap_of(mud)} places.")  # fmt: skip


@lru_cache(maxsize=20_000)
def best_completion(
    side: tuple[Card, ...], unseen: frozenset[Card], fog: bool, mud: bool, edition: Edition = cards.BATTLE_LINE
) -> Completion | None:
    """Return the best formation that a side can become with unseen Troops; None if there are too few of them.

    Tries ranks from the highest down, each from the highest sum down, so the first formation found is the best.
    """
    best = _BestOfRank(side, unseen, cap_of(mud), edition)
    if best.need > len(unseen):
        return None
    ranks = (best.host,) if fog else (best.wedge, best.phalanx, best.battalion, best.skirmish, best.host)
    return next(found for best_of_rank in ranks if (found := best_of_rank()) is not None)


class _BestOfRank:
    """Finds the best formation of each rank that a side can become."""

    def __init__(self, side: Sequence[Card], unseen: Collection[Card], cap: int, edition: Edition) -> None:
        self.troops = [card for card in side if cards.is_troop(card)]
        # in descending order the least flexible wild cards choose first: SB and CC before the Leaders
        self.wilds = sorted((card for card in side if not cards.is_troop(card)), reverse=True)
        self.unseen, self.cap, self.need, self.edition = unseen, cap, cap - len(side), edition
        self.colours = {cards.colour_of(card) for card in self.troops}
        self.values = {cards.value_of(card) for card in self.troops}
        self.base = sum(map(cards.value_of, self.troops)) + sum(max(edition.values_of(wild)) for wild in self.wilds)

    def wedge(self) -> Completion | None:
        pools = [{cards.value_of(card): card for card in pool} for pool in self._pools_by_colour()]
        return self._run(WEDGE, pools)

    def skirmish(self) -> Completion | None:
        return self._run(SKIRMISH, [{cards.value_of(card): card for card in sorted(self.unseen, reverse=True)}])

    def phalanx(self) -> Completion | None:
        for value in range(self.edition.values, 0, -1):
            pool = [card for card in sorted(self.unseen) if cards.value_of(card) == value]
            fits = self.values <= {value} and all(value in self.edition.values_of(wild) for wild in self.wilds)
            if fits and len(pool) >= self.need:
                return _completion(PHALANX, value * self.cap, pool[: self.need])
        return None

    def battalion(self) -> Completion | None:
        found = [self._highest(BATTALION, pool) for pool in self._pools_by_colour() if len(pool) >= self.need]
        return max(found, key=lambda completion: completion.score, default=None)

    def host(self) -> Completion:
        return self._highest(HOST, self.unseen)

    def _pools_by_colour(self) -> Iterator[list[Card]]:
        """Yield, for each colour that the completed side could have, the unseen Troops of that colour."""
        for colour in range(len(cards.COLOURS)):
            if self.colours <= {colour}:
                yield [card for card in self.unseen if cards.colour_of(card) == colour]

    def _highest(self, rank: int, pool: Collection[Card]) -> Completion:
        added = sorted(pool, key=lambda card: (-cards.value_of(card), card))[: self.need]
        return _completion(rank, self.base + sum(map(cards.value_of, added)), added)

    def _run(self, rank: int, pools: Sequence[Mapping[int, Card]]) -> Completion | None:
        """Return the highest run of consecutive values that one of the pools can complete. pools: Troops by value."""
        if len(self.values) < len(self.troops):
            return None
        for low in range(self.edition.values - self.cap + 1, 0, -1):
            run = range(low, low + self.cap)
            for pool in pools:
                missing = self._left_for_troops(set(run) - self.values, pool) if self.values <= set(run) else None
                if missing is not None and all(value in pool for value in missing):
                    return _completion(rank, sum(run), [pool[value] for value in missing])
        return None

    def _left_for_troops(self, missing: set[int], pool: Mapping[int, Card]) -> set[int] | None:
        """Return the missing values that are left for Troops after each wild card has taken one.

        Wild cards first take values that are not in the pool. Return None if a wild card fits none of the values.
        """
        for wild in self.wilds:
            fitting = missing & set(self.edition.values_of(wild))
            if not fitting:
                return None
            missing = missing - {min(fitting, key=lambda value: (value in pool, value))}
        return missing


def _completion(rank: int, total: int, added: Sequence[Card]) -> Completion:
    return Completion(FormationScore(rank, total), tuple(sorted(added)))


def prove(
    mine: Sequence[Card], theirs: Sequence[Card], unseen: frozenset[Card], fog: bool = False, mud: bool = False,
    mine_first: bool = False, edition: Edition = cards.BATTLE_LINE, unfillable: bool = True,
) -> Proof:  # fmt: skip
    """Return whether the side `mine` can claim the flag against `theirs`, with the reason in words.

    unseen: the Troops that are not face up. mine_first: whether mine was completed before theirs, which decides
    a tie of complete sides. unfillable: whether a claim succeeds if too few Troops are unseen to complete theirs.
    """
    cap = cap_of(mud)
    if len(mine) < cap:
        return Proof(False, None, None, (), f"Only a complete side can claim: this one has {len(mine)} of {cap} cards.")
    my = score(mine, fog, mud, edition)
    best = best_completion(tuple(theirs), unseen, fog, mud, edition)
    if best is None:
        need = cap - len(theirs)
        why = f"The other side needs {need} more, and only {len(unseen)} Troops are unseen: it can never be completed."
        return Proof(unfillable, my, None, (), why)
    if len(theirs) == cap:
        claim = (my, mine_first) > (best.score, False)
        if my == best.score:
            why = f"Both sides have {my}, and {'this' if claim else 'the other'} one was completed first."
        else:
            why = f"{str(my).capitalize()} {'beats' if claim else 'does not beat'} {best.score}."
        return Proof(claim, my, best.score, (), why)
    claim = my >= best.score
    added = cards.cards_text(best.added)
    if not claim:
        why = f"{added} could still make {best.score} on the other side, which beats {my}."
    elif my == best.score:
        why = f"The other side's best is {best.score} with {added}: only a tie, and it would be completed later."
    else:
        why = f"The other side's best is {best.score} with {added}, which does not beat {my}."
    return Proof(claim, my, best.score, best.added, why)


def unseen_troops(visible: Collection[Card], edition: Edition = cards.BATTLE_LINE) -> frozenset[Card]:
    """Return the Troops of an edition that are not among the visible cards."""
    return frozenset(edition.troops).difference(visible)


def check_values(named: Sequence[Card], edition: Edition) -> None:
    """Raise BadText if one of these cards is a Troop with a value that the edition does not use."""
    for card in named:
        if card < cards.TROOPS and cards.value_of(card) > edition.values:
            raise BadText(f"There is no {cards.card_text(card)} in this edition: values go from 1 to {edition.values}.")
