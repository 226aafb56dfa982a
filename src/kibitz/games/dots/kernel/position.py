"""The compiled twin of rules.py: a position as words and degrees, for search.

Boards of up to 64 lines (5x5 has 60) take one word of lines, larger ones two or three. Moves must be legal: the
checks are in rules.py. The tests play many random games and compare the moves, results and values of the two.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest
from kibitz.compiled.jit import jit
from kibitz.compiled.position import register
from kibitz.core.seeds import Stream
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import MAX_COINS, MAX_STRINGS, Graph

MOVES = MAX_LEGAL_MOVES = MAX_GAME_LENGTH = MAX_STRINGS

TO_MOVE, MARGIN, LINES_LEFT, KEY = range(4)
"""Indices into DotsPosition.scalars: player to move; first player's lead in boxes; undrawn lines; hash of the lines."""


class DotsPosition(NamedTuple):
    """A position and the graph it is played on."""

    undrawn: Ints  # int64, one to three words: bit i of word w stands for line 64*w + i
    owned: Ints  # int64 [2, 2]: the boxes of each player, as bits of two words
    degree: Ints  # int64 [coins]: undrawn lines of each box, and one more place for the ground, always 0
    scalars: Ints  # int64: TO_MOVE, MARGIN, LINES_LEFT, KEY
    ends: Ints  # int32 [lines, 2]: the boxes of each line; the ground is the place after the last box


def _random_words(seed: int, n: int) -> NDArray[np.int64]:
    stream = Stream(seed)
    return np.array([stream.next() for _ in range(n)], dtype=np.uint64).view(np.int64)


_LINE_KEYS = _random_words(11, MAX_STRINGS)
_MARGIN_KEY = 0x9E3779B97F4A7C1  # multiplied by the margin
_MOVER_KEY = 0x2545F4914F6CDD1D
_ONE = cast(int, np.int64(1))  # an int64, so that shifting it gives 64 bits with the JIT off too


def pack(state: DotsState) -> DotsPosition:
    """Convert a state of the rules to a compiled position."""
    graph, undrawn = state.game.board, state.undrawn
    words = 1 + (len(graph.strings) - 1) // 64
    key = 0
    for line in state.legal_moves():
        key ^= int(_LINE_KEYS[line])
    scalars = [state.to_move, state.scores[0] - state.scores[1], undrawn.bit_count(), key]
    return DotsPosition(
        undrawn=_to_words(undrawn, words),
        owned=np.array([_to_words(owned, MAX_COINS // 64) for owned in state.owned]),
        degree=np.array([*((mask & undrawn).bit_count() for mask in graph.masks), 0], np.int64),
        scalars=np.array(scalars, np.int64),
        ends=_ends(graph),
    )


@lru_cache(maxsize=64)
def _ends(graph: Graph) -> NDArray[np.int32]:
    """Return the coins at both ends of each string; the ground has the number after the last coin."""
    coins = len(graph.coins)
    return np.array([[coins if coin < 0 else coin for coin in pair] for pair in graph.strings], np.int32)


def _to_words(bits: int, words: int) -> NDArray[np.int64]:
    """Convert a bit set to an array of 64-bit words."""
    return np.array([bits >> 64 * w & 0xFFFFFFFFFFFFFFFF for w in range(words)], np.uint64).view(np.int64)


def unpack(pos: DotsPosition, game: Dots) -> DotsState:
    """Convert a compiled position to a state of the rules. Which player drew each line is lost."""

    def bits(words: Iterable[int]) -> int:
        return sum((int(word) & 0xFFFFFFFFFFFFFFFF) << 64 * w for w, word in enumerate(words))

    first, second = (bits(pos.owned[player, w] for w in range(pos.owned.shape[1])) for player in (0, 1))
    drawn = game.board.all_strings & ~bits(pos.undrawn[w] for w in range(len(pos.undrawn)))
    return DotsState(game, drawn, (first, second), int(pos.scalars[TO_MOVE]))


# The operations of compiled/position.py, in its order.


def mover(pos: DotsPosition) -> int:
    """Return the player to move, 0 or 1."""
    return pos.scalars[TO_MOVE]


def over(pos: DotsPosition) -> bool:
    """Return whether all lines are drawn."""
    return pos.scalars[LINES_LEFT] == 0


def final(pos: DotsPosition) -> int:
    """Return the final margin of the player to move, in boxes."""
    return margin_of(pos)


@jit
def margin_of(pos: DotsPosition) -> int:
    """Return the lead of the player to move, in boxes."""
    return -pos.scalars[MARGIN] if pos.scalars[TO_MOVE] else pos.scalars[MARGIN]


def legal(pos: DotsPosition, out: Ints, at: int) -> int:
    """Write the undrawn lines to out[at:]; return their number."""
    n = at
    for w in range(len(pos.undrawn)):
        word = pos.undrawn[w]
        while word:
            out[n] = 64 * w + lowest(word)
            n += 1
            word &= word - 1
    return n - at


def play(pos: DotsPosition, move: int) -> int:
    """Draw a line; return the token for undo: bit 0 is set if it took the box at its first end, bit 1 at its second."""
    scalars = pos.scalars
    me = scalars[TO_MOVE]
    pos.undrawn[move >> 6] ^= _ONE << (move & 63)
    scalars[LINES_LEFT] -= 1
    scalars[KEY] ^= _LINE_KEYS[move]
    taken = 0
    token = 0
    for i in range(2):
        coin = pos.ends[move, i]
        if coin < len(pos.degree) - 1:
            pos.degree[coin] -= 1
            if pos.degree[coin] == 0:
                pos.owned[me, coin >> 6] |= _ONE << (coin & 63)
                taken += 1
                token |= 1 << i
    if taken:
        scalars[MARGIN] += -taken if me else taken
    else:
        scalars[TO_MOVE] = 1 - me
    return token


def undo(pos: DotsPosition, move: int, token: int) -> None:
    """Take a line back; token is what play returned for it."""
    scalars = pos.scalars
    if not token:
        scalars[TO_MOVE] = 1 - scalars[TO_MOVE]
    me = scalars[TO_MOVE]
    pos.undrawn[move >> 6] ^= _ONE << (move & 63)
    scalars[LINES_LEFT] += 1
    scalars[KEY] ^= _LINE_KEYS[move]
    for i in range(2):
        coin = pos.ends[move, i]
        if coin < len(pos.degree) - 1:
            pos.degree[coin] += 1
            if token >> i & 1:
                pos.owned[me, coin >> 6] ^= _ONE << (coin & 63)
                scalars[MARGIN] -= -1 if me else 1


def copy(pos: DotsPosition, into: DotsPosition) -> None:
    """Copy a position into another on the same graph."""
    for w in range(len(pos.undrawn)):
        into.undrawn[w] = pos.undrawn[w]
    for player in range(2):
        for w in range(pos.owned.shape[1]):
            into.owned[player, w] = pos.owned[player, w]
    for coin in range(len(pos.degree)):
        into.degree[coin] = pos.degree[coin]
    for i in range(len(pos.scalars)):
        into.scalars[i] = pos.scalars[i]


def key(pos: DotsPosition) -> int:
    """Return the hash key of a position: of its lines, the player to move and the margin, which decide its value."""
    scalars = pos.scalars
    return scalars[KEY] ^ scalars[MARGIN] * _MARGIN_KEY ^ scalars[TO_MOVE] * _MOVER_KEY


def evaluate(pos: DotsPosition, evaluation: int) -> int:
    """Return the lead of the player to move in boxes. Dots-and-Boxes has only this evaluation."""
    return margin_of(pos)


def quick_score(pos: DotsPosition, move: int) -> int:
    """Score a line for move ordering: higher if it takes boxes, lower if it gives boxes away."""
    total = 0
    for i in range(2):
        degree = pos.degree[pos.ends[move, i]]
        if degree == 1:
            total += 4
        elif degree == 2:
            total -= 3
    return total


register(DotsPosition, sys.modules[__name__])
