"""The moves of Battle Line as numbers and texts.

    0       claim 1 .. claim 9
    9       r1 > 1 ..            9*card + flag, for Troops, morale, Fog and Mud
    603     scout
    604     pass
    605     done                 ends the claims when there is nothing to draw
    606     draw troop
    607     draw tactics
    608     return r1 ..         + card: put back on its deck, after Scout
    678     deserter r1@1 ..     + 9*card + flag
    1254    traitor r1@1 > 1 ..  + 9*(9*card + from) + to
    6438    redeploy r1@1 > 1 .. + 10*(9*card + from) + to, 9 for the discard

Only the player who puts a card back knows which one it is: the public log has RETURNED for a
Troop and RETURNED + 1 for a Tactics card instead. legal.py decides which moves are legal.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kibitz.core.errors import BadText
from kibitz.core.game import Move
from kibitz.games.battleline.rules import cards
from kibitz.games.battleline.rules.cards import Card

FLAGS = 9
DISCARD = FLAGS
"""The target of a redeployed card that leaves the table."""

CLAIM = 0
PLACE = CLAIM + FLAGS
USE_SCOUT = PLACE + FLAGS * (cards.MUD + 1)
PASS = USE_SCOUT + 1
DONE = PASS + 1
DRAW = DONE + 1
RETURN = DRAW + 2
USE_DESERTER = RETURN + cards.CARDS
USE_TRAITOR = USE_DESERTER + FLAGS * (cards.SB + 1)
USE_REDEPLOY = USE_TRAITOR + FLAGS * FLAGS * (cards.SB + 1)
MOVES = USE_REDEPLOY + (FLAGS + 1) * FLAGS * (cards.SB + 1)
RETURNED = MOVES
"""In a public log: RETURNED stands for a Troop put back, RETURNED + 1 for a Tactics card."""

MAX_MOVES_IN_GAME = 400
"""An upper bound: 70 plays, 9 claims, 81 passes (a play or a claim lies between two of them), a "done" in
each of these 151 turns, 58 draws, 2 cards put back."""

DECKS = ("troop", "tactics")


class Parts(NamedTuple):
    """The parts of a move; -1 for a missing part. Flags are numbered from 0."""

    kind: int
    """One of the numbers CLAIM, PLACE, USE_SCOUT, PASS, DONE, DRAW, RETURN, USE_DESERTER, USE_TRAITOR, USE_REDEPLOY."""
    card: Card = -1
    """The card played, put back, or taken from a flag; for a draw, the deck (0 or 1)."""
    source: int = -1
    """The flag that the card is taken from."""
    target: int = -1
    """The flag that is claimed or where the card goes, or DISCARD."""

    @property
    def played(self) -> Card:
        """Return the card played from the hand; -1 if the move plays none."""
        return self.card if self.kind == PLACE else _GUILE.get(self.kind, -1)


_GUILE = {
    USE_SCOUT: cards.SCOUT,
    USE_DESERTER: cards.DESERTER,
    USE_TRAITOR: cards.TRAITOR,
    USE_REDEPLOY: cards.REDEPLOY,
}


def take_apart(move: Move) -> Parts:
    """Split a move number into its parts."""
    if move < PLACE:
        return Parts(CLAIM, target=move)
    if move < USE_SCOUT:
        card, flag = divmod(move - PLACE, FLAGS)
        return Parts(PLACE, card, target=flag)
    if move < DRAW:
        return Parts(move)
    if move < RETURN:
        return Parts(DRAW, move - DRAW)
    if move < USE_DESERTER:
        return Parts(RETURN, move - RETURN)
    if move < USE_TRAITOR:
        card, flag = divmod(move - USE_DESERTER, FLAGS)
        return Parts(USE_DESERTER, card, flag)
    if move < USE_REDEPLOY:
        rest, to = divmod(move - USE_TRAITOR, FLAGS)
        return Parts(USE_TRAITOR, *divmod(rest, FLAGS), to)
    rest, to = divmod(move - USE_REDEPLOY, FLAGS + 1)
    return Parts(USE_REDEPLOY, *divmod(rest, FLAGS), to)


def public_move(move: Move) -> Move:
    """Return a move as the public log shows it: for a card put back, only its deck."""
    kind, card, _, _ = take_apart(move)
    return RETURNED + (not cards.is_troop(card)) if kind == RETURN else move


def claim(flag: int) -> Move:
    """Return the move that claims a flag."""
    return CLAIM + flag


def place(card: Card, flag: int) -> Move:
    """Return the move that plays a Troop, morale or environment card at a flag."""
    return PLACE + FLAGS * card + flag


def put_back(card: Card) -> Move:
    """Return the move that puts a card back on its deck after Scout."""
    return RETURN + card


def deserter(card: Card, flag: int) -> Move:
    """Return the move that discards an opponent's card with Deserter."""
    return USE_DESERTER + FLAGS * card + flag


def traitor(card: Card, source: int, target: int) -> Move:
    """Return the move that takes over an opponent's Troop with Traitor."""
    return USE_TRAITOR + FLAGS * (FLAGS * card + source) + target


def redeploy(card: Card, source: int, target: int) -> Move:
    """Return the move that takes one of the player's own cards to another flag, or to DISCARD, with Redeploy."""
    return USE_REDEPLOY + (FLAGS + 1) * (FLAGS * card + source) + target


def move_text(move: Move) -> str:
    """Return the text of a move, including those that occur only in a public log."""
    if move >= RETURNED:
        return f"return {DECKS[move - RETURNED]}"
    kind, card, source, target = take_apart(move)
    if kind == CLAIM:
        return f"claim {target + 1}"
    if kind == PLACE:
        return f"{cards.card_text(card) if card < cards.FOG else cards.card_text(card).lower()} > {target + 1}"
    if kind in _SINGLE:
        return _SINGLE[kind]
    if kind == DRAW:
        return f"draw {DECKS[card]}"
    if kind == RETURN:
        return f"return {cards.card_text(card)}"
    place = f"{cards.card_text(card)}@{source + 1}"
    if kind == USE_DESERTER:
        return f"deserter {place}"
    if kind == USE_TRAITOR:
        return f"traitor {place} > {target + 1}"
    return f"redeploy {place} > {'discard' if target == DISCARD else target + 1}"


_SINGLE = {USE_SCOUT: "scout", PASS: "pass", DONE: "done"}
_CARD = r"([a-z]+(?: [a-z]+)?(?: ?[0-9]+)?)"
_FLAG = r"([1-9])"


def parse_move(text: str) -> Move:
    """Parse a move in upper or lower case, with or without spaces around > and @. Raise BadText for other text."""
    words = " ".join(text.lower().split()) if text.isascii() else ""
    if words in _SINGLE.values():
        return next(move for move, name in _SINGLE.items() if name == words)
    if found := re.fullmatch(rf"claim ?{_FLAG}", words):
        return claim(int(found[1]) - 1)
    if found := re.fullmatch("draw (troop|tactics)s?", words):
        return DRAW + DECKS.index(found[1])
    if found := re.fullmatch(f"return {_CARD}", words):
        return put_back(cards.parse_card(found[1]))
    if found := re.fullmatch(f"(deserter|traitor|redeploy) {_CARD} ?@ ?{_FLAG}(?: ?> ?({_FLAG}|discard))?", words):
        return _parse_guile(text, found[1], cards.parse_card(found[2]), int(found[3]) - 1, found[4])
    if found := re.fullmatch(f"{_CARD} ?> ?{_FLAG}", words):
        card = cards.parse_card(found[1])
        if card > cards.MUD:
            raise BadText(f"{cards.card_name(card)} is not played at a flag: {_GUILE_FORMS[card]}.")
        return place(card, int(found[2]) - 1)
    raise BadText(
        f"{text!r} is not a move: write one such as r8 > 3, AL > 3, fog > 2, claim 4, draw troop, draw tactics, "
        "pass, scout, return r5, deserter o5@3, traitor o5@3 > 5, redeploy r4@2 > 7 or redeploy r4@2 > discard."
    )


_GUILE_FORMS = {
    cards.SCOUT: "write scout",
    cards.DESERTER: "write deserter o5@3",
    cards.TRAITOR: "write traitor o5@3 > 5",
    cards.REDEPLOY: "write redeploy r4@2 > 7 or redeploy r4@2 > discard",
}


def _parse_guile(text: str, name: str, card: Card, source: int, to: str | None) -> Move:
    if not (cards.is_troop(card) or card in cards.MORALE):
        raise BadText(f"{cards.card_name(card)} never lies in a formation, so {text!r} is not a move.")
    if name == "deserter" and to is None:
        return deserter(card, source)
    if name == "traitor" and to is not None and to != "discard":
        return traitor(card, source, int(to) - 1)
    if name == "redeploy" and to is not None:
        return redeploy(card, source, DISCARD if to == "discard" else int(to) - 1)
    raise BadText(f"{text!r} is not a move: {_GUILE_FORMS[cards.parse_card(name)]}.")


def mirrored(move: Move) -> Move:
    """Return the mirror image of a move: flag 1 becomes flag 9, flag 2 becomes flag 8, and so on."""
    kind, card, source, target = take_apart(move)
    source, target = FLAGS - 1 - source, target if target == DISCARD else FLAGS - 1 - target
    if kind == CLAIM:
        return claim(target)
    if kind == PLACE:
        return place(card, target)
    if kind == USE_DESERTER:
        return deserter(card, source)
    if kind == USE_TRAITOR:
        return traitor(card, source, target)
    if kind == USE_REDEPLOY:
        return redeploy(card, source, target)
    return move
