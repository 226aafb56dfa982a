"""Table 1 of McCulloch et al. (2017), a 9 against a 4 on an empty board, beside the figures of chances.py."""

from __future__ import annotations

import math
from typing import NamedTuple

from kibitz.games.battleline.players.deep_barca.chances import LITERAL, Side, formations_of, unbeaten_chance
from kibitz.games.battleline.rules.cards import BATTLE_LINE, TROOPS, parse_card
from kibitz.games.battleline.rules.formations import RANKS

CHANCE = 0.5
"""The chance to get each card, as in the table. Section 3.4 of the paper would give 23/53 = .43 at the first play."""

PRINTED = ((0.25, 0.00, 0.25), (0.25, 0.00, 0.25), (0.82, 0.58, 0.35), (0.25, 0.94, 0.02))
"""The printed chances that a formation is made, is beaten, and wins: wedges 27 and 24, phalanx 27, battalion 26."""

NOTE = (
    "Every card has the chance .5, as in the paper's table. The printed .94 follows from no consistent reading: "
    "a wedge (.58) or three 4s (.81) come to .92. The printed .82 for three 9s is .81 if each of five 9s is drawn "
    "by itself, and .82 if 29 of the 58 unseen cards are drawn."
)


class Row(NamedTuple):
    """One formation that the 9 may become, with the chances that it is made, is beaten, and wins."""

    rank: str
    sum: int
    make: float
    beaten: float
    win: float
    printed: tuple[float, float, float]
    """The values of make, beaten and win as printed in the paper."""


def table1() -> tuple[Row, ...]:
    """Return the rows of Table 1: the four strongest formations of a 9 against a 4, with the printed figures."""
    nine, four = (Side((parse_card(card),), False, False, BATTLE_LINE) for card in ("r9", "b4"))
    chance = [0.0 if card in (*nine.cards, *four.cards) else CHANCE for card in range(TROOPS)]
    my, their = formations_of(nine, chance), formations_of(four, chance)
    rows = []
    for formation, printed in zip(my[: LITERAL.formations], PRINTED, strict=True):
        safe = unbeaten_chance(formation, their, 0.5)
        rank, total = formation.score
        rows.append(Row(RANKS[rank], total, formation.chance, 1 - safe, formation.chance * safe, printed))
    return tuple(rows)


def flag_chance() -> float:
    """Return the chance to win the flag with any formation of Table 1, as if they were independent."""
    return 1 - math.prod(1 - row.win for row in table1())
