"""The open cards of Battle Line: what lies face up on the table, and whose turn it is.

States and views both extend OpenCards. Knows what can be proved and what each
player may still play, but nothing about hidden cards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kibitz.core.game import Move, Player
from kibitz.games.battleline.rules.cards import FOG, LEADERS, MUD, Card, is_troop
from kibitz.games.battleline.rules.formations import Proof, best_completion, cap_of, prove, unseen_troops

if TYPE_CHECKING:
    from kibitz.games.battleline.rules.rules import BattleLine

NOBODY = -1
"""The owner of an unclaimed flag; also Flag.first while no side is complete."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag with the cards on both sides, Fog and Mud."""

    sides: tuple[tuple[Card, ...], tuple[Card, ...]] = ((), ())
    """The cards of each player, ascending."""
    fog: bool = False
    mud: bool = False
    owner: Player = NOBODY
    first: Player = NOBODY
    """The player whose side was completed first; NOBODY while neither is complete."""

    @property
    def cap(self) -> int:
        """Return the number of cards in a complete side: four with Mud, else three."""
        return cap_of(self.mud)

    def is_complete(self, player: Player) -> bool:
        """Return whether a player's side is complete."""
        return len(self.sides[player]) == self.cap

    def with_card(self, player: Player, card: Card) -> Flag:
        """Return this flag with one more card: on a player's side, or beside the flag if it is Fog or Mud."""
        if card == FOG:
            return replace(self, fog=True)
        if card == MUD:
            return replace(self, mud=True, first=NOBODY)
        flag = self._with_side(player, sorted((*self.sides[player], card)))
        return replace(flag, first=player) if flag.is_complete(player) and flag.first == NOBODY else flag

    def without_card(self, player: Player, card: Card) -> Flag:
        """Return this flag without a card of a player's side, which is then no longer the one completed first."""
        flag = self._with_side(player, (other for other in self.sides[player] if other != card))
        if flag.first != player:
            return flag
        return replace(flag, first=1 - player if flag.is_complete(1 - player) else NOBODY)

    def _with_side(self, player: Player, cards: Iterable[Card]) -> Flag:
        side = tuple(cards)
        return replace(self, sides=(side, self.sides[1]) if player == 0 else (self.sides[0], side))

    def has_room_for(self, player: Player) -> bool:
        """Return whether a player may add a card to their side of this flag."""
        return self.owner == NOBODY and not self.is_complete(player)


@dataclass(frozen=True)
class OpenCards:
    """What both players and spectators see."""

    game: BattleLine
    flags: tuple[Flag, ...]
    discards: tuple[Card, ...]
    """The discarded cards, which lie face up, ascending."""
    played: tuple[tuple[Card, ...], tuple[Card, ...]]
    """The Tactics that each player has played in this game, ascending, including those discarded since."""
    turn: int
    """The turn number; even turns are the first player's."""
    stage: int
    left: int
    """The number of cards still to be taken (stage SCOUT) or put back (RETURN); 0 in other stages."""
    passes: int
    """The number of passes since the last play or claim, 0 to 2."""
    result: int
    """See stages.py: IN_PROGRESS, DRAWN, or the winner plus 1."""
    log: tuple[Move, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    """The public moves so far, see moves.RETURNED; empty in positions read from texts."""

    @property
    def to_move(self) -> Player:
        """Return the player whose turn it is."""
        return self.turn % 2

    @property
    def face_up(self) -> frozenset[Card]:
        """Return the discards and all cards on the sides of flags, without Fog and Mud."""
        return frozenset(self.discards).union(*(side for flag in self.flags for side in flag.sides))

    def proof(self, flag: int, player: Player) -> Proof:
        """Return whether a player could claim a flag, with the reason, even if it is not the player's turn."""
        unseen = unseen_troops(self.face_up, self.game.cards)
        return prove_flag(self.flags[flag], player, unseen, self.game)

    def claims(self, player: Player) -> tuple[int, ...]:
        """Return the flags that a player can claim by proof, numbered from 0."""
        complete = [i for i, flag in enumerate(self.flags) if flag.owner == NOBODY and flag.is_complete(player)]
        if not complete:
            return ()
        unseen = unseen_troops(self.face_up, self.game.cards)
        return tuple(i for i in complete if self._is_proved(self.flags[i], player, unseen))

    def _is_proved(self, flag: Flag, player: Player, unseen: frozenset[Card]) -> bool:
        """Return whether a complete side can claim its flag: the verdict of prove(), without the reason."""
        cards = self.game.cards
        mine = best_completion(flag.sides[player], frozenset(), flag.fog, flag.mud, cards)
        available = frozenset[Card]() if flag.is_complete(1 - player) else unseen
        theirs = best_completion(flag.sides[1 - player], available, flag.fog, flag.mud, cards)
        assert mine is not None
        if theirs is None:  # too few Troops are unseen to complete their side: an option of the rules decides
            return self.game.unfillable
        return mine.score > theirs.score or (mine.score == theirs.score and flag.first == player)

    def owned(self, player: Player) -> tuple[int, ...]:
        """Return the flags that a player has claimed, numbered from 0."""
        return tuple(i for i, flag in enumerate(self.flags) if flag.owner == player)

    def open_flags(self, player: Player) -> tuple[int, ...]:
        """Return the flags at which a player may add a card, numbered from 0."""
        return tuple(i for i, flag in enumerate(self.flags) if flag.has_room_for(player))

    def may_play_tactics(self, player: Player) -> bool:
        """Return whether a player may play a Tactics card: not if they have played more of them than the opponent."""
        return len(self.played[player]) <= len(self.played[1 - player])

    def may_play_leader(self, player: Player) -> bool:
        """Return whether a player may play Alexander or Darius under the game's leader_limit."""
        counted = [self.played[player]]
        if self.game.leader_limit == "in_play":
            counted = [flag.sides[player] for flag in self.flags]
        return not any(leader in cards for cards in counted for leader in LEADERS)

    def movable(self, player: Player, troops_only: bool = False) -> tuple[tuple[Card, int], ...]:
        """Return (card, flag) for each card on a player's side of unclaimed flags, ascending."""
        found = [(card, i) for i, flag in enumerate(self.flags) if flag.owner == NOBODY for card in flag.sides[player]]
        return tuple(sorted((card, i) for card, i in found if is_troop(card) or not troops_only))


def prove_flag(flag: Flag, player: Player, unseen: frozenset[Card], game: BattleLine) -> Proof:
    """Return whether a player can claim a flag, with the reason. unseen: the Troops that are not face up."""
    mine, theirs, first = flag.sides[player], flag.sides[1 - player], flag.first == player
    return prove(mine, theirs, unseen, flag.fog, flag.mud, first, game.cards, game.unfillable)


def win_reason(owned: Iterable[int]) -> str:
    """Return why a player who owns these flags wins the game, in words; empty if they do not win it."""
    owned = set(owned)
    if any(flag + 1 in owned and flag + 2 in owned for flag in owned):
        return "three flags in a row"
    return "five flags" if len(owned) >= 5 else ""
