"""gtp:COMMAND, an agent that runs an external Go engine over GTP 2.

The engine is sent the board size, komi, moves, time limits, and the rules as far as
possible: with the command kata-set-rules or kgs-rules, or with command-line options for
GNU Go. kibitz scores finished games with all stones alive. So an engine that wants to
pass, and knows kgs-genmove_cleanup, is first asked to capture the dead stones.

Asked for an analysis, an engine that knows kata-analyze or lz-analyze searches until it
is stopped; any other engine is asked for its move.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterator

from kibitz.bots.outside import GRACE_SECONDS, LastingBot
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import AgentFault, BadOption, Flood, Garbage, KibitzError, Resigned
from kibitz.core.game import Game, Move, Player
from kibitz.core.untrusted import shortened
from kibitz.games.go.gtp.candidates import Analysis
from kibitz.games.go.gtp.info import read_report
from kibitz.games.go.gtp.lines import INTERRUPT, read_vertex
from kibitz.games.go.gtp.setup import kata_rules, set_up
from kibitz.games.go.rules import NO_MOVE, Go, GoState

MAX_ANSWER_LINES = 1_000
MAX_REPORTS = 100_000
"""Maximum number of lines of an analysis."""
REPORT_CENTISECONDS = 20
"""Time between two lines of an analysis."""
ANALYSES = ("kata-analyze", "lz-analyze")
"""Commands that analyse a position, the better one first."""
STOP = "protocol_version"
"""Any command ends an analysis; this one does nothing else."""
GAMES_FOLDER = "/usr/games"  # where Debian installs games; not always on the PATH
CLEANUP = "kgs-genmove_cleanup"


class GtpBot(LastingBot[Go, GoState]):
    """An external Go engine that speaks GTP."""

    max_line_bytes = 1_000_000
    start_seconds = 60.0

    def __init__(self, game: Game, command: str) -> None:
        if not isinstance(game, Go):
            raise BadOption(f"A gtp: engine plays Go only, not {game.name}.")
        self._commands = frozenset[str]()
        self._known: GoState | None = None  # the position on the engine's board, or None if it must be set up
        self._sent_komi: float | None = None
        self._sent_seconds: int | None = None  # the time per move last sent to the engine
        super().__init__(game, with_rules_options(full_path(command), game))

    def score_of(self, state: GoState) -> str:
        """Return the engine's own score of a position, such as B+3.5. Raise the same errors as choose()."""
        self._get_ready()
        self._synchronise(state)
        return self._request("final_score")

    def _drop(self, farewell: str | None = None) -> None:
        super()._drop(farewell)
        self._known, self._sent_komi, self._sent_seconds = None, None, None

    def _greet(self) -> None:
        self._commands = frozenset(self._request("list_commands", self.start_seconds).split())

    def _begin_game(self) -> None:
        self._known = None
        self._request(f"boardsize {self.game.size}")
        self._request("clear_board")
        self._sent_komi = None
        self._send_komi(self.game.komi)
        if "kata-set-rules" in self._commands:
            self._request(f"kata-set-rules {json.dumps(kata_rules(self.game))}")
        elif "kgs-rules" in self._commands:
            self._request(f"kgs-rules {'chinese' if self.game.scoring == 'area' else 'japanese'}")
        if "set_random_seed" in self._commands:
            self._request(f"set_random_seed {1 + self._seed % 1_000_000}")
        if not self.game.handicap:
            self._known = self.game.start()

    def _answer(self, view: GoState, budget: Budget, watch: Watch | None) -> Choice:
        return self._choose_move(view, budget, watch, GRACE_SECONDS)

    def _choose_move(self, view: GoState, budget: Budget, watch: Watch | None, grace: float) -> Choice:
        """Return the engine's move, which may come this many seconds after the end of the budget."""
        state, began = view.sample(self.rng), time.monotonic()
        self._synchronise(state)
        limit = self.default_move_seconds if budget.seconds is None else budget.seconds
        if budget.seconds is not None:
            self._send_time(state.to_move, budget.seconds)
        move = self._generate("genmove", state, limit, watch, grace)
        left = limit - (time.monotonic() - began)
        if move == state.game.pass_move and state.game.scoring == "area" and CLEANUP in self._commands and left > 0:
            self._known = None
            if "undo" in self._commands:
                self._request("undo")
                self._known = state
            self._synchronise(state)
            move = self._generate(CLEANUP, state, left, watch, grace)
        return Choice(move, seconds=time.monotonic() - began)

    def _analyse(self, view: GoState, budget: Budget, watch: Watch | None) -> Choice:
        command = next((each for each in ANALYSES if each in self._commands), None)
        if command is None:
            return self._choose_move(view, budget, watch, self.reply_seconds)
        state = view.sample(self.rng)
        self._synchronise(state)
        order = f"{command} {'bw'[state.to_move]} {REPORT_CENTISECONDS}"
        if command == "kata-analyze":
            order += " rootInfo true ownership true"
        analysis, was_stopped = Analysis(budget, watch), False

        def stop_if_done() -> None:
            nonlocal was_stopped
            if analysis.is_done and not was_stopped:
                was_stopped = True
                assert self._child is not None
                self._child.send([STOP], time.monotonic() + self.reply_seconds)

        self._ask([order], self.reply_seconds)
        for line in self._answer_lines(order, MAX_REPORTS, None, self.reply_seconds, stop_if_done):
            analysis.add(read_report(state, line, command == "kata-analyze", analysis.elapsed))
        if was_stopped:
            list(self._answer_lines(STOP, MAX_ANSWER_LINES, None, self.reply_seconds))
        if analysis.found is None:
            raise Garbage(f"{self.command} answers {order!r} without a legal move.")
        return analysis.found

    def _generate(self, order: str, state: GoState, limit: float, watch: Watch | None, grace: float) -> Move:
        """Return the engine's answer to an order to move. Raise Resigned, IllegalMove, or the errors of _request()."""
        can_stop = "gogui-interrupt" in self._commands
        send_interrupt = self._stop_sender(watch if can_stop else None, INTERRUPT, time.monotonic() + limit)
        word = self._request(f"{order} {'bw'[state.to_move]}", limit, grace, send_interrupt)
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
            reached = set_up(state)
            self._send_komi(reached.komi)
            for player, point in [*reached.stones, *reached.moves]:
                self._play(player, point, state)
        self._known = state

    def _send_komi(self, komi: float) -> None:
        if komi != self._sent_komi:
            self._request(f"komi {komi:g}")
            self._sent_komi = komi

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
        return "\n".join(self._answer_lines(order, MAX_ANSWER_LINES, deadline, seconds, meanwhile)).strip()

    def _answer_lines(
        self,
        order: str,
        max_lines: int,
        deadline: float | None,
        seconds: float,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Iterator[str]:
        """Yield the lines of the answer to a command. Without a deadline, every line may take the seconds.

        Raise AgentFault if the command is refused, Garbage, Flood, or as _read_line() does.
        """
        lines, refusal = 0, list[str]()
        while lines < max_lines:
            line = self._read_line(time.monotonic() + seconds if deadline is None else deadline, seconds, meanwhile)
            if not line and not lines:
                continue
            if not line:
                break
            if not lines and line[0] not in "=?":
                hint = " Use katago: for katago analysis." if line[0] == "{" else ""
                raise Garbage(f"{self.command} answers {order!r} with {shortened(line)}, which is not GTP.{hint}")
            if refusal or (not lines and line[0] == "?"):
                refusal.append(line)
            else:
                yield line if lines else line[1:].strip()
            lines += 1
        else:
            raise Flood(f"{self.command} sent {max_lines:,} lines in answer to {order!r}.")
        if refusal:
            text = "\n".join(refusal)[1:].strip()
            raise AgentFault(f"{self.command} refuses {order!r}: {shortened(text)}.")


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
