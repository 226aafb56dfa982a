"""Fit the net of net.py to positions, with backpropagation and Adam in plain numpy.

The net is fitted in floats and then rounded to integers. The positions of every batch are
rotated and reflected at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from kibitz.compiled.arrays import AnyArray, Float32Array, Int32Array, Int64Array
from kibitz.compiled.jit import entry
from kibitz.compiled.layers import ONE, WIDTH
from kibitz.core.files import open_atomically
from kibitz.games.uttt.kernel.layout import FULL, TERNARY
from kibitz.games.uttt.players import net
from kibitz.games.uttt.rules.geometry import CELL_SYMMETRIES as SYMMETRIES
from kibitz.games.uttt.rules.text import FREE

BATCH_POSITIONS = 1024
NORMALISING_POSITIONS = 8192
"""Positions used to rescale the initial weights, see normalise_units()."""
LEARNING_RATE = 1.5e-3
TEACHER_SHARE = 0.7
"""Share of the teacher's value in the target; the rest is the result of the game."""
_ENCODERS = (
    ("board", 0, net.TARGET_ROWS),
    ("target", net.TARGET_ROWS, net.MACRO_ROWS),
    ("macro", net.MACRO_ROWS, net.RULES_ROWS),
)
"""Each encoder with its first row and the row after its last."""

Weights: TypeAlias = dict[str, AnyArray]
_Part: TypeAlias = tuple[str, int, int, Float32Array, Float32Array]
"""One encoder's forward pass: its kind, the start and end of its used rows, its inputs and hidden units."""


def new_weights(seed: int) -> Weights:
    """Return random initial weights, float32."""
    rng = np.random.default_rng(seed)

    def normal(n: int, m: int, gain: float = 1.0) -> Float32Array:
        return (rng.standard_normal((n, m)) * gain * math.sqrt(2 / n)).astype(np.float32)

    weights: Weights = {"rules": np.zeros((8, WIDTH), np.float32)}
    for kind, inputs in (("board", 30), ("target", 30), ("macro", 18)):
        weights[f"{kind}_w1"], weights[f"{kind}_b1"] = normal(inputs, net.HIDDEN, 1.5), np.zeros(net.HIDDEN, np.float32)
        weights[f"{kind}_w2"], weights[f"{kind}_b2"] = normal(net.HIDDEN, WIDTH, 0.15), np.zeros(WIDTH, np.float32)
    for i, (n, m) in enumerate(((WIDTH, net.HEAD[0]), (net.HEAD[0], net.HEAD[1])), 1):
        weights[f"w{i}"], weights[f"b{i}"] = normal(n, m), np.full(m, 0.2, np.float32)
    weights["w3"], weights["b3"] = normal(net.HEAD[1], 1)[:, 0], np.zeros(1, np.float32)
    return weights


def normalise_units(weights: Weights, positions: AnyArray) -> None:
    """Scale and shift every unit in place to a mean of 0.5 and a deviation of 0.25 over the positions.

    A unit that is clipped to 0 or 1 everywhere would learn nothing.
    """
    numbers = row_numbers(positions, np.arange(len(positions)) % len(SYMMETRIES))
    weights["rules"][:] = 0
    sums = _sum_rows(weights, numbers)[0]
    factor, shift = _scale_and_shift(sums)
    for kind, _, _ in _ENCODERS:
        weights[f"{kind}_w2"] *= factor
        weights[f"{kind}_b2"] *= factor
    weights["rules"] += shift
    units = np.clip(sums * factor + shift, 0, 1)
    for i in (1, 2):
        sums = units @ weights[f"w{i}"]
        factor, shift = _scale_and_shift(sums)
        weights[f"w{i}"] *= factor
        weights[f"b{i}"][:] = shift
        units = np.clip(sums * factor + shift, 0, 1)
    weights["b3"][:] = -np.mean(units @ weights["w3"])


def _scale_and_shift(sums: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Return the factor and shift that give each column a mean of 0.5 and a deviation of 0.25."""
    factor = 0.25 / (sums.std(axis=0) + 1e-6)
    return factor, 0.5 - sums.mean(axis=0) * factor


def quantise(weights: Weights) -> Weights:
    """Return the weights as integers: 1.0 becomes ONE, or ONE * ONE in biases that are added to products."""
    rounded: Weights = {}
    for name, array in weights.items():
        is_bias_of_products = name[-2:] in ("b2", "b3") or name == "b1"
        scale = ONE * ONE if is_bias_of_products else ONE
        limit, dtype = (2**30, np.int32) if name[-2] == "b" else (2**15 - 1, np.int16)
        rounded[name] = np.clip(np.rint(array * scale), -limit, limit).astype(dtype)
    return rounded


_TERNARY = TERNARY.astype(np.int32)
_TURNED = np.array([[sum(1 << turn[i] for i in range(9) if m >> i & 1) for m in range(512)] for turn in SYMMETRIES])
"""[symmetry, marks] -> the marks of a 3x3 board, as bits, after the symmetry."""
_TURNS = np.array(SYMMETRIES)


def row_numbers(positions: AnyArray, turns: Int64Array) -> Int32Array:
    """Return the row numbers of each position under a symmetry of the board, int32 [n, MAX_ROWS].

    turns: the index of each position's symmetry. Unused entries of the result are ROWS.
    """
    n = len(positions)
    index = np.arange(n)
    marks = np.empty((n, 2, 9), np.int32)
    places = _TURNS[turns]
    turned = _TURNED[turns[:, None], positions["marks"]].reshape(n, 2, 9)
    marks[index[:, None, None], np.arange(2)[None, :, None], places[:, None, :]] = turned
    won = _TURNED[turns[:, None], positions["won"]]
    me = positions["to_move"].astype(np.int64)
    own, other, mine, yours = marks[index, me], marks[index, 1 - me], won[index, me], won[index, 1 - me]
    shapes = net.SHAPE_OF_PATTERN[_TERNARY[own] + 2 * _TERNARY[other]]
    boards = np.arange(9)
    shapes[own | other == FULL] = net.DRAWN_SHAPE
    shapes[(mine[:, None] >> boards) & 1 == 1] = net.WON_SHAPE
    shapes[(yours[:, None] >> boards) & 1 == 1] = net.LOST_SHAPE
    rows = np.full((n, net.MAX_ROWS), net.ROWS, np.int32)
    rows[:, :9] = net.SHAPES * boards + shapes
    rows[:, 9] = net.MACRO_ROWS + _TERNARY[mine] + 2 * _TERNARY[yours]
    free = positions["forced"] == FREE
    rows[:, 10] = net.RULES_ROWS + positions["rules"].astype(np.int32) + 4 * free
    sent = np.flatnonzero(~free)
    forced = places[sent, positions["forced"][sent]]
    rows[sent, 11] = net.TARGET_ROWS + rows[sent, forced]
    return rows


@entry
def _gather(rows: Float32Array, numbers: Int32Array, out: Float32Array) -> None:
    """Write the sum of each position's rows to out."""
    for i in range(numbers.shape[0]):
        for j in range(rows.shape[1]):
            out[i, j] = np.float32(0.0)
        for k in range(numbers.shape[1]):
            row = numbers[i, k]
            for j in range(rows.shape[1]):
                out[i, j] += rows[row, j]


@entry
def _scatter(gradient: Float32Array, numbers: Int32Array, out: Float32Array) -> None:
    """Add the gradient of each position to all its rows in out."""
    for i in range(numbers.shape[0]):
        for k in range(numbers.shape[1]):
            row = numbers[i, k]
            for j in range(gradient.shape[1]):
                out[row, j] += gradient[i, j]


_INPUTS = {kind: net.encoder_inputs(kind).astype(np.float32) for kind, _, _ in _ENCODERS}


def _sum_rows(
    weights: Weights, numbers: Int32Array
) -> tuple[Float32Array, Int32Array, Int64Array, Float32Array, list[_Part]]:
    """Sum the rows of each position, computing only the rows in use.

    Return the sums; the positions' indices into the used rows; the numbers and values of these rows; the parts.
    """
    used = np.flatnonzero(np.bincount(numbers.ravel(), minlength=net.ROWS + 1)[: net.ROWS])
    index_of_row = np.full(net.ROWS + 1, len(used), np.int32)  # the last row stays zero
    index_of_row[used] = np.arange(len(used))
    rows = np.zeros((len(used) + 1, WIDTH), np.float32)
    parts = list[_Part]()
    for kind, first, end in _ENCODERS:
        low, high = np.searchsorted(used, (first, end))
        inputs = _INPUTS[kind][used[low:high] - first]
        units = np.maximum(inputs @ weights[f"{kind}_w1"] + weights[f"{kind}_b1"], 0)
        rows[low:high] = units @ weights[f"{kind}_w2"] + weights[f"{kind}_b2"]
        parts.append((kind, low, high, inputs, units))
    rules = np.searchsorted(used, net.RULES_ROWS)
    rows[rules:-1] = weights["rules"][used[rules:] - net.RULES_ROWS]
    indices = index_of_row[numbers]
    sums = np.empty((len(numbers), WIDTH), np.float32)
    _gather(rows, indices, sums)
    return sums, indices, used, rows, parts


def loss_and_gradient(weights: Weights, numbers: Int32Array, target: Float32Array) -> tuple[float, Weights]:
    """Return the mean cross entropy over positions, given their row numbers and targets, and its gradient."""
    sums, indices, used, rows, parts = _sum_rows(weights, numbers)
    units0 = np.clip(sums, 0, 1)
    sums1 = units0 @ weights["w1"] + weights["b1"]
    units1 = np.clip(sums1, 0, 1)
    sums2 = units1 @ weights["w2"] + weights["b2"]
    units2 = np.clip(sums2, 0, 1)
    odds = units2 @ weights["w3"] + weights["b3"]
    loss = float(np.mean(np.logaddexp(0, odds) - target * odds))

    gradient: Weights = {}
    back = ((1 / (1 + np.exp(-odds)) - target) / len(target)).astype(np.float32)
    gradient["w3"], gradient["b3"] = back @ units2, back.sum(keepdims=True)
    back2 = back[:, None] * weights["w3"] * ((sums2 > 0) & (sums2 < 1))
    gradient["w2"], gradient["b2"] = units1.T @ back2, back2.sum(axis=0)
    back1 = (back2 @ weights["w2"].T) * ((sums1 > 0) & (sums1 < 1))
    gradient["w1"], gradient["b1"] = units0.T @ back1, back1.sum(axis=0)
    back0 = (back1 @ weights["w1"].T) * ((sums > 0) & (sums < 1))
    row_gradient = np.zeros_like(rows)
    _scatter(back0, indices, row_gradient)
    for kind, low, high, inputs, units in parts:
        part = row_gradient[low:high]
        gradient[f"{kind}_w2"], gradient[f"{kind}_b2"] = units.T @ part, part.sum(axis=0)
        back_hidden = (part @ weights[f"{kind}_w2"].T) * (units > 0)
        gradient[f"{kind}_w1"], gradient[f"{kind}_b1"] = inputs.T @ back_hidden, back_hidden.sum(axis=0)
    rules = np.searchsorted(used, net.RULES_ROWS)
    gradient["rules"] = np.zeros_like(weights["rules"])
    gradient["rules"][used[rules:] - net.RULES_ROWS] = row_gradient[rules:-1]
    return loss, gradient


def loss_of(weights: Weights, positions: AnyArray) -> float:
    """Return the mean loss over the positions, without rotating them."""
    numbers = row_numbers(positions, np.zeros(len(positions), np.int64))
    return loss_and_gradient(weights, numbers, _target(positions))[0]


def _target(positions: AnyArray) -> Float32Array:
    return (TEACHER_SHARE * positions["value"] + (1 - TEACHER_SHARE) * positions["points"]).astype(np.float32)


class Fit:
    """A fit in progress: the weights, and Adam's (Kingma & Ba 2014) running means of their gradients."""

    def __init__(self, seed: int, epochs: int) -> None:
        self.seed, self.epochs, self.epoch, self.step = seed, epochs, 0, 0
        self.weights = new_weights(seed)
        self._mean = {name: np.zeros_like(array) for name, array in self.weights.items()}
        self._square = {name: np.zeros_like(array) for name, array in self.weights.items()}

    def save(self, path: Path) -> None:
        """Save everything that the next epoch needs."""
        arrays = {"at": np.array([self.epoch, self.step])}
        for part, held in (("weight", self.weights), ("mean", self._mean), ("square", self._square)):
            arrays |= {f"{part}.{name}": array for name, array in held.items()}
        save_arrays(path, arrays)

    def load(self, path: Path) -> None:
        """Resume from a saved fit."""
        with np.load(path) as arrays:
            self.epoch, self.step = (int(number) for number in arrays["at"])
            for part, held in (("weight", self.weights), ("mean", self._mean), ("square", self._square)):
                for name in held:
                    held[name] = arrays[f"{part}.{name}"]

    def run_epoch(self, positions: AnyArray, report: Callable[[int, int, float], None] | None = None) -> None:
        """Fit every position once; call `report` every 20 steps with the step, the last step and the recent loss."""
        if self.step == 0:
            normalise_units(self.weights, positions[:NORMALISING_POSITIONS])
        rng = np.random.default_rng([self.seed, self.epoch])
        steps = max(len(positions) // BATCH_POSITIONS, 1)
        smoothed_loss = 0.0
        for batch in np.array_split(rng.permutation(len(positions)), steps):
            chosen = positions[batch]
            numbers = row_numbers(chosen, rng.integers(0, len(SYMMETRIES), len(chosen)))
            loss, gradient = loss_and_gradient(self.weights, numbers, _target(chosen))
            self.step += 1
            self._take_step(gradient, self.epochs * steps)
            smoothed_loss = 0.98 * smoothed_loss + 0.02 * loss if smoothed_loss else loss
            if report is not None and self.step % 20 == 0:
                report(self.step, self.epochs * steps, smoothed_loss)
        self.epoch += 1

    def _take_step(self, gradient: Weights, total_steps: int) -> None:
        """Take one Adam step; the learning rate warms up over 200 steps and decays along a cosine."""
        rate = LEARNING_RATE * min(1.0, self.step / 200) * 0.5 * (1 + math.cos(math.pi * self.step / (total_steps + 1)))
        for name, array in self.weights.items():
            mean, square = self._mean[name], self._square[name]
            mean += 0.1 * (gradient[name] - mean)
            square += 0.001 * (gradient[name] ** 2 - square)
            corrected_mean, deviation = mean / (1 - 0.9**self.step), np.sqrt(square / (1 - 0.999**self.step)) + 1e-8
            array -= (rate * corrected_mean / deviation).astype(np.float32)


def save_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """Save named arrays to an .npz file atomically. Typed Any because np.savez takes them as keyword arguments."""
    with open_atomically(path) as file:
        np.savez(file, **arrays)
