"""The models that predict moves, each under its name, behind one way to ask them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.predict.fit.course import Moment, moments
from kibitz.games.go.predict.fit.figures import judge_with
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.fit.kernel import Judged
from kibitz.games.go.predict.model.model import PatternModel
from kibitz.games.go.predict.shipped import LARGEST, SMALLEST
from kibitz.games.go.predict.shipped import has_net as has_net
from kibitz.games.go.rules.board import BLACK, WHITE

NAMES = ("patterns", "net")
BATCH = 20
"""Games that are judged at a time."""
POSITIONS = 32
"""Positions that the net looks at together."""
Tell = Callable[[int, int], None]


class Predictor(Protocol):
    """A model that predicts moves."""

    name: str

    def shares(self, moment: Moment) -> Any:
        """Return float [point] how likely each point is to be played next."""
        ...

    def judge(self, games: GamesFile, which: Any, colours: Any = ..., tell: Tell | None = None) -> Judged:
        """Return how the moves of games are predicted; colours: BLACK, WHITE or both, for all or for each game."""
        ...


def open_model(name: str = "", path: Path | None = None) -> Predictor:
    """Return a model by name, or the best one that is installed; from a file, if one is named.

    Raises BadOption for an unknown name, BadText if its file cannot be read.
    """
    if name and name not in NAMES:
        raise BadOption(f"There is no model {name[:40]!r}; known are {' and '.join(NAMES)}.")
    if name == "net" or (not name and path is None and has_net()):
        return NetPredictor(path)
    return PatternPredictor(PatternModel.load(path))


def known_sizes(games: GamesFile) -> Any:
    """Return the numbers of the games on boards that models know. Raises BadOption if there is none."""
    if not len(games):
        raise BadOption("There is no game that can be read.")
    which = np.flatnonzero((games.sizes >= SMALLEST) & (games.sizes <= LARGEST))
    if not len(which):
        sizes = ", ".join(str(size) for size in np.unique(games.sizes).tolist())
        raise BadOption(f"The models know boards of size {SMALLEST} to {LARGEST}; these games are on size {sizes}.")
    return which


class PatternPredictor:
    """The pattern model."""

    name = "patterns"

    def __init__(self, model: PatternModel) -> None:
        self.model = model

    def shares(self, moment: Moment) -> Any:
        """Return float [point] how likely each point is to be played next."""
        return self.model.rank_board(moment.board, moment.colour, moment.recent, moment.facts, 0).shares

    def judge(self, games: GamesFile, which: Any, colours: Any = BLACK | WHITE, tell: Tell | None = None) -> Judged:
        """Return how the moves of games are predicted."""
        colours = np.broadcast_to(colours, len(which))
        parts = []
        for start in range(0, len(which), BATCH):
            some = np.arange(start, min(start + BATCH, len(which)))
            for size in np.unique(games.sizes[which[some]]).tolist():
                here = some[games.sizes[which[some]] == size]
                judged = self.model.judge(games.plays, games.spans(which[here], colours[here]), size)
                parts.append(judged._replace(games=here[judged.games].astype(np.int32)))
            if tell is not None:
                tell(min(start + BATCH, len(which)), len(which))
        return Judged(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class NetPredictor:
    """The policy net."""

    name = "net"

    def __init__(self, path: Path | None = None) -> None:
        from kibitz.games.go.predict.net.net import PolicyNet

        self.net = PolicyNet.load(path)

    def shares(self, moment: Moment) -> Any:
        """Return float [point] how likely each point is to be played next."""
        return self._predict([moment])[0]

    def _predict(self, some: list[Moment]) -> Any:
        from kibitz.games.go.predict.net.net import position

        seen = [
            position(one.board.size, one.board.points, one.colour, one.recent, one.ko if one.ko >= 0 else None)
            for one in some
        ]
        return self.net.predict(seen).points

    def judge(self, games: GamesFile, which: Any, colours: Any = BLACK | WHITE, tell: Tell | None = None) -> Judged:
        """Return how the moves of games are predicted."""
        colours = np.broadcast_to(colours, len(which))

        def batches() -> Iterator[list[tuple[int, Moment]]]:
            for at, game in enumerate(which.tolist()):
                plays = games.plays[games.first[game] : games.first[game + 1]]
                asked = [
                    (at, moment)
                    for moment in moments(int(games.sizes[game]), plays)
                    if moment.moves and 0 <= moment.played != moment.ko and moment.colour & colours[at]
                ]
                yield from (asked[start : start + POSITIONS] for start in range(0, len(asked), POSITIONS))
                if tell is not None:
                    tell(at + 1, len(which))

        return judge_with(self._predict, batches())
