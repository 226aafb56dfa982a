"""The compiled twin of rules.py: a position in the words of layout.py, for search.

Assumes what rules.py checks. The tests hold both to the same moves, results and
values on every ply of many random games. A position holds all cards, the hidden
ones too: a search that must not know them deals them anew first, see deal.py.
"""

from __future__ import annotations

import sys
from typing import NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.position import register
from kibitz.core.agent import WIN
from kibitz.games.battleline.evaluate import FLAG_VALUE
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.legal import legal as legal
from kibitz.games.battleline.kernel.packing import pack_words, unpack_words
from kibitz.games.battleline.kernel.play import play as play
from kibitz.games.battleline.kernel.play import undo as undo
from kibitz.games.battleline.rules import BattleLine, BattleLineState, moves, stages
from kibitz.games.battleline.rules.moves import FLAGS

MOVES = moves.MOVES
MAX_LEGAL_MOVES = 640  # 28 cards by Traitor and by Redeploy to nine places each, Deserter, 7 Troops at 9 flags, claims
MAX_GAME_LENGTH = 400  # 70 plays, not more passes, a draw or done for each, Scout's six moves, nine claims
_MIX = cast(int, np.uint64(0x9E3779B97F4A7C15).view(np.int64))
_HIGH = (1 << 35) - 1  # what a shift by 29 leaves of an unsigned word


class BattleLinePosition(NamedTuple):
    """A position, and a cache of verdicts on its claims."""

    words: Ints
    """int64, see layout.py"""
    verdicts: Ints
    """uint64 [9*player + flag], see proof.py; no part of the position"""


def pack(state: BattleLineState) -> BattleLinePosition:
    """Return a state as a position."""
    words, verdicts = np.array(pack_words(state), np.int64), np.zeros(2 * FLAGS, np.uint64)
    return BattleLinePosition(cast(Ints, words), cast(Ints, verdicts))


def unpack(pos: BattleLinePosition, game: BattleLine) -> BattleLineState:
    """Return a position as a state. Its log is empty: positions have none."""
    return unpack_words([int(pos.words[i]) for i in range(at.WORDS)], game)


# The operations of compiled/position.py, in its order.


def mover(pos: BattleLinePosition) -> int:
    """Return 0 or 1."""
    return at.mover(pos.words)


def over(pos: BattleLinePosition) -> bool:
    """Return whether there is a result."""
    return pos.words[at.RESULT] != stages.IN_PROGRESS


def final(pos: BattleLinePosition) -> int:
    """Return WIN, 0 or -WIN."""
    result = pos.words[at.RESULT]
    if result == stages.DRAWN:
        return 0
    return WIN if result == at.mover(pos.words) + 1 else -WIN


def copy(pos: BattleLinePosition, into: BattleLinePosition) -> None:
    """Copy all words and verdicts."""
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
    """Count claimed flags, the only evaluation."""
    w = pos.words
    me = at.mover(w)
    return FLAG_VALUE * (popcount(w[at.OWNED + me]) - popcount(w[at.OWNED + 1 - me]))


def promise(pos: BattleLinePosition, move: int) -> int:
    """Promise a point for a claim."""
    return 1 if move < FLAGS else 0


register(BattleLinePosition, sys.modules[__name__])
