"""CodinGame's protocol for Ultimate Tic-Tac-Toe: run its bots as agents, and our agents as its bots.

Each turn a bot reads the opponent's last move as "row col" ("-1 -1" if there is none), the
number of valid actions and one line "row col" for each; it answers "row col" and may add a
message. It keeps the board itself, so it must see a game from the start, and every game
needs a new process.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from kibitz.bots.outside import GRACE_SECONDS, OutsideBot
from kibitz.bots.process import Child
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import AgentFault, BadOption, BadText, Garbage, IllegalMove
from kibitz.core.game import Game, Move
from kibitz.core.untrusted import shortened
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.geometry import LINES_THROUGH, MOVE_SYMMETRIES, from_grid, grid
from kibitz.games.uttt.rules.text import EMPTY, FREE, move_codingame
from kibitz.games.uttt.words import board_wins, completing_cells, game_wins

FIRST_SECONDS, LATER_SECONDS = 1.0, 0.1
"""Seconds a bot has for its first answer in a game, which include its start-up, and for each later answer."""
_ANSWER = re.compile(r"([0-8])\s+([0-8])(\s.*)?")


class CodinGameBot(OutsideBot[Uttt, UtttState]):
    """An agent that runs a bot written for CodinGame's Ultimate Tic-Tac-Toe, in a new process for every game."""

    def __init__(self, game: Game, command: str) -> None:
        if not isinstance(game, Uttt):
            raise BadOption(f"A codingame: bot plays Ultimate Tic-Tac-Toe (uttt) only, not {game.name}.")
        super().__init__(game, command)

    def reset(self, seed: int) -> None:
        """End the process of the previous game."""
        super().reset(seed)
        self._drop()

    def _drop(self, farewell: str | None = None) -> None:
        super()._drop(farewell)
        self._cells: tuple[int, ...] | None = None
        """The board as last seen by the bot; None before its first turn."""

    def _get_ready(self) -> None:
        if self._child is None:
            self._child = Child(self.command)

    def _answer(self, view: UtttState, budget: Budget, watch: Watch | None) -> Choice:
        began, last = time.monotonic(), self._last_move(view)
        if self._cells is None:
            limit = max(FIRST_SECONDS, budget.seconds or 0.0)
        else:
            limit = LATER_SECONDS if budget.seconds is None else budget.seconds
        actions = sorted(view.legal_moves(), key=grid)
        lines = ["-1 -1" if last is None else move_codingame(last), str(len(actions)), *map(move_codingame, actions)]
        answer = self._read_line(self._ask(lines, limit + GRACE_SECONDS), limit)
        found = _ANSWER.fullmatch(answer)
        if found is None:
            raise Garbage(f"{self.command} answered {shortened(answer)} instead of a row and a column from 0 to 8.")
        move = from_grid(int(found[1]), int(found[2]))
        self._check_legal(view, move, move_codingame(move))
        self._cells = view.play(move).cells
        return Choice(move, seconds=time.monotonic() - began)

    def _last_move(self, view: UtttState) -> Move | None:
        """Return the opponent's move since the bot's last turn; None if it starts. Raise AgentFault on missed moves."""
        before = (EMPTY,) * 81 if self._cells is None else self._cells
        new = [move for move in range(81) if view.cells[move] != before[move]]
        if not new and self._cells is None and view.to_move == 0:
            return None
        if len(new) != 1 or view.cells[new[0]] != 1 - view.to_move:
            raise AgentFault(f"{self.command} cannot join this game: a CodinGame bot must play from the start.")
        return new[0]


MARGIN_SECONDS = 0.025
"""Part of a turn reserved for ending the search and sending the answer."""
QUICK_MOVE_SECONDS = 0.035
"""Part of a turn reserved for quick_move, in case the agent is not ready in time."""
_WAITED_SECONDS = 0.005
"""If reading a line takes longer than this, the line arrived while we waited, not before."""
_PAIR = re.compile(r"\s*(-?\d{1,3})\s+(-?\d{1,3})\s*", re.ASCII)

CENTRE: Move = 40
"""The book's first move of a game: the centre cell of the centre board."""
REPLIES: dict[Move, Move] = {
    0: 4, 1: 13, 2: 20, 4: 40, 5: 50, 8: 80, 9: 0, 10: 13, 12: 31, 13: 40, 15: 60, 16: 67, 36: 0, 37: 9, 40: 36,
}  # fmt: skip
"""Opponent's first move -> our reply; of symmetric first moves only the lowest is listed. Each reply was found by
an 8-second search: python -m bench.uttt.codingame --book 8."""


@dataclass(frozen=True)
class Turn:
    """The input of one turn."""

    last: Move | None
    """The opponent's last move, or None if we start the game."""
    actions: frozenset[Move]
    line: int
    """The line number, from 1, at which the turn begins in the input."""
    waited: float
    """Seconds until the first line arrived."""


def run(agent: Agent, game: Uttt, stdin: TextIO, stdout: TextIO, first: float, later: float) -> None:
    """Play one game until the input ends. first, later: seconds for the first answer and for each later one.

    Raise BadText if the input does not follow the protocol; errors of the agent are passed on.
    """
    with _few_pauses():
        loading, state = _Loading(agent, game), game.start()
        for turn in read_turns(stdin):
            arrived = time.perf_counter()
            state = _follow(state, turn)
            if turn.line == 1:
                # a line that was already there may have arrived when the process started
                already_spent = 0.0 if turn.waited > _WAITED_SECONDS else _process_age()
                move = _first_move(state, loading, arrived + first - already_spent)
            else:
                move = _later_move(state, loading, arrived + later)
            stdout.write(move_codingame(move) + "\n")
            stdout.flush()
            state = state.play(move)


def read_turns(stdin: TextIO) -> Iterator[Turn]:
    """Yield the turns read from the input. Raise BadText, with the line number, if a line is invalid."""
    number = 0

    def read_line(expected: str) -> str:
        nonlocal number
        number += 1
        line = stdin.readline()
        if not line and expected:
            raise BadText(f"The input ends at line {number}; expected {expected}.")
        return line

    while True:
        began = time.perf_counter()
        line = read_line(expected="")  # here the input may end
        if not line:
            return
        waited, start = time.perf_counter() - began, number
        last = _parse_cell(line, number, "the opponent's row and column from 0 to 8, or -1 -1", allow_none=True)
        count = read_line("the number of valid actions").strip()
        if not (re.fullmatch(r"[0-9]{1,3}", count) and 1 <= int(count) <= 81):
            raise BadText(f"Line {number} is {count[:40]!r}; expected the number of valid actions, 1 to 81.")
        expected = "the row and column of a valid action, from 0 to 8"
        cells = [_parse_cell(read_line("a valid action"), number, expected) for _ in range(int(count))]
        yield Turn(last, frozenset(cell for cell in cells if cell is not None), start, waited)


def _parse_cell(line: str, number: int, expected: str, allow_none: bool = False) -> Move | None:
    """Parse "row col" as a move, or "-1 -1" as None if `allow_none` is true. Raise BadText if the line is invalid."""
    found = _PAIR.fullmatch(line)
    row, col = (int(found[1]), int(found[2])) if found else (9, 9)
    if allow_none and row == col == -1:
        return None
    if not (0 <= row < 9 and 0 <= col < 9):
        raise BadText(f"Line {number} is {line.strip()[:40]!r}; expected {expected}.")
    return from_grid(row, col)


def _follow(state: UtttState, turn: Turn) -> UtttState:
    """Return the position after the opponent's move of this turn. Raise BadText if the turn does not fit the game."""
    if turn.last is None and turn.line != 1:
        raise BadText(f"Line {turn.line} is -1 -1, which is only allowed at the start of the game.")
    try:
        state = state if turn.last is None else state.play(turn.last)
    except IllegalMove as error:
        raise BadText(f"The move on line {turn.line} is illegal: {error}") from None
    if state.result:
        raise BadText(f"The move on line {turn.line} ends the game, so there is no move to answer with.")
    if turn.actions != frozenset(state.legal_moves()):
        options = ", ".join(f"{key}={value}" for key, value in state.game.options.items())
        raise BadText(f"The valid actions after line {turn.line + 1} are not the legal moves with {options}.")
    return state


class _Loading:
    """Loads an agent on a background thread: prepares it, and lets it choose one move as a trial."""

    def __init__(self, agent: Agent, game: Uttt) -> None:
        self._agent, self._game = agent, game
        self._fault: Exception | None = None
        self._done = threading.Event()
        threading.Thread(target=self._load, name="kibitz-loading", daemon=True).start()

    def _load(self) -> None:
        try:
            self._agent.prepare()
            self._agent.choose(self._game.start().view(0), Budget(seconds=0.002, nodes=100, playouts=5))
            self._agent.reset(0)
            self._agent.prepare()
        except Exception as fault:  # raised again by agent(), on the thread that asks
            self._fault = fault
        finally:
            self._done.set()

    def agent(self, until: float = 0.0) -> Agent | None:
        """Return the agent, or None if it is not ready by `until` (perf_counter time). Raise any error of loading."""
        ready = self._done.wait(max(until - time.perf_counter(), 0.0))
        if self._fault is not None:
            raise self._fault
        return self._agent if ready else None


def _first_move(state: UtttState, loading: _Loading, deadline: float) -> Move:
    """Return the agent's move if it is ready; otherwise use the turn to let it load, and return a book move."""
    agent = loading.agent()
    if agent is not None:
        return _think(agent, state, deadline)
    loading.agent(deadline - MARGIN_SECONDS)
    return book_move(state)


def _later_move(state: UtttState, loading: _Loading, deadline: float) -> Move:
    agent = loading.agent(deadline - QUICK_MOVE_SECONDS)
    return quick_move(state) if agent is None else _think(agent, state, deadline)


def _think(agent: Agent, state: UtttState, deadline: float) -> Move:
    left = deadline - MARGIN_SECONDS - time.perf_counter()
    if left < 0.001:
        return quick_move(state)
    return agent.choose(state.view(state.to_move), Budget(seconds=left)).move


def book_move(state: UtttState) -> Move:
    """Return the first move of the book, or its reply to the opponent's first move; without one, use quick_move."""
    played = [move for move, mark in enumerate(state.cells) if mark == 0]  # by X
    if not played:
        return CENTRE
    for symmetry in MOVE_SYMMETRIES:
        if symmetry[played[0]] in REPLIES:
            return symmetry.index(REPLIES[symmetry[played[0]]])  # the reply, turned back
    return quick_move(state)


def quick_move(state: UtttState) -> Move:
    """Return the move with the highest _quick_score, which looks only at immediate wins of both players."""
    return max(state.legal_moves(), key=lambda move: _quick_score(state, move))


def _quick_score(state: UtttState, move: Move) -> int:
    """Score a move by what it does at once, without a search.

    In order of weight: the result if the game ends; a reply that wins the game; winning the board; a reply that wins
    a board; a free choice of board for the opponent; blocking a line of the opponent; the lines through the cell.
    """
    after, (board, cell) = state.play(move), divmod(move, 9)
    outcome = after.outcome()
    if outcome is not None:
        return 100_000 * outcome.value(state.to_move)
    player, opponent = state.to_move, after.to_move
    blocks_line = cell in completing_cells(state.cells[9 * board : 9 * board + 9], opponent)
    wins_board = after.boards[board] == player and state.boards[board] != player
    total = len(LINES_THROUGH[cell]) + 10 * blocks_line + 100 * wins_board
    total -= 30 * (after.forced == FREE) + 80 * bool(board_wins(after))
    return total - 10_000 * bool(game_wins(after))


def _process_age() -> float:
    """Return the seconds since this process started; where the start is unknown, its CPU time as a lower bound."""
    try:
        with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError):  # not Linux
        age = 0.0
    return max(age, time.process_time())


@contextmanager
def _few_pauses() -> Iterator[None]:
    """Keep the garbage collector and other threads from delaying an answer."""
    was_enabled, interval = gc.isenabled(), sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(0.001)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if was_enabled:
            gc.enable()
