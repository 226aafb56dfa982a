"""The pattern model: the probability of each point being played next, the reasons for it, and the model file."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Float32Array, Int64Array, Uint8Array, Uint32Array
from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import open_atomically
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.patterns.shapes import window_rows
from kibitz.games.go.predict.fit import kernel
from kibitz.games.go.predict.fit.course import Moment
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.fit.kernel import ModelWorkspace, PredictedMoves
from kibitz.games.go.predict.model.features_kernel import Features
from kibitz.games.go.predict.model.layout import FIXED_FEATURES, KINDS, PATTERN_SIZES, PLAIN, RECENT_MOVES
from kibitz.games.go.predict.model.patterns_kernel import filled_table
from kibitz.games.go.predict.model.words import feature_text, group_of, pattern_text
from kibitz.games.go.predict.models import MovePredictor, Shares
from kibitz.games.go.predict.shipped import MAX_SIZE, MIN_SIZE
from kibitz.games.go.records.store import open_npz
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import Board

FILE = "patterns.npz"
_MAX_WEIGHT, _MAX_FACTOR = 32767, 127
_EXPECTED: JsonObject = {
    "format": "kibitz go patterns", "version": 1,
    "layout": [list(PATTERN_SIZES), [[name, count] for name, count in KINDS]],
}  # fmt: skip
"""The entries every model file must have; with another layout, the weights would mean something else."""
MAX_NAMED_FEATURES = 2  # a reason shared by several features names only those that add most


class ModelContent(NamedTuple):
    """The content of a model file."""

    about: JsonObject
    keys: Uint32Array  # [pattern], ascending
    weights: Float32Array
    """[feature, 1 + factors]; the patterns follow the fixed features, in the order of their keys"""


def write_model(path: Path, content: ModelContent) -> None:
    """Write a model, replacing an older file atomically. Keys need not be in order.

    The file is an .npz: `about` (JSON); the ascending pattern keys as differences, with the bytes grouped by
    significance; and the weights, 16 bits for the weight of a feature and 8 for each factor, with a scale per column.
    """
    order = np.argsort(content.keys, kind="stable")
    weights = np.concatenate([content.weights[:FIXED_FEATURES], content.weights[FIXED_FEATURES:][order]])
    steps = np.diff(content.keys[order].astype(np.int64), prepend=0).astype("<u4")
    limits = np.array([_MAX_WEIGHT] + [_MAX_FACTOR] * (weights.shape[1] - 1))
    scales = np.maximum(np.abs(weights).max(axis=0), 1e-6) / limits
    small = np.round(weights / scales)  # 16-bit weights and 8-bit factors
    about = {**content.about, **_EXPECTED}
    with open_atomically(path) as file:
        np.savez_compressed(
            file,
            about=np.array(json.dumps(about)),
            keys=steps.view(np.uint8).reshape(-1, 4).T.copy(),
            weights=small[:, 0].astype("<i2").view(np.uint8).reshape(-1, 2).T.copy(),
            factors=small[:, 1:].astype(np.int8).T.copy(),
            scales=scales.astype(np.float32),
        )


def read_model(path: Path) -> ModelContent:
    """Return the content of a model file. Raise BadText if it is not a model, damaged, or from another version."""
    with open_npz(path, _EXPECTED, "a pattern model", "Make one with kibitz go train.") as (about, arrays):
        keys = np.cumsum(_interleave(arrays["keys"]).view("<u4").astype(np.uint64)).astype(np.uint32)
        first, factors, scales = _interleave(arrays["weights"]).view("<i2"), arrays["factors"], arrays["scales"]
        if len(first) != FIXED_FEATURES + len(keys) or factors.shape != (len(scales) - 1, len(first)):
            raise ValueError
        weights = np.concatenate([first[None], factors]).T.astype(np.float32) * scales
    return ModelContent(about, keys, np.ascontiguousarray(weights, np.float32))


def _interleave(planes: Uint8Array) -> Uint8Array:
    """Return the bytes number by number; the file holds all first bytes, then all second bytes, and so on."""
    return np.ascontiguousarray(planes.T).reshape(-1)


class Reason(NamedTuple):
    """Something that speaks for or against a move."""

    text: str
    weight: float
    """What it adds to the score, compared with the average over the legal points. Probabilities are proportional to the
    exponentials of the scores."""


@dataclass(frozen=True)
class Candidate:
    """A legal point, explained."""

    point: int
    share: float  # the probability that it is played
    reasons: tuple[Reason, ...]  # reasons for and against it, the most important first
    shape: str  # the largest known pattern around the point, as parse_shape names it; empty if no pattern is known
    rows: tuple[str, ...]  # that pattern drawn: the player to move is X and plays at *, # is off the board


@dataclass(frozen=True)
class Ranking:
    """All legal points of a position."""

    shares: Shares
    order: tuple[int, ...]  # the legal points, the likeliest first
    candidates: tuple[Candidate, ...]  # the explained points, the likeliest first


class PatternModel(MovePredictor):
    """Weights of patterns and features. Not thread-safe."""

    name = "patterns"

    def __init__(self, content: ModelContent) -> None:
        self.about, self.keys, self.weights = content
        self._table = filled_table(content.keys)
        self._workspaces: dict[int, ModelWorkspace] = {}

    @staticmethod
    def load(path: Path | None = None) -> PatternModel:
        """Return the model in a file, by default the one shipped with kibitz. Raise BadText if it is unreadable."""
        if path is not None:
            return PatternModel(read_model(path))
        with resources.as_file(resources.files(__package__).joinpath(FILE)) as shipped:
            if not shipped.exists():
                raise BadText("This kibitz has no pattern model. Make one with kibitz go train; use it with --file.")
            return PatternModel(read_model(shipped))

    def workspace(self, size: int) -> ModelWorkspace:
        """Return the model's arrays for a board size. Raise BadOption if the size is not supported."""
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise BadOption(f"The pattern model supports board sizes {MIN_SIZE} to {MAX_SIZE}, not {size}.")
        if size not in self._workspaces:
            self._workspaces[size] = kernel.new_workspace(size, self._table, self.weights)
        return self._workspaces[size]

    def shares(self, moment: Moment) -> Shares:
        """Return the probability that each point is played next."""
        return self.rank_moment(moment, 0).shares

    def rank(self, state: GoState, earlier: Sequence[int] = (), explain: int = 10) -> Ranking:
        """Return the probability that each point is played next, with explanations of the likeliest `explain` points.

        earlier: previous moves, the latest first, a pass as -1; by default only the last
        move is known. Passes are not predicted.
        """
        recent = tuple(move if 0 <= move < state.game.size**2 else -1 for move in earlier or (state.last,))
        return self.rank_moment(Moment(state.board, 1 + state.to_move, recent, state.ko, state.turn, -1), explain)

    def rank_moment(self, moment: Moment, explain: int | Collection[int] = 10) -> Ranking:
        """Return the probability that each point is played next in a position of a record, with explanations.

        explain: how many of the likeliest points to explain, or which points; illegal ones are skipped.
        """
        board, work = moment.board, self.workspace(moment.board.size)
        stones = np.frombuffer(board.points, np.uint8).astype(np.int64)
        recent = [*moment.recent, *[-1] * RECENT_MOVES][:RECENT_MOVES]
        facts = np.array([*recent, moment.ko, moment.moves, moment.ko >= 0], np.int64)
        kernel.set_position(work.board, stones, facts)
        n = kernel.rank_position(work, moment.colour)
        points, scores = work.features.points[:n], work.weights.scores[:n]
        shares = np.zeros(board.size**2)
        shares[points] = scores
        order = np.argsort(-scores, kind="stable")
        terms = ScoreTerms(work.features, self.weights, n)
        explained = order[:explain] if isinstance(explain, int) else order[np.isin(points[order], list(explain))]
        candidates = tuple(terms.explain(board, moment.colour, at, float(scores[at])) for at in explained.tolist())
        return Ranking(shares, tuple(points[order].tolist()), candidates)

    def _predict_batch(self, games: GamesFile, selected: Int64Array, colours: Int64Array, size: int) -> PredictedMoves:
        spans = games.spans(selected, colours)
        out = kernel.new_predicted_moves(int((spans[:, 1] - spans[:, 0]).sum()))
        return out.first(kernel.predict_games(self.workspace(size), games.plays, spans, out))


class ScoreTerms:
    """What the features of each candidate add to its score, computed on demand."""

    def __init__(self, features: Features, weights: Float32Array, candidates: int) -> None:
        self.features, self.weights, self.candidates = features, weights, candidates

    def feature_terms(self, at: int) -> Float32Array:
        """Return what each feature adds to a candidate's score: its weight, and half its products with the others."""
        rows = self.weights[self.features.features[at, : self.features.counts[at]]]
        factors = rows[:, 1:]
        terms: Float32Array = rows[:, 0] + 0.5 * (factors * (factors.sum(axis=0) - factors)).sum(axis=1)
        return terms

    def labelled_terms(self, at: int) -> list[tuple[int, int, str, float]]:
        """Return each feature of a candidate with its kind, its group, and what it adds to the score."""
        features, kinds = self.features.features[at].tolist(), self.features.kinds[at].tolist()
        terms = zip(features, kinds, self.feature_terms(at).tolist(), strict=False)
        return [(feature, kind, group_of(feature, kind), term) for feature, kind, term in terms]

    def group_terms(self, at: int) -> dict[str, float]:
        """Return what each group of features adds to the score of a candidate."""
        sums: dict[str, float] = {}
        for _, _, group, term in self.labelled_terms(at):
            sums[group] = sums.get(group, 0.0) + term
        return sums

    @cached_property
    def average(self) -> dict[str, float]:
        """What each group adds to the score, averaged over the legal points."""
        total: dict[str, float] = {}
        for at in range(self.candidates):
            for group, term in self.group_terms(at).items():
                total[group] = total.get(group, 0.0) + term / self.candidates
        return total

    def explain(self, board: Board, colour: int, at: int, share: float) -> Candidate:
        """Return a candidate with its reasons: what each group adds to its score, compared with the average."""
        texts: dict[str, list[tuple[float, str]]] = {}
        largest = -1
        for feature, kind, group, term in self.labelled_terms(at):
            if kind:
                if (kind - 1) // len(PATTERN_SIZES) == PLAIN:
                    largest = max(largest, (kind - 1) % len(PATTERN_SIZES))
                texts[group] = [(0.0, pattern_text(kind))]  # the last one is the largest
            else:
                texts.setdefault(group, []).append((-abs(term), feature_text(feature)))
        groups, reasons = self.group_terms(at), []
        for group, named in texts.items():
            text = "; ".join(text for _, text in sorted(named)[:MAX_NAMED_FEATURES])
            reasons.append(Reason(text, groups[group] - self.average[group]))
        reasons.sort(key=lambda reason: -abs(reason.weight))
        shape = f"circle{PATTERN_SIZES[largest]}" if largest >= 0 else ""
        point = int(self.features.points[at])
        return Candidate(point, share, tuple(reasons), shape, window_rows(board, colour, point, shape) if shape else ())
