"""The machine player of a student mini project of 2024: compiled, without cuts, and in plain Python.

It looks three lines ahead by alpha-beta. A score is the boxes that it is ahead
plus half of the boxes that nobody owns, which the project calls control.
Lines are tried in ascending order, and only a better score replaces the one
before. `as` says which of two searches it is:

  written    The turn passes with every line, though in the game who takes a box
             moves again. Where the lines run out before the depth is reached
             nothing is scored, and the score stays what it began with: -infinity
             on the machine's turn, +infinity on the other's. With two lines left
             no line is better than that, and the project hangs; here the first
             free line is played.
  corrected  Who takes a box moves again, and a finished game is scored.

The machine is whoever is to move. numba and the kernel are imported on first use.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from kibitz.core.agent import Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, View
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.search.alphabeta.agent import UNLIMITED
from kibitz.search.alphabeta.plain import INFINITY, Stopped

As: TypeAlias = Literal["written", "corrected"]

SHORT = 500_000
"""Nodes that are searched without a look at the clock and at Ctrl-C: some hundredths of a second."""


class Found(NamedTuple):
    """What a search found out."""

    scores: Sequence[int]
    """Twice the score of each line, in ascending order of lines, as far as it got."""
    nodes: int
    stopped: bool


class Project2024(Agent):
    """Alpha-beta as in a student project of 2024: three lines ahead; as=written has its faults, as=corrected not."""

    prunes: ClassVar[bool] = True

    def __init__(self, game: Game, *, as_: As = "written", depth: int = 3) -> None:
        assert isinstance(game, Dots)
        if depth < 1:
            raise BadOption(f"The player of the 2024 project cannot look {depth} lines ahead: it must be 1 or more.")
        self.as_, self.depth = as_, depth
        self._search: Any = None
        super().__init__(game)

    def prepare(self) -> None:
        """Make the working arrays, which all games share, and have the kernel compiled or loaded."""
        if self._search is not None:
            return
        from kibitz.games.dots.kernel.position import pack
        from kibitz.games.dots.players.project_2024_kernel import new_search, score_lines
        from kibitz.search.control import STOP

        self._search = new_search()
        self._search.signal[STOP] = 1
        score_lines(pack(self.game.start()), self._search)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the first of the lines with the best score. Stopped, the best of those scored so far."""
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        state = view.sample(self.rng)
        assert isinstance(state, DotsState)
        return self._answer(state.legal_moves(), self._find(state, budget, watch), began)

    def _find(self, state: DotsState, budget: Budget, watch: Watch | None) -> Found:
        """Search a position.

        A search that turns out to be short runs on this thread: the worker that
        a longer one needs would cost more than the search.
        """
        from kibitz.games.dots.kernel.position import pack
        from kibitz.games.dots.players.project_2024_kernel import score_lines
        from kibitz.search.control import NODES, STOP, new_signal, supervise

        search, position = self._search, pack(state)
        signal, limit = search.signal, min(budget.nodes or UNLIMITED, UNLIMITED)

        def begin(limit: int) -> None:
            search.settings[:] = self.depth, limit, self.as_ == "corrected", self.prunes
            signal[:] = new_signal()

        scored, unwatched = 0, budget.seconds is None and watch is None
        if unwatched:
            begin(min(limit, SHORT))
            scored = score_lines(position, search)
        if not unwatched or (signal[STOP] and limit > SHORT):
            begin(limit)
            scored = supervise(lambda: score_lines(position, search), signal, budget.seconds, watch)
        scores: list[int] = search.scores[:scored].tolist()
        settled = scored == state.undrawn.bit_count() or INFINITY in scores  # a stop after that came too late
        return Found(scores, int(signal[NODES]), bool(signal[STOP]) and not settled)

    def _answer(self, legal: tuple[Move, ...], found: Found, began: float) -> Choice:
        """Return what was found as a choice. The score is in the note: as a value it would have no unit."""
        scores = found.scores
        top = max(scores, default=-INFINITY)
        if top > -INFINITY:
            move, note = legal[scores.index(top)], f"score {_told(top)}"
        elif found.stopped:
            move, note = legal[0], "the first free line"
        else:
            move, note = legal[0], "no line found: as written the search hangs here, this is the first free line"
        if found.stopped:
            note += f", stopped after {len(scores)} of {len(legal)} lines"
        told = not self.prunes and not found.stopped and abs(top) < INFINITY
        return Choice(
            move=move,
            moves=tuple(MoveValue(line, score / 2, False) for line, score in zip(legal, scores, strict=True))
            if told
            else (),
            depth=0 if found.stopped else self.depth,
            nodes=found.nodes,
            seconds=time.perf_counter() - began,
            note=note,
        )


def _told(score: int) -> str:
    """Return a doubled score in words."""
    if score == INFINITY:
        return "+infinity, for the lines run out before the depth is reached"
    return f"{score / 2:+g}, half of the boxes of nobody counted in"


class Minimax2024(Project2024):
    """Minimax as in a student project of 2024: the moves of alphabeta-2024, but no cuts, so more nodes."""

    prunes = False


class Plain2024(Project2024):
    """Alpha-beta of the 2024 project in plain Python: the readable reference of alphabeta-2024."""

    def prepare(self) -> None:
        """Do nothing: plain Python needs no compiling."""

    def _find(self, state: DotsState, budget: Budget, watch: Watch | None) -> Found:
        """Search a position."""
        self.deadline = None if budget.seconds is None else time.perf_counter() + budget.seconds
        self.max_nodes, self.watch, self.nodes = budget.nodes, watch, 0
        self.machine, self.boxes = state.to_move, len(state.game.board.coins)
        scores: list[int] = []
        alpha = -INFINITY
        try:
            for line in state.legal_moves():
                scores.append(self._score(self._after(state, line), self.depth - 1, alpha, INFINITY))
                alpha = max(alpha, scores[-1])
                if alpha >= INFINITY:
                    break
        except Stopped:
            return Found(scores, self.nodes, True)
        return Found(scores, self.nodes, False)

    def _after(self, state: DotsState, line: Move) -> DotsState:
        """Return the position after a line, with the turn where the search believes it to be."""
        after = state.play(line)
        if self.as_ == "written" and after.to_move == state.to_move:
            return replace(after, to_move=1 - state.to_move)
        return after

    def _score(self, state: DotsState, depth: int, alpha: int, beta: int) -> int:
        """Return twice the score of a position for the machine: exact within (alpha, beta), else a bound beyond it."""
        self._check_budget()
        self.nodes += 1
        if depth == 0 or (self.as_ == "corrected" and not state.undrawn):
            return self._count(state)
        mine = state.to_move == self.machine
        best = -INFINITY if mine else INFINITY
        for line in state.legal_moves():
            score = self._score(self._after(state, line), depth - 1, alpha, beta)
            if mine:
                best = max(best, score)
                alpha = max(alpha, best)
            else:
                best = min(best, score)
                beta = min(beta, best)
            if beta <= alpha:
                break
        return best

    def _count(self, state: DotsState) -> int:
        """Return twice the score of a position as it stands."""
        mine, others = (state.owned[player].bit_count() for player in (self.machine, 1 - self.machine))
        control = self.boxes - mine - others
        return 2 * (mine - others) + control

    def _check_budget(self) -> None:
        late = self.deadline is not None and time.perf_counter() >= self.deadline
        spent = self.max_nodes is not None and self.nodes >= self.max_nodes
        if self.watch is not None:
            self.watch.nodes = self.nodes
        if late or spent or (self.watch is not None and self.watch.stopped):
            raise Stopped
