"""codingame:COMMAND, a bot made for CodinGame's Ultimate Tic-Tac-Toe.

Each turn such a bot reads the opponent's last move as "row col" ("-1 -1" if
there is none), the number of valid actions, and as many lines "row col"; it
answers "row col", and may add a message. It keeps the board by itself, so it
must see a game from the empty board on, and every game needs a new process.
"""

from __future__ import annotations

import re
import time

from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import AgentFault, BadOption
from kibitz.core.game import Game, Move, View
from kibitz.games.uttt.geometry import from_grid, grid
from kibitz.games.uttt.rules import State, Uttt
from kibitz.games.uttt.text import EMPTY, move_codingame
from kibitz.interop.faults import Garbage, shortened
from kibitz.interop.outside import GRACE, OutsideBot
from kibitz.interop.process import Child

FIRST, LATER = 1.0, 0.1
"""Seconds for the first answer of a game, in which a bot starts up, and for every later one."""
_ANSWER = re.compile(r"([0-8])\s+([0-8])(\s.*)?")


class CodinGameBot(OutsideBot):
    """A bot made for CodinGame's Ultimate Tic-Tac-Toe. Each game gets a process of its own."""

    def __init__(self, game: Game, command: str) -> None:
        if not isinstance(game, Uttt):
            raise BadOption(f"codingame: is for bots of Ultimate Tic-Tac-Toe (uttt), not for {game.name}.")
        super().__init__(game, command)

    def reset(self, seed: int) -> None:
        """End the process of the last game."""
        super().reset(seed)
        self._drop()

    def _drop(self, farewell: str | None = None) -> None:
        super()._drop(farewell)
        self._cells: tuple[int, ...] | None = None
        """The board as the bot knows it; None before its first turn."""

    def _get_ready(self) -> None:
        if self._child is None:
            self._child = Child(self.command)

    def _answer(self, view: View, budget: Budget, watch: Watch | None) -> Choice:
        assert isinstance(view, State)
        began, last = time.monotonic(), self._last_move(view)
        if self._cells is None:
            limit = max(FIRST, budget.seconds or 0.0)
        else:
            limit = LATER if budget.seconds is None else budget.seconds
        actions = sorted(view.legal_moves(), key=grid)
        lines = ["-1 -1" if last is None else move_codingame(last), str(len(actions)), *map(move_codingame, actions)]
        answer = self._hear(self._ask(lines, limit + GRACE), limit)
        found = _ANSWER.fullmatch(answer)
        if found is None:
            raise Garbage(f"{self.command} answers {shortened(answer)}, not a row and a column from 0 to 8.")
        move = from_grid(int(found[1]), int(found[2]))
        self._check(view, move, move_codingame(move))
        self._cells = view.play(move).cells
        return Choice(move, seconds=time.monotonic() - began)

    def _last_move(self, view: State) -> Move | None:
        """Return the opponent's move since the bot's last turn. Raises AgentFault if that is not what happened."""
        before = (EMPTY,) * 81 if self._cells is None else self._cells
        new = [move for move in range(81) if view.cells[move] != before[move]]
        if not new and self._cells is None and view.to_move == 0:
            return None
        if len(new) != 1 or view.cells[new[0]] != 1 - view.to_move:
            raise AgentFault(
                f"{self.command} cannot follow this game: a CodinGame bot must be there from the empty board on."
            )
        return new[0]
