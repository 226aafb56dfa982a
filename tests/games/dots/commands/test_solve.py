"""kibitz dots solve as a user runs it: values, bounds when time is up or Ctrl-C comes, one sentence for a mistake."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from cli.test_commands import complaint, output
from cli.test_session import without_colours
from clocks import PATIENCE
from games.dots import naive
from games.dots.boards import graph_of
from inside import run
from kibitz.core.errors import KibitzError
from kibitz.games.dots.commands.solve import solve
from kibitz.games.dots.exact.solver import Solver


def solved(*args: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output("dots", "solve", *args, "--json"))
    return found


def called(capsys: pytest.CaptureFixture[str], board: str, **given: Any) -> dict[str, Any]:
    """Return what the command prints for programs, without a process of its own."""
    options: dict[str, Any] = {
        "drawn": "0", "start": "empty", "moves": False, "memory": "1M", "threads": 1, "seconds": None, "as_json": True,
    }  # fmt: skip
    solve(board, **(options | given))
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_3x3_for_programs() -> None:
    found = solved("3x3")
    assert {key: type(value) for key, value in found.items()} == {
        "value": int, "best": list, "all_best": bool, "moves": dict, "exact": bool,
        "lower": int, "upper": int, "nodes": int, "seconds": float,
    }  # fmt: skip
    assert (found["value"], found["lower"], found["upper"], found["exact"]) == (-3, -3, -3, True)
    assert (found["best"], found["all_best"], found["moves"]) == (list(range(24)), True, {})
    assert 0 < found["nodes"] < 10_000_000
    assert 0 < found["seconds"] < 60


def test_the_value_of_every_move_of_a_position() -> None:
    """The 2x3 board with lines 0, 8 and 13 drawn."""
    drawn = 1 << 0 | 1 << 8 | 1 << 13
    lines = [line for line in range(17) if not drawn >> line & 1]
    values = naive.move_values(naive.part(naive.grid_strings(2, 3), (1 << 17) - 1 ^ drawn))
    found = solved("2X3", "--drawn", f"0x{drawn:X}", "--moves", "--memory", "1M", "--threads", "2")
    assert found["moves"] == {str(lines[i]): value for i, value in values.items()}
    assert found["best"] == [lines[i] for i, value in values.items() if value == found["value"]]
    assert found["value"] == max(values.values())


@pytest.mark.parametrize(("start", "value"), [("icelandic", -1), ("swedish", 7)])
def test_a_border_may_be_drawn_at_the_start(start: str, value: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(capsys, "3x3", start=start)["value"] == value


def test_a_terminal_shows_the_board_and_values() -> None:
    shown = output("dots", "solve", "1x2", "--drawn", "11", "--memory", "1M")
    assert shown.splitlines()[0].split() == ["•─────•", "1", "•"]
    assert "Value  " in shown
    assert re.search(r"Work   [\d,]+ nodes, \d+\.\d\d s", shown)
    values = naive.move_values(naive.part(naive.grid_strings(1, 2), 0b1101110))
    lines = [1, 2, 3, 5, 6]
    assert f"Value  {max(values.values()):+d} box" in shown
    best = ", ".join(str(lines[i]) for i, value in values.items() if value == max(values.values()))
    assert f"Best   {best}" in shown
    # With --moves there is a value on each line.
    rows = output("dots", "solve", "2x2", "--moves", "--drawn", "4").splitlines()[:5]
    lines = [line for line in range(12) if line != 2]
    values = {lines[i]: v for i, v in naive.move_values(naive.part(naive.grid_strings(2, 2), 0xFFF ^ 4)).items()}
    printed = [list(map(int, re.findall(r"[+-]?\d+", row))) for row in rows]
    assert printed == [[values[line] for line in row] for row in ([0, 1], [6, 7, 8], [3], [9, 10, 11], [4, 5])]
    assert "─" in rows[2]
    assert not any("+0" in row for row in rows)


def test_a_finished_position(capsys: pytest.CaptureFixture[str]) -> None:
    found = called(capsys, "2x2", drawn="fff", moves=True)
    assert (found["value"], found["best"], found["moves"], found["exact"]) == (0, [], {}, True)


# Graphs


def test_a_graph_from_a_file(tmp_path: Path) -> None:
    """A ring of three and a coin on two strings: open the coin, and the other must open the ring."""
    strings: naive.Strings = (*naive.loop(3, "l"), ("c", None), ("c", None))
    path = tmp_path / "3x"
    path.write_text(graph_of(strings).to_json())
    found = solved(path, "--moves")
    assert found["moves"] == {"s0": -2, "s1": -2, "s2": -2, "s3": 2, "s4": 2}
    assert (found["value"], found["best"]) == (2, ["s3", "s4"])
    assert naive.move_values(strings) == dict(enumerate(found["moves"].values()))
    shown = output("dots", "solve", path, "--moves", "--drawn", "8")
    assert [line.split() for line in shown.splitlines() if re.match(r" +s\d [+-]", line)] == [
        ["s0", "-4"], ["s1", "-4"], ["s2", "-4"], ["s4", "-2"]
    ]  # fmt: skip


STAR: naive.Strings = (("hub", 0), ("hub", 1), ("hub", 2), (0, None), (1, None), (2, None))


@cache
def worth(star: int, spare: int, ones: int) -> int:
    """Return the value of a part of the star, spare cuts of a coin on many strings, and coins on two strings.

    A coin on two strings is taken when one is cut. When no cut is spare, the coin is one of those.
    """
    options = [n + worth(after, spare, ones) if n else -worth(after, spare, ones) for _, n, after in star_cuts(star)]
    if spare:
        options.append(-worth(star, spare - 1, ones + (spare == 1)))
    if ones:
        options.append(-1 - worth(star, spare, ones - 1))
    return max(options, default=0)


@cache
def star_cuts(star: int) -> list[tuple[int, int, int]]:
    return list(naive.cuts(STAR, star))


def test_the_longest_search_there_can_be(tmp_path: Path) -> None:
    """A core of 63 strings beside 64 coins on two strings: over 120 moves one after the other."""
    beside = [(f"c{i // 2}", None) for i in range(128)]
    path = tmp_path / "graph.json"
    path.write_text(graph_of((*STAR, *(("many", None),) * 57, *beside)).to_json())
    found = solved(path)
    assert found["value"] == worth(63, 55, 64)


def test_a_file_that_holds_no_graph_is_told(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text('{"coins": ["a"], "strings": [["s", "a", "b"]]}')
    assert "The string 's' ends at 'b', which is neither" in complaint(run("dots", "solve", path))
    path.write_text('{"coins": ["a"], "strings": [["s", "a", "ground"]]}')
    assert "start=swedish is for grids" in complaint(run("dots", "solve", path, "--start", "swedish"))


# Not solved


def test_bounds_when_time_is_up() -> None:
    ran = run("dots", "solve", "4x5", "--time", "0.3", "--moves", "--json")
    assert ran.returncode == 1
    found = json.loads(ran.stdout)
    assert (found["value"], found["exact"], found["best"], found["moves"]) == (None, False, [], {})
    assert -20 <= found["lower"] <= 0 <= found["upper"] <= 20
    assert found["nodes"] > 0
    between = f"between {found['lower']:+d} and {found['upper']:+d}"
    assert ran.stderr == (
        f"kibitz: Not solved in 0.3 s: the value lies {between}. Try more --time, --threads or --memory.\n"
    )


def test_a_board_that_is_too_large_says_so() -> None:
    ran = run("dots", "solve", "9x9")
    assert ran.returncode == 1
    assert "•" in ran.stdout
    assert "Value" not in ran.stdout
    assert ran.stderr == (
        "kibitz: Not solved: at most 63 lines outside isolated chains can be searched; "
        "the value lies between -81 and +81.\n"
    )


class Terminal:
    """A command of kibitz in a pseudo-terminal."""

    def __init__(self, *args: str) -> None:
        self.keyboard, screen = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kibitz", *args],
            stdin=screen,
            stdout=screen,
            stderr=screen,
            env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"},
            start_new_session=True,
        )
        os.close(screen)

    def read(self, until: str = "(?!)") -> str:
        """Return what appears up to a pattern, by default up to the end."""
        seen, deadline = b"", time.monotonic() + PATIENCE
        while not re.search(until, without_colours(seen.decode(errors="replace"))):
            ready, _, _ = select.select([self.keyboard], [], [], max(deadline - time.monotonic(), 0))
            assert ready, f"waited for {until!r} and saw {seen.decode(errors='replace')}"
            try:
                part = os.read(self.keyboard, 4096)
            except OSError:  # Linux says so when the other side is gone
                break
            if not part:
                break
            seen += part
        return without_colours(seen.decode(errors="replace"))

    def end(self) -> int:
        """Return the exit status."""
        self.read()
        return self.process.wait(timeout=PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.keyboard)


def test_ctrl_c_shows_the_bounds_so_far() -> None:
    terminal = Terminal("dots", "solve", "4x5")
    try:
        assert "value -20 to +20" in terminal.read(r"testing \+?\d+: \d+ moves, [\d.]+ M nodes")
        terminal.process.send_signal(signal.SIGINT)
        shown = terminal.read()
        assert terminal.end() == 1
    finally:
        terminal.close()
    assert "kibitz: Not solved: the value lies between -20 and +20." in shown
    nodes = re.search(r"Work   ([\d,]+) nodes", shown)
    assert nodes is not None
    assert int(nodes[1].replace(",", "")) > 0
    assert "Traceback" not in shown


def test_ctrl_c_between_two_tests(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    done = []
    real = Solver._run_test

    def interrupted(self: Solver, *args: Any) -> int:
        if len(self.graph.strings) == 24:
            done.append(args)
        if len(done) == 2:
            raise KeyboardInterrupt
        return real(self, *args)

    monkeypatch.setattr(Solver, "_run_test", interrupted)
    with pytest.raises(typer.Exit) as ended:
        called(capsys, "3x3", moves=True)
    assert ended.value.exit_code == 1
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["value"], found["exact"], found["moves"]) == (None, False, {})
    assert -9 <= found["lower"] <= -3 <= found["upper"] <= 9
    assert found["upper"] - found["lower"] < 18
    assert told.err.startswith("kibitz: Not solved: the value lies between ")


# Mistakes

MISTAKES = {
    "10x9": "A board must have 1 to 9 rows of boxes, not 10.",
    "nonsense": "'nonsense' is not a board: write rows x columns, such as 4x4, or the name of a graph file.",
    "3x3 --drawn 1000000": "'1000000' draws line 24, but the lines are 0 to 23.",
    "3x3 --start greek": "must be empty, icelandic or swedish",
    "3x3 --threads 0": "1 to 256 threads, not 0",
    "3x3 --memory nonsense": "'nonsense' is not a memory size: write a number with M or G, such as 512M or 2G.",
}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("9x10", {}, "1 to 9 cols of boxes, not 10"),
    ("0x3", {}, "rows of boxes, not 0"),
    ("1000x1", {}, "'1000x1' is not a board"),
    (".", {}, "'.' is not a board"),
    ("3x3", {"drawn": "0g"}, "'0g' is not a hexadecimal number"),
    ("3x3", {"drawn": "-1"}, "'-1' is not a hexadecimal number"),
    ("1x1", {"start": "swedish"}, "leaves nothing to draw"),
    ("3x3", {"memory": "-2G"}, "is not a memory size"),
    ("3x3", {"memory": "1.5G"}, "is not a memory size"),
    ("3x3", {"memory": "1"}, "needs at least 1 MB of memory"),
    ("3x3", {"memory": "1023k"}, "needs at least 1 MB of memory"),
    ("3x3", {"memory": "999999G"}, "more than this machine's memory"),
    ("3x3", {"seconds": 0.0}, "must be more than 0"),
    ("3x3", {"seconds": float("nan")}, "must be more than 0"),
]


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_told_in_one_sentence(words: str) -> None:
    ran = run("dots", "solve", *words.split())
    assert MISTAKES[words] in complaint(ran)
    assert ran.stdout == ""


@pytest.mark.parametrize(("board", "given", "said"), REFUSED)
def test_what_cannot_be_is_refused(
    board: str, given: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KibitzError, match=re.escape(said)):
        called(capsys, board, **given)


@pytest.mark.parametrize("memory", ["2G", "512M", "1m", "1048576", "1024 KB", "1gb"])
def test_sizes_of_memory_are_read(memory: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(capsys, "1x2", memory=memory)["value"] == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("solve", "BOARD --drawn --start --moves --memory --threads --time"),
        ("problems", "NUMBER --grade --theme --size --move --hint --answer --json"),
    ],
)
def test_help_lists_every_option(command: str, words: str) -> None:
    shown = output("dots", command, "--help")
    assert all(word in shown for word in words.split())
    assert command in output("dots", "--help")
