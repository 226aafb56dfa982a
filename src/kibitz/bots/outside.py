"""What outside programs share as agents: starting, waiting with a limit, and faults.

A program is started when a game needs it and killed after any fault, so that
the next game finds a new one. Knows no protocol.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable

from kibitz.bots.process import Child, split_command
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import IllegalMove, KibitzError, OutOfTime
from kibitz.core.game import Game, Move, View

GRACE = 0.5
"""Seconds beyond its time after which an answer no longer counts."""


class OutsideBot(Agent):
    """A program, given as a command line, that chooses the moves. Raises BadOption if there is no such program."""

    def __init__(self, game: Game, command: str) -> None:
        split_command(command)
        self.command = command.strip()
        self._child: Child | None = None
        self._fault: Exception | None = None
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Begin a new game; a fault in the last one is forgotten."""
        super().reset(seed)
        self._fault = None

    def prepare(self) -> None:
        """Start the program and have it ready for the game. A fault is raised later, by choose."""
        try:
            if self._fault is None:
                self._get_ready()
        except BaseException as fault:
            self._drop()
            if not isinstance(fault, KibitzError):
                raise
            self._fault = fault

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the program's move. Raises AgentFault, OutOfTime, IllegalMove, or BadOption if it does not start."""
        self.prepare()
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault
        try:
            return self._answer(view, budget, watch)
        except BaseException:
            self._drop()
            raise

    def close(self) -> None:
        """End the program."""
        self._drop()

    @abstractmethod
    def _get_ready(self) -> None:
        """Start the program if there is none, and tell it of the game if it does not know."""

    @abstractmethod
    def _answer(self, view: View, budget: Budget, watch: Watch | None) -> Choice:
        """Ask for a move."""

    def _drop(self, farewell: str | None = None) -> None:
        """End the program; the next game starts a new one."""
        if self._child is not None:
            self._child.close(farewell)
            self._child = None

    def _ask(self, lines: Iterable[str], seconds: float) -> float:
        """Send a question; return the deadline of its answer. Raises OutOfTime if it is not even read."""
        assert self._child is not None
        deadline = time.monotonic() + seconds
        if not self._child.ask(lines, deadline):
            raise OutOfTime(f"{self.command} did not read what it was sent in {seconds:g} s.")
        return deadline

    def _hear(self, deadline: float, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> str:
        """Return the next line that the program says. Raises OutOfTime and what Child.read raises."""
        assert self._child is not None
        line = self._child.read(deadline, meanwhile)
        if line is None:
            raise OutOfTime(f"{self.command} did not answer in {seconds:g} s.")
        return line

    def _check(self, view: View, move: Move, said: str) -> None:
        """Raise IllegalMove, with what the program said and why it is wrong, unless a move is legal."""
        if move in view.legal_moves():
            return
        reason = "it is not among the legal moves."
        try:
            view.sample(self.rng).play(move)
        except IllegalMove as error:
            reason = str(error)
        raise IllegalMove(f"{self.command} plays {said}: {reason}")


class LastingBot(OutsideBot):
    """A program whose one process plays game after game, is told the seed, and quits when asked to."""

    patience = 20.0
    """Seconds that a program may take for anything but a move."""
    longest = 60.0
    """Seconds for a move where the budget names none."""

    def __init__(self, game: Game, command: str) -> None:
        self._seed = 0
        super().__init__(game, command)

    def reset(self, seed: int) -> None:
        """Begin a new game from this seed, which the program is told too if it can take it."""
        super().reset(seed)
        self._seed = seed
        self._in_game = False

    def close(self) -> None:
        """Ask the program to quit, and see to it."""
        self._drop("quit")

    @abstractmethod
    def _greet(self) -> None:
        """Have a program that was just started say what it can do."""

    @abstractmethod
    def _begin_game(self) -> None:
        """Tell the program of a new game."""

    def _drop(self, farewell: str | None = None) -> None:
        super()._drop(farewell)
        self._in_game = False

    def _get_ready(self) -> None:
        if self._in_game:
            return
        if self._child is not None:
            try:
                self._begin_game()
            except KibitzError:  # something happened to it since its last game, which is over
                self._drop()
        if self._child is None:
            self._child = Child(self.command)
            self._greet()
            self._begin_game()
        self._in_game = True

    def _stopper(self, watch: Watch | None, order: str, deadline: float) -> Callable[[], None]:
        """Return what passes a stop on to the program, once, as an order."""
        passed_on = False

        def pass_on() -> None:
            nonlocal passed_on
            if watch is not None and watch.stopped and not passed_on:
                passed_on = True
                assert self._child is not None
                self._child.send([order], deadline)

        return pass_on
