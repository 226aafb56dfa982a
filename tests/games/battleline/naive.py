"""Claims of Battle Line by trying everything: every completion, every meaning of every wild card.

Shares no code with kibitz.games.battleline. A Troop is (colour, value), a wild card its text.
"""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import NamedTuple

Troop = tuple[str, int]
Card = Troop | str
ALL = [(colour, value) for colour in "roygbp" for value in range(1, 11)]
ORDER = ["host", "skirmish", "battalion", "phalanx", "wedge"]
Worth = tuple[int, int]


def read(text: str) -> Card:
    return text if text in ("AL", "DA", "CC", "SB") else (text[0], int(text[1:]))


def write(card: Card) -> str:
    return card if isinstance(card, str) else f"{card[0]}{card[1]}"


def meanings(card: Card) -> list[Troop]:
    if card in ("AL", "DA"):
        return ALL
    if card == "CC":
        return [(colour, 8) for colour in "roygbp"]
    if card == "SB":
        return [(colour, value) for colour in "roygbp" for value in (1, 2, 3)]
    assert not isinstance(card, str)
    return [card]


def plain_worth(troops: tuple[Troop, ...], fog: bool) -> Worth:
    values = sorted(value for _, value in troops)
    run = all(b - a == 1 for a, b in itertools.pairwise(values))
    colour = len({colour for colour, _ in troops}) == 1
    if fog:
        name = "host"
    elif run and colour:
        name = "wedge"
    elif values[0] == values[-1]:
        name = "phalanx"
    elif colour:
        name = "battalion"
    else:
        name = "skirmish" if run else "host"
    return ORDER.index(name), sum(values)


@cache
def worth(cards: tuple[Card, ...], fog: bool) -> Worth:
    """Return the worth of a complete side, by the best of all meanings of its wild cards."""
    return max(plain_worth(troops, fog) for troops in itertools.product(*map(meanings, cards)))


def best(side: list[Card], unseen: list[Troop], fog: bool, cap: int) -> Worth | None:
    """Return the worth of the best completion; None if there is none."""
    need = cap - len(side)
    return max((worth((*side, *more), fog) for more in itertools.combinations(unseen, need)), default=None)


def may_claim(case: Case) -> bool:
    """Return whether the side `mine` may claim."""
    cap = 4 if case.mud else 3
    if len(case.mine) < cap:
        return False
    mine = worth(tuple(case.mine), case.fog)
    theirs = best(case.theirs, case.unseen, case.fog, cap)
    if theirs is None:
        return True
    if len(case.theirs) == cap:
        return mine > theirs or (mine == theirs and case.mine_first)
    return mine >= theirs


class Case(NamedTuple):
    """One flag, and what is not face up anywhere."""

    mine: list[Card]
    theirs: list[Card]
    unseen: list[Troop]
    fog: bool
    mud: bool
    mine_first: bool


def random_case(rng: random.Random) -> Case:
    """Return a flag as it could be, often one whose claim is close. Where many cards are missing, few are unseen."""
    fog, mud = rng.random() < 0.15, rng.random() < 0.25
    cap = 4 if mud else 3
    troops = ALL[:]
    rng.shuffle(troops)
    if rng.random() < 0.6:  # cards that go together
        colour, value = troops[0]
        troops.sort(key=lambda card: (card[0] != colour) * (card[1] != value) * 3 + abs(card[1] - value) * rng.random())
    wilds = rng.sample(["AL", "DA", "CC", "SB"], rng.choice([0, 0, 0, 0, 1, 1, 2]))
    sides: list[list[Card]] = [[], []]
    for wild in wilds:
        rng.choice(sides).append(wild)
    counts = (cap if rng.random() < 0.95 else rng.randrange(cap), rng.randrange(cap + 1))
    for side, count in zip(sides, counts, strict=True):
        while len(side) < count:
            side.append(troops.pop(rng.randrange(min(8, len(troops)))))
        del side[max(count, 0) :]
    missing = cap - len(sides[1])
    free = sum(isinstance(card, str) for card in sides[1])
    most = {0: 54, 1: 54, 2: 24, 3: 13, 4: 11}[missing] if not free else {0: 54, 1: 20, 2: 8, 3: 6, 4: 5}[missing]
    if free == 2:
        most = 4
    unseen = rng.sample(troops, min(rng.randrange(most + 1), len(troops)))
    return Case(sides[0], sides[1], sorted(unseen), fog, mud, rng.random() < 0.5)
