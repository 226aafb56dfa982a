"""Positions and views of Battle Line as texts: key=value words on one line, in any order.

    turn=12 stage=play left=0 passes=0        stages: play draw claim scout return
    flags=r8,r9/b4+FOG|-/-|AL,b2,b3/g7:0|...  nine flags: the first player's cards / the second's,
                                              then +FOG, +MUD, :0 or :1 for the owner, *0 or *1 for the side
                                              completed first if both are complete
    discard=SCOUT,r1 played=SCOUT/AL          the Tactics each player has played in the game
    hands=r1,r2/b1 troops=g1,g2 tactics=FOG   a full position; the top card of a deck first
    known=r5/-                                cards each player put back after Scout that are still hidden
    player=0 hand=r1 held=6+1/7+0 decks=40+8  a view: its player and hand, and the sizes of hands and decks
    back=1+0 top=r5/- known=- exposed=-       a view: cards put back after Scout, see view.py
    log=r8_>_3;draw_troop                     a view: the public moves so far

A word with the value - or 0 may be left out. If a position leaves out a deck, the deck holds all cards of its kind
that are not named elsewhere. possible.py checks whether a position is possible.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kibitz.core.errors import BadText
from kibitz.core.game import Move
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import Card, cards_text, check_distinct, is_troop, parse_card
from kibitz.games.battleline.rules.moves import DECKS, FLAGS, RETURNED, move_text, parse_move
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag, OpenCards
from kibitz.games.battleline.rules.possible import cards_at_flags, check_cards, check_position, with_result
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

if TYPE_CHECKING:
    from kibitz.games.battleline.rules.rules import BattleLine, BattleLineState

_PUBLIC = ("turn", "stage", "left", "passes", "flags", "discard", "played")
_POSITION = (*_PUBLIC, "hands", "troops", "tactics", "known")
_VIEW = (*_PUBLIC, "player", "hand", "held", "decks", "back", "top", "known", "exposed", "log")


def position_text(state: BattleLineState) -> str:
    """Return a position, hidden cards included, as key=value words."""
    parts = {
        **_public_parts(state),
        "hands": _pair_text(state.hands),
        "troops": _list_text(state.decks[0]),
        "tactics": _list_text(state.decks[1]),
        "known": _pair_text(state.known),
    }
    return " ".join(f"{key}={value}" for key, value in parts.items())


def view_text(view: PublicView) -> str:
    """Return a view as key=value words. A spectator's view has no player and no hand, and cannot be parsed."""
    parts = {
        **_public_parts(view),
        "held": "/".join(f"{troops}+{tactics}" for troops, tactics in view.held),
        "decks": "{}+{}".format(*view.sizes),
        "back": "{}+{}".format(*view.back),
    }
    if isinstance(view, BattleLineView):
        parts |= {
            "player": str(view.player),
            "hand": _list_text(view.hand),
            "top": _pair_text(view.top),
            "known": _list_text(view.known),
            "exposed": _list_text(view.exposed),
        }
    parts["log"] = ";".join(move_text(move).replace(" ", "_") for move in view.log) or "-"
    return " ".join(f"{key}={value}" for key, value in parts.items())


def _public_parts(table: OpenCards) -> dict[str, str]:
    return {
        "turn": str(table.turn),
        "stage": stages.NAMES[table.stage],
        "left": str(table.left),
        "passes": str(table.passes),
        "flags": "|".join(map(_flag_text, table.flags)),
        "discard": _list_text(table.discards),
        "played": _pair_text(table.played),
    }


def _flag_text(flag: Flag) -> str:
    both = flag.is_complete(0) and flag.is_complete(1)
    marks = ("+FOG" if flag.fog else "") + ("+MUD" if flag.mud else "")
    marks += f":{flag.owner}" if flag.owner != NOBODY else ""
    return _pair_text(flag.sides) + marks + (f"*{flag.first}" if both else "")


def _list_text(cards: Sequence[Card]) -> str:
    return cards_text(cards, ",") or "-"


def _pair_text(pair: Sequence[Sequence[Card]]) -> str:
    return "/".join(map(_list_text, pair))


def parse_position(game: BattleLine, text: str) -> BattleLineState:
    """Parse a position. Raise BadText if the text is malformed or the position impossible."""
    from kibitz.games.battleline.rules.rules import BattleLineState

    words = _words(text, _POSITION)
    flags, discards = _flags(words), _sorted_cards(words, "discard")
    played, hands, known = (_sorted_pair(words, key) for key in ("played", "hands", "known"))
    decks = [_read_cards(words.get(key, "-"), key) for key in ("troops", "tactics")]
    named = [*hands[0], *hands[1], *discards, *decks[0], *decks[1], *cards_at_flags(flags)]
    check_cards(game, named)
    for deck, key in enumerate(("troops", "tactics")):
        if key not in words:
            decks[deck] = tuple(card for card in game.all_cards if is_troop(card) == (deck == 0) and card not in named)
    turn, stage, left, passes = _public_numbers(words)
    state = BattleLineState(
        game, flags, discards, played, turn, stage, left, passes, stages.IN_PROGRESS, hands, (decks[0], decks[1]), known
    )
    check_position(state)
    return with_result(state)


def parse_view(game: BattleLine, text: str) -> BattleLineView:
    """Parse a player's view. Raise BadText if the text is malformed or no position fits the view."""
    words = _words(text, _VIEW)
    flags, discards = _flags(words), _sorted_cards(words, "discard")
    turn, stage, left, passes = _public_numbers(words)
    held = words.get("held", "").split("/")
    if len(held) != 2:
        raise BadText(f"held={words.get('held', '')} must be like 7+0/6+1: each player's number of Troops + Tactics.")
    player = _number(words, "player")
    if player > 1:
        raise BadText(f"player={player} must be 0 or 1.")
    view = BattleLineView(
        game, flags, discards, _sorted_pair(words, "played"), turn, stage, left, passes, stages.IN_PROGRESS,
        (_counts("held", held[0]), _counts("held", held[1])),
        _counts("decks", words.get("decks", "0+0")), _counts("back", words.get("back", "0+0")),
        player, _sorted_cards(words, "hand"), _read_pair(words.get("top", "-/-"), "top"),
        _sorted_cards(words, "known"), _sorted_cards(words, "exposed"), log=_log(words.get("log", "-")),
    )  # fmt: skip
    check_cards(game, [*view.hand, *view.known, *view.top[0], *view.top[1], *discards, *cards_at_flags(flags)])
    _check_counts(view)
    state = view.sample(random.Random(0))
    check_position(state)
    finished = with_result(state)
    seen = finished.view(view.player)
    if finished.result == stages.IN_PROGRESS and seen != view:
        raise BadText("The cards put back after Scout (back, top, known, exposed) contradict each other.")
    return seen


def _check_counts(view: BattleLineView) -> None:
    """Raise BadText unless the number of hidden cards fits the opponent's hand and the decks."""
    for kind, unknown in enumerate(view.unknown):
        mine, known = (sum(is_troop(card) == (kind == 0) for card in cards) for cards in (view.hand, view.known))
        unknown_held = view.held[1 - view.player][kind] - known
        needed = unknown_held + view.sizes[kind] - len(view.top[kind])
        name = ("Troops", "Tactics")[kind]
        if view.held[view.player][kind] != mine:
            raise BadText(f"The hand has {mine} {name}, but held says {view.held[view.player][kind]}.")
        if unknown_held < 0 or needed != len(unknown) or view.back[kind] > view.sizes[kind]:
            raise BadText(f"{len(unknown)} {name} are hidden, but the opponent's hand and the deck need {needed}.")


def _words(text: str, known: Sequence[str]) -> dict[str, str]:
    words = dict[str, str]()
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise BadText(f"{word[:40]!r} must be key=value; the keys are {', '.join(known)}.")
        if key not in known:
            raise BadText(f"Unknown key {key[:40]!r}; the keys are {', '.join(known)}.")
        if key in words:
            raise BadText(f"{key} is given twice: write every key only once.")
        words[key] = value
    if not words:
        raise BadText(f"The text is empty. Write key=value words; the keys are {', '.join(known)}.")
    return words


def _number(words: Mapping[str, str], key: str) -> int:
    text = words.get(key, "0")
    if not re.fullmatch("[0-9]{1,3}", text):
        raise BadText(f"{key}={text[:40]} must be a number of at most three digits.")
    return int(text)


def _public_numbers(words: Mapping[str, str]) -> tuple[int, int, int, int]:
    stage = words.get("stage", stages.NAMES[stages.PLAY])
    if stage not in stages.NAMES:
        raise BadText(f"stage={stage[:40]} must be one of {', '.join(stages.NAMES)}.")
    return _number(words, "turn"), stages.NAMES.index(stage), _number(words, "left"), _number(words, "passes")


def _counts(key: str, text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,2})\+([0-9]{1,2})", text)
    if not found:
        raise BadText(f"{key}={text[:40]} must be like 46+10: the number of Troops + Tactics.")
    return int(found[1]), int(found[2])


def _read_cards(text: str, where: str) -> tuple[Card, ...]:
    cards = () if text == "-" else tuple(map(parse_card, text.split(",")))
    check_distinct(cards, f" in {where}")
    return cards


def _read_pair(text: str, where: str) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    lists = text.split("/")
    if len(lists) != 2:
        raise BadText(f"{where}={text[:60]} must be like r1,r2/b1: the first player's cards / the second's.")
    return _read_cards(lists[0], where), _read_cards(lists[1], where)


def _sorted_cards(words: Mapping[str, str], key: str) -> tuple[Card, ...]:
    """Return the cards listed under a key, ascending; none if the key is missing."""
    return tuple(sorted(_read_cards(words.get(key, "-"), key)))


def _sorted_pair(words: Mapping[str, str], key: str) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Return the first and the second player's cards listed under a key, ascending; none if the key is missing."""
    first, second = _read_pair(words.get(key, "-/-"), key)
    return tuple(sorted(first)), tuple(sorted(second))


def _flags(words: Mapping[str, str]) -> tuple[Flag, ...]:
    texts = words.get("flags", "|".join(["-/-"] * FLAGS)).split("|")
    if len(texts) != FLAGS:
        raise BadText(f"A position has {FLAGS} flags separated by |, got {len(texts)}.")
    return tuple(_flag(text, number) for number, text in enumerate(texts, 1))


def _flag(text: str, number: int) -> Flag:
    found = re.fullmatch(r"([^+:*]+)((?:\+(?:FOG|MUD))*)(?::([01]))?(?:\*([01]))?", text)
    if not found:
        raise BadText(f"Flag {number} ({text[:60]!r}) must be like r8,r9/b4+FOG+MUD:0*1.")
    sides, marks = _sorted_pair({f"flag {number}": found[1]}, f"flag {number}"), found[2].split("+")[1:]
    if len(set(marks)) < len(marks):
        raise BadText(f"Flag {number} names {marks[0]} twice.")
    owner = NOBODY if found[3] is None else int(found[3])
    flag = Flag(sides, "FOG" in marks, "MUD" in marks, owner)
    complete = [player for player in (0, 1) if flag.is_complete(player)]
    if (len(complete) == 2) != (found[4] is not None):
        raise BadText(f"Flag {number}: write *0 or *1, the side completed first, if and only if both are complete.")
    first = int(found[4]) if found[4] is not None else complete[0] if complete else NOBODY
    return replace(flag, first=first)


def _log(text: str) -> tuple[Move, ...]:
    hidden = {f"return {name}": RETURNED + deck for deck, name in enumerate(DECKS)}
    moves = [] if text == "-" else text.replace("_", " ").split(";")
    return tuple(hidden[move] if move in hidden else parse_move(move) for move in moves)
