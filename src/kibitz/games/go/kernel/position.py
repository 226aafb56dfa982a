"""The compiled twin of rules/rules.py: positions stored in arrays, for searches.

Does not check what rules.py checks. Tests compare the moves, results and values
of both on every ply of many random games.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import register
from kibitz.games.go.kernel import board as board_kernel
from kibitz.games.go.kernel.board import HASH, NO_STONES, STONE_KEYS, TAKEN, BoardArrays, cells_of, in_atari
from kibitz.games.go.rules import BLACK, EMPTY, MAX_BOARD_SIZE, NO_KO, WHITE, Board, Go, GoState

MOVES = MAX_LEGAL_MOVES = MAX_BOARD_SIZE**2 + 1
MAX_GAME_LENGTH = Go(MAX_BOARD_SIZE).max_game_length

TO_MOVE, KO, PASSES, TURN, BLACK_TOOK, WHITE_TOOK, PAST, PAST_KEY, LIMIT, KOMI, SUICIDE, TERRITORY = range(12)
"""Indices into GoPosition.facts: player to move; point forbidden by ko, or NO_KO (-1); passes just made; moves made;
prisoners taken by Black and by White; number of past boards, 0 with ko=simple; xor of their mixed hashes; maximum
number of moves; komi in quarter points; 1 if suicide is legal; 1 for territory scoring, 0 for area."""
_FACTS = 12

# The token that play returns for undo, from the low bits up: the previous ko point plus 1 (10 bits), the previous
# passes (2), the sides on which chains were captured (4), whether it was a suicide (1).
_TOKEN_PASSES, _TOKEN_SIDES, _TOKEN_SUICIDE = 10, 12, 16
_TOKEN_KO_MASK = (1 << _TOKEN_PASSES) - 1


class GoPosition(NamedTuple):
    """A position and its history."""

    board: BoardArrays
    facts: Ints  # int64: indexed by TO_MOVE to TERRITORY
    history: Ints  # int64 [move]: the stones put on the first board, each 2 * point + player; 0 where unused
    seen: Ints
    """int64: the hashes of all boards so far, including the current one: a hash table with linear probing. Its length
    is a power of two; 0 marks a free slot"""
    first: Ints  # int8 [point]: the board that the game started from, with ko=positional


_MIX: Ints = board_kernel.random_words(22, 8 * 256).reshape(8, 256)


def pack(state: GoState) -> GoPosition:
    """Convert a state of the rules to a compiled position."""
    game = state.game
    board = board_kernel.new_board(game.size)
    for cell, code in zip(cells_of(game.size).tolist(), state.board.points, strict=True):
        board.stones[cell] = code
    positional = game.ko == "positional"
    pos = GoPosition(
        board=board,
        facts=np.zeros(_FACTS, np.int64),
        history=np.zeros(game.max_game_length if positional else 1, np.int64),
        seen=np.zeros(1 << (2 * game.max_game_length).bit_length() if positional else 1, np.int64),
        first=np.frombuffer(state.first or bytes(game.size**2), np.uint8).astype(np.int8),
    )
    facts = pos.facts
    facts[TO_MOVE], facts[KO], facts[PASSES], facts[TURN] = state.to_move, state.ko, state.passes, state.turn
    facts[BLACK_TOOK], facts[WHITE_TOOK] = state.prisoners
    facts[LIMIT], facts[KOMI] = game.max_game_length, round(4 * game.komi)
    facts[SUICIDE], facts[TERRITORY] = game.suicide, game.scoring == "territory"
    for i, stone in enumerate(state.history):
        pos.history[i] = stone
    _set_up(pos, np.array([_hash_of(game.size, points) for points in state.past], np.int64))
    return pos


@entry
def _set_up(pos: GoPosition, past: Ints) -> None:
    """Build the chains, and add the hashes in `past` to the past boards."""
    board_kernel.rebuild_all(pos.board)
    for i in range(len(past)):
        _remember(pos, past[i])


def _hash_of(size: int, points: bytes) -> int:
    """Return the hash that the kernel computes for a board."""
    codes = np.frombuffer(points, np.uint8)
    keys = np.asarray(STONE_KEYS)[codes, cells_of(size)]
    return int(np.bitwise_xor.reduce(keys[codes != EMPTY], initial=np.int64(NO_STONES)))


def unpack(pos: GoPosition, game: Go) -> GoState:
    """Convert a compiled position to a state of the rules."""
    facts = [int(pos.facts[i]) for i in range(_FACTS)]
    points = bytes(int(pos.board.stones[cell]) for cell in cells_of(game.size).tolist())
    positional = game.ko == "positional"
    return GoState(
        game,
        Board(game.size, points),
        facts[TO_MOVE],
        facts[KO],
        facts[PASSES],
        (facts[BLACK_TOOK], facts[WHITE_TOOK]),
        facts[TURN],
        np.asarray(pos.first).astype(np.uint8).tobytes() if positional else b"",
        tuple(int(pos.history[i]) for i in range(facts[PAST] - 1)) if positional else (),
    )


@jit
def _remember(pos: GoPosition, key: int) -> None:
    """Add a board, given by its hash, to the past boards."""
    slot = key & (len(pos.seen) - 1)
    while pos.seen[slot]:
        slot = (slot + 1) & (len(pos.seen) - 1)
    pos.seen[slot] = key
    pos.facts[PAST] += 1
    pos.facts[PAST_KEY] ^= _scrambled(key)


@jit
def _forget(pos: GoPosition, key: int) -> None:
    """Remove the most recently added board, given by its hash, from the past boards."""
    pos.seen[_slot(pos, key)] = 0
    pos.facts[PAST] -= 1
    pos.facts[PAST_KEY] ^= _scrambled(key)


@jit
def _slot(pos: GoPosition, key: int) -> int:
    """Return the slot in `seen` of a board hash, or -1 if no past board has it."""
    slot = key & (len(pos.seen) - 1)
    while pos.seen[slot]:
        if pos.seen[slot] == key:
            return slot
        slot = (slot + 1) & (len(pos.seen) - 1)
    return -1


@jit
def _scrambled(word: int) -> int:
    """Return a word scrambled by tabulation hashing, so that the xor of several words is a good hash of the set."""
    mixed = 0
    for i in range(8):
        mixed ^= _MIX[i, (word >> 8 * i) & 255]
    return mixed


# The operations that compiled/position.py requires, in its order. A search inlines each of them wherever it is used, so
# large ones only call a compiled function: inlining their code would make a search compile for half a minute.


def mover(pos: GoPosition) -> int:
    """Return the player to move: 0 for Black, 1 for White."""
    return pos.facts[TO_MOVE]


def over(pos: GoPosition) -> bool:
    """Return whether both players have just passed, or the game has reached its move limit."""
    return _is_over(pos)


@jit
def _is_over(pos: GoPosition) -> bool:
    return pos.facts[PASSES] == 2 or pos.facts[TURN] >= pos.facts[LIMIT]


def final(pos: GoPosition) -> int:
    """Return by how many points the player to move is ahead, rounded away from zero."""
    return _margin(pos)


@jit
def _margin(pos: GoPosition) -> int:
    facts = pos.facts
    points = board_kernel.black_lead(pos.board, 1 - facts[TERRITORY])
    if facts[TERRITORY]:
        points += facts[BLACK_TOOK] - facts[WHITE_TOOK]
    quarters = 4 * points - facts[KOMI]
    if facts[TO_MOVE]:
        quarters = -quarters
    return (quarters + 3) >> 2 if quarters > 0 else -((3 - quarters) >> 2)


def legal(pos: GoPosition, out: Ints, at: int) -> int:
    """Write the legal points in ascending order, then the pass, to out[at:]; return how many moves were written."""
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
        if not pos.facts[SUICIDE] and not _would_have_liberty(b, cell, colour):
            continue
        if past and _slot(pos, _hash_after(b, cell, colour)) >= 0:
            continue
        out[n] = point
        n += 1
    out[n] = len(b.cells)
    return n + 1 - at


@jit
def _would_have_liberty(b: BoardArrays, cell: int, colour: int) -> bool:
    """Return whether a stone placed here would have a liberty, counting those gained by captures."""
    for side in range(4):
        near = b.near[cell, side]
        code = b.stones[near]
        if code == EMPTY:
            return True
        if code in (BLACK, WHITE) and in_atari(b, b.head[near]) == (code != colour):
            return True
    return False


@jit
def _hash_after(b: BoardArrays, cell: int, colour: int) -> int:
    """Return the hash of the board after a stone of this colour is placed, captures and suicide included."""
    key = b.facts[HASH]
    is_suicide = not _would_have_liberty(b, cell, colour)
    if not is_suicide:
        key ^= STONE_KEYS[colour, cell]
    removed_colour = colour if is_suicide else BLACK + WHITE - colour  # of the adjacent chains in atari
    for i in range(4):
        head = b.head[b.near[cell, i]]
        if b.stones[b.near[cell, i]] != removed_colour or not in_atari(b, head):
            continue
        for j in range(i):
            if b.head[b.near[cell, j]] == head:
                break
        else:
            key ^= b.hashes[head]
    return key


def play(pos: GoPosition, move: int) -> int:
    """Make a move (a stone or a pass); return the token that undo needs."""
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
    taken = board_kernel.put(b, cell, 1 + me)
    if taken < 0:
        facts[WHITE_TOOK - me] -= taken
        token |= 1 << _TOKEN_SUICIDE
    elif taken:
        facts[BLACK_TOOK + me] += taken
        for i in range(4):
            if sides >> i & 1 and b.stones[b.near[cell, i]] == EMPTY:
                token |= 1 << (_TOKEN_SIDES + i)
        if taken == 1 and not facts[PAST] and b.stone_count[cell] == 1 and b.head[cell] == cell and in_atari(b, cell):
            facts[KO] = b.points[b.facts[TAKEN]]
    if facts[PAST]:
        pos.history[facts[PAST] - 1] = 2 * move + me
        _remember(pos, b.facts[HASH])
    return token


def undo(pos: GoPosition, move: int, token: int) -> None:
    """Take back the last move, given the token that play returned for it."""
    _undo(pos, move, token)


@jit
def _undo(pos: GoPosition, move: int, token: int) -> None:
    b, facts = pos.board, pos.facts
    me = 1 - facts[TO_MOVE]
    facts[TO_MOVE] = me
    facts[TURN] -= 1
    facts[KO] = (token & _TOKEN_KO_MASK) - 1
    facts[PASSES] = token >> _TOKEN_PASSES & 3
    if move == len(b.cells):
        return
    if facts[PAST]:
        _forget(pos, b.facts[HASH])
        pos.history[facts[PAST] - 1] = 0
    cell = b.cells[move]
    if token >> _TOKEN_SUICIDE & 1:
        facts[WHITE_TOOK - me] -= board_kernel.restore_chain(b, cell, 1 + me)
    for i in range(4):
        near = b.near[cell, i]
        if token >> (_TOKEN_SIDES + i) & 1 and b.stones[near] == EMPTY:  # a chain on two sides is restored once
            facts[BLACK_TOOK + me] -= board_kernel.restore_chain(b, near, 2 - me)
    board_kernel.remove_stone(b, cell)


def copy(pos: GoPosition, into: GoPosition) -> None:
    """Copy a position into another one of the same game."""
    _copy(pos, into)


@jit
def _copy(pos: GoPosition, into: GoPosition) -> None:
    board_kernel.copy_board(pos.board, into.board)
    for i in range(len(pos.facts)):
        into.facts[i] = pos.facts[i]
    for i in range(len(pos.history)):
        into.history[i] = pos.history[i]
    for i in range(len(pos.seen)):
        into.seen[i] = pos.seen[i]
    for i in range(len(pos.first)):
        into.first[i] = pos.first[i]


def key(pos: GoPosition) -> int:
    """Return a hash of all that affects the rest of the game: stones, mover, ko, passes, turn, history, prisoners."""
    facts = pos.facts
    word = facts[TO_MOVE] | facts[PASSES] << 1 | (facts[KO] + 1) << 3 | facts[TURN] << 13
    if facts[TERRITORY]:
        word |= (facts[BLACK_TOOK] - facts[WHITE_TOOK]) << 25
    return pos.board.facts[HASH] ^ facts[PAST_KEY] ^ _scrambled(word)


def evaluate(pos: GoPosition, evaluation: int) -> int:
    """Return the lead in points of the player to move if the game ended now; "score" is the only evaluation."""
    return _margin(pos)


def quick_score(pos: GoPosition, move: int) -> int:
    """Return 0: the kernel does not order moves."""
    return 0


register(GoPosition, sys.modules[__name__])
