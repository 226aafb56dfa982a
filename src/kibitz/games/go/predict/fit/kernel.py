"""Score candidates, learn the weights of features from games, and measure how well they predict moves.

The score of a candidate is the sum of the weights of its features and, for each pair of them, the product of their
factors (Wistuba & Schmidt-Thieme 2013): with S the sum of the factors v of all features, (S.S - sum of v.v) / 2. The
probability of a move is the softmax of the scores of all legal points. Each weight has its own step size (AdaGrad,
Duchi et al. 2011).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.rng import below
from kibitz.games.go.kernel.board import rebuild_all
from kibitz.games.go.predict.model import board_kernel
from kibitz.games.go.predict.model.board_kernel import FeatureBoard, clear_position, next_stone, play_stone
from kibitz.games.go.predict.model.features_kernel import Features, new_features, write_features
from kibitz.games.go.predict.model.patterns_kernel import PatternRow, PatternTable, write_patterns
from kibitz.games.go.sgf.record import PASS, POINT_BITS

WEIGHT_RATE, FACTOR_RATE, POSITION_SHARE, RARE_SHARE = range(4)
"""The entries of fit_games' rates: learning rates of weights and of factors; the share of positions to learn from;
the probability below which a candidate is sampled instead of always used, and then counts as that likely."""
POSITIONS, CORRECT, LOG_EVIDENCE = range(3)
"""The entries of fit_games' totals: positions; correct predictions; the sum of the moves' log probabilities."""
_RANDOM_RANGE = 1 << 30  # a random number below this, divided by it, is a probability


class ModelWeights(NamedTuple):
    """The weights of a pattern model, with scratch space to score a position."""

    weights: NDArray[np.float32]  # [feature, 1 + factors]: the weight, then the factors
    squared_gradients: NDArray[np.float32]
    """The same shape: sums of squared gradients so far, while learning; otherwise empty"""
    scores: NDArray[np.float32]  # [candidate]: scratch; the scores, then the probabilities
    sums: NDArray[np.float32]  # [candidate, 1 + factors]: scratch; sums over the weights and factors of all features
    squares: NDArray[np.float32]  # [1 + factors]: scratch


class ModelWorkspace(NamedTuple):
    """The arrays of a model for one board size."""

    board: FeatureBoard
    table: PatternTable
    weights: ModelWeights
    features: Features


class PredictedMoves(NamedTuple):
    """How well each played move was predicted. [move]."""

    ranks: NDArray[np.int16]  # 1 if the move was the likeliest; in a tie, the played move comes last
    shares: NDArray[np.float32]  # its probability
    tops: NDArray[np.float32]  # the probability of the likeliest move
    numbers: NDArray[np.int16]  # the number of moves before it
    games: NDArray[np.int32]  # the number of its game

    def first(self, n: int) -> PredictedMoves:
        """Return the first n moves."""
        return PredictedMoves(self.ranks[:n], self.shares[:n], self.tops[:n], self.numbers[:n], self.games[:n])


def new_workspace(
    size: int, table: PatternTable, weights: NDArray[np.float32], squares: NDArray[np.float32] | None = None
) -> ModelWorkspace:
    """Return the arrays for a board size. squares: see ModelWeights.squared_gradients; None unless learning."""
    n, width = size * size, weights.shape[1]
    squared_gradients = np.zeros((0, 0), np.float32) if squares is None else squares
    scratch = np.zeros(n, np.float32), np.zeros((n, width), np.float32), np.zeros(width, np.float32)
    model = ModelWeights(weights, squared_gradients, *scratch)
    return ModelWorkspace(board_kernel.new_feature_board(size), table, model, new_features(size))


def new_predicted_moves(n: int) -> PredictedMoves:
    """Return empty arrays for n moves."""
    return PredictedMoves(
        np.zeros(n, np.int16), np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(n, np.int16),
        np.zeros(n, np.int32),
    )  # fmt: skip


@jit
def _candidate_at(features: Features, n: int, point: int) -> int:
    """Return the index of the candidate at a point, or -1 if the point is not among the n candidates."""
    for i in range(n):
        if features.points[i] == point:
            return i
    return -1


@jit
def _score_all(model: ModelWeights, found: Features, n: int) -> None:
    """Write the probabilities of all candidates to model.scores."""
    weights, all_sums, squares, scores = model.weights, model.sums, model.squares, model.scores
    features, counts = found.features, found.counts
    width = weights.shape[1]
    top = np.float32(-1e30)
    for i in range(n):
        sums = all_sums[i]
        for k in range(width):
            sums[k] = squares[k] = 0
        for j in range(counts[i]):
            row = weights[features[i, j]]
            for k in range(width):  # no reduction over k here, so that the loop is vectorised
                v = row[k]
                sums[k] += v
                squares[k] += v * v
        score = np.float32(0)
        for k in range(1, width):
            score += sums[k] * sums[k] - squares[k]
        score = sums[0] + np.float32(0.5) * score
        scores[i] = score
        top = max(top, score)
    total = np.float32(0)
    for i in range(n):
        scores[i] = np.exp(scores[i] - top)
        total += scores[i]
    for i in range(n):
        scores[i] /= total


@jit
def _learn_candidate(model: ModelWeights, found: Features, i: int, gradient: float, rates: Floats) -> None:
    """Update the weights of a candidate's features by one AdaGrad step. gradient: of the loss by its score."""
    weights, all_squares, sums, gradient32 = model.weights, model.squared_gradients, model.sums[i], np.float32(gradient)
    linear, pairs, width = np.float32(rates[WEIGHT_RATE]), np.float32(rates[FACTOR_RATE]), weights.shape[1]
    features = found.features[i]
    for j in range(found.counts[i]):
        row, squares = weights[features[j]], all_squares[features[j]]
        squares[0] += gradient32 * gradient32
        row[0] -= linear * gradient32 / np.sqrt(squares[0])
        for k in range(1, width):
            v = row[k]
            step = gradient32 * (sums[k] - v)
            squares[k] += step * step
            row[k] = v - pairs * step / np.sqrt(squares[k])


@entry
def fit_games(
    work: ModelWorkspace, plays: Ints, spans: Ints, rates: Floats, rng: NDArray[np.uint64], totals: Floats
) -> None:
    """Learn from games. Add to the totals how well each position was predicted before learning from it.

    spans: see GamesFile.spans.
    """
    fb, table, model, features = work
    for game in range(len(spans)):
        clear_position(fb)
        end = spans[game, 1]
        at = next_stone(fb, plays, spans[game, 0], end)
        while at < end:
            play = int(plays[at])
            point, colour = play & PASS, play >> POINT_BITS & 3
            if colour & spans[game, 2] and below(rng, _RANDOM_RANGE) < rates[POSITION_SHARE] * _RANDOM_RANGE:
                board_kernel.survey(fb)
                n = write_features(fb, table, colour, features)
                target = _candidate_at(features, n, point)
                if target >= 0:
                    _learn_position(model, features, n, target, rates, rng, totals)
            at = next_stone(fb, plays, at + 1, end) if play_stone(fb, point, colour) else end


@jit
def _learn_position(
    model: ModelWeights, features: Features, n: int, target: int, rates: Floats, rng: NDArray[np.uint64], totals: Floats
) -> None:
    """Learn from one position that the candidate `target` was played, out of n candidates."""
    _score_all(model, features, n)
    totals[POSITIONS] += 1
    correct, rare = True, rates[RARE_SHARE]
    for i in range(n):
        share = model.scores[i]
        correct = correct and share <= model.scores[target]
        if i == target:
            _learn_candidate(model, features, i, share - 1.0, rates)
        elif share >= rare:
            _learn_candidate(model, features, i, share, rates)
        elif below(rng, _RANDOM_RANGE) * rare < share * _RANDOM_RANGE:  # with probability share / rare
            _learn_candidate(model, features, i, rare, rates)
    totals[CORRECT] += correct
    totals[LOG_EVIDENCE] += np.log(max(model.scores[target], 1e-9))


@entry
def count_patterns(work: ModelWorkspace, plays: Ints, spans: Ints) -> None:
    """Count the patterns around all moves of games, in the table. spans: see GamesFile.spans."""
    fb, table, _, features = work
    for game in range(len(spans)):
        clear_position(fb)
        end = spans[game, 1]
        at = next_stone(fb, plays, spans[game, 0], end)
        while at < end:
            play = int(plays[at])
            point, colour = play & PASS, play >> POINT_BITS & 3
            board_kernel.survey(fb)
            write_patterns(fb, table, point, colour, PatternRow(features.features[0], features.kinds[0]), 0)
            at = next_stone(fb, plays, at + 1, end) if play_stone(fb, point, colour) else end


@entry
def predict_games(work: ModelWorkspace, plays: Ints, spans: Ints, out: PredictedMoves) -> int:
    """Write how well each move of games is predicted; return the number of moves. spans: see GamesFile.spans.

    Leave out the first move of each game, passes and illegal moves.
    """
    fb, table, model, features = work
    written = 0
    for game in range(len(spans)):
        clear_position(fb)
        end = spans[game, 1]
        at = next_stone(fb, plays, spans[game, 0], end)
        while at < end:
            play = int(plays[at])
            point, colour, made = play & PASS, play >> POINT_BITS & 3, fb.facts[board_kernel.MOVES]
            if made and colour & spans[game, 2]:
                board_kernel.survey(fb)
                n = write_features(fb, table, colour, features)
                target = _candidate_at(features, n, point)
                if target >= 0:
                    _score_all(model, features, n)
                    _write_prediction(model, n, target, out, written)
                    out.numbers[written], out.games[written] = made, game
                    written += 1
            at = next_stone(fb, plays, at + 1, end) if play_stone(fb, point, colour) else end
    return written


@jit
def _write_prediction(model: ModelWeights, n: int, target: int, out: PredictedMoves, at: int) -> None:
    """Write the rank and probability of the played candidate, and the highest probability."""
    share, rank, top = model.scores[target], 0, np.float32(0)
    for i in range(n):
        rank += model.scores[i] >= share
        top = max(top, model.scores[i])
    out.ranks[at], out.shares[at], out.tops[at] = rank, share, top


@entry
def set_position(fb: FeatureBoard, points: Ints, facts: Ints) -> None:
    """Set up a position: the colour of each point, and FeatureBoard.facts up to TOOK_KO."""
    clear_position(fb)
    for point in range(len(points)):
        if points[point]:
            board_kernel.set_stone(fb, point, points[point])
    rebuild_all(fb.board)
    for i in range(len(facts)):
        fb.facts[i] = facts[i]


@entry
def rank_position(work: ModelWorkspace, colour: int) -> int:
    """Write the candidates of a position with their features and probabilities; return the number of candidates."""
    fb, table, model, features = work
    board_kernel.survey(fb)
    n = write_features(fb, table, colour, features)
    _score_all(model, features, n)
    return n
