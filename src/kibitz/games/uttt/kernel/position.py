"""The compiled twin of rules.py: a position in the words of layout.py, for search.

Does not repeat the checks of rules.py: moves must be legal. The tests play many random games
and compare the moves, results and values of the two.
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
from kibitz.core.seeds import Stream
from kibitz.games.uttt.kernel import layout as at
from kibitz.games.uttt.kernel.evaluate import value
from kibitz.games.uttt.players.net import UtttNet, net_of_positions
from kibitz.games.uttt.players.net_kernel import SCRATCH
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.possible import DRAW, GOING_ON
from kibitz.games.uttt.rules.rules import UNKNOWN
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE

MOVES = 81
MAX_LEGAL_MOVES = 81 + 8  # legal() always writes nine entries for the last board
MAX_GAME_LENGTH = 81


class UtttPosition(NamedTuple):
    """A position, with the net that its learned evaluation uses."""

    words: Ints
    """int64, see layout.py"""
    net: UtttNet
    scratch: Any
    """int32, see net_kernel.py"""


_EMPTY_COUNTS = np.array([9 - m.bit_count() for m in range(512)], dtype=np.int64)
_EMPTY_CELLS = np.array(
    [sorted(range(9), key=lambda c: m >> c & 1) for m in range(512)], dtype=np.int64
)  # empty cells first


def _random_keys(seed: int, n: int) -> Any:
    stream = Stream(seed)
    return np.array([stream.next() for _ in range(n)], dtype=np.uint64).view(np.int64)


_MARK_KEYS = _random_keys(1, 162)  # 81 * player + move
_FORCED_KEYS = _random_keys(2, 10)
_OWNER_KEYS = _random_keys(3, 27)  # 9 * owner + board; if variant=open, marks do not tell the owner
_EMPTIES_KEY = 0x9E3779B97F4A7C  # times the number of empty cells


def pack(state: UtttState) -> UtttPosition:
    """Convert a state of the rules to a compiled position."""
    words, closed = [0] * at.WORDS, state.game.variant == "closed"
    words[at.EMPTIES] = state.cells.count(EMPTY)
    words[at.KEY] = int(_FORCED_KEYS[state.forced])
    for move, mark in enumerate(state.cells):
        if mark != EMPTY:
            words[9 * mark + move // 9] |= 1 << move % 9
            if not (closed and state.boards[move // 9] != EMPTY):
                words[at.KEY] ^= int(_MARK_KEYS[81 * mark + move])
    for b, owner in enumerate(state.boards):
        if owner in (0, 1):
            words[at.WON + owner] |= 1 << b
        if owner in (0, 1) or (closed and owner == DRAWN):
            words[at.KEY] ^= int(_OWNER_KEYS[9 * owner + b])
    words[at.SHUT] = at.mask(tuple(b for b in range(9) if not state.takes_moves(b)))
    words[at.TO_MOVE], words[at.FORCED], words[at.RESULT] = state.to_move, state.forced, state.result
    words[at.CLOSED] = closed
    words[at.COUNT] = state.game.tiebreak == "count"
    last_board = UNKNOWN if state.last == UNKNOWN else state.last // 9
    words[at.MEMORY] = sum((part & at.UNKNOWN_CELL) << 4 * i for i, part in enumerate((*state.last_cells, last_board)))
    return UtttPosition(np.array(words, np.int64), net_of_positions(), aligned_zeros(SCRATCH, np.int32))


def unpack(pos: UtttPosition, game: Uttt) -> UtttState:
    """Convert a compiled position to a state of the rules."""
    words = [int(pos.words[i]) for i in range(at.WORDS)]
    cells = [EMPTY] * 81
    boards = [EMPTY] * 9
    for b in range(9):
        for player, first in ((0, at.X), (1, at.O)):
            for c in range(9):
                if words[first + b] >> c & 1:
                    cells[9 * b + c] = player
            if words[at.WON + player] >> b & 1:
                boards[b] = player
        if boards[b] == EMPTY and words[at.X + b] | words[at.O + b] == at.FULL:
            boards[b] = DRAWN
    *last_cells, last_board = (_known(words[at.MEMORY] >> 4 * i & at.UNKNOWN_CELL) for i in range(10))
    last = UNKNOWN if last_board == UNKNOWN else 9 * last_board + last_cells[last_board]
    to_move, forced, result = words[at.TO_MOVE], words[at.FORCED], words[at.RESULT]
    return UtttState(game, tuple(cells), tuple(boards), to_move, forced, result, last, tuple(last_cells))


def _known(part: int) -> int:
    return UNKNOWN if part == at.UNKNOWN_CELL else part


# The operations of compiled/position.py, in its order.


def mover(pos: UtttPosition) -> int:
    """Return the player to move: 0 for X, 1 for O."""
    return pos.words[at.TO_MOVE]


def over(pos: UtttPosition) -> bool:
    """Return whether the game is over."""
    return pos.words[at.RESULT] != GOING_ON


def final(pos: UtttPosition) -> int:
    """Return the final value for the player to move: 0 for a draw, else WIN plus the empty cells, negative if lost."""
    w = pos.words
    if w[at.RESULT] == DRAW:
        return 0
    value = WIN + w[at.EMPTIES]
    return value if w[at.RESULT] == w[at.TO_MOVE] + 1 else -value


def legal(pos: UtttPosition, out: Ints, start: int) -> int:
    """Write the empty cells of the forced board, or of all open boards, to out[start:]; return their number."""
    w = pos.words
    if w[at.RESULT] != GOING_ON:
        return 0
    n = start
    boards = at.FULL & ~w[at.SHUT] if w[at.FORCED] == FREE else 1 << w[at.FORCED]
    while boards:
        board = lowest(boards)
        boards &= boards - 1
        marks = w[at.X + board] | w[at.O + board]
        for i in range(9):  # nine even if fewer are empty: twice as fast as a loop of unknown length
            out[n + i] = 9 * board + _EMPTY_CELLS[marks, i]
        n += _EMPTY_COUNTS[marks]
    return n - start


def play(pos: UtttPosition, move: int) -> int:
    """Make a move; return the token (see layout.py) with which undo() takes it back."""
    w = pos.words
    player = w[at.TO_MOVE]
    board = _board_of(move)
    cell = move - 9 * board
    bit = 1 << board
    memory = w[at.MEMORY]
    token = w[at.FORCED] | memory << at.TOKEN_MEMORY_SHIFT
    w[at.MEMORY] = at.remember(memory, board, cell)
    marks = w[9 * player + board] | 1 << cell
    w[9 * player + board] = marks
    w[at.EMPTIES] -= 1
    w[at.TO_MOVE] = 1 - player
    full = marks | w[at.O - 9 * player + board] == at.FULL
    if at.HAS_LINE[marks] and not at.decided(w) & bit:
        token |= at.BOARD_WON
        w[at.WON + player] |= bit
        w[at.KEY] ^= _OWNER_KEYS[9 * player + board]
        if full or w[at.CLOSED]:
            token |= at.BOARD_SHUT
        if at.HAS_LINE[w[at.WON + player]]:
            w[at.RESULT] = player + 1
    elif full:
        token |= at.BOARD_SHUT
    if token & at.BOARD_SHUT:
        w[at.SHUT] |= bit
        _toggle_marks(w, board, token)
        if w[at.SHUT] == at.FULL and w[at.RESULT] == GOING_ON:
            w[at.RESULT] = _result_without_line(w)
    forced = FREE if w[at.SHUT] >> cell & 1 or w[at.RESULT] != GOING_ON else cell
    w[at.FORCED] = forced
    w[at.KEY] ^= _MARK_KEYS[81 * player + move] ^ _FORCED_KEYS[token & 15] ^ _FORCED_KEYS[forced]
    return token


@jit
def _board_of(move: int) -> int:
    """Return move // 9 for moves 0 to 80, without a division."""
    return move * 57 >> 9


@jit
def _toggle_marks(w: Ints, board: int, token: int) -> None:
    """Toggle the marks of a closed board in the hash key: once a board is closed, only its owner matters."""
    if not w[at.CLOSED]:
        return
    for player in range(2):
        marks = w[9 * player + board]
        while marks:
            w[at.KEY] ^= _MARK_KEYS[81 * player + 9 * board + lowest(marks)]
            marks &= marks - 1
    if not token & at.BOARD_WON:
        w[at.KEY] ^= _OWNER_KEYS[9 * DRAWN + board]


@jit
def _result_without_line(w: Ints) -> int:
    """Return the result when all boards are shut and nobody has three in a row."""
    lead = popcount(w[at.WON]) - popcount(w[at.WON + 1])
    if lead == 0 or not w[at.COUNT]:
        return DRAW
    return 1 if lead > 0 else 2


def undo(pos: UtttPosition, move: int, token: int) -> None:
    """Take back a move, given the token that play() returned."""
    w = pos.words
    player = 1 - w[at.TO_MOVE]
    board = _board_of(move)
    if token & at.BOARD_SHUT:
        w[at.SHUT] ^= 1 << board
        _toggle_marks(w, board, token)
    w[9 * player + board] ^= 1 << (move - 9 * board)
    w[at.EMPTIES] += 1
    w[at.TO_MOVE] = player
    if token & at.BOARD_WON:
        w[at.WON + player] ^= 1 << board
        w[at.KEY] ^= _OWNER_KEYS[9 * player + board]
    w[at.RESULT] = GOING_ON
    w[at.MEMORY] = token >> at.TOKEN_MEMORY_SHIFT
    w[at.KEY] ^= _MARK_KEYS[81 * player + move] ^ _FORCED_KEYS[token & 15] ^ _FORCED_KEYS[w[at.FORCED]]
    w[at.FORCED] = token & 15


def copy(pos: UtttPosition, into: UtttPosition) -> None:
    """Copy the words of a position into another."""
    for i in range(at.WORDS):
        into.words[i] = pos.words[i]


def key(pos: UtttPosition) -> int:
    """Return the hash key: the KEY word, combined with the number of empty cells, because final() depends on that."""
    return pos.words[at.KEY] ^ pos.words[at.EMPTIES] * _EMPTIES_KEY


def evaluate(pos: UtttPosition, evaluation: int) -> int:
    """Return the value of a position for the player to move; evaluation: an index into evaluate.EVALUATIONS."""
    return value(pos.words, pos.net, pos.scratch, evaluation)


def quick_score(pos: UtttPosition, move: int) -> int:
    """Score a move for ordering: plus for winning or saving its board, minus for where it sends the opponent."""
    w = pos.words
    me, board = w[at.TO_MOVE], _board_of(move)
    cell = move - 9 * board
    decided = at.decided(w)
    total = 0
    if not decided >> board & 1:
        total += 3 * (at.COMPLETES[w[9 * me + board]] >> cell & 1)
        total += 2 * (at.COMPLETES[w[at.O - 9 * me + board]] >> cell & 1)
    if w[at.SHUT] >> cell & 1:
        total -= 3
    elif cell != board and not decided >> cell & 1 and at.COMPLETES[w[at.O - 9 * me + cell]] & ~w[9 * me + cell]:
        total -= 2
    return total


register(UtttPosition, sys.modules[__name__])
