"""Rounds of learning: what a run leaves, how it goes on after a stop, and what it refuses."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from games.uttt.players.test_net import elsewhere
from games.uttt.players.test_train import TEACHING
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.training import ProgressCallback
from kibitz.games.uttt.players import net
from kibitz.games.uttt.players.train import rounds
from kibitz.games.uttt.players.train.positions import Teaching, play_batch
from kibitz.games.uttt.players.train.rounds import UtttTrainSettings, open_folder, train_net

__all__ = ["elsewhere"]  # a fixture

TINY = UtttTrainSettings(seed=1, rounds=2, batches=3, games=2, nodes=50, epochs=2)


class Stopped(Exception):
    """Somebody has pressed Ctrl-C."""


def run(folder: Path, settings: UtttTrainSettings = TINY, told: ProgressCallback = lambda *news: None) -> Path:
    open_folder(folder, settings)
    executor = ThreadPoolExecutor(1)
    try:
        return train_net(folder, settings, executor, 1, told)
    finally:
        executor.shutdown(cancel_futures=True)


def stop_at(what: str, done: int) -> ProgressCallback:
    """Return a listener that stops a run when so much of something is done."""

    def told(doing: str, so_far: int, total: int, note: str) -> None:
        if doing == what and so_far >= done:
            raise Stopped

    return told


def contents(folder: Path, pattern: str) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob(pattern))}


def times(folder: Path, pattern: str = "*.np?") -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob(pattern)}


@pytest.fixture(scope="module")
def finished(elsewhere: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which everything was done, which nobody may change."""
    folder = tmp_path_factory.mktemp("learning") / "done"
    run(folder)
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it, with the same times."""
    before = contents(finished, "*.np?")
    shutil.copytree(finished, tmp_path / "copy")
    yield tmp_path / "copy"
    assert contents(finished, "*.np?") == before


def test_a_run_ends_with_a_net_and_how_it_was_made(finished: Path) -> None:
    with np.load(finished / "learned.npz") as made, np.load(finished / "round-1" / "net.npz") as last:
        weights = dict(made)
        assert all((last[name] == array).all() for name, array in weights.items())
    assert {n: (w.shape, w.dtype) for n, w in weights.items()} == {
        n: (w.shape, w.dtype) for n, w in net.learned_weights().items()
    }
    told = json.loads((finished / "learned.json").read_text())
    given = " ".join(f"--{name} {value}" for name, value in asdict(TINY).items())
    assert told["command"] == f"kibitz uttt train done {given}"
    assert [made["teacher"] for made in told["rounds"]] == ["winning", "learned"]
    for number, made in enumerate(told["rounds"]):
        batches = [np.load(path) for path in sorted((finished / f"round-{number}").glob("batch-*.npy"))]
        assert len(batches) == TINY.batches
        assert made["positions"] == sum(len(batch) for batch in batches)
        assert len(made["loss_on_unseen"]) == TINY.epochs
        assert made["playing_core_seconds"] >= 0
    assert not list(finished.rglob("*.part"))


def test_the_second_round_is_taught_by_the_first(finished: Path, tmp_path: Path) -> None:
    teaching = replace(TEACHING, round=1, evaluation="learned", net=str(finished / "round-0" / "net.npz"))
    play_batch(teaching, 1, tmp_path / "batch.npy")
    expected = (finished / "round-1" / "batch-00001.npy").read_bytes()
    assert (tmp_path / "batch.npy").read_bytes() == expected
    play_batch(replace(teaching, net=""), 1, tmp_path / "batch.npy")
    assert (tmp_path / "batch.npy").read_bytes() != expected


def test_a_finished_run_does_nothing_more(folder: Path) -> None:
    before = times(folder / "round-0") | times(folder / "round-1")
    run(folder, told=lambda *news: pytest.fail(f"does {news}"))
    assert times(folder / "round-0") | times(folder / "round-1") == before


@pytest.mark.parametrize(
    ("what", "done"),
    [
        ("round 0: playing", 0),
        ("round 0: playing", 1),
        ("round 0: epochs", 1),
        ("round 1: playing", 2),
        ("round 1: epochs", 2),
    ],
)
def test_a_run_that_was_stopped_goes_on_to_the_same_net(finished: Path, tmp_path: Path, what: str, done: int) -> None:
    folder = tmp_path / "stopped"
    with pytest.raises(Stopped):
        run(folder, told=stop_at(what, done))
    before = times(folder, "batch-*.npy") | times(folder, "net.npz")
    told = list[tuple[str, int]]()
    run(folder, told=lambda doing, so_far, total, note: told.append((doing, so_far)))
    assert what.endswith("playing") or (what, done) not in told
    assert {name: time for name, time in times(folder).items() if name in before} == before
    assert contents(folder, "batch-*.npy") == contents(finished, "batch-*.npy")
    assert contents(folder, "*net.npz") == contents(finished, "*net.npz")
    assert contents(folder, "learned.npz") == contents(finished, "learned.npz")


def test_only_what_is_missing_is_played_again(finished: Path, folder: Path) -> None:
    for name in ("round-1/batch-00001.npy", "round-1/net.npz", "round-1/fit.npz", "learned.npz", "learned.json"):
        os.remove(folder / name)
    (folder / "round-1" / "batch-00001.npy.part").write_bytes(b"half of it")
    kept = times(folder)
    run(folder)
    assert {name: time for name, time in times(folder).items() if name in kept} == kept
    assert contents(folder, "*.np?") == contents(finished, "*.np?")


def test_an_error_in_a_worker_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(teaching: Teaching, number: int, path: Path) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(rounds, "play_batch", broken)
    with pytest.raises(ZeroDivisionError):
        run(tmp_path / "new")


def test_a_folder_keeps_its_settings(tmp_path: Path) -> None:
    assert open_folder(tmp_path / "a" / "b", TINY) == TINY
    assert open_folder(tmp_path / "a" / "b", None) == TINY
    assert open_folder(tmp_path / "a" / "b", TINY) == TINY
    for other in (replace(TINY, seed=2), replace(TINY, epochs=3), UtttTrainSettings()):
        with pytest.raises(BadOption, match="started with other settings"):
            open_folder(tmp_path / "a" / "b", other)
    assert open_folder(tmp_path / "c", None) == UtttTrainSettings()


def test_a_foreign_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann")
    with pytest.raises(BadOption, match=r"is not empty and has no settings\.json"):
        open_folder(tmp_path, TINY)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("below", [False, True], ids=["a file", "below a file"])
def test_what_can_be_no_folder_is_refused(tmp_path: Path, below: bool) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KibitzError, match="file"):
        open_folder(tmp_path / "file" / "below" if below else tmp_path / "file", TINY)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"colour": 1}', '{"rounds": "2"}', '{"seed": "one"}', '{"rounds": 2.5}', '{"rounds": 0}'],
)
def test_settings_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    with pytest.raises((BadText, BadOption)):
        open_folder(tmp_path, None)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: UtttTrainSettings(rounds=0), "rounds must be .* at least 1, got 0"),
        (lambda: UtttTrainSettings(games=-1), "games must be .* at least 1, got -1"),
        (lambda: UtttTrainSettings(nodes=0), "nodes must be .* at least 1, got 0"),
        (lambda: UtttTrainSettings(epochs=0), "epochs must be .* at least 1, got 0"),
        (lambda: UtttTrainSettings(batches=1), "at least 2 batches"),
        (lambda: UtttTrainSettings(seed=-1), "seed must be .* at least 0, got -1"),
    ],
)
def test_bad_settings_are_refused_before_anything_is_played(make: Callable[[], UtttTrainSettings], said: str) -> None:
    with pytest.raises(BadOption, match=said):
        make()
