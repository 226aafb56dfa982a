"""Commands that succeed or fail, and a file of recorded games."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conftest import complaints
from inside import run


def output(*args: str | Path) -> str:
    ran = run(*args)
    assert (ran.returncode, complaints(ran.stderr)) == (0, "")
    return ran.stdout


def complaint(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 2, ran.stderr
    lines = complaints(ran.stderr).splitlines()
    assert len(lines) == 1, ran.stderr
    assert lines[0].startswith("kibitz: ")
    assert lines[0].endswith(".")
    return lines[0]


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with two games."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    output("play", "uttt", "random", "reflex", "--seed", "1", "--save", path)
    other = ("--starts", "second", "-o", "variant=open")
    output("play", "uttt", "random", "reflex", "--seed", "2", *other, "--save", path)
    return path
