"""What the opponent's plays reveal about their hand, compiled: how likely each Troop is to be in it.

Replays the log, without hands, up to each of the opponent's last plays. There it deals possible hands, and rates each
card by how likely the net's policy is to make the actual play from the hands with that card. So a card that the
opponent would rather have played becomes less likely, and one that goes well with the actual play more likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import lowest, never_inline, popcount
from kibitz.compiled.jit import jit
from kibitz.compiled.rng import RandomState, below
from kibitz.core.game import Move
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel import legal as legal_kernel
from kibitz.games.battleline.kernel import play as play_kernel
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.kernel.proof import UNKNOWN
from kibitz.games.battleline.players.champion.net_kernel import Evaluator
from kibitz.games.battleline.players.champion.policy_kernel import rate_moves
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

MAX_PLAYS = 4
"""How many of the opponent's last plays are considered."""
HANDS_PER_PLAY = 24
"""The number of random hands dealt for each of these plays."""
TEMPERATURE = 0.04
"""A play whose chance to win is lower than the best play's by this much is assumed to be 1/e times as likely."""
NEUTRAL_HANDS = 4.0
"""The number of hands of average likelihood added to those counted for each card, to weaken the evidence of few."""
MIN_WEIGHT, MAX_WEIGHT = 0.05, 20.0
legal, play = jit(legal_kernel.legal), jit(play_kernel.play)
_RANDOM_STEPS = 1 << 20  # steps of a random number


class Belief(NamedTuple):
    """The public log of a game, and the evidence it gives about the opponent's hand."""

    start: BattleLinePosition  # the start of the game with any cards; the log is replayed on it
    log: Ints  # the public moves so far
    credit: float  # the exponent of the evidence of a play: 1 suits opponents who judge as the net does
    before: BattleLinePosition
    """the words of the positions before each of the last plays, one after the other; its verdicts are unused"""
    plays: Ints  # [2*MAX_PLAYS] those plays, then the number of Troops that the opponent drew after each
    counts: Floats  # [2*TROOPS] the sum of a play's likelihoods over the hands with a card; the number of these hands
    weights: Floats  # [TROOPS] how much likelier each Troop is to be in the opponent's hand than in the deck


def new_belief(start: BattleLinePosition, log: Sequence[Move], credit: float = 1.0) -> Belief:
    """Return a belief with equal weights for all cards."""
    before = BattleLinePosition(cast(Ints, np.zeros(at.WORDS * MAX_PLAYS, np.int64)), np.zeros(2 * FLAGS, np.uint64))
    plays, counts = cast(Ints, np.zeros(2 * MAX_PLAYS, np.int64)), cast(Floats, np.zeros(2 * TROOPS))
    moves, weights = cast(Ints, np.array(log, np.int64)), cast(Floats, np.ones(TROOPS))
    return Belief(start, moves, float(credit), before, plays, counts, weights)


@jit
def update_beliefs(
    pos: BattleLinePosition, scratch: BattleLinePosition, b: Belief, e: Evaluator, me: int,
    moves: Ints, ratings: Floats, rng: RandomState,
) -> None:  # fmt: skip
    """Compute b.weights from the opponent's last plays. me: the player to move."""
    never_inline()
    for card in range(TROOPS):
        b.weights[card] = 1.0
    if pos.words[at.OPTIONS] & at.CLAIMS_LATE or len(b.log) == 0 or b.credit == 0.0:
        return
    n = _replay_log(pos, b, 1 - me)
    w = pos.words
    hidden = at.unseen(w) & ~(w[at.HAND + me] | w[at.KNOWN + me])
    held = popcount(w[at.HAND + 1 - me] & ~w[at.KNOWN + me])
    since = at.NO_CARDS
    for back in range(min(n, MAX_PLAYS)):
        i = (n - 1 - back) % MAX_PLAYS
        card = (b.plays[i] - numbers.PLACE) // FLAGS
        since |= at.ONE << card
        unknown = held - b.plays[MAX_PLAYS + i]
        if unknown <= 0:
            return
        for k in range(at.WORDS):
            scratch.words[k] = b.before.words[at.WORDS * i + k]
        _weigh_play(scratch, b, e, b.plays[i], since, hidden, unknown, unknown / held, moves, ratings, rng)


@jit
def _replay_log(pos: BattleLinePosition, b: Belief, player: int) -> int:
    """Replay the log and record a player's last Troop plays; return how many, or 0 if the log does not lead to pos."""
    w, n = b.start.words, 0
    for p in range(2):
        w[at.HAND + p], w[at.TACTICS + p] = at.NO_CARDS, 0
    for i in range(len(b.log)):
        move, me = b.log[i], at.mover(w)
        draws = numbers.DRAW <= move < numbers.RETURN
        if (w[at.STAGE] == stages.SCOUT or w[at.STAGE] == stages.RETURN) and not draws and move < numbers.RETURNED:
            play_kernel.next_turn(w)
            me = at.mover(w)
        if move >= numbers.RETURNED:
            w[at.SIZE + move - numbers.RETURNED] += 1
        elif draws:
            deck = move - numbers.DRAW
            if deck == 0 and me == player:
                for k in range(min(n, MAX_PLAYS)):
                    b.plays[MAX_PLAYS + k] += 1
            if w[at.STAGE] == stages.SCOUT:
                w[at.SIZE + deck] -= 1
            else:
                w[(at.TACTICS_DECK if deck else at.DECK) + w[at.SIZE + deck] - 1] = TROOPS if deck else 0
                play(b.start, move)
        else:
            card = at.card_played(move)
            if 0 <= card < TROOPS:
                if me == player:
                    k = n % MAX_PLAYS
                    for j in range(at.WORDS):
                        b.before.words[at.WORDS * k + j] = w[j]
                    b.plays[k], b.plays[MAX_PLAYS + k] = move, 0
                    n += 1
                w[at.HAND + me] |= at.ONE << card
            elif card >= TROOPS:
                w[at.TACTICS + me] |= 1 << (card - TROOPS)
            play(b.start, move)
        for p in range(2):
            w[at.HAND + p], w[at.TACTICS + p] = at.NO_CARDS, 0
    return n if _same_table(pos.words, w) else 0


@jit
def _same_table(w: Ints, v: Ints) -> bool:
    """Return whether two positions have the same cards at the flags and face up, and Troop decks of the same size."""
    for i in range(at.SIDE, at.STATUS + FLAGS):  # the owner of a flag is part of its status
        if w[i] != v[i]:
            return False
    return w[at.SIZE] == v[at.SIZE] and w[at.SEEN] == v[at.SEEN]


@jit
def _weigh_play(
    pos: BattleLinePosition, b: Belief, e: Evaluator, move: int, since: int, hidden: int, unknown: int, part: float,
    moves: Ints, ratings: Floats, rng: RandomState,
) -> None:  # fmt: skip
    """Multiply the weights by the evidence of one play.

    since: the Troops played in that play or later. hidden: the other Troops that may have been in the hand. unknown:
    how many of them were. part: the fraction of the Troops now hidden in the hand that were already in it.
    """
    w, counts = pos.words, b.counts
    me, total = at.mover(w), 0.0
    for i in range(2 * TROOPS):
        counts[i] = 0.0
    for _ in range(HANDS_PER_PLAY):
        hand = since
        for _ in range(unknown):
            card = _random_card(hidden & ~hand, rng)
            if card >= 0:
                hand |= at.ONE << card
        w[at.HAND + me], w[at.TACTICS + me] = hand, 0
        for i in range(2 * FLAGS):
            pos.verdicts[i] = UNKNOWN
        n = legal(pos, moves, 0)
        first = 0  # claims come first, and are left out
        while first < n and moves[first] < numbers.PLACE:
            first += 1
        for i in range(first, n):
            moves[i - first] = moves[i]
        n -= first
        rate_moves(w, e, moves, n, ratings)
        likelihood = _likelihood(moves, ratings, n, move)
        total += likelihood / HANDS_PER_PLAY
        rest = hand & ~since
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            counts[card] += likelihood
            counts[TROOPS + card] += 1.0
    if total <= 0.0:
        return
    for card in range(TROOPS):
        if hidden >> card & 1:
            evidence = (counts[card] / total + NEUTRAL_HANDS) / (counts[TROOPS + card] + NEUTRAL_HANDS)
            weight = b.weights[card] * (1.0 + part * (evidence - 1.0)) ** b.credit
            b.weights[card] = min(max(weight, MIN_WEIGHT), MAX_WEIGHT)


@jit
def _random_card(cards: int, rng: RandomState) -> int:
    """Return a random member of a set of Troops, or -1 if the set is empty."""
    n = popcount(cards)
    if n == 0:
        return -1
    for _ in range(below(rng, n)):
        cards &= cards - 1
    return lowest(cards)


@jit
def _likelihood(moves: Ints, ratings: Floats, n: int, move: int) -> float:
    """Return the probability that a player chooses a move: the softmax of its rating among those of n moves."""
    highest, own = -1e9, -1e9
    for i in range(n):
        highest = max(highest, ratings[i])
        if moves[i] == move:
            own = ratings[i]
    total = 0.0
    for i in range(n):
        total += math.exp((ratings[i] - highest) / TEMPERATURE)
    return math.exp((own - highest) / TEMPERATURE) / total


@jit
def redeal_by_weight(w: Ints, player: int, b: Belief, keys: Floats, rng: RandomState) -> None:
    """Redraw the opponent's unknown Troops from hand and deck by weight. Call after redeal. keys: scratch, [61]."""
    n, known = w[at.SIZE], w[at.KNOWN + player]
    while n > 0 and known >> w[at.DECK + n - 1] & 1:
        n -= 1  # on top: the player put it there
    held = w[at.HAND + 1 - player] & ~known
    kept, count, rest = w[at.HAND + 1 - player] & known, popcount(held), held
    if count == 0 or n == 0:
        return
    for i in range(n):
        keys[i] = _key(b.weights[w[at.DECK + i]], rng)
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        keys[n] = _key(b.weights[card], rng)
        best = n
        for i in range(n):
            if keys[i] < keys[best]:
                best = i
        if best == n:
            kept |= at.ONE << card
        else:
            kept |= at.ONE << w[at.DECK + best]
            w[at.DECK + best] = card
            keys[best] = keys[n]
    w[at.HAND + 1 - player] = kept


@jit
def _key(weight: float, rng: RandomState) -> float:
    """Return a random key for a card: those with the lowest keys are drawn by weight (Efraimidis & Spirakis 2006)."""
    return -math.log((below(rng, _RANDOM_STEPS) + 1) / (_RANDOM_STEPS + 1)) / weight
