"""What one player of Battle Line, or somebody who looks on, may know of a position, and complete states that fit it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kibitz.core.game import Move, Player, Shown
from kibitz.games.battleline.rules.cards import Card, is_troop
from kibitz.games.battleline.rules.legal import legal_moves
from kibitz.games.battleline.rules.open_cards import OpenCards

if TYPE_CHECKING:
    from kibitz.games.battleline.rules.rules import BattleLineState


@dataclass(frozen=True)
class PublicView(OpenCards, Shown):
    """The table as somebody sees it who only looks on: no hand, and of Scout only how many cards were put back."""

    held: tuple[tuple[int, int], tuple[int, int]]
    """How many Troops and Tactics each player holds: the backs tell."""
    sizes: tuple[int, int]
    """How many Troops and Tactics are left in the decks."""
    back: tuple[int, int]
    """How many cards on top of each deck were put there by Scout, whoever played it."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return no move: those of the players depend on their hands."""
        return ()

    def sample(self, rng: random.Random) -> BattleLineState:
        """Return a complete state that fits; what Scout put back counts as the first player's doing."""
        from kibitz.games.battleline.rules.rules import BattleLineState

        hands: tuple[list[Card], list[Card]] = ([], [])
        decks, known = list[tuple[Card, ...]](), list[Card]()
        located = self.face_up.union(*self.played)
        for kind in (0, 1):
            cards = [card for card in self.game.all_cards if card not in located and is_troop(card) == (kind == 0)]
            rng.shuffle(cards)
            for hand, held in zip(hands, self.held, strict=True):
                hand += cards[: held[kind]]
                del cards[: held[kind]]
            decks.append(tuple(cards))
            known += cards[: self.back[kind]]
        return BattleLineState(
            self.game, self.flags, self.discards, self.played, self.turn, self.stage, self.left, self.passes,
            self.result, (tuple(sorted(hands[0])), tuple(sorted(hands[1]))), (decks[0], decks[1]),
            (tuple(sorted(known)), ()), log=self.log,
        )  # fmt: skip


@dataclass(frozen=True)
class BattleLineView(PublicView):
    """The table as one player sees it. What is hidden from him is not in it."""

    player: Player
    """Whose view it is."""
    hand: tuple[Card, ...]
    """His own cards, ascending."""
    top: tuple[tuple[Card, ...], tuple[Card, ...]]
    """The cards on top of each deck that this player put there himself, the first to be drawn first."""
    known: tuple[Card, ...]
    """Cards of the opponent's hand that this player put back and the opponent drew, ascending."""
    exposed: tuple[Card, ...]
    """Cards of the own hand that the opponent put back and this player drew, ascending: the opponent knows them."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves, ascending, at this player's own turn; none at the other's, whose hand is hidden."""
        return legal_moves(self, self.hand, self.sizes) if self.player == self.to_move else ()

    @property
    def unknown(self) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        """Return the Troops and the Tactics whose place this player does not know, ascending."""
        located = self.face_up.union(self.hand, self.known, *self.top, *self.played)
        hidden = [card for card in self.game.all_cards if card not in located]
        return tuple(filter(is_troop, hidden)), tuple(card for card in hidden if not is_troop(card))

    def sample(self, rng: random.Random) -> BattleLineState:
        """Return a complete state that fits, all of them equally likely."""
        from kibitz.games.battleline.rules.rules import BattleLineState

        theirs, decks = list(self.known), list[tuple[Card, ...]]()
        for kind, unknown in enumerate(self.unknown):
            cards = list(unknown)
            rng.shuffle(cards)
            taken = self.held[1 - self.player][kind] - sum(is_troop(card) == (kind == 0) for card in self.known)
            theirs += cards[:taken]
            decks.append((*self.top[kind], *cards[taken:]))
        hands = (self.hand, tuple(sorted(theirs)))
        mine = tuple(sorted((*self.known, *self.top[0], *self.top[1])))
        his = list(self.exposed)
        for deck, put_back, top in zip(decks, self.back, self.top, strict=True):
            his += deck[len(top) : put_back]
        me_first = self.player == 0
        return BattleLineState(
            self.game, self.flags, self.discards, self.played, self.turn, self.stage, self.left, self.passes,
            self.result, hands if me_first else hands[::-1], (decks[0], decks[1]),
            (mine, tuple(sorted(his))) if me_first else (tuple(sorted(his)), mine), log=self.log,
        )  # fmt: skip
