"""An agent of kibitz as an engine of Go for others: GTP 2 on a pair of streams, with what GoGui and Sabaki add to it.

Lines are read by a thread of their own, so that a search can be interrupted.
The commands are in gtp_commands.py and gtp_analysis.py.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from queue import Queue
from typing import TYPE_CHECKING, BinaryIO, TextIO

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadText, KibitzError, Resigned
from kibitz.core.game import Player
from kibitz.games.go.gtp.clock import Clock
from kibitz.games.go.gtp.lines import INTERRUPT, LONGEST_LINE, answer, read_command
from kibitz.games.go.gtp.position import Table
from kibitz.games.go.rules import Go, GoState
from kibitz.search.agents import make_agent

if TYPE_CHECKING:
    from kibitz.games.go.gtp.commands import Order

MOST_WAITING = 1_000
"""Commands that may wait; whoever sends more has to wait himself."""
TOO_LONG = "\0"
"""Stands for a line that was too long to be read."""


def run(spec: str, game: Go, stdin: BinaryIO, stdout: TextIO, budget: Budget = Budget()) -> None:
    """Answer the commands of stdin on stdout until "quit" or its end. Raises BadOption if there is no such agent."""
    engine = Engine(spec, game, stdout, budget)
    lines = threading.Thread(target=engine.read, args=(stdin,), name="kibitz-gtp", daemon=True)
    lines.start()
    try:
        while not engine.left and (line := engine.lines.get()) is not None:
            engine.obey(line)
    finally:
        engine.agent.close()


class Engine:
    """A conversation: the table, the agent, the clock, and the commands still to be obeyed."""

    def __init__(self, spec: str, game: Go, stdout: TextIO, budget: Budget = Budget()) -> None:
        from kibitz.games.go.gtp.analysis import ANALYSIS
        from kibitz.games.go.gtp.commands import COMMANDS

        self.spec, self.budget, self._stdout = spec, budget, stdout
        self.table, self.clock = Table(game), Clock()
        self.commands: Mapping[str, Order] = {**COMMANDS, **ANALYSIS}
        self.lines: Queue[str | None] = Queue(MOST_WAITING)
        self.left = False
        self.id = ""
        """The number of the command that is obeyed now, or nothing."""
        self.watch = Watch()
        self.news = threading.Event()
        """Set by any new line while an analysis goes on, which it ends."""
        self.analysing = False
        self.games = 0
        self.agent: Agent = make_agent(self.table.game, spec)

    def read(self, stdin: BinaryIO) -> None:
        """Take lines to their end. One that is too long is passed over, and answered as such."""
        whole = True
        while piece := stdin.readline(LONGEST_LINE):
            ended, begins = piece.endswith(b"\n"), whole
            whole = ended
            if not begins:
                continue
            line = piece.decode("utf-8", "replace").strip("\r\n") if ended or len(piece) < LONGEST_LINE else TOO_LONG
            if line.strip().lower() == INTERRUPT:
                self.watch.stop()
            else:
                self._take(line)
        self._take(None)

    def _take(self, line: str | None) -> None:
        self.lines.put(line)
        if self.analysing:
            self.watch.stop()
            self.news.set()

    def obey(self, line: str) -> None:
        """Carry out one command and answer it."""
        command = read_command(line)
        if command is None and line != TOO_LONG:
            return
        self.id = command.id if command else ""
        try:
            if command is None:
                raise BadText(f"the line has more than {LONGEST_LINE} bytes")
            if command.name not in self.commands:
                raise BadText("unknown command")
            text, good = self.commands[command.name](self, command.words), True
        except KibitzError as error:
            text, good = str(error), False
        except BrokenPipeError:
            raise
        except Exception as fault:  # an agent may be anybody's code; the conversation goes on
            text, good = f"{self.spec} failed: {type(fault).__name__}: {fault}", False
        if text is not None:
            self.say(answer(self.id, text, good))

    def say(self, text: str) -> None:
        """Send a text as it is."""
        self._stdout.write(text)
        self._stdout.flush()

    def new_game(self, game: Go) -> None:
        """Clear the board; the next game is played from another seed."""
        self.table.clear(game)
        self.games += 1
        self.seat().reset(self.games)
        self.agent.prepare()
        self.clock.restart()

    def seat(self) -> Agent:
        """Return the agent, made anew if it was made for other rules."""
        if self.agent.game != self.table.game:
            made = make_agent(self.table.game, self.spec, self.games)
            self.agent.close()
            self.agent = made
        return self.agent

    def think(self, player: Player, budget: Budget) -> tuple[GoState, Choice]:
        """Return the position with a player to move, and what the agent chooses there. Raises IllegalMove, Resigned."""
        state = self.table.turn_of(player)
        if state.outcome() is not None:
            raise BadText(f"the game is over: it has {state.turn} moves")
        agent = self.seat()
        agent.prepare()
        if not self.analysing:
            self.watch = Watch()
        choice = agent.choose(state.view(player), budget, self.watch)
        state.play(choice.move)
        return state, choice

    def generate(self, player: Player) -> tuple[str, Choice | None]:
        """Have the agent make a move as the clock allows; return its text, "resign" if it gives up, and its choice."""
        budget = self.clock.budget(player, self.table.game.size, self.table.state.turn, self.budget)
        try:
            with self.clock.running(player):
                state, choice = self.think(player, budget)
        except Resigned:
            return "resign", None
        self.table.play(player, choice.move)
        return state.game.move_text(choice.move), choice
