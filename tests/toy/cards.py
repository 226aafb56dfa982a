"""High Card, a small game with hidden cards: three tricks, the higher card takes each. It has only rules."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import ClassVar

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Game, Line, Move, Outcome, Player, Shown, ShownToSpectators

HAND, CARDS = 3, 9
"""Three cards for each player; nobody sees the other three."""


@dataclass(frozen=True)
class HighCard(Game["State", "View"]):
    name: ClassVar[str] = "high-card"
    title: ClassVar[str] = "High Card"
    players: ClassVar[tuple[str, str]] = ("North", "South")

    def start(self, seed: int = 0) -> State:
        cards = random.Random(seed).sample(range(CARDS), 2 * HAND)
        return State(self, (), (tuple(sorted(cards[:HAND])), tuple(sorted(cards[HAND:]))))

    def moves(self) -> range:
        return range(CARDS)

    @property
    def max_game_length(self) -> int:
        return 2 * HAND

    def move_text(self, move: Move) -> str:
        return f"card {move}"

    def parse_move(self, text: str) -> Move:
        found = next((move for move in self.moves() if text == self.move_text(move)), None)
        if found is None:
            raise BadText(f"{text!r} is not a card.")
        return found

    def position_text(self, state: State) -> str:
        return "/".join("".join(map(str, cards)) for cards in (state.played, *state.hands))

    def parse_position(self, text: str) -> State:
        parts = [tuple(map(int, part)) for part in text.split("/") if set(part) <= set("012345678")]
        if len(parts) != 3 or len({card for part in parts for card in part}) != 2 * HAND:
            raise BadText(f"{text!r} is not a position.")
        return State(self, parts[0], (parts[1], parts[2]))

    def view_text(self, view: View) -> str:
        player = "-" if view.player is None else str(view.player)
        return f"{player}/{''.join(map(str, view.played))}/{''.join(map(str, view.hand))}"

    def parse_view(self, text: str) -> View:
        player, played, hand = text.split("/")
        return View(self, tuple(map(int, played)), None if player == "-" else int(player), tuple(map(int, hand)))

    def draw(self, view: View, last: Move | None = None) -> tuple[Line, ...]:
        row: Line = tuple((f"{card} ", "last" if card == last else "") for card in view.played)
        gap = "  " * (2 * HAND - len(row))
        return (*row, (gap, "")), (("".join(f"{card} " for card in view.hand).ljust(2 * HAND), "legal"),)


@dataclass(frozen=True)
class Table:
    game: HighCard
    played: tuple[Move, ...]

    @property
    def turn(self) -> int:
        return len(self.played)

    @property
    def to_move(self) -> Player:
        return self.turn % 2


@dataclass(frozen=True)
class State(Table, ShownToSpectators):
    hands: tuple[tuple[Move, ...], tuple[Move, ...]]

    def legal_moves(self) -> tuple[Move, ...]:
        return self.hands[self.to_move]

    def play(self, move: Move) -> State:
        if move not in self.legal_moves():
            raise IllegalMove(f"The card {move} is not in the hand.")
        left = tuple(tuple(card for card in hand if card != move) for hand in self.hands)
        return replace(self, played=(*self.played, move), hands=(left[0], left[1]))

    def outcome(self) -> Outcome | None:
        if any(self.hands):
            return None
        tricks = sum(first > second for first, second in zip(self.played[::2], self.played[1::2], strict=True))
        return Outcome(0 if 2 * tricks > HAND else 1, "more tricks")

    def view(self, player: Player | None) -> View:
        return View(self.game, self.played, player, () if player is None else self.hands[player])


@dataclass(frozen=True)
class View(Table, Shown):
    player: Player | None
    hand: tuple[Move, ...]

    def legal_moves(self) -> tuple[Move, ...]:
        return self.hand if self.player == self.to_move else ()

    def sample(self, rng: random.Random) -> State:
        unseen = [card for card in range(CARDS) if card not in (*self.played, *self.hand)]
        rng.shuffle(unseen)
        hands = []
        for player in (0, 1):
            left = HAND - len(self.played[player::2])
            hands.append(self.hand if player == self.player else tuple(sorted(unseen[:left])))
            del unseen[: 0 if player == self.player else left]
        return State(self.game, self.played, (hands[0], hands[1]))
