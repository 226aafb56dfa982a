"""A view of Battle Line as lines of text for a terminal, drawn from the view and the last move alone.

The opponent's cards are above the flags, the viewer's below, the viewer's hand at the
bottom. The fourth place of a side is used only with Mud.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kibitz.core.game import Line, Move, Player, Role
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import ENVIRONMENT, Card, card_text, colour_of, is_troop
from kibitz.games.battleline.rules.formations import score
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

WIDTH = 78
_COLUMN, _MARGIN, _PLACES = 8, 4, 4
COLOUR_ROLES: tuple[Role, ...] = ("red", "orange", "yellow", "green", "blue", "purple")
"""The text roles of the Troop colours, in the order of cards.COLOURS."""
_SIDES: tuple[Role, Role] = ("first", "second")
_DUE = ("to play", "to draw", "to claim", "to take", "to put back")
"""What the player to move must do, by stage of the turn."""

_Span: TypeAlias = tuple[str, Role]


def draw(view: PublicView, last: Move | None = None) -> tuple[Line, ...]:
    """Return the table as a player sees it; a spectator sees it from the first player's side, without a hand."""
    me, hand = lower_player(view), view.hand if isinstance(view, BattleLineView) else ()
    table = _Table(view, numbers.Parts(-1) if last is None else numbers.take_apart(last), me)
    lines = [
        *table.player_lines(1 - me),
        table.row(table.score(flag, 1 - me) for flag in view.flags),
        *(table.side_row(1 - me, row) for row in reversed(range(_PLACES))),
        table.row(table.badges(i, flag) for i, flag in enumerate(view.flags)),
        table.row(table.flag(i, flag) for i, flag in enumerate(view.flags)),
        *(table.side_row(me, row) for row in range(_PLACES)),
        table.row(table.score(flag, me) for flag in view.flags),
        *table.player_lines(me),
        table.decks(),
        _hand_line("hand", [card for card in hand if is_troop(card)]),
        _hand_line("", [card for card in hand if not is_troop(card)]),
    ]
    return tuple((*line, (" " * max(WIDTH - sum(len(text) for text, _ in line), 0), "")) for line in lines)


def lower_player(view: PublicView) -> Player:
    """Return the player whose side is drawn below the flags: the viewer, or the first player for spectators."""
    return view.player if isinstance(view, BattleLineView) else 0


def _card(card: Card) -> _Span:
    return card_text(card), COLOUR_ROLES[colour_of(card)] if is_troop(card) else ""


def _hand_line(name: str, cards: list[Card]) -> list[_Span]:
    """Return the line for part of the hand, with wider gaps between colours."""
    spans: list[_Span] = [(f"{name:>7} ", "faint")]
    for i, card in enumerate(cards):
        new_colour = i > 0 and is_troop(card) and colour_of(card) != colour_of(cards[i - 1])
        spans += [("   " if new_colour else " ", ""), _card(card)]
    return spans


class _Table:
    """Draws a view as spans of text and highlights the last move. last.kind: -1 if there is no last move."""

    def __init__(self, view: PublicView, last: numbers.Parts, me: Player) -> None:
        self.view, self.last, self.me = view, last, me
        self.claims = {move for move in view.legal_moves() if move < numbers.PLACE}

    def row(self, cells: Iterable[_Span]) -> list[_Span]:
        """Return a row with one text per flag, centred in its column; the padding has no role."""
        spans: list[_Span] = [(" " * _MARGIN, "")]
        for text, role in cells:
            left = (_COLUMN - len(text)) // 2
            spans += [(" " * left, ""), (text, role), (" " * (_COLUMN - len(text) - left), "")]
        return spans

    def side_row(self, player: Player, row: int) -> list[_Span]:
        """Return one row of a player's cards, with a cell for each flag. row: 0 for the row next to the flags."""

        def cell(i: int, flag: Flag) -> _Span:
            side = flag.sides[player]
            if row >= len(side):
                return "·" if row < flag.cap and flag.owner == NOBODY else " ", "faint"
            just_moved = self.last.kind != numbers.CLAIM and self.last.target == i and self.last.card == side[row]
            text, role = _card(side[row])
            return text, "last" if just_moved else role

        return self.row(cell(i, flag) for i, flag in enumerate(self.view.flags))

    def badges(self, i: int, flag: Flag) -> _Span:
        """Return the names of the Fog and Mud cards at a flag, highlighted if the last move placed one."""
        text = "+".join(name for name, is_here in (("Fog", flag.fog), ("Mud", flag.mud)) if is_here) or " "
        just_placed = self.last.kind == numbers.PLACE and self.last.target == i and self.last.card in ENVIRONMENT
        return text, "last" if just_placed else ""

    def flag(self, i: int, flag: Flag) -> _Span:
        """Return a flag: its number, an arrow towards its owner, and a highlight if the viewer may claim it now."""
        if self.last.kind == numbers.CLAIM and self.last.target == i:
            role: Role = "last"
        elif flag.owner != NOBODY:
            role = _SIDES[flag.owner]
        else:
            role = "legal" if numbers.CLAIM + i in self.claims else "faint"
        arrow = "⚑" if flag.owner == NOBODY else "▼" if flag.owner == self.me else "▲"
        return f"──{arrow}{i + 1}──", role

    def score(self, flag: Flag, player: Player) -> _Span:
        """Return the score of a complete side: "wedge 27" as W27, with * if it was completed first."""
        text = " "
        if flag.is_complete(player):
            both = flag.is_complete(1 - player)
            found = score(flag.sides[player], flag.fog, flag.mud, self.view.game.cards)
            text = found.short + ("*" if both and flag.first == player else "")
        return text, _SIDES[player] if flag.owner == player else "faint"

    def player_lines(self, player: Player) -> list[list[_Span]]:
        """Return a line with a player's name, card counts and what to do next, and one with the Tactics played."""
        view = self.view
        troops, tactics = view.held[player]
        whose = "" if not isinstance(view, BattleLineView) else " (you)" if player == view.player else " (other)"
        held = f"{troops} Troops and {tactics} Tactics" if view.game.tactics else f"{troops} Troops"
        spans: list[_Span] = [(f" {view.game.players[player]}", _SIDES[player]), (f"{whose} holds {held}  ", "")]
        if view.result == stages.IN_PROGRESS and player == view.to_move:
            spans.append((_DUE[view.stage], "legal"))
        elif self.last.kind in (numbers.PASS, numbers.DONE):
            spans.append(("passed" if self.last.kind == numbers.PASS else "done", "last"))
        played = " ".join(map(card_text, view.played[player])) or "no Tactics"
        return [spans, [(f"  played {played}", "faint")]] if view.game.tactics else [spans]

    def decks(self) -> list[_Span]:
        """Return the line with the deck sizes and the discarded cards."""
        kind, card = self.last.kind, self.last.card
        last_deck = card if kind == numbers.DRAW else int(not is_troop(card)) if kind == numbers.RETURN else -1
        spans: list[_Span] = [("  decks ", "faint")]
        for deck, name in enumerate(("Troops", "Tactics")[: 1 + self.view.game.tactics]):
            spans.append((f" {name} {self.view.sizes[deck]}", "last" if deck == last_deck else ""))
        spans.append(("   discard", "faint"))
        for discarded in self.view.discards:
            text, role = _card(discarded)
            spans += [(" ", ""), (text, "last" if self._just_discarded(discarded) else role)]
        return spans

    def _just_discarded(self, card: Card) -> bool:
        """Return whether the last move discarded this card: one taken from a flag, or the guile card played."""
        taken = self.last.card == card and self.last.source >= 0 and self.last.target in (-1, numbers.DISCARD)
        return taken or (self.last.played == card and self.last.kind != numbers.PLACE)
