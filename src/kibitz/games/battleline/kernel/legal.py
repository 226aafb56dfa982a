"""The legal moves of a compiled position of Battle Line: the twin of rules/legal.py, without reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, never_inline, popcount
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.proof import prove
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import DESERTER, FOG, MUD, REDEPLOY, SCOUT, TRAITOR, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

if TYPE_CHECKING:
    from kibitz.games.battleline.kernel.position import BattleLinePosition


def legal(pos: BattleLinePosition, out: Ints, start: int) -> int:
    """Write the legal moves, claims first, to out[start:]; return their number."""
    w, verdicts = pos.words, pos.verdicts
    if w[at.RESULT] != stages.IN_PROGRESS:
        return 0
    n = start
    stage, me = w[at.STAGE], at.mover(w)
    if stage == stages.PLAY:
        if not w[at.OPTIONS] & at.CLAIMS_LATE:
            n = _write_each(out, n, numbers.CLAIM, claims(w, verdicts, me))
        return _write_plays(w, me, out, n) - start
    if stage == stages.RETURN:
        n = _write_each(out, n, numbers.RETURN, w[at.HAND + me])
        return _write_each(out, n, numbers.RETURN + TROOPS, w[at.TACTICS + me]) - start
    if w[at.OPTIONS] & at.CLAIMS_LATE and stage != stages.SCOUT:
        n = _write_each(out, n, numbers.CLAIM, claims(w, verdicts, me))
    if stage == stages.CLAIM:
        out[n] = numbers.DONE
        return n + 1 - start
    for deck in range(2):
        if w[at.SIZE + deck]:
            out[n] = numbers.DRAW + deck
            n += 1
    return n - start


@jit
def claims(w: Ints, verdicts: Ints, me: int) -> int:
    """Return the set of flags that a player can claim by proof."""
    found = 0
    rest = w[at.FULL + me] & at.unclaimed(w)
    while rest:
        f = lowest(rest)
        rest &= rest - 1
        if prove(w, verdicts, me, f):
            found |= 1 << f
    return found


@jit
def open_flags(w: Ints, me: int) -> int:
    """Return the set of flags at which a player may add a card."""
    return at.unclaimed(w) & ~w[at.FULL + me]


@jit
def may_play_leader(w: Ints, me: int) -> bool:
    """Return whether a player may play a Leader under the game's limit on Leaders."""
    if not w[at.OPTIONS] & at.LEADER_IN_PLAY:
        return w[at.PLAYED + me] & at.LEADER_BITS == 0
    for f in range(FLAGS):
        if at.wilds(w[at.STATUS + f], me) & at.LEADER_BITS:
            return False
    return True


@jit
def playable_tactics(w: Ints, me: int) -> int:
    """Return the set of Tactics in a player's hand that the limits on Tactics and on Leaders allow to be played."""
    if popcount(w[at.PLAYED + me]) > popcount(w[at.PLAYED + 1 - me]):
        return 0
    tactics = w[at.TACTICS + me]
    if tactics & at.LEADER_BITS and not may_play_leader(w, me):
        tactics &= ~at.LEADER_BITS
    return tactics


@jit
def _write_each(out: Ints, n: int, first: int, members: int) -> int:
    """Write the move `first` + i for each flag or card i of a set to out[n:]; return the next free index."""
    while members:
        out[n] = first + lowest(members)
        n += 1
        members &= members - 1
    return n


@jit
def _write_plays(w: Ints, me: int, out: Ints, n: int) -> int:
    free_flags = open_flags(w, me)
    troops = w[at.HAND + me]
    if free_flags:
        while troops:
            n = _write_each(out, n, numbers.PLACE + FLAGS * lowest(troops), free_flags)
            troops &= troops - 1
    tactics = playable_tactics(w, me)
    if tactics:
        unclaimed = at.unclaimed(w)
        for card in range(TROOPS, MUD + 1):
            if tactics >> (card - TROOPS) & 1:
                n = _write_each(out, n, numbers.PLACE + FLAGS * card, free_flags if card < FOG else unclaimed)
        if tactics >> (SCOUT - TROOPS) & 1 and at.undrawn(w):
            out[n] = numbers.USE_SCOUT
            n += 1
    if not (free_flags and w[at.HAND + me]):
        out[n] = numbers.PASS
        n += 1
    return _write_guile(w, me, tactics, free_flags, out, n) if tactics >> (REDEPLOY - TROOPS) else n


@jit
def flag_with_card(w: Ints, player: int, card: int) -> int:
    """Return the unclaimed flag where a card lies on a player's side, or -1 if it lies at none."""
    for f in range(FLAGS):
        if not at.owner(w[at.STATUS + f]):
            if card < TROOPS:
                if at.side(w, player, f) >> card & 1:
                    return f
            elif w[at.STATUS + f] & at.wild_bit(player, card):
                return f
    return -1


@jit
def _movable_troops(w: Ints, player: int) -> int:
    """Return the set of a player's Troops at unclaimed flags."""
    found = at.NO_CARDS
    for f in range(FLAGS):
        if not at.owner(w[at.STATUS + f]):
            found |= at.side(w, player, f)
    return found


@jit
def _write_guile(w: Ints, me: int, tactics: int, free_flags: int, out: Ints, n: int) -> int:
    """Write the moves of the Deserter, Traitor and Redeploy in tactics to out[n:]; return the next free index."""
    never_inline()
    if tactics >> (DESERTER - TROOPS) & 1:
        rest = _movable_troops(w, 1 - me)
        while rest:
            card = lowest(rest)
            out[n] = numbers.USE_DESERTER + FLAGS * card + flag_with_card(w, 1 - me, card)
            n += 1
            rest &= rest - 1
        for card in range(TROOPS, FOG):
            f = flag_with_card(w, 1 - me, card)
            if f >= 0:
                out[n] = numbers.USE_DESERTER + FLAGS * card + f
                n += 1
    if tactics >> (TRAITOR - TROOPS) & 1 and free_flags:
        rest = _movable_troops(w, 1 - me)
        while rest:
            card = lowest(rest)
            source = flag_with_card(w, 1 - me, card)
            n = _write_each(out, n, numbers.USE_TRAITOR + FLAGS * (FLAGS * card + source), free_flags)
            rest &= rest - 1
    if tactics >> (REDEPLOY - TROOPS) & 1:
        rest = _movable_troops(w, me)
        while rest:
            card = lowest(rest)
            n = _write_redeploy(out, n, card, flag_with_card(w, me, card), free_flags)
            rest &= rest - 1
        for card in range(TROOPS, FOG):
            f = flag_with_card(w, me, card)
            if f >= 0:
                n = _write_redeploy(out, n, card, f, free_flags)
    return n


@jit
def _write_redeploy(out: Ints, n: int, card: int, f: int, free_flags: int) -> int:
    first = numbers.USE_REDEPLOY + (FLAGS + 1) * (FLAGS * card + f)
    n = _write_each(out, n, first, free_flags & ~(1 << f))
    out[n] = first + numbers.DISCARD
    return n + 1
