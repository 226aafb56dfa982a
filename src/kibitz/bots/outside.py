"""Outside programs as agents: starting them, waiting with a deadline, handling faults.

A program is started when a game needs it and killed after any fault; the next game starts a new one.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from kibitz.bots.process import MAX_LINE_BYTES, Child, split_command
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import IllegalMove, KibitzError, OutOfTime
from kibitz.core.game import G, Move, V

GRACE_SECONDS = 0.5
"""Accept answers up to this long after the deadline."""


class OutsideBot(Agent[G, V]):
    """An agent whose moves come from a program, given as a command line. Raise BadOption if it cannot be found."""

    max_line_bytes = MAX_LINE_BYTES

    def __init__(self, game: G, command: str) -> None:
        split_command(command)
        self.command = command.strip()
        self._child: Child | None = None
        self._fault: Exception | None = None
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Begin a new game and forget any error in the last one."""
        super().reset(seed)
        self._fault = None

    def prepare(self) -> None:
        """Start the program and set up the game. If this fails, the next choose() raises the error."""
        try:
            if self._fault is None:
                self._get_ready()
        except BaseException as fault:
            self._drop()
            if not isinstance(fault, KibitzError):
                raise
            self._fault = fault

    def choose(self, view: V, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move. Raise IllegalMove, AgentFault if the program fails, BadOption if it does not start."""
        with self._running():
            return self._answer(view, budget, watch)

    def analyse(self, view: V, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the program's analysis, or only its move if it cannot analyse. Raise the same errors as choose()."""
        with self._running():
            return self._analyse(view, budget, watch)

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Have the program ready during the block; end it if the block fails."""
        self.prepare()
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault
        try:
            yield
        except BaseException:
            self._drop()
            raise

    def close(self) -> None:
        """End the program."""
        self._drop()

    @abstractmethod
    def _get_ready(self) -> None:
        """Start the program if it isn't running, and send the game if not already sent."""

    @abstractmethod
    def _answer(self, view: V, budget: Budget, watch: Watch | None) -> Choice:
        """Ask the program for a move in this view; return its choice."""

    def _analyse(self, view: V, budget: Budget, watch: Watch | None) -> Choice:
        """Ask the program for an analysis of this view; return it."""
        return self._answer(view, budget, watch)

    def _drop(self, farewell: str | None = None) -> None:
        """End the program, after sending it a farewell if given; the next game starts another."""
        if self._child is not None:
            self._child.close(farewell)
            self._child = None

    def _ask(self, lines: Iterable[str], seconds: float) -> float:
        """Send lines and return the deadline for the answer. Raise OutOfTime if the program does not read them."""
        assert self._child is not None
        deadline = time.monotonic() + seconds
        if not self._child.ask(lines, deadline):
            raise OutOfTime(f"{self.command} did not read its input within {seconds:g} s.")
        return deadline

    def _read_line(self, deadline: float, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> str:
        """Return the program's next line, as Child.read does. Raise OutOfTime, with the limit, after the deadline."""
        assert self._child is not None
        line = self._child.read(deadline, meanwhile)
        if line is None:
            raise OutOfTime(f"{self.command} did not answer within {seconds:g} s.")
        return line

    def _check_legal(self, view: V, move: Move, answer: str) -> None:
        """Raise IllegalMove, with the program's answer as written and the reason, if a move is not legal."""
        if move in view.legal_moves():
            return
        reason = "it is not among the legal moves."
        try:
            view.sample(self.rng).play(move)
        except IllegalMove as error:
            reason = str(error)
        raise IllegalMove(f"{self.command} played {answer}: {reason}")


class LastingBot(OutsideBot[G, V]):
    """A program whose process plays game after game, takes a seed, and quits when asked to."""

    reply_seconds = 20.0
    """Time limit for every answer except the first and a move."""
    start_seconds = 20.0
    """Time limit for the first answer, during which the program loads what it needs."""
    default_move_seconds = 60.0
    """Time limit for a move if the budget sets none."""

    def __init__(self, game: G, command: str) -> None:
        self._seed = 0
        super().__init__(game, command)

    def reset(self, seed: int) -> None:
        """Begin a new game; the seed is passed to the program if its protocol has one."""
        super().reset(seed)
        self._seed = seed
        self._in_game = False

    def close(self) -> None:
        """Ask the program to quit, and end it if it does not."""
        self._drop("quit")

    @abstractmethod
    def _greet(self) -> None:
        """Exchange greetings with a program that was just started."""

    @abstractmethod
    def _begin_game(self) -> None:
        """Tell the program that a new game begins."""

    def _drop(self, farewell: str | None = None) -> None:
        super()._drop(farewell)
        self._in_game = False

    def _get_ready(self) -> None:
        if self._in_game:
            return
        if self._child is not None:
            try:
                self._begin_game()
            except KibitzError:  # it failed after its last game
                self._drop()
        if self._child is None:
            self._child = Child(self.command, self.max_line_bytes)
            self._greet()
            self._begin_game()
        self._in_game = True

    def _stop_sender(self, watch: Watch | None, command: str, deadline: float) -> Callable[[], None]:
        """Return a function that, called repeatedly, sends a command to the program once the watch is stopped."""
        was_sent = False

        def send_stop() -> None:
            nonlocal was_sent
            if watch is not None and watch.stopped and not was_sent:
                was_sent = True
                assert self._child is not None
                self._child.send([command], deadline)

        return send_stop
