"""kibitz uttt temperature: a small sweep from start to report, also when it is stopped on the way."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from inside import run
from kibitz.arena.store import TournamentFolder

TINY = ["--function", "0", "--function", "5/t^2", "--against", "random", "--against", "G_Winning", "--jobs", "1"]


def test_a_sweep_ends_in_a_table_and_a_report(tmp_path: Path) -> None:
    ran = run("uttt", "temperature", *TINY, "--games", "2", "--out", tmp_path / "out")
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"5/t\^2 +56% +21% +4 ", ran.stdout)
    told = json.loads((tmp_path / "out" / "results.json").read_text())["temperatures"]
    assert {row["function"] for row in told["functions"]} == {"0", "5/t^2"}
    assert sorted(told["field"]) == ["G_Winning", "random"]
    assert "<h2>Temperatures</h2>" in (tmp_path / "out" / "report.html").read_text()


def test_a_stopped_sweep_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Ctrl-C does to the workers of a tournament is in tests/arena/test_runs.py."""
    out, append, played = tmp_path / "out", TournamentFolder.append, list[str]()

    def append_and_interrupt(store: TournamentFolder, lines: Sequence[str]) -> None:
        append(store, lines)
        played.extend(lines)
        if len(played) >= 8:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(TournamentFolder, "append", append_and_interrupt)
        stopped = run("uttt", "temperature", *TINY, "--games", "30", "--out", out)
    assert stopped.returncode == 130
    assert f"Stopped after {len(played)} of 120 games. Continue with: kibitz arena resume" in stopped.stderr
    kept = TournamentFolder(out).path.read_bytes()
    again = run("uttt", "temperature", *TINY, "--games", "30", "--out", out)
    assert again.returncode == 2
    assert f"continue it with kibitz arena resume {out}." in " ".join(again.stderr.split())
    unfinished = run("arena", "report", out).stdout
    assert "Temperatures" in unfinished
    assert "Incomplete" in unfinished
    finished = run("arena", "resume", out, "--jobs", "1")
    assert finished.returncode == 0, finished.stderr
    assert re.search(r"5/t\^2 +56% +21% +60 ", finished.stdout)
    assert TournamentFolder(out).path.read_bytes().startswith(kept)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--function", "5/t^2"], "at least 2 different temperature functions"),
        (["--function", "0", "--function", "5/s"], "there is no 's'"),
        (["--eval", "nothing"], "nothing"),
        (["--games", "0"], "got 0"),
        (["--against", "nobody"], "no agent 'nobody'"),
    ],
)
def test_mistakes_are_told_in_one_sentence(args: list[str], said: str, tmp_path: Path) -> None:
    ran = run("uttt", "temperature", *args, "--out", tmp_path / "out")
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1
    assert said in ran.stderr
    assert not (tmp_path / "out").exists()
