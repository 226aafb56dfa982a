"""What the player to move can tell about a position without searching: claims, chances, outs, where the cards are.

For `kibitz analyse`, as JSON and as lines for a terminal. Does not use the hidden cards.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from kibitz.core.game import Line, Role
from kibitz.core.untrusted import JsonObject
from kibitz.games.battleline.players.deep_barca.chances import game_chance
from kibitz.games.battleline.players.prospects import Outs, Prospects, whereabouts
from kibitz.games.battleline.rules import BattleLineState, stages
from kibitz.games.battleline.rules.cards import COLOUR_NAMES, Card, card_text, cards_text, colour_of, value_of
from kibitz.games.battleline.rules.drawing import draw
from kibitz.games.battleline.rules.formations import Proof
from kibitz.games.battleline.rules.open_cards import NOBODY
from kibitz.games.battleline.rules.view import BattleLineView

_SIGNS = {"board": "=", "discard": "x", "mine": "*", "theirs": "!", "deck": "^", "unseen": "."}
_KEY = ("* mine   . unseen   = on the board   x discarded", "! in the other hand   ^ put back on a deck by me")
_MAX_NAMED_CARDS = 12
"""The maximum number of helpful cards named for a flag."""


def analysis_json(state: BattleLineState) -> JsonObject:
    """Return the flags and the cards as the player to move sees them.

    "chance" is the player's chance to win the game. Each of "flags" has the chance to win it, the claim and the outs.
    """
    view = state.view(state.to_move)
    if view.result != stages.IN_PROGRESS:
        return {"chance": None, "flags": [], "cards": _cards(view)}
    prospects, me = Prospects(view), view.player
    chances = prospects.flags(me)
    flags = []
    for number, flag in enumerate(view.flags):
        flags.append(
            {
                "flag": number + 1,
                "chance": round(chances[number], 4),
                "claim": claim_json(view.proof(number, me)) if flag.owner == NOBODY else None,
                "outs": outs_json(prospects.outs(number, me)),
            }
        )
    return {"chance": round(game_chance(chances), 4), "flags": flags, "cards": _cards(view)}


def claim_json(proof: Proof) -> JsonObject:
    """Return a claim with its proof or counter-example."""
    return {
        "claim": proof.claim,
        "mine": None if proof.mine is None else str(proof.mine),
        "theirs": None if proof.theirs is None else str(proof.theirs),
        "cards": _card_texts(proof.cards),
        "why": proof.why,
    }


def outs_json(outs: Outs) -> dict[str, list[str]]:
    """Return the cards that win or help at a flag."""
    return {"wins": _card_texts(outs.wins), "helps": _card_texts(outs.helps)}


def _card_texts(cards: Iterable[Card]) -> list[str]:
    return [card_text(card) for card in cards]


def _cards(view: BattleLineView) -> dict[str, list[str]]:
    """Return where each Troop is: a list for each colour, from value 1 on."""
    places = whereabouts(view)
    return {
        name: [place for card, place in places.items() if colour_of(card) == colour]
        for colour, name in enumerate(COLOUR_NAMES)
    }


def draw_analysis(state: BattleLineState, width: int = 80) -> tuple[Line, ...]:
    """Return the board of the player to move, with a line of words for each open flag and a table of the Troops."""
    view = state.view(state.to_move)
    lines = list(draw(view))
    if view.result == stages.IN_PROGRESS:
        lines += [_plain(""), *(_plain(line) for words in _flag_lines(view) for line in _wrapped(words, width))]
    return (*lines, _plain(""), *_table_lines(view), *(_plain(f"{'':11}{words}", "faint") for words in _KEY))


def _plain(text: str, role: Role = "") -> Line:
    return ((text, role),)


def _wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(words, max(width, 40), subsequent_indent=" " * 14, drop_whitespace=True)


def _flag_lines(view: BattleLineView) -> Iterator[str]:
    prospects, me = Prospects(view), view.player
    chances = prospects.flags(me)
    yield f"  game {game_chance(chances):4.0%}  by rule of thumb, from the chances of the flags"
    for number, flag in enumerate(view.flags):
        if flag.owner != NOBODY:
            continue
        words = _outs_words(prospects.outs(number, me))
        if flag.is_complete(me):
            words = view.proof(number, me).why
        yield f"     {number + 1} {chances[number]:5.0%}  {words}".rstrip()


def _outs_words(outs: Outs) -> str:
    more = len(outs.helps) - _MAX_NAMED_CARDS
    helps = (
        f"help: {cards_text(outs.helps[:_MAX_NAMED_CARDS])}{f' and {more} more' if more > 0 else ''}"
        if outs.helps
        else ""
    )
    return "; ".join(filter(None, (f"wins: {cards_text(outs.wins)}" if outs.wins else "", helps)))


def _table_lines(view: BattleLineView) -> Iterator[Line]:
    """Yield a row for each colour."""
    places = whereabouts(view)
    values = sorted({value_of(card) for card in places})
    yield _plain(" " * 9 + "".join(f"{value:>3}" for value in values), "faint")
    for name, row in _cards(view).items():
        role: Role = name  # type: ignore[assignment]  # the colours of cards are roles
        yield ((f"{name:>8} ", role), ("".join(f"{_SIGNS[place]:>3}" for place in row), ""))
