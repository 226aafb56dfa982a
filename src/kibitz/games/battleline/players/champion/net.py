"""The champion's net: a player's chance to win, from what that player sees.

A flag is described by rows of a table, and so are the hands and decks (the context); their sums are the units of
the net. All numbers are whole, see compiled/vector.py. net_kernel.py computes the net, train/ makes it.

    rows of a flag + rows of the context -> 128 units -> 16 units       for each flag not claimed yet
    rows of the context -> 128 units
    9 * 16 + 128 units -> 32 -> 32 -> log-odds of the game
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.vector import LANES, WIDTH
from kibitz.games.battleline.rules.moves import FLAGS

SCORES = 71
"""The number of rows for a formation: 0 for none, then 14 for each of the five ranks, by a third of its sum."""

# The rows of a flag.
MY_LACK = 0  # cards missing, 0 to 4
THEIR_LACK = MY_LACK + 5
MY_VALUES = THEIR_LACK + 5  # 4 * (value - 1) + how many of that value are there already
THEIR_VALUES = MY_VALUES + 40
HAND_COLOUR = THEIR_VALUES + 40  # value - 1 of each Troop of the hand in the colour of my side
UNSEEN_COLOUR = HAND_COLOUR + 10  # the same of the unseen ones
THEIR_COLOUR = UNSEEN_COLOUR + 10  # unseen ones in the colour of their side
KINDS = THEIR_COLOUR + 10  # my side of one colour, of several; their side
MARKS = KINDS + 4  # the lowest ten bits of the facts of a flag as I see them, then I or the other completed first
BY_HAND = MARKS + 12  # what my side can become by my hand alone
AT_BEST = BY_HAND + SCORES  # by my hand and what is unseen
AGAINST = AT_BEST + SCORES  # what their side can become by what is unseen
VERDICTS = AGAINST + SCORES  # my hand can win this flag for sure; it can be won; it is lost
FLAG_ROWS = VERDICTS + 3

# The rows of the context.
HAND_VALUES = 0  # 7 * (value - 1) + how many of that value are in the hand
UNSEEN_VALUES = HAND_VALUES + 70
NEXT = UNSEEN_VALUES + 70  # two Troops of the hand in one colour: neighbours, by the lower value - 1
ALMOST_NEXT = NEXT + 9
RUNS = ALMOST_NEXT + 8  # three in a row
STAGES = RUNS + 8  # I am to play; I am to draw; the other is to play
DECK_SIZE = STAGES + 3  # by sixths
TACTICS_SIZE = DECK_SIZE + 10
MY_TACTICS = TACTICS_SIZE + 11
THEIR_TACTICS = MY_TACTICS + 10  # how many, up to 4
GONE = THEIR_TACTICS + 5  # Tactics that were played
LEAD = GONE + 10  # how many more Tactics I have played than the other: fewer, as many, more
LEADERS = LEAD + 3  # I have played a Leader; the other has
MY_FLAGS = LEADERS + 2
THEIR_FLAGS = MY_FLAGS + FLAGS
CONTEXT_ROWS = THEIR_FLAGS + FLAGS

# The tables lie one after the other; the last row is room for a sum.
BASE = FLAG_ROWS
"""The first of the context's rows as they count at every flag."""
HEAD = BASE + CONTEXT_ROWS
"""The first of the context's rows as they count for the game."""
ROOM = HEAD + CONTEXT_ROWS
ROWS = ROOM + 1

ENCODER, FIRST, SECOND = WIDTH, WIDTH + FLAGS * LANES, 2 * LANES
"""The number of units that go into the layers."""

_INPUTS = (ENCODER, FIRST, FIRST, SECOND, SECOND, SECOND)
LAYERS = (0, *accumulate(LANES * (1 + units // 2) for units in _INPUTS))
"""Where the weights of each layer of LANES units start: the encoder, two of the first, two of the second, the value."""

SHAPES: dict[str, tuple[int, ...]] = {
    "flag": (FLAG_ROWS, WIDTH), "base": (CONTEXT_ROWS, WIDTH), "context": (CONTEXT_ROWS, WIDTH),
    "w0": (ENCODER, LANES), "b0": (LANES,), "w1": (FIRST, 2 * LANES), "b1": (2 * LANES,),
    "w2": (SECOND, 2 * LANES), "b2": (2 * LANES,), "w3": (SECOND,), "b3": (1,), "owner": (LANES,), "nobody": (1,),
}  # fmt: skip
"""The weights by name. The last two are for learning alone: the log-odds of a flag from its units."""

FILE = Path(__file__).with_name("learned.npz")
"""Its weights; learned.json beside it says how it was made."""


class Net(NamedTuple):
    """The weights as the kernel wants them."""

    rows: Any  # int16 [ROWS, WIDTH]
    head: Any  # int32 [LAYERS[-1]]


def packed(weights: Any) -> Net:
    """Return rounded weights by name as the kernel wants them."""
    rows = np.zeros((ROWS, WIDTH), np.int16)
    rows[:BASE], rows[BASE:HEAD], rows[HEAD:ROOM] = weights["flag"], weights["base"], weights["context"]
    w3, b3 = np.zeros((SECOND, LANES), np.int16), np.zeros(LANES, np.int32)
    w3[:, 0], b3[0] = weights["w3"], weights["b3"][0]
    layers = [(weights["w0"], weights["b0"])]
    for name in "12":
        layers += [(weights[f"w{name}"][:, i : i + LANES], weights[f"b{name}"][i : i + LANES]) for i in (0, LANES)]
    layers.append((w3, b3))
    return Net(rows, np.concatenate([_layer(np.asarray(w), np.asarray(b)) for w, b in layers]))


def _layer(w: Any, b: Any) -> Any:
    """Return the words of a layer: the biases, then the weights in pairs."""
    pairs = w.astype(np.int16).reshape(-1, 2, LANES).transpose(0, 2, 1)
    return np.concatenate([b.astype(np.int32), np.ascontiguousarray(pairs).view(np.int32).ravel()])


def nothing_learned() -> Net:
    """Return a net of zeros, which gives every position an even chance."""
    return packed({name: np.zeros(shape, np.int32) for name, shape in SHAPES.items()})


def load(path: Path) -> Net:
    """Return the net of a file."""
    with np.load(path) as weights:
        return packed(dict(weights))


@cache
def learned() -> Net:
    """Return the net of the package."""
    return load(FILE)
