"""A view of Battle Line as lines for a terminal: a pure function of the view and the last move.

The opponent's cards are above the flags, the viewer's below, the viewer's hand at the
bottom. The fourth place of a side is for Mud.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeAlias

from kibitz.core.game import Line, Move, Player, Role
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import COLOUR_NAMES, Card, card_text, colour_of, is_troop
from kibitz.games.battleline.rules.formations import score
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

WIDTH = 78
_COLUMN, _MARGIN, _PLACES = 8, 4, 4
_ROLES: tuple[Role, ...] = ("red", "orange", "yellow", "green", "blue", "purple")
assert _ROLES == COLOUR_NAMES

_Span: TypeAlias = tuple[str, Role]


def draw(view: PublicView, last: Move | None = None) -> tuple[Line, ...]:
    """Return the table as a player sees it; a spectator sees it from the first player's side, without a hand."""
    marked = None if last is None else numbers.take_apart(last)
    me, hand = below(view), view.hand if isinstance(view, BattleLineView) else ()
    claims = {move for move in view.legal_moves() if move < numbers.PLACE}
    lines = [_player_line(view, 1 - me, marked), *_played_lines(view, 1 - me), _words_line(view, 1 - me)]
    lines += [_side_line(view, 1 - me, place, marked) for place in range(_PLACES - 1, -1, -1)]
    lines += [_badge_line(view, marked), _flag_line(view, claims, marked)]
    lines += [_side_line(view, me, place, marked) for place in range(_PLACES)]
    lines += [_words_line(view, me), _player_line(view, me, marked), *_played_lines(view, me)]
    lines += [_deck_line(view, marked)]
    lines += [_hand_line("hand", [card for card in hand if is_troop(card)])]
    lines += [_hand_line("", [card for card in hand if not is_troop(card)])]
    return tuple(map(_padded, lines))


def below(view: PublicView) -> Player:
    """Return the player whose side is drawn below the flags: the viewer, or the first player for spectators."""
    return view.player if isinstance(view, BattleLineView) else 0


def _padded(spans: Iterable[_Span]) -> Line:
    """Return a line filled up to the full width."""
    line = tuple(spans)
    return (*line, (" " * max(WIDTH - sum(len(text) for text, _ in line), 0), ""))


def _side(player: Player) -> Role:
    return "first" if player == 0 else "second"


def _card(card: Card) -> _Span:
    return card_text(card), _ROLES[colour_of(card)] if is_troop(card) else ""


def _cell(text: str, role: Role) -> list[_Span]:
    """Return a text centred in a column; only the text has the role."""
    left = (_COLUMN - len(text)) // 2
    return [(" " * left, ""), (text, role), (" " * (_COLUMN - len(text) - left), "")]


def _row(cells: Iterable[list[_Span]]) -> list[_Span]:
    return [(" " * _MARGIN, ""), *(span for cell in cells for span in cell)]


def _moved_to(marked: numbers.Parts | None, flag: int, card: Card) -> bool:
    return marked is not None and marked.target == flag and marked.card == card and marked.kind != numbers.CLAIM


def _side_line(view: PublicView, player: Player, place: int, marked: numbers.Parts | None) -> list[_Span]:
    """Return the cards in one place of a player's sides, at all flags. place: counted from the flag."""
    cells = []
    for i, flag in enumerate(view.flags):
        side = flag.sides[player]
        if place < len(side):
            text, role = _card(side[place])
            cells.append(_cell(text, "last" if _moved_to(marked, i, side[place]) else role))
        else:
            free = place < flag.cap and flag.owner == NOBODY
            cells.append(_cell("·" if free else " ", "faint"))
    return _row(cells)


def _badge_line(view: PublicView, marked: numbers.Parts | None) -> list[_Span]:
    """Return Fog and Mud above their flags."""
    cells = []
    for i, flag in enumerate(view.flags):
        text = "+".join(name for name, there in (("Fog", flag.fog), ("Mud", flag.mud)) if there) or " "
        new = marked is not None and marked.kind == numbers.PLACE and marked.target == i and text != " "
        cells.append(_cell(text, "last" if new and marked and not _on_a_side(flag, marked.card) else ""))
    return _row(cells)


def _on_a_side(flag: Flag, card: Card) -> bool:
    return card in flag.sides[0] or card in flag.sides[1]


def _flag_line(view: PublicView, claims: Collection[Move], marked: numbers.Parts | None) -> list[_Span]:
    """Return the flags: an arrow to the owner's side, the number, green where the viewer may claim now."""
    cells = []
    for i, flag in enumerate(view.flags):
        if marked is not None and marked.kind == numbers.CLAIM and marked.target == i:
            role: Role = "last"
        elif flag.owner != NOBODY:
            role = _side(flag.owner)
        else:
            role = "legal" if numbers.CLAIM + i in claims else "faint"
        arrow = "⚑" if flag.owner == NOBODY else "▼" if flag.owner == below(view) else "▲"
        cells.append(_cell(f"──{arrow}{i + 1}──", role))
    return _row(cells)


def _words_line(view: PublicView, player: Player) -> list[_Span]:
    """Return the scores of a player's complete sides: "wedge 27" as W27, with * if it was completed first."""
    cells = []
    for flag in view.flags:
        text = " "
        if flag.is_complete(player):
            worth = score(flag.sides[player], flag.fog, flag.mud, view.game.cards)
            both = flag.is_complete(0) and flag.is_complete(1)
            text = worth.short + ("*" if both and flag.first == player else "")
        cells.append(_cell(text, _side(player) if flag.owner == player else "faint"))
    return _row(cells)


def _player_line(view: PublicView, player: Player, marked: numbers.Parts | None) -> list[_Span]:
    """Return a player's name, the number of cards held, and what the player has to do or that he passed."""
    troops, tactics = view.held[player]
    mine = "" if not isinstance(view, BattleLineView) else " (you)" if player == view.player else " (other)"
    held = f"{troops} Troops and {tactics} Tactics" if view.game.tactics else f"{troops} Troops"
    spans: list[_Span] = [(f" {view.game.players[player]}", _side(player)), (f"{mine} holds {held}  ", "")]
    if view.result == stages.IN_PROGRESS and player == view.to_move:
        return [*spans, (_DUE[view.stage], "legal")]
    if marked is not None and marked.kind in (numbers.PASS, numbers.DONE):
        spans.append(("passed" if marked.kind == numbers.PASS else "done", "last"))
    return spans


_DUE = {
    stages.PLAY: "to play",
    stages.DRAW: "to draw",
    stages.CLAIM: "to claim",
    stages.SCOUT: "to take",
    stages.RETURN: "to put back",
}


def _played_lines(view: PublicView, player: Player) -> list[list[_Span]]:
    """Return the Tactics that a player has played; no line in a game without Tactics."""
    played = " ".join(map(card_text, view.played[player])) or "no Tactics"
    return [[(f"  played {played}", "faint")]] if view.game.tactics else []


def _deck_line(view: PublicView, marked: numbers.Parts | None) -> list[_Span]:
    """Return the decks and the discarded cards."""
    spans: list[_Span] = [("  decks ", "faint")]
    for deck, name in enumerate(("Troops", "Tactics")[: 1 + view.game.tactics]):
        touched = marked is not None and (
            marked == numbers.Parts(numbers.DRAW, deck)
            or (marked.kind == numbers.RETURN and is_troop(marked.card) == (deck == 0))
        )
        spans += [(f" {name} {view.sizes[deck]}", "last" if touched else "")]
    spans.append(("   discard", "faint"))
    for card in view.discards:
        text, role = _card(card)
        spans += [(" ", ""), (text, "last" if marked is not None and _discarded(marked, card) else role)]
    return spans


def _discarded(marked: numbers.Parts, card: Card) -> bool:
    """Return whether a move discarded a card."""
    taken = marked.card == card and (marked.target in (-1, numbers.DISCARD)) and marked.source >= 0
    return taken or (marked.played == card and marked.kind != numbers.PLACE)


def _hand_line(name: str, cards: list[Card]) -> list[_Span]:
    """Return a part of the hand, with a wider space between colours."""
    spans: list[_Span] = [(f"{name:>7} ", "faint")]
    for i, card in enumerate(cards):
        apart = i > 0 and is_troop(card) and colour_of(card) != colour_of(cards[i - 1])
        spans += [("   " if apart else " ", ""), _card(card)]
    return spans


assert FLAGS * _COLUMN + _MARGIN <= WIDTH
