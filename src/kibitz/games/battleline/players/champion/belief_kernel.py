"""What the other's plays tell of his hand, compiled: how likely each Troop is to be in it.

The log is played through once more, without hands, up to each of his last plays. There he is dealt hands that he
may have had, and each card is counted by how likely the net's policy was to play as he did from the hands with it.
A card that he would have played and did not is then less likely to be in his hand, and one that goes with what he
played more so.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import lowest, popcount, stay_apart
from kibitz.compiled.jit import jit
from kibitz.compiled.rng import below
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel import legal as legal_kernel
from kibitz.games.battleline.kernel import play as play_kernel
from kibitz.games.battleline.kernel.moves import card_played
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.kernel.proof import UNKNOWN
from kibitz.games.battleline.players.champion.policy_kernel import rate_moves
from kibitz.games.battleline.players.champion.rows_kernel import Mind
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

PLAYS = 4
"""How many of the other's last plays are looked at."""
HANDS = 24
"""How many hands he is dealt for each."""
MILDNESS = 0.04
"""A play that is worse by so much of the game than the best is thought 1/e times as likely."""
DOUBT = 4.0
"""How many hands without a word to say each card is counted with besides."""
LEAST, MOST = 0.05, 20.0
"""The bounds of a card's weight."""
legal, play = jit(legal_kernel.legal), jit(play_kernel.play)
_FINE = 1 << 20


class Belief(NamedTuple):
    """What is known of a game so far, and what follows for the other hand."""

    start: BattleLinePosition
    """the start of the game, any cards"""
    log: Ints
    """the moves so far as everybody knows them"""
    credit: float
    """the power that what a play tells is taken to: 1 fits players who judge as the net does, less suits others"""
    before: BattleLinePosition
    """the words of the positions before the last plays one after the other, and verdicts that are not used"""
    plays: Ints
    """[2*PLAYS] those plays, and how many Troops were drawn after each"""
    counts: Floats
    """[2*TROOPS] how likely the plays were from hands with a card, summed; how many such hands"""
    weights: Floats
    """[TROOPS] how much likelier each Troop is to be in the other hand than in the deck"""


def new_belief(start: BattleLinePosition, log: Any, credit: float = 1.0) -> Belief:
    """Return what a belief is worked out from; every card is as likely as any other so far."""
    before = BattleLinePosition(cast(Ints, np.zeros(at.WORDS * PLAYS, np.int64)), np.zeros(2 * FLAGS, np.uint64))
    plays, counts = cast(Ints, np.zeros(2 * PLAYS, np.int64)), cast(Floats, np.zeros(2 * TROOPS))
    moves, weights = cast(Ints, np.array(log, np.int64)), cast(Floats, np.ones(TROOPS))
    return Belief(start, moves, float(credit), before, plays, counts, weights)


@jit
def believe(
    pos: BattleLinePosition,
    scratch: BattleLinePosition,
    b: Belief,
    m: Mind,
    me: int,
    moves: Ints,
    ratings: Floats,
    rng: Any,
) -> None:
    """Work out the weights for a player at whose turn a position is."""
    stay_apart()
    for card in range(TROOPS):
        b.weights[card] = 1.0
    if pos.words[at.OPTIONS] & at.CLAIMS_LATE or len(b.log) == 0 or b.credit == 0.0:
        return
    n = _recall(pos, b, 1 - me)
    w = pos.words
    hidden = at.unseen(w) & ~(w[at.HAND + me] | w[at.KNOWN + me])
    held = popcount(w[at.HAND + 1 - me] & ~w[at.KNOWN + me])
    since = at.ONE - 1
    for back in range(min(n, PLAYS)):
        i = (n - 1 - back) % PLAYS
        card = (b.plays[i] - numbers.PLACE) // FLAGS
        since |= at.ONE << card
        unknown = held - b.plays[PLAYS + i]
        if unknown <= 0:
            return
        for k in range(at.WORDS):
            scratch.words[k] = b.before.words[at.WORDS * i + k]
        _weigh(scratch, b, m, b.plays[i], since, hidden, unknown, unknown / held, moves, ratings, rng)


@jit
def _recall(pos: BattleLinePosition, b: Belief, player: int) -> int:
    """Play the log through; return how many Troops a player has played, the last ones noted. 0 if it does not fit."""
    w, n = b.start.words, 0
    for p in range(2):
        w[at.HAND + p], w[at.TACTICS + p] = at.ONE - 1, 0
    for i in range(len(b.log)):
        move, me = b.log[i], at.mover(w)
        if (w[at.STAGE] == stages.SCOUT or w[at.STAGE] == stages.RETURN) and not (
            numbers.DRAW <= move < numbers.RETURN or move >= numbers.RETURNED
        ):
            play_kernel.next_turn(w)
            me = at.mover(w)
        if move >= numbers.RETURNED:
            w[at.SIZE + move - numbers.RETURNED] += 1
        elif numbers.DRAW <= move < numbers.RETURN:
            deck = move - numbers.DRAW
            if deck == 0 and me == player:
                for k in range(min(n, PLAYS)):
                    b.plays[PLAYS + k] += 1
            if w[at.STAGE] == stages.SCOUT:
                w[at.SIZE + deck] -= 1
            else:
                w[(at.TACTICS_DECK if deck else at.DECK) + w[at.SIZE + deck] - 1] = TROOPS if deck else 0
                play(b.start, move)
        else:
            card = card_played(move)
            if 0 <= card < TROOPS:
                if me == player:
                    k = n % PLAYS
                    for j in range(at.WORDS):
                        b.before.words[at.WORDS * k + j] = w[j]
                    b.plays[k], b.plays[PLAYS + k] = move, 0
                    n += 1
                w[at.HAND + me] |= at.ONE << card
            elif card >= TROOPS:
                w[at.TACTICS + me] |= 1 << (card - TROOPS)
            play(b.start, move)
        for p in range(2):
            w[at.HAND + p], w[at.TACTICS + p] = at.ONE - 1, 0
    return n if _fits(pos.words, w) else 0


@jit
def _fits(w: Ints, v: Ints) -> bool:
    """Return whether two positions are alike for everybody."""
    for i in range(at.SIDE, at.FACTS + FLAGS):
        if w[i] != v[i]:
            return False
    return (
        w[at.OWNED] == v[at.OWNED]
        and w[at.OWNED + 1] == v[at.OWNED + 1]
        and w[at.SIZE] == v[at.SIZE]
        and w[at.SEEN] == v[at.SEEN]
    )


@jit
def _weigh(
    pos: BattleLinePosition, b: Belief, m: Mind, move: int, since: int, hidden: int, unknown: int, part: float,
    moves: Ints, ratings: Floats, rng: Any,
) -> None:  # fmt: skip
    """Multiply the weights by what one play tells.

    since: the Troops that were in the hand then and have been played. hidden: those that may have been besides.
    part: how much of what was in the hand then is still in it.
    """
    w, counts = pos.words, b.counts
    me, total = at.mover(w), 0.0
    for i in range(2 * TROOPS):
        counts[i] = 0.0
    for _ in range(HANDS):
        hand = since
        for _ in range(unknown):
            card = _any_of(hidden & ~hand, rng)
            if card >= 0:
                hand |= at.ONE << card
        w[at.HAND + me], w[at.TACTICS + me] = hand, 0
        for i in range(2 * FLAGS):
            pos.verdicts[i] = UNKNOWN
        n = legal(pos, moves, 0)
        first = 0
        while first < n and moves[first] < numbers.PLACE:
            first += 1
        for i in range(first, n):
            moves[i - first] = moves[i]
        n -= first
        rate_moves(w, m, moves, n, ratings)
        likely = _likelihood(moves, ratings, n, move)
        total += likely / HANDS
        rest = hand & ~since
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            counts[card] += likely
            counts[TROOPS + card] += 1.0
    if total <= 0.0:
        return
    for card in range(TROOPS):
        if hidden >> card & 1:
            told = (counts[card] / total + DOUBT) / (counts[TROOPS + card] + DOUBT)
            b.weights[card] = min(max(b.weights[card] * (1.0 + part * (told - 1.0)) ** b.credit, LEAST), MOST)


@jit
def _any_of(cards: int, rng: Any) -> int:
    """Return one of a set of Troops by lot, -1 if there is none."""
    n = popcount(cards)
    if n == 0:
        return -1
    for _ in range(below(rng, n)):
        cards &= cards - 1
    return lowest(cards)


@jit
def _likelihood(moves: Ints, ratings: Floats, n: int, move: int) -> float:
    """Return how likely a player is to choose a move, the better the likelier."""
    highest, own = -1e9, -1e9
    for i in range(n):
        highest = max(highest, ratings[i])
        if moves[i] == move:
            own = ratings[i]
    total = 0.0
    for i in range(n):
        total += math.exp((ratings[i] - highest) / MILDNESS)
    return math.exp((own - highest) / MILDNESS) / total


@jit
def deal_likely(w: Ints, player: int, b: Belief, keys: Floats, rng: Any) -> None:
    """Give the other hand likelier Troops: after deal_anew, some are swapped with those in the deck.

    keys: room for 60 numbers.
    """
    n, known = w[at.SIZE], w[at.KNOWN + player]
    while n > 0 and known >> w[at.DECK + n - 1] & 1:
        n -= 1  # on top: put there by the player himself
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
def _key(weight: float, rng: Any) -> float:
    """Return a number that is the lower the heavier, by lot: those with the lowest are a draw by weights."""
    return -math.log((below(rng, _FINE) + 1) / (_FINE + 1)) / weight
