"""kibitz new-game: names that cannot work are refused, and what is written can be played and fails in words."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from distributions import installing, plant
from inside import run
from kibitz.core import registry
from kibitz.core.faults import GameFailed

TAKEN = {
    "uttt": "an installed game",
    "json": "a module of Python",
    "class": "a word of Python",
    "none": "a word of Python",
    "grid-state": "the name of a class of kibitz, GridState",
    "game-package": "the name of a class of kibitz, GamePackage",
    "kibitz": "an installed module",
    "rich": "an installed module",
    "numpy": "an installed module",
    "typing-extensions": "an installed module",
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_name_that_means_something_else_is_refused(name: str, tmp_path: Path) -> None:
    ran = run("new-game", name, tmp_path / "new")
    assert ran.returncode == 2
    assert ran.stderr == f"kibitz: {name!r} is {TAKEN[name]}: choose another name.\n"
    assert not list(tmp_path.iterdir())


def test_the_name_of_a_distribution_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, "some-game", "1.0")
    monkeypatch.syspath_prepend(tmp_path)
    assert "'some-game' is an installed package" in run("new-game", "some-game", tmp_path / "new").stderr


@pytest.mark.parametrize("name", ["Hex", "9x9", "a_b", "-", "hex-", "", "x" * 31])
def test_a_name_that_is_no_short_name_is_refused(name: str, tmp_path: Path) -> None:
    ran = run("new-game", "--", name, tmp_path / "new")
    assert ran.returncode == 2
    assert "cannot name a game: use up to 30 lower-case letters" in ran.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source folder of a new game."""
    folder = tmp_path_factory.mktemp("made") / "hex"
    ran = run("new-game", "hex-line", folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith(
        f"\nNext:\n  pip install -e {folder}\n  kibitz play hex-line\n  kibitz serve\n  pytest {folder}/tests\n"
    )
    plant(folder / "src", "hex-line", "0.1.0", games={"hex-line": "hex_line.package:GAME"})
    return folder / "src"


def test_a_new_game_can_be_played(made: Path) -> None:
    with installing(made):
        ran = run("play", "hex-line", "random", "random", "--seed", "1")
        against_person = run("play", "hex-line", "random", "--seed", "1", given="b2\nquit\n")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "three in a row" in ran.stdout or "no moves are left" in ran.stdout
    assert (against_person.returncode, against_person.stderr) == (0, "")
    assert "random" in against_person.stdout


@pytest.fixture
def broken(made: Path, tmp_path: Path) -> Iterator[Path]:
    """The new game with rules that fail after the second move, installed."""
    site = shutil.copytree(made, tmp_path / "site")
    rules = site / "hex_line" / "rules.py"
    failing = 'def winner(self) -> int | None:\n        {}["oops"] if self.turn > 2 else None\n'
    rules.write_text(rules.read_text(encoding="utf-8").replace("def winner(self) -> int | None:\n", failing))
    with installing(site):
        yield site


FAULT = "KeyError: 'oops' (rules.py, line 20)"
FAILED = f"The code of hex-line failed: {FAULT}. KIBITZ_DEBUG=1 shows the traceback.\n"
FAILED_IN_ARENA = (
    f"The rules of Hex Line failed in a game at the position POSITION: {FAULT}. The game has no result, and neither "
    "agent is at fault. KIBITZ_DEBUG=1 shows the traceback.\n"
)
"""The position is that of whichever game failed first."""


@pytest.mark.parametrize(
    "args",
    [
        ("play", "hex-line", "random", "random"),
        ("analyse", "hex-line"),
        ("draw", "hex-line", "--position", "xox/3/3 x"),
        ("arena", "run", "hex-line", "random", "champion", "--jobs", "1", "--playouts", "1"),
    ],
    ids=lambda args: args[0],
)
def test_rules_that_fail_are_told_in_a_sentence(broken: Path, tmp_path: Path, args: tuple[str, ...]) -> None:
    in_arena = args[0] == "arena"
    ran = run(*args, *(["--out", str(tmp_path / "arena")] if in_arena else []))
    told = re.sub(r"(?<=the position )[\w/]+ [xo]", "POSITION", ran.stderr)
    assert (ran.returncode, told) == (2, f"kibitz: {FAILED_IN_ARENA if in_arena else FAILED}")


def test_a_traceback_can_be_asked_for(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_DEBUG", "1")
    with pytest.raises(GameFailed) as failed:
        run("analyse", "hex-line")
    assert repr(failed.value.__cause__) == "KeyError('oops')"


def test_a_bug_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: object, seed: int = 0) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(registry.game_class("uttt"), "start", start)
    with pytest.raises(KeyError):
        run("analyse", "uttt")
