"""kibitz uttt train as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cli.test_commands import complaint, output
from clocks import PATIENCE, wait_until
from inside import run
from kibitz.games.uttt.players.net import learned_weights

TINY = ("--seed", "3", "--rounds", "1", "--batches", "2", "--games", "1", "--nodes", "50", "--epochs", "1")
"""One round only: the net of a second teacher would take the place of the packaged one in the cache."""


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which something was learned, and what was said about it."""
    folder = tmp_path_factory.mktemp("learning") / "net"
    return folder, output("uttt", "train", folder, *TINY, "--jobs", "1")


def test_it_ends_with_a_net_and_how_it_was_made(learned: tuple[Path, str]) -> None:
    folder, shown = learned
    said = "".join(shown.split())
    assert f"Thenetisin{folder}/learned.npz,itssettingsin{folder}/learned.json." in said
    with np.load(folder / "learned.npz") as arrays:
        assert {name: array.shape for name, array in arrays.items()} == {
            name: array.shape for name, array in learned_weights().items()
        }
    told = json.loads((folder / "learned.json").read_text())
    assert told["command"] == " ".join(("kibitz", "uttt", "train", "net", *TINY, "--teacher", "winning"))
    assert len(told["rounds"]) == 1


def test_a_folder_knows_its_settings(learned: tuple[Path, str]) -> None:
    folder, _ = learned
    before = {path: path.stat().st_mtime_ns for path in folder.glob("round-0/*")}
    assert "The net is in" in " ".join(output("uttt", "train", folder, "--jobs", "1").split())
    assert {path: path.stat().st_mtime_ns for path in folder.glob("round-0/*")} == before
    said = complaint(run("uttt", "train", folder, "--epochs", "2"))
    assert "was started with other settings" in said
    assert "epochs=1" in said


def test_help_lists_the_options() -> None:
    told = output("uttt", "train", "--help")
    assert output("uttt", "learn", "--help").splitlines()[2:] == told.splitlines()[2:]  # its name in version 0.1
    for option in ("--seed", "--rounds", "--batches", "--games", "--nodes", "--epochs", "--jobs", "DIR"):
        assert option in told
    assert "train" in output("uttt", "--help")


def test_a_bad_folder_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann")
    assert "is not empty" in complaint(run("uttt", "train", tmp_path))
    assert str(tmp_path / "letter.txt") in complaint(run("uttt", "train", tmp_path / "letter.txt"))
    (tmp_path / "settings.json").write_text("{")
    assert "does not contain valid training settings" in complaint(run("uttt", "train", tmp_path))


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--batches", "1"), "at least 2 batches"),
        (("--rounds", "0"), "rounds must be a whole number of at least 1, got 0"),
    ],
)
def test_bad_settings_are_told_in_one_line_and_make_no_folder(
    tmp_path: Path, option: tuple[str, str], said: str
) -> None:
    assert said in complaint(run("uttt", "train", tmp_path / "new", *option))
    assert not (tmp_path / "new").exists()


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "net"
    many = ("--batches", "100000", "--games", "1", "--nodes", "20", "--jobs", "1")
    process = subprocess.Popen(
        [sys.executable, "-m", "kibitz", "uttt", "train", str(folder), *many],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "COLUMNS")},
        start_new_session=True,  # a group of its own, all of which Ctrl-C reaches
    )
    try:
        wait_until((folder / "round-0" / "batch-00001.npy").exists, "the second batch")
        os.killpg(process.pid, signal.SIGINT)
        shown, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, errors) == (130, "")
    assert f"nothingislost.Resumewith:kibitzuttttrain{folder}" in "".join(shown.split())
    assert len(np.load(folder / "round-0" / "batch-00000.npy")) > 0
