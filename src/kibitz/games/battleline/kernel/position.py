"""The compiled twin of rules.py: a position in the words of words.py, for search.

Assumes what rules.py checks. The tests hold both to the same moves, results and
values on every ply of many random games. A position holds all cards, the hidden
ones too: a search that must not know them deals them anew first, see deal_kernel.py.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.position import register
from kibitz.core.agent import WIN
from kibitz.core.game import Game, State
from kibitz.games.battleline.evaluate import FLAG_VALUE
from kibitz.games.battleline.kernel.layout import DECK, OWNED, RESULT, SCORE, TURN, WORDS
from kibitz.games.battleline.kernel.legal import legal as legal
from kibitz.games.battleline.kernel.packing import pack_words, unpack_words
from kibitz.games.battleline.kernel.play import play as play
from kibitz.games.battleline.kernel.play import undo as undo
from kibitz.games.battleline.rules import BattleLine, BattleLineState, moves
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import DRAWN, GOING_ON

MOVES = moves.MOVES
MAX_LEGAL_MOVES = (
    640  # 28 cards by Traitor and by Redeploy to nine places each, Deserter, seven Troops at nine flags, claims
)
MAX_GAME_LENGTH = 400  # 70 plays, not more passes, a draw or done for each, Scout's six moves, nine claims
_ONE = cast(int, np.int64(1))
_MIX = cast(int, np.uint64(0x9E3779B97F4A7C15).view(np.int64))
_HIGH = (1 << 35) - 1  # what a shift by 29 leaves of an unsigned word


class BattleLinePosition(NamedTuple):
    """A position, and what was found out about its claims."""

    words: Ints
    """int64, see words.py"""
    verdicts: Any
    """uint64 [9*player + flag], see proof_kernel.py; no part of the position"""


def pack(state: State) -> BattleLinePosition:
    """Return a state as a position."""
    assert isinstance(state, BattleLineState)
    return BattleLinePosition(np.array(pack_words(state), np.int64), np.zeros(2 * FLAGS, np.uint64))


def unpack(pos: BattleLinePosition, game: Game) -> BattleLineState:
    """Return a position as a state. The log is not kept."""
    assert isinstance(game, BattleLine)
    return unpack_words([int(pos.words[i]) for i in range(WORDS)], game)


# The operations of compiled/position.py, in its order.


def mover(pos: BattleLinePosition) -> int:
    """Return 0 or 1."""
    return pos.words[TURN] & 1


def over(pos: BattleLinePosition) -> bool:
    """Return whether there is a result."""
    return pos.words[RESULT] != GOING_ON


def final(pos: BattleLinePosition) -> int:
    """Return WIN, 0 or -WIN."""
    result = pos.words[RESULT]
    if result == DRAWN:
        return 0
    return WIN if result == (pos.words[TURN] & 1) + 1 else -WIN


def copy(pos: BattleLinePosition, into: BattleLinePosition) -> None:
    """Copy all words and verdicts."""
    for i in range(WORDS):
        into.words[i] = pos.words[i]
    for i in range(2 * FLAGS):
        into.verdicts[i] = pos.verdicts[i]


def key(pos: BattleLinePosition) -> int:
    """Return a digest of all words but the number of the turn, and what follows from others."""
    w = pos.words
    digest = (w[TURN] & 1) + _ONE
    for i in range(WORDS):
        if i != TURN and not SCORE <= i < DECK:
            digest = (digest ^ w[i]) * _MIX
            digest ^= digest >> 29 & _HIGH
    return digest


def evaluate(pos: BattleLinePosition, evaluation: int) -> int:
    """Count claimed flags, the only evaluation."""
    w = pos.words
    me = w[TURN] & 1
    return FLAG_VALUE * (popcount(w[OWNED + me]) - popcount(w[OWNED + 1 - me]))


def promise(pos: BattleLinePosition, move: int) -> int:
    """Promise a point for a claim."""
    return 1 if move < FLAGS else 0


register(BattleLinePosition, sys.modules[__name__])
