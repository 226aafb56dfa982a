"""Positions and moves of Battle Line in words: the flags and cards of a position, and the reasons for a move.

Uses only what the player to move may know, and does not search.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from kibitz.core.game import Line, Move, Player, Role
from kibitz.core.untrusted import JsonObject
from kibitz.games.battleline.players.deep_barca.chances import game_chance
from kibitz.games.battleline.players.prospects import Outs, Prospects, whereabouts
from kibitz.games.battleline.rules import BattleLineState, stages
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import FOG, MUD, Card, card_name, card_text, cards_text, colour_of
from kibitz.games.battleline.rules.drawing import COLOUR_ROLES, draw
from kibitz.games.battleline.rules.formations import Completion, best_completion, unseen_troops
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag, prove_flag, win_reason
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

_SIGNS = {"board": "=", "discard": "x", "mine": "*", "theirs": "!", "deck": "^", "unseen": "."}
_KEY = ("* mine   . unseen   = on the board   x discarded", "! in the other hand   ^ put back on a deck by me")
_MAX_NAMED_CARDS = 12
"""The maximum number of helpful cards named for a flag."""
MAX_REASONS = 3
"""The maximum number of reasons given for a move."""


# A position


def analysis_json(state: BattleLineState) -> JsonObject:
    """Return the analysis of a position as the player to move sees it.

    "chance" is the chance to win the game, "flags" the chance, claim and outs (helpful cards) of each flag, and
    "cards" where each Troop is.
    """
    view = state.view(state.to_move)
    if view.result != stages.IN_PROGRESS:
        return {"chance": None, "flags": [], "cards": _places(view)}
    prospects = Prospects(view)
    chances = prospects.flag_chances(view.player)
    flags = [_flag_json(prospects, view, number, chance) for number, chance in enumerate(chances)]
    return {"chance": round(game_chance(chances), 4), "flags": flags, "cards": _places(view)}


def _flag_json(prospects: Prospects, view: BattleLineView, number: int, chance: float) -> JsonObject:
    proof, outs = view.proof(number, view.player), prospects.outs(number, view.player)
    claim = {
        "claim": proof.claim,
        "mine": None if proof.mine is None else str(proof.mine),
        "theirs": None if proof.theirs is None else str(proof.theirs),
        "cards": list(map(card_text, proof.cards)),
        "why": proof.why,
    }
    return {
        "flag": number + 1,
        "chance": round(chance, 4),
        "claim": claim if view.flags[number].owner == NOBODY else None,
        "outs": {"wins": list(map(card_text, outs.wins)), "helps": list(map(card_text, outs.helps))},
    }


def _places(view: BattleLineView) -> dict[Role, list[str]]:
    """Return the place of each Troop, one of PLACES, as a list by value for each colour."""
    places = whereabouts(view)
    return {
        name: [place for card, place in places.items() if colour_of(card) == colour]
        for colour, name in enumerate(COLOUR_ROLES)
    }


def draw_analysis(state: BattleLineState, width: int = 80) -> tuple[Line, ...]:
    """Return the board as the player to move sees it, notes on each open flag, and a table of the Troops."""
    view = state.view(state.to_move)
    lines = list(draw(view))
    if view.result == stages.IN_PROGRESS:
        lines.append(_plain(""))
        for words in _flag_lines(view):
            lines += map(_plain, textwrap.wrap(words, max(width, 40), subsequent_indent=" " * 14))
    places = _places(view)
    values = range(1, view.game.cards.values + 1)
    lines += [_plain(""), _plain(" " * 9 + "".join(f"{value:>3}" for value in values), "faint")]
    for name, row in places.items():
        lines.append(((f"{name:>8} ", name), ("".join(f"{_SIGNS[place]:>3}" for place in row), "")))
    return (*lines, *(_plain(f"{'':11}{words}", "faint") for words in _KEY))


def _plain(text: str, role: Role = "") -> Line:
    return ((text, role),)


def _flag_lines(view: BattleLineView) -> Iterator[str]:
    prospects, me = Prospects(view), view.player
    chances = prospects.flag_chances(me)
    yield f"  game {game_chance(chances):4.0%}  by rule of thumb, from the chances of the flags"
    for number, flag in enumerate(view.flags):
        if flag.owner == NOBODY:
            complete = flag.is_complete(me)
            words = view.proof(number, me).why if complete else _outs_words(prospects.outs(number, me))
            yield f"     {number + 1} {chances[number]:5.0%}  {words}".rstrip()


def _outs_words(outs: Outs) -> str:
    words, more = list[str](), len(outs.helps) - _MAX_NAMED_CARDS
    if outs.wins:
        words.append(f"wins: {cards_text(outs.wins)}")
    if outs.helps:
        words.append(f"help: {cards_text(outs.helps[:_MAX_NAMED_CARDS])}{f' and {more} more' if more > 0 else ''}")
    return "; ".join(words)


# A move


def reasons(view: PublicView, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return up to MAX_REASONS clauses on what a legal move does, the most important first; none for a spectator.

    Ignores the expected line, which may depend on hidden cards.
    """
    if not isinstance(view, BattleLineView):
        return ()
    return tuple(_clauses(view, numbers.take_apart(move)))[:MAX_REASONS]


def _clauses(view: BattleLineView, parts: numbers.Parts) -> Iterator[str]:
    me, (kind, card, source, target) = view.player, parts
    if kind == numbers.CLAIM:
        won = win_reason((*view.owned(me), target))
        if won:
            yield f"wins the game with {won}"
        yield f"claims flag {target + 1}"
    elif kind == numbers.DRAW:
        yield f"takes one of {view.sizes[card]} {('Troops', 'Tactics')[card]}"
    elif kind == numbers.RETURN:
        yield f"keeps the other cards and knows where {card_name(card)} is"
    elif kind == numbers.PASS:
        yield "plays nothing"
    elif kind == numbers.USE_SCOUT:
        yield "takes three cards and puts two back"
    elif kind == numbers.PLACE and card in (FOG, MUD):
        yield f"makes {'only the sum count' if card == FOG else 'four cards a formation'} at flag {target + 1}"
    elif kind == numbers.PLACE:
        yield from _placing_clauses(view, card, target)
    elif kind in (numbers.USE_DESERTER, numbers.USE_TRAITOR, numbers.USE_REDEPLOY):
        yield from _guile_clauses(view, kind, card, source, target)


def _guile_clauses(view: BattleLineView, kind: int, card: Card, source: int, target: int) -> Iterator[str]:
    """Yield clauses on the effect of Deserter, Traitor or Redeploy."""
    me = view.player
    owner = me if kind == numbers.USE_REDEPLOY else 1 - me
    remaining = tuple(other for other in view.flags[source].sides[owner] if other != card)
    if kind in (numbers.USE_TRAITOR, numbers.USE_REDEPLOY) and target != numbers.DISCARD:
        yield from _placing_clauses(view, card, target)
    best = _best_formation(view, view.flags[source], remaining)
    whose = "the player's own side" if owner == me else "the other side"
    prospect = "can never be completed now" if best is None else f"can now become {best.score} at most"
    yield f"takes {card_name(card)} from flag {source + 1}, where {whose} {prospect}"


def _placing_clauses(view: BattleLineView, card: Card, target: int) -> Iterator[str]:
    """Yield clauses on what a card adds to the player's side of a flag, and what it denies the opponent."""
    me, flag = view.player, view.flags[target]
    side = (*flag.sides[me], card)
    best = _best_formation(view, flag, side, card)
    if len(side) == flag.cap:
        assert best is not None
        yield f"completes {best.score} at flag {target + 1}"
        if prove_flag(flag.with_card(me, card), me, _unseen(view).difference({card}), view.game).claim:
            yield "cannot be beaten there"
    elif best is not None:
        yield f"can still become {best.score} at flag {target + 1}"
    yield from _denying_clause(view, card)


def _denying_clause(view: BattleLineView, card: Card) -> Iterator[str]:
    """Yield a clause on the first flag where the opponent's best completion needs this card, if there is one."""
    them: Player = 1 - view.player
    for number, flag in enumerate(view.flags):
        if flag.has_room_for(them) and flag.sides[them]:
            best = _best_formation(view, flag, flag.sides[them])
            if best is not None and card in best.added:
                yield f"takes a card of the other side's best formation at flag {number + 1}"
                return


def _best_formation(view: BattleLineView, flag: Flag, side: tuple[Card, ...], used: Card = -1) -> Completion | None:
    """Return the best formation that a side can become, or None if there is none. used: a card that is gone."""
    return best_completion(side, _unseen(view).difference({used}), flag.fog, flag.mud, view.game.cards)


def _unseen(view: BattleLineView) -> frozenset[Card]:
    return unseen_troops(view.face_up, view.game.cards)
