"""The compiled twin of rules.py: a position in the words of layout.py, for search.

Unlike rules.py, it does not check that moves are legal. A position holds all cards, hidden ones too: a search that
must not know them redeals them first, see deal.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.position import register
from kibitz.core.agent import WIN
from kibitz.games.battleline.evaluate import FLAG_VALUE
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.legal import legal as legal
from kibitz.games.battleline.kernel.play import play as play
from kibitz.games.battleline.kernel.play import undo as undo
from kibitz.games.battleline.rules import BattleLine, BattleLineState, moves, stages
from kibitz.games.battleline.rules.cards import ENVIRONMENT, TROOPS, Card, is_troop
from kibitz.games.battleline.rules.formations import score
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import Flag

MOVES = moves.MOVES
MAX_LEGAL_MOVES = 640  # 28 cards by Traitor and by Redeploy to nine places each, Deserter, 7 Troops at 9 flags, claims
MAX_GAME_LENGTH = 400  # 70 plays, not more passes, a draw or done for each, Scout's six moves, nine claims
_MIX = cast(int, np.uint64(0x9E3779B97F4A7C15).view(np.int64))
_HIGH = (1 << 35) - 1  # makes a right shift by 29 unsigned


class BattleLinePosition(NamedTuple):
    """A position, and a cache of verdicts on its claims."""

    words: Ints  # int64, see layout.py
    verdicts: Ints  # uint64 [9*player + flag], see proof.py; no part of the position


def pack(state: BattleLineState) -> BattleLinePosition:
    """Return a state as a compiled position."""
    words, verdicts = np.array(_pack_words(state), np.int64), np.zeros(2 * FLAGS, np.uint64)
    return BattleLinePosition(cast(Ints, words), cast(Ints, verdicts))


def _pack_words(state: BattleLineState) -> list[int]:
    w = [0] * at.WORDS
    game = state.game
    for f, flag in enumerate(state.flags):
        w[at.STATUS + f] = status_of(flag)
        for player, side in enumerate(flag.sides):
            w[at.SIDE + FLAGS * player + f], _ = sets_of(side)
            if flag.is_complete(player):
                found = score(side, flag.fog, flag.mud, game.cards)
                w[at.FULL + player] |= 1 << f
                w[at.SCORE + FLAGS * player + f] = 64 * found.rank + found.sum
    for player in (0, 1):
        w[at.HAND + player], w[at.TACTICS + player] = sets_of(state.hands[player])
        w[at.PLAYED + player] = sets_of(state.played[player])[1]
        w[at.KNOWN + player], w[at.KNOWN_TACTICS + player] = sets_of(state.known[player])
        w[at.SIZE + player] = len(state.decks[player])
        w[at.OWNED + player] = sum(1 << f for f in state.owned(player))
    w[at.SEEN], w[at.DISCARD_TROOPS] = sets_of(state.face_up)[0], sets_of(state.discards)[0]
    w[at.TURN], w[at.STAGE], w[at.LEFT] = state.turn, state.stage, state.left
    w[at.PASSES], w[at.RESULT] = state.passes, state.result
    w[at.OPTIONS] = (
        at.CLAIMS_LATE * (game.claims_at == "end")
        + at.LEADER_IN_PLAY * (game.leader_limit == "in_play")
        + at.UNFILLABLE * game.unfillable
        + at.SCOUT_TWO * game.scout_two
        + at.STUCK_DRAW * game.stuck_draw
    )
    w[at.VALUES], w[at.CAVALRY], w[at.HAND_SIZE] = game.cards.values, game.cards.cavalry, game.hand_size
    for first, end, deck in ((at.DECK, at.TACTICS_DECK, state.decks[0]), (at.TACTICS_DECK, at.WORDS, state.decks[1])):
        w[first:end] = [*reversed(deck), *[-1] * (end - first - len(deck))]
    return w


def status_of(flag: Flag) -> int:
    """Return the status of a flag as a bit field, in the format of layout.py."""
    status = at.FOG_BIT * flag.fog | at.MUD_BIT * flag.mud | (flag.owner + 1) << at.OWNER | (flag.first + 1) << at.FIRST
    for player, side in enumerate(flag.sides):
        status |= sets_of(side)[1] << 4 * player
    return status


def sets_of(cards: Iterable[Card]) -> tuple[int, int]:
    """Return the Troops and the Tactics among some cards, each as a bit set."""
    troops = tactics = 0
    for card in cards:
        if is_troop(card):
            troops |= 1 << card
        else:
            tactics |= 1 << card - TROOPS
    return troops, tactics


def _cards(troops: int, tactics: int = 0) -> tuple[Card, ...]:
    return tuple(card for card in range(TROOPS + 10) if (troops | tactics << TROOPS) >> card & 1)


def unpack(pos: BattleLinePosition, game: BattleLine) -> BattleLineState:
    """Return a compiled position as a state. The state's log is empty, since positions have none."""
    w = [int(pos.words[i]) for i in range(at.WORDS)]
    flags = tuple(_unpack_flag(w, f) for f in range(FLAGS))
    played = (_cards(0, w[at.PLAYED]), _cards(0, w[at.PLAYED + 1]))
    on_sides = {card for flag in flags for side in flag.sides for card in side}
    used = [card for card in (*played[0], *played[1]) if card not in on_sides and card not in ENVIRONMENT]
    troops, tactics = (w[first : first + w[at.SIZE + i]] for i, first in enumerate((at.DECK, at.TACTICS_DECK)))
    return BattleLineState(
        game, flags, tuple(sorted((*_cards(w[at.DISCARD_TROOPS]), *used))), played,
        w[at.TURN], w[at.STAGE], w[at.LEFT], w[at.PASSES], w[at.RESULT],
        (_cards(w[at.HAND], w[at.TACTICS]), _cards(w[at.HAND + 1], w[at.TACTICS + 1])),
        (tuple(reversed(troops)), tuple(reversed(tactics))),
        (_cards(w[at.KNOWN], w[at.KNOWN_TACTICS]), _cards(w[at.KNOWN + 1], w[at.KNOWN_TACTICS + 1])),
    )  # fmt: skip


def _unpack_flag(w: Sequence[int], f: int) -> Flag:
    status = w[at.STATUS + f]
    sides = (_cards(w[at.SIDE + f], status & 15), _cards(w[at.SIDE + FLAGS + f], status >> 4 & 15))
    fog, mud = bool(status & at.FOG_BIT), bool(status & at.MUD_BIT)
    return Flag(sides, fog, mud, (status >> at.OWNER & 3) - 1, (status >> at.FIRST & 3) - 1)


# The operations of compiled/position.py, in its order.


def mover(pos: BattleLinePosition) -> int:
    """Return the player to move, 0 or 1."""
    return at.mover(pos.words)


def over(pos: BattleLinePosition) -> bool:
    """Return whether the game is over."""
    return pos.words[at.RESULT] != stages.IN_PROGRESS


def final(pos: BattleLinePosition) -> int:
    """Return the result of a finished game for the player to move: WIN, 0 or -WIN."""
    result = pos.words[at.RESULT]
    if result == stages.DRAWN:
        return 0
    return WIN if result == at.mover(pos.words) + 1 else -WIN


def copy(pos: BattleLinePosition, into: BattleLinePosition) -> None:
    """Copy all words and verdicts of one position into another."""
    for i in range(at.WORDS):
        into.words[i] = pos.words[i]
    for i in range(2 * FLAGS):
        into.verdicts[i] = pos.verdicts[i]


def key(pos: BattleLinePosition) -> int:
    """Return a digest of all words except the turn number and the scores, which follow from the others."""
    w = pos.words
    digest = at.mover(w) + at.ONE
    for i in range(at.WORDS):
        if i != at.TURN and not at.SCORE <= i < at.DECK:
            digest = (digest ^ w[i]) * _MIX
            digest ^= digest >> 29 & _HIGH
    return digest


def evaluate(pos: BattleLinePosition, evaluation: int) -> int:
    """Return the lead of the player to move in claimed flags, times FLAG_VALUE: the only evaluation."""
    w = pos.words
    me = at.mover(w)
    return FLAG_VALUE * (popcount(w[at.OWNED + me]) - popcount(w[at.OWNED + 1 - me]))


def quick_score(pos: BattleLinePosition, move: int) -> int:
    """Return 1 for a claim, otherwise 0, to try claims first."""
    return 1 if move < FLAGS else 0


register(BattleLinePosition, sys.modules[__name__])
