"""Checks that a position of Battle Line is possible: each card in one place, plausible counts, proved claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kibitz.core.errors import BadText
from kibitz.core.game import Player
from kibitz.games.battleline.rules import cards, stages
from kibitz.games.battleline.rules.cards import Card
from kibitz.games.battleline.rules.formations import check_side, check_values
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag, win_reason

if TYPE_CHECKING:
    from kibitz.games.battleline.rules.rules import BattleLine, BattleLineState


def check_cards(game: BattleLine, named: Sequence[Card]) -> None:
    """Raise BadText if a card is named twice or is not in the game."""
    cards.check_distinct(named, " in the position")
    check_values(named, game.cards)
    for card in named:
        if not cards.is_troop(card) and not game.tactics:
            raise BadText(f"{cards.card_name(card)} is in the position, but this game is played without Tactics.")


def check_position(state: BattleLineState) -> None:
    """Raise BadText with the reason if a position is impossible. The result is not checked."""
    _check_places(state)
    _check_played(state)
    _check_known(state)
    _check_hands(state)
    for number, flag in enumerate(state.flags, 1):
        if flag.owner != NOBODY:
            proof = state.proof(number - 1, flag.owner)
            if not proof.claim:
                raise BadText(f"Flag {number} cannot have been claimed by {_name(state, flag.owner)}. {proof.why}")
    if all(win_reason(state.owned(player)) for player in (0, 1)):
        raise BadText("Both players have winning flags, but the game ends as soon as one player has won.")


def with_result(state: BattleLineState) -> BattleLineState:
    """Return the position with its result computed from its flags and passes."""
    for player in (0, 1):
        if win_reason(state.owned(player)):
            return replace(state, result=player + 1)
    if state.passes == 2 and state.stage == stages.PLAY:
        return replace(state, turn=state.turn - 1).next_turn()  # the turn that ended the game, ended again
    return state


def cards_at_flags(flags: Sequence[Flag]) -> list[Card]:
    """Return every card that lies at a flag, Fog and Mud included."""
    on_sides = [card for flag in flags for side in flag.sides for card in side]
    return on_sides + [cards.FOG for flag in flags if flag.fog] + [cards.MUD for flag in flags if flag.mud]


def _name(state: BattleLineState, player: Player) -> str:
    return f"the {state.game.players[player]} player"


def _check_places(state: BattleLineState) -> None:
    """Check that every card of the game is in exactly one place, and allowed there."""
    placed = [*cards_at_flags(state.flags), *state.discards]
    placed += [*state.hands[0], *state.hands[1], *state.decks[0], *state.decks[1]]
    check_cards(state.game, placed)
    if missing := [cards.card_text(card) for card in state.game.all_cards if card not in placed]:
        raise BadText(f"{missing[0]} is missing: every card must be at a flag, in a hand, in a deck or discarded.")
    for number, flag in enumerate(state.flags, 1):
        for side in flag.sides:
            try:
                check_side(side, flag.mud)
            except BadText as error:
                raise BadText(f"Flag {number}: {error}") from None
    for deck, name in ((0, "Troop"), (1, "Tactics")):
        for card in state.decks[deck]:
            if cards.is_troop(card) != (deck == 0):
                raise BadText(f"{cards.card_text(card)} does not belong in the {name} deck.")
    for card in state.discards:
        if card in cards.ENVIRONMENT:
            raise BadText(f"{cards.card_name(card)} is discarded, but it must stay at its flag.")


def _check_played(state: BattleLineState) -> None:
    """Check that the Tactics played are face up, and that their number and the discards follow the rules."""
    played = [*state.played[0], *state.played[1]]
    cards.check_distinct(played, " among the Tactics played")
    face_up = {*cards_at_flags(state.flags), *state.discards}
    if different := sorted({card for card in face_up if not cards.is_troop(card)} ^ set(played)):
        problem = "is face up, but missing in played=" if different[0] in face_up else "is in played=, but not face up"
        raise BadText(f"{cards.card_name(different[0])} {problem}.")
    if abs(len(state.played[0]) - len(state.played[1])) > 1:
        counts = " and ".join(str(len(each)) for each in state.played)
        raise BadText(f"The players have played {counts} Tactics; the rules allow a lead of only one.")
    for player in (0, 1):
        own = {card for flag in state.flags for card in flag.sides[player] if card in cards.MORALE}
        if stray := sorted(own - set(state.played[player])):
            name = cards.card_name(stray[0])
            raise BadText(f"{name} lies on the side of {_name(state, player)}, who did not play it.")
        leaders = set(cards.LEADERS) & (set(state.played[player]) if state.game.leader_limit == "per_game" else own)
        if len(leaders) > 1:
            raise BadText(f"{_name(state, player).capitalize()} has two Leaders: only one is allowed.")
    discarded = [cards.card_text(card) for card in state.discards if card not in cards.GUILE]
    if len(discarded) > sum(card in state.discards for card in (cards.DESERTER, cards.REDEPLOY)):
        raise BadText(f"{discarded[0]} is discarded, but only Deserter and Redeploy discard another card.")
    plays = state.turn + (state.stage != stages.PLAY)
    if len(face_up) > plays:
        raise BadText(f"{len(face_up)} cards are face up, but only {plays} can have been played by turn {state.turn}.")


def _check_known(state: BattleLineState) -> None:
    """Check that cards put back after Scout are on top of the decks, or were drawn by the opponent since."""
    both = {*state.known[0], *state.known[1]}
    for player in (0, 1):
        hidden = {*state.hands[1 - player], *state.decks[0], *state.decks[1]}
        if stray := [card for card in state.known[player] if card not in hidden]:
            name, owner = cards.card_text(stray[0]), _name(state, player)
            raise BadText(f"{name} is in known= of {owner}, but neither in a deck nor in the opponent's hand.")
        count, scouted = len(state.known[player]), cards.SCOUT in state.played[player]
        if count > 2 or (count and not scouted):
            why = "Scout puts back at most 2" if scouted else "has not played Scout"
            raise BadText(f"{_name(state, player).capitalize()} cannot have put back {count} cards: {why}.")
    for deck in state.decks:
        put_back = sum(card in both for card in deck)
        if any(card not in both for card in deck[:put_back]):
            raise BadText("Cards put back after Scout must lie on top of their deck, not below others.")


def _check_hands(state: BattleLineState) -> None:
    """Check the hand sizes, passes and cards left to take or put back against the stage of the turn."""
    me, limit, in_decks = state.to_move, state.game.hand_size, sum(state.sizes)
    sizes = [len(hand) for hand in state.hands]
    stage, name = state.stage, stages.NAMES[state.stage]
    scouted = cards.SCOUT in state.played[me]
    if state.passes > 2 or state.passes > state.turn + (stage != stages.PLAY):
        raise BadText(f"{state.passes} passes in a row are impossible at turn {state.turn}: two of them end the game.")
    if (stage in (stages.SCOUT, stages.RETURN)) != (state.left > 0) or state.left > (3 if stage == stages.SCOUT else 2):
        raise BadText(f"left={state.left} does not fit stage={name}: 1 to 3 with scout, 1 or 2 with return, else 0.")
    if stage in (stages.SCOUT, stages.RETURN) and not scouted:
        raise BadText(f"stage={name}, but {_name(state, me)} has not played Scout.")
    if stage == stages.SCOUT and in_decks < state.left:
        raise BadText(f"stage=scout, but the decks have only {in_decks} of the {state.left} cards to draw.")
    if stage == stages.DRAW and not (in_decks and sizes[me] < limit):
        raise BadText("stage=draw, but the hand is full or both decks are empty.")
    can_claim = state.claims(me) or win_reason(state.owned(me))
    if stage == stages.CLAIM and (state.game.claims_at == "start" or not can_claim):
        raise BadText("stage=claim, but there is nothing to claim.")
    for player in (0, 1):
        max_cards = limit
        if player == me:
            max_cards = {stages.SCOUT: limit + 2 - state.left, stages.RETURN: limit + state.left}.get(stage, limit)
        holds = f"{_name(state, player).capitalize()} holds {sizes[player]} cards"
        if sizes[player] > max_cards:
            raise BadText(f"{holds}, but can hold at most {max_cards} now.")
        has_drawn = player != me or stage == stages.PLAY
        if has_drawn and in_decks and sizes[player] < limit and not state.game.scout_two:
            raise BadText(f"{holds}, but must have drawn up to {limit}.")
