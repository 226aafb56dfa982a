"""What is drawn of Battle Line on the page: flags, hands, decks, and each legal move as steps on the board.

Built from a view alone, so that nothing hidden is in it. Plain data for JSON; cards
are named by their short texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kibitz.core.game import Move, Player
from kibitz.games.battleline.analysis import claim_json
from kibitz.games.battleline.cards import (
    AL,
    CC,
    COLOUR_NAMES,
    DA,
    DESERTER,
    FOG,
    MUD,
    REDEPLOY,
    SB,
    SCOUT,
    TACTICS,
    TRAITOR,
    Card,
    card_name,
    card_text,
    colour_of,
    is_troop,
)
from kibitz.games.battleline.drawing import below
from kibitz.games.battleline.formations import Score, score
from kibitz.games.battleline.moves import (
    CLAIM,
    DISCARD,
    DONE,
    DRAW,
    PASS,
    PLACE,
    RETURN,
    RETURNED,
    USE_DESERTER,
    USE_SCOUT,
    move_text,
    public,
    take_apart,
)
from kibitz.games.battleline.page.label import label
from kibitz.games.battleline.prospects import whereabouts
from kibitz.games.battleline.table import GOING_ON, NOBODY, STAGES, Flag
from kibitz.games.battleline.view import PublicView, View

_ABOUT = {
    AL: "Leader: any colour and value, chosen when the flag is claimed.",
    DA: "Leader: any colour and value, chosen when the flag is claimed.",
    CC: "Any colour, with the value {cavalry}.",
    SB: "Any colour, with the value 1, 2 or 3.",
    FOG: "At this flag only the sums count.",
    MUD: "At this flag four cards make a formation.",
    SCOUT: "Take three cards, then put two back, instead of drawing.",
    REDEPLOY: "Take one of your cards to another flag, or discard it.",
    DESERTER: "Discard a card of the other side.",
    TRAITOR: "Take a Troop of the other side to yours.",
}


def scene(view: PublicView, last: Sequence[Move] = ()) -> dict[str, Any]:
    """Return what is drawn of a view. last are the moves of the last turn; of what Scout put back only decks are told.

    Players are 0 and 1. Each legal move has the steps that make it on the board: "card r8", "flag 3", "at o5"
    (a card at a flag), "deck 0", "discard", "claim 4", "pass", "done".
    """
    own = isinstance(view, View)
    me = view.player if isinstance(view, View) else None
    return {
        "kind": "battleline",
        "below": below(view),
        "viewer": me,
        "turn": view.turn,
        "stage": STAGES[view.stage] if view.result == GOING_ON else "over",
        "left": view.left,
        "flags": [_flag(view, number, flag) for number, flag in enumerate(view.flags)],
        "hands": [_texts(view.hand) if isinstance(view, View) and player == me else None for player in (0, 1)],
        "held": [list(held) for held in view.held],
        "known": _texts(view.known) if isinstance(view, View) else [],
        "decks": list(view.sizes[: 1 + view.game.tactics]),
        "top": [_texts(cards) for cards in view.top] if isinstance(view, View) else [[], []],
        "discards": _texts(view.discards),
        "played": [_texts(played) for played in view.played],
        "locked": [view.game.tactics and not view.may_play_tactics(player) for player in (0, 1)],
        "tactics": _tactics(view) if view.game.tactics else {},
        "table": _card_table(view),
        "legal": [_legal(view, move) for move in view.legal_moves()] if own else [],
        "last": _marks(map(public, last)),
        "scores": [len(view.owned(player)) for player in (0, 1)],
    }


def _texts(cards: Iterable[Card]) -> list[str]:
    return [card_text(card) for card in cards]


def _flag(view: PublicView, number: int, flag: Flag) -> dict[str, Any]:
    both = flag.is_complete(0) and flag.is_complete(1)
    scores = [_score(view, flag, player) for player in (0, 1)]
    return {
        "number": number + 1,
        "sides": [_texts(side) for side in flag.sides],
        "cap": flag.cap,
        "fog": flag.fog,
        "mud": flag.mud,
        "owner": None if flag.owner == NOBODY else flag.owner,
        "first": flag.first if both else None,
        "words": [None if found is None else str(found) for found in scores],
        "short": [None if found is None else found.short for found in scores],
        "claims": [_claim(view, number, player) for player in (0, 1)],
    }


def _score(view: PublicView, flag: Flag, player: Player) -> Score | None:
    """Return what a complete side is worth."""
    if not flag.is_complete(player):
        return None
    return score(flag.sides[player], flag.fog, flag.mud, view.game.cards)


def _claim(view: PublicView, number: int, player: Player) -> dict[str, Any] | None:
    """Return whether a player's complete side wins its flag, and why; None where there is nothing to be asked."""
    flag = view.flags[number]
    if flag.owner != NOBODY or not flag.is_complete(player):
        return None
    return claim_json(view.proof(number, player))


def _tactics(view: PublicView) -> dict[str, dict[str, str]]:
    """Return the names of the Tactics, and what each does."""
    cavalry = view.game.cards.cavalry
    return {
        card_text(card): {"name": card_name(card), "about": _ABOUT[card].format(cavalry=cavalry)} for card in TACTICS
    }


def _card_table(view: PublicView) -> list[dict[str, Any]]:
    """Return where every Troop is, a row for each colour."""
    places = whereabouts(view)
    return [
        {"colour": name, "cells": [place for card, place in places.items() if colour_of(card) == colour]}
        for colour, name in enumerate(COLOUR_NAMES)
    ]


def _legal(view: PublicView, move: Move) -> dict[str, Any]:
    return {"move": move_text(move), "label": label(move), "steps": list(_steps(move))}


def _steps(move: Move) -> Iterator[str]:
    """Yield what is chosen on the board, one after the other, to make a move."""
    kind, card, _, target = parts = take_apart(move)
    if kind == CLAIM:
        yield f"claim {target + 1}"
    elif kind in (PASS, DONE):
        yield "pass" if kind == PASS else "done"
    elif kind == DRAW:
        yield f"deck {card}"
    elif kind == RETURN:
        yield from (f"card {card_text(card)}", f"deck {int(not is_troop(card))}")
    else:
        yield f"card {card_text(parts.played)}"
        if parts.source >= 0:
            yield f"at {card_text(card)}"
        if kind == USE_SCOUT or target == DISCARD:
            yield "discard"
        elif kind != USE_DESERTER:
            yield f"flag {target + 1}"


def _marks(last: Iterable[Move]) -> dict[str, list[Any]]:
    """Return the cards, flags and decks that the last turn touched."""
    cards, flags, decks = list[str](), list[int](), list[int]()
    for move in last:
        if move >= RETURNED:
            decks.append(move - RETURNED)
            continue
        kind, card, _, target = parts = take_apart(move)
        if kind == DRAW:
            decks.append(card)
        elif kind == CLAIM or (kind == PLACE and card in (FOG, MUD)):
            flags.append(target + 1)
        cards += _texts({card for card in (parts.played, card) if card >= 0 and kind != DRAW})
    return {"cards": cards, "flags": flags, "decks": sorted(set(decks))}
