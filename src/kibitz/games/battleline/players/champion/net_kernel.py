"""The champion's net, compiled: units of flags and context from the rows of rows_kernel.py, and what they say."""

from __future__ import annotations

import math

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import stay_apart
from kibitz.compiled.jit import jit
from kibitz.compiled.vector import LANES, ONE, SHIFT, WIDTH, layer, sum_rows
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.players.champion import rows_kernel as rows
from kibitz.games.battleline.players.champion.net import BASE, ENCODER, FIRST, HEAD, LAYERS, ROOM, SECOND
from kibitz.games.battleline.players.champion.rows_kernel import Mind
from kibitz.games.battleline.rules.moves import FLAGS


@jit
def set_context(w: Ints, m: Mind) -> None:
    """Work out the units of the context, and what it counts at every flag."""
    stay_apart()
    n, table, out = rows.list_context(w, m), m.rows, m.scratch
    for j in range(WIDTH):
        table[ROOM, j] = 0
    for i in range(n):
        row = BASE + out[i]
        for j in range(WIDTH):
            table[ROOM, j] += table[row, j]
        out[i] += HEAD
    sum_rows(table, out, n, rows.UNITS)


@jit
def set_flag(m: Mind, f: int, mine: int, theirs: int, facts: int, by_hand: int, at_best: int, against: int) -> None:
    """Work out the units of a flag with these cards at it; after set_context."""
    n = rows.list_flag(m, mine, theirs, facts, by_hand, at_best, against)
    m.scratch[n] = ROOM
    sum_rows(m.rows, m.scratch, n + 1, rows.SUM_UNITS)
    layer(m.scratch, rows.SUM_UNITS, ENCODER // 2, m.head, LAYERS[0], rows.FLAG_UNITS + LANES // 2 * f)


@jit
def set_side(w: Ints, m: Mind, f: int, mine: int) -> None:
    """Work out the units of a flag whose only change can be my side, or what is in my hand; after note_sides."""
    stay_apart()
    s = m.scene
    me, facts = s[rows.ME], w[at.FACTS + f]
    wilds, hand = at.wilds(facts, me), s[rows.MY_HAND]
    there = at.side(w, me, f)
    by_hand, at_best = s[rows.HAND_SCORE + f], s[rows.BEST_SCORE + f]
    # what was noted stands, if the cards it takes are all still in the hand, at the side or unseen
    if mine & ~there & ~s[rows.HAND_TAKES + f] or s[rows.HAND_TAKES + f] & ~(hand | mine) or by_hand < 0:
        by_hand, _ = rows.best_completion(w, mine, wilds, hand, facts)
    if (
        mine & ~there & ~s[rows.BEST_TAKES + f]
        or s[rows.BEST_TAKES + f] & ~(hand | s[rows.UNSEEN] | mine)
        or at_best < 0
    ):
        at_best, _ = rows.best_completion(w, mine, wilds, hand | s[rows.UNSEEN], facts)
    facts = rows.completed(facts, mine, me)
    set_flag(m, f, mine, at.side(w, 1 - me, f), facts, by_hand, at_best, s[rows.THEIR_SCORE + f])


@jit
def set_changed_flag(w: Ints, m: Mind, f: int, mine: int, theirs: int, facts: int) -> None:
    """Work out the units of a flag that may have changed in any way."""
    stay_apart()
    s = m.scene
    me = s[rows.ME]
    by_hand, _ = rows.best_completion(w, mine, at.wilds(facts, me), s[rows.MY_HAND], facts)
    at_best, _ = rows.best_completion(w, mine, at.wilds(facts, me), s[rows.MY_HAND] | s[rows.UNSEEN], facts)
    against, _ = rows.best_completion(w, theirs, at.wilds(facts, 1 - me), s[rows.UNSEEN], facts)
    set_flag(m, f, mine, theirs, facts, by_hand, at_best, against)


@jit
def set_flags(w: Ints, m: Mind) -> None:
    """Work out the units of the context and of all flags as they are; after look and note_sides."""
    stay_apart()
    set_context(w, m)
    me, bare = m.scene[rows.ME], -1
    for f in range(FLAGS):
        units = rows.FLAG_UNITS + LANES // 2 * f
        facts, mine, theirs = w[at.FACTS + f], at.side(w, me, f), at.side(w, 1 - me, f)
        if at.owner(facts):
            for i in range(LANES // 2):
                m.scratch[units + i] = 0
        elif bare >= 0 and mine == 0 and theirs == 0 and facts == 0:
            for i in range(LANES // 2):
                m.scratch[units + i] = m.scratch[bare + i]
        else:
            set_side(w, m, f, mine)
            if mine == 0 and theirs == 0 and facts == 0:
                bare = units


@jit
def keep_flags(m: Mind) -> None:
    """Keep the units of all flags as they are."""
    for i in range(FLAGS * LANES // 2):
        m.scratch[rows.KEPT + i] = m.scratch[rows.FLAG_UNITS + i]


@jit
def restore_flag(m: Mind, f: int) -> None:
    """Put the units of a flag back that were kept."""
    for i in range(LANES // 2 * f, LANES // 2 * (f + 1)):
        m.scratch[rows.FLAG_UNITS + i] = m.scratch[rows.KEPT + i]


@jit
def log_odds(m: Mind) -> int:
    """Return what all units say of the game: 256 for a log-odds of 1."""
    u, head = m.scratch, m.head
    layer(u, rows.UNITS, FIRST // 2, head, LAYERS[1], rows.FIRST_UNITS)
    layer(u, rows.UNITS, FIRST // 2, head, LAYERS[2], rows.FIRST_UNITS + LANES // 2)
    layer(u, rows.FIRST_UNITS, SECOND // 2, head, LAYERS[3], rows.SECOND_UNITS)
    layer(u, rows.FIRST_UNITS, SECOND // 2, head, LAYERS[4], rows.SECOND_UNITS + LANES // 2)
    return layer(u, rows.SECOND_UNITS, SECOND // 2, head, LAYERS[5], rows.VALUE_UNITS) >> SHIFT


@jit
def chance(m: Mind) -> float:
    """Return the chance of the game that all units stand for."""
    return 1.0 / (1.0 + math.exp(-log_odds(m) / ONE))


@jit
def position_chance(w: Ints, m: Mind, me: int, stage: int) -> float:
    """Return the chance of a player to win a game that goes on, as he sees it."""
    rows.look(w, m, me, stage)
    rows.note_sides(w, m)
    set_flags(w, m)
    return chance(m)
