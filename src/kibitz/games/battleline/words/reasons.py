"""What a move of Battle Line does, in a player's words. Uses only what the player may know, and judges nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kibitz.core.game import Move, Player
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import FOG, MUD, Card, card_name
from kibitz.games.battleline.rules.formations import Completion, best_completion, unseen_troops
from kibitz.games.battleline.rules.open_cards import Flag, prove_flag, wins
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

MAX_REASONS = 3
"""The maximum number of reasons given for a move."""


def reasons(view: PublicView, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return up to three clauses on what a legal move does, the most important first; none in a spectator's view.

    Ignores the expected line, which may depend on hidden cards.
    """
    if not isinstance(view, BattleLineView):
        return ()
    return tuple(_clauses(view, numbers.take_apart(move)))[:MAX_REASONS]


def _clauses(view: BattleLineView, parts: numbers.Parts) -> Iterator[str]:
    me, (kind, card, source, target) = view.player, parts
    if kind == numbers.CLAIM:
        won = wins((*view.owned(me), target))
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
        yield from _placed(view, card, target)
    elif kind in (numbers.USE_DESERTER, numbers.USE_TRAITOR, numbers.USE_REDEPLOY):
        yield from _moved(view, kind, card, source, target)


def _moved(view: BattleLineView, kind: int, card: Card, source: int, target: int) -> Iterator[str]:
    """Yield what Deserter, Traitor or Redeploy does."""
    me = view.player
    owner = me if kind == numbers.USE_REDEPLOY else 1 - me
    left = tuple(other for other in view.flags[source].sides[owner] if other != card)
    if kind in (numbers.USE_TRAITOR, numbers.USE_REDEPLOY) and target != numbers.DISCARD:
        yield from _placed(view, card, target)
    best = _best(view, view.flags[source], left)
    whose = "the own side" if owner == me else "the other side"
    can = "can never be complete now" if best is None else f"can be {best.score} at most now"
    yield f"takes {card_name(card)} from flag {source + 1}, where {whose} {can}"


def _placed(view: BattleLineView, card: Card, target: int) -> Iterator[str]:
    """Yield what one more card does for the own side of a flag, and what it denies the opponent."""
    me, flag = view.player, view.flags[target]
    side = (*flag.sides[me], card)
    best = _best(view, flag, side, card)
    if len(side) == flag.cap:
        assert best is not None
        yield f"completes {best.score} at flag {target + 1}"
        first = not flag.is_complete(1 - me)
        unseen = _unseen(view).difference({card})
        then = replace(flag.with_side(me, side), first=me if first else 1 - me)
        if prove_flag(then, me, unseen, view.game).claim:
            yield "cannot be beaten there"
    elif best is not None:
        yield f"can still become {best.score} at flag {target + 1}"
    yield from _denied(view, card)


def _denied(view: BattleLineView, card: Card) -> Iterator[str]:
    """Yield the first flag at which the opponent's best completion needs a card."""
    them: Player = 1 - view.player
    for number, flag in enumerate(view.flags):
        if flag.takes(them) and flag.sides[them]:
            best = _best(view, flag, flag.sides[them])
            if best is not None and card in best.added:
                yield f"takes what the other side wants most at flag {number + 1}"
                return


def _best(view: BattleLineView, flag: Flag, side: tuple[Card, ...], spent: Card = -1) -> Completion | None:
    """Return the best formation that a side can become, without the card spent."""
    return best_completion(side, _unseen(view).difference({spent}), flag.fog, flag.mud, view.game.cards)


def _unseen(view: BattleLineView) -> frozenset[Card]:
    return unseen_troops(view.face_up, view.game.cards)
