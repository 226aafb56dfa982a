"""Rounds of training: play games with the teacher and fit a net to them, which teaches the next round.

Everything is in one folder and depends only on the settings there; an interrupted run
resumes where it stopped.

    settings.json
    round-0/batch-00000.npy ...  positions
    round-0/fit.npz              the fit after its last whole epoch
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
            amount, least = getattr(self, name), 0 if name == "seed" else 1
            if type(amount) is not int or amount < least:
                raise BadOption(f"{name} must be a whole number of at least {least}, got {amount}.")
        if self.teacher not in get_args(Teacher):
            raise BadOption(f"Unknown teacher {self.teacher!r}: use {' or '.join(get_args(Teacher))}.")
        if self.batches < 2:
            raise BadOption("A round needs at least 2 batches, one of them to check the fit.")


def open_folder(folder: Path, settings: UtttTrainSettings | None) -> UtttTrainSettings:
    """Return the settings of a folder, created if missing. Raise BadOption if they differ from the given ones."""
    return open_settings(folder, UtttTrainSettings, settings)


def learn(folder: Path, settings: UtttTrainSettings, executor: Executor, jobs: int, told: ProgressCallback) -> Path:
    """Run the rounds that are not done yet; return the file of the net."""
    teacher = ""
    history = []
    for number in range(settings.rounds):
        place = folder / f"round-{number}"
        place.mkdir(exist_ok=True)
        evaluation = "learned" if teacher else settings.teacher
        teaching = Teaching(settings.seed, number, settings.games, settings.nodes, evaluation, teacher)
        net, notes = place / "net.npz", place / "notes.json"
        if not net.exists():
            _play(place, settings, teaching, executor, jobs, told)
            fitted = _fit(place, settings, number, told)
            write_atomically(notes, json.dumps(fitted))
            save_arrays(net, fitted_weights(place, settings))
        history.append(json.loads(notes.read_text()))
        teacher = str(net)
    made = folder / "learned.npz"
    with np.load(teacher) as arrays:
        save_arrays(made, dict(arrays))
    write_atomically(folder / "learned.json", json.dumps(_provenance(settings, history, folder), indent=1) + "\n")
    return made


def fitted_weights(place: Path, settings: UtttTrainSettings) -> dict[str, Any]:
    """Return the weights of a finished fit, in integers."""
    fit = Fit(settings.seed, settings.epochs)
    fit.load(place / "fit.npz")
    return quantise(fit.weights)


def _batches(place: Path, settings: UtttTrainSettings) -> list[Path]:
    return [place / f"batch-{number:05d}.npy" for number in range(settings.batches)]


def _play(
    place: Path, settings: UtttTrainSettings, teaching: Teaching, executor: Executor, jobs: int, told: ProgressCallback
) -> None:
    """Play the missing batches of a round."""
    paths = _batches(place, settings)
    todo = [number for number, path in enumerate(paths) if not path.exists()]
    tasks = (partial(play_batch, teaching, number, paths[number]) for number in todo)
    began, spent_before = time.perf_counter(), _spent(place)
    what, done = f"round {teaching.round}: playing", len(paths) - len(todo)
    told(what, done, len(paths), "")
    for _ in run_tasks(executor, jobs, tasks):
        done += 1
        _spend(place, spent_before + (time.perf_counter() - began) * jobs)
        told(what, done, len(paths), "")


def _spent(place: Path) -> float:
    path = place / "core-seconds"
    return float(path.read_text()) if path.exists() else 0.0


def _spend(place: Path, seconds: float) -> None:
    """Record the cost of a round's games, in core seconds."""
    write_atomically(place / "core-seconds", f"{seconds:.1f}\n")


def _fit(place: Path, settings: UtttTrainSettings, number: int, told: ProgressCallback) -> dict[str, Any]:
    """Fit a net to the positions of a round; return notes on it."""
    held_out = max(round(VALIDATION_SHARE * settings.batches), 1)
    arrays = [np.load(path) for path in _batches(place, settings)]
    seen, unseen = np.concatenate(arrays[:-held_out]), np.concatenate(arrays[-held_out:])
    fit = Fit(settings.seed, settings.epochs)
    stored, losses = place / "fit.npz", place / "losses.json"
    history: list[list[float]] = json.loads(losses.read_text()) if losses.exists() else []
    if stored.exists():
        fit.load(stored)
    while fit.epoch < settings.epochs:
        began = time.perf_counter()
        what = f"round {number}: epoch {fit.epoch + 1} of {settings.epochs}"
        fit.run_epoch(seen, lambda step, steps, loss, what=what: told(what, step, steps, f"loss {loss:.4f}"))  # type: ignore[misc]  # a default argument
        checked = loss_of(fit.weights, unseen)
        history = [*history[: fit.epoch - 1], [checked, time.perf_counter() - began]]
        write_atomically(losses, json.dumps(history))
        fit.save(stored)
        told(f"round {number}: epochs", fit.epoch, settings.epochs, f"loss on unseen positions {checked:.4f}")
    return {
        "teacher": "learned" if number else settings.teacher,
        "positions": len(seen) + len(unseen),
        "playing_core_seconds": round(_spent(place), 1),
        "fitting_seconds": round(sum(seconds for _, seconds in history), 1),
        "loss_on_unseen": [round(loss, 5) for loss, _ in history],
    }


def _provenance(settings: UtttTrainSettings, history: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Return the command, the versions and the rounds that made the net."""
    options = " ".join(f"--{name} {value}" for name, value in asdict(settings).items())
    before = {"teacher": learned_provenance()} if settings.teacher == "learned" else {}
    return {
        "command": f"kibitz uttt train {folder.name} {options}",
        "kibitz": version("kibitz"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "rounds": history,
        **before,
    }
