"""What a player or a spectator of Battle Line knows about a position, and random complete states that fit it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from kibitz.core.game import Move, Player, Shown
from kibitz.games.battleline.rules.cards import Card, is_troop
from kibitz.games.battleline.rules.legal import legal_moves
from kibitz.games.battleline.rules.open_cards import OpenCards

if TYPE_CHECKING:
    from kibitz.games.battleline.rules.rules import BattleLineState

_T = TypeVar("_T")
_Pair: TypeAlias = tuple[_T, _T]


@dataclass(frozen=True)
class PublicView(OpenCards, Shown):
    """A spectator's view: no hands, and only the number of cards put back after Scout."""

    held: tuple[tuple[int, int], tuple[int, int]]
    """The number of Troops and of Tactics that each player holds; they are public since the backs differ."""
    sizes: tuple[int, int]
    """The number of Troops and of Tactics left in the decks."""
    back: tuple[int, int]
    """The number of cards on top of each deck that were put back after Scout, by either player."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return no moves: they depend on hidden hands."""
        return ()

    def sample(self, rng: random.Random) -> BattleLineState:
        """Return a random state that fits this view, as if the first player had put back all cards after Scout."""
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
        return self._with_hidden(hands, decks, (known, ()))

    def _with_hidden(
        self, hands: _Pair[Iterable[Card]], decks: Sequence[tuple[Card, ...]], known: _Pair[Iterable[Card]]
    ) -> BattleLineState:
        """Return the complete state with these hidden cards added to the open ones."""
        from kibitz.games.battleline.rules.rules import BattleLineState

        return BattleLineState(
            self.game, self.flags, self.discards, self.played, self.turn, self.stage, self.left, self.passes,
            self.result, (tuple(sorted(hands[0])), tuple(sorted(hands[1]))), (decks[0], decks[1]),
            (tuple(sorted(known[0])), tuple(sorted(known[1]))), log=self.log,
        )  # fmt: skip


@dataclass(frozen=True)
class BattleLineView(PublicView):
    """A player's view. It contains nothing that is hidden from the player."""

    player: Player
    """Whose view it is."""
    hand: tuple[Card, ...]
    """The player's own cards, ascending."""
    top: tuple[tuple[Card, ...], tuple[Card, ...]]
    """The cards on top of each deck that this player put back, the first to be drawn first."""
    known: tuple[Card, ...]
    """Cards of the opponent's hand that this player put back and the opponent drew, ascending."""
    exposed: tuple[Card, ...]
    """Cards of the player's hand that the opponent put back, and so knows, ascending."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves, ascending; none on the opponent's turn, since their hand is hidden."""
        return legal_moves(self, self.hand, self.sizes) if self.player == self.to_move else ()

    @property
    def unknown(self) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        """Return the Troops and the Tactics whose place this player does not know, ascending."""
        located = self.face_up.union(self.hand, self.known, *self.top, *self.played)
        hidden = [card for card in self.game.all_cards if card not in located]
        return tuple(filter(is_troop, hidden)), tuple(card for card in hidden if not is_troop(card))

    def sample(self, rng: random.Random) -> BattleLineState:
        """Return a random state that fits this view; all such states are equally likely."""
        theirs, decks = list(self.known), list[tuple[Card, ...]]()
        for kind, unknown in enumerate(self.unknown):
            cards = list(unknown)
            rng.shuffle(cards)
            unknown_held = self.held[1 - self.player][kind] - sum(is_troop(card) == (kind == 0) for card in self.known)
            theirs += cards[:unknown_held]
            decks.append((*self.top[kind], *cards[unknown_held:]))
        i_know, they_know = [*self.known, *self.top[0], *self.top[1]], list(self.exposed)
        for deck, put_back, top in zip(decks, self.back, self.top, strict=True):
            they_know += deck[len(top) : put_back]
        if self.player == 0:
            return self._with_hidden((self.hand, theirs), decks, (i_know, they_know))
        return self._with_hidden((theirs, self.hand), decks, (they_know, i_know))
