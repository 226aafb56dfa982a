"""States of Battle Line as the words of a compiled position, and back. Plain Python; nothing is compiled here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kibitz.games.battleline.kernel.layout import (
    CAVALRY,
    CLAIMS_LATE,
    DECK,
    DISCARD_TROOPS,
    FACTS,
    FIRST,
    FOG_BIT,
    FULL,
    HAND,
    HAND_SIZE,
    KNOWN,
    KNOWN_TACTICS,
    LEADER_IN_PLAY,
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
    TURN,
    UNFILLABLE,
    VALUES,
    WORDS,
)
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import ENVIRONMENT, TROOPS, Card, is_troop
from kibitz.games.battleline.rules.formations import score
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import Flag


def pack_words(state: BattleLineState) -> list[int]:
    """Return a state as words."""
    w = [0] * WORDS
    for f, flag in enumerate(state.flags):
        _pack_flag(w, f, flag, state.game)
    for player in (0, 1):
        w[HAND + player], w[TACTICS + player] = sets_of(state.hands[player])
        w[PLAYED + player] = sets_of(state.played[player])[1]
        w[KNOWN + player], w[KNOWN_TACTICS + player] = sets_of(state.known[player])
        w[SIZE + player] = len(state.decks[player])
        w[OWNED + player] = sum(1 << f for f in state.owned(player))
    w[SEEN], w[DISCARD_TROOPS] = sets_of(state.face_up)[0], sets_of(state.discards)[0]
    w[TURN], w[STAGE], w[LEFT], w[PASSES], w[RESULT] = state.turn, state.stage, state.left, state.passes, state.result
    game = state.game
    w[OPTIONS] = (
        CLAIMS_LATE * (game.claims == "end")
        + LEADER_IN_PLAY * (game.leader_limit == "in_play")
        + UNFILLABLE * game.unfillable
        + SCOUT_TWO * game.scout_two
        + STUCK_DRAW * game.stuck_draw
    )
    w[VALUES], w[CAVALRY], w[HAND_SIZE] = game.cards.values, game.cards.cavalry, game.hand_size
    for at, deck in ((DECK, state.decks[0]), (TACTICS_DECK, state.decks[1])):
        room = TROOPS if at == DECK else WORDS - TACTICS_DECK
        w[at : at + room] = [*reversed(deck), *[-1] * (room - len(deck))]
    return w


def _pack_flag(w: list[int], f: int, flag: Flag, game: BattleLine) -> None:
    w[FACTS + f] = facts_of(flag)
    for player, side in enumerate(flag.sides):
        w[SIDE + FLAGS * player + f], _ = sets_of(side)
        if flag.is_complete(player):
            found = score(side, flag.fog, flag.mud, game.cards)
            w[FULL + player] |= 1 << f
            w[SCORE + FLAGS * player + f] = 64 * found.rank + found.sum


def facts_of(flag: Flag) -> int:
    """Return the facts of a flag as words.py has them, its wild cards among them."""
    facts = FOG_BIT * flag.fog | MUD_BIT * flag.mud | (flag.owner + 1) << OWNER | (flag.first + 1) << FIRST
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
    played = (_cards(0, w[PLAYED]), _cards(0, w[PLAYED + 1]))
    there = {card for flag in flags for side in flag.sides for card in side}
    used = [card for card in (*played[0], *played[1]) if card not in there and card not in ENVIRONMENT]
    troops = [int(card) for card in w[DECK : DECK + w[SIZE]]]
    tactics = [int(card) for card in w[TACTICS_DECK : TACTICS_DECK + w[SIZE + 1]]]
    return BattleLineState(
        game,
        flags,
        tuple(sorted((*_cards(w[DISCARD_TROOPS]), *used))),
        played,
        w[TURN],
        w[STAGE],
        w[LEFT],
        w[PASSES],
        w[RESULT],
        (_cards(w[HAND], w[TACTICS]), _cards(w[HAND + 1], w[TACTICS + 1])),
        (tuple(reversed(troops)), tuple(reversed(tactics))),
        (_cards(w[KNOWN], w[KNOWN_TACTICS]), _cards(w[KNOWN + 1], w[KNOWN_TACTICS + 1])),
    )


def _unpack_flag(w: Sequence[int], f: int) -> Flag:
    facts = w[FACTS + f]
    return Flag(
        (_cards(w[SIDE + f], facts & 15), _cards(w[SIDE + FLAGS + f], facts >> 4 & 15)),
        bool(facts & FOG_BIT),
        bool(facts & MUD_BIT),
        (facts >> OWNER & 3) - 1,
        (facts >> FIRST & 3) - 1,
    )
