"""Words on the page of Battle Line: labels for screen readers and tooltips, prompts, notes beside the names.

Made from a view alone. In a player's own view that player is "you".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from kibitz.core.game import Player
from kibitz.games.battleline.page.cards import capitalised, card_letters, card_words
from kibitz.games.battleline.rules import cards, stages
from kibitz.games.battleline.rules.cards import Card, Edition
from kibitz.games.battleline.rules.formations import FormationScore, score
from kibitz.games.battleline.rules.moves import CLAIM, PLACE
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

DECK_NAMES = ("Troops", "Tactics")
_STAGE_PROMPTS = {
    stages.PLAY: "Choose a card",
    stages.DRAW: "Draw a card: choose a deck",
    stages.CLAIM: "Claim a flag, or press Done",
    stages.SCOUT: "Scout: take a card from a deck",
    stages.RETURN: "Choose a card to put back",
}
_CARD_PROMPTS = {
    cards.SCOUT: "press the discard pile to play it",
    cards.REDEPLOY: "choose one of your cards at a flag",
    cards.DESERTER: "choose a card of your opponent's",
    cards.TRAITOR: "choose a Troop of your opponent's",
}
assert set(_CARD_PROMPTS) == set(cards.GUILE)


def name_of(view: PublicView, player: Player) -> str:
    """Return what to call a player: "you", "your opponent", or for a spectator "the first player"."""
    if isinstance(view, BattleLineView):
        return "you" if player == view.player else "your opponent"
    return f"the {view.game.players[player]} player"


def possessive(view: PublicView, player: Player) -> str:
    """Return "your", "your opponent's" or "the first player's"."""
    name = name_of(view, player)
    return "your" if name == "you" else f"{name}'s"


def list_words(items: Sequence[str], empty: str = "none") -> str:
    """Return a list in words: "red 8, red 9 and Fog"."""
    *others, last = items or [empty]
    return f"{', '.join(others)} and {last}" if others else last


def card_list_words(listed_cards: Iterable[Card], empty: str = "none") -> str:
    """Return the names of cards as a list in words: "red 8, red 9 and Fog"."""
    return list_words([cards.card_name(card) for card in listed_cards], empty)


@lru_cache(4_000)
def side_score(flag: Flag, player: Player, edition: Edition) -> FormationScore | None:
    """Return the score of a player's side of a flag, or None if it is not complete."""
    return score(flag.sides[player], flag.fog, flag.mud, edition) if flag.is_complete(player) else None


def was_completed_first(flag: Flag, player: Player) -> bool:
    """Return whether both sides of a flag are complete and this player's was first, which decides a tie."""
    return flag.first == player and flag.is_complete(1 - player)


def flag_words(view: PublicView, number: int, me: Player) -> str:
    """Describe everything at a flag, the side of `me` first. number: counted from 0."""
    flag = view.flags[number]
    sides = [_side_words(view, flag, player) for player in (me, 1 - me)]
    beside = [name for name, is_here in (("Fog", flag.fog), ("Mud", flag.mud)) if is_here]
    owner = [] if flag.owner == NOBODY else [f"claimed by {name_of(view, flag.owner)}"]
    return f"Flag {number + 1}: {'; '.join([*sides, *beside, *owner])}"


def _side_words(view: PublicView, flag: Flag, player: Player) -> str:
    found = side_score(flag, player, view.game.cards)
    words = [card_list_words(flag.sides[player], "empty"), *([str(found)] if found else [])]
    words += ["completed first"] if was_completed_first(flag, player) else []
    return f"{possessive(view, player)} side {', '.join(words)}"


def hand_words(view: PublicView, player: Player) -> str:
    """Describe a player's hand by the number of cards: "Your hand: 6 Troops and 1 Tactics card"."""
    troops, tactics = view.held[player]
    held = _count(troops, "Troop") + (f" and {_count(tactics, 'Tactics card')}" if tactics else "")
    return f"{capitalised(possessive(view, player))} hand: {held}"


def deck_words(view: PublicView, deck: int) -> str:
    """Describe a deck: the number of cards left, and those that the viewer put on top."""
    words = f"{DECK_NAMES[deck]} deck, {view.sizes[deck]} left"
    top = view.top[deck] if isinstance(view, BattleLineView) else ()
    return f"{words}; you put {card_list_words(top)} on top" if top else words


def hand_card_words(card: Card, edition: Edition, playable: bool, locked: bool) -> str:
    """Describe a card of the viewer's hand, with a note if it cannot be played now.

    locked: whether the viewer may play no Tactics until the opponent plays one.
    """
    if locked and not cards.is_troop(card):
        return card_words(card, edition, "not before your opponent has played a Tactics card")
    return card_words(card, edition, "" if playable else "cannot be played now")


def card_prompt(view: PublicView, card: Card) -> str:
    """Return what to do next once a card of the hand has been chosen."""
    if view.stage == stages.RETURN:
        return "choose its deck"
    return _CARD_PROMPTS.get(card, "choose a flag")


def prompt(view: PublicView) -> str:
    """Return what the viewer has to do; empty if the viewer is not to move."""
    moves = view.legal_moves()
    if not moves:
        return ""
    more = f", {view.left} more" if view.left > 1 else ""
    claims = view.stage != stages.CLAIM and any(CLAIM <= move < PLACE for move in moves)
    return f"{_STAGE_PROMPTS[view.stage]}{more}{', or claim a flag' if claims else ''}"


def table_words(view: PublicView, me: Player) -> str:
    """Describe the state of the game: flags won, and whether it is over. The prompt says what to do next."""
    counts = [f"{name_of(view, player)} {_count(len(view.owned(player)), 'flag')}" for player in (me, 1 - me)]
    over = "" if view.result == stages.IN_PROGRESS else " The game is over."
    return f"Battle Line. {capitalised(', '.join(counts))}.{over}"


def seat_note(view: PublicView, player: Player) -> str:
    """Return the letters of the Tactics a player has played, and "waits" if no more may be played: "CC, Mu; waits"."""
    if not view.game.tactics:
        return ""
    played = ", ".join(map(card_letters, view.played[player])) or "no Tactics"
    return f"{played}; waits" if must_wait(view, player) else played


def tactics_words(view: PublicView, player: Player) -> str:
    """Return a sentence on the Tactics that a player has played, and on whether another may be played."""
    words = f"{capitalised(name_of(view, player))} played {card_list_words(view.played[player], 'no Tactics cards')}"
    if not must_wait(view, player):
        return f"{words}."
    return f"{words}, and may not play another until {name_of(view, 1 - player)} plays one."


def must_wait(view: PublicView, player: Player) -> bool:
    """Return whether a player may not play a Tactics card before the opponent plays one."""
    return view.result == stages.IN_PROGRESS and not view.may_play_tactics(player)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
