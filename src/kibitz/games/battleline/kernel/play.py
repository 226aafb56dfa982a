"""Making and unmaking moves on a compiled position of Battle Line: the twin of BattleLineState.play.

Making a move returns a token with everything needed to undo it; layout.py describes its bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, never_inline, popcount
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.legal import claims
from kibitz.games.battleline.kernel.proof import PROVED, UNKNOWN, side_score
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import FOG, SCOUT, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

if TYPE_CHECKING:
    from kibitz.games.battleline.kernel.position import BattleLinePosition

_NO_CARD = -1


def play(pos: BattleLinePosition, move: int) -> int:
    """Make a legal move; return the token that undo needs."""
    w, verdicts = pos.words, pos.verdicts
    turn = w[at.TURN]
    me = turn & 1
    token = w[at.STAGE] | w[at.LEFT] << at.TOKEN_LEFT | w[at.PASSES] << at.TOKEN_PASSES
    if move < numbers.PLACE:
        token |= w[at.STATUS + move] << at.TOKEN_STATUS
        claim_flag(w, verdicts, me, move)
    elif move < numbers.USE_SCOUT:
        card, f = at.place_parts(move)
        token |= w[at.STATUS + f] << at.TOKEN_STATUS
        token |= play_card(w, verdicts, me, card, f) << at.TOKEN_KNOWN
        after_play(w, verdicts, me)
    elif move == numbers.USE_SCOUT:
        token |= _spend_tactics(w, me, SCOUT) << at.TOKEN_KNOWN
        w[at.STAGE], w[at.LEFT] = stages.SCOUT, min(3, at.undrawn(w))
    elif move == numbers.PASS:
        w[at.PASSES] += 1
        after_play(w, verdicts, me)
    elif move < numbers.DRAW:
        next_turn(w)
    elif move < numbers.RETURN:
        token |= draw_card(w, verdicts, me, move - numbers.DRAW)
    elif move < numbers.USE_DESERTER:
        _put_back(w, verdicts, me, move - numbers.RETURN)
    else:
        token |= _use_guile(w, verdicts, me, move)
        after_play(w, verdicts, me)
    return token | (w[at.TURN] - turn) << at.TOKEN_TURN


@jit
def claim_flag(w: Ints, verdicts: Ints, me: int, f: int) -> None:
    """Give a flag to a player, and end the game if that wins it."""
    never_inline()
    w[at.OWNED + me] |= 1 << f
    w[at.STATUS + f] = at.with_owner(w[at.STATUS + f], me + 1)
    w[at.PASSES] = 0
    if at.WINS[w[at.OWNED + me]]:
        w[at.RESULT] = me + 1
    elif w[at.STAGE] == stages.CLAIM and not claims(w, verdicts, me):
        next_turn(w)


@jit
def play_card(w: Ints, verdicts: Ints, me: int, card: int, f: int) -> int:
    """Play a Troop, morale or environment card at a flag; return who knew the card, one bit per player."""
    w[at.PASSES] = 0
    if card < TROOPS:
        w[at.HAND + me] ^= at.ONE << card
        w[at.SEEN] |= at.ONE << card
        knew = _forget(w, card)
    else:
        knew = _spend_tactics(w, me, card)
    if card < FOG:
        put_on_side(w, verdicts, me, card, f)
    else:
        w[at.STATUS + f] |= at.FOG_BIT << (card - FOG)
        if card != FOG:
            w[at.STATUS + f] = at.with_first(w[at.STATUS + f], 0)
        refresh_flag(w, verdicts, f)
    return knew


@jit
def put_on_side(w: Ints, verdicts: Ints, player: int, card: int, f: int) -> None:
    """Put a Troop or a morale card on a player's side of a flag; update the side's score and the verdicts on claims."""
    mine, theirs = FLAGS * player + f, FLAGS * (1 - player) + f
    status = w[at.STATUS + f]
    verdict = UNKNOWN
    if card < TROOPS:
        w[at.SIDE + mine] |= at.ONE << card
        # a counter-example that includes this card still holds, and a Troop does not weaken a proof
        if verdicts[theirs] == PROVED:
            verdict = PROVED
        elif verdicts[theirs] >> card & 1:
            verdict = verdicts[theirs] ^ (PROVED >> (63 - card))  # PROVED is bit 63 of an unsigned word
    else:
        status |= at.wild_bit(player, card)
    verdicts[mine], verdicts[theirs] = UNKNOWN, verdict
    if at.lacking(w[at.SIDE + mine], status, player) == 0:
        w[at.FULL + player] |= 1 << f
        if not at.first(status):
            status = at.with_first(status, player + 1)
        w[at.STATUS + f] = status
        w[at.SCORE + mine] = side_score(w, player, f)
    w[at.STATUS + f] = status


@jit
def refresh_flag(w: Ints, verdicts: Ints, f: int) -> None:
    """Recompute which sides of a flag are complete, and their scores."""
    for player in range(2):
        i = FLAGS * player + f
        verdicts[i] = UNKNOWN
        if at.lacking(w[at.SIDE + i], w[at.STATUS + f], player) == 0:
            w[at.FULL + player] |= 1 << f
            w[at.SCORE + i] = side_score(w, player, f)
        else:
            w[at.FULL + player] &= ~(1 << f)
            w[at.SCORE + i] = 0


@jit
def _remove_card(w: Ints, verdicts: Ints, player: int, card: int, f: int) -> None:
    """Remove a card from a player's side of a flag."""
    status = w[at.STATUS + f]
    if card < TROOPS:
        w[at.SIDE + FLAGS * player + f] ^= at.ONE << card
    else:
        status ^= at.wild_bit(player, card)
    if at.first(status) == player + 1:
        status = at.with_first(status, 2 - player if w[at.FULL + 1 - player] >> f & 1 else 0)
    w[at.STATUS + f] = status
    refresh_flag(w, verdicts, f)


@jit
def _spend_tactics(w: Ints, me: int, card: int) -> int:
    """Move a Tactics card from the hand to the played Tactics; return who knew it, one bit per player."""
    w[at.TACTICS + me] ^= at.bit(card)
    w[at.PLAYED + me] |= at.bit(card)
    w[at.PASSES] = 0
    return _forget(w, card)


@jit
def _forget(w: Ints, card: int) -> int:
    """Remove a card that is now face up from the hidden cards players know; return who knew it, one bit per player."""
    known, bit = at.KNOWN + 2 * at.kind(card), at.bit(card)
    if not (w[known] | w[known + 1]) & bit:
        return 0
    knew = (1 if w[known] & bit else 0) | (2 if w[known + 1] & bit else 0)
    w[known] &= ~bit
    w[known + 1] &= ~bit
    return knew


@jit
def _use_guile(w: Ints, verdicts: Ints, me: int, move: int) -> int:
    """Play Deserter, Traitor or Redeploy; return the bits that undo needs, as part of the move's token."""
    never_inline()
    card, source, target = at.guile_parts(move)
    victim = me if move >= numbers.USE_REDEPLOY else 1 - me
    token = w[at.STATUS + source] << at.TOKEN_STATUS_2
    token |= _spend_tactics(w, me, at.card_played(move)) << at.TOKEN_KNOWN
    if target < FLAGS:
        token |= w[at.STATUS + target] << at.TOKEN_STATUS
    _remove_card(w, verdicts, victim, card, source)
    if target < FLAGS:
        put_on_side(w, verdicts, me, card, target)
    elif card < TROOPS:
        w[at.DISCARD_TROOPS] |= at.ONE << card
    return token


@jit
def after_play(w: Ints, verdicts: Ints, me: int) -> None:
    """Continue with the draw or, if no card can be drawn, with late claims or the next turn."""
    if at.undrawn(w) and at.held(w, me) < w[at.HAND_SIZE]:
        w[at.STAGE], w[at.LEFT] = stages.DRAW, 0
    else:
        _skip_draw(w, verdicts, me)


@jit
def _skip_draw(w: Ints, verdicts: Ints, me: int) -> None:
    """Continue with the claims if they come late and there are any, else with the next turn."""
    never_inline()
    if w[at.OPTIONS] & at.CLAIMS_LATE and claims(w, verdicts, me):
        w[at.STAGE], w[at.LEFT] = stages.CLAIM, 0
    else:
        next_turn(w)


@jit
def next_turn(w: Ints) -> None:
    """Start the opponent's turn, or end the game after two passes in a row."""
    w[at.STAGE], w[at.LEFT] = stages.PLAY, 0
    w[at.TURN] += 1
    if w[at.PASSES] < 2:
        return
    lead = 0
    if not w[at.OPTIONS] & at.STUCK_DRAW:
        lead = popcount(w[at.OWNED]) - popcount(w[at.OWNED + 1])
        rest = (w[at.FULL] | w[at.FULL + 1]) & at.unclaimed(w)
        while rest:
            lead += 1 if _winner_when_stuck(w, lowest(rest)) == 0 else -1
            rest &= rest - 1
    w[at.RESULT] = stages.DRAWN if lead == 0 else (1 if lead > 0 else 2)


@jit
def _winner_when_stuck(w: Ints, f: int) -> int:
    """Return the player who gets an unclaimed flag after two passes. At least one side must be complete."""
    both = w[at.FULL] & w[at.FULL + 1]
    if not both >> f & 1:
        return 0 if w[at.FULL] >> f & 1 else 1
    lead = w[at.SCORE + f] - w[at.SCORE + FLAGS + f]
    if lead == 0:
        return at.first(w[at.STATUS + f]) - 1
    return 0 if lead > 0 else 1


@jit
def draw_card(w: Ints, verdicts: Ints, me: int, deck: int) -> int:
    """Draw the top card of a deck and continue the turn; return the bits that undo needs, part of the move's token."""
    w[at.SIZE + deck] -= 1
    place = at.top_place(w, deck)
    card = w[place]
    w[place] = _NO_CARD
    bit, known = at.ONE << (card - TROOPS * deck), at.KNOWN + 2 * deck + me
    w[at.HAND + 2 * deck + me] |= bit
    knew = 1 if w[known] & bit else 0
    w[known] &= ~bit
    if w[at.STAGE] == stages.DRAW:
        next_turn(w)
    else:
        w[at.LEFT] -= 1
        if w[at.LEFT] == 0:
            _after_scout(w, verdicts, me)
    return card << at.TOKEN_CARD | knew << (at.TOKEN_KNOWN + me)


@jit
def _after_scout(w: Ints, verdicts: Ints, me: int) -> None:
    """Continue the turn after Scout's last draw: put surplus cards back, or else go on to late claims."""
    held = at.held(w, me)
    back = min(2, held) if w[at.OPTIONS] & at.SCOUT_TWO else max(held - w[at.HAND_SIZE], 0)
    if back:
        w[at.STAGE], w[at.LEFT] = stages.RETURN, back
    else:
        _skip_draw(w, verdicts, me)


@jit
def _put_back(w: Ints, verdicts: Ints, me: int, card: int) -> None:
    """Put a card on top of its deck; after the last card to put back, continue the turn."""
    never_inline()
    _return_to_deck(w, me, card, 1)
    w[at.LEFT] -= 1
    if w[at.LEFT] == 0:
        _skip_draw(w, verdicts, me)


@jit
def _return_to_deck(w: Ints, me: int, card: int, known: int) -> None:
    """Move a card from a hand to the top of its deck. known: 1 if the player knows that it lies there."""
    kind = at.kind(card)
    w[at.top_place(w, kind)] = card
    w[at.SIZE + kind] += 1
    w[at.HAND + 2 * kind + me] ^= at.bit(card)
    w[at.KNOWN + 2 * kind + me] |= at.bit(card) * known


def undo(pos: BattleLinePosition, move: int, token: int) -> None:
    """Unmake the last move."""
    w, verdicts = pos.words, pos.verdicts
    w[at.TURN] -= token >> at.TOKEN_TURN & 1
    w[at.STAGE], w[at.LEFT], w[at.PASSES] = token & 7, token >> at.TOKEN_LEFT & 3, token >> at.TOKEN_PASSES & 3
    w[at.RESULT] = stages.IN_PROGRESS
    me = at.mover(w)
    knew = token >> at.TOKEN_KNOWN & 3
    status = token >> at.TOKEN_STATUS & at.STATUS_MASK
    for i in range(len(verdicts)):
        verdicts[i] = UNKNOWN
    if move < numbers.PLACE:
        w[at.OWNED + me] ^= 1 << move
        w[at.STATUS + move] = status
    elif move < numbers.USE_SCOUT:
        card, f = at.place_parts(move)
        w[at.STATUS + f] = status
        if card < TROOPS:
            w[at.SIDE + FLAGS * me + f] ^= at.ONE << card
            w[at.SEEN] ^= at.ONE << card
        _unplay(w, me, card, knew)
        refresh_flag(w, verdicts, f)
    elif move == numbers.USE_SCOUT:
        _unplay(w, me, SCOUT, knew)
    elif move < numbers.DRAW:
        return
    elif move < numbers.RETURN:
        _return_to_deck(w, me, token >> at.TOKEN_CARD & 127, knew >> me & 1)
    elif move < numbers.USE_DESERTER:
        _take_back(w, me, move - numbers.RETURN)
    else:
        _undo_guile(w, verdicts, me, move, token)


@jit
def _unplay(w: Ints, me: int, card: int, knew: int) -> None:
    """Return a played card to the hand it came from. knew: who knew that it was there, one bit per player."""
    kind, bit = at.kind(card), at.bit(card)
    w[at.HAND + 2 * kind + me] |= bit
    w[at.KNOWN + 2 * kind] |= bit * (knew & 1)
    w[at.KNOWN + 2 * kind + 1] |= bit * (knew >> 1)
    if kind:
        w[at.PLAYED + me] ^= bit


@jit
def _take_back(w: Ints, me: int, card: int) -> None:
    """Undo putting a card back: return it to the hand."""
    kind = at.kind(card)
    w[at.SIZE + kind] -= 1
    w[at.top_place(w, kind)] = _NO_CARD
    w[at.HAND + 2 * kind + me] |= at.bit(card)
    w[at.KNOWN + 2 * kind + me] ^= at.bit(card)


@jit
def _undo_guile(w: Ints, verdicts: Ints, me: int, move: int, token: int) -> None:
    """Undo Deserter, Traitor or Redeploy."""
    card, source, target = at.guile_parts(move)
    victim = me if move >= numbers.USE_REDEPLOY else 1 - me
    if target < FLAGS:
        if card < TROOPS:
            w[at.SIDE + FLAGS * me + target] ^= at.ONE << card
        w[at.STATUS + target] = token >> at.TOKEN_STATUS & at.STATUS_MASK
    elif card < TROOPS:
        w[at.DISCARD_TROOPS] ^= at.ONE << card
    if card < TROOPS:
        w[at.SIDE + FLAGS * victim + source] ^= at.ONE << card
    w[at.STATUS + source] = token >> at.TOKEN_STATUS_2 & at.STATUS_MASK
    refresh_flag(w, verdicts, source)
    if target < FLAGS:
        refresh_flag(w, verdicts, target)
    _unplay(w, me, at.card_played(move), token >> at.TOKEN_KNOWN & 3)
