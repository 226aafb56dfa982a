"""A player's view of Battle Line as an array of numbers from 0 to 1, for machine learning.

Made from a BattleLineView alone, so hidden cards cannot leak into it. It begins with 26
planes of 70 cards, in the order of card numbers:

    0       in the player's hand
    1-9     on the player's side of flags 1 to 9
    10-18   on the opponent's side of flags 1 to 9
    19      discarded
    20, 21  first and second from the top of its deck, if put back there by this player
    22      in the opponent's hand, put back by this player
    23      in the player's hand, put back by the opponent
    24, 25  Tactics that the player, and that the opponent, has played

Six planes of nine flags follow: Fog, Mud, owned by the player, by the opponent, completed first
by the player, by the opponent. Last come single numbers, each divided by its maximum: whether the
player is to move, the five stages of a turn, cards to take or put back, passes; Troops and Tactics
in the player's hand, in the opponent's, in the decks, and put back on the decks after Scout.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Player
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import CARDS, TACTICS, TROOPS
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

MAX_HAND = 9
"""Maximum number of cards in a hand: seven, minus Scout, plus the three cards that Scout takes."""


def observe(view: PublicView, player: Player) -> NDArray[np.float32]:
    """Return a player's own view as a flat array, laid out as at the top of this module."""
    assert isinstance(view, BattleLineView)
    assert view.player == player
    return np.concatenate([_cards(view).ravel(), _flags(view).ravel(), _rest(view)], dtype=np.float32)


def _cards(view: BattleLineView) -> NDArray[np.float32]:
    me, tops = view.player, [list(top) for top in view.top]
    planes = [
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
    array = np.zeros((len(planes), CARDS), np.float32)
    for row, cards in zip(array, planes, strict=True):
        row[list(cards)] = 1
    return array


def _flags(view: BattleLineView) -> NDArray[np.float32]:
    me, other = view.player, 1 - view.player
    columns = [
        (flag.fog, flag.mud, flag.owner == me, flag.owner == other, flag.first == me, flag.first == other)
        for flag in view.flags
    ]
    return np.array(columns, np.float32).T


def _rest(view: BattleLineView) -> list[float]:
    mine, theirs = view.held[view.player], view.held[1 - view.player]
    return [
        view.to_move == view.player,
        *(view.stage == stage for stage in range(len(stages.NAMES))),
        view.left / 3,
        view.passes / 2,
        *(n / MAX_HAND for n in (*mine, *theirs)),
        view.sizes[0] / TROOPS,
        view.sizes[1] / len(TACTICS),
        *(n / 2 for n in view.back),
    ]
