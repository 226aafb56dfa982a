"""The words of a compiled position of Battle Line, accessors for these words and for moves, and lookup tables.

Every offset and every bit position is defined here and nowhere else. Kernels import this
module as `at`: `at.side(w, player, f)` reads, `w[at.SEEN] |= at.bit(card)` writes.

Sets of Troops have a bit for each card: bit 10*colour + value - 1, as in cards.py. Sets of
Tactics have ten bits: bit 0 is AL, bit 9 TRAITOR. Sets of flags have nine bits. A card's kind is
0 for a Troop and 1 for a Tactics card, and so is the number of its deck.

    words 0..17   the Troops of player p at flag f, at 9*p + f
    18..26        the status of each flag: wild cards, Fog, Mud, owner, who completed first; see below
    27..          one word for each name below, or two: one for each player or each deck
    DECK          the decks, the bottom card first: 60 places for Troops, 10 for Tactics, -1 for none
"""

from __future__ import annotations

from typing import cast

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.jit import jit
from kibitz.games.battleline.rules import moves
from kibitz.games.battleline.rules.cards import COLOURS, DESERTER, REDEPLOY, SCOUT, TRAITOR, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

SIDE = 0
STATUS = SIDE + 2 * FLAGS
HAND = STATUS + FLAGS  # Troops of each hand; + 2*kind + player for both kinds of cards
TACTICS = HAND + 2  # Tactics of each hand
PLAYED = TACTICS + 2  # Tactics that each player has played
OWNED = PLAYED + 2  # flags of each player
FULL = OWNED + 2  # flags at which each player's side is complete
KNOWN = FULL + 2  # Troops that each player put back, still in a deck or the other hand; + 2*kind + player
KNOWN_TACTICS = KNOWN + 2
SIZE = KNOWN_TACTICS + 2  # cards left in each deck
SEEN = SIZE + 2  # Troops face up
DISCARD_TROOPS = SEEN + 1  # Troops discarded
TURN = DISCARD_TROOPS + 1
STAGE = TURN + 1
LEFT = STAGE + 1  # cards to take or put back for Scout
PASSES = LEFT + 1  # in a row
RESULT = PASSES + 1
OPTIONS = RESULT + 1  # a sum of the options below
VALUES = OPTIONS + 1  # the highest value of a Troop
CAVALRY = VALUES + 1  # the value of Companion Cavalry
HAND_SIZE = CAVALRY + 1
SCORE = HAND_SIZE + 1  # of complete sides, at 9*p + f: 64*rank + sum; else 0
DECK = SCORE + 2 * FLAGS
TACTICS_DECK = DECK + TROOPS
WORDS = TACTICS_DECK + 10

# The status of a flag: 4 bits of wild cards (AL DA CC SB) for each player, then
FOG_BIT, MUD_BIT = 1 << 8, 1 << 9
OWNER = 10  # 2 bits, 1 + the owner
FIRST = 12  # 2 bits, 1 + the player who completed first
_STATUS_BITS = 14

# The options
CLAIMS_LATE, LEADER_IN_PLAY, UNFILLABLE, SCOUT_TWO, STUCK_DRAW = 1, 2, 4, 8, 16

ALL_FLAGS = (1 << FLAGS) - 1
LEADER_BITS, CC_BIT, SB_BIT = 3, 4, 8
COLOUR = 1023
"""The ten bits of one colour, before a shift by 10*colour."""
ONE = cast(int, np.int64(1))
"""A 1 that can be shifted by up to 63 bits."""
NO_CARDS = cast(int, np.int64(0))
"""The empty set of Troops, in the type of all such sets."""
ALL_TROOPS = cast(int, np.int64((1 << TROOPS) - 1))

# The token of a move: stage (3 bits), left (2), passes (2), whether the turn ended (1), the card drawn (7),
# the players who knew it (2), and the status of two flags before the move
TOKEN_LEFT, TOKEN_PASSES, TOKEN_TURN, TOKEN_CARD, TOKEN_KNOWN = 3, 5, 7, 8, 15
TOKEN_STATUS = 17
TOKEN_STATUS_2 = TOKEN_STATUS + _STATUS_BITS
STATUS_MASK = (1 << _STATUS_BITS) - 1


# Cards


@jit
def kind(card: int) -> int:
    """Return 0 for a Troop, 1 for a Tactics card."""
    return 1 if card >= TROOPS else 0


@jit
def bit(card: int) -> int:
    """Return a card's bit in a set of its kind."""
    return ONE << (card - TROOPS if card >= TROOPS else card)


@jit
def wild_bit(player: int, card: int) -> int:
    """Return the bit in the status of a flag for a morale card on a player's side."""
    return 1 << (4 * player + card - TROOPS)


@jit
def all_troops(values: int) -> int:
    """Return the set of Troops with values from 1 to `values`."""
    troops = ALL_TROOPS
    for value in range(values + 1, 11):
        troops &= ~OF_VALUE[value]
    return troops


# The status of a flag


@jit
def wilds(status: int, player: int) -> int:
    """Return the set of wild cards on a player's side of a flag, four bits: AL DA CC SB."""
    return status >> 4 * player & 15


@jit
def cap(status: int) -> int:
    """Return the number of cards in a complete side: four with Mud, else three."""
    return 4 if status & MUD_BIT else 3


@jit
def owner(status: int) -> int:
    """Return 1 + the owner of a flag; 0 if it is unclaimed."""
    return status >> OWNER & 3


@jit
def first(status: int) -> int:
    """Return 1 + the player whose side was completed first; 0 if no side is complete."""
    return status >> FIRST & 3


@jit
def with_owner(status: int, number: int) -> int:
    """Return the status of an unclaimed flag once player `number - 1` owns it."""
    return status | number << OWNER


@jit
def with_first(status: int, number: int) -> int:
    """Return the status of a flag with player `number - 1` as the first to complete a side; number 0: nobody."""
    return status & ~(3 << FIRST) | number << FIRST


@jit
def lacking(troops: int, status: int, player: int) -> int:
    """Return how many more cards a player's side needs to be complete. troops: those on the side."""
    return cap(status) - popcount(troops) - popcount(wilds(status, player))


# The words


@jit
def mover(w: Ints) -> int:
    """Return the player to move."""
    return w[TURN] & 1


@jit
def side(w: Ints, player: int, f: int) -> int:
    """Return a player's Troops at a flag."""
    return w[SIDE + FLAGS * player + f]


@jit
def unclaimed(w: Ints) -> int:
    """Return the set of unclaimed flags."""
    return ALL_FLAGS & ~(w[OWNED] | w[OWNED + 1])


@jit
def held(w: Ints, player: int) -> int:
    """Return how many cards a player holds."""
    return popcount(w[HAND + player]) + popcount(w[TACTICS + player])


@jit
def undrawn(w: Ints) -> int:
    """Return how many cards are left in both decks."""
    return w[SIZE] + w[SIZE + 1]


@jit
def top_place(w: Ints, deck: int) -> int:
    """Return the index of the word just above the top card of a deck."""
    return DECK + TROOPS * deck + w[SIZE + deck]


@jit
def unseen(w: Ints) -> int:
    """Return the Troops that are not face up."""
    return all_troops(w[VALUES]) & ~w[SEEN]


# The parts of a move, as far as kernels need them


@jit
def card_played(move: int) -> int:
    """Return the card that a move plays from the hand; -1 if it plays none. Putting a card back is not a play."""
    if moves.PLACE <= move < moves.USE_SCOUT:
        return (move - moves.PLACE) // FLAGS
    if move == moves.USE_SCOUT:
        return SCOUT
    if move < moves.USE_DESERTER:
        return -1
    if move < moves.USE_TRAITOR:
        return DESERTER
    return TRAITOR if move < moves.USE_REDEPLOY else REDEPLOY


@jit
def place_parts(move: int) -> tuple[int, int]:
    """Return the card and the flag of a move that places a card."""
    card = (move - moves.PLACE) // FLAGS
    return card, move - moves.PLACE - FLAGS * card


@jit
def guile_parts(move: int) -> tuple[int, int, int]:
    """Return the card that Deserter, Traitor or Redeploy moves, the flag it leaves, and the target flag or DISCARD."""
    if move < moves.USE_TRAITOR:
        rest, target = move - moves.USE_DESERTER, moves.DISCARD
    elif move < moves.USE_REDEPLOY:
        rest = (move - moves.USE_TRAITOR) // FLAGS
        target = move - moves.USE_TRAITOR - FLAGS * rest
    else:
        rest = (move - moves.USE_REDEPLOY) // (FLAGS + 1)
        target = move - moves.USE_REDEPLOY - (FLAGS + 1) * rest
    card = rest // FLAGS
    return card, rest - FLAGS * card, target


# Lookup tables


def _words(values: list[int]) -> Ints:
    return cast(Ints, np.array(values, np.int64))


VALUE = _words([card % 10 + 1 for card in range(TROOPS)])
COLOUR_OF = _words([card // 10 for card in range(TROOPS)])
OF_VALUE = _words([0] + [sum(1 << 10 * colour + value for colour in range(len(COLOURS))) for value in range(10)])
"""[value] the Troops of that value; index 0 is unused."""
SUM = _words([sum(value + 1 for value in range(10) if mask >> value & 1) for mask in range(1024)])
"""[set of values] the sum of the values; bit 0 stands for value 1."""
HIGHEST = _words([max(mask.bit_length() - 1, 0) for mask in range(1024)])
"""[set of values] the index of the highest bit; 0 for the empty set."""
_DESCENDING = [[1 << v for v in range(9, -1, -1) if mask >> v & 1] for mask in range(1024)]
TOP = cast(Ints, np.array([[sum(bits[:n]) for bits in _DESCENDING] for n in range(5)], np.int64))
"""[n, set of values] the set of the n highest values."""
WINS = _words([int(any(mask >> f & 7 == 7 for f in range(7)) or mask.bit_count() >= 5) for mask in range(512)])
"""[set of flags] 1 if they win the game: three in a row, or five."""
