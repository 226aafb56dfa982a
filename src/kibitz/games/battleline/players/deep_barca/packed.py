"""The arrays that Deep Barca's kernels work on: their layout, and accessors.

The table is seen from one player: side 0 is mine, side 1 theirs. Sets of Troops and the status of a flag are
as in kernel/layout.py, with me as player 0. A score is 64*rank + sum, as in kernel/proof.py.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.rules.cards import TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

SCORES = 320
"""All scores are below this."""
OUTCOMES = 1 << FLAGS
"""The number of sets of flags."""


class PackedScene(NamedTuple):
    """A scene as arrays, and working space. Only two arrays, since each further one slows compilation down."""

    ints: Ints
    floats: Floats


# The ints
SIDE = 0  # + 9*side + flag: the Troops there
STATUS = SIDE + 2 * FLAGS  # + flag
SETTINGS = STATUS + FLAGS  # those of chances.Reading, and the cards of the edition
FORMATIONS, ALL_SUPERIOR, NESTED, WISHES, JOINT, VALUES, CAVALRY = range(SETTINGS, SETTINGS + 7)
WANTED = CAVALRY + 1  # + flag: the cards that my best formations there lack
WANTED_BEFORE = WANTED + FLAGS  # + flag: the same before a play
LACKING = WANTED_BEFORE + FLAGS  # + score: the cards lacking for that score, on the side computed last
INTS = LACKING + SCORES

# The floats
CHANCE = 0  # + 60*side + Troop: the chance that the side gets the Troop; 0 if it is face up
SHARED = CHANCE + 2 * TROOPS  # the same, mine divided among the flags that want the card
FLAG = SHARED + 2 * TROOPS  # + flag: the chance to win it
CONFLICT, DECK_LEFT = FLAG + FLAGS, FLAG + FLAGS + 1  # see chances.Reading and Scene
BY_VALUE = DECK_LEFT + 1  # + value - 1: the chance to get a card of that value, for the runs computed last
EXACTLY = BY_VALUE + 10  # + n: the chance to get exactly n cards of a value
SUMS = EXACTLY + 5  # see sums()
OUTCOME = SUMS + 5 * 64  # + set of flags: the chance to win exactly these
MAKES = OUTCOME + OUTCOMES  # see makes()
FLOATS = MAKES + 2 * FLAGS * SCORES


def new_packed_scene() -> PackedScene:
    """Return a packed scene with all numbers set to 0."""
    return PackedScene(cast(Ints, np.zeros(INTS, np.int64)), cast(Floats, np.zeros(FLOATS, np.float64)))


@jit
def sums(n: int) -> int:
    """Return where the chances of sums of n cards begin in floats: add the sum to this offset."""
    return SUMS + 64 * n


@jit
def makes(side: int, f: int) -> int:
    """Return where the chances of scores of a side begin in floats: add the score to this offset."""
    return MAKES + SCORES * (FLAGS * side + f)


@jit
def status(s: PackedScene, f: int) -> int:
    """Return the status of a flag as a bit field, see kernel/layout.py."""
    return s.ints[STATUS + f]


@jit
def need(s: PackedScene, side: int, f: int) -> int:
    """Return how many cards a side of a flag lacks."""
    return at.lacking(s.ints[SIDE + FLAGS * side + f], s.ints[STATUS + f], side)
