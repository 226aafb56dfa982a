"""A game at the terminal: typed through a real pseudo-terminal, and fed through pipes."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import kibitz
from clocks import PATIENCE
from conftest import complaints
from inside import run

PLAY = [sys.executable, "-m", "kibitz", "play", "uttt"]
HUMAN_FIRST = ("human", "random", "--seed", "1")
PROMPT = r"[XO] > $"


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def piped(*lines: str, players: tuple[str | Path, ...] = HUMAN_FIRST) -> subprocess.CompletedProcess[str]:
    typed = "".join(f"{line}\n" for line in lines)
    return run("play", "uttt", *players, given=typed)


def shown(*lines: str, players: tuple[str | Path, ...] = HUMAN_FIRST) -> str:
    """Return all that a session prints, its line breaks as spaces, after it ended well."""
    ran = piped(*lines, players=players)
    assert (ran.returncode, complaints(ran.stderr)) == (0, "")
    return " ".join(ran.stdout.split())


class Terminal:
    """A session in a pseudo-terminal."""

    def __init__(self, *players: str) -> None:
        self.keyboard, screen = pty.openpty()
        environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
        self.process = subprocess.Popen(
            [*PLAY, *players], stdin=screen, stdout=screen, stderr=screen, env=environment, start_new_session=True
        )
        os.close(screen)

    def read(self, until: str = PROMPT) -> str:
        """Return what appears up to a pattern, or up to the end."""
        seen, deadline = b"", time.monotonic() + PATIENCE
        while not re.search(until, without_colours(seen.decode(errors="replace"))):
            ready, _, _ = select.select([self.keyboard], [], [], max(deadline - time.monotonic(), 0))
            assert ready, f"waited for {until!r} and saw {seen.decode(errors='replace')}"
            try:
                part = os.read(self.keyboard, 4096)
            except OSError:  # Linux says so when the other side is gone
                part = b""
            if not part:
                break
            seen += part
        return seen.decode(errors="replace")

    def type(self, line: str) -> str:
        """Return what a line brings onto the screen, up to the next prompt or the end."""
        os.write(self.keyboard, f"{line}\n".encode())
        return self.read(f"(?s){re.escape(line)}\r\n.*{PROMPT}")

    def end(self) -> int:
        self.read(until="(?!)")
        return self.process.wait(timeout=PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.keyboard)


def interrupted(process: subprocess.Popen[bytes]) -> int:
    """Interrupt a process that waits for a line, and return the code with which it ends."""
    for _ in range(12):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):  # it came just before the process began to wait, and was missed
            return process.wait(timeout=10)
    raise AssertionError("It does not heed an interrupt.")


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal(*HUMAN_FIRST)
    try:
        yield made
    finally:
        made.close()


def test_game_is_played_at_a_terminal(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert "\x1b[" in terminal.read()
    assert "take back your last move" in terminal.type("help")
    assert "X (human) played 4 4" in without_colours(terminal.type("4 4"))
    assert "Cell 4 of board 4 is already taken by X" in terminal.type("40")
    assert "2. O (random) played" not in without_colours(terminal.type("undo"))
    assert "X (human) played 4 4" in without_colours(terminal.type("40"))
    assert "1 X 4 4" in without_colours(terminal.type("log"))
    assert "Saved to" in terminal.type(f"save {path}")
    assert "The game is unfinished" in terminal.type("quit")
    assert terminal.end() == 0
    (record,) = kibitz.read_records(path).good
    assert (record.moves[0], len(record.moves), record.result) == ("40", 2, "*")
    kibitz.replay(record)


def test_end_of_input_at_a_terminal_ends_politely(terminal: Terminal) -> None:
    terminal.read()
    os.write(terminal.keyboard, b"\x04")
    assert "The game is unfinished" in terminal.read(until="finished")
    assert terminal.end() == 0


def test_interrupt_at_a_terminal_leaves_no_traceback(terminal: Terminal) -> None:
    terminal.read()
    assert interrupted(terminal.process) != 0
    assert "Traceback" not in terminal.read(until="(?!)")


def test_commands_answer() -> None:
    text = shown("moves", "help", "?", "save", "quit")
    assert all(f"{row} {column}" in text for row in range(9) for column in range(9))
    assert "Type save FILE" in text
    for name in ("a move", "undo", "hint", "why", "moves", "log", "save FILE", "resign", "quit leave"):
        assert text.count(name) >= 2


@pytest.mark.parametrize("move", ["4 4", "40", " 40 ", "e5"])
def test_move_is_taken_in_every_notation(move: str) -> None:
    text = shown(move, "log", "quit")
    assert "1. X (human) played 4 4" in text
    reply = text.partition("2. O (random) played ")[2][:3]
    assert f"1 X 4 4 2 O {reply}" in text


def test_wrong_moves_are_told_and_the_game_goes_on() -> None:
    text = shown("j4", "81", "9 9", "[/x]", "4 4", "4 4", "", "quit")
    assert text.count("is not a move") == 4
    assert "Cell 4 of board 4 is already taken by X." in text
    assert text.count("Type ? for help.") == 5
    assert text.endswith("The game is unfinished.")


def test_undo_takes_back_to_the_same_person(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    text = shown("undo", "4 4", f"save {path}", "undo", f"save {path}", "quit")
    assert "There is no move to take back." in text
    before, after = kibitz.read_records(path).good
    assert (len(before.moves), len(before.times)) == (2, 2)
    assert (after.moves, after.times) == ((), ())


@pytest.mark.parametrize(
    ("typed", "result", "reason", "said"),
    [
        (("4 4", "resign"), "0-1", "X resigned", "O (random) wins: X resigned."),
        (("4 4",), "*", "not finished", "The game is unfinished."),  # the end of the input
    ],
)
def test_a_game_that_was_broken_off_is_saved(
    tmp_path: Path, typed: tuple[str, ...], result: str, reason: str, said: str
) -> None:
    path = tmp_path / "games.jsonl"
    assert said in shown(*typed, players=(*HUMAN_FIRST, "--save", path))
    (record,) = kibitz.read_records(path).good
    assert (record.agents, record.seed, len(record.moves)) == (("human", "random"), 1, 2)
    assert (record.result, record.reason) == (result, reason)
    kibitz.replay(record)


def test_two_people_can_play_each_other() -> None:
    text = shown("40", "why", "36", "log", "undo", "resign", players=("human", "human"))
    assert "X played 4 4. Takes the centre" in text
    assert "2. O (human) played 3 3" in text
    assert "X (human) wins: O resigned." in text  # undo took back one move: it is O's turn again


@pytest.mark.parametrize("name", ["{folder}", "{folder}/no/file", "{folder}/diary", "~nobody-here/x", "nul\0byte"])
def test_failed_save_does_not_end_the_game(tmp_path: Path, name: str) -> None:
    (tmp_path / "diary").write_text("Dear diary")
    text = shown(f"save {name.format(folder=tmp_path)}", "4 4", "quit")
    assert "Saved" not in text
    assert "1. X (human) played 4 4" in text
    assert (tmp_path / "diary").read_text() == "Dear diary"


def test_save_option_refuses_what_it_cannot_write_to(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    diary.write_text("Dear diary")
    for path in (diary, tmp_path / "no" / "file"):
        ran = piped(players=("random", "reflex", "--seed", "1", "--save", path))
        assert ran.returncode == 2
        assert re.fullmatch(f"kibitz: .*{path}.*\\.\n", ran.stderr)
    assert diary.read_text() == "Dear diary"


def test_saved_file_is_named_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "[bold]games.jsonl"
    assert str(path) in shown(f"save {path}", "quit").replace(" ", "")
    assert path.exists()


def test_hint_values_the_moves() -> None:
    text = shown("hint", "quit", players=(*HUMAN_FIRST, "--nodes", "5000"))
    assert "Value" in text
    assert "Best" in text
    assert "and 76 more" in text


def test_why_explains_the_last_move_of_the_agent() -> None:
    players = ("human", "alphabeta(depth=2)")
    text = shown("why", "4 4", "why", "undo", "why", "quit", players=players)
    assert text.count("No move has been played yet.") == 2
    assert re.search(r"O played \d \d\. Sends X to .*It evaluates its position as \d", text)
    assert "Expected:" in text


def test_after_undo_the_agent_has_its_whole_time_again(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    players = ("human", "plain-alphabeta", "--time", "0.2", "--save", path)
    shown("4 4", "undo", "4 4", "quit", players=players)
    (record,) = kibitz.read_records(path).good
    assert len(record.times) == 2
    assert record.times[1] > 0.15


def test_a_person_may_move_second_and_a_seed_decides_who_starts() -> None:
    text = shown("quit", players=("human", "reflex", "--starts", "second"))
    assert "1. X (reflex) played 0 0" in text
    assert "O > " in text
    players = ("human", "reflex", "--starts", "random", "--seed", "5")
    assert len({shown("log", "quit", players=players) for _ in range(3)}) == 1
