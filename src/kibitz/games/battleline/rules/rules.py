"""The rules of Battle Line: the game with its options, and complete positions.

A turn consists of small moves: claims, one card played or a pass, a draw. Knows
nothing of search or of speed; the kernel is tested against this file.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import ClassVar, Literal, TypeVar, overload

from kibitz.core.errors import IllegalMove
from kibitz.core.game import Game, Line, Move, Outcome, Player, ShownToSpectators
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import EDITIONS, TACTICS, Card, Edition, is_troop
from kibitz.games.battleline.rules.legal import legal_moves, why_illegal
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag, OpenCards, win_reason
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

SCOUTED_CARDS = 3
"""How many cards Scout takes."""
T = TypeVar("T")


@dataclass(frozen=True)
class BattleLine(Game["BattleLineState", PublicView]):
    """Battle Line with its options; the defaults are the tournament rules."""

    edition: Literal["battle-line", "schotten-totten"] = "battle-line"
    """schotten-totten: values 1 to 9, 6 cards in a hand (7 with Tactics), claims at the end of a turn."""
    claim_timing: Literal["start", "end"] = "start"
    """start: claims come before the play. end: after it and before the draw, as always in Schotten Totten."""
    leader_limit: Literal["per_game", "in_play"] = "per_game"
    """per_game: a player may play one Leader in a game. in_play: one at a time on the table."""
    tactics: bool = True
    """false: Troops only."""
    unfillable: bool = True
    """Whether a claim succeeds where too few unseen Troops are left to complete the other side."""
    scout_two: bool = False
    """Whether Scout puts back two cards even if fewer than three were left to take."""
    stuck_draw: bool = False
    """Whether two passes in a row make a draw, instead of awarding the flags with a complete side."""

    name: ClassVar[str] = "battleline"
    title: ClassVar[str] = "Battle Line"
    players: ClassVar[tuple[str, str]] = ("first", "second")

    @property
    def cards(self) -> Edition:
        """Return the edition: its cards and hand sizes."""
        return EDITIONS[self.edition]

    @property
    def claims_at(self) -> Literal["start", "end"]:
        """Return when in a turn flags are claimed: at its start, or at its end."""
        return self.cards.claims_at or self.claim_timing

    @property
    def hand_size(self) -> int:
        """Return the number of cards that a player draws up to."""
        return self.cards.hand_with_tactics if self.tactics else self.cards.hand

    @property
    def all_cards(self) -> tuple[Card, ...]:
        """Return every card of the game, ascending."""
        return self.cards.troops + (TACTICS if self.tactics else ())

    def start(self, seed: int = 0) -> BattleLineState:
        """Return the position after the deal; the seed decides both hands and the order of both decks."""
        rng = random.Random(seed)
        troops, tactics = list(self.cards.troops), list(TACTICS if self.tactics else ())
        rng.shuffle(troops)
        rng.shuffle(tactics)
        return self.deal(tuple(troops), tuple(tactics))

    def deal(self, troops: tuple[Card, ...], tactics: tuple[Card, ...]) -> BattleLineState:
        """Return the position after a deal from these decks, the first player's hand first."""
        n = self.hand_size
        hands = (tuple(sorted(troops[:n])), tuple(sorted(troops[n : 2 * n])))
        decks = (troops[2 * n :], tactics)
        return BattleLineState(
            self, (Flag(),) * FLAGS, (), ((), ()), 0, stages.PLAY, 0, 0, stages.IN_PROGRESS, hands, decks, ((), ())
        )

    def moves(self) -> range:
        """Return all move numbers, see moves.py."""
        return range(numbers.MOVES)

    def move_text(self, move: Move) -> str:
        """Return the text of a move, such as "r8 > 3"."""
        return numbers.move_text(move)

    def public_move(self, move: Move) -> Move:
        """Return a move as both players see it: for a card put back, only its deck."""
        return numbers.public_move(move)

    @property
    def max_game_length(self) -> int:
        """The maximum number of moves in a game."""
        return numbers.MAX_MOVES_IN_GAME

    def scores(self, view: PublicView, marks: Collection[str] | None = None) -> tuple[float, float]:
        """Return the number of flags that each player has claimed."""
        return len(view.owned(0)), len(view.owned(1))

    def shows_hidden(self, move: Move) -> bool:
        """Return whether a move is a draw, the only move that reveals a hidden card to its player."""
        return numbers.DRAW <= move < numbers.RETURN

    def parse_move(self, words: str) -> Move:
        """Parse a move. Raise BadText if the text is not a move."""
        return numbers.parse_move(words)

    # Texts and drawings are imported when used: kernels depend on this module, and need no recompiling when they change

    def position_text(self, state: BattleLineState) -> str:
        """Return the whole position, hidden cards included, as key=value words."""
        from kibitz.games.battleline.rules import text

        return text.position_text(state)

    def parse_position(self, words: str) -> BattleLineState:
        """Parse a position. Raise BadText if the text is malformed or the position impossible."""
        from kibitz.games.battleline.rules import text

        return text.parse_position(self, words)

    def view_text(self, view: PublicView) -> str:
        """Return a view as key=value words."""
        from kibitz.games.battleline.rules import text

        return text.view_text(view)

    def parse_view(self, words: str) -> BattleLineView:
        """Parse a player's view. Raise BadText if the text is malformed or the view impossible."""
        from kibitz.games.battleline.rules import text

        return text.parse_view(self, words)

    def draw(self, view: PublicView, last: Move | None = None) -> tuple[Line, ...]:
        """Return the flags and the viewer's hand as lines for a terminal."""
        from kibitz.games.battleline.rules import drawing

        return drawing.draw(view, last)

    def symmetries(self) -> tuple[tuple[Move, ...], ...]:
        """Return the identity and the mirror image of all moves: flag 1 becomes flag 9."""
        return _symmetries()


@cache
def _symmetries() -> tuple[tuple[Move, ...], ...]:
    return tuple(range(numbers.MOVES)), tuple(map(numbers.mirrored, range(numbers.MOVES)))


@dataclass(frozen=True)
class BattleLineState(OpenCards, ShownToSpectators):
    """A complete position, including the cards hidden from one player or both."""

    hands: tuple[tuple[Card, ...], tuple[Card, ...]]
    """The cards of each player, ascending."""
    decks: tuple[tuple[Card, ...], tuple[Card, ...]]
    """The Troops and the Tactics, the top card first."""
    known: tuple[tuple[Card, ...], tuple[Card, ...]]
    """Cards that each player put back after Scout and that are still in a deck or in the opponent's hand, ascending."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves, ascending."""
        return self._legal_moves  # cached, since play() needs them again

    @cached_property
    def _legal_moves(self) -> tuple[Move, ...]:
        return legal_moves(self, self.hands[self.to_move], self.sizes)

    @property
    def sizes(self) -> tuple[int, int]:
        """Return how many Troops and Tactics the decks hold."""
        return len(self.decks[0]), len(self.decks[1])

    def play(self, move: Move) -> BattleLineState:
        """Return the position after a move. Raise IllegalMove with the reason if the move is not legal."""
        if move not in self.legal_moves():
            raise IllegalMove(why_illegal(self, self.hands[self.to_move], move))
        kind, card, source, target = parts = numbers.take_apart(move)
        logged = replace(self, log=(*self.log, numbers.public_move(move)))
        if kind == numbers.CLAIM:
            return logged._after_claim(target)
        if kind == numbers.DRAW:
            return logged._after_draw(card)
        if kind == numbers.RETURN:
            return logged._after_putting_back(card)
        if kind == numbers.DONE:
            return logged.next_turn()
        if kind == numbers.PASS:
            return replace(logged, passes=self.passes + 1)._after_play()
        return logged._after_card(parts.played, kind, card, source, target)

    def _with_flag(self, i: int, flag: Flag) -> BattleLineState:
        return replace(self, flags=(*self.flags[:i], flag, *self.flags[i + 1 :]))

    def _after_claim(self, flag: int) -> BattleLineState:
        """Return the position after the player to move claims a flag, which may end the turn or the game."""
        me = self.to_move
        after = replace(self._with_flag(flag, replace(self.flags[flag], owner=me)), passes=0)
        if win_reason(after.owned(me)):
            return replace(after, result=me + 1)
        if self.stage == stages.CLAIM and not after.claims(me):
            return after.next_turn()
        return after

    def _after_card(self, played: Card, kind: int, card: Card, source: int, target: int) -> BattleLineState:
        """Return the position after a card of the hand is played. kind, card, source, target: the parts of the move."""
        me = self.to_move
        after = replace(
            self,
            hands=_with(self.hands, me, _without(self.hands[me], played)),
            known=(_without(self.known[0], played), _without(self.known[1], played)),
            passes=0,
        )
        if not is_troop(played):
            after = replace(after, played=_with(self.played, me, _added(self.played[me], played)))
        if kind != numbers.PLACE:
            after = replace(after, discards=_added(after.discards, played))
        if kind == numbers.USE_SCOUT:
            return replace(after, stage=stages.SCOUT, left=min(SCOUTED_CARDS, sum(self.sizes)))
        if source >= 0:
            owner = me if kind == numbers.USE_REDEPLOY else 1 - me
            after = after._with_flag(source, after.flags[source].without_card(owner, card))
        if 0 <= target < FLAGS:
            after = after._with_flag(target, after.flags[target].with_card(me, card))
        else:
            after = replace(after, discards=_added(after.discards, card))
        return after._after_play()

    def _after_play(self) -> BattleLineState:
        """Return the position at the draw or, if no card can be drawn, at late claims or at the next turn."""
        if len(self.hands[self.to_move]) < self.game.hand_size and any(self.sizes):
            return replace(self, stage=stages.DRAW, left=0)
        return self._skip_draw()

    def _skip_draw(self) -> BattleLineState:
        """Return the position at the claims if they come late and there are any, else at the next turn."""
        if self.game.claims_at == "end" and self.claims(self.to_move):
            return replace(self, stage=stages.CLAIM, left=0)
        return self.next_turn()

    def _after_draw(self, deck: int) -> BattleLineState:
        """Return the position after the player to move draws the top card of a deck."""
        me = self.to_move
        card = self.decks[deck][0]
        after = replace(
            self,
            hands=_with(self.hands, me, _added(self.hands[me], card)),
            decks=_with(self.decks, deck, self.decks[deck][1:]),
            known=_with(self.known, me, _without(self.known[me], card)),
            left=max(self.left - 1, 0),
        )
        if self.stage == stages.DRAW:
            return after.next_turn()
        if after.left:
            return after
        held = len(after.hands[me])
        put_back = min(2, held) if self.game.scout_two else max(held - self.game.hand_size, 0)
        return replace(after, stage=stages.RETURN, left=put_back) if put_back else after._skip_draw()

    def _after_putting_back(self, card: Card) -> BattleLineState:
        """Return the position after the player to move puts a card on top of its deck."""
        me, deck = self.to_move, 0 if is_troop(card) else 1
        after = replace(
            self,
            hands=_with(self.hands, me, _without(self.hands[me], card)),
            decks=_with(self.decks, deck, (card, *self.decks[deck])),
            known=_with(self.known, me, _added(self.known[me], card)),
            left=self.left - 1,
        )
        return after if after.left else after._skip_draw()

    def next_turn(self) -> BattleLineState:
        """Return the position at the opponent's turn, or the finished game after two passes in a row."""
        after = replace(self, stage=stages.PLAY, left=0, turn=self.turn + 1)
        if self.passes < 2:
            return after
        lead = 0 if self.game.stuck_draw else len(after.flags_when_stuck(0)) - len(after.flags_when_stuck(1))
        return replace(after, result=stages.DRAWN if lead == 0 else 1 if lead > 0 else 2)

    def flags_when_stuck(self, player: Player) -> tuple[int, ...]:
        """Return a player's flags if both players have passed: those claimed, and those won by a complete side."""

        def wins_flag(i: int, flag: Flag) -> bool:
            if flag.owner != NOBODY or not flag.is_complete(player):
                return flag.owner == player
            return not flag.is_complete(1 - player) or self.proof(i, player).claim

        return tuple(i for i, flag in enumerate(self.flags) if wins_flag(i, flag))

    def outcome(self) -> Outcome | None:
        """Return the outcome with the reason, or None while the game is in progress."""
        if self.result == stages.IN_PROGRESS:
            return None
        stuck = f"both players passed, {len(self.flags_when_stuck(0))} flags to {len(self.flags_when_stuck(1))}"
        if self.result == stages.DRAWN:
            return Outcome(None, stuck)
        winner = self.result - 1
        return Outcome(winner, win_reason(self.owned(winner)) or stuck)

    @overload
    def view(self, player: Player) -> BattleLineView: ...
    @overload
    def view(self, player: Player | None) -> PublicView: ...
    def view(self, player: Player | None) -> PublicView:
        """Return a player's view, or a spectator's if player is None."""
        put_back = {*self.known[0], *self.known[1]}
        public = PublicView(
            self.game, self.flags, self.discards, self.played, self.turn, self.stage, self.left, self.passes,
            self.result, (_count_kinds(self.hands[0]), _count_kinds(self.hands[1])), self.sizes,
            back=(len(put_back.intersection(self.decks[0])), len(put_back.intersection(self.decks[1]))),
            log=self.log,
        )  # fmt: skip
        if player is None:
            return public
        mine, theirs = self.known[player], self.known[1 - player]
        return BattleLineView(
            **vars(public),
            player=player,
            hand=self.hands[player],
            top=(_among(self.decks[0], mine), _among(self.decks[1], mine)),
            known=_among(self.hands[1 - player], mine),
            exposed=_among(self.hands[player], theirs),
        )


def _count_kinds(hand: tuple[Card, ...]) -> tuple[int, int]:
    """Return the number of Troops and of Tactics in a hand."""
    troops = sum(map(is_troop, hand))
    return troops, len(hand) - troops


def _among(cards: tuple[Card, ...], wanted: tuple[Card, ...]) -> tuple[Card, ...]:
    return tuple(card for card in cards if card in wanted)


def _with(pair: tuple[T, T], i: int, item: T) -> tuple[T, T]:
    """Return a pair with its item i replaced."""
    return (item, pair[1]) if i == 0 else (pair[0], item)


def _added(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    return tuple(sorted((*cards, card)))


def _without(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    return tuple(other for other in cards if other != card)
