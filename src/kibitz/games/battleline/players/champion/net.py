"""The champion's net: estimates a player's chance to win from what that player sees.

Each feature of a flag, or of the hands and decks (the context), selects a row of a table; the sums of these rows are
the first units of the net. All numbers are integers, see compiled/layers.py. net_kernel.py evaluates the net, train/
trains it.

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

from kibitz.compiled.layers import LANES, WIDTH
from kibitz.games.battleline.rules.moves import FLAGS

SCORES = 71
"""The number of rows for a score: row 0 for no formation, then 14 rows for each of the five ranks, by sum // 3."""

# The rows of a flag.
MY_LACK = 0  # cards missing, 0 to 4
THEIR_LACK = MY_LACK + 5
MY_VALUES = THEIR_LACK + 5  # 4 * (value - 1) + the number of cards of that value already there
THEIR_VALUES = MY_VALUES + 40
HAND_COLOUR = THEIR_VALUES + 40  # value - 1 of each Troop in my hand of my side's colour
UNSEEN_COLOUR = HAND_COLOUR + 10  # the same for unseen Troops
THEIR_COLOUR = UNSEEN_COLOUR + 10  # the same for unseen Troops of their side's colour
KINDS = THEIR_COLOUR + 10  # my side has one colour, several colours; the same for their side
MARKS = KINDS + 4  # the lowest ten bits of the status of a flag, mine first; I completed first; the opponent did
BY_HAND = MARKS + 12  # the best score of my side with my hand alone
AT_BEST = BY_HAND + SCORES  # the best score of my side with my hand and the unseen cards
AGAINST = AT_BEST + SCORES  # the best score of their side with the unseen cards
VERDICTS = AGAINST + SCORES  # my hand can win this flag for certain; it can be won; it is lost
FLAG_ROWS = VERDICTS + 3

# The rows of the context.
HAND_VALUES = 0  # 7 * (value - 1) + the number of cards of that value in the hand
UNSEEN_VALUES = HAND_VALUES + 70
NEXT = UNSEEN_VALUES + 70  # two Troops of one colour in the hand with adjacent values, by the lower value - 1
ALMOST_NEXT = NEXT + 9  # the same with one value between them
RUNS = ALMOST_NEXT + 8  # three of one colour in a row, by the lowest value - 1
STAGES = RUNS + 8  # I am to play; I am to draw; the opponent is to play
DECK_SIZE = STAGES + 3  # in steps of six cards
TACTICS_SIZE = DECK_SIZE + 10
MY_TACTICS = TACTICS_SIZE + 11
THEIR_TACTICS = MY_TACTICS + 10  # how many, up to 4
GONE = THEIR_TACTICS + 5  # Tactics already played
LEAD = GONE + 10  # I have played fewer Tactics than the opponent, as many, more
LEADERS = LEAD + 3  # I have played a Leader; the opponent has
MY_FLAGS = LEADERS + 2
THEIR_FLAGS = MY_FLAGS + FLAGS
CONTEXT_ROWS = THEIR_FLAGS + FLAGS

# Where each table starts; the last row is scratch space for a sum.
BASE = FLAG_ROWS
"""The first row of the context's table that is added at every flag."""
HEAD = BASE + CONTEXT_ROWS
"""The first row of the context's table for the whole game."""
SUM_ROW = HEAD + CONTEXT_ROWS
ROWS = SUM_ROW + 1

ENCODER, FIRST, SECOND = WIDTH, WIDTH + FLAGS * LANES, 2 * LANES
"""The number of inputs of the layers."""

_INPUTS = (ENCODER, FIRST, FIRST, SECOND, SECOND, SECOND)
LAYERS = (0, *accumulate(LANES * (1 + units // 2) for units in _INPUTS))
"""Offsets of the weights of each LANES units: the encoder, two of the first layer, two of the second, the value."""

SHAPES: dict[str, tuple[int, ...]] = {
    "flag": (FLAG_ROWS, WIDTH), "base": (CONTEXT_ROWS, WIDTH), "context": (CONTEXT_ROWS, WIDTH),
    "w0": (ENCODER, LANES), "b0": (LANES,), "w1": (FIRST, 2 * LANES), "b1": (2 * LANES,),
    "w2": (SECOND, 2 * LANES), "b2": (2 * LANES,), "w3": (SECOND,), "b3": (1,), "owner": (LANES,), "nobody": (1,),
}  # fmt: skip
"""The shapes of the weights by name. The last two are used only in training: the log-odds of a flag from its units."""

FILE = Path(__file__).with_name("learned.npz")
"""The shipped weights; learned.json beside it records how they were made."""


class Net(NamedTuple):
    """The weights in the kernel's layout."""

    rows: Any  # int16 [ROWS, WIDTH]
    head: Any  # int32 [LAYERS[-1]]


def pack_net(weights: Any) -> Net:
    """Return a net in the kernel's layout. weights: the rounded arrays by name, as in SHAPES."""
    rows = np.zeros((ROWS, WIDTH), np.int16)
    rows[:BASE], rows[BASE:HEAD], rows[HEAD:SUM_ROW] = weights["flag"], weights["base"], weights["context"]
    w3, b3 = np.zeros((SECOND, LANES), np.int16), np.zeros(LANES, np.int32)
    w3[:, 0], b3[0] = weights["w3"], weights["b3"][0]
    layers = [(weights["w0"], weights["b0"])]
    for name in "12":
        layers += [(weights[f"w{name}"][:, i : i + LANES], weights[f"b{name}"][i : i + LANES]) for i in (0, LANES)]
    layers.append((w3, b3))
    return Net(rows, np.concatenate([_pack_layer(np.asarray(w), np.asarray(b)) for w, b in layers]))


def _pack_layer(w: Any, b: Any) -> Any:
    """Return the weights and biases of a layer as 32-bit words: the biases, then the weights in pairs."""
    pairs = w.astype(np.int16).reshape(-1, 2, LANES).transpose(0, 2, 1)
    return np.concatenate([b.astype(np.int32), np.ascontiguousarray(pairs).view(np.int32).ravel()])


def untrained_net() -> Net:
    """Return a net of zeros, which gives every position an even chance."""
    return pack_net({name: np.zeros(shape, np.int32) for name, shape in SHAPES.items()})


def load_net(path: Path) -> Net:
    """Load a net from an .npz file."""
    with np.load(path) as weights:
        return pack_net(dict(weights))


@cache
def shipped_net() -> Net:
    """Return the net that is shipped with kibitz."""
    return load_net(FILE)
