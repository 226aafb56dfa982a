"""Rounds of training: play games with the teacher and fit a net to them, which teaches the next round.

Everything is in one folder and depends only on its settings; an interrupted run
resumes where it stopped.

    settings.json
    round-0/batch-00000.npy ...  positions
    round-0/fit.npz              the fit after its last complete epoch
    round-0/net.npz              the net
    learned.npz, learned.json    the last net, and how it was made
"""

from __future__ import annotations

import json
import platform
import time
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.core.files import write_atomically
from kibitz.core.training import ProgressCallback, open_settings, run_tasks
from kibitz.games.uttt.players.net import learned_provenance
from kibitz.games.uttt.players.train.fit import Fit, loss_of, quantise, save_arrays
from kibitz.games.uttt.players.train.positions import Teaching, play_batch

VALIDATION_SHARE = 0.02
"""Share of the batches kept out of the fit, to measure the loss on unseen positions."""

Teacher = Literal["winning", "learned"]


@dataclass(frozen=True)
class UtttTrainSettings:
    """The settings of a training run; they determine its result."""

    seed: int = 1
    rounds: int = 3
    batches: int = 1200
    """Batches of games per round."""
    games: int = 100
    """Games per batch."""
    nodes: int = 3000
    """Nodes the teacher searches per position."""
    epochs: int = 12
    teacher: Teacher = "winning"
    """The evaluation of the first teacher; `learned` is the shipped net."""

    def __post_init__(self) -> None:
        for name in ("seed", "rounds", "batches", "games", "nodes", "epochs"):
            value, minimum = getattr(self, name), 0 if name == "seed" else 1
            if type(value) is not int or value < minimum:
                raise BadOption(f"{name} must be a whole number of at least {minimum}, got {value}.")
        if self.teacher not in get_args(Teacher):
            raise BadOption(f"Unknown teacher {self.teacher!r}: use {' or '.join(get_args(Teacher))}.")
        if self.batches < 2:
            raise BadOption(f"A round needs at least 2 batches, one of them to check the fit; got {self.batches}.")


def open_folder(folder: Path, settings: UtttTrainSettings | None) -> UtttTrainSettings:
    """Return the settings of a training folder; create it if missing. Raise BadOption if the given settings differ."""
    return open_settings(folder, UtttTrainSettings, settings)


def train_net(
    folder: Path, settings: UtttTrainSettings, executor: Executor, jobs: int, report: ProgressCallback
) -> Path:
    """Train a net in the remaining rounds; return the path of the final one."""
    teacher = ""
    history = []
    for number in range(settings.rounds):
        round_folder = folder / f"round-{number}"
        round_folder.mkdir(exist_ok=True)
        evaluation = "learned" if teacher else settings.teacher
        teaching = Teaching(settings.seed, number, settings.games, settings.nodes, evaluation, teacher)
        net, notes = round_folder / "net.npz", round_folder / "notes.json"
        if not net.exists():
            _play_batches(round_folder, settings, teaching, executor, jobs, report)
            fitted = _fit(round_folder, settings, number, report)
            write_atomically(notes, json.dumps(fitted))
            save_arrays(net, fitted_weights(round_folder, settings))
        history.append(json.loads(notes.read_text()))
        teacher = str(net)
    final = folder / "learned.npz"
    with np.load(teacher) as arrays:
        save_arrays(final, dict(arrays))
    write_atomically(folder / "learned.json", json.dumps(_provenance(settings, history, folder), indent=1) + "\n")
    return final


def fitted_weights(round_folder: Path, settings: UtttTrainSettings) -> dict[str, Any]:
    """Return the weights of a finished fit, quantised to integers."""
    fit = Fit(settings.seed, settings.epochs)
    fit.load(round_folder / "fit.npz")
    return quantise(fit.weights)


def _batches(round_folder: Path, settings: UtttTrainSettings) -> list[Path]:
    return [round_folder / f"batch-{number:05d}.npy" for number in range(settings.batches)]


def _play_batches(
    round_folder: Path,
    settings: UtttTrainSettings,
    teaching: Teaching,
    executor: Executor,
    jobs: int,
    report: ProgressCallback,
) -> None:
    """Play the missing batches of a round."""
    paths = _batches(round_folder, settings)
    missing = [number for number, path in enumerate(paths) if not path.exists()]
    tasks = (partial(play_batch, teaching, number, paths[number]) for number in missing)
    began, spent_before = time.perf_counter(), _core_seconds(round_folder)
    stage, done = f"round {teaching.round}: playing", len(paths) - len(missing)
    report(stage, done, len(paths), "")
    for _ in run_tasks(executor, jobs, tasks):
        done += 1
        _save_core_seconds(round_folder, spent_before + (time.perf_counter() - began) * jobs)
        report(stage, done, len(paths), "")


def _core_seconds(round_folder: Path) -> float:
    path = round_folder / "core-seconds"
    return float(path.read_text()) if path.exists() else 0.0


def _save_core_seconds(round_folder: Path, seconds: float) -> None:
    """Save the core seconds that a round's games have taken so far."""
    write_atomically(round_folder / "core-seconds", f"{seconds:.1f}\n")


def _fit(round_folder: Path, settings: UtttTrainSettings, number: int, report: ProgressCallback) -> dict[str, Any]:
    """Fit a net to the positions of a round; return notes on the fit."""
    held_out = max(round(VALIDATION_SHARE * settings.batches), 1)
    arrays = [np.load(path) for path in _batches(round_folder, settings)]
    training, validation = np.concatenate(arrays[:-held_out]), np.concatenate(arrays[-held_out:])
    fit = Fit(settings.seed, settings.epochs)
    stored, losses = round_folder / "fit.npz", round_folder / "losses.json"
    history: list[list[float]] = json.loads(losses.read_text()) if losses.exists() else []
    if stored.exists():
        fit.load(stored)
    while fit.epoch < settings.epochs:
        began = time.perf_counter()
        stage = f"round {number}: epoch {fit.epoch + 1} of {settings.epochs}"
        fit.run_epoch(training, lambda step, steps, loss, stage=stage: report(stage, step, steps, f"loss {loss:.4f}"))  # type: ignore[misc]  # a default argument
        unseen_loss = loss_of(fit.weights, validation)
        history = [*history[: fit.epoch - 1], [unseen_loss, time.perf_counter() - began]]
        write_atomically(losses, json.dumps(history))
        fit.save(stored)
        report(f"round {number}: epochs", fit.epoch, settings.epochs, f"loss on unseen positions {unseen_loss:.4f}")
    return {
        "teacher": "learned" if number else settings.teacher,
        "positions": len(training) + len(validation),
        "playing_core_seconds": round(_core_seconds(round_folder), 1),
        "fitting_seconds": round(sum(seconds for _, seconds in history), 1),
        "loss_on_unseen": [round(loss, 5) for loss, _ in history],
    }


def _provenance(settings: UtttTrainSettings, history: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Return how the net was made: the command, the versions of the software, and notes on the rounds."""
    options = " ".join(f"--{name} {value}" for name, value in asdict(settings).items())
    of_teacher = {"teacher": learned_provenance()} if settings.teacher == "learned" else {}
    return {
        "command": f"kibitz uttt train {folder.name} {options}",
        "kibitz": version("kibitz"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "rounds": history,
        **of_teacher,
    }
