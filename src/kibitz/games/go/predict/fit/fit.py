"""Fitting the pattern model to games: progress, interruption, going on from there."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.compiled.rng import stream
from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import open_atomically
from kibitz.core.training import caught_interrupts
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.fit.kernel import fit_games, gather_games
from kibitz.games.go.predict.model.file import Content, write_model
from kibitz.games.go.predict.model.layout import FIXED
from kibitz.games.go.predict.model.model import PatternModel, fill_words, new_found, new_weights
from kibitz.games.go.predict.model.patterns_kernel import Words
from kibitz.games.go.predict.model.scene_kernel import new_scene
from kibitz.games.go.records.store import DAMAGED

SIZE = 19
BATCH = 100
CHECKPOINT_SECONDS = 120.0
"""What was learned is kept at the latest after so long."""
COUNTERS = 1 << 27
RARE = 0.02
"""Candidates less likely than this are learned from only now and then, see fit_kernel.fit_games."""
UNUSED, HEATS = 100, (1.0, 1.04, 1.08, 1.12, 1.16, 1.2, 1.25, 1.3)
"""Games on which probabilities are set right at the end, and what is tried."""
SLOWEST = 0.1
"""The part of the rates that is left at the end."""


@dataclass(frozen=True)
class Settings:
    """How a model is fitted."""

    games: int = 24_000
    """At most so many games, taken at random."""
    share: float = 0.4
    """The part of their positions that is learned from in each pass."""
    passes: int = 1
    factors: int = 15
    least: int = 30
    """A pattern must have been played so often to be known."""
    most: int = 320_000
    """At most so many patterns are known."""
    weight_rate: float = 0.1
    factor_rate: float = 0.03
    seed: int = 1


@dataclass
class Progress:
    """How far it is."""

    what: str
    done: int
    total: int
    positions: float = 0.0
    top1: float = 0.0
    log_evidence: float = 0.0
    """The last two over the games of the last batch, each predicted before it was learned from."""


@dataclass
class Summary:
    """What fitting did."""

    games: int
    positions: int
    patterns: int
    seconds: float
    interrupted: bool = False


def fit(games: GamesFile, settings: Settings, out: Path, tell: Callable[[Progress], None] | None = None) -> Summary:
    """Fit a model to the games that are not held out, and write it to a file.

    Ctrl-C ends it after a batch; what was learned is kept beside the file and the
    same call goes on from there. Raises BadOption if there are no games on 19x19.
    """
    began = time.perf_counter()
    learn, _ = games.split(SIZE)
    which = np.random.default_rng(settings.seed).permutation(learn)[: settings.games]
    if not len(which):
        raise BadOption(f"There is no game of size {SIZE} to learn from.")
    fitting = _Fitting(games, settings, which, out)
    with caught_interrupts() as stop:
        if not fitting.resume() and not fitting.gather(tell, stop):
            return Summary(0, 0, 0, time.perf_counter() - began, True)
        finished = fitting.run(tell, stop)
    if finished:
        fitting.finish()
    told = fitting.told
    return Summary(fitting.done, int(told[0]), fitting.patterns, time.perf_counter() - began, interrupted=not finished)


class _Fitting:
    """A model on its way."""

    def __init__(self, games: GamesFile, settings: Settings, which: Any, out: Path) -> None:
        self.games, self.settings, self.which, self.out = games, settings, which, out
        self.kept = out.with_name(out.name + ".fitting")
        self.done, self.told = 0, np.zeros(3)
        self.rng = stream(settings.seed)
        self.scene, self.found = new_scene(SIZE), new_found(SIZE)
        digest = blake2b(games.digests[which].tobytes(), digest_size=8).hexdigest()
        self.what = json.dumps({**asdict(settings), "digest": digest})
        self.keys: Any = np.zeros(0, np.uint32)

    @property
    def patterns(self) -> int:
        """Return how many patterns are known."""
        return len(self.keys)

    def gather(self, tell: Callable[[Progress], None] | None, stop: list[int]) -> bool:
        """Find the patterns that were played often enough; return False if it was stopped."""
        limits = np.array([0, self.settings.least, self.settings.most], np.int64)
        slots = 1 << (2 * self.settings.most).bit_length()
        words = Words(np.zeros(slots, np.uint32), np.zeros(slots, np.int32), np.zeros(COUNTERS, np.uint8), limits)
        for start in range(0, len(self.which), BATCH):
            some = self.games.spans(self.which[start : start + BATCH])
            gather_games(self.scene, words, self.found, self.games.plays, some)
            if tell is not None:
                tell(Progress("gathering", min(start + BATCH, len(self.which)), len(self.which)))
            if stop:
                return False
        self.keys = np.zeros(int(limits[0]), np.uint32)
        used = words.keys != 0
        self.keys[words.numbers[used] - FIXED] = words.keys[used]
        random = np.random.default_rng(self.settings.seed)
        weights = np.zeros((FIXED + self.patterns, 1 + self.settings.factors), np.float32)
        weights[:, 1:] = random.normal(0, 0.05, (len(weights), self.settings.factors))
        past = np.full(weights.shape, 0.01, np.float32)
        past[:, 0] = 0.1
        self._take(weights, past)
        return True

    def _take(self, weights: Any, past: Any) -> None:
        self.words = fill_words(self.keys)
        self.model = new_weights(weights, SIZE)._replace(past=past)

    def run(self, tell: Callable[[Progress], None] | None, stop: list[int]) -> bool:
        """Learn from the games that are left; return False if it was stopped before the end."""
        settings, total = self.settings, len(self.which) * self.settings.passes
        since = time.perf_counter()
        while self.done < total:
            at = self.done % len(self.which)
            some = self.which[at : at + BATCH]
            left = 1 - (1 - SLOWEST) * self.done / total
            options = np.array([settings.weight_rate * left, settings.factor_rate * left, settings.share, RARE])
            told, games = np.zeros(3), self.games
            fit_games(
                self.scene, self.words, self.model, self.found, games.plays, games.spans(some), options, self.rng, told
            )
            self.told += told
            self.done += len(some)
            if tell is not None:
                top1, evidence = told[1:] / max(told[0], 1)
                tell(Progress("fitting", self.done, total, float(self.told[0]), float(top1), float(evidence)))
            if stop or time.perf_counter() - since > CHECKPOINT_SECONDS:
                self._keep()
                since = time.perf_counter()
            if stop and self.done < total:
                return False
        return True

    def _keep(self) -> None:
        """Write all that is needed to go on."""
        try:
            with open_atomically(self.kept) as file:
                np.savez(
                    file, what=np.array(self.what), done=self.done, told=self.told, rng=self.rng, keys=self.keys,
                    weights=self.model.weights, past=self.model.past,
                )  # fmt: skip
        except OSError as error:
            raise BadOption(f"What was learned cannot be kept in {self.kept}: {error.strerror}.") from None

    def resume(self) -> bool:
        """Take up what an earlier call with the same settings and games kept; return False if there is nothing."""
        try:
            with open(self.kept, "rb") as file, np.load(file, allow_pickle=False) as held:
                if str(held["what"]) != self.what:
                    return False
                self.done, self.told, self.rng, self.keys = int(held["done"]), held["told"], held["rng"], held["keys"]
                self._take(held["weights"], held["past"])
        except FileNotFoundError:
            return False
        except (OSError, *DAMAGED):
            raise BadText(f"{self.kept} cannot be read, or is damaged; remove it to begin anew.") from None
        return True

    def _heat(self) -> float:
        """Return by what scores must be divided so that probabilities are neither too high nor too low.

        Measured on games to learn from that were not used; 1 if there are none.
        """
        learn, _ = self.games.split(SIZE)
        unused = np.setdiff1d(learn, self.which)[:: max(1, (len(learn) - len(self.which)) // UNUSED)][:UNUSED]
        if not len(unused):
            return 1.0
        best, most = 1.0, -np.inf
        for heat in HEATS:
            model = PatternModel(Content({}, self.keys, cooled(self.model.weights, heat)))
            judged = model.judge(self.games.plays, self.games.spans(unused), SIZE)
            evidence = float(np.log(np.maximum(judged.shares, 1e-12)).mean())
            if evidence < most:
                break  # it has one top
            best, most = heat, evidence
        return best

    def finish(self) -> None:
        """Write the model, and remove what was kept on the way."""
        about: dict[str, Any] = {
            "size": SIZE,
            "settings": asdict(self.settings),
            "games": len(self.which),
            "positions": int(self.told[0]),
            "patterns": self.patterns,
        }
        heat = self._heat()
        about["heat"] = round(heat, 3)
        weights = cooled(self.model.weights, heat)
        try:
            write_model(self.out, Content(about, self.keys, weights))
        except OSError as error:
            raise BadOption(f"The model cannot be written to {self.out}: {error.strerror}.") from None
        self.kept.unlink(missing_ok=True)


def cooled(weights: Any, heat: float) -> Any:
    """Return weights whose scores are those of others, divided by a number."""
    return np.concatenate([weights[:, :1] / heat, weights[:, 1:] / heat**0.5], axis=1).astype(np.float32)
