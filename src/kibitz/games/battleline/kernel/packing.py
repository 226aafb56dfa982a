"""States of Battle Line as the words of a compiled position, and back. Plain Python; nothing is compiled here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import ENVIRONMENT, TROOPS, Card, is_troop
from kibitz.games.battleline.rules.formations import score
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import Flag


def pack_words(state: BattleLineState) -> list[int]:
    """Return a state as words."""
    w = [0] * at.WORDS
    for f, flag in enumerate(state.flags):
        _pack_flag(w, f, flag, state.game)
    for player in (0, 1):
        w[at.HAND + player], w[at.TACTICS + player] = sets_of(state.hands[player])
        w[at.PLAYED + player] = sets_of(state.played[player])[1]
        w[at.KNOWN + player], w[at.KNOWN_TACTICS + player] = sets_of(state.known[player])
        w[at.SIZE + player] = len(state.decks[player])
        w[at.OWNED + player] = sum(1 << f for f in state.owned(player))
    w[at.SEEN], w[at.DISCARD_TROOPS] = sets_of(state.face_up)[0], sets_of(state.discards)[0]
    w[at.TURN], w[at.STAGE], w[at.LEFT] = state.turn, state.stage, state.left
    w[at.PASSES], w[at.RESULT] = state.passes, state.result
    game = state.game
    w[at.OPTIONS] = (
        at.CLAIMS_LATE * (game.claims == "end")
        + at.LEADER_IN_PLAY * (game.leader_limit == "in_play")
        + at.UNFILLABLE * game.unfillable
        + at.SCOUT_TWO * game.scout_two
        + at.STUCK_DRAW * game.stuck_draw
    )
    w[at.VALUES], w[at.CAVALRY], w[at.HAND_SIZE] = game.cards.values, game.cards.cavalry, game.hand_size
    for first, end, deck in ((at.DECK, at.TACTICS_DECK, state.decks[0]), (at.TACTICS_DECK, at.WORDS, state.decks[1])):
        w[first:end] = [*reversed(deck), *[-1] * (end - first - len(deck))]
    return w


def _pack_flag(w: list[int], f: int, flag: Flag, game: BattleLine) -> None:
    w[at.FACTS + f] = facts_of(flag)
    for player, side in enumerate(flag.sides):
        w[at.SIDE + FLAGS * player + f], _ = sets_of(side)
        if flag.is_complete(player):
            found = score(side, flag.fog, flag.mud, game.cards)
            w[at.FULL + player] |= 1 << f
            w[at.SCORE + FLAGS * player + f] = 64 * found.rank + found.sum


def facts_of(flag: Flag) -> int:
    """Return the facts of a flag as layout.py has them, its wild cards among them."""
    facts = at.FOG_BIT * flag.fog | at.MUD_BIT * flag.mud | (flag.owner + 1) << at.OWNER | (flag.first + 1) << at.FIRST
    for player, side in enumerate(flag.sides):
        facts |= sets_of(side)[1] << 4 * player
    return facts


def sets_of(cards: Iterable[Card]) -> tuple[int, int]:
    """Return the Troops and the Tactics among cards as sets of bits."""
    troops = tactics = 0
    for card in cards:
        if is_troop(card):
            troops |= 1 << card
        else:
            tactics |= 1 << card - TROOPS
    return troops, tactics


def _cards(troops: int, tactics: int = 0) -> tuple[Card, ...]:
    return tuple(card for card in range(TROOPS + 10) if (troops | tactics << TROOPS) >> card & 1)


def unpack_words(w: Sequence[int], game: BattleLine) -> BattleLineState:
    """Return words as a state. The log is not kept in them."""
    flags = tuple(_unpack_flag(w, f) for f in range(FLAGS))
    played = (_cards(0, w[at.PLAYED]), _cards(0, w[at.PLAYED + 1]))
    there = {card for flag in flags for side in flag.sides for card in side}
    used = [card for card in (*played[0], *played[1]) if card not in there and card not in ENVIRONMENT]
    troops = [int(card) for card in w[at.DECK : at.DECK + w[at.SIZE]]]
    tactics = [int(card) for card in w[at.TACTICS_DECK : at.TACTICS_DECK + w[at.SIZE + 1]]]
    return BattleLineState(
        game,
        flags,
        tuple(sorted((*_cards(w[at.DISCARD_TROOPS]), *used))),
        played,
        w[at.TURN],
        w[at.STAGE],
        w[at.LEFT],
        w[at.PASSES],
        w[at.RESULT],
        (_cards(w[at.HAND], w[at.TACTICS]), _cards(w[at.HAND + 1], w[at.TACTICS + 1])),
        (tuple(reversed(troops)), tuple(reversed(tactics))),
        (_cards(w[at.KNOWN], w[at.KNOWN_TACTICS]), _cards(w[at.KNOWN + 1], w[at.KNOWN_TACTICS + 1])),
    )


def _unpack_flag(w: Sequence[int], f: int) -> Flag:
    facts = w[at.FACTS + f]
    return Flag(
        (_cards(w[at.SIDE + f], facts & 15), _cards(w[at.SIDE + FLAGS + f], facts >> 4 & 15)),
        bool(facts & at.FOG_BIT),
        bool(facts & at.MUD_BIT),
        (facts >> at.OWNER & 3) - 1,
        (facts >> at.FIRST & 3) - 1,
    )
