"""Runs a kibitz agent as a GTP 2 engine on a pair of streams, with the commands that GoGui and Sabaki add.

A separate thread reads the input lines, so that a search can be interrupted. The
commands are in commands.py.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from queue import Queue
from typing import TYPE_CHECKING, BinaryIO, TextIO

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadText, KibitzError, Resigned
from kibitz.core.game import Player
from kibitz.games.go.gtp.clock import GtpClock
from kibitz.games.go.gtp.lines import INTERRUPT, MAX_LINE_BYTES, answer, read_command
from kibitz.games.go.gtp.position import GtpPosition
from kibitz.games.go.rules import Go, GoState
from kibitz.search.agents import make_agent

if TYPE_CHECKING:
    from kibitz.games.go.gtp.commands import Handler

MAX_QUEUED_LINES = 1_000  # stop reading while this many lines are waiting
TOO_LONG = "\0"  # placeholder in the queue for a line that was too long


def run(spec: str, game: Go, stdin: BinaryIO, stdout: TextIO, budget: Budget = Budget()) -> None:
    """Answer commands from stdin on stdout until "quit" or end of input. Raise BadOption for an unknown agent."""
    engine = GtpEngine(spec, game, stdout, budget)
    lines = threading.Thread(target=engine.read, args=(stdin,), name="kibitz-gtp", daemon=True)
    lines.start()
    try:
        while not engine.quitting and (line := engine.lines.get()) is not None:
            engine.execute(line)
    finally:
        engine.agent.close()


class GtpEngine:
    """A GTP session: the position, the agent, the clock, and the input lines still to be processed."""

    def __init__(self, spec: str, game: Go, stdout: TextIO, budget: Budget = Budget()) -> None:
        from kibitz.games.go.gtp.commands import COMMANDS

        self.spec: str = spec
        self.budget, self._stdout = budget, stdout
        self.position: GtpPosition = GtpPosition(game)
        self.clock = GtpClock()
        self.commands: Mapping[str, Handler] = COMMANDS
        self.lines: Queue[str | None] = Queue(MAX_QUEUED_LINES)
        self.quitting = False
        self.id = ""  # the id of the current command, or empty
        self.answered = False  # set by a command that sends its answer itself
        self.watch = Watch()
        self.input_arrived = threading.Event()  # set when a new line arrives during an analysis, to end it
        self.analysing = False
        self.games = 0
        self.agent: Agent = make_agent(self.position.game, spec)

    def read(self, stdin: BinaryIO) -> None:
        """Queue all lines of stdin, then None at its end. INTERRUPT is not queued: it stops the search at once.

        A line of more than MAX_LINE_BYTES is read in several parts: TOO_LONG is queued for the first, the rest skipped.
        """
        line_ended = True
        while part := stdin.readline(MAX_LINE_BYTES):
            is_rest, line_ended = not line_ended, part.endswith(b"\n")
            if is_rest:
                continue
            is_too_long = not line_ended and len(part) == MAX_LINE_BYTES  # a shorter part is the end of the input
            line = TOO_LONG if is_too_long else part.decode("utf-8", "replace").strip("\r\n")
            if line.strip().lower() == INTERRUPT:
                self.watch.stop()
            else:
                self._put(line)
        self._put(None)

    def _put(self, line: str | None) -> None:
        self.lines.put(line)
        if self.analysing:
            self.watch.stop()
            self.input_arrived.set()

    def execute(self, line: str) -> None:
        """Carry out the command on a line, and send the answer."""
        command = read_command(line)
        if command is None and line != TOO_LONG:
            return
        self.id, self.answered = command.id if command else "", False
        try:
            if command is None:
                raise BadText(f"the line has more than {MAX_LINE_BYTES} bytes")
            if command.name not in self.commands:
                raise BadText("unknown command")
            text, succeeded = self.commands[command.name](self, command.args) or "", True
        except KibitzError as error:
            text, succeeded = str(error), False
        except BrokenPipeError:
            raise
        except Exception as fault:  # an agent may be third-party code; the engine keeps running
            text, succeeded = f"{self.spec} failed: {type(fault).__name__}: {fault}", False
        if not succeeded or not self.answered:
            self.send(answer(self.id, text, succeeded))

    def send(self, text: str) -> None:
        """Send text unchanged, and flush it."""
        self._stdout.write(text)
        self._stdout.flush()

    def new_game(self, game: Go) -> None:
        """Start a game on an empty board, with a new seed for the agent and full clocks."""
        self.position.clear(game)
        self.games += 1
        self.current_agent().reset(self.games)
        self.agent.prepare()
        self.clock.restart()

    def current_agent(self) -> Agent:
        """Return the agent, replacing it with a new one if the rules have changed."""
        if self.agent.game != self.position.game:
            new_agent = make_agent(self.position.game, self.spec, self.games)
            self.agent.close()
            self.agent = new_agent
        return self.agent

    def think(self, player: Player, budget: Budget) -> tuple[GoState, Choice]:
        """Return the position, with this player to move, and the agent's choice. Raise Resigned, or BadText if over."""
        state = self.position.state_for(player)
        if state.outcome() is not None:
            raise BadText(f"the game is over after {state.turn} moves")
        agent = self.current_agent()
        agent.prepare()
        if not self.analysing:
            self.watch = Watch()
        choice = agent.choose(state.view(player), budget, self.watch)
        state.play(choice.move)
        return state, choice

    def generate(self, player: Player) -> tuple[str, Choice | None]:
        """Let the agent move within its time; return the move as text, or "resign", and the choice."""
        budget = self.clock.budget(player, self.position.game.size, self.position.state.turn, self.budget)
        try:
            with self.clock.running(player):
                state, choice = self.think(player, budget)
        except Resigned:
            return "resign", None
        self.position.play(player, choice.move)
        return state.game.move_text(choice.move), choice
