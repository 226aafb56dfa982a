"""Learning the weights of features from games, and measuring how well they predict them.

The score of a candidate is the sum of the weights of its features and, for
each pair of them, the product of their factors (Wistuba & Schmidt-Thieme 2013):
with S the sum of the factors v of all features, (S.S - sum of v.v) / 2. What is
played with which probability is the softmax of the scores of all legal points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.rng import below
from kibitz.games.go.kernel.board import rebuild_all
from kibitz.games.go.predict.model.features_kernel import Found, describe
from kibitz.games.go.predict.model.layout import RECENT
from kibitz.games.go.predict.model.patterns_kernel import Words, patterns
from kibitz.games.go.predict.model.scene_kernel import (
    KO,
    TOOK_KO,
    Scene,
    advance,
    clear_scene,
    remember,
    set_stone,
    survey,
)
from kibitz.games.go.rules.board import EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

_LOTS = 1 << 30


class Weights(NamedTuple):
    """What is learned."""

    weights: Any
    """float32 [feature, 1 + factors]: the weight, then the factors"""
    past: Any
    """float32, the same shape: the sums of squared slopes while it is learned; else empty"""
    scores: Any
    """float32 [candidate]: scratch; the scores, then the probabilities"""
    sums: Any
    """float32 [candidate, 1 + factors]: scratch; the sums of the weights and factors of all features"""
    squares: Any
    """float32 [1 + factors]: scratch"""


class Judged(NamedTuple):
    """How the played moves were predicted, one after the other."""

    ranks: Any
    """int16: 1 if it was the likeliest"""
    shares: Any
    """float32: its probability"""
    tops: Any
    """float32: the probability of the likeliest one"""
    numbers: Any
    """int16: moves made before it"""
    games: Any
    """int32: which game it is from"""


@jit
def begin_move(scene: Scene, play: int, dirty: bool) -> bool:
    """Set up a play that is no move of a stone, or what comes before one; return whether chains are out of date."""
    if play & SETUP:
        set_stone(scene, play & PASS, play >> POINT_BITS & 3)
        for i in range(RECENT + 1):
            scene.facts[i] = -1
        scene.facts[TOOK_KO] = 0
        return True
    if dirty:
        rebuild_all(scene.board)
    if play & PASS == PASS:
        remember(scene, -1)
        scene.facts[KO] = -1
        scene.facts[TOOK_KO] = 0
    return False


@jit
def find(found: Found, n: int, point: int) -> int:
    """Return which candidate a point is, or -1."""
    for i in range(n):
        if found.points[i] == point:
            return i
    return -1


@jit
def score_all(model: Weights, found: Found, n: int) -> None:
    """Write the probabilities of all candidates."""
    weights, all_sums, squares, scores = model.weights, model.sums, model.squares, model.scores
    features, many = found.features, found.many
    width = weights.shape[1]
    top = np.float32(-1e30)
    for i in range(n):
        sums = all_sums[i]
        for k in range(width):
            sums[k] = squares[k] = 0
        for j in range(many[i]):
            row = weights[features[i, j]]
            for k in range(width):  # no sum over k here, so that it is done with vectors
                v = row[k]
                sums[k] += v
                squares[k] += v * v
        score = np.float32(0)
        for k in range(1, width):
            score += sums[k] * sums[k] - squares[k]
        score = sums[0] + np.float32(0.5) * score
        scores[i] = score
        top = max(top, score)
    whole = np.float32(0)
    for i in range(n):
        scores[i] = np.exp(scores[i] - top)
        whole += scores[i]
    for i in range(n):
        scores[i] /= whole


@jit
def _learn(model: Weights, found: Found, i: int, slope: float, rates: Floats) -> None:
    """Move the weights of a candidate's features against the slope of its score."""
    weights, all_past, sums, slope32 = model.weights, model.past, model.sums[i], np.float32(slope)
    linear, pairs, width = np.float32(rates[0]), np.float32(rates[1]), weights.shape[1]
    features = found.features[i]
    for j in range(found.many[i]):
        row, past = weights[features[j]], all_past[features[j]]
        past[0] += slope32 * slope32
        row[0] -= linear * slope32 / np.sqrt(past[0])
        for k in range(1, width):
            v = row[k]
            step = slope32 * (sums[k] - v)
            past[k] += step * step
            row[k] = v - pairs * step / np.sqrt(past[k])


@entry
def fit_games(
    scene: Scene, words: Words, model: Weights, found: Found, plays: Any, spans: Ints, options: Floats, rng: Any,
    told: Floats,
) -> None:  # fmt: skip
    """Learn from games. spans [game, 3]: where their plays begin and end, and whose moves count: BLACK, WHITE or both.

    options: rates of weights and of factors, the share of positions that are
    learned from, and below which probability a candidate is only now and then
    learned from, but then as if it were so likely. told: adds positions,
    those predicted right, and the logarithms of the probabilities.
    """
    for game in range(len(spans)):
        clear_scene(scene)
        dirty = False
        for at in range(spans[game, 0], spans[game, 1]):
            play = int(plays[at])
            dirty = begin_move(scene, play, dirty)
            point, colour = play & PASS, play >> POINT_BITS & 3
            if play & SETUP or point == PASS:
                continue
            if scene.board.stones[scene.board.cells[point]] != EMPTY:
                break
            if colour & spans[game, 2] and below(rng, _LOTS) < options[2] * _LOTS:
                survey(scene)
                n = describe(scene, words, colour, found)
                target = find(found, n, point)
                if target >= 0:
                    _learn_position(model, found, n, target, options, rng, told)
            if not advance(scene, point, colour):
                break


@jit
def _learn_position(model: Weights, found: Found, n: int, target: int, options: Floats, rng: Any, told: Floats) -> None:
    score_all(model, found, n)
    told[0] += 1
    right = True
    for i in range(n):
        share = model.scores[i]
        right = right and share <= model.scores[target]
        if i == target:
            _learn(model, found, i, share - 1.0, options)
        elif share >= options[3]:
            _learn(model, found, i, share, options)
        elif below(rng, _LOTS) * options[3] < share * _LOTS:
            _learn(model, found, i, options[3], options)
    told[1] += right
    told[2] += np.log(max(model.scores[target], 1e-9))


@entry
def gather_games(scene: Scene, words: Words, found: Found, plays: Any, spans: Ints) -> None:
    """Count the patterns around the moves of games."""
    for game in range(len(spans)):
        clear_scene(scene)
        dirty = False
        for at in range(spans[game, 0], spans[game, 1]):
            play = int(plays[at])
            dirty = begin_move(scene, play, dirty)
            point, colour = play & PASS, play >> POINT_BITS & 3
            if play & SETUP or point == PASS:
                continue
            if scene.board.stones[scene.board.cells[point]] != EMPTY:
                break
            survey(scene)
            patterns(scene, words, point, colour, found.features[0], found.kinds[0], 0)
            if not advance(scene, point, colour):
                break


@entry
def judge_games(
    scene: Scene, words: Words, model: Weights, found: Found, plays: Any, spans: Ints, judged: Judged
) -> int:
    """Write how each move of games was predicted, but the first of a game, passes and illegal ones; return how many.

    For spans see fit_games.
    """
    made = 0
    for game in range(len(spans)):
        clear_scene(scene)
        dirty, number = False, 0
        for at in range(spans[game, 0], spans[game, 1]):
            play = int(plays[at])
            dirty = begin_move(scene, play, dirty)
            point, colour = play & PASS, play >> POINT_BITS & 3
            if play & SETUP:
                continue
            number += 1
            if point == PASS:
                continue
            if scene.board.stones[scene.board.cells[point]] != EMPTY:
                break
            if number > 1 and colour & spans[game, 2]:
                survey(scene)
                n = describe(scene, words, colour, found)
                target = find(found, n, point)
                if target >= 0:
                    score_all(model, found, n)
                    _judge(model, n, target, judged, made)
                    judged.numbers[made], judged.games[made] = number - 1, game
                    made += 1
            if not advance(scene, point, colour):
                break
    return made


@jit
def _judge(model: Weights, n: int, target: int, judged: Judged, at: int) -> None:
    """Write one line of judged; of equally likely moves the played one is held to come last."""
    share, rank, top = model.scores[target], 0, np.float32(0)
    for i in range(n):
        rank += model.scores[i] >= share
        top = max(top, model.scores[i])
    judged.ranks[at], judged.shares[at], judged.tops[at] = rank, share, top


@entry
def set_position(scene: Scene, points: Ints, recent: Ints, facts: Ints) -> None:
    """Set the scene to a board: the colour of each point; the last moves; facts: KO, moves made, 1 if it took a ko."""
    clear_scene(scene)
    for point in range(len(points)):
        if points[point]:
            set_stone(scene, point, points[point])
    rebuild_all(scene.board)
    for i in range(RECENT):
        scene.facts[i] = recent[i]
    for i in range(3):
        scene.facts[RECENT + i] = facts[i]


@entry
def rank_position(scene: Scene, words: Words, model: Weights, found: Found, colour: int) -> int:
    """Write the candidates of the scene with their features and probabilities; return how many."""
    survey(scene)
    n = describe(scene, words, colour, found)
    score_all(model, found, n)
    return n
