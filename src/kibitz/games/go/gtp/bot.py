"""gtp:COMMAND, an agent that runs an external Go engine over GTP 2.

The engine is sent the board size, komi, moves, time limits, and the rules as far as
possible: with the command kgs-rules, or with command-line options for GNU Go. kibitz
scores finished games with all stones alive. So an engine that wants to pass, and
knows kgs-genmove_cleanup, is first asked to capture the dead stones.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
from collections.abc import Callable

from kibitz.bots.outside import GRACE_SECONDS, LastingBot
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import AgentFault, BadOption, Flood, Garbage, KibitzError, Resigned
from kibitz.core.game import Game, Move, Player, View
from kibitz.core.untrusted import shortened
from kibitz.games.go.gtp.lines import INTERRUPT, read_vertex
from kibitz.games.go.rules import EMPTY, NO_KO, NO_MOVE, Go, GoState

MAX_ANSWER_LINES = 1_000
GAMES_FOLDER = "/usr/games"  # where Debian installs games; not always on the PATH
CLEANUP = "kgs-genmove_cleanup"


class GtpBot(LastingBot):
    """An external Go engine that speaks GTP."""

    game: Go

    def __init__(self, game: Game, command: str) -> None:
        if not isinstance(game, Go):
            raise BadOption(f"A gtp: engine plays Go only, not {game.name}.")
        self._commands = frozenset[str]()
        self._known: GoState | None = None  # the position on the engine's board, or None if it must be set up
        self._sent_seconds: int | None = None  # the time per move last sent to the engine
        super().__init__(game, with_rules_options(full_path(command), game))

    def score_of(self, state: GoState) -> str:
        """Return the engine's own score of a position, such as B+3.5. Raise the same errors as choose()."""
        self._get_ready()
        self._synchronise(state)
        return self._request("final_score")

    def _drop(self, farewell: str | None = None) -> None:
        super()._drop(farewell)
        self._known, self._sent_seconds = None, None

    def _greet(self) -> None:
        self._commands = frozenset(self._request("list_commands").split())

    def _begin_game(self) -> None:
        self._known = None
        self._request(f"boardsize {self.game.size}")
        self._request("clear_board")
        self._request(f"komi {self.game.komi:g}")
        if "kgs-rules" in self._commands:
            self._request(f"kgs-rules {'chinese' if self.game.scoring == 'area' else 'japanese'}")
        if "set_random_seed" in self._commands:
            self._request(f"set_random_seed {1 + self._seed % 1_000_000}")
        if not self.game.handicap:
            self._known = self.game.start()

    def _answer(self, view: View, budget: Budget, watch: Watch | None) -> Choice:
        state, began = view.sample(self.rng), time.monotonic()
        assert isinstance(state, GoState)
        self._synchronise(state)
        limit = self.default_move_seconds if budget.seconds is None else budget.seconds
        if budget.seconds is not None:
            self._send_time(state.to_move, budget.seconds)
        move = self._generate("genmove", state, limit, watch)
        left = limit - (time.monotonic() - began)
        if move == state.game.pass_move and state.game.scoring == "area" and CLEANUP in self._commands and left > 0:
            self._known = None
            if "undo" in self._commands:
                self._request("undo")
                self._known = state
            self._synchronise(state)
            move = self._generate(CLEANUP, state, left, watch)
        return Choice(move, seconds=time.monotonic() - began)

    def _generate(self, order: str, state: GoState, limit: float, watch: Watch | None) -> Move:
        """Return the engine's answer to an order to move. Raise Resigned, IllegalMove, or the errors of _request()."""
        can_stop = "gogui-interrupt" in self._commands
        send_interrupt = self._stop_sender(watch if can_stop else None, INTERRUPT, time.monotonic() + limit)
        word = self._request(f"{order} {'bw'[state.to_move]}", limit, GRACE_SECONDS, send_interrupt)
        if word.lower() == "resign":
            raise Resigned(f"{self.command} resigns.")
        try:
            move = read_vertex(state.game, word)
        except KibitzError:
            raise Garbage(f"{self.command} plays {shortened(word)}, which is not a move.") from None
        self._check_legal(state, move, state.game.move_text(move))
        self._known = state.play(move)
        return move

    def _send_time(self, player: Player, seconds: float) -> None:
        """Send the time limit for one move, in whole seconds as GTP requires."""
        whole = max(1, int(seconds))
        if self._sent_seconds != whole and "time_settings" in self._commands:
            self._request(f"time_settings 0 {whole} 1")
            self._sent_seconds = whole
        if "time_left" in self._commands:
            self._request(f"time_left {'bw'[player]} {whole} 1")

    def _synchronise(self, state: GoState) -> None:
        """Bring the engine's board to a position: play the last move if only that is new, else set up all stones."""
        known = self._known
        if known == state:
            return
        self._known = None
        moves = () if known is None or state.last == NO_MOVE else known.legal_moves()
        if known is not None and state.last in moves and known.play(state.last) == state:
            self._play(known.to_move, state.last, state)
        else:
            self._request("clear_board")
            for player, point in setup_moves(state):
                self._play(player, point, state)
        self._known = state

    def _play(self, player: Player, move: Move, state: GoState) -> None:
        order = f"play {'bw'[player]} {state.game.move_text(move)}"
        try:
            self._request(order)
        except AgentFault as fault:
            if type(fault) is AgentFault:
                raise AgentFault(f"{fault} Check that it plays by the same rules.") from None
            raise

    def _request(
        self, order: str, seconds: float | None = None, grace: float = 0.0, meanwhile: Callable[[], None] = lambda: None
    ) -> str:
        """Send a command, return the answer. Raise AgentFault if refused, Garbage, Flood, or as _read_line() does."""
        seconds = self.reply_seconds if seconds is None else seconds
        deadline = self._ask([order], seconds + grace)
        lines = list[str]()
        while len(lines) < MAX_ANSWER_LINES:
            line = self._read_line(deadline, seconds, meanwhile)
            if lines and not line:
                break
            if not lines and line and line[0] not in "=?":
                raise Garbage(f"{self.command} answers {order!r} with {shortened(line)}, which is not GTP.")
            if line:
                lines.append(line)
        else:
            raise Flood(f"{self.command} sent {MAX_ANSWER_LINES:,} lines in answer to {order!r}.")
        text = "\n".join([lines[0][1:].strip(), *lines[1:]])
        if lines[0][0] == "?":
            raise AgentFault(f"{self.command} refuses {order!r}: {shortened(text)}.")
        return text.strip()


def setup_moves(state: GoState) -> list[tuple[Player, Move]]:
    """Return (player, move) pairs that lead from the empty board to a position. Players need not alternate.

    With ko=positional, the moves after the first board are those of the game; if
    there is a ko point, the last move takes the ko. Handicap stones are sent as
    plain moves, because some engines would give White points for them.
    """
    if state.first:
        return [*_stones(state.first), *((stone % 2, stone // 2) for stone in state.history)]
    if state.ko == NO_KO:
        return _stones(state.board.points)
    taker = next(
        point
        for point, chain in state.board.chains().items()
        if chain.liberties == {state.ko} and len(chain.stones) == 1 and state.board.points[point] == 2 - state.to_move
    )
    before_capture = bytearray(state.board.points)
    before_capture[taker], before_capture[state.ko] = EMPTY, 1 + state.to_move
    return [*_stones(bytes(before_capture)), (1 - state.to_move, taker)]


def _stones(points: bytes) -> list[tuple[Player, Move]]:
    return [(code - 1, point) for point, code in enumerate(points) if code != EMPTY]


def full_path(command: str) -> str:
    """Return a command line with the program's full path if it is in GAMES_FOLDER and not on the PATH."""
    program, space, rest = command.strip().partition(" ")
    if os.sep not in program and shutil.which(program) is None:
        found = shutil.which(program, path=GAMES_FOLDER)
        if found is not None:
            return f"{shlex.quote(found)}{space}{rest}"
    return command


def with_rules_options(command: str, game: Go) -> str:
    """Return a command line, adding options for the rules of the game if it starts GNU Go and lacks them."""
    if not re.match(r"\S*gnugo(\s|$)", command.strip()):
        return command
    rule_options = [
        (r"--(chinese|japanese)-rules", "--chinese-rules" if game.scoring == "area" else "--japanese-rules"),
        (r"--(simple-ko|no-ko|\w+-superko)", "--positional-superko" if game.ko == "positional" else ""),
        (r"--(forbid|allow|allow-all)-suicide", "--allow-all-suicide" if game.suicide else ""),
    ]
    added = [option for pattern, option in rule_options if option and not re.search(pattern, command)]
    return " ".join([command.strip(), *added])
