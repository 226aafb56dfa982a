"""The compiled twin of rules.py: a position as a board, facts and past boards, for search.

Assumes what rules.py checks. The tests hold both to the same moves, results and
values on every ply of many random games.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import register
from kibitz.core.game import Game, State
from kibitz.games.go.kernel.board import (
    HASH,
    NO_STONES,
    STONE_KEYS,
    TAKEN,
    Board,
    cells_of,
    copy_board,
    in_atari,
    lead,
    new_board,
    pick_up,
    put,
    put_back,
    random_words,
    rebuild_all,
)
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.rules import board as readable_board
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.rules.geometry import LARGEST
from kibitz.games.go.rules.rules import longest
from kibitz.games.go.rules.text import NO_KO

MOVES = MAX_LEGAL_MOVES = LARGEST**2 + 1
MAX_GAME_LENGTH = longest(LARGEST)

TO_MOVE, KO, PASSES, TURN, BLACK_TOOK, WHITE_TOOK, PAST, PAST_KEY, LIMIT, KOMI, SUICIDE, TERRITORY = range(12)
"""The words of GoPosition.facts: 0 or 1; the forbidden point or NO_KO (-1); passes just made; moves made; prisoners of
each player; how many boards are in the past, 0 with ko=simple; the key of these; the most moves of a game; quarter
points of komi; 1 if suicide is legal; 1 if territory counts, 0 if area."""
_FACTS = 12

# A token of play, from the low end: the point of the ko before and 1 (10 bits), passes (2), the sides on which
# chains were captured (4), whether it was a suicide (1).
_TOKEN_PASSES, _TOKEN_SIDES, _TOKEN_SUICIDE = 10, 12, 16


class GoPosition(NamedTuple):
    """A position, and what it was made from."""

    board: Board
    facts: Ints
    """int64, see above"""
    history: Ints
    """int64 [moves]: the stones put on the first board, each 2 * point + player; 0 after the last"""
    seen: Ints
    """int64: the hashes of past boards, the present one among them, each at the first place free from its low bits
    on; 0 elsewhere. The length is a power of two"""
    first: Any
    """int8 [point]: the first board, with ko=positional"""


_MIX = random_words(22, 8 * 256).reshape(8, 256)


def pack(state: State) -> GoPosition:
    """Return a state as a position."""
    assert isinstance(state, GoState)
    game = state.game
    board = new_board(game.size)
    for cell, code in zip(board.cells, state.board.points, strict=True):
        board.stones[cell] = code
    positional = game.ko == "positional"
    pos = GoPosition(
        board=board,
        facts=np.zeros(_FACTS, np.int64),
        history=np.zeros(game.limit if positional else 1, np.int64),
        seen=np.zeros(1 << (2 * game.limit).bit_length() if positional else 1, np.int64),
        first=np.frombuffer(state.first or bytes(game.size**2), np.uint8).astype(np.int8),
    )
    facts = pos.facts
    facts[TO_MOVE], facts[KO], facts[PASSES], facts[TURN] = state.to_move, state.ko, state.passes, state.turn
    facts[BLACK_TOOK], facts[WHITE_TOOK] = state.prisoners
    facts[LIMIT], facts[KOMI] = game.limit, round(4 * game.komi)
    facts[SUICIDE], facts[TERRITORY] = game.suicide, game.scoring == "territory"
    for i, stone in enumerate(state.history):
        pos.history[i] = stone
    _set_up(pos, np.array([_hash_of(game.size, points) for points in state.past], np.int64))
    return pos


@entry
def _set_up(pos: GoPosition, past: Ints) -> None:
    """Work out the chains, and remember the boards of these hashes."""
    rebuild_all(pos.board)
    for i in range(len(past)):
        _remember(pos, past[i])


def _hash_of(size: int, points: bytes) -> int:
    """Return the hash of a board."""
    codes = np.frombuffer(points, np.uint8)
    keys = STONE_KEYS[codes, cells_of(size)]
    return int(np.bitwise_xor.reduce(keys[codes != EMPTY], initial=np.int64(NO_STONES)))


def unpack(pos: GoPosition, game: Game) -> GoState:
    """Return a position as a state."""
    assert isinstance(game, Go)
    facts = [int(pos.facts[i]) for i in range(_FACTS)]
    points = bytes(int(pos.board.stones[cell]) for cell in cells_of(game.size).tolist())
    positional = game.ko == "positional"
    return GoState(
        game,
        readable_board.Board(game.size, points),
        facts[TO_MOVE],
        facts[KO],
        facts[PASSES],
        (facts[BLACK_TOOK], facts[WHITE_TOOK]),
        facts[TURN],
        pos.first.astype(np.uint8).tobytes() if positional else b"",
        tuple(int(pos.history[i]) for i in range(facts[PAST] - 1)) if positional else (),
    )


@jit
def _remember(pos: GoPosition, key: int) -> None:
    """Add a board to the past."""
    slot = key & (len(pos.seen) - 1)
    while pos.seen[slot]:
        slot = (slot + 1) & (len(pos.seen) - 1)
    pos.seen[slot] = key
    pos.facts[PAST] += 1
    pos.facts[PAST_KEY] ^= _mixed(key)


@jit
def _forget(pos: GoPosition, key: int) -> None:
    """Take the board that was added last out of the past."""
    pos.seen[_slot(pos, key)] = 0
    pos.facts[PAST] -= 1
    pos.facts[PAST_KEY] ^= _mixed(key)


@jit
def _slot(pos: GoPosition, key: int) -> int:
    """Return where a board of the past lies, or -1 if it is none."""
    slot = key & (len(pos.seen) - 1)
    while pos.seen[slot]:
        if pos.seen[slot] == key:
            return slot
        slot = (slot + 1) & (len(pos.seen) - 1)
    return -1


@jit
def _mixed(word: int) -> int:
    """Return a random word for a word, so that exclusive ors of several tell sets apart."""
    mixed = 0
    for i in range(8):
        mixed ^= _MIX[i, (word >> 8 * i) & 255]
    return mixed


# The operations of compiled/position.py, in its order. They are large, so each is one call: a search that had them
# written out at every place would take half a minute to compile.


def mover(pos: GoPosition) -> int:
    """Return 0 for Black, 1 for White."""
    return pos.facts[TO_MOVE]


def over(pos: GoPosition) -> bool:
    """Return whether both players passed, or the most moves are made."""
    return _is_over(pos)


@jit
def _is_over(pos: GoPosition) -> bool:
    return pos.facts[PASSES] == 2 or pos.facts[TURN] >= pos.facts[LIMIT]


def final(pos: GoPosition) -> int:
    """Return the margin of the player to move, rounded away from zero."""
    return _margin(pos)


@jit
def _margin(pos: GoPosition) -> int:
    facts = pos.facts
    points = lead(pos.board, 1 - facts[TERRITORY])
    if facts[TERRITORY]:
        points += facts[BLACK_TOOK] - facts[WHITE_TOOK]
    quarters = 4 * points - facts[KOMI]
    if facts[TO_MOVE]:
        quarters = -quarters
    return (quarters + 3) >> 2 if quarters > 0 else -((3 - quarters) >> 2)


def legal(pos: GoPosition, out: Ints, at: int) -> int:
    """Write the points that may be played on, and the pass."""
    return _legal(pos, out, at)


@jit
def _legal(pos: GoPosition, out: Ints, at: int) -> int:
    if _is_over(pos):
        return 0
    n = at
    b, colour, past = pos.board, 1 + pos.facts[TO_MOVE], pos.facts[PAST]
    for point in range(len(b.cells)):
        cell = b.cells[point]
        if b.stones[cell] != EMPTY or point == pos.facts[KO]:
            continue
        if not pos.facts[SUICIDE] and not _lives(b, cell, colour):
            continue
        if past and _slot(pos, _hash_after(b, cell, colour)) >= 0:
            continue
        out[n] = point
        n += 1
    out[n] = len(b.cells)
    return n + 1 - at


@jit
def _lives(b: Board, cell: int, colour: int) -> bool:
    """Return whether a stone would have a liberty, if only by what it captures."""
    for side in range(4):
        near = b.near[cell, side]
        code = b.stones[near]
        if code == EMPTY:
            return True
        if code in (BLACK, WHITE) and in_atari(b, b.head[near]) == (code != colour):
            return True
    return False


@jit
def _hash_after(b: Board, cell: int, colour: int) -> int:
    """Return the hash of the board after a stone."""
    key = b.facts[HASH]
    suicide = not _lives(b, cell, colour)
    if not suicide:
        key ^= STONE_KEYS[colour, cell]
    gone = (
        colour if suicide else BLACK + WHITE - colour
    )  # the chains beside it that go: own ones in a suicide, else enemies in atari
    for i in range(4):
        head = b.head[b.near[cell, i]]
        if b.stones[b.near[cell, i]] != gone or not in_atari(b, head):
            continue
        for j in range(i):
            if b.head[b.near[cell, j]] == head:
                break
        else:
            key ^= b.hashes[head]
    return key


def play(pos: GoPosition, move: int) -> int:
    """Put a stone or pass; return what undo needs."""
    return _play(pos, move)


@jit
def _play(pos: GoPosition, move: int) -> int:
    b, facts = pos.board, pos.facts
    me = facts[TO_MOVE]
    token = facts[KO] + 1 | facts[PASSES] << _TOKEN_PASSES
    facts[KO] = NO_KO
    facts[TURN] += 1
    facts[TO_MOVE] = 1 - me
    if move == len(b.cells):
        facts[PASSES] += 1
        return token
    facts[PASSES] = 0
    cell, enemy = b.cells[move], 2 - me
    sides = 0
    for i in range(4):
        if b.stones[b.near[cell, i]] == enemy:
            sides |= 1 << i
    taken = put(b, cell, 1 + me)
    if taken < 0:
        facts[WHITE_TOOK - me] -= taken
        token |= 1 << _TOKEN_SUICIDE
    elif taken:
        facts[BLACK_TOOK + me] += taken
        for i in range(4):
            if sides >> i & 1 and b.stones[b.near[cell, i]] == EMPTY:
                token |= 1 << (_TOKEN_SIDES + i)
        if taken == 1 and not facts[PAST] and b.many[cell] == 1 and b.head[cell] == cell and in_atari(b, cell):
            facts[KO] = b.points[b.facts[TAKEN]]
    if facts[PAST]:
        pos.history[facts[PAST] - 1] = 2 * move + me
        _remember(pos, b.facts[HASH])
    return token


def undo(pos: GoPosition, move: int, token: int) -> None:
    """Take a stone or a pass back."""
    _undo(pos, move, token)


@jit
def _undo(pos: GoPosition, move: int, token: int) -> None:
    b, facts = pos.board, pos.facts
    me = 1 - facts[TO_MOVE]
    facts[TO_MOVE] = me
    facts[TURN] -= 1
    facts[KO] = (token & 1023) - 1
    facts[PASSES] = token >> _TOKEN_PASSES & 3
    if move == len(b.cells):
        return
    if facts[PAST]:
        _forget(pos, b.facts[HASH])
        pos.history[facts[PAST] - 1] = 0
    cell = b.cells[move]
    if token >> _TOKEN_SUICIDE & 1:
        facts[WHITE_TOOK - me] -= put_back(b, cell, 1 + me)
    for i in range(4):
        near = b.near[cell, i]
        if token >> (_TOKEN_SIDES + i) & 1 and b.stones[near] == EMPTY:  # one chain may lie on two sides
            facts[BLACK_TOOK + me] -= put_back(b, near, 2 - me)
    pick_up(b, cell)


def copy(pos: GoPosition, into: GoPosition) -> None:
    """Make one position equal to another of the same game."""
    _copy(pos, into)


@jit
def _copy(pos: GoPosition, into: GoPosition) -> None:
    copy_board(pos.board, into.board)
    for i in range(len(pos.facts)):
        into.facts[i] = pos.facts[i]
    for i in range(len(pos.history)):
        into.history[i] = pos.history[i]
    for i in range(len(pos.seen)):
        into.seen[i] = pos.seen[i]
    for i in range(len(pos.first)):
        into.first[i] = pos.first[i]


def key(pos: GoPosition) -> int:
    """Return a key of all that decides what may follow: stones, mover, ko, passes, turn, past, counted prisoners."""
    facts = pos.facts
    word = facts[TO_MOVE] | facts[PASSES] << 1 | (facts[KO] + 1) << 3 | facts[TURN] << 13
    if facts[TERRITORY]:
        word |= (facts[BLACK_TOOK] - facts[WHITE_TOOK]) << 25
    return pos.board.facts[HASH] ^ facts[PAST_KEY] ^ _mixed(word)


def evaluate(pos: GoPosition, evaluation: int) -> int:
    """Return the margin if the game ended now."""
    return _margin(pos)


def promise(pos: GoPosition, move: int) -> int:
    """Return 0: nothing is known."""
    return 0


register(GoPosition, sys.modules[__name__])
