"""The promise of a side at a flag, by rule of thumb: points for each formation times the chance to complete it.

Knows no hands and no turns: the chance of each Troop is given. The greedy agents
build on it; it proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from kibitz.games.battleline.rules.cards import COLOURS, LEADERS, TROOPS, Card, Edition, colour_of, is_troop, value_of

RANK_POINTS = (0.0, 35.0, 50.0, 75.0, 100.0)
"""Host to wedge: the points of a rank, to which the sum is added."""
SPREAD = 14.0
"""The lead in points that makes the odds of a flag e to 1."""
MEAN_VALUE = 5.5
"""The value at which an unknown card counts in a sum."""

Chances = Sequence[float]
"""[Troop] how likely a player is to get it."""


def flag_chance(
    mine: Sequence[Card], theirs: Sequence[Card], my: Chances, their: Chances, fog: bool, cap: int, edition: Edition
) -> float:
    """Return an estimate of the chance that the side `mine` wins its flag."""
    lead = promise(mine, my, fog, cap, edition) - promise(theirs, their, fog, cap, edition)
    return 1 / (1 + math.exp(-lead / SPREAD))


def promise(side: Sequence[Card], chance: Chances, fog: bool, cap: int, edition: Edition) -> float:
    """Return the promise of a side: chance times points of its best formation."""
    troops = [card for card in side if is_troop(card)]
    wilds = [card for card in side if not is_troop(card)]
    need = cap - len(side)
    base = sum(map(value_of, troops)) + sum(max(edition.values_of(wild)) for wild in wilds)
    found = [base + MEAN_VALUE * need]
    if not fog:
        colours, values = {colour_of(card) for card in troops}, {value_of(card) for card in troops}
        fixed = [set(edition.values_of(wild)) for wild in wilds if wild not in LEADERS]
        for low in range(1, edition.values - cap + 2):
            run = set(range(low, low + cap))
            if len(values) == len(troops) and values <= run and all((run - values) & place for place in fixed):
                found += _runs(run, values, len(wilds), colours, chance)
        found += _phalanxes(values, wilds, need, cap, chance, edition)
        if len(colours) <= 1:
            found += _battalions(colours, need, base, chance)
    return max(found)


def _runs(run: set[int], values: set[int], wilds: int, colours: set[int], chance: Chances) -> Iterable[float]:
    """Yield the points of the wedges and of the skirmish on a run; wild cards replace those hardest to get."""
    total = sum(run)
    for colour in range(len(COLOURS)):
        if colours <= {colour}:
            chances = sorted(chance[10 * colour + value - 1] for value in run - values)
            yield math.prod(chances[wilds:]) * (RANK_POINTS[4] + total)
    any_colour = sorted(
        1 - math.prod(1 - chance[10 * colour + value - 1] for colour in range(len(COLOURS))) for value in run - values
    )
    yield math.prod(any_colour[wilds:]) * (RANK_POINTS[1] + total)


def _phalanxes(
    values: set[int], wilds: Sequence[Card], need: int, cap: int, chance: Chances, edition: Edition
) -> Iterable[float]:
    for value in values or range(1, edition.values + 1):
        if len(values) <= 1 and all(value in edition.values_of(wild) for wild in wilds):
            chances = [chance[10 * colour + value - 1] for colour in range(len(COLOURS))]
            yield at_least(need, chances) * (RANK_POINTS[3] + cap * value)


def _battalions(colours: set[int], need: int, base: float, chance: Chances) -> Iterable[float]:
    for colour in colours or range(len(COLOURS)):
        chances = chance[10 * colour : 10 * colour + 10]
        yield at_least(need, chances) * (RANK_POINTS[2] + base + MEAN_VALUE * need)


def at_least(need: int, chances: Sequence[float]) -> float:
    """Return the probability that at least `need` of several independent events happen."""
    if need <= 0:
        return 1.0
    exactly = [1.0] + [0.0] * (need - 1)
    for chance in chances:
        for n in range(need - 1, 0, -1):
            exactly[n] = exactly[n] * (1.0 - chance) + exactly[n - 1] * chance
        exactly[0] *= 1.0 - chance
    return 1.0 - sum(exactly)


def chances_of(hand: Iterable[Card], unseen: Iterable[Card], in_hand: float, elsewhere: float) -> list[float]:
    """Return the chance of every Troop: in_hand for those of the hand, elsewhere for other unseen ones, otherwise 0."""
    chance = [0.0] * TROOPS
    for card in unseen:
        chance[card] = elsewhere
    for card in hand:
        if is_troop(card):
            chance[card] = in_hand
    return chance
