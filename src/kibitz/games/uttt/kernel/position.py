"""The compiled twin of rules.py: a position in the words of words.py, for search.

Assumes what rules.py checks. The tests hold both to the same moves, results and
values on every ply of many random games.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints, aligned_zeros
from kibitz.compiled.intrinsics import lowest, popcount
from kibitz.compiled.jit import jit
from kibitz.compiled.position import register
from kibitz.core.agent import WIN
from kibitz.core.game import Game, State
from kibitz.core.seeds import Stream
from kibitz.games.uttt.kernel.evaluate import value
from kibitz.games.uttt.kernel.layout import (
    BOARD_SHUT,
    BOARD_WON,
    CLOSED,
    COMPLETES,
    COUNT,
    EMPTIES,
    FORCED,
    FULL,
    HAS_LINE,
    KEY,
    LAST_BOARD,
    MEMORY,
    NONE,
    RESULT,
    SHUT,
    TO_MOVE,
    TOKEN_MEMORY,
    WON,
    WORDS,
    O,
    X,
    mask,
)  # fmt: skip
from kibitz.games.uttt.players.net import UtttNet, learned_net
from kibitz.games.uttt.players.net_kernel import SCRATCH
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.possible import DRAW, GOING_ON
from kibitz.games.uttt.rules.rules import UNKNOWN
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE

MOVES = 81
MAX_LEGAL_MOVES = 81 + 8  # legal() writes nine places for the last board, however few are moves
MAX_GAME_LENGTH = 81


class UtttPosition(NamedTuple):
    """A position, and what its learned evaluation works with."""

    words: Ints
    """int64, see words.py"""
    net: UtttNet
    scratch: Any
    """int32, see net_kernel.py"""


_EMPTIES = np.array([9 - m.bit_count() for m in range(512)], dtype=np.int64)
_EMPTY_CELLS = np.array([sorted(range(9), key=lambda c: m >> c & 1) for m in range(512)], dtype=np.int64)  # these first


def _random_words(seed: int, n: int) -> Any:
    stream = Stream(seed)
    return np.array([stream.next() for _ in range(n)], dtype=np.uint64).view(np.int64)


_MARK_KEYS = _random_words(1, 162)  # 81 * player + move
_FORCED_KEYS = _random_words(2, 10)
_OWNER_KEYS = _random_words(3, 27)  # 9 * player + board; marks alone do not tell the owner when variant=open
_EMPTIES_KEY = 0x9E3779B97F4A7C  # times the number of empty cells


def pack(state: State) -> UtttPosition:
    """Return a state as a position."""
    assert isinstance(state, UtttState)
    words, closed = [0] * WORDS, state.game.variant == "closed"
    words[EMPTIES] = state.cells.count(EMPTY)
    words[KEY] = int(_FORCED_KEYS[state.forced])
    for move, mark in enumerate(state.cells):
        if mark != EMPTY:
            words[9 * mark + move // 9] |= 1 << move % 9
            if not (closed and state.boards[move // 9] != EMPTY):
                words[KEY] ^= int(_MARK_KEYS[81 * mark + move])
    for b, owner in enumerate(state.boards):
        if owner in (0, 1):
            words[WON + owner] |= 1 << b
        if owner in (0, 1) or (closed and owner == DRAWN):
            words[KEY] ^= int(_OWNER_KEYS[9 * owner + b])
    words[SHUT] = mask(tuple(b for b in range(9) if not state.takes_moves(b)))
    words[TO_MOVE], words[FORCED], words[RESULT] = state.to_move, state.forced, state.result
    words[CLOSED] = closed
    words[COUNT] = state.game.tiebreak == "count"
    last_board = UNKNOWN if state.last == UNKNOWN else state.last // 9
    words[MEMORY] = sum((part & NONE) << 4 * i for i, part in enumerate((*state.last_cells, last_board)))
    return UtttPosition(np.array(words, np.int64), learned_net(), aligned_zeros(SCRATCH, np.int32))


def unpack(pos: UtttPosition, game: Game) -> UtttState:
    """Return a position as a state."""
    assert isinstance(game, Uttt)
    words = [int(pos.words[i]) for i in range(WORDS)]
    cells = [EMPTY] * 81
    boards = [EMPTY] * 9
    for b in range(9):
        for player, first in ((0, X), (1, O)):
            for c in range(9):
                if words[first + b] >> c & 1:
                    cells[9 * b + c] = player
            if words[WON + player] >> b & 1:
                boards[b] = player
        if boards[b] == EMPTY and words[X + b] | words[O + b] == FULL:
            boards[b] = DRAWN
    *last_cells, last_board = (_known(words[MEMORY] >> 4 * i & NONE) for i in range(10))
    last = UNKNOWN if last_board == UNKNOWN else 9 * last_board + last_cells[last_board]
    return UtttState(
        game, tuple(cells), tuple(boards), words[TO_MOVE], words[FORCED], words[RESULT], last, tuple(last_cells)
    )


def _known(part: int) -> int:
    return UNKNOWN if part == NONE else part


# The operations of compiled/position.py, in its order.


def mover(pos: UtttPosition) -> int:
    """Return 0 for X, 1 for O."""
    return pos.words[TO_MOVE]


def over(pos: UtttPosition) -> bool:
    """Return whether there is a result."""
    return pos.words[RESULT] != GOING_ON


def final(pos: UtttPosition) -> int:
    """Return 0 for a draw, else WIN and the empty cells, negative for a loss."""
    w = pos.words
    if w[RESULT] == DRAW:
        return 0
    value = WIN + w[EMPTIES]
    return value if w[RESULT] == w[TO_MOVE] + 1 else -value


def legal(pos: UtttPosition, out: Ints, at: int) -> int:
    """Write the empty cells of the forced board, or of all boards that take moves."""
    w = pos.words
    if w[RESULT] != GOING_ON:
        return 0
    n = at
    boards = FULL & ~w[SHUT] if w[FORCED] == FREE else 1 << w[FORCED]
    while boards:
        board = lowest(boards)
        boards &= boards - 1
        marks = w[X + board] | w[O + board]
        for i in range(9):  # always nine, of which the first count: twice as fast as a loop of unknown length
            out[n + i] = 9 * board + _EMPTY_CELLS[marks, i]
        n += _EMPTIES[marks]
    return n - at


def play(pos: UtttPosition, move: int) -> int:
    """Make a move; return what undo needs: the forced board, BOARD_WON, BOARD_SHUT and the memory."""
    w = pos.words
    player = w[TO_MOVE]
    board = _board_of(move)
    cell = move - 9 * board
    bit = 1 << board
    memory = w[MEMORY]
    token = w[FORCED] | memory << TOKEN_MEMORY
    w[MEMORY] = memory & ~(NONE << LAST_BOARD | NONE << 4 * board) | board << LAST_BOARD | cell << 4 * board
    marks = w[9 * player + board] | 1 << cell
    w[9 * player + board] = marks
    w[EMPTIES] -= 1
    w[TO_MOVE] = 1 - player
    full = marks | w[O - 9 * player + board] == FULL
    if HAS_LINE[marks] and not (w[WON] | w[WON + 1]) & bit:
        token |= BOARD_WON
        w[WON + player] |= bit
        w[KEY] ^= _OWNER_KEYS[9 * player + board]
        if full or w[CLOSED]:
            token |= BOARD_SHUT
        if HAS_LINE[w[WON + player]]:
            w[RESULT] = player + 1
    elif full:
        token |= BOARD_SHUT
    if token & BOARD_SHUT:
        w[SHUT] |= bit
        _forget_marks(w, board, token)
        if w[SHUT] == FULL and w[RESULT] == GOING_ON:
            w[RESULT] = _without_line(w)
    forced = FREE if w[SHUT] >> cell & 1 or w[RESULT] != GOING_ON else cell
    w[FORCED] = forced
    w[KEY] ^= _MARK_KEYS[81 * player + move] ^ _FORCED_KEYS[token & 15] ^ _FORCED_KEYS[forced]
    return token


@jit
def _board_of(move: int) -> int:
    """Return move // 9, without a division; right for 0 to 80."""
    return move * 57 >> 9


@jit
def _forget_marks(w: Ints, board: int, token: int) -> None:
    """Take the marks of a board just shut out of the key, or put them in again.

    When variant=closed nobody cares for them any more, only for the board's
    owner.
    """
    if not w[CLOSED]:
        return
    for player in range(2):
        marks = w[9 * player + board]
        while marks:
            w[KEY] ^= _MARK_KEYS[81 * player + 9 * board + lowest(marks)]
            marks &= marks - 1
    if not token & BOARD_WON:
        w[KEY] ^= _OWNER_KEYS[9 * DRAWN + board]


@jit
def _without_line(w: Ints) -> int:
    """Return the result when every board is shut and no three are in a row."""
    lead = popcount(w[WON]) - popcount(w[WON + 1])
    if lead == 0 or not w[COUNT]:
        return DRAW
    return 1 if lead > 0 else 2


def undo(pos: UtttPosition, move: int, token: int) -> None:
    """Take a move back."""
    w = pos.words
    player = 1 - w[TO_MOVE]
    board = _board_of(move)
    if token & BOARD_SHUT:
        w[SHUT] ^= 1 << board
        _forget_marks(w, board, token)
    w[9 * player + board] ^= 1 << (move - 9 * board)
    w[EMPTIES] += 1
    w[TO_MOVE] = player
    if token & BOARD_WON:
        w[WON + player] ^= 1 << board
        w[KEY] ^= _OWNER_KEYS[9 * player + board]
    w[RESULT] = GOING_ON
    w[MEMORY] = token >> TOKEN_MEMORY
    w[KEY] ^= _MARK_KEYS[81 * player + move] ^ _FORCED_KEYS[token & 15] ^ _FORCED_KEYS[w[FORCED]]
    w[FORCED] = token & 15


def copy(pos: UtttPosition, into: UtttPosition) -> None:
    """Copy all words."""
    for i in range(WORDS):
        into.words[i] = pos.words[i]


def key(pos: UtttPosition) -> int:
    """Return the key kept by play and undo, with the number of empty cells, on which the value of a won game hangs."""
    return pos.words[KEY] ^ pos.words[EMPTIES] * _EMPTIES_KEY


def evaluate(pos: UtttPosition, evaluation: int) -> int:
    """Return an evaluation by its place in EVALUATIONS of evaluate.py."""
    return value(pos.words, pos.net, pos.scratch, evaluation)


def promise(pos: UtttPosition, move: int) -> int:
    """Count for a move that it wins or saves its board, and against it where it sends the opponent."""
    w = pos.words
    me, board = w[TO_MOVE], _board_of(move)
    cell = move - 9 * board
    decided = w[WON] | w[WON + 1]
    total = 0
    if not decided >> board & 1:
        total += 3 * (COMPLETES[w[9 * me + board]] >> cell & 1)
        total += 2 * (COMPLETES[w[O - 9 * me + board]] >> cell & 1)
    if w[SHUT] >> cell & 1:
        total -= 3
    elif cell != board and not decided >> cell & 1 and COMPLETES[w[O - 9 * me + cell]] & ~w[9 * me + cell]:
        total -= 2
    return total


register(UtttPosition, sys.modules[__name__])
