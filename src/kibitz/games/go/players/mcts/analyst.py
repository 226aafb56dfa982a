"""The analyst of Go: the Monte Carlo search of the champion, used to value the moves worth considering.

It reports win rate, score, visits and expected line of each candidate, and the expected owner of each point, while the
search grows. Of moves that are equal by symmetry it searches only the one in the upper right, and lists them all with
the same values. Score and owners are estimated by the net, and from the ends of the playouts.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Literal, TypeAlias

from kibitz.compiled.gear import first_gear
from kibitz.core.agent import Budget, Choice, MoveValue, Watch
from kibitz.core.game import Move
from kibitz.games.go.players.mcts.agent import MonteCarlo, pass_games, pass_or_best
from kibitz.games.go.rules import Go, GoState, neighbours

if TYPE_CHECKING:
    from kibitz.games.go.players.mcts.guide import Guide, SymmetricGuide
    from kibitz.games.go.players.mcts.search import GoSearch

MAX_CANDIDATES = 10
MIN_VISITS, MIN_VISIT_SHARE = 2, 0.02
"""List a move if it has at least this many visits, and this share of those of the most visited move."""
MIN_LIKELIHOOD, MIN_EDGE_LIKELIHOOD, MIN_UNLIKELY_SHARE = 0.005, 0.2, 0.2
"""List a move that the model gives a lower probability than this, or than the second on the first line, only if it has
this share of the most visits."""
MAX_LINE_MOVES = 12

Image: TypeAlias = tuple[Move, ...]
"""A rotation or reflection of the board: the image of each move."""


class Analyst(MonteCarlo):
    """Values the moves worth considering by Monte Carlo tree search: win rate, score, visits, line and ownership.

    `playouts` and `seconds` are its own limits per position. `tree` is the maximum number of nodes in the tree; when it
    is full, the analysis goes on without growing it. `priors` is the source of move probabilities, as for mcts.
    """

    def __init__(
        self,
        game: Go,
        *,
        priors: Literal["windows", "patterns", "net", "best"] = "best",
        playouts: int | None = None,
        seconds: float | None = None,
        tree: int = 1_000_000,
    ) -> None:
        super().__init__(game, priors=priors, playouts=playouts, seconds=seconds, resign=0, tree=tree)
        self._guide: SymmetricGuide | None = None

    def guide(self) -> Guide | None:
        """Return a guide that knows the symmetries of the position analysed."""
        from kibitz.games.go.players.mcts.guide import SymmetricGuide

        guide = super().guide()
        self._guide = None if guide is None else SymmetricGuide(guide, self.game.size)
        return self._guide

    @first_gear
    def choose(self, view: GoState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the best move with its candidates. An analysis of the same position goes on where the last ended."""
        self.check(view)
        search = self.search
        began = time.perf_counter()
        state, seed = view.sample(self.rng), self.rng.getrandbits(64)
        images = _images(state)
        if self._guide is not None:
            self._guide.images = images
        moves = [move for move in state.legal_moves() if move == _representative(state.game, images, move)]

        def answer(best: int) -> Choice:
            return replace(_analysis(state, search, best, images), seconds=time.perf_counter() - began)

        def report(best: int) -> None:
            if watch is not None:
                watch.choice = answer(best)

        before, pass_wins = self._trail.before(state), pass_games(state)
        best = search.run(state, before, self.limits(budget), watch, seed, pass_wins, report, moves)
        choice = answer(best)
        if watch is not None:
            watch.choice = choice
        return choice


def _images(state: GoState) -> list[Image]:
    """Return the rotations and reflections that leave a position as it is, the identity among them."""
    points, legal = state.board.points, set(state.legal_moves())
    return [
        image
        for image in state.game.symmetries()
        if bytes(points[image[point]] for point in range(len(points))) == points
        and legal == {image[move] for move in legal}
    ]


def _representative(game: Go, images: Iterable[Image], move: Move) -> Move:
    """Return the move that is searched of those equal by symmetry: the one furthest up, and then furthest right."""
    return min((image[move] for image in images), key=lambda each: (each // game.size, -each))


def _equal(found: MoveValue, images: Sequence[Image]) -> list[MoveValue]:
    """Return the values of a move and of those equal to it by symmetry, which share its visits.

    If there are too few to share, return only the move that was searched.
    """
    distinct = {image[found.move]: image for image in images}
    share, rest = divmod(found.visits or 0, len(distinct))
    if share < MIN_VISITS:
        return [found]
    return [
        replace(found, move=move, line=tuple(image[each] for each in found.line), visits=share + rest * (not at))
        for at, (move, image) in enumerate(sorted(distinct.items(), key=lambda item: item[0] != found.move))
    ]


def _analysis(state: GoState, search: GoSearch, best: int, images: Sequence[Image]) -> Choice:
    """Return what a search has found so far; best: the root's child with the most playouts.

    images: the symmetries of the position, for which the best moves and the owners are completed.
    """
    children, sign = search.children(), 1 if state.to_move == 0 else -1
    chosen = pass_or_best(state, search, best, children[state.game.pass_move])

    def is_candidate(move: Move, node: int) -> bool:
        most, visits, least = search.tries(best), search.tries(node), MIN_LIKELIHOOD
        if move != state.game.pass_move and len(neighbours(state.game.size)[move]) < 4:
            least = MIN_EDGE_LIKELIHOOD
        unlikely = search.has_policy and search.likelihood(node) < least
        return visits >= max(MIN_VISITS, (MIN_UNLIKELY_SHARE if unlikely else MIN_VISIT_SHARE) * most)

    listed = {move: node for move, node in children.items() if node == chosen or is_candidate(move, node)}
    ranked = sorted(listed.items(), key=lambda item: (item[1] != chosen, -search.tries(item[1])))[:MAX_CANDIDATES]

    def valued(move: Move, node: int) -> MoveValue:
        rate, lead = search.estimate(node)
        value, line = rate if state.to_move == 0 else 1 - rate, search.line(state, node, move, MAX_LINE_MOVES)
        return MoveValue(move, value, exact=False, line=line, visits=search.tries(node), score=sign * lead)

    values = [each for move, node in ranked for each in _equal(valued(move, node), images)][:MAX_CANDIDATES]
    first = values[0]
    moves, owners = tuple(sorted(values, key=lambda each: each.move)), search.owners()
    return Choice(
        first.move, first.value, "probability", moves=moves, line=first.line, depth=search.depth,
        best=tuple(sorted({image[first.move] for image in images})),
        nodes=search.playouts, playouts=search.playouts, score=first.score,
        owners=tuple(sign * fmean(owners[image[point]] for image in images) for point in range(len(owners))),
    )  # fmt: skip
