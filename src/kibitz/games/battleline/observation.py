"""What one player of Battle Line sees as a row of numbers from 0 to 1, for learners.

It is made from his BattleLineView alone, so that what is hidden from him is not in it.
First 26 stretches with a place for each of the 70 cards, by their numbers:

    0       in the own hand
    1-9     on the own side of flags 1 to 9
    10-18   on the other side of flags 1 to 9
    19      discarded
    20, 21  first and second on top of its deck, put there by this player
    22      in the other hand, put back by this player before
    23      in the own hand, put back by the other before
    24, 25  Tactics that he and the other have played

Then six stretches of the nine flags: Fog, Mud, own, the other's, completed first
by him, by the other. At last, each as a share of its most: whether he moves, the five
stages of a turn, cards to take or put back, passes; Troops and Tactics in the own
hand, in the other's, in the decks, and on these by Scout.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Player, View
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import CARDS, TACTICS, TROOPS
from kibitz.games.battleline.rules.view import BattleLineView

MOST_HELD = 9
"""Cards in a hand at most: seven, less Scout, and the three that it takes."""


def observe(view: View, player: Player) -> NDArray[np.float32]:
    """Return what a player sees in his own view."""
    assert isinstance(view, BattleLineView)
    assert view.player == player
    return np.concatenate([_cards(view).ravel(), _flags(view).ravel(), _rest(view)], dtype=np.float32)


def _cards(view: BattleLineView) -> NDArray[np.float32]:
    me, tops = view.player, [list(top) for top in view.top]
    stretches = [
        view.hand,
        *(flag.sides[me] for flag in view.flags),
        *(flag.sides[1 - me] for flag in view.flags),
        view.discards,
        *([card for top in tops for card in top[i : i + 1]] for i in (0, 1)),
        view.known,
        view.exposed,
        view.played[me],
        view.played[1 - me],
    ]
    found = np.zeros((len(stretches), CARDS), np.float32)
    for row, cards in zip(found, stretches, strict=True):
        row[list(cards)] = 1
    return found


def _flags(view: BattleLineView) -> NDArray[np.float32]:
    me, other = view.player, 1 - view.player
    return np.array(
        [
            (flag.fog, flag.mud, flag.owner == me, flag.owner == other, flag.first == me, flag.first == other)
            for flag in view.flags
        ],
        np.float32,
    ).T


def _rest(view: BattleLineView) -> list[float]:
    mine, theirs = view.held[view.player], view.held[1 - view.player]
    return [
        view.to_move == view.player,
        *(view.stage == stage for stage in range(len(stages.NAMES))),
        view.left / 3,
        view.passes / 2,
        *(n / MOST_HELD for n in (*mine, *theirs)),
        view.sizes[0] / TROOPS,
        view.sizes[1] / len(TACTICS),
        *(n / 2 for n in view.back),
    ]
