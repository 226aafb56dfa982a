"""exec: bots as real processes: whole games, every fault, and nothing left behind."""

from __future__ import annotations

import dataclasses
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import kibitz
from bots import programs as bots
from bots.programs import Fault, exec_bot, nothing_left, processes, read, wait_until_gone, write_script
from clocks import PATIENCE, wait_until
from kibitz.bots import process
from kibitz.bots.exec import ExecBot
from kibitz.bots.outside import LastingBot
from kibitz.bots.process import Child
from kibitz.bots.protocol import Info, info_line, move_word, read_info, read_move
from kibitz.core import registry
from kibitz.core.agent import Agent, Budget, Choice, Counted, Unit, Watch
from kibitz.core.errors import AgentFault, BadOption, Died, Flood, Garbage, IllegalMove, OutOfTime
from kibitz.core.package import GamePackage
from kibitz.core.parts import Evaluations
from kibitz.search.agents import agent_entries
from toy.package import TOY
from toy.rules import Toy

UTTT = kibitz.game("uttt")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give bots all the time in the world, but for those that are late on purpose: a busy machine is no fault."""
    monkeypatch.setattr(LastingBot, "reply_seconds", PATIENCE)
    monkeypatch.setattr(LastingBot, "start_seconds", PATIENCE)
    monkeypatch.setattr(LastingBot, "default_move_seconds", PATIENCE)
    monkeypatch.setattr(process, "_EXIT_SECONDS", PATIENCE)


def bot(line: str) -> ExecBot:
    made = kibitz.agent(UTTT, f"exec:{line}")
    assert isinstance(made, ExecBot)
    return made


@contextmanager
def running(folder: Path, **hooks: str) -> Iterator[ExecBot]:
    """Yield a bot with code at its hooks, close it, and check that nothing of it is left."""
    with nothing_left(folder), closing(bot(exec_bot(folder, **hooks))) as agent:
        yield agent


def play(second: Agent, budget: Budget = Budget(), seed: int = 1) -> kibitz.GameRecord:
    """Play a game in which the bot is second, so that it always has an illegal move at hand."""
    return kibitz.play(UTTT, [kibitz.agent(UTTT, "random"), second], seed, [Budget(), budget])


def test_the_example_plays_whole_games_on_both_seats() -> None:
    game = kibitz.game("uttt", variant="open", tiebreak="count")
    pair = [kibitz.agent(game, f"exec:{bots.command(bots.EXAMPLE)}") for _ in range(2)]
    records = [kibitz.play(game, pair, seed) for seed in (1, 2, 1)]
    for record in records:
        assert "forfeit" not in record.reason
        kibitz.replay(record)
        assert record.agents == (pair[0].spec, pair[1].spec)
    assert records[0].moves == records[2].moves, "the bot was told its seed"
    assert records[0].moves != records[1].moves
    for agent in pair:
        agent.close()


def test_one_agent_may_sit_on_both_seats(tmp_path: Path) -> None:
    with running(tmp_path, start="seats = []", seat="seats.append(rest)", go="note('seats', seats[-1])") as agent:
        record = kibitz.play(UTTT, [agent, agent], 1)
        assert "forfeit" not in record.reason
        assert read(tmp_path / "seats") == [str(i % 2) for i in range(len(record.moves))]


def test_what_a_bot_is_told(tmp_path: Path) -> None:
    with nothing_left(tmp_path):
        script = """
        for line in sys.stdin:
            note("heard", line.strip())
            if line.startswith(("kibitz", "newgame")):
                say("ready")
            elif line.startswith("go"):
                say("bestmove 36")
            elif line.startswith("quit"):
                break
        """
        agent = bot(write_script(tmp_path, script))
        agent.reset(77)
        state = UTTT.start().play(40)
        choice = agent.choose(state.view(1), Budget(seconds=1.5, nodes=100, playouts=7))
        assert choice.move == 36
        agent.choose(state.view(1))
        agent.close()
        told = [f"position {UTTT.position_text(state)}", "legal 36 37 38 39 41 42 43 44"]
        assert read(tmp_path / "heard") == [
            "kibitz 1", "seed 77", "newgame uttt variant=closed tiebreak=draw", "seat 1",
            *told, "go seconds 1.5 nodes 100 playouts 7", *told, "go", "quit",
        ]  # fmt: skip


FLOODED = "sent more than 1,000 lines | sent 2,000 lines and no move"
"""Which of the two depends on who is quicker, the flood or its reader."""


FAULTS = {
    "silent": Fault("go", "time.sleep(100)", OutOfTime, "did not answer within 0.2 s"),
    "busy": Fault("go", "while True: pass", OutOfTime, "did not answer"),
    "slow": Fault("go", "time.sleep(1)", OutOfTime, "did not answer"),
    "never reads": Fault("start", "time.sleep(100)", OutOfTime, "did not answer within 0.5 s"),
    "silent newgame": Fault("newgame", "time.sleep(100)", OutOfTime, "did not answer within 0.5 s"),
    "floods stderr": Fault(
        "go", "while True: print('x' * 9999, file=sys.stderr)", OutOfTime, "did not answer within 0.2 s"
    ),
    "only infos": Fault("go", "while True: say('info depth 1'); time.sleep(0.01)", OutOfTime, "did not answer"),
    "garbage": Fault("go", "say('\\x1b[2Jhello\\xff')", Garbage, "answered 'go' with '\\x1b[2Jhello"),
    "not text": Fault("go", "os.write(1, b'\\xfe\\x00\\xff\\n')", Garbage, "answered 'go' with"),
    "empty line": Fault("go", "say('')", Garbage, "answered 'go' with ''"),
    "no move": Fault("go", "say('bestmove 81')", Garbage, "played '81', which is not a move"),
    "no move at all": Fault("go", "say('bestmove')", Garbage, "played '', which is not a move"),
    "illegal": Fault("go", "say(f'bestmove {(int(legal[0]) + 40) % 81}')", IllegalMove, "The last move sends O"),
    "gives up": Fault("go", "say('error no idea')", AgentFault, "cannot continue: 'error no idea'"),
    "wrong handshake": Fault("kibitz", "say('uciok')", Garbage, "answered 'kibitz 1' with 'uciok' instead of 'ready'"),
    "refuses": Fault("newgame", "say('error chess only')", AgentFault, "tiebreak=draw': 'error chess only'"),
    "dies at start": Fault("start", "sys.exit('no licence')", Died, "ended with exit code 1: no licence"),
    "dies at newgame": Fault("newgame", "sys.exit(3)", Died, "ended with exit code 3"),
    "dies at go": Fault(
        "go", "if move == 2: print('a\\nb\\nc\\nd', file=sys.stderr); sys.exit(4)", Died, "4: b | c | d"
    ),
    "dies after a move": Fault("after", "os._exit(5)", Died, "ended with exit code 5"),
    "is killed": Fault("go", "os.kill(os.getpid(), signal.SIGSEGV)", Died, "was ended by signal 11"),
    "closes its output": Fault("go", "os.close(1); time.sleep(100)", Died, "closed its output"),
    "floods": Fault("go", "while True: say(*['info depth 1'] * 1000)", Flood, FLOODED),
    "floods after a move": Fault("after", "while True: say(*['info'] * 1000)", Flood, FLOODED),
    "endless line": Fault("go", "while True: sys.stdout.write('x' * 9999)", Flood, "a line of more than 10,000 bytes"),
    "leaves a child": Fault("go", "start('sleep', '99'); sys.exit(6)", Died, "ended with exit code 6"),
    "hides a child": Fault(
        "go", "start('sleep', '99', start_new_session=True); sys.exit(7)", Died, "ended with exit code 7"
    ),
}


STAYS = ("closes its output", "leaves a child", "hides a child")
"""Faults after which something stays that the end of is waited for, in vain."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_loses_one_game_and_no_more(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[name]
    if name in STAYS:
        monkeypatch.setattr(process, "_EXIT_SECONDS", 0.5)
    with nothing_left(tmp_path):
        agent = bot(exec_bot(tmp_path, **fault.hook))
        why = bots.loses_one_game_and_no_more(agent, fault, fault.place == "go", play)
        assert why.startswith("forfeit by O")


HARMLESS = {
    "talks on stderr": ("go", "print('x\\n' * 99999, file=sys.stderr)"),
    "says much": ("go", "say(*['info depth 3 nodes 12345 value 0.5 unit probability'] * 100)"),
    "says nonsense as info": ("go", "say('info', 'info depth', 'info depth x value nan nodes -1 line 99 q unit ells')"),
    "ends lines with CR LF": ("go", "say('info depth 1\\r', f'bestmove {legal[-1]}\\r'); continue"),
    "starts a helper": ("start", "start('sleep', '99')"),
    "dies between two games": ("newgame", "if game == 2: sys.exit(1)"),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_fault(name: str, tmp_path: Path) -> None:
    place, code = HARMLESS[name]
    with running(tmp_path, **{place: code}) as agent:
        for seed in range(2):
            assert "forfeit" not in play(agent, seed=seed).reason


def test_a_bot_that_is_silent_between_two_games_is_started_again(tmp_path: Path) -> None:
    with running(tmp_path, newgame="if game == 2: time.sleep(100)") as agent:
        assert "forfeit" not in play(agent).reason
        bots.lose_patience_with_this_process(agent)
        assert "forfeit" not in play(agent).reason
        assert len(processes(tmp_path)) == 2


def test_a_bot_may_resign(tmp_path: Path) -> None:
    with running(tmp_path, go="if process == 1 and move == 3:\n    say('resign')\n    continue") as agent:
        record = play(agent)
        assert (record.result, record.reason) == ("1-0", "O resigned")
        assert "resigned" not in play(agent, seed=5).reason


def test_infos_reach_the_watch_and_the_choice(tmp_path: Path) -> None:
    go = """
    say("info depth 2 nodes 10 value 1 unit result exact true line 40 36 99")
    say("info depth 3 playouts 5 value 0.75 unit probability line 40 36 3 nonsense")
    time.sleep(0.2)
    legal = ["40"]
    """
    with running(tmp_path, go=go) as agent:
        watch = Watch()
        choice = agent.choose(UTTT.start().view(0), watch=watch)
        assert (choice.move, choice.value, choice.unit, choice.exact) == (40, 0.75, "probability", False)
        assert (choice.depth, choice.nodes, choice.playouts, choice.line) == (3, 10, 5, (40, 36, 3))
        assert 0.2 <= choice.seconds < PATIENCE
        assert (watch.depth, watch.nodes, watch.value, watch.move) == (3, 10, 0.75, 40)


@pytest.mark.parametrize(
    "told", ["value 2 unit probability", "value 1 unit result", "value 0.5 unit result exact true", "unit boxes"]
)
def test_a_value_that_cannot_be_is_not_passed_on(told: str, tmp_path: Path) -> None:
    with running(tmp_path, go=f"say('info depth 2 {told} line 7')") as agent:
        choice = agent.choose(UTTT.start().view(0))
        assert (choice.value, choice.unit, choice.exact, choice.depth) == (None, None, False, 2)
        assert choice.line == (), "the line begins with another move"


@pytest.mark.parametrize("unit", ["result", "probability", "share", Counted("life point", "life points"), None])
def test_what_is_told_is_read_again(unit: Unit | None, add_game: Callable[[GamePackage], None]) -> None:
    counted = unit if isinstance(unit, Counted) else Counted("stone", "stones")
    add_game(dataclasses.replace(TOY, evaluations=lambda: Evaluations(unit=counted)))
    told = Choice(2, 1.0, unit, exact=True, line=(2, 1), depth=3, nodes=40, playouts=5)
    words = info_line(Toy(), told).split()
    found = read_info(words[1:], Toy().start(), Info()).choice(2, 0.0)
    assert found == told
    assert type(found.unit) is type(unit)


def test_only_what_a_game_counts_is_a_unit_of_it() -> None:
    for name, known in (("uttt", set[str]()), ("dots", {"boxes"}), ("go", {"points"})):
        state = kibitz.game(name).start()
        for unit in ("boxes", "points", "Counted", "box"):
            read = read_info(["value", "3", "unit", unit], state, Info()).unit
            assert read == (unit if unit in known else None)


def test_a_stop_is_passed_on(tmp_path: Path) -> None:
    with running(tmp_path, go="assert sys.stdin.readline() == 'stop\\n'") as agent:
        watch = Watch()
        threading.Timer(0.2, watch.stop).start()
        assert agent.choose(UTTT.start().view(0), watch=watch).move == 0


@pytest.mark.parametrize("deaf", ["", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"])
def test_a_bot_that_does_not_quit_is_ended(deaf: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_EXIT_SECONDS", 0.5)
    with nothing_left(tmp_path):
        agent = bot(exec_bot(tmp_path, start=deaf, quit="time.sleep(100)"))
        agent.prepare()
        began = time.monotonic()
        agent.close()
        assert time.monotonic() - began < 90
        agent.close()


def test_a_bot_that_quits_may_tidy_up(tmp_path: Path) -> None:
    with running(tmp_path, quit="note('goodbye', 'done')") as agent:
        agent.prepare()
    assert read(tmp_path / "goodbye") == ["done"]


def test_a_forgotten_bot_is_ended(tmp_path: Path) -> None:
    with nothing_left(tmp_path):
        bot(exec_bot(tmp_path, quit="time.sleep(100)")).prepare()


def test_a_bot_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    with running(tmp_path) as agent:
        thread = threading.Thread(target=agent.prepare)
        thread.start()
        thread.join()
        time.sleep(0.1)
        assert agent.choose(UTTT.start().view(0)).move == 0
        assert len(processes(tmp_path)) == 1


@pytest.mark.parametrize("end", ["pass", "os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_bots_end_with_kibitz_however_it_ends(end: str, tmp_path: Path) -> None:
    line = exec_bot(tmp_path, after="time.sleep(100)")
    code = f"""
import kibitz, os, signal
agent = kibitz.agent("uttt", {"exec:" + line!r})
agent.choose(kibitz.game("uttt").start().view(0))
{end}
"""
    subprocess.run([sys.executable, "-c", code], timeout=90, check=False)  # before the bot wakes up
    pids = processes(tmp_path)
    assert len(pids) == 1
    assert wait_until_gone(pids) == []


def test_a_program_that_never_reads_cannot_block_the_writer(tmp_path: Path) -> None:
    with nothing_left(tmp_path):
        child = Child(write_script(tmp_path, "say('here')\ntime.sleep(100)"))
        assert child.read(time.monotonic() + PATIENCE) == "here"
        began = time.monotonic()
        assert not child.send(["x" * 1_000_000], began + 0.3)
        assert not child.send(["more"], began + 0.4)
        assert 0.4 <= time.monotonic() - began < 90
        child.close()


def test_many_games_and_many_faults_leave_nothing_open(tmp_path: Path) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    with running(tmp_path, go="if game % 10 == 0 and move == 9: sys.exit(1)") as agent:
        play(agent)
        files, threads = open_files(), threading.active_count()
        forfeits = sum("forfeit" in play(agent, seed=seed).reason for seed in range(99))
        assert forfeits == 10, "one game in ten, in each process"
        play(agent)
        wait_until(lambda: open_files() <= files, "the end of pipes")
        wait_until(lambda: threading.active_count() <= threads, "the end of threads")
        assert len(processes(tmp_path)) == 11


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("exec:", "'exec:' names no program: write exec:COMMAND."),
        ("exec:   ", "names no program"),
        ("exec:no-such-program --fast", "'no-such-program' was not found"),
        ("exec:/etc/passwd", "'/etc/passwd' was not found or is not executable"),
        ("exec:python3 'bot.py", "Cannot parse the command python3 'bot.py: No closing quotation"),
        ("exec:''", "'' was not found"),
        ("codingame:", "names no program"),
    ],
)
def test_a_command_that_cannot_be_run_is_a_mistake_of_the_user(spec: str, words: str) -> None:
    with pytest.raises(BadOption) as raised:
        kibitz.agent(UTTT, spec)
    assert words in str(raised.value)


def test_a_file_that_is_no_program_loses_the_game(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_bytes(b"\x7fELF nonsense")
    script.chmod(0o755)
    record = play(bot(shlex.quote(str(script))))
    assert record.result == "1-0"
    assert "Cannot start" in record.reason


def test_a_program_that_goes_missing_loses_the_game(tmp_path: Path) -> None:
    line = exec_bot(tmp_path)
    script = tmp_path / "bot.sh"
    script.write_text(f"#!/bin/sh\nexec {line}\n", encoding="utf-8")
    script.chmod(0o755)
    with nothing_left(tmp_path):
        agent = bot(shlex.quote(str(script)))
        assert "forfeit" not in play(agent).reason
        agent.close()
        script.unlink()
        assert "was not found" in play(agent).reason


def test_the_words_of_a_command_are_split_as_a_shell_would_but_not_run_by_one(tmp_path: Path) -> None:
    line = exec_bot(tmp_path, start="note('arguments', sys.argv[1:])")
    with nothing_left(tmp_path):
        agent = bot(f"{line} 'two words' $HOME ; | \"a;b\"")
        agent.prepare()
        agent.close()
        assert read(tmp_path / "arguments") == ["['two words', '$HOME', ';', '|', 'a;b']"]


def test_an_interrupted_question_ends_the_bot(tmp_path: Path) -> None:
    """After Ctrl-C nobody knows what the bot answers to, so the next game gets a new one."""
    with running(tmp_path, go="if process == 1:\n    note('asked', move)\n    time.sleep(100)") as agent:

        def interrupt() -> None:
            wait_until((tmp_path / "asked").exists, "the question")
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            agent.choose(UTTT.start().view(0))
        assert not bots.is_running(processes(tmp_path)[0])
        assert "forfeit" not in play(agent).reason


def test_moves_are_single_words(game: kibitz.Game) -> None:
    """A line "legal a b c" could not be read otherwise."""
    words = [move_word(game, move) for move in game.moves()]
    assert all(word and not set(word) & set(" \t\r\n") for word in words)
    assert [read_move(game, word) for word in words] == list(game.moves())
    assert "\n" not in game.position_text(game.start())


def test_outside_prefixes_hide_no_agent() -> None:
    for name in registry.packages():
        assert not set(registry.bot_kinds(name)) & set(agent_entries(name))
