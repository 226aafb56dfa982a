"""Self-play games of the net without search, compiled: samples of what players see, with the results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Floats, Int8Array, Int16Array, Ints
from kibitz.compiled.intrinsics import stay_apart
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import copy, mover, over
from kibitz.compiled.rng import RandomState, below
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.deal import redeal
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.players.champion import net_kernel as rows
from kibitz.games.battleline.players.champion.net import CONTEXT_ROWS, FLAG_ROWS, MY_FLAGS
from kibitz.games.battleline.players.champion.net_kernel import Mind
from kibitz.games.battleline.players.champion.policy_kernel import rate_moves
from kibitz.games.battleline.players.champion.search_kernel import legal, play
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.moves import FLAGS, PLACE, USE_SCOUT

FLAG_ROOM, CONTEXT_ROOM = 56, 80
"""The maximum number of rows of a flag and of the context."""
NO_FLAG, NO_CONTEXT = FLAG_ROWS, CONTEXT_ROWS
"""Fillers for unused places among the rows of a flag and of the context."""
_FINE = 1 << 20  # steps of a random number


class Samples(NamedTuple):
    """Positions as one of the players saw them, and how the games ended."""

    flags: Int16Array  # [n, FLAGS, FLAG_ROOM] rows of each flag
    context: Int16Array  # [n, CONTEXT_ROOM]
    owners: Int8Array
    """[n, FLAGS] 1 if that player got the flag, 0 if the opponent did, -1 if nobody or if it was claimed before"""
    results: Int8Array  # [n] 2 for a win, 1 for a draw, 0 for a loss


def new_samples(n: int) -> Samples:
    """Return arrays with room for n samples."""
    return Samples(
        np.full((n, FLAGS, FLAG_ROOM), NO_FLAG, np.int16), np.full((n, CONTEXT_ROOM), NO_CONTEXT, np.int16),
        np.full((n, FLAGS), -1, np.int8), np.zeros(n, np.int8),
    )  # fmt: skip


@entry
def play_games(
    pos: BattleLinePosition, scratch: BattleLinePosition, minds: tuple[Mind, Mind], moves: Ints, ratings: Floats,
    rng: RandomState, samples: Samples, who: Ints, every: int, noise: Floats, games: int, tally: Ints,
) -> int:  # fmt: skip
    """Play games in which the minds take turns to start; return the number of samples taken.

    who: scratch, a number for each sample. every: one in this many views becomes a sample. noise: amounts, one of which
    each game uses as the maximum noise on ratings. tally: int64[3], to add the first mind's losses, draws and wins to.
    """
    taken, room = 0, len(samples.results)
    for game in range(games):
        copy(pos, scratch)
        redeal(scratch.words, 0, rng)
        redeal(scratch.words, 1, rng)
        w = scratch.words
        first, seen, played = taken, -1, -1
        amount = noise[below(rng, len(noise))]
        while not over(scratch):
            me = mover(scratch)
            n = legal(scratch, moves, 0)
            move = moves[0]
            if w[at.TURN] != seen and w[at.STAGE] == stages.PLAY and move >= PLACE:
                seen = w[at.TURN]
                taken = sample(w, minds[0], samples, who, taken, room, me, rows.TO_PLAY, every, rng)
                taken = sample(w, minds[0], samples, who, taken, room, 1 - me, rows.WAITS, every, rng)
            if n > 1 and move >= PLACE:
                if me == game & 1:
                    rate_moves(w, minds[0], moves, n, ratings)
                else:
                    rate_moves(w, minds[1], moves, n, ratings)
                move = _pick(moves, ratings, n, amount, rng)
            turn = w[at.TURN]
            play(scratch, move)
            played_card = move >= PLACE and move != USE_SCOUT and played != turn
            if played_card and w[at.STAGE] != stages.PLAY and w[at.TURN] == turn:
                played = turn
                taken = sample(w, minds[0], samples, who, taken, room, me, rows.TO_DRAW, every, rng)
        result = w[at.RESULT]
        for i in range(first, taken):
            settle(w, samples, i, who[i])
        tally[1 if result == stages.DRAWN else (2 if result == 1 + (game & 1) else 0)] += 1
    return taken


@jit
def _pick(moves: Ints, ratings: Floats, n: int, noise: float, rng: RandomState) -> int:
    """Return the move with the highest rating after adding noise."""
    best, highest = moves[0], -1e9
    for i in range(n):
        rating = ratings[i] + noise * below(rng, _FINE) / _FINE
        if rating > highest:
            best, highest = moves[i], rating
    return best


@jit
def sample(
    w: Ints, m: Mind, samples: Samples, who: Ints, i: int, room: int, me: int, stage: int, every: int, rng: RandomState
) -> int:
    """Take a sample with probability 1/every, half of them mirrored; return the new number of samples."""
    stay_apart()
    if i == room or below(rng, every):
        return i
    rows.look(w, m, me, stage)
    rows.note_sides(w, m)
    mirrored, s = below(rng, 2), m.scene
    for k in range(rows.list_context(w, m)):
        row = m.scratch[k]
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
            for k in range(rows.list_flag(m, mine, theirs, status, by_hand, at_best, against)):
                samples.flags[i, place, k] = m.scratch[k]
    who[i] = me | mirrored << 1
    return i + 1


@jit
def settle(w: Ints, samples: Samples, i: int, who: int) -> None:
    """Record in sample i how the finished game ended. who: the player, plus 2 if the sample is mirrored."""
    me, result = who & 1, w[at.RESULT]
    samples.results[i] = 1 if result == stages.DRAWN else (2 if result == me + 1 else 0)
    for f in range(FLAGS):
        place = FLAGS - 1 - f if who >> 1 else f
        if samples.flags[i, place, 0] != NO_FLAG:
            if w[at.OWNED + me] >> f & 1:
                samples.owners[i, place] = 1
            elif w[at.OWNED + 1 - me] >> f & 1:
                samples.owners[i, place] = 0
