"""katago:COMMAND, an agent that runs an engine speaking KataGo's JSON analysis protocol.

Every question is one line, a position with limits, and so is every answer. While it searches, the engine reports the
candidate moves so far; its last answer comes when the search ends or is ended. The position is sent as stones, because
a position of ours does not hold the game before it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from kibitz.bots.outside import GRACE_SECONDS, LastingBot
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import AgentFault, BadOption, Flood, Garbage
from kibitz.core.game import Game
from kibitz.core.untrusted import JsonObject, shortened
from kibitz.games.go.gtp.bot import MAX_REPORTS, full_path
from kibitz.games.go.gtp.candidates import MAX_VISITS, Analysis, ReportedMove, choice_of, number, owners_of
from kibitz.games.go.gtp.setup import Stone, kata_rules, set_up
from kibitz.games.go.rules import Go, GoState

REPORT_SECONDS = 0.2
"""Time between two reports of a search."""
MAX_CANDIDATES = 40
"""Read at most this many moves of a report; the first are the best."""
MIN_VISITS = 2
"""With fewer visits there may be no candidate."""


def query(state: GoState) -> JsonObject:
    """Return the question about a position, without its id and limits."""
    game = state.game

    def words(stones: list[Stone]) -> list[list[str]]:
        return [["BW"[player], game.move_text(move)] for player, move in stones]

    stones, moves, komi = set_up(state)
    first = moves[0][0] if moves else state.to_move
    return {
        "initialStones": words(stones),
        "initialPlayer": "BW"[first],
        "moves": words(moves),
        "rules": kata_rules(game),
        "komi": round(2 * komi) / 2,  # half points are the smallest it takes
        "boardXSize": game.size,
        "boardYSize": game.size,
        "overrideSettings": {"reportAnalysisWinratesAs": "SIDETOMOVE"},
    }


def read_answer(state: GoState, answer: JsonObject, seconds: float = 0.0) -> Choice | None:
    """Return an answer about a position as a choice; None if it has no legal move."""
    found, root = answer.get("moveInfos"), answer.get("rootInfo")
    infos = found if isinstance(found, list) else []
    candidates = [ReportedMove.read(state, info) for info in infos[:MAX_CANDIDATES] if isinstance(info, dict)]
    visits = number(root.get("visits"), 0, MAX_VISITS) if isinstance(root, dict) else None
    return choice_of(candidates, visits, owners_of(state, answer.get("ownership")), seconds)


class KataGoBot(LastingBot[Go, GoState]):
    """An engine that speaks KataGo's JSON analysis protocol. It plays the best move that it finds."""

    max_line_bytes = 1_000_000
    start_seconds = 60.0

    def __init__(self, game: Game, command: str) -> None:
        if not isinstance(game, Go):
            raise BadOption(f"A katago: engine plays Go only, not {game.name}.")
        self._questions = 0
        super().__init__(game, full_path(command))

    def _greet(self) -> None:
        name = self._send({"action": "query_version"}, self.start_seconds)
        self._next_answer(name, time.monotonic() + self.start_seconds, self.start_seconds)

    def _begin_game(self) -> None:
        """Every question says all that there is to know."""

    def _answer(self, view: GoState, budget: Budget, watch: Watch | None) -> Choice:
        return self._search(view, budget, watch, GRACE_SECONDS)

    def _analyse(self, view: GoState, budget: Budget, watch: Watch | None) -> Choice:
        return self._search(view, budget, watch, self.reply_seconds)

    def _search(self, view: GoState, budget: Budget, watch: Watch | None, grace: float) -> Choice:
        """Return the engine's choice, which may come this many seconds after the end of the budget."""
        state = view.sample(self.rng)
        analysis = Analysis(budget, watch)
        question = query(state) | {
            "maxVisits": max(MIN_VISITS, analysis.visits or 10**9),
            "includeOwnership": True,
            "reportDuringSearchEvery": REPORT_SECONDS,
        }
        if analysis.seconds is not None:
            question["overrideSettings"]["maxTime"] = analysis.seconds
        name = self._send(question, self.reply_seconds)
        was_ended = False

        def end_if_done() -> None:
            nonlocal was_ended
            if analysis.is_done and not was_ended:
                was_ended = True
                self._send({"action": "terminate", "terminateId": name}, self.reply_seconds, ask=False)

        limit = self.default_move_seconds if analysis.seconds is None else analysis.seconds
        deadline = time.monotonic() + limit + grace
        for _ in range(MAX_REPORTS):
            answer = self._next_answer(name, deadline, limit + grace, end_if_done)
            analysis.add(read_answer(state, answer, analysis.elapsed))
            if answer.get("isDuringSearch") is not True:
                break
        else:
            raise Flood(f"{self.command} sent {MAX_REPORTS:,} reports on one position.")
        if analysis.found is None:
            raise Garbage(f"{self.command} answers with no legal move in {shortened(json.dumps(answer))}.")
        return analysis.found

    def _send(self, question: JsonObject, seconds: float, ask: bool = True) -> str:
        """Send a question and return its id. ask: whether to discard unread answers, and to insist that it is read."""
        self._questions += 1
        name = f"kibitz-{self._questions}"
        line = json.dumps({"id": name, **question})
        if ask:
            self._ask([line], seconds)
        else:
            assert self._child is not None
            self._child.send([line], time.monotonic() + seconds)
        return name

    def _next_answer(
        self,
        name: str,
        deadline: float,
        seconds: float,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> JsonObject:
        """Return the next answer to the question with this id, skipping others and warnings.

        Raise AgentFault if the engine reports an error, Garbage if a line is not JSON, or as _read_line() does.
        """
        for _ in range(MAX_REPORTS):
            line = self._read_line(deadline, seconds, meanwhile)
            try:
                answer = json.loads(line)
            except (ValueError, RecursionError):
                answer = None
            if not isinstance(answer, dict):
                raise Garbage(
                    f"{self.command} answers with {shortened(line)}, which is not JSON: "
                    "use katago: for katago analysis, and gtp: for engines that speak GTP."
                )
            if "error" in answer and answer.get("id", name) == name:
                raise AgentFault(f"{self.command} refuses a question: {shortened(str(answer['error']), 200)}.")
            if answer.get("id") == name and "warning" not in answer:
                return answer
        raise Flood(f"{self.command} sent {MAX_REPORTS:,} lines that answer no question.")
