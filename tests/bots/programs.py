"""Outside programs for the tests: small Python scripts, most of them with a fault."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent, indent
from typing import NamedTuple

from clocks import PATIENCE
from kibitz.bots.outside import LastingBot
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import OutOfTime
from kibitz.core.game import View
from kibitz.core.record import GameRecord

EXAMPLE = Path(__file__).parents[2] / "docs" / "example_bot.py"

_HEAD = """
import os, signal, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))


def say(*lines):
    print(*lines, sep="\\n", flush=True)


def note(file, text):
    with open(os.path.join(HERE, file), "a") as notes:
        print(text, file=notes)


def is_cured():
    return os.path.exists(os.path.join(HERE, "cured"))


def start(*words, **options):
    import subprocess
    note("children", subprocess.Popen(words, **options).pid)


note("pids", os.getpid())
with open(os.path.join(HERE, "pids")) as notes:
    process = len(notes.readlines())  # 1 in the first process of this script, 2 in the second ...
"""

_EXEC = """
{start}
game = move = 0
for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    if command == "kibitz":
{kibitz}
        say("id name test", "id author nobody", "ready")
    elif command == "newgame":
        game, move = game + 1, 0
{newgame}
        say("ready")
    elif command == "seat":
{seat}
    elif command == "legal":
        legal = rest.split()
    elif command == "go":
        move += 1
{go}
        say(f"bestmove {{legal[0]}}")
{after}
    elif command == "quit":
{quit}
        break
"""


def command(script: Path) -> str:
    """Return the command line that runs a Python script."""
    return shlex.join([sys.executable, "-I", "-S", str(script)])


def write_script(folder: Path, code: str) -> str:
    """Write a script that notes the processes it runs in, and return its command line."""
    script = folder / "bot.py"
    script.write_text(_HEAD + dedent(code), encoding="utf-8")
    return command(script)


def exec_bot(folder: Path, **hooks: str) -> str:
    """Write a bot for exec: that plays the first legal move, with code at the hooks; return its command line.

    start: before anything is read; kibitz, newgame, seat, go, quit: before the
    answer to that command; after: after a move.
    """
    places = dict.fromkeys(("start", "kibitz", "newgame", "seat", "go", "after", "quit"), "") | hooks
    code = {
        place: indent(dedent(text).strip() or "pass", "" if place == "start" else " " * 8)
        for place, text in places.items()
    }
    return write_script(folder, _EXEC.format(**code))


def processes(folder: Path) -> list[int]:
    """Return the process numbers that the scripts in a folder noted, their children's included."""
    return [int(pid) for file in ("pids", "children") if (folder / file).exists() for pid in read(folder / file)]


def read(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def is_running(pid: int) -> bool:
    """Return whether a process is there and not just waiting to be reaped."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def cure(folder: Path) -> None:
    """Let the bots in a folder do nothing wrong from now on."""
    (folder / "cured").touch()


def wait_until_gone(pids: list[int], seconds: float = PATIENCE) -> list[int]:
    """Return the processes that still run after this time."""
    deadline = time.monotonic() + seconds
    while (left := [pid for pid in pids if is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def marked() -> list[int]:
    """Return all running processes that were started, by whatever way, by a bot of this test process."""
    mark, found = f"KIBITZ_BOT={os.getpid()}-".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if any(entry.startswith(mark) for entry in (folder / "environ").read_bytes().split(b"\0")):
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if is_running(pid)]


class Witness(Agent):
    """Plays as another agent and remembers its fault."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.spec = agent, agent.spec
        self.fault: Exception | None = None
        super().__init__(agent.game)

    def reset(self, seed: int) -> None:
        self.fault = None
        self.agent.reset(seed)

    def prepare(self) -> None:
        self.agent.prepare()

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        try:
            return self.agent.choose(view, budget, watch)
        except Exception as fault:
            self.fault = fault
            raise


@contextmanager
def nothing_left(folder: Path) -> Iterator[None]:
    """Check that no process is left of what the scripts in a folder did meanwhile."""
    yield
    pids = processes(folder)
    assert pids, "no script ran"
    assert wait_until_gone(pids) == []
    assert marked() == []


def lose_patience_with_this_process(agent: LastingBot) -> None:
    """Wait half a second for the process that a bot has now, and as long as it takes for the next one."""
    greet = agent._greet

    def greet_patiently() -> None:
        agent.reply_seconds = agent.start_seconds = PATIENCE
        greet()

    agent.reply_seconds = 0.5
    agent._greet = greet_patiently  # type: ignore[method-assign]


class Fault(NamedTuple):
    """What a bot does wrong until it is cured, and what becomes of it."""

    place: str
    code: str
    kind: type[Exception]
    words: str
    """of the reason; several that are right are joined by a bar"""

    @property
    def hook(self) -> dict[str, str]:
        """The code where it belongs in a bot."""
        return {self.place: f"if not is_cured():\n{' ' * 4}{self.code}"}


def loses_one_game_and_no_more(
    agent: LastingBot, fault: Fault, at_move: bool, play: Callable[[Agent, Budget, int], GameRecord]
) -> str:
    """Check that a bot loses a game by its fault and plays well once it is cured; return why it lost."""
    late = fault.kind is OutOfTime
    agent.reply_seconds = agent.start_seconds = 0.5 if late and not at_move else PATIENCE
    witness, began = Witness(agent), time.monotonic()
    record = play(witness, Budget(seconds=0.2 if late else PATIENCE), 1)
    assert not late or time.monotonic() - began < 90, "whoever sleeps for 100 s is not waited for"
    assert record.result == "1-0"
    assert type(witness.fault) is fault.kind
    assert agent.command in record.reason
    assert any(words in record.reason for words in fault.words.split(" | "))
    assert GameRecord.from_json(record.to_json()) == record
    script = Path(shlex.split(agent.command)[-1])
    assert wait_until_gone(processes(script.parent)) == [], "killed at once, not when the agent is closed"
    cure(script.parent)
    agent.reply_seconds = agent.start_seconds = PATIENCE
    assert "forfeit" not in play(witness, Budget(), 5).reason
    agent.close()
    return record.reason
