"""The learned evaluation in plain Python: a small neural net in integers. net_kernel.py is its compiled twin.

The input is seen from the player to move ("me"). Each of the nine boards has a shape: its
marks, or that it is won or drawn. One encoder turns every (board, shape) into a row of
WIDTH numbers, a second does so for the board I must play in, and a third for the
pattern of won boards. A position is the sum of its rows and of one row for the rules in
force; three small layers turn the sum into a value:

    rows --sum, clip--> 128 units --> 16 units --> 32 units --> value

The encoders are applied to all shapes ahead of time, so evaluating a position takes only a
dozen row additions and two thousand multiplications. All numbers are integers, ONE standing for 1.0, and all sums
are exact, so every machine computes the same values.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from kibitz.compiled.array_cache import cached_array
from kibitz.compiled.arrays import AnyArray, BoolArray, Int16Array, Int32Array, Int64Array, aligned_zeros
from kibitz.compiled.layers import LANES, ONE, SHIFT, WIDTH
from kibitz.core.untrusted import JsonObject
from kibitz.games.uttt.rules import UtttState
from kibitz.games.uttt.rules.geometry import LINES
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE

FILE, PROVENANCE = "learned.npz", "learned.json"
HIDDEN = 128
"""Hidden units of an encoder."""
HEAD = (16, 32)
"""Units of the first and second layer after the sum."""
SCALE = 256.0
"""The value that stands for log-odds of 1 in training; evaluate.py has the scale fitted to games."""

CODES = np.arange(3**9)[:, None] // 3 ** np.arange(9) % 3
"""[pattern, cell] -> 0 empty, 1 mine, 2 yours; see kernel.layout.pattern."""


def _undecided_patterns() -> Int64Array:
    """Return the patterns of boards that are neither won nor full."""
    has_line = np.zeros(3**9, bool)
    for mark in (1, 2):
        for cells in LINES:
            has_line |= (CODES[:, cells] == mark).all(axis=1)
    return np.flatnonzero(~has_line & (CODES == 0).any(axis=1))


UNDECIDED_PATTERNS = _undecided_patterns()
WON_SHAPE, LOST_SHAPE, DRAWN_SHAPE = (len(UNDECIDED_PATTERNS) + i for i in range(3))
"""The shapes of won and drawn boards; the shape of any other board is its index in UNDECIDED_PATTERNS."""
SHAPES = len(UNDECIDED_PATTERNS) + 3
SHAPE_OF_PATTERN = np.full(3**9, DRAWN_SHAPE, np.int64)
"""[pattern] -> the shape of an undecided board."""
SHAPE_OF_PATTERN[UNDECIDED_PATTERNS] = np.arange(len(UNDECIDED_PATTERNS))

# Where the rows begin: first SHAPES per board, then SHAPES per target (board to play in), 3**9 macro boards, 8 rules.
TARGET_ROWS = 9 * SHAPES
MACRO_ROWS = 18 * SHAPES
RULES_ROWS = MACRO_ROWS + 3**9
ROWS = RULES_ROWS + 8
MAX_ROWS = 12
"""Maximum number of rows that make up a position."""
ROW_LIMIT = 32767 // MAX_ROWS
ENCODED_ROWS = 4096
"""Number of rows to compute at a time, to save memory."""


class UtttNet(NamedTuple):
    """The integer tables of the net, ready to evaluate positions."""

    rows: Int16Array
    """int16 [ROWS, WIDTH]"""
    head: Int32Array
    """int32: the three layers as kibitz.compiled.layers.layer reads them, see LAYERS"""


# Where the layers begin in head: one of LANES units, two that make 32, one for the value.
_FIRST, _SECOND, _THIRD = LANES * (1 + WIDTH // 2), LANES * (1 + LANES // 2), LANES * (1 + HEAD[1] // 2)
LAYERS = (0, _FIRST, _FIRST + _SECOND, _FIRST + 2 * _SECOND)
HEAD_WORDS = LAYERS[3] + _THIRD


def encoder_inputs(kind: str) -> BoolArray:
    """Return the inputs of one encoder (kind: board, target or macro) for all its rows, bool [row, input]."""
    marks = np.concatenate([CODES == 1, CODES == 2], axis=1)
    if kind == "macro":
        return marks
    shapes = np.zeros((SHAPES, 21), bool)  # 9 own marks, 9 of the opponent; won, lost, drawn
    shapes[: len(UNDECIDED_PATTERNS), :18] = marks[UNDECIDED_PATTERNS]
    shapes[len(UNDECIDED_PATTERNS) :, 18:] = np.eye(3)
    boards = np.repeat(np.eye(9, dtype=bool), SHAPES, axis=0)
    return np.concatenate([np.tile(shapes, (9, 1)), boards], axis=1)


@cache
def learned_weights() -> dict[str, AnyArray]:
    """Return the shipped weights by name, as made by quantise() in train/fit.py."""
    with resources.files(__package__).joinpath(FILE).open("rb") as file, np.load(file) as arrays:
        return dict(arrays)


def learned_provenance() -> JsonObject:
    """Return how the shipped weights were made: the command, its rounds, and likewise for the net that taught them."""
    made: JsonObject = json.loads(resources.files(__package__).joinpath(PROVENANCE).read_text())
    return made


def training_cost() -> dict[str, float]:
    """Return what training the shipped weights took: positions, core hours of play, minutes of fitting."""
    provenance, rounds = learned_provenance(), []
    while provenance:
        rounds += provenance["rounds"]
        provenance = provenance.get("teacher", {})
    return {
        "positions": sum(each["positions"] for each in rounds),
        "playing_core_hours": sum(each["playing_core_seconds"] for each in rounds) / 3600,
        "fitting_minutes": sum(each["fitting_seconds"] for each in rounds) / 60,
    }


@cache
def learned_net() -> UtttNet:
    """Return the shipped net. Its rows, 56 MB, are computed once and kept in the user's cache folder."""
    return make_net(learned_weights())


@cache
def net_without_rows() -> UtttNet:
    """Return a net that makes every position worth 0, for searches that do not ask it."""
    rows = np.zeros((0, WIDTH), np.int16)
    rows.flags.writeable = False  # as those of learned_net are: kernels are compiled for either
    return UtttNet(rows, _pack_layers(learned_weights()))


def net_of_positions() -> UtttNet:
    """Return the net for a kernel position: the shipped one if anybody has asked for it in this process."""
    return learned_net() if learned_net.cache_info().currsize else net_without_rows()


def make_net(weights: dict[str, AnyArray]) -> UtttNet:
    """Build the net from its weights; the rows are cached on disk."""
    digest = hashlib.blake2b(digest_size=10)
    for name in sorted(weights):
        digest.update(name.encode() + weights[name].tobytes())
    rows = cached_array("uttt-rows", digest.hexdigest(), lambda: _encode(weights))
    return UtttNet(rows, _pack_layers(weights))


def _encode(weights: dict[str, AnyArray]) -> Int16Array:
    """Compute all rows, int16 [ROWS, WIDTH], in blocks. Floats hold these integers exactly and multiply much faster."""
    rows, at = np.zeros((ROWS, WIDTH), np.int16), 0
    for kind in ("board", "target", "macro"):
        w1, b1, w2, b2 = (weights[f"{kind}_{part}"].astype(float) for part in ("w1", "b1", "w2", "b2"))
        given = encoder_inputs(kind)
        for begin in range(0, len(given), ENCODED_ROWS):
            units = np.maximum(given[begin : begin + ENCODED_ROWS] @ w1 + b1, 0)
            block = (units @ w2 + b2).astype(np.int64) >> SHIFT
            rows[at : at + len(block)] = np.clip(block, -ROW_LIMIT, ROW_LIMIT)
            at += len(block)
    rows[at:] = np.clip(weights["rules"], -ROW_LIMIT, ROW_LIMIT)
    return rows


def _pack_layers(weights: dict[str, AnyArray]) -> Int32Array:
    """Return the weights of the three layers in the order in which kibitz.compiled.layers.layer reads them."""
    head = aligned_zeros(HEAD_WORDS, np.int32)
    halves = [(weights["w2"][:, half], weights["b2"][half]) for half in (slice(0, LANES), slice(LANES, None))]
    for at, (matrix, biases) in zip(
        LAYERS, [(weights["w1"], weights["b1"]), *halves, (weights["w3"][:, None], weights["b3"])], strict=True
    ):
        n, lanes = matrix.shape
        head[at : at + lanes] = biases
        pairs = np.zeros((n // 2, LANES, 2), np.int16)
        pairs[:, :lanes] = matrix.reshape(n // 2, 2, lanes).transpose(0, 2, 1)
        head[at + LANES : at + LANES * (1 + n // 2)] = pairs.reshape(-1).view(np.int32)
    return head


def row_numbers(state: UtttState) -> list[int]:
    """Return the indices of the rows whose sum represents the position."""
    me = state.to_move
    shapes = []
    for board, owner in enumerate(state.boards):
        if owner == EMPTY:
            shapes.append(int(SHAPE_OF_PATTERN[_pattern(state.cells[9 * board : 9 * board + 9], me)]))
        else:
            shapes.append(DRAWN_SHAPE if owner == DRAWN else WON_SHAPE if owner == me else LOST_SHAPE)
    rows = [SHAPES * board + shape for board, shape in enumerate(shapes)]
    rows.append(MACRO_ROWS + _pattern([EMPTY if owner == DRAWN else owner for owner in state.boards], me))
    free = state.forced == FREE
    rows.append(RULES_ROWS + (state.game.tiebreak == "count") + 2 * (state.game.variant == "open") + 4 * free)
    if not free:
        rows.append(TARGET_ROWS + SHAPES * state.forced + shapes[state.forced])
    return rows


def _pattern(codes: Sequence[int], me: int) -> int:
    return sum(3**i * (1 if code == me else 2) for i, code in enumerate(codes) if code != EMPTY)


def value(state: UtttState, net: UtttNet | None = None) -> int:
    """Return the net's value of a position for the player to move."""
    rows, head = net or learned_net()
    units = _clip(rows[row_numbers(state)].sum(axis=0, dtype=np.int64))
    first = _clip(_layer(units, head, LAYERS[0]) >> SHIFT)
    second = _clip(np.concatenate([_layer(first, head, at) for at in LAYERS[1:3]]) >> SHIFT)
    return int(_layer(second, head, LAYERS[3])[0] >> SHIFT)


def _clip(numbers: Int64Array) -> Int64Array:
    return np.clip(numbers, 0, ONE)


def _layer(units: Int64Array, head: Int32Array, at: int) -> Int64Array:
    """Return the sums of the layer that begins at head[at]: biases plus units times weights."""
    pairs = head[at + LANES : at + LANES * (1 + len(units) // 2)].view(np.int16)
    weights = pairs.reshape(-1, LANES, 2).transpose(0, 2, 1).reshape(-1, LANES).astype(np.int64)
    return head[at : at + LANES] + units @ weights
