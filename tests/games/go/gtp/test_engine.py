"""kibitz go gtp: the answers of GTP 2, in its form, to every command and to every mistake."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import inside
import kibitz
from clocks import PATIENCE, wait_until
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import Resigned
from kibitz.core.game import View
from kibitz.core.parts import AgentEntry
from kibitz.games.go.gtp.clock import LAG_SECONDS, GtpClock
from kibitz.games.go.gtp.engine import GtpEngine, run
from kibitz.games.go.gtp.lines import MAX_LINE_BYTES, answer, read_command
from kibitz.games.go.rules import Go, GoState
from kibitz.search.agents import agent_entries

NINE = Go(size=9, komi=7.0)


def said(*lines: str | bytes, agent: str = "random", game: Go = NINE) -> list[str]:
    """Return the answers to lines, in this process."""
    sent = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
    out = io.StringIO()
    run(agent, game, io.BytesIO(sent), out)
    assert out.getvalue() == "" or out.getvalue().endswith("\n\n")
    return out.getvalue().split("\n\n")[:-1]


def last(*lines: str, agent: str = "random", game: Go = NINE) -> str:
    return said(*lines, agent=agent, game=game)[-1]


REQUIRED = {
    "protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize", "clear_board", "komi",
    "fixed_handicap", "place_free_handicap", "set_free_handicap", "play", "genmove", "undo", "time_settings",
    "time_left", "final_score", "final_status_list", "loadsgf", "reg_genmove", "showboard",
}  # fmt: skip
"""All commands of the specification of GTP 2."""


def test_every_command_of_gtp_2_is_there_and_is_known() -> None:
    listed = last("list_commands").removeprefix("= ").split("\n")
    assert set(listed) >= REQUIRED
    known = said(*(f"known_command {name}" for name in [*listed, "tea"]), "protocol_version")
    assert known == [*["= true"] * len(listed), "= false", "= 2"]


def test_the_number_of_a_command_comes_back_and_comments_do_not() -> None:
    assert said("17 protocol_version # of GTP", "# a comment", "", "\t 4\tkomi\t5.5 ") == ["=17 2", "=4 "]
    assert said("9 tea") == ["?9 unknown command"]
    assert said("12") == []
    assert said(b"na\x07me\r") == ["= kibitz random"], "control characters are left out, carriage returns too"
    assert answer("3", "a\n\n \nb\x1bc") == "=3 a\nb?c\n\n"
    assert read_command("# 12 name") is None


MISTAKES = {
    "tea": "unknown command",
    "boardsize": "syntax error: this command takes a size",
    "boardsize 0": "unacceptable size: it must be 1 to 25",
    "boardsize 26": "unacceptable size",
    "boardsize 99999999999999999999": "syntax error: '99999999999999999999' is not a whole number",
    "boardsize nine": "syntax error: 'nine' is not a whole number",
    "komi": "syntax error",
    "komi much": "syntax error: 'much' is not a number",
    "komi nan": "komi=nan is not possible",
    "komi 1e99": "is not possible",
    "play": "syntax error: this command takes a color, a vertex",
    "play b": "syntax error",
    "play red D4": "invalid color 'red': write b or w",
    "play b I5": "invalid coordinate 'I5'",
    "play b K4": "'K4' is not a move",
    "play b dd": "invalid coordinate 'dd'",
    "play b D4 D5": "syntax error",
    "genmove": "syntax error: this command takes a color",
    "genmove purple": "invalid color 'purple'",
    "undo": "cannot undo: no move has been made",
    "fixed_handicap 1": "invalid handicap: on a board of size 9 2 to 9 stones are possible",
    "fixed_handicap 10": "invalid handicap",
    "fixed_handicap -2": "syntax error",
    "place_free_handicap 81": "invalid handicap",
    "place_free_handicap 0": "invalid handicap",
    "set_free_handicap D4": "bad vertex list",
    "set_free_handicap D4 D4": "bad vertex list",
    "set_free_handicap D4 pass": "bad vertex list",
    "time_settings 1 2": "syntax error",
    "time_settings 1 2 x": "syntax error: 'x' is not a whole number",
    "time_settings -1 2 3": "syntax error: '-1' is not a number of seconds",
    "time_left b nan 0": "syntax error: 'nan' is not a number of seconds",
    "kgs-time_settings sand 3": "syntax error",
    "kgs-rules go": "unknown rules 'go': use chinese, aga, new_zealand, japanese",
    "final_status_list": "syntax error",
    "final_status_list sick": "invalid status 'sick'",
    "loadsgf": "syntax error",
    "loadsgf /no/such/file.sgf": "cannot load file",
    "loadsgf /": "cannot load file: / is not a file",
    "lz-analyze b": "this agent does not evaluate moves",
    "kibitz-values b": "this agent does not evaluate moves",
    "gogui-play_sequence b D4 w": "syntax error",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_in_words_and_changes_nothing(mistake: str) -> None:
    answers = said("showboard", mistake, "showboard", "5 protocol_version")
    assert answers[1].startswith(f"? {MISTAKES[mistake]}") or MISTAKES[mistake] in answers[1]
    assert answers[1][0] == "?"
    assert answers[0] == answers[2]
    assert answers[3] == "=5 2"


def test_junk_binary_and_very_long_lines_are_no_end() -> None:
    junk = bytes(range(256)).replace(b"\n", b"")
    answers = said(junk, b"play b " + b"D4 " * MAX_LINE_BYTES, b"\xff\xfe\x00", "7 protocol_version")
    assert answers[-1] == "=7 2"
    assert [text[0] for text in answers[:-1]] == ["?"] * (len(answers) - 1)
    assert f"? the line has more than {MAX_LINE_BYTES} bytes" in answers


def test_illegal_moves() -> None:
    # White takes the ko at D4; Black may not take back at once
    ko = "gogui-play_sequence b C4 b D3 b D5 w E3 w E5 w F4 b E4 w D4"
    assert last(ko, "play b E4").startswith("? illegal move: E4 retakes the ko")
    assert last(ko, "play b A1", "play w A2", "play b E4") == "= "
    assert last("play w A2", "play w B1", "play b A1").startswith("? illegal move: A stone on A1 has no liberties")
    assert last("play b E5", "play w E5").startswith("? illegal move: There is a stone on E5")


def test_any_colour_may_play_and_play_goes_on_after_two_passes() -> None:
    answers = said("play b D4", "play b E4", "play w pass", "play b pass", "play w pass", "play b E5", "genmove w")
    assert all(text[0] == "=" for text in answers)
    assert last("play b pass", "play w pass", "undo", "undo", "undo") == "? cannot undo: no move has been made"
    answers = said("play b A1", "play w A2", "showboard", "play w B1", "undo", "showboard")
    assert answers[2] == answers[5], "captured stones come back"


def test_handicap_stones_are_where_gtp_has_them() -> None:
    """The places for 2 to 9 stones are in the specification, section 4.1.1."""
    assert set(last("fixed_handicap 2").removeprefix("= ").split()) == {"C3", "G7"}
    nineteen = last("boardsize 19", "fixed_handicap 5").removeprefix("= ").split()
    assert set(nineteen) == {"D4", "Q16", "D16", "Q4", "K10"}
    assert last("fixed_handicap 2", "fixed_handicap 2") == "? board not empty"
    assert last("play b D4", "set_free_handicap D5 D6") == "? board not empty"
    assert len(last("place_free_handicap 30").split()) == 1 + 9, "an engine may place fewer stones"
    assert last("boardsize 5", "place_free_handicap 2").startswith("? invalid handicap")
    assert said("set_free_handicap A1 B2 C3", "showboard")[1].count("X") == 3


def test_final_score_and_dead_stones() -> None:
    # a wall of each colour down the middle; the lone white stone on Black's side is dead
    orders = [f"play b D{row}" for row in range(1, 10)] + [f"play w E{row}" for row in range(1, 10)]
    assert last(*orders, "final_score") == "= W+16", "Black 36, White 45 and 7 komi"
    orders.append("play w B5")
    lists = [f"final_status_list {status}" for status in ("dead", "seki", "alive")]
    *answers, alive = said(*orders, "final_score", *lists)[-4:]
    assert answers == ["= W+16", "= B5", "= "]
    assert alive.count("D") == 9
    assert said("komi 0", "final_score", "komi -2.5", "final_score") == ["= ", "= 0", "= ", "= B+2.5"]
    # stones with two eyes are alive, whatever surrounds them
    black = ["A3", "B3", "C3", "D3", "D2", "D1", "B1", "B2", "C2"]  # eyes at A1-A2 and C1
    white = [f"{column}4" for column in "ABCDE"] + ["E3", "E2", "E1"]
    orders = [f"play b {point}" for point in black] + [f"play w {point}" for point in white]
    assert last(*orders, "final_status_list dead") == "= "


def test_loading_a_record(tmp_path: Path) -> None:
    file = tmp_path / "a game.sgf"
    file.write_text("(;GM[1]SZ[13]KM[5.5]HA[2]AB[dd][jj]RU[Japanese];W[gg];B[gc];W[cg])", encoding="utf-8")
    assert said(f"loadsgf {file}", "showboard")[1].count("O") == 2
    # before move 2: only W[gg], which is G7
    shown = said(f"loadsgf {file} 2", "showboard")[1]
    assert "(O)" in shown
    assert shown.count("X") == 2
    assert said(f"loadsgf {file} 2", "genmove b")[1][:2] == "= "
    file.write_text("(;GM[1]SZ[9];B[aa];W[aa])", encoding="utf-8")
    answers = said("play b D4", "showboard", f"loadsgf {file}", "showboard")
    assert answers[2].startswith("? cannot load file: Move 2 of the record is illegal")
    assert answers[1] == answers[3]
    file.write_bytes(b"\x00\xff" * 999)
    assert last(f"loadsgf {file}").startswith("? cannot load file")


def test_whole_games_of_every_agent_are_legal() -> None:
    for spec in ("random", "greedy", "mcts(playouts=10)"):
        answers = said("boardsize 5", *["genmove b", "genmove w"] * 6, agent=spec)
        assert all(re.fullmatch(r"= ([A-E][1-5]|pass)?", text) for text in answers), spec


def test_analysis_tells_values_until_the_next_line() -> None:
    out, pipe = io.StringIO(), _Pipe()
    thread = threading.Thread(target=run, args=("mcts(playouts=50)", NINE, pipe, out))
    thread.start()
    pipe.send(b"8 lz-analyze b 10\n")
    wait_until(lambda: "info move" in out.getvalue(), "an analysis")
    pipe.send(b"9 protocol_version\nkata-genmove_analyze w\nreg_genmove b\nkibitz-line b\n")
    pipe.send(b"")
    thread.join(PATIENCE)
    first, second, third, fourth, fifth = out.getvalue().split("\n\n")[:-1]
    assert first.startswith("=8\ninfo move ")
    for info in first.split("info ")[1:]:
        found = re.fullmatch(
            r"move ([A-J][1-9]|pass) visits \d+ winrate (\d+) prior 0 order \d+ pv \1.*\s*", info, re.DOTALL
        )
        assert found, info
        assert 0 <= int(found[2]) <= 10_000
    assert second == "=9 2"
    assert re.match(r"=\ninfo move .* winrate [01]\.\d+ .*\nplay ([A-J][1-9]|pass)\Z", third, re.DOTALL)
    assert re.fullmatch(r"= ([A-J][1-9]|pass)", fourth)
    assert re.match(r"= B ([A-J][1-9]|pass)", fifth)


class _Pipe(io.RawIOBase):
    """Gives lines as they are sent; an empty one is the end."""

    def __init__(self) -> None:
        self._changed, self._data, self._ended = threading.Condition(), b"", False

    def send(self, data: bytes) -> None:
        with self._changed:
            self._data += data
            self._ended = not data
            self._changed.notify()

    def readline(self, size: int | None = -1, /) -> bytes:
        with self._changed:
            self._changed.wait_for(lambda: b"\n" in self._data or self._ended)
            line, newline, self._data = self._data.partition(b"\n")
            return line + newline


class Odd(Agent):
    """An agent of somebody else's making: resigns, fails, plays where it may not, then waits to be stopped."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        state = view.sample(self.rng)
        assert isinstance(state, GoState)
        if state.turn == 0:
            raise Resigned("enough")
        if state.turn == 1:
            raise ZeroDivisionError("a\nb")
        if state.turn == 2:
            return Choice(state.last)
        assert watch is not None
        while not watch.stopped:
            time.sleep(0.01)
        return Choice(0)


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of the odd agent."""
    monkeypatch.setitem(agent_entries("go"), "odd", AgentEntry(Odd))
    return "odd"


def test_an_agent_that_resigns_fails_or_cheats(odd: str) -> None:
    answers = said("genmove b", "play b D4", "genmove w", "play w E5", "genmove b", "1 name", agent=odd)
    assert answers[0] == "= resign"
    assert answers[2] == "? odd failed: ZeroDivisionError: a\nb"
    assert answers[4].startswith("? There is a stone on E5")
    assert answers[5] == "=1 kibitz odd"
    record = kibitz.play(NINE, [kibitz.agent(NINE, odd), kibitz.agent(NINE, "random")])
    assert (record.result, record.reason) == ("0-1", "Black resigned"), "which is no fault"


def test_gogui_can_interrupt(odd: str) -> None:
    out, pipe = io.StringIO(), _Pipe()
    thread = threading.Thread(target=run, args=(odd, NINE, pipe, out))
    thread.start()
    pipe.send(b"gogui-play_sequence b D4 w D5 b D6\ngenmove w\n")
    deadline = time.monotonic() + PATIENCE
    while out.getvalue() in ("", "= \n\n") and time.monotonic() < deadline:
        pipe.send(b"# interrupt\n")
        time.sleep(0.05)
    pipe.send(b"")
    thread.join(PATIENCE)
    assert out.getvalue() == "= \n\n= A9\n\n"


def test_the_time_of_a_move() -> None:
    clock, own = GtpClock(), Budget(seconds=100)
    assert clock.budget(0, 9, 0, own) == own
    clock.set(0, 30, 10)
    assert clock.budget(0, 9, 0, own) == Budget(seconds=3 - LAG_SECONDS)
    clock.set_left(0, 10, 1)
    assert clock.budget(0, 9, 0, own) == Budget(seconds=10 - LAG_SECONDS)
    assert clock.budget(1, 9, 0, own) == Budget(seconds=3 - LAG_SECONDS)
    clock.set(120, 0, 0)
    share = clock.budget(0, 9, 0, own).seconds
    assert share is not None
    assert 1 < share < 10, "a fair share of two minutes"
    clock.set_left(0, 0, 0)
    assert clock.budget(0, 9, 0, own) == Budget(seconds=0.05)
    clock.set(0, 10, 0)
    assert clock.budget(0, 9, 0, own) == own, "as GTP has it, no limit"
    assert GtpClock().budget(0, 19, 0, Budget()) == Budget()


def test_the_clock_runs_while_the_agent_thinks() -> None:
    engine = GtpEngine("random", NINE, io.StringIO())
    engine.execute("time_settings 0 30 3")
    engine.execute("genmove b")
    assert engine.clock.left[0][1] == 2
    assert engine.clock.left[1] == (30.0, 3)


def test_komi_and_rules_change_what_is_counted_for_the_game_so_far() -> None:
    orders = ["boardsize 5", "play b A1", "play w A2", "play w B1"]
    assert last(*orders, "komi 0", "undo", "kgs-rules japanese", "final_score")[0] == "="
    engine = GtpEngine("random", NINE, io.StringIO())
    for order in (*orders, "kgs-rules japanese", "komi 0.5", "genmove b"):
        engine.execute(order)
    assert engine.agent.game == engine.position.game == Go(size=5, komi=0.5, scoring="territory")


def test_the_command_as_a_process() -> None:
    command = ["go", "gtp", "--agent", "random", "--size", "7", "--komi", "3.5"]
    start = [sys.executable, "-m", "kibitz", *command]
    done = subprocess.run(start, input=b"1 showboard\n2 genmove b\ngenmove\n3 quit\nname\n", capture_output=True)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "  7 . . . . . . . 7" in text
    assert re.search(r"=2 ([A-G][1-7]|pass)\n\n\? syntax error[^\n]*\n\n=3 \n\n\Z", text)
    assert done.stderr == b""
    early, late = (["--size", "40"], ["-o", "handicap=3"], ["--komi", "0.1"]), (["--agent", "nobody"], ["--time", "-1"])
    ended = [inside.run_bytes(*command, *wrong) for wrong in early]
    ended += [subprocess.run([*start, *wrong], input=b"", capture_output=True) for wrong in late]  # they read a stdin
    for refused in ended:
        assert refused.returncode == 2
        assert refused.stderr.startswith(b"kibitz: ")
        assert refused.stderr.count(b"\n") == 1
