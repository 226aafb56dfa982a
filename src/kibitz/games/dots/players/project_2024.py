"""The machine player of a student mini project of 2024: compiled, without pruning, and in plain Python.

It looks three lines ahead by alpha-beta. A score is its lead in boxes plus half of the boxes that nobody owns, which
the project calls control. Lines are tried in ascending order, and only a better score replaces an earlier one. `as`
chooses one of two searches:

  written    The turn passes with every line, though in the game a player who takes a
             box moves again. Where the lines run out before the depth is reached
             nothing is scored, and the score keeps its initial value: -infinity on the
             machine's turn, +infinity on the opponent's. With two lines left no line
             is better than that, and the project hangs; here the first free line is
             played.
  corrected  A player who takes a box moves again, and a finished game is scored.

The machine is the player to move. numba and the kernel are imported on first use.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

from kibitz.compiled.gear import first_gear
from kibitz.core.agent import Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Move
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.search.alphabeta.agent import UNLIMITED
from kibitz.search.alphabeta.plain import INFINITY, SearchStopped

if TYPE_CHECKING:
    from kibitz.games.dots.players.project_2024_kernel import Arrays2024

As: TypeAlias = Literal["written", "corrected"]

MAX_UNWATCHED_NODES = 500_000
"""Nodes that are searched without checking the clock and Ctrl-C: a few hundredths of a second."""


class Scores2024(NamedTuple):
    """The result of a search."""

    scores: Sequence[int]  # twice the score of each line that was scored, in ascending order of lines
    nodes: int
    stopped: bool


class Project2024(Agent[Dots, DotsState]):
    """Alpha-beta of a student project of 2024: three lines ahead; as=written has its faults, as=corrected not."""

    prunes: ClassVar[bool] = True

    def __init__(self, game: Dots, *, as_: As = "written", depth: int = 3) -> None:
        if depth < 1:
            raise BadOption(f"The depth of the 2024 project's player must be 1 or more, not {depth}.")
        self.as_, self.depth = as_, depth
        self._arrays: Arrays2024 | None = None
        super().__init__(game)

    @first_gear
    def prepare(self) -> None:
        """Create the working arrays, shared by all games, and compile the kernel or load it from the cache."""
        if self._arrays is None:
            from kibitz.games.dots.kernel.position import pack
            from kibitz.games.dots.players.project_2024_kernel import new_arrays, score_lines

            self._arrays = new_arrays()
            self._arrays.begin(self.depth, 0, False, False)
            score_lines(pack(self.game.start()), self._arrays)

    @property
    def is_light(self) -> bool:
        """Whether a move takes less than about a second in plain Python."""
        return self.depth <= 3  # the project's own depth

    @first_gear
    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the first of the lines with the best score; if stopped, the best of those scored so far."""
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        return self._choice_from(view.legal_moves(), self._search(view, budget, watch), began)

    def _search(self, state: DotsState, budget: Budget, watch: Watch | None) -> Scores2024:
        """Score the lines of a position.

        Without a time limit or a watch, try a short search on this thread first: starting
        the worker thread that a longer one needs would cost more than the search.
        """
        from kibitz.games.dots.kernel.position import pack
        from kibitz.games.dots.players.project_2024_kernel import score_lines
        from kibitz.search.control import NODES, STOP, supervise

        assert self._arrays is not None, "prepare() has made them"
        arrays, position, limit = self._arrays, pack(state), min(budget.nodes or UNLIMITED, UNLIMITED)
        signal, settings = arrays.signal, (self.as_ == "corrected", self.prunes)
        scored, is_unwatched = 0, budget.seconds is None and watch is None
        if is_unwatched:
            arrays.begin(self.depth, min(limit, MAX_UNWATCHED_NODES), *settings)
            scored = score_lines(position, arrays)
        if not is_unwatched or (signal[STOP] and limit > MAX_UNWATCHED_NODES):
            arrays.begin(self.depth, limit, *settings)
            scored = supervise(lambda: score_lines(position, arrays), signal, budget.seconds, watch)
        scores = [int(arrays.scores[i]) for i in range(scored)]
        is_settled = scored == state.undrawn.bit_count() or INFINITY in scores  # any stop came too late to matter
        return Scores2024(scores, int(signal[NODES]), bool(signal[STOP]) and not is_settled)

    def _choice_from(self, legal: tuple[Move, ...], result: Scores2024, began: float) -> Choice:
        """Convert the result of a search to a choice. The score is in the note: as a value it would have no unit."""
        scores = result.scores
        best = max(scores, default=-INFINITY)
        if best == INFINITY:
            words = "score +infinity, because the lines run out before the depth is reached"
            move, note = legal[scores.index(best)], words
        elif best > -INFINITY:
            move, note = legal[scores.index(best)], f"score {best / 2:+g}, including half of the boxes that nobody owns"
        elif result.stopped:
            move, note = legal[0], "the first free line"
        else:
            move, note = legal[0], "no line found: as written the search hangs here, this is the first free line"
        if result.stopped:
            note += f", stopped after {len(scores)} of {len(legal)} lines"
        moves = tuple[MoveValue, ...]()
        if not self.prunes and not result.stopped and abs(best) < INFINITY:
            moves = tuple(MoveValue(line, score / 2, False) for line, score in zip(legal, scores, strict=True))
        return Choice(
            move=move,
            moves=moves,
            depth=0 if result.stopped else self.depth,
            nodes=result.nodes,
            seconds=time.perf_counter() - began,
            note=note,
        )


class Minimax2024(Project2024):
    """Minimax of a student project of 2024: the moves of alphabeta-2024, but without pruning, so more nodes."""

    prunes = False


class Plain2024(Project2024):
    """Alpha-beta of the 2024 project in plain Python: the readable reference of alphabeta-2024."""

    def prepare(self) -> None:
        """Do nothing: plain Python needs no compiling."""

    def _search(self, state: DotsState, budget: Budget, watch: Watch | None) -> Scores2024:
        """Score the lines of a position."""
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
        except SearchStopped:
            return Scores2024(scores, self.nodes, True)
        return Scores2024(scores, self.nodes, False)

    def _after(self, state: DotsState, line: Move) -> DotsState:
        """Return the position after a line; with as=written, the opponent always moves next."""
        after = state.play(line)
        if self.as_ == "written" and after.to_move == state.to_move:
            return replace(after, to_move=1 - state.to_move)
        return after

    def _score(self, state: DotsState, depth: int, alpha: int, beta: int) -> int:
        """Return twice the score of a position for the machine: exact within (alpha, beta), else a bound beyond it."""
        self._check_budget()
        self.nodes += 1
        if depth == 0 or (self.as_ == "corrected" and not state.undrawn):
            own, others = (state.owned[player].bit_count() for player in (self.machine, 1 - self.machine))
            return 2 * (own - others) + self.boxes - own - others
        is_machine_turn = state.to_move == self.machine
        best = -INFINITY if is_machine_turn else INFINITY
        for line in state.legal_moves():
            score = self._score(self._after(state, line), depth - 1, alpha, beta)
            if is_machine_turn:
                best = max(best, score)
                alpha = max(alpha, best)
            else:
                best = min(best, score)
                beta = min(beta, best)
            if beta <= alpha:
                break
        return best

    def _check_budget(self) -> None:
        is_late = self.deadline is not None and time.perf_counter() >= self.deadline
        is_spent = self.max_nodes is not None and self.nodes >= self.max_nodes
        if self.watch is not None:
            self.watch.nodes = self.nodes
        if is_late or is_spent or (self.watch is not None and self.watch.stopped):
            raise SearchStopped
