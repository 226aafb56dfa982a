"""Fit the pattern model to games, with progress reports and checkpoints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kibitz.compiled.arrays import Float32Array, Int64Array
from kibitz.compiled.rng import stream
from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import open_atomically
from kibitz.core.training import caught_interrupts
from kibitz.games.go.predict.fit import kernel
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.model.layout import FIXED_FEATURES
from kibitz.games.go.predict.model.model import ModelContent, PatternModel, write_model
from kibitz.games.go.predict.model.patterns_kernel import filled_table, known_keys, new_pattern_table
from kibitz.games.go.records.store import DAMAGE_ERRORS

BOARD_SIZE = 19
GAMES_PER_BATCH = 100
CHECKPOINT_SECONDS = 120.0  # save a checkpoint at least this often
PATTERN_COUNTERS = 1 << 27
RARE_SHARE = 0.02  # learn only occasionally from candidates less likely than this; see kernel.RARE_SHARE
CALIBRATION_GAMES, TEMPERATURES = 100, (1.0, 1.04, 1.08, 1.12, 1.16, 1.2, 1.25, 1.3)
"""The number of games used to calibrate the probabilities at the end, and the temperatures to try."""
FINAL_RATE = 0.1  # the final learning rate, as a fraction of the initial one


@dataclass(frozen=True)
class FitSettings:
    """Settings for fitting a model."""

    games: int = 24_000  # the maximum number of games, chosen at random
    share: float = 0.4  # the fraction of their positions to learn from in each pass
    passes: int = 1
    factors: int = 15
    least: int = 30  # how often a pattern must have been played to be included
    most: int = 320_000  # the maximum number of patterns
    weight_rate: float = 0.1
    factor_rate: float = 0.03
    seed: int = 1


@dataclass
class FitProgress:
    """The progress of a fit."""

    what: str
    done: int
    total: int
    positions: float = 0.0
    top1: float = 0.0
    log_evidence: float = 0.0
    """top1 and log_evidence are for the last batch, each position predicted before learning from it."""


@dataclass
class FitSummary:
    """The totals of a fit."""

    games: int
    positions: int
    patterns: int
    seconds: float
    interrupted: bool = False


ProgressCallback: TypeAlias = Callable[[FitProgress], None]


def fit(games: GamesFile, settings: FitSettings, out: Path, progress: ProgressCallback | None = None) -> FitSummary:
    """Fit a model to the games that are not held out, and write it to a file.

    Ctrl-C stops the fit after the current batch and saves a checkpoint beside the file;
    the same call resumes from there. Raise BadOption if there is no 19x19 game.
    """
    began = time.perf_counter()
    learn, _ = games.split(BOARD_SIZE)
    selected = np.random.default_rng(settings.seed).permutation(learn)[: settings.games]
    if not len(selected):
        raise BadOption(f"There is no {BOARD_SIZE}x{BOARD_SIZE} game to learn from; name more games with --from.")
    fitting = _Fitting(games, settings, selected, out, progress or (lambda _: None))
    with caught_interrupts() as stop:
        if not fitting.resume() and not fitting.count_patterns(stop):
            return FitSummary(0, 0, 0, time.perf_counter() - began, True)
        finished = fitting.run(stop)
    if finished:
        fitting.finish()
    positions, seconds = int(fitting.totals[kernel.POSITIONS]), time.perf_counter() - began
    return FitSummary(fitting.done, positions, len(fitting.keys), seconds, interrupted=not finished)


class _Fitting:
    """A fit in progress."""

    def __init__(
        self, games: GamesFile, settings: FitSettings, selected: Int64Array, out: Path, progress: ProgressCallback
    ) -> None:
        self.games, self.settings, self.selected, self.out, self.progress = games, settings, selected, out, progress
        self.checkpoint = out.with_name(out.name + ".fitting")
        self.done, self.totals = 0, np.zeros(3)
        self.rng = stream(settings.seed)
        digest = blake2b(games.digests[selected].tobytes(), digest_size=8).hexdigest()
        self.identity = json.dumps({**asdict(settings), "digest": digest})  # identifies checkpoints of this fit
        self.keys = np.zeros(0, np.uint32)

    def count_patterns(self, stop: list[int]) -> bool:
        """Find the patterns played often enough, and start with random weights; return False if interrupted."""
        settings = self.settings
        slots = 1 << (2 * settings.most).bit_length()
        table = new_pattern_table(slots, PATTERN_COUNTERS, settings.least, settings.most)
        work = kernel.new_workspace(BOARD_SIZE, table, np.zeros((0, 1), np.float32))
        for start in range(0, len(self.selected), GAMES_PER_BATCH):
            batch = self.selected[start : start + GAMES_PER_BATCH]
            kernel.count_patterns(work, self.games.plays, self.games.spans(batch))
            self.progress(FitProgress("gathering", start + len(batch), len(self.selected)))
            if stop:
                return False
        self.keys = known_keys(table)
        weights = np.zeros((FIXED_FEATURES + len(self.keys), 1 + settings.factors), np.float32)
        weights[:, 1:] = np.random.default_rng(settings.seed).normal(0, 0.05, (len(weights), settings.factors))
        squares = np.full(weights.shape, 0.01, np.float32)
        squares[:, 0] = 0.1
        self._set_weights(weights, squares)
        return True

    def _set_weights(self, weights: Float32Array, squares: Float32Array) -> None:
        self.work = kernel.new_workspace(BOARD_SIZE, filled_table(self.keys), weights, squares)

    def run(self, stop: list[int]) -> bool:
        """Learn from the remaining games; return False if interrupted."""
        settings, total = self.settings, len(self.selected) * self.settings.passes
        saved = time.perf_counter()
        while self.done < total:
            at = self.done % len(self.selected)
            batch = self.selected[at : at + GAMES_PER_BATCH]
            rate = 1 - (1 - FINAL_RATE) * self.done / total
            rates = np.array([settings.weight_rate * rate, settings.factor_rate * rate, settings.share, RARE_SHARE])
            totals = np.zeros(3)
            kernel.fit_games(self.work, self.games.plays, self.games.spans(batch), rates, self.rng, totals)
            self.totals += totals
            self.done += len(batch)
            top1, evidence = totals[1:] / max(totals[kernel.POSITIONS], 1)
            positions = float(self.totals[kernel.POSITIONS])
            self.progress(FitProgress("fitting", self.done, total, positions, float(top1), float(evidence)))
            if stop or time.perf_counter() - saved > CHECKPOINT_SECONDS:
                self._save()
                saved = time.perf_counter()
            if stop and self.done < total:
                return False
        return True

    def _save(self) -> None:
        """Write a checkpoint with everything needed to resume. Raise BadOption if it cannot be written."""
        weights = self.work.weights
        try:
            with open_atomically(self.checkpoint) as file:
                np.savez(
                    file, what=np.array(self.identity), done=self.done, told=self.totals, rng=self.rng, keys=self.keys,
                    weights=weights.weights, past=weights.squared_gradients,
                )  # fmt: skip
        except OSError as error:
            raise BadOption(f"Cannot save the checkpoint to {self.checkpoint}: {error.strerror}.") from None

    def resume(self) -> bool:
        """Load the checkpoint of an earlier call with the same settings and games; return False if there is none."""
        try:
            with open(self.checkpoint, "rb") as file, np.load(file, allow_pickle=False) as arrays:
                if str(arrays["what"]) != self.identity:
                    return False
                self.done, self.totals, self.rng = int(arrays["done"]), arrays["told"], arrays["rng"]
                self.keys = arrays["keys"]
                self._set_weights(arrays["weights"], arrays["past"])
        except FileNotFoundError:
            return False
        except (OSError, *DAMAGE_ERRORS):
            raise BadText(f"{self.checkpoint} is unreadable or damaged; delete it to start again.") from None
        return True

    def _temperature(self) -> float:
        """Return the temperature (divisor of the scores) that calibrates the probabilities.

        Measured on training games that were not selected; 1 if there are none.
        """
        learn, _ = self.games.split(BOARD_SIZE)
        step = max(1, (len(learn) - len(self.selected)) // CALIBRATION_GAMES)
        unused = np.setdiff1d(learn, self.selected)[::step][:CALIBRATION_GAMES]
        if not len(unused):
            return 1.0
        best_temperature, best_evidence = 1.0, -np.inf
        for temperature in TEMPERATURES:
            model = PatternModel(ModelContent({}, self.keys, cooled(self.work.weights.weights, temperature)))
            moves = model.predict_games(self.games, unused)
            evidence = float(np.log(np.maximum(moves.shares, 1e-12)).mean())
            if evidence < best_evidence:
                break  # the curve has a single maximum
            best_temperature, best_evidence = temperature, evidence
        return best_temperature

    def finish(self) -> None:
        """Write the model, and remove the checkpoint."""
        temperature = self._temperature()
        about = {
            "size": BOARD_SIZE,
            "settings": asdict(self.settings),
            "games": len(self.selected),
            "positions": int(self.totals[kernel.POSITIONS]),
            "patterns": len(self.keys),
            "heat": round(temperature, 3),
        }
        try:
            write_model(self.out, ModelContent(about, self.keys, cooled(self.work.weights.weights, temperature)))
        except OSError as error:
            raise BadOption(f"Cannot write the model to {self.out}: {error.strerror}.") from None
        self.checkpoint.unlink(missing_ok=True)


def cooled(weights: Float32Array, temperature: float) -> Float32Array:
    """Return the weights whose scores are those of the given weights divided by the temperature."""
    parts = [weights[:, :1] / temperature, weights[:, 1:] / temperature**0.5]
    return np.concatenate(parts, axis=1).astype(np.float32)
