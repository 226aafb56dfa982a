"""Making moves on a compiled position of Battle Line: the twin of rules.State.play. undo_kernel.py takes them back."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount, stay_apart
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel.layout import (
    CLAIMS_LATE,
    DECK,
    DISCARD_TROOPS,
    FACT_BITS,
    FACTS,
    FIRST,
    FOG_BIT,
    FULL,
    HAND,
    HAND_SIZE,
    HAS_THREE,
    KNOWN,
    KNOWN_TACTICS,
    LEFT,
    MUD_BIT,
    OPTIONS,
    OWNED,
    OWNER,
    PASSES,
    PLAYED,
    RESULT,
    SCORE,
    SCOUT_TWO,
    SEEN,
    SIDE,
    SIZE,
    STAGE,
    STUCK_DRAW,
    TACTICS,
    TACTICS_DECK,
    TOKEN_CARD,
    TOKEN_FACTS,
    TOKEN_FACTS_2,
    TOKEN_KNOWN,
    TOKEN_LEFT,
    TOKEN_PASSES,
    TOKEN_TURN,
    TURN,
)
from kibitz.games.battleline.kernel.legal import claims
from kibitz.games.battleline.kernel.moves import card_played, guile_parts
from kibitz.games.battleline.kernel.proof import ONE, PROVED, UNKNOWN, side_score
from kibitz.games.battleline.rules.cards import FOG, SCOUT, TROOPS
from kibitz.games.battleline.rules.moves import DRAW, FLAGS, PASS, PLACE, RETURN, USE_DESERTER, USE_REDEPLOY, USE_SCOUT
from kibitz.games.battleline.rules.open_cards import CLAIM_STAGE, DRAW_STAGE, DRAWN, GOING_ON, PLAY, RETURNING, SCOUTING


def play(pos: Any, move: int) -> int:
    """Make a legal move; return the token that undo needs."""
    w: Ints = pos.words
    verdicts = pos.verdicts
    turn = w[TURN]
    me = turn & 1
    token = w[STAGE] | w[LEFT] << TOKEN_LEFT | w[PASSES] << TOKEN_PASSES
    if move < PLACE:
        token |= w[FACTS + move] << TOKEN_FACTS
        claim_flag(w, verdicts, me, move)
    elif move < USE_SCOUT:
        card = (move - PLACE) // FLAGS
        f = move - PLACE - FLAGS * card
        token |= w[FACTS + f] << TOKEN_FACTS
        token |= play_card(w, verdicts, me, card, f) << TOKEN_KNOWN
        after_play(w, verdicts, me)
    elif move == USE_SCOUT:
        token |= _use(w, me, SCOUT) << TOKEN_KNOWN
        w[STAGE], w[LEFT] = SCOUTING, min(3, w[SIZE] + w[SIZE + 1])
    elif move == PASS:
        w[PASSES] += 1
        after_play(w, verdicts, me)
    elif move < DRAW:
        next_turn(w)
    elif move < RETURN:
        token |= draw_card(w, verdicts, me, move - DRAW)
    elif move < USE_DESERTER:
        _put_back(w, verdicts, me, move - RETURN)
    else:
        token |= _guile(w, verdicts, me, move)
        after_play(w, verdicts, me)
    return token | (w[TURN] - turn) << TOKEN_TURN


@jit
def claim_flag(w: Ints, verdicts: Any, me: int, f: int) -> None:
    """Give a flag to a player, and the game if that wins it."""
    stay_apart()
    w[OWNED + me] |= 1 << f
    w[FACTS + f] |= (me + 1) << OWNER
    w[PASSES] = 0
    if HAS_THREE[w[OWNED + me]]:
        w[RESULT] = me + 1
    elif w[STAGE] == CLAIM_STAGE and not claims(w, verdicts, me):
        next_turn(w)


@jit
def play_card(w: Ints, verdicts: Any, me: int, card: int, f: int) -> int:
    """Play a Troop, morale or environment card at a flag; return who knew the card, as two bits."""
    w[PASSES] = 0
    if card < TROOPS:
        bit = ONE << card
        w[HAND + me] ^= bit
        w[SEEN] |= bit
        knew = _forget_troop(w, bit)
    else:
        knew = _use(w, me, card)
    if card < FOG:
        put(w, verdicts, me, card, f)
    else:
        w[FACTS + f] |= FOG_BIT << (card - FOG)
        if card != FOG:
            w[FACTS + f] &= ~(3 << FIRST)
        refresh(w, verdicts, f)
    return knew


@jit
def put(w: Ints, verdicts: Any, player: int, card: int, f: int) -> None:
    """Put a card on a player's side of a flag."""
    at, other = FLAGS * player + f, FLAGS * (1 - player) + f
    facts = w[FACTS + f]
    verdict = UNKNOWN
    if card < TROOPS:
        w[SIDE + at] |= ONE << card
        # a counter-example that this card was part of still is one, and a proof is not weakened by a Troop
        if verdicts[other] == PROVED:
            verdict = PROVED
        elif verdicts[other] >> card & 1:
            verdict = verdicts[other] ^ (PROVED >> (63 - card))
    else:
        facts |= 1 << (4 * player + card - TROOPS)
    verdicts[at], verdicts[other] = UNKNOWN, verdict
    if popcount(w[SIDE + at]) + popcount(facts >> 4 * player & 15) == (4 if facts & MUD_BIT else 3):
        w[FULL + player] |= 1 << f
        if not facts >> FIRST & 3:
            facts |= (player + 1) << FIRST
        w[FACTS + f] = facts
        w[SCORE + at] = side_score(w, player, f)
    w[FACTS + f] = facts


@jit
def refresh(w: Ints, verdicts: Any, f: int) -> None:
    """Work out anew which sides of a flag are complete, and their scores."""
    facts = w[FACTS + f]
    cap = 4 if facts & MUD_BIT else 3
    for player in range(2):
        at = FLAGS * player + f
        verdicts[at] = UNKNOWN
        if popcount(w[SIDE + at]) + popcount(facts >> 4 * player & 15) == cap:
            w[FULL + player] |= 1 << f
            w[SCORE + at] = side_score(w, player, f)
        else:
            w[FULL + player] &= ~(1 << f)
            w[SCORE + at] = 0


@jit
def _take(w: Ints, verdicts: Any, player: int, card: int, f: int) -> None:
    """Take a card from a player's side of a flag."""
    facts = w[FACTS + f]
    if card < TROOPS:
        w[SIDE + FLAGS * player + f] ^= ONE << card
    else:
        facts ^= 1 << (4 * player + card - TROOPS)
    if facts >> FIRST & 3 == player + 1:
        facts &= ~(3 << FIRST)
        if w[FULL + 1 - player] >> f & 1:
            facts |= (2 - player) << FIRST
    w[FACTS + f] = facts
    refresh(w, verdicts, f)


@jit
def _use(w: Ints, me: int, card: int) -> int:
    """Take a Tactics card from a hand for good; return who knew it, as two bits."""
    bit = 1 << (card - TROOPS)
    w[TACTICS + me] ^= bit
    w[PLAYED + me] |= bit
    w[PASSES] = 0
    knew = (1 if w[KNOWN_TACTICS] & bit else 0) | (2 if w[KNOWN_TACTICS + 1] & bit else 0)
    w[KNOWN_TACTICS] &= ~bit
    w[KNOWN_TACTICS + 1] &= ~bit
    return knew


@jit
def _forget_troop(w: Ints, bit: int) -> int:
    """Note that a Troop is face up; return who knew it, as two bits."""
    if not (w[KNOWN] | w[KNOWN + 1]) & bit:
        return 0
    knew = (1 if w[KNOWN] & bit else 0) | (2 if w[KNOWN + 1] & bit else 0)
    w[KNOWN] &= ~bit
    w[KNOWN + 1] &= ~bit
    return knew


@jit
def _guile(w: Ints, verdicts: Any, me: int, move: int) -> int:
    """Carry out Deserter, Traitor or Redeploy; return its part of the token."""
    stay_apart()
    card, source, target = guile_parts(move)
    victim = me if move >= USE_REDEPLOY else 1 - me
    token = w[FACTS + source] << TOKEN_FACTS_2
    token |= _use(w, me, card_played(move)) << TOKEN_KNOWN
    if target < FLAGS:
        token |= w[FACTS + target] << TOKEN_FACTS
    _take(w, verdicts, victim, card, source)
    if target < FLAGS:
        put(w, verdicts, me, card, target)
    elif card < TROOPS:
        w[DISCARD_TROOPS] |= ONE << card
    return token


@jit
def after_play(w: Ints, verdicts: Any, me: int) -> None:
    """Go on to the draw or, where there is none, to late claims or the next turn."""
    if w[SIZE] + w[SIZE + 1] and popcount(w[HAND + me]) + popcount(w[TACTICS + me]) < w[HAND_SIZE]:
        w[STAGE], w[LEFT] = DRAW_STAGE, 0
    else:
        _without_draw(w, verdicts, me)


@jit
def _without_draw(w: Ints, verdicts: Any, me: int) -> None:
    """Go on to late claims or the next turn."""
    stay_apart()
    if w[OPTIONS] & CLAIMS_LATE and claims(w, verdicts, me):
        w[STAGE], w[LEFT] = CLAIM_STAGE, 0
    else:
        next_turn(w)


@jit
def next_turn(w: Ints) -> None:
    """Hand the turn over, or end a game in which both players have passed."""
    w[STAGE], w[LEFT] = PLAY, 0
    w[TURN] += 1
    if w[PASSES] < 2:
        return
    lead = 0
    if not w[OPTIONS] & STUCK_DRAW:
        lead = popcount(w[OWNED]) - popcount(w[OWNED + 1])
        rest = (w[FULL] | w[FULL + 1]) & ~(w[OWNED] | w[OWNED + 1])
        while rest:
            lead += 1 if _winner_at(w, lowest(rest)) == 0 else -1
            rest &= rest - 1
    w[RESULT] = DRAWN if lead == 0 else (1 if lead > 0 else 2)


@jit
def _winner_at(w: Ints, f: int) -> int:
    """Return who has a flag in a stuck game that at least one side has completed."""
    both = w[FULL] & w[FULL + 1]
    if not both >> f & 1:
        return 0 if w[FULL] >> f & 1 else 1
    lead = w[SCORE + f] - w[SCORE + FLAGS + f]
    if lead == 0:
        return (w[FACTS + f] >> FIRST & 3) - 1
    return 0 if lead > 0 else 1


@jit
def draw_card(w: Ints, verdicts: Any, me: int, deck: int) -> int:
    """Take the top card of a deck and go on; return the move's part of the token."""
    w[SIZE + deck] -= 1
    at = (TACTICS_DECK if deck else DECK) + w[SIZE + deck]
    card = w[at]
    w[at] = -1
    if deck:
        bit = 1 << (card - TROOPS)
        w[TACTICS + me] |= bit
        knew = 1 if w[KNOWN_TACTICS + me] & bit else 0
        w[KNOWN_TACTICS + me] &= ~bit
    else:
        bit = ONE << card
        w[HAND + me] |= bit
        knew = 1 if w[KNOWN + me] & bit else 0
        w[KNOWN + me] &= ~bit
    if w[STAGE] == DRAW_STAGE:
        next_turn(w)
    else:
        w[LEFT] -= 1
        if w[LEFT] == 0:
            _after_scout(w, verdicts, me)
    return card << TOKEN_CARD | knew << (TOKEN_KNOWN + me)


@jit
def _after_scout(w: Ints, verdicts: Any, me: int) -> None:
    """Go on to putting cards back, or past it."""
    held = popcount(w[HAND + me]) + popcount(w[TACTICS + me])
    back = min(2, held) if w[OPTIONS] & SCOUT_TWO else max(held - w[HAND_SIZE], 0)
    if back:
        w[STAGE], w[LEFT] = RETURNING, back
    else:
        _without_draw(w, verdicts, me)


@jit
def _put_back(w: Ints, verdicts: Any, me: int, card: int) -> None:
    """Put a card on top of its deck and go on."""
    stay_apart()
    if card < TROOPS:
        w[DECK + w[SIZE]] = card
        w[SIZE] += 1
        w[HAND + me] ^= ONE << card
        w[KNOWN + me] |= ONE << card
    else:
        w[TACTICS_DECK + w[SIZE + 1]] = card
        w[SIZE + 1] += 1
        w[TACTICS + me] ^= 1 << (card - TROOPS)
        w[KNOWN_TACTICS + me] |= 1 << (card - TROOPS)
    w[LEFT] -= 1
    if w[LEFT] == 0:
        _without_draw(w, verdicts, me)


_FACT_MASK = (1 << FACT_BITS) - 1


def undo(pos: Any, move: int, token: int) -> None:
    """Take a move back."""
    w: Ints = pos.words
    verdicts = pos.verdicts
    w[TURN] -= token >> TOKEN_TURN & 1
    w[STAGE], w[LEFT], w[PASSES] = token & 7, token >> TOKEN_LEFT & 3, token >> TOKEN_PASSES & 3
    w[RESULT] = GOING_ON
    me = w[TURN] & 1
    knew = token >> TOKEN_KNOWN & 3
    facts = token >> TOKEN_FACTS & _FACT_MASK
    for i in range(len(verdicts)):
        verdicts[i] = UNKNOWN
    if move < PLACE:
        w[OWNED + me] ^= 1 << move
        w[FACTS + move] = facts
    elif move < USE_SCOUT:
        card = (move - PLACE) // FLAGS
        f = move - PLACE - FLAGS * card
        w[FACTS + f] = facts
        if card < TROOPS:
            w[SIDE + FLAGS * me + f] ^= ONE << card
            w[SEEN] ^= ONE << card
        _into_hand(w, me, card, knew)
        refresh(w, verdicts, f)
    elif move == USE_SCOUT:
        _into_hand(w, me, SCOUT, knew)
    elif move < DRAW:
        return
    elif move < RETURN:
        _undraw(w, me, token >> TOKEN_CARD & 127, knew)
    elif move < USE_DESERTER:
        _unreturn(w, me, move - RETURN)
    else:
        _unguile(w, verdicts, me, move, token)


@jit
def _into_hand(w: Ints, me: int, card: int, knew: int) -> None:
    """Give a played card back to the hand it came from, and to memory who knew it."""
    if card < TROOPS:
        w[HAND + me] |= ONE << card
        w[KNOWN] |= (ONE * (knew & 1)) << card
        w[KNOWN + 1] |= (ONE * (knew >> 1)) << card
    else:
        bit = 1 << (card - TROOPS)
        w[TACTICS + me] |= bit
        w[PLAYED + me] ^= bit
        w[KNOWN_TACTICS] |= bit * (knew & 1)
        w[KNOWN_TACTICS + 1] |= bit * (knew >> 1)


@jit
def _undraw(w: Ints, me: int, card: int, knew: int) -> None:
    """Put a drawn card back on top of its deck."""
    mine = knew >> me & 1
    if card < TROOPS:
        w[DECK + w[SIZE]] = card
        w[SIZE] += 1
        w[HAND + me] ^= ONE << card
        w[KNOWN + me] |= (ONE * mine) << card
    else:
        w[TACTICS_DECK + w[SIZE + 1]] = card
        w[SIZE + 1] += 1
        w[TACTICS + me] ^= 1 << (card - TROOPS)
        w[KNOWN_TACTICS + me] |= mine << (card - TROOPS)


@jit
def _unreturn(w: Ints, me: int, card: int) -> None:
    """Take a card that was put back into the hand again."""
    if card < TROOPS:
        w[SIZE] -= 1
        w[DECK + w[SIZE]] = -1
        w[HAND + me] |= ONE << card
        w[KNOWN + me] ^= ONE << card
    else:
        w[SIZE + 1] -= 1
        w[TACTICS_DECK + w[SIZE + 1]] = -1
        w[TACTICS + me] |= 1 << (card - TROOPS)
        w[KNOWN_TACTICS + me] ^= 1 << (card - TROOPS)


@jit
def _unguile(w: Ints, verdicts: Any, me: int, move: int, token: int) -> None:
    """Undo Deserter, Traitor or Redeploy."""
    card, source, target = guile_parts(move)
    victim = me if move >= USE_REDEPLOY else 1 - me
    if target < FLAGS:
        if card < TROOPS:
            w[SIDE + FLAGS * me + target] ^= ONE << card
        w[FACTS + target] = token >> TOKEN_FACTS & _FACT_MASK
    elif card < TROOPS:
        w[DISCARD_TROOPS] ^= ONE << card
    if card < TROOPS:
        w[SIDE + FLAGS * victim + source] ^= ONE << card
    w[FACTS + source] = token >> TOKEN_FACTS_2 & _FACT_MASK
    refresh(w, verdicts, source)
    if target < FLAGS:
        refresh(w, verdicts, target)
    _into_hand(w, me, card_played(move), token >> TOKEN_KNOWN & 3)
