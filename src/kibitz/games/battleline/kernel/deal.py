"""Redeals of hidden cards, and random games from them: compiled, for searches that may know only one hand."""

from __future__ import annotations

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import copy, final, legal, mover, play
from kibitz.compiled.rng import RandomState, below
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.rules.cards import TROOPS


@jit
def redeal(w: Ints, player: int, rng: RandomState) -> None:
    """Redeal at random the cards that a player does not know: the opponent's hand and both decks.

    Cards that the player put back after Scout stay where they are. Those that the opponent put back are redealt with
    the deck, and the opponent then knows the new cards in their places.
    """
    _redeal_deck(w, 0, player, rng)
    if w[at.SIZE + 1] or w[at.TACTICS + 1 - player]:
        _redeal_deck(w, 1, player, rng)


@jit
def _redeal_deck(w: Ints, deck: int, player: int, rng: RandomState) -> None:
    """Redeal one deck and the cards of its kind in the opponent's hand. deck: 0 for Troops, 1 for Tactics."""
    first, low = at.DECK + TROOPS * deck, TROOPS * deck  # the word of the bottom card; the card of bit 0
    hand = at.HAND + 2 * deck + 1 - player
    mine, theirs = at.KNOWN + 2 * deck + player, at.KNOWN + 2 * deck + 1 - player
    n = w[at.SIZE + deck]
    hidden = n
    while hidden > 0 and w[mine] >> (w[first + hidden - 1] - low) & 1:
        hidden -= 1  # on top: the player put it there
    exposed = w[theirs]
    put_back = 0  # the number of cards on top that the opponent put there
    while put_back < hidden and exposed >> (w[first + hidden - 1 - put_back] - low) & 1:
        exposed ^= at.ONE << (w[first + hidden - 1 - put_back] - low)
        put_back += 1
    kept, held, held_count = w[hand] & w[mine], w[hand] & ~w[mine], 0
    while held:  # put the opponent's unknown cards on top of the deck, then shuffle all but those known to the player
        w[first + n + held_count] = low + lowest(held)
        held &= held - 1
        held_count += 1
    known = n - hidden
    for i in range(hidden + held_count - 1, 0, -1):
        j = below(rng, i + 1)
        a = first + (i if i < hidden else i + known)
        b = first + (j if j < hidden else j + known)
        card = w[a]
        w[a] = w[b]
        w[b] = card
    for i in range(n, n + held_count):
        kept |= at.ONE << (w[first + i] - low)
        w[first + i] = -1
    w[hand] = kept
    for i in range(put_back):
        exposed |= at.ONE << (w[first + hidden - 1 - i] - low)
    w[theirs] = exposed


@entry
def random_games(
    pos: BattleLinePosition, scratch: BattleLinePosition, games: int, rng: RandomState, moves: Ints, tally: Ints
) -> int:
    """Play random games, each after a redeal of the cards hidden from the mover; return the total number of moves.

    scratch: a position to overwrite. moves: int64[MAX_LEGAL_MOVES], scratch. tally: int64[3], to which the first
    player's wins, draws and losses are added.
    """
    plies = 0
    for _ in range(games):
        copy(pos, scratch)
        redeal(scratch.words, mover(pos), rng)
        n = legal(scratch, moves, 0)
        while n:
            play(scratch, moves[below(rng, n)])
            plies += 1
            n = legal(scratch, moves, 0)
        value = final(scratch) if mover(scratch) == 0 else -final(scratch)
        tally[0 if value > 0 else (1 if value == 0 else 2)] += 1
    return plies
