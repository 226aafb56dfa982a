"""exec:COMMAND, an outside program that speaks the line protocol of docs/bots.md."""

from __future__ import annotations

import time
from collections.abc import Sequence

from kibitz.bots.outside import GRACE_SECONDS, LastingBot
from kibitz.bots.protocol import VERSION, Info, go_line, move_word, newgame_line, read_info, read_move
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import AgentFault, BadOption, BadText, Flood, Garbage, Resigned
from kibitz.core.game import Game, Move, Player, View, hides
from kibitz.core.untrusted import shortened

MAX_ANSWER_LINES = 2_000


class ExecBot(LastingBot):
    """An outside program that speaks kibitz's line protocol."""

    def __init__(self, game: Game, command: str) -> None:
        if hides(game.start()) and type(game).view_text is Game.view_text:
            reason = "it hides cards and does not define view_text()"
            raise BadOption(f"No outside program can play {game.title}: {reason}.")
        self._seat: Player | None = None
        """The seat last sent to the program."""
        super().__init__(game, command)

    def _greet(self) -> None:
        self._await_ready([f"kibitz {VERSION}"], self.start_seconds)

    def _begin_game(self) -> None:
        self._seat = None
        self._await_ready([f"seed {self._seed}", newgame_line(self.game)], self.reply_seconds)

    def _await_ready(self, lines: Sequence[str], seconds: float) -> None:
        """Send lines and wait for "ready", ignoring "id". Raise AgentFault for "error", Garbage for other answers."""
        deadline = self._ask(lines, seconds)
        while True:
            line = self._read_line(deadline, seconds)
            match line.split():
                case ["ready"]:
                    return
                case ["id", *_]:
                    continue
                case ["error", *_]:
                    raise AgentFault(f"{self.command} rejected {lines[-1]!r}: {shortened(line)}.")
                case _:
                    raise Garbage(f"{self.command} answered {lines[-1]!r} with {shortened(line)} instead of 'ready'.")

    def _answer(self, view: View, budget: Budget, watch: Watch | None) -> Choice:
        state, info, began = view.sample(self.rng), Info(), time.monotonic()
        limit = self.default_move_seconds if budget.seconds is None else budget.seconds
        deadline = self._ask(self._question(view, budget), limit + GRACE_SECONDS)
        send_stop = self._stop_sender(watch, "stop", deadline)
        for _ in range(MAX_ANSWER_LINES):
            line = self._read_line(deadline, limit, send_stop)
            match line.split():
                case ["info", *words]:
                    info = read_info(words, state, info)
                    if watch is not None:
                        watch.depth, watch.nodes, watch.value = info.depth, info.nodes, info.value
                        watch.move = info.line[0] if info.line else watch.move
                case ["bestmove", *words]:
                    move = self._read_move(" ".join(words))
                    self._check_legal(view, move, self.game.move_text(move))
                    return info.choice(move, time.monotonic() - began)
                case ["resign"]:
                    raise Resigned(f"{self.command} resigned.")
                case ["error", *_]:
                    raise AgentFault(f"{self.command} cannot continue: {shortened(line)}.")
                case _:
                    raise Garbage(f"{self.command} answered 'go' with {shortened(line)} instead of 'bestmove'.")
        raise Flood(f"{self.command} sent {MAX_ANSWER_LINES:,} lines and no move.")

    def _question(self, view: View, budget: Budget) -> list[str]:
        """Return the lines that ask for a move: the seat if it changed, position, legal moves and budget."""
        seat = [] if self._seat == view.to_move else [f"seat {view.to_move}"]
        self._seat = view.to_move
        legal = " ".join(move_word(self.game, move) for move in view.legal_moves())
        return [*seat, f"position {self.game.view_text(view)}", f"legal {legal}", go_line(budget)]

    def _read_move(self, text: str) -> Move:
        try:
            return read_move(self.game, text)
        except BadText:
            raise Garbage(f"{self.command} played {shortened(text)}, which is not a move.") from None
