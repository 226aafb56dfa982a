"""kibitz engine as a real process: the same moves as the agent itself, and an error line for every mistake."""

from __future__ import annotations

import io
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import inside
import kibitz
from bots.programs import EXAMPLE
from clocks import PATIENCE
from kibitz.bots.engine import run
from kibitz.bots.outside import LastingBot
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import Resigned
from kibitz.core.game import Game, View

UTTT = kibitz.game("uttt")
DOCS = EXAMPLE.parent / "bots.md"
FULL = "xxx6/xxx6/xxx6/oo7/oo7/oo7/oo7/9/9 o -"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give engines all the time in the world: a busy machine is no fault."""
    monkeypatch.setattr(LastingBot, "reply_seconds", PATIENCE)
    monkeypatch.setattr(LastingBot, "start_seconds", PATIENCE)
    monkeypatch.setattr(LastingBot, "default_move_seconds", PATIENCE)


def engine(agent: str) -> tuple[str, ...]:
    return sys.executable, "-m", "kibitz", "engine", "uttt", agent


def engine_spec(agent: str) -> str:
    return "exec:" + shlex.join(engine(agent))


@contextmanager
def conversation(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Start a program to talk with, and see that it ends in the end."""
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            yield process
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()


def say(process: subprocess.Popen[str], *lines: str) -> None:
    assert process.stdin is not None
    process.stdin.write("".join(line + "\n" for line in lines))
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def hear_a_move(process: subprocess.Popen[str]) -> None:
    assert hear(process).startswith("info depth")
    assert re.fullmatch("bestmove [0-9]+", hear(process))


def answers(*lines: str, agent: type[Agent] | None = None, game: Game = UTTT) -> list[str]:
    """Return what the engine answers to lines, in this process; agent: default reflex."""
    out, made = io.StringIO(), agent(game) if agent else kibitz.agent(game, "reflex")
    run(made, game, io.StringIO("".join(line + "\n" for line in lines)), out)
    return out.getvalue().splitlines()


def test_the_engine_plays_as_the_agent_itself() -> None:
    for options in ({"variant": "closed"}, {"variant": "open", "tiebreak": "count"}):
        game = kibitz.game("uttt", **options)
        inside, rival, outside = (kibitz.agent(game, spec) for spec in ("random", "reflex", engine_spec("random")))
        for seed, seats in itertools.product(range(3), ((0, 1), (1, 0))):
            ours, theirs = (
                kibitz.play(game, [(agent, rival)[seat] for seat in seats], seed) for agent in (inside, outside)
            )
            assert (ours.moves, ours.result) == (theirs.moves, theirs.result)
        outside.close()


def test_the_engine_tells_what_the_agent_thinks() -> None:
    state = kibitz.replay(kibitz.play(UTTT, [kibitz.agent(UTTT, "random"), kibitz.agent(UTTT, "random")], 3))[-9]
    inside, outside = (kibitz.agent(UTTT, spec) for spec in ("alphabeta", engine_spec("alphabeta")))
    for budget in (Budget(nodes=50), Budget(nodes=100_000)):
        ours, theirs = (agent.choose(state.view(state.to_move), budget) for agent in (inside, outside))
        assert replace(theirs, seconds=0.0) == replace(ours, seconds=0.0, best=(ours.move,))
    assert ours.exact, "the second budget solves it"
    outside.close()


MISTAKES = {
    "hello": "error unknown command 'hello'",
    "STOP": "error unknown command 'STOP'",
    "kibitz": "error this engine speaks version 1",
    "kibitz 2": "error this engine speaks version 1",
    "seed": "error seed takes one whole number",
    "seed x": "error seed takes one whole number",
    "seed " + "9" * 5000: "error seed takes one whole number",
    "seat 2": "error seat takes 0 or 1",
    "newgame": "error newgame needs the name of a game",
    "newgame chess": "error There is no game 'chess'",
    "newgame uttt variant": "error 'variant' is not an option: write key=value",
    "newgame uttt variant=round": "error The game uttt cannot take variant='round'",
    "position": "error '' is not a position",
    "position 123": "error A position in digits must have 93 digits",
    "position \x1b[2J\x00": "error '\\x1b[2J\\x00'",
    "go seconds": "error go takes pairs",
    "go seconds x": "error 'x' is not a valid number of seconds",
    "go seconds nan": "error A budget must be more than 0, got nan seconds",
    "go nodes 0": "error A budget must be more than 0, got 0 nodes",
    "go nodes 1.5": "error '1.5' is not a valid number of nodes",
    "go depth 3": "error unknown limit 'depth'; go takes seconds, nodes, playouts",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_with_an_error_and_no_more(mistake: str) -> None:
    first, *rest = answers(mistake, "", "  ", "go")
    assert first.startswith(MISTAKES[mistake].rstrip("'"))
    assert rest == ["info depth 0 nodes 0", "bestmove 0"]


def test_a_finished_game_has_no_move() -> None:
    assert answers(f"position {FULL}", "go") == ["error the game is over, so there is no move to choose"]


class Broken(Agent):
    """Has a bug."""

    spec = "broken"

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        raise ZeroDivisionError("division\nby zero")

    def prepare(self) -> None:
        raise RuntimeError("no memory")


def test_a_bug_of_the_agent_is_an_error_line() -> None:
    found = answers("go", "newgame uttt", "seat 0", agent=Broken)
    assert found == ["error ZeroDivisionError: division by zero", "error RuntimeError: no memory"]


class Quitter(Agent):
    """Gives up."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        raise Resigned("enough")


def test_an_agent_that_resigns_says_so() -> None:
    assert answers("go", agent=Quitter) == ["resign"]


def test_lines_that_are_not_text_are_mistakes_too() -> None:
    ran = subprocess.run(engine("random"), input=b"\xff\xfe\nkibitz 1\n", capture_output=True, timeout=PATIENCE)
    assert (ran.returncode, ran.stderr) == (0, b"")
    first, *rest = ran.stdout.decode().splitlines()
    assert first.startswith("error unknown command")
    assert rest == ["id name kibitz random", "ready"]


@pytest.mark.parametrize("end", ["stop", "quit", ""])
def test_a_search_can_be_ended(end: str) -> None:
    with conversation(*engine("plain-mcts")) as process:
        say(process, "newgame uttt")
        assert hear(process) == "ready"
        say(process, "go seconds 100")
        time.sleep(0.2)
        began = time.monotonic()
        if end:
            say(process, end)
        else:
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None
        hear_a_move(process)
        if end == "stop":
            say(process, "stop", "go playouts 10", "quit")
            hear_a_move(process)
        assert process.wait(PATIENCE) == 0
        assert time.monotonic() - began < 90, "sooner than by itself"


def test_an_engine_that_nobody_listens_to_ends() -> None:
    read, write = os.pipe()
    with subprocess.Popen(engine("random"), stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE) as process:
        os.close(write)
        os.close(read)
        _, complaints = process.communicate(b"go\n" * 3, timeout=PATIENCE)
    assert b"Traceback" not in complaints


def test_ctrl_c_ends_an_engine() -> None:
    with subprocess.Popen(engine("random"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        say(process, "kibitz 1")
        hear(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("chess", "random"), "There is no game 'chess'"),
        (("uttt", "nobody"), "uttt has no agent 'nobody'"),
        (("uttt", "random", "-o", "variant=round"), "cannot take variant='round'"),
    ],
)
def test_what_cannot_be_started(words: tuple[str, ...], complaint: str) -> None:
    ran = inside.run("engine", *words)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("kibitz: ")
    assert complaint in ran.stderr


def test_the_options_of_the_command_line_count_until_a_game_is_announced() -> None:
    """Board 0 is won: it takes moves in the open variant only."""
    position = "position xxx6/oo7/o8/9/9/9/9/9/9 x 0"
    lines = [position, "go", "newgame uttt", position.replace(" 0", " -"), "go"]
    found = answers(*lines, game=kibitz.game("uttt", variant="open"))
    assert [line for line in found if line.startswith(("bestmove", "error"))] == ["bestmove 3", "bestmove 11"]


def test_the_example_is_short() -> None:
    code = Path(EXAMPLE).read_text(encoding="utf-8").splitlines()
    assert len([line for line in code if line.strip()]) <= 35
