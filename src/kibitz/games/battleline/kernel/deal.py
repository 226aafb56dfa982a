"""Hidden cards dealt anew, and random games from such deals: compiled, for searches that may know one hand only."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import copy, final, legal, mover, play
from kibitz.compiled.rng import below
from kibitz.games.battleline.kernel.layout import DECK, HAND, KNOWN, KNOWN_TACTICS, SIZE, TACTICS, TACTICS_DECK
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.kernel.proof import ONE
from kibitz.games.battleline.rules.cards import TROOPS


@jit
def deal_anew(w: Ints, player: int, rng: Any) -> None:
    """Deal the cards that a player does not know anew, all ways equally likely: the other hand and both decks.

    What he put back by Scout stays where it is. What the other put back changes with the deck, and the other's
    knowledge of it with it.
    """
    _deal_deck(w, 0, HAND + 1 - player, KNOWN + player, KNOWN + 1 - player, rng)
    if w[SIZE + 1] or w[TACTICS + 1 - player]:
        _deal_deck(w, 1, TACTICS + 1 - player, KNOWN_TACTICS + player, KNOWN_TACTICS + 1 - player, rng)


@jit
def _deal_deck(w: Ints, deck: int, hand: int, mine: int, theirs: int, rng: Any) -> None:
    """Deal one deck and the other hand's cards of its kind. hand, mine, theirs: the words of those."""
    first = TACTICS_DECK if deck else DECK
    low = TROOPS if deck else 0  # the number of bit 0
    n = w[SIZE + deck]
    hidden = n
    while hidden > 0 and w[mine] >> (w[first + hidden - 1] - low) & 1:
        hidden -= 1  # on top: put there by the player himself
    exposed = w[theirs]
    put_back = 0  # how many on top the other one knows
    while put_back < hidden and exposed >> (w[first + hidden - 1 - put_back] - low) & 1:
        exposed ^= ONE << (w[first + hidden - 1 - put_back] - low)
        put_back += 1
    kept, held, h = w[hand] & w[mine], w[hand] & ~w[mine], 0
    while held:  # the other hand lies down behind the deck
        w[first + n + h] = low + lowest(held)
        held &= held - 1
        h += 1
    known = n - hidden
    for i in range(hidden + h - 1, 0, -1):
        j = below(rng, i + 1)
        a = first + (i if i < hidden else i + known)
        b = first + (j if j < hidden else j + known)
        card = w[a]
        w[a] = w[b]
        w[b] = card
    for i in range(n, n + h):
        kept |= ONE << (w[first + i] - low)
        w[first + i] = -1
    w[hand] = kept
    for i in range(put_back):
        exposed |= ONE << (w[first + hidden - 1 - i] - low)
    w[theirs] = exposed


@entry
def random_games(
    pos: BattleLinePosition, scratch: BattleLinePosition, games: int, rng: Any, moves: Ints, tally: Ints
) -> int:
    """Play random games from a position, what is hidden from its mover dealt anew; return how many moves that took.

    scratch: any position. moves: int64[MAX_LEGAL_MOVES]. tally: int64[3], as for search.perft.random_games.
    """
    plies = 0
    for _ in range(games):
        copy(pos, scratch)
        deal_anew(scratch.words, mover(pos), rng)
        n = legal(scratch, moves, 0)
        while n:
            play(scratch, moves[below(rng, n)])
            plies += 1
            n = legal(scratch, moves, 0)
        value = final(scratch) if mover(scratch) == 0 else -final(scratch)
        tally[0 if value > 0 else (1 if value == 0 else 2)] += 1
    return plies
