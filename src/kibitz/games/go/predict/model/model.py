"""The pattern model: how likely each point is to be played next, and what speaks for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns.shapes import window_rows
from kibitz.games.go.predict.fit.kernel import Judged, Weights, judge_games, rank_position, set_position
from kibitz.games.go.predict.model.features_kernel import Found
from kibitz.games.go.predict.model.file import Content, read_model
from kibitz.games.go.predict.model.layout import FIXED, MOST, PLAIN, RECENT, SIZES
from kibitz.games.go.predict.model.patterns_kernel import Words
from kibitz.games.go.predict.model.scene_kernel import Scene, new_scene
from kibitz.games.go.predict.model.words import feature_text, group_of, pattern_text
from kibitz.games.go.predict.shipped import LARGEST as LARGEST
from kibitz.games.go.predict.shipped import SMALLEST as SMALLEST
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import Board

FILE = "patterns.npz"
SAID = 2
"""Of features that are one reason together, so many are named, the weightiest."""


class Reason(NamedTuple):
    """Something that speaks for or against a move."""

    text: str
    weight: float
    """What it adds to the score, more than it adds for the legal points on average. The exponents of scores are as
    the probabilities."""


@dataclass(frozen=True)
class Candidate:
    """A legal point."""

    point: int
    share: float
    """How likely it is, 0 to 1."""
    reasons: tuple[Reason, ...]
    """What speaks for it and against it, the weightiest first."""
    shape: str
    """The largest known pattern around the point, as parse_shape names it; empty if there is none."""
    rows: tuple[str, ...]
    """How it looks: the mover is X and plays at *, # is beyond the edge."""


@dataclass(frozen=True)
class Ranking:
    """All legal points of a position."""

    shares: Any
    """float64 [point]: the probabilities; 0 where no stone may be played"""
    order: tuple[int, ...]
    """The legal points, the likeliest first."""
    candidates: tuple[Candidate, ...]
    """As many of them as were asked for, explained."""


class PatternModel:
    """Weights of patterns and features. Not to be used by two threads at once."""

    def __init__(self, content: Content) -> None:
        self.about = content.about
        self.keys = content.keys
        self.weights = content.weights
        self._words = fill_words(content.keys)
        self._rooms: dict[int, tuple[Scene, Found, Weights]] = {}

    @staticmethod
    def load(path: Path | None = None) -> PatternModel:
        """Return the model of a file, or the one that comes with kibitz. Raises BadText if it cannot be read."""
        if path is not None:
            return PatternModel(read_model(path))
        with resources.as_file(resources.files(__package__).joinpath(FILE)) as shipped:
            if not shipped.exists():
                raise BadText("No pattern model came with this kibitz; kibitz go train makes one, --file names it.")
            return PatternModel(read_model(shipped))

    def _room(self, size: int) -> tuple[Scene, Found, Weights]:
        """Return the working space for a size. Raises BadOption if it cannot be predicted."""
        if not SMALLEST <= size <= LARGEST:
            raise BadOption(
                f"The pattern model knows boards of size {SMALLEST} to {LARGEST}, so it cannot predict moves on {size}."
            )
        if size not in self._rooms:
            self._rooms[size] = new_scene(size), new_found(size), new_weights(self.weights, size)
        return self._rooms[size]

    def rank(self, state: GoState, earlier: Sequence[int] = (), explain: int = 10) -> Ranking:
        """Return how likely each point is to be played next, and explain so many of the likeliest.

        earlier: moves before the position, the last one first, a pass as -1. Without
        it the last move alone is known. Passes are not predicted.
        """
        recent = [move if 0 <= move < state.game.size**2 else -1 for move in earlier or (state.last,)][:RECENT]
        facts = (state.ko, state.turn, int(state.ko >= 0))
        return self.rank_board(state.board, 1 + state.to_move, recent, facts, explain)

    def rank_board(
        self,
        board: Board,
        colour: int,
        recent: Sequence[int],
        facts: tuple[int, int, int],
        explain: int | Collection[int] = 10,
    ) -> Ranking:
        """Return the same for a board. facts: a forbidden ko or -1, moves made, 1 if the last move took a ko.

        explain: so many of the likeliest, or points, of which those that are not legal are passed over.
        """
        scene, found, weights = self._room(board.size)
        stones = np.frombuffer(board.points, np.uint8).astype(np.int64)
        known = [*recent, *[-1] * RECENT][:RECENT]
        set_position(scene, stones, np.array(known, np.int64), np.array(facts, np.int64))
        n = rank_position(scene, self._words, weights, found, colour)
        shares = np.zeros(board.size**2)
        shares[found.points[:n]] = weights.scores[:n]
        order = np.argsort(-weights.scores[:n], kind="stable")
        terms = Terms(found, self.weights, n)
        told = order[:explain] if isinstance(explain, int) else order[np.isin(found.points[order], list(explain))]
        candidates = tuple(_candidate(board, colour, found, terms, int(at), float(weights.scores[at])) for at in told)
        return Ranking(shares, tuple(found.points[order].tolist()), candidates)

    def judge(self, plays: Any, spans: Any, size: int = 19) -> Judged:
        """Return how all moves of games are predicted; see fit_kernel.fit_games for spans."""
        scene, found, weights = self._room(size)
        most = int((spans[:, 1] - spans[:, 0]).sum())
        judged = Judged(
            np.zeros(most, np.int16), np.zeros(most, np.float32), np.zeros(most, np.float32),
            np.zeros(most, np.int16), np.zeros(most, np.int32),
        )  # fmt: skip
        n = judge_games(scene, self._words, weights, found, plays, np.ascontiguousarray(spans, np.int64), judged)
        return Judged(*(column[:n] for column in judged))


class Terms:
    """What each feature adds to the score of a candidate, worked out when it is asked for."""

    def __init__(self, found: Found, weights: Any, n: int) -> None:
        self.found, self.weights, self.n = found, weights, n

    def of(self, at: int) -> Any:
        """Return what each feature of a candidate adds: its weight, and half of all its products with others."""
        rows = self.weights[self.found.features[at, : self.found.many[at]]]
        factors = rows[:, 1:]
        return rows[:, 0] + 0.5 * (factors * (factors.sum(axis=0) - factors)).sum(axis=1)

    def groups(self, at: int) -> dict[str, float]:
        """Return what each group of features adds."""
        sums: dict[str, float] = {}
        kinds = self.found.kinds[at]
        for place, term in enumerate(self.of(at).tolist()):
            group = group_of(int(self.found.features[at, place]), int(kinds[place]))
            sums[group] = sums.get(group, 0.0) + term
        return sums

    @cached_property
    def average(self) -> dict[str, float]:
        """Return what each group adds for the legal points on average."""
        total: dict[str, float] = {}
        for at in range(self.n):
            for group, term in self.groups(at).items():
                total[group] = total.get(group, 0.0) + term / self.n
        return total


def _candidate(board: Board, colour: int, found: Found, terms: Terms, at: int, share: float) -> Candidate:
    """Return one candidate with what speaks for it."""
    said: dict[str, list[tuple[float, str]]] = {}
    largest = -1
    for place, term in enumerate(terms.of(at).tolist()):
        feature, kind = int(found.features[at, place]), int(found.kinds[at, place])
        group = group_of(feature, kind)
        if kind:
            if (kind - 1) // len(SIZES) == PLAIN:
                largest = max(largest, (kind - 1) % len(SIZES))
            said[group] = [(0.0, pattern_text(kind))]  # the last one is the largest
        else:
            said.setdefault(group, []).append((-abs(term), feature_text(feature)))
    groups = terms.groups(at)
    reasons = []
    for group, texts in said.items():
        text = "; ".join(text for _, text in sorted(texts)[:SAID])
        reasons.append(Reason(text, groups[group] - terms.average.get(group, 0.0)))
    reasons.sort(key=lambda reason: -abs(reason.weight))
    shape = f"circle{SIZES[largest]}" if largest >= 0 else ""
    point = int(found.points[at])
    return Candidate(point, share, tuple(reasons), shape, window_rows(board, colour, point, shape) if shape else ())


def fill_words(keys: Any) -> Words:
    """Return patterns ready for looking up, numbered in their order after the fixed features."""
    slots = 1 << (2 * max(len(keys), 1)).bit_length()
    table, numbers = np.zeros(slots, np.uint32), np.zeros(slots, np.int32)
    left = np.arange(len(keys))
    places = keys.astype(np.int64) & (slots - 1)
    while len(left):  # each round all that are left try their next slot, and the first one for a free slot gets it
        free = table[places] == 0
        winners = np.unique(places[free], return_index=True)[1]
        chosen = np.flatnonzero(free)[winners]
        table[places[chosen]] = keys[left[chosen]]
        numbers[places[chosen]] = FIXED + left[chosen]
        rest = np.ones(len(left), bool)
        rest[chosen] = False
        left, places = left[rest], (places[rest] + 1) & (slots - 1)
    return Words(table, numbers, np.zeros(0, np.uint8), np.array([len(keys), 0, 0], np.int64))


def new_found(size: int) -> Found:
    """Return room for the candidates of a board."""
    n = size * size
    return Found(
        points=np.zeros(n, np.int32),
        features=np.zeros((n, MOST), np.int32),
        many=np.zeros(n, np.int32),
        kinds=np.zeros((n, MOST), np.int32),
        scratch=np.zeros(8, np.int64),
    )


def new_weights(weights: Any, size: int) -> Weights:
    """Return weights with room for the scores of a board."""
    n, width = size * size, weights.shape[1]
    return Weights(
        weights=weights,
        past=np.zeros((0, 0), np.float32),
        scores=np.zeros(n, np.float32),
        sums=np.zeros((n, width), np.float32),
        squares=np.zeros(width, np.float32),
    )
