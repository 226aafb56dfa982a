"""Self-play games of the net without search, compiled: samples of what players see, with the results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Floats, Int8Array, Int16Array, Ints
from kibitz.compiled.intrinsics import never_inline
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import copy, mover, over
from kibitz.compiled.rng import RandomState, below
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.deal import redeal
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.players.champion import net_kernel as rows
from kibitz.games.battleline.players.champion.net import CONTEXT_ROWS, FLAG_ROWS, MY_FLAGS
from kibitz.games.battleline.players.champion.net_kernel import Evaluator
from kibitz.games.battleline.players.champion.policy_kernel import rate_moves
from kibitz.games.battleline.players.champion.search_kernel import highest_rated, legal, play
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.moves import FLAGS, PLACE, USE_SCOUT

MAX_FLAG_ROWS, MAX_CONTEXT_ROWS = 56, 80
"""The maximum number of rows of a flag and of the context."""
FLAG_FILLER, CONTEXT_FILLER = FLAG_ROWS, CONTEXT_ROWS
"""Fillers for unused places among the rows of a flag and of the context."""


class Samples(NamedTuple):
    """Positions as one of the players saw them, and how the games ended."""

    flags: Int16Array  # [n, FLAGS, MAX_FLAG_ROWS] rows of each flag
    context: Int16Array  # [n, MAX_CONTEXT_ROWS]
    owners: Int8Array
    """[n, FLAGS] 1 if that player got the flag, 0 if the opponent did, -1 if nobody or if it was claimed before"""
    results: Int8Array  # [n] 2 for a win, 1 for a draw, 0 for a loss


def new_samples(n: int) -> Samples:
    """Return arrays with room for n samples."""
    return Samples(
        np.full((n, FLAGS, MAX_FLAG_ROWS), FLAG_FILLER, np.int16),
        np.full((n, MAX_CONTEXT_ROWS), CONTEXT_FILLER, np.int16),
        np.full((n, FLAGS), -1, np.int8),
        np.zeros(n, np.int8),
    )


@entry
def play_games(
    pos: BattleLinePosition, scratch: BattleLinePosition, nets: tuple[Evaluator, Evaluator], moves: Ints,
    ratings: Floats, rng: RandomState, samples: Samples, viewers: Ints, sample_every: int, noise: Floats, games: int,
    tally: Ints,
) -> int:  # fmt: skip
    """Play games in which the nets take turns to start; return the number of samples taken.

    viewers: scratch, one number per sample. sample_every: one in this many views becomes a sample. noise: the maximum
    noise on ratings; each game uses one of these amounts. tally: counts the first net's losses, draws and wins.
    """
    taken, room = 0, len(samples.results)
    for game in range(games):
        copy(pos, scratch)
        redeal(scratch.words, 0, rng)
        redeal(scratch.words, 1, rng)
        w = scratch.words
        first, seen_turn, played_turn = taken, -1, -1
        amount = noise[below(rng, len(noise))]
        while not over(scratch):
            me = mover(scratch)
            n = legal(scratch, moves, 0)
            move = moves[0]
            if w[at.TURN] != seen_turn and w[at.STAGE] == stages.PLAY and move >= PLACE:
                seen_turn = w[at.TURN]
                taken = take_sample(w, nets[0], samples, viewers, taken, room, me, rows.TO_PLAY, sample_every, rng)
                taken = take_sample(w, nets[0], samples, viewers, taken, room, 1 - me, rows.WAITS, sample_every, rng)
            if n > 1 and move >= PLACE:
                if me == game & 1:
                    rate_moves(w, nets[0], moves, n, ratings)
                else:
                    rate_moves(w, nets[1], moves, n, ratings)
                move = highest_rated(moves, ratings, n, amount, rng)
            turn = w[at.TURN]
            play(scratch, move)
            played_card = move >= PLACE and move != USE_SCOUT and played_turn != turn
            if played_card and w[at.STAGE] != stages.PLAY and w[at.TURN] == turn:
                played_turn = turn
                taken = take_sample(w, nets[0], samples, viewers, taken, room, me, rows.TO_DRAW, sample_every, rng)
        result = w[at.RESULT]
        for i in range(first, taken):
            record_result(w, samples, i, viewers[i])
        tally[1 if result == stages.DRAWN else (2 if result == 1 + (game & 1) else 0)] += 1
    return taken


@jit
def take_sample(
    w: Ints, e: Evaluator, samples: Samples, viewers: Ints, i: int, room: int, me: int, stage: int,
    sample_every: int, rng: RandomState,
) -> int:  # fmt: skip
    """Store the view of player `me` as sample i, once in sample_every calls, half mirrored; return the next index."""
    never_inline()
    if i == room or below(rng, sample_every):
        return i
    rows.record_scene(w, e, me, stage)
    rows.record_best_scores(w, e)
    mirrored, s = below(rng, 2), e.scene
    for k in range(rows.list_context_rows(w, e)):
        row = e.scratch[k]
        if row >= MY_FLAGS and mirrored:
            of_player, f = (row - MY_FLAGS) // FLAGS, (row - MY_FLAGS) % FLAGS
            row = MY_FLAGS + FLAGS * of_player + FLAGS - 1 - f
        samples.context[i, k] = row
    for f in range(FLAGS):
        place = FLAGS - 1 - f if mirrored else f
        status = w[at.STATUS + f]
        if not at.owner(status):
            mine, theirs = at.side(w, me, f), at.side(w, 1 - me, f)
            by_hand, at_best, against = s[rows.HAND_SCORE + f], s[rows.BEST_SCORE + f], s[rows.THEIR_SCORE + f]
            for k in range(rows.list_flag_rows(e, mine, theirs, status, by_hand, at_best, against)):
                samples.flags[i, place, k] = e.scratch[k]
    viewers[i] = me | mirrored << 1
    return i + 1


@jit
def record_result(w: Ints, samples: Samples, i: int, viewer: int) -> None:
    """Record in sample i how the finished game ended. viewer: the player, plus 2 if the sample is mirrored."""
    me, result = viewer & 1, w[at.RESULT]
    samples.results[i] = 1 if result == stages.DRAWN else (2 if result == me + 1 else 0)
    for f in range(FLAGS):
        place = FLAGS - 1 - f if viewer >> 1 else f
        if samples.flags[i, place, 0] != FLAG_FILLER:
            if w[at.OWNED + me] >> f & 1:
                samples.owners[i, place] = 1
            elif w[at.OWNED + 1 - me] >> f & 1:
                samples.owners[i, place] = 0
