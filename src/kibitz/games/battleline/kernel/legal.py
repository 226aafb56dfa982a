"""The legal moves of a compiled position of Battle Line: the twin of legal.py, without its words."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount, stay_apart
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel.layout import (
    ALL_FLAGS,
    CLAIMS_LATE,
    FACTS,
    FULL,
    HAND,
    LEADER_BITS,
    LEADER_IN_PLAY,
    OPTIONS,
    OWNED,
    OWNER,
    PLAYED,
    RESULT,
    SIDE,
    SIZE,
    STAGE,
    TACTICS,
    TURN,
)
from kibitz.games.battleline.kernel.proof import ONE, prove
from kibitz.games.battleline.rules.cards import DESERTER, FOG, MUD, REDEPLOY, SCOUT, TRAITOR, TROOPS
from kibitz.games.battleline.rules.moves import (
    CLAIM,
    DISCARD,
    DONE,
    DRAW,
    FLAGS,
    PASS,
    PLACE,
    RETURN,
    USE_DESERTER,
    USE_REDEPLOY,
    USE_SCOUT,
    USE_TRAITOR,
)
from kibitz.games.battleline.rules.open_cards import CLAIM_STAGE, GOING_ON, PLAY, RETURNING, SCOUTING


def legal(pos: Any, out: Ints, at: int) -> int:
    """Write the moves of the stage, claims first, to out from place `at` on; return how many."""
    w: Ints = pos.words
    verdicts = pos.verdicts
    if w[RESULT] != GOING_ON:
        return 0
    n = at
    stage, me = w[STAGE], w[TURN] & 1
    if stage == PLAY:
        if not w[OPTIONS] & CLAIMS_LATE:
            n = _write_claims(w, verdicts, me, out, n)
        return _write_plays(w, me, out, n) - at
    if stage == RETURNING:
        return _write_returns(w, me, out, n) - at
    if w[OPTIONS] & CLAIMS_LATE and stage != SCOUTING:
        n = _write_claims(w, verdicts, me, out, n)
    if stage == CLAIM_STAGE:
        out[n] = DONE
        return n + 1 - at
    for deck in range(2):
        if w[SIZE + deck]:
            out[n] = DRAW + deck
            n += 1
    return n - at


@jit
def claims(w: Ints, verdicts: Any, me: int) -> int:
    """Return the flags that a player can prove to be his."""
    found = 0
    rest = w[FULL + me] & ~(w[OWNED] | w[OWNED + 1])
    while rest:
        f = lowest(rest)
        rest &= rest - 1
        if prove(w, verdicts, me, f):
            found |= 1 << f
    return found


@jit
def open_flags(w: Ints, me: int) -> int:
    """Return the flags at which a player may add a card."""
    return ALL_FLAGS & ~(w[OWNED] | w[OWNED + 1] | w[FULL + me])


@jit
def may_play_leader(w: Ints, me: int) -> bool:
    """Return whether the limit of Leaders lets a player play one."""
    if not w[OPTIONS] & LEADER_IN_PLAY:
        return w[PLAYED + me] & LEADER_BITS == 0
    for f in range(FLAGS):
        if w[FACTS + f] >> 4 * me & LEADER_BITS:
            return False
    return True


@jit
def playable_tactics(w: Ints, me: int) -> int:
    """Return the Tactics of a hand that the limits let a player play."""
    if popcount(w[PLAYED + me]) > popcount(w[PLAYED + 1 - me]):
        return 0
    tactics = w[TACTICS + me]
    if tactics & LEADER_BITS and not may_play_leader(w, me):
        tactics &= ~LEADER_BITS
    return tactics


@jit
def _write_claims(w: Ints, verdicts: Any, me: int, out: Ints, n: int) -> int:
    found = claims(w, verdicts, me)
    while found:
        out[n] = CLAIM + lowest(found)
        n += 1
        found &= found - 1
    return n


@jit
def _write_flags(out: Ints, n: int, first: int, flags: int) -> int:
    """Write a move for each flag, numbered from `first` on."""
    while flags:
        out[n] = first + lowest(flags)
        n += 1
        flags &= flags - 1
    return n


@jit
def _write_plays(w: Ints, me: int, out: Ints, n: int) -> int:
    opened = open_flags(w, me)
    troops = w[HAND + me]
    if opened:
        while troops:
            n = _write_flags(out, n, PLACE + FLAGS * lowest(troops), opened)
            troops &= troops - 1
    tactics = playable_tactics(w, me)
    if tactics:
        unclaimed = ALL_FLAGS & ~(w[OWNED] | w[OWNED + 1])
        for card in range(TROOPS, MUD + 1):
            if tactics >> (card - TROOPS) & 1:
                n = _write_flags(out, n, PLACE + FLAGS * card, opened if card < FOG else unclaimed)
        if tactics >> (SCOUT - TROOPS) & 1 and w[SIZE] + w[SIZE + 1]:
            out[n] = USE_SCOUT
            n += 1
    if not (opened and w[HAND + me]):
        out[n] = PASS
        n += 1
    return _write_guile(w, me, tactics, opened, out, n) if tactics >> (REDEPLOY - TROOPS) else n


@jit
def card_at(w: Ints, player: int, card: int) -> int:
    """Return the unclaimed flag where a card lies on a player's side, or -1."""
    for f in range(FLAGS):
        if not w[FACTS + f] >> OWNER & 3:
            if card < TROOPS:
                if w[SIDE + FLAGS * player + f] >> card & 1:
                    return f
            elif w[FACTS + f] >> (4 * player + card - TROOPS) & 1:
                return f
    return -1


@jit
def _troops_at(w: Ints, player: int) -> int:
    """Return a player's Troops at unclaimed flags."""
    found = ONE - 1
    for f in range(FLAGS):
        if not w[FACTS + f] >> OWNER & 3:
            found |= w[SIDE + FLAGS * player + f]
    return found


@jit
def _write_guile(w: Ints, me: int, tactics: int, opened: int, out: Ints, n: int) -> int:
    """Write the moves of Deserter, Traitor and Redeploy."""
    stay_apart()
    if tactics >> (DESERTER - TROOPS) & 1:
        rest = _troops_at(w, 1 - me)
        while rest:
            card = lowest(rest)
            out[n] = USE_DESERTER + FLAGS * card + card_at(w, 1 - me, card)
            n += 1
            rest &= rest - 1
        for card in range(TROOPS, FOG):
            f = card_at(w, 1 - me, card)
            if f >= 0:
                out[n] = USE_DESERTER + FLAGS * card + f
                n += 1
    if tactics >> (TRAITOR - TROOPS) & 1 and opened:
        rest = _troops_at(w, 1 - me)
        while rest:
            card = lowest(rest)
            n = _write_flags(out, n, USE_TRAITOR + FLAGS * (FLAGS * card + card_at(w, 1 - me, card)), opened)
            rest &= rest - 1
    if tactics >> (REDEPLOY - TROOPS) & 1:
        rest = _troops_at(w, me)
        while rest:
            card = lowest(rest)
            n = _write_redeploy(out, n, card, card_at(w, me, card), opened)
            rest &= rest - 1
        for card in range(TROOPS, FOG):
            f = card_at(w, me, card)
            if f >= 0:
                n = _write_redeploy(out, n, card, f, opened)
    return n


@jit
def _write_redeploy(out: Ints, n: int, card: int, f: int, opened: int) -> int:
    first = USE_REDEPLOY + (FLAGS + 1) * (FLAGS * card + f)
    n = _write_flags(out, n, first, opened & ~(1 << f))
    out[n] = first + DISCARD
    return n + 1


@jit
def _write_returns(w: Ints, me: int, out: Ints, n: int) -> int:
    troops, tactics = w[HAND + me], w[TACTICS + me]
    while troops:
        out[n] = RETURN + lowest(troops)
        n += 1
        troops &= troops - 1
    while tactics:
        out[n] = RETURN + TROOPS + lowest(tactics)
        n += 1
        tactics &= tactics - 1
    return n
