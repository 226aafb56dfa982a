"""The words of a compiled position of Battle Line, and the tables its kernels look things up in.

Troops are sets of bits: bit 10*colour + value - 1, as in cards.py. Tactics are
sets of ten bits: bit 0 is AL, bit 9 TRAITOR. Flags are sets of nine bits.

    words 0..17   the Troops of player p at flag f, at 9*p + f
    18..26        the facts of each flag, see below
    27..          one word for each name below, two where players or decks have their own
    DECK          the decks, the bottom card first: 60 places for Troops, 10 for Tactics, -1 where there is none
"""

from __future__ import annotations

from typing import cast

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.games.battleline.rules.cards import COLOURS, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

SIDE = 0
FACTS = SIDE + 2 * FLAGS
HAND = FACTS + FLAGS  # Troops of each hand
TACTICS = HAND + 2  # Tactics of each hand
PLAYED = TACTICS + 2  # Tactics that each player has played
OWNED = PLAYED + 2  # flags of each player
FULL = OWNED + 2  # flags at which each player's side is complete
KNOWN = FULL + 2  # Troops that each player put back, still in a deck or the other hand
KNOWN_TACTICS = KNOWN + 2
SIZE = KNOWN_TACTICS + 2  # cards left in the two decks
SEEN = SIZE + 2  # Troops face up
DISCARD_TROOPS = SEEN + 1
TURN = DISCARD_TROOPS + 1
STAGE = TURN + 1
LEFT = STAGE + 1
PASSES = LEFT + 1
RESULT = PASSES + 1
OPTIONS = RESULT + 1
VALUES = OPTIONS + 1  # the highest value of a Troop
CAVALRY = VALUES + 1
HAND_SIZE = CAVALRY + 1
SCORE = HAND_SIZE + 1  # of complete sides, at 9*p + f: 64*rank + sum; else 0
DECK = SCORE + 2 * FLAGS
TACTICS_DECK = DECK + TROOPS
WORDS = TACTICS_DECK + 10

# The facts of a flag: 4 bits of wild cards (AL DA CC SB) for each player, then
FOG_BIT, MUD_BIT = 1 << 8, 1 << 9
OWNER = 10  # 2 bits, the owner plus 1
FIRST = 12  # 2 bits, who completed first plus 1
FACT_BITS = 14

# The options
CLAIMS_LATE, LEADER_IN_PLAY, UNFILLABLE, SCOUT_TWO, STUCK_DRAW = 1, 2, 4, 8, 16

ALL_FLAGS = (1 << FLAGS) - 1
LEADER_BITS, CC_BIT, SB_BIT = 3, 4, 8
COLOUR = 1023  # the Troops of one colour

# The token of a move: stage 3 bits, left 2, passes 2, whether the turn was handed over, the card drawn (7),
# who knew it (2), and the facts of two flags as they were
TOKEN_LEFT, TOKEN_PASSES, TOKEN_TURN, TOKEN_CARD, TOKEN_KNOWN = 3, 5, 7, 8, 15
TOKEN_FACTS = 17
TOKEN_FACTS_2 = TOKEN_FACTS + FACT_BITS


def _words(values: list[int]) -> Ints:
    return cast(Ints, np.array(values, np.int64))


VALUE = _words([card % 10 + 1 for card in range(TROOPS)])
COLOUR_OF = _words([card // 10 for card in range(TROOPS)])
OF_VALUE = _words([0] + [sum(1 << 10 * colour + value for colour in range(len(COLOURS))) for value in range(10)])
"""[value] the Troops of that value; place 0 is not used."""
SUM = _words([sum(value + 1 for value in range(10) if mask >> value & 1) for mask in range(1024)])
"""[values] their sum, bit 0 standing for value 1."""
HIGHEST = _words([max(mask.bit_length() - 1, 0) for mask in range(1024)])
"""[values] the place of the highest bit."""
TOP = cast(
    Ints,
    np.array(
        [
            [sum(1 << v for v in [v for v in range(9, -1, -1) if mask >> v & 1][:n]) for mask in range(1024)]
            for n in range(5)
        ],
        np.int64,
    ),
)
"""[n, values] the n highest of them."""
HAS_THREE = _words([int(any(mask >> f & 7 == 7 for f in range(7)) or mask.bit_count() >= 5) for mask in range(512)])
"""[flags] 1 if they win the game."""
