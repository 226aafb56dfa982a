"""Go agents that play the move a model expects of a professional, or that the patterns of a store suggest.

PatternAgent is the pattern matcher of the report of 2013. With a store it matches the windows that were mined from it.
Without one it asks the pattern model, which knows the largest pattern of professional games around each point. Either
way it names that pattern.
PredictorAgent checks the move that a model prefers with playouts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal

from kibitz.compiled.gear import first_gear
from kibitz.core.agent import Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.spec import PathText
from kibitz.games.go.players.mcts.agent import MODEL_WORDS, GuideSettings, MonteCarlo, choose_model, is_won
from kibitz.games.go.players.mcts.owners import expected_owners
from kibitz.games.go.rules import BLACK, EMPTY, Board, Go, GoState, Point, neighbours, other

if TYPE_CHECKING:
    from kibitz.games.go.patterns.choosing import Collection, Suggestion
    from kibitz.games.go.players.mcts.search import GoSearch
    from kibitz.games.go.predict.model.model import Candidate, PatternModel

FALLBACK_PLAYOUTS = 50  # playouts per move on board sizes without patterns
MAX_EXPLAINED_MOVES = 20
"""Explain at most this many of the likeliest moves; a less likely choice is played without an explanation."""
WON_AS_IT_STANDS = "The board as it stands is won, and nothing is left to gain."
NO_SOUND_MOVE = "Every move left fills an own eye or puts an own chain in atari."
SETTLED_SHARE = 0.9  # a point is settled if its average owner in random games is above this or below minus this
ROOT_ONLY = 1 << 40  # more playouts than any search makes, so that the model is asked only about the root


class PredictorAgent(MonteCarlo):
    """The likeliest move of a model, unless playouts show that it is a blunder.

    `model` is net, patterns, or best, the best one installed; or `file` is a model of your own, made by kibitz go
    train. `playouts` is the number of playouts that check its moves. It resigns as mcts does. Values are shares: how
    likely each move is to be played, not how good it is.
    """

    def __init__(
        self,
        game: Go,
        *,
        model: Literal["best", "net", "patterns"] = "best",
        file: PathText | None = None,
        playouts: int = 500,
        resign: float = 0.05,
    ) -> None:
        if file is not None and model != "best":
            raise BadOption("predictor takes either model or file, not both.")
        super().__init__(game, priors=file or model, playouts=playouts, resign=resign, tree=200_000)
        self.guide_settings = GuideSettings(ROOT_ONLY, weight=8.0)

    def _answer(self, state: GoState, search: GoSearch, best: int) -> Choice:
        """Return the choice that the search suggests, with the share of each move as its value."""
        choice = super()._answer(state, search, best)
        if self.model_name == "windows":
            return choice
        shares = {move: search.likelihood(child) for move, child in search.children().items()}
        share = shares[choice.move]
        rank, model = 1 + sum(each > share for each in shares.values()), MODEL_WORDS[self.model_name]
        return replace(
            choice, value=None, unit="share",
            note=f"Predicted by the {model} with {share:.1%}, its move number {rank}. {choice.note}",
            moves=tuple(MoveValue(move, shares.get(move, 0.0), exact=False) for move in state.legal_moves()),
        )  # fmt: skip


class PatternAgent(MonteCarlo):
    """The best match among patterns of professional games, or of a store of your own, without looking ahead.

    `store` is the folder of a store that was mined, collection for your own, or masters for the games that ship with
    kibitz; `shape` limits it to windows of one shape. It never fills its own eyes nor puts its own chains in atari.
    Values are shares: how likely each move is to be played. Where no pattern is known it plays like mcts with 50
    playouts.
    """

    def __init__(
        self, game: Go, *, store: Literal["collection", "masters"] | PathText | None = None, shape: str = "all"
    ) -> None:
        super().__init__(game, playouts=FALLBACK_PLAYOUTS, resign=0, tree=50_000)
        self._knows_size = store is not None or choose_model("best", game.size) != "windows"
        self._open = None if store is None else open_collection(store, game.size, shape)
        if self._open is None and shape != "all":
            raise BadOption("shape is an option for the patterns of a store: add store=FOLDER.")

    @property
    def is_light(self) -> bool:
        """Whether a move takes less than about a second in plain Python."""
        return self._open is None and super().is_light

    @first_gear
    def prepare(self) -> None:
        """Load the patterns, or the search on board sizes without patterns, and compile or load the kernels."""
        if not self._knows_size:
            super().prepare()
        elif self._open is None:
            self.model  # noqa: B018
        else:
            self.collection  # noqa: B018

    @cached_property
    def collection(self) -> Collection:
        """The patterns of the store, loaded on first use."""
        assert self._open is not None
        collection, start = self._open(), self.game.start()
        collection.suggestions(start.board, BLACK)  # this and the next line compile or load the kernels
        expected_owners(start, games=2)
        return collection

    @cached_property
    def model(self) -> PatternModel:
        """The pattern model, loaded on first use."""
        from kibitz.games.go.predict.model.model import PatternModel

        model, start = PatternModel.load(), self.game.start()
        model.rank(start, explain=0)  # this and the next line compile or load the kernels
        expected_owners(start, games=2)
        return model

    @first_gear
    def choose(self, view: GoState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the likeliest sound move, or a pass if there is none or nothing is left to gain."""
        if not self._knows_size:
            choice = super().choose(view, budget, watch)
            return replace(choice, note=f"No pattern is known on a board of this size. {choice.note}")
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        before = self._trail.before(view)
        if self._open is None:
            choice = self._match(view, before)
        else:
            found = choose_suggested(view, self.collection, self.rng)
            if found is None:
                choice = super().choose(view, budget, watch)
                return replace(choice, note=f"No pattern of the store lies around a sound move. {choice.note}")
            choice = found[0]
        self._trail.add(choice.move)
        return replace(choice, seconds=time.perf_counter() - began)

    def _match(self, state: GoState, before: tuple[int, ...]) -> Choice:
        """Return the choice of the best match, with the share of every legal move."""
        if is_won(state) and (state.passes == 1 or is_settled(state)):
            return Choice(state.game.pass_move, note=WON_AS_IT_STANDS)
        ranking, legal = self.model.rank(state, before, MAX_EXPLAINED_MOVES), state.legal_moves()
        allowed = set(legal)
        point = next((p for p in ranking.order if p in allowed and is_sound(state, p)), None)
        if point is None:
            return Choice(state.game.pass_move, note=NO_SOUND_MOVE)
        shares = [*ranking.shares.tolist(), 0.0]
        rank = 1 + ranking.order.index(point)
        why = next((_explain(state, candidate) for candidate in ranking.candidates if candidate.point == point), "")
        return Choice(
            point, unit="share", moves=tuple(MoveValue(move, shares[move], exact=False) for move in legal),
            note=f"Number {rank} of the matches, {shares[point]:.1%} likely.{why}",
        )  # fmt: skip


def open_collection(store: str, size: int, shape: str) -> Callable[[], Collection]:
    """Return a function that loads the patterns of a store. Raise BadOption or BadText now if it has none.

    store: a folder, or collection for the user's own store, or masters, whose games are mined on first use.
    """
    from kibitz.games.go.patterns.choosing import kinds_to_match, load_collection
    from kibitz.games.go.patterns.mining.mined import Mined
    from kibitz.games.go.patterns.mining.mining import FIRST_USE_WAIT_SECONDS, mine
    from kibitz.games.go.records.masters import masters_store
    from kibitz.games.go.records.store import GameStore, default_folder

    if store == "masters":
        masters = masters_store()
        mine(masters, wait_seconds=FIRST_USE_WAIT_SECONDS)
        folder = masters.folder
    else:
        folder = GameStore(default_folder() if store == "collection" else Path(store)).folder
    with Mined(folder) as mined:
        kinds_to_match(mined, size, shape)
    return partial(load_collection, folder, size, shape)


def choose_suggested(state: GoState, collection: Collection, rng: Random) -> tuple[Choice, Suggestion | None] | None:
    """Return the sound move that the patterns of a store suggest, with the pattern that decided, or a pass.

    Return None if no pattern lies around a sound move. Moves that are equally good are chosen at random.
    """
    if is_won(state) and (state.passes == 1 or is_settled(state)):
        return Choice(state.game.pass_move, note=WON_AS_IT_STANDS), None
    legal = state.legal_moves()
    allowed = set(legal)
    found = [each for each in collection.suggestions(state.board, 1 + state.to_move) if each.point in allowed]
    best = next((each for each in found if is_sound(state, each.point)), None)
    if best is None:
        has_sound = any(is_sound(state, move) for move in legal if move != state.game.pass_move)
        return None if has_sound else (Choice(state.game.pass_move, note=NO_SOUND_MOVE), None)
    equals = [each for each in found if each.preference == best.preference and is_sound(state, each.point)]
    chosen, total = rng.choice(equals), sum(each.rate for each in found) or 1.0
    shares = {each.point: each.rate / total for each in found}
    choice = Choice(
        chosen.point, unit="share", moves=tuple(MoveValue(move, shares.get(move, 0.0), exact=False) for move in legal),
        note=f"{chosen.text()}.",
    )  # fmt: skip
    return choice, chosen


def _explain(state: GoState, candidate: Candidate) -> str:
    """Describe the largest known pattern of a move, with its central 3x3 rows, and the best other reason."""
    from kibitz.games.go.patterns.shapes import window_rows

    text = ""
    if candidate.shape:
        rows = " ".join(window_rows(state.board, 1 + state.to_move, candidate.point, "3x3"))
        text = f" The largest known pattern around it is {candidate.shape}, in the middle {rows}."
    others = [reason.text for reason in candidate.reasons if reason.weight > 0 and "pattern" not in reason.text]
    return text + (f" The best reason besides patterns: {others[0]}." if others else "")


def is_settled(state: GoState) -> bool:
    """Return whether random games agree on the owner of every point; False while over half of the board is empty."""
    board = state.board
    if 2 * board.points.count(EMPTY) > len(board.points):
        return False
    return all(abs(share) > SETTLED_SHARE for share in expected_owners(state))


def is_sound(state: GoState, point: Point) -> bool:
    """Return whether a legal move does not fill an own eye, and either captures or leaves its chain out of atari."""
    colour = 1 + state.to_move
    if is_eye(state.board, point, colour):
        return False
    placed = state.board.place(point, colour)
    return bool(placed.captured) or len(placed.board.chain(point).liberties) > 1


def is_eye(board: Board, point: Point, colour: int) -> bool:
    """Return whether an empty point is an eye: own stones on all sides, and few enough enemy stones diagonally."""
    if any(board.points[near] != colour for near in neighbours(board.size)[point]):
        return False
    row, column = divmod(point, board.size)
    corners = [
        board.points[r * board.size + c]
        for r in (row - 1, row + 1)
        for c in (column - 1, column + 1)
        if 0 <= r < board.size and 0 <= c < board.size
    ]
    return corners.count(other(colour)) <= (1 if len(corners) == 4 else 0)
