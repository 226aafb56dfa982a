"""The legal moves, and the reasons why other moves are not legal.

Uses only what the player to move knows: the open cards, that player's hand and the deck sizes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kibitz.core.game import Move
from kibitz.games.battleline.rules import cards, stages
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import Card
from kibitz.games.battleline.rules.open_cards import NOBODY, OpenCards


def legal_moves(table: OpenCards, hand: Collection[Card], sizes: tuple[int, int]) -> tuple[Move, ...]:
    """Return the legal moves of the player to move, ascending. sizes: the Troops and Tactics left in the decks."""
    if table.result != stages.IN_PROGRESS:
        return ()
    me = table.to_move
    moves: list[Move] = []
    if may_claim(table):
        moves += [numbers.claim(flag) for flag in table.claims(me)]
    if table.stage == stages.PLAY:
        moves += _plays(table, sorted(hand), sizes)
    elif table.stage == stages.CLAIM:
        moves.append(numbers.DONE)
    elif table.stage == stages.RETURN:
        moves += [numbers.put_back(card) for card in sorted(hand)]
    else:
        moves += [numbers.DRAW + deck for deck in (0, 1) if sizes[deck]]
    return tuple(moves)


def may_claim(table: OpenCards) -> bool:
    """Return whether flags may be claimed in the current stage of the turn."""
    return table.stage == stages.PLAY if table.game.claims_at == "start" else table.stage in (stages.DRAW, stages.CLAIM)


def _plays(table: OpenCards, hand: list[Card], sizes: tuple[int, int]) -> Iterator[Move]:
    """Yield every way to play a card, and PASS if no Troop can be placed. hand: in ascending order."""
    me, open_flags = table.to_move, table.open_flags(table.to_move)
    tactics = [card for card in hand if not cards.is_troop(card)] if table.may_play_tactics(me) else []
    for card in hand:
        morale = card in tactics and card in cards.MORALE and (card not in cards.LEADERS or table.may_play_leader(me))
        if cards.is_troop(card) or morale:
            yield from (numbers.place(card, flag) for flag in open_flags)
        elif card in tactics and card in cards.ENVIRONMENT:
            yield from (numbers.place(card, i) for i, flag in enumerate(table.flags) if flag.owner == NOBODY)
    if cards.SCOUT in tactics and any(sizes):
        yield numbers.USE_SCOUT
    if not (open_flags and any(map(cards.is_troop, hand))):
        yield numbers.PASS
    if cards.DESERTER in tactics:
        yield from (numbers.deserter(card, flag) for card, flag in table.movable(1 - me))
    if cards.TRAITOR in tactics:
        for card, flag in table.movable(1 - me, troops_only=True):
            yield from (numbers.traitor(card, flag, to) for to in open_flags)
    if cards.REDEPLOY in tactics:
        for card, flag in table.movable(me):
            yield from (numbers.redeploy(card, flag, to) for to in (*open_flags, numbers.DISCARD) if to != flag)


def why_illegal(table: OpenCards, hand: Collection[Card], move: Move) -> str:
    """Return a sentence that explains why a move is not legal."""
    if not 0 <= move < numbers.MOVES:
        return f"There is no move {move}: moves are 0 to {numbers.MOVES - 1}."
    if table.result != stages.IN_PROGRESS:
        return "The game is over."
    parts = numbers.take_apart(move)
    if parts.kind == numbers.CLAIM:
        return _why_no_claim(table, parts.target)
    if parts.kind == numbers.DRAW:
        return _why_no_draw(table, parts.card)
    if parts.kind == numbers.RETURN:
        if table.stage != stages.RETURN:
            return "Cards are put back only after Scout."
        return f"{cards.card_text(parts.card)} is not in the hand, so it cannot be put back."
    if parts.kind == numbers.DONE:
        return "Use done only to end the claims of a turn in which there is nothing to draw."
    if table.stage != stages.PLAY:
        return f"A card has already been played in this turn: now {_DUE[table.stage]}."
    if parts.kind == numbers.PASS:
        return "Passing is allowed only if no Troop can be placed, but one can: play a card."
    return _why_no_play(table, hand, parts)


_DUE = {
    stages.DRAW: "draw a card", stages.CLAIM: "claim a flag or end the claims with done",
    stages.SCOUT: "take cards for Scout", stages.RETURN: "put cards back",
}  # fmt: skip


def _why_no_claim(table: OpenCards, flag: int) -> str:
    number, owner = flag + 1, table.flags[flag].owner
    if owner != NOBODY:
        return f"Flag {number} is already claimed by {table.game.players[owner]}."
    if not may_claim(table):
        when = "before a card is played" if table.game.claims_at == "start" else "after a card is played, before a draw"
        return f"Flags are claimed {when}."
    return f"The claim of flag {number} is not proved. {table.proof(flag, table.to_move).why}"


def _why_no_draw(table: OpenCards, deck: int) -> str:
    if table.stage not in (stages.DRAW, stages.SCOUT):
        if table.stage == stages.PLAY:
            return "Draw a card after playing one, not before."
        return "No card can be drawn now: Scout replaces the draw, the hand is full, or both decks are empty."
    return f"The {('Troop', 'Tactics')[deck]} deck is empty."


def _why_no_play(table: OpenCards, hand: Collection[Card], parts: numbers.Parts) -> str:
    """Return why a card cannot be played this way. The stage must be PLAY."""
    me, card = table.to_move, parts.played
    name = cards.card_name(card)
    if card not in hand:
        return f"{name} is not in the hand of {table.game.players[me]}."
    if not cards.is_troop(card) and not table.may_play_tactics(me):
        mine, theirs = (len(table.played[player]) for player in (me, 1 - me))
        counts = f"{table.game.players[me]} has played {mine} of them, the opponent {theirs}"
        return f"{name} must wait: a player may not be two Tactics ahead, and {counts}."
    if card in cards.LEADERS and not table.may_play_leader(me):
        when = "in a game" if table.game.leader_limit == "per_game" else "on the table"
        return f"{name} cannot be played: each player may have only one Leader {when}."
    if parts.kind == numbers.PLACE:
        return _why_not_at_flag(table, parts.target, card)
    if parts.kind == numbers.USE_SCOUT:
        return "Scout cannot be played: both decks are empty."
    return _why_no_guile(table, parts)


def _why_no_guile(table: OpenCards, parts: numbers.Parts) -> str:
    """Return why Deserter, Traitor or Redeploy cannot take this card from its flag, or put it at the target."""
    me, (kind, card, source, target) = table.to_move, parts
    owner, whose = (me, "own") if kind == numbers.USE_REDEPLOY else (1 - me, "opponent's")
    number, flag = source + 1, table.flags[source]
    if card not in flag.sides[owner]:
        return f"{cards.card_name(card)} does not lie on the {whose} side of flag {number}."
    if flag.owner != NOBODY:
        return f"Flag {number} is claimed: nothing there can be moved or removed."
    if kind == numbers.USE_REDEPLOY and target == source:
        return f"Redeploy moves a card to another flag or discards it, not back to flag {number}."
    if kind == numbers.USE_TRAITOR and not cards.is_troop(card):
        return f"Traitor takes only Troops, never a Tactics card such as {cards.card_name(card)}."
    return _why_not_at_flag(table, target, card)


def _why_not_at_flag(table: OpenCards, target: int, card: Card) -> str:
    """Return why a card cannot be put at a flag."""
    flag, number = table.flags[target], target + 1
    if flag.owner != NOBODY:
        return f"Flag {number} is claimed: {cards.card_name(card)} cannot be played there."
    return f"Flag {number} has {flag.cap} cards of {table.game.players[table.to_move]}: there is no free place."
