"""The interface of models that predict moves, and opening one by name. No model is loaded before it is opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Int64Array
from kibitz.core.errors import BadOption
from kibitz.games.go.predict.fit.course import Moment
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.fit.kernel import PredictedMoves, new_predicted_moves
from kibitz.games.go.predict.shipped import MAX_SIZE, MIN_SIZE, has_net
from kibitz.games.go.rules.board import BLACK, WHITE

NAMES = ("patterns", "net")
Shares: TypeAlias = NDArray[np.floating]
"""[point]: the probability of being played next; 0 for illegal points"""


class MovePredictor(ABC):
    """A model that predicts moves."""

    name: ClassVar[str]
    games_per_batch: ClassVar[int] = 20

    @abstractmethod
    def shares(self, moment: Moment) -> Shares:
        """Return the probability of each point being played next."""

    @abstractmethod
    def _predict_batch(self, games: GamesFile, selected: Int64Array, colours: Int64Array, size: int) -> PredictedMoves:
        """Return how well the moves of games of one board size are predicted, with each game's index in `selected`."""

    def predict_games(
        self,
        games: GamesFile,
        selected: Int64Array,
        colours: int | Int64Array = BLACK | WHITE,
        progress: Callable[[int, int], None] | None = None,
    ) -> PredictedMoves:
        """Return how well the moves of games are predicted, with each game's index in `selected`.

        colours: BLACK, WHITE or BLACK | WHITE, for all games or one per game. progress is
        called with the number of games done and the total.
        """
        wanted, parts = np.broadcast_to(colours, len(selected)), [new_predicted_moves(0)]
        for start in range(0, len(selected), self.games_per_batch):
            places = np.arange(start, min(start + self.games_per_batch, len(selected)))
            sizes = games.sizes[selected[places]]
            for size in np.unique(sizes).tolist():
                here = places[sizes == size]
                moves = self._predict_batch(games, selected[here], wanted[here], size)
                parts.append(moves._replace(games=here[moves.games]))
            if progress is not None:
                progress(start + len(places), len(selected))
        return _concatenate(parts)


def predict_moments(
    predict: Callable[[list[Moment]], Shares], moments: Sequence[tuple[int, Moment]], per_batch: int
) -> PredictedMoves:
    """Return how well a model predicts the moves played in these positions.

    predict: returns the probabilities, [position, point], for a batch of positions. moments: (number of the game,
    position), without passes and first moves.
    """
    parts = [new_predicted_moves(0)]
    for start in range(0, len(moments), per_batch):
        games, batch = zip(*moments[start : start + per_batch], strict=True)
        shares = predict(list(batch))
        played = shares[np.arange(len(batch)), [moment.played for moment in batch]]
        ranks, numbers = (shares >= played[:, None]).sum(axis=1), np.array([moment.moves for moment in batch])
        parts.append(PredictedMoves(ranks, played, shares.max(axis=1), numbers, np.array(games)))
    return _concatenate(parts)


def _concatenate(parts: list[PredictedMoves]) -> PredictedMoves:
    """Return the moves of all parts in one, with the dtypes of the first part."""
    columns = zip(*parts, strict=True)
    return PredictedMoves(*(np.concatenate(column).astype(column[0].dtype) for column in columns))


def open_model(name: str = "", path: Path | None = None) -> MovePredictor:
    """Return a model by name, by default the best one installed; load it from a file if a path is given.

    Raise BadOption if the name is unknown, BadText if the file cannot be read.
    """
    if name and name not in NAMES:
        raise BadOption(f"Unknown model {name[:40]!r}. Use {' or '.join(NAMES)}.")
    if name == "net" or (not name and path is None and has_net()):
        from kibitz.games.go.predict.net.net import PolicyNet

        return PolicyNet.load(path)
    from kibitz.games.go.predict.model.model import PatternModel

    return PatternModel.load(path)


def open_model_file(path: Path) -> MovePredictor:
    """Return the model in a file, a net if its name ends in .onnx. Raise BadText if it cannot be read as a model."""
    return open_model("net" if path.suffix.lower() == ".onnx" else "patterns", path)


def predictable_games(games: GamesFile) -> Int64Array:
    """Return the numbers of the games on supported board sizes. Raise BadOption if there are none."""
    if not len(games):
        raise BadOption("No readable Go games were found: name SGF files, folders, archives or a store.")
    selected = np.flatnonzero((games.sizes >= MIN_SIZE) & (games.sizes <= MAX_SIZE)).astype(np.int64)
    if not len(selected):
        sizes = ", ".join(str(size) for size in np.unique(games.sizes).tolist())
        raise BadOption(f"The models support board sizes {MIN_SIZE} to {MAX_SIZE}; these games have size {sizes}.")
    return selected
