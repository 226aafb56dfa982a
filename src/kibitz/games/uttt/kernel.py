"""The compiled twin of rules.py and evaluate.py: a position in 29 words, for search.

Assumes what rules.py checks. The tests hold both to the same moves, results and
values on every ply of many random games.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.bits import lowest, popcount
from kibitz.compiled.jit import jit
from kibitz.compiled.position import register
from kibitz.core.agent import WIN
from kibitz.core.game import Game
from kibitz.core.game import State as AnyState
from kibitz.core.seeds import Stream
from kibitz.games.uttt import evaluate as readable
from kibitz.games.uttt.geometry import LINES
from kibitz.games.uttt.net import Net, learned_net
from kibitz.games.uttt.net_kernel import SCRATCH, learned
from kibitz.games.uttt.possible import DRAW, GOING_ON
from kibitz.games.uttt.rules import UNKNOWN, State, Uttt
from kibitz.games.uttt.text import DRAWN, EMPTY, FREE

MOVES = 81
ROOM = 81 + 8  # legal() writes nine places for the last board, however few are moves
LENGTH = 81
EVALUATIONS = {name: number for number, name in enumerate(readable.EVALUATIONS)}

# The words of a position. Marks of a board are nine bits, bit c for cell c;
# macro words have bit b for board b. Cells and boards are numbered
#   0 1 2
#   3 4 5
#   6 7 8
X, O = 0, 9  # noqa: E741  # words 0-8: X's marks in boards 0-8; 9-17: O's
WON = 18  # words 18 and 19: boards won by X, by O
SHUT = 20  # boards that take no more moves
TO_MOVE = 21  # 0 X, 1 O
FORCED = 22  # 0-8, or FREE (9)
RESULT = 23  # GOING_ON (0), 1 X won, 2 O won, DRAW (3)
KEY = 24  # xor of keys: marks, owners of boards, the forced board; see _forget_marks
EMPTIES = 25  # cells without a mark
CLOSED = 26  # option: 1 variant=closed, 0 open
COUNT = 27  # option: 1 tiebreak=count, 0 draw
MEMORY = 28  # four bits for each board, its cell played last; above them the board of the last move; NONE if unknown
WORDS = 29

FULL = 0b111111111
BOARD_WON = 16  # in a token, above the forced board: the move won its board,
BOARD_SHUT = 32  # and: the move shut its board;
TOKEN_MEMORY = 6  # from this bit on the memory before the move
NONE = 15
LAST_BOARD = 36  # the bit of MEMORY from which on the board of the last move lies


class Position(NamedTuple):
    """A position, and what its learned evaluation works with."""

    words: Ints
    """the words above, int64"""
    net: Net
    scratch: Any
    """int32, see net_kernel.py"""


def _mask(line: tuple[int, ...]) -> int:
    return sum(1 << i for i in line)


_HAS_LINE = np.array([any(m & _mask(line) == _mask(line) for line in LINES) for m in range(512)], dtype=np.int64)
_TERNARY = np.array([sum(3**i for i in range(9) if m >> i & 1) for m in range(512)], dtype=np.int64)
_EMPTIES = np.array([9 - m.bit_count() for m in range(512)], dtype=np.int64)
_EMPTY_CELLS = np.array([sorted(range(9), key=lambda c: m >> c & 1) for m in range(512)], dtype=np.int64)  # these first
# A 3x3 board is looked up at _TERNARY[marks of X] + 2 * _TERNARY[marks of O].
_BOARDS = np.arange(3**9)[:, None] // 3 ** np.arange(9) % 3  # 0 empty, 1 X, 2 O


def _open_lines() -> Any:
    """Return readable._open_lines of every 3x3 board."""
    total = np.zeros(3**9, np.int64)
    for line in LINES:
        x, o = ((_BOARDS[:, line] == mark).sum(axis=1) for mark in (1, 2))
        for mine, yours, sign in ((x, o, 1), (o, x, -1)):
            total += sign * np.where((mine > 0) & (yours == 0), np.where(mine == 2, 8, 1), 0)
    return total


_OPEN_LINES = _open_lines()
_SIGNS = (_BOARDS == 1).astype(np.int64) - (_BOARDS == 2)
_LINE_COUNTS = np.array(readable.LINE_COUNTS, dtype=np.int64)
_CELL_WEIGHTS = np.array(readable.CELL_WEIGHTS, dtype=np.int64)
_WEIGH_LINES = _SIGNS @ _LINE_COUNTS  # readable._weigh of every 3x3 board, with either kind of weights
_WEIGH_CELLS = _SIGNS @ _CELL_WEIGHTS
_IS_THIRD = np.array(  # [marks, cell] readable._is_third; for NONE 0
    [[any(m | 1 << c == m | _mask(line) for line in LINES if c in line) for c in range(16)] for m in range(512)],
    dtype=np.int64,
)


def _random_words(seed: int, n: int) -> Any:
    stream = Stream(seed)
    return np.array([stream.next() for _ in range(n)], dtype=np.uint64).view(np.int64)


_MARK_KEYS = _random_words(1, 162)  # 81 * player + move
_FORCED_KEYS = _random_words(2, 10)
_OWNER_KEYS = _random_words(3, 27)  # 9 * player + board; marks alone do not tell the owner when variant=open
_EMPTIES_KEY = 0x9E3779B97F4A7C  # times the number of empty cells


def pack(state: AnyState) -> Position:
    """Return a state as a position."""
    assert isinstance(state, State)
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
    words[SHUT] = _mask(tuple(b for b in range(9) if not state.takes_moves(b)))
    words[TO_MOVE], words[FORCED], words[RESULT] = state.to_move, state.forced, state.result
    words[CLOSED] = closed
    words[COUNT] = state.game.tiebreak == "count"
    last_board = UNKNOWN if state.last == UNKNOWN else state.last // 9
    words[MEMORY] = sum((part & NONE) << 4 * i for i, part in enumerate((*state.last_cells, last_board)))
    return Position(np.array(words, np.int64), learned_net(), np.zeros(SCRATCH, np.int32))


def unpack(pos: Position, game: Game) -> State:
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
    return State(
        game, tuple(cells), tuple(boards), words[TO_MOVE], words[FORCED], words[RESULT], last, tuple(last_cells)
    )


def _known(part: int) -> int:
    return UNKNOWN if part == NONE else part


# The operations of compiled/position.py, in its order.


def mover(pos: Position) -> int:
    """Return 0 for X, 1 for O."""
    return pos.words[TO_MOVE]


def over(pos: Position) -> bool:
    """Return whether there is a result."""
    return pos.words[RESULT] != GOING_ON


def final(pos: Position) -> int:
    """Return 0 for a draw, else WIN and the empty cells, negative for a loss."""
    w = pos.words
    if w[RESULT] == DRAW:
        return 0
    value = WIN + w[EMPTIES]
    return value if w[RESULT] == w[TO_MOVE] + 1 else -value


def legal(pos: Position, out: Ints, at: int) -> int:
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


def play(pos: Position, move: int) -> int:
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
    if _HAS_LINE[marks] and not (w[WON] | w[WON + 1]) & bit:
        token |= BOARD_WON
        w[WON + player] |= bit
        w[KEY] ^= _OWNER_KEYS[9 * player + board]
        if full or w[CLOSED]:
            token |= BOARD_SHUT
        if _HAS_LINE[w[WON + player]]:
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


def undo(pos: Position, move: int, token: int) -> None:
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


def copy(pos: Position, into: Position) -> None:
    """Copy all words."""
    for i in range(WORDS):
        into.words[i] = pos.words[i]


def key(pos: Position) -> int:
    """Return the key kept by play and undo, with the number of empty cells, on which the value of a won game hangs."""
    return pos.words[KEY] ^ pos.words[EMPTIES] * _EMPTIES_KEY


def evaluate(pos: Position, evaluation: int) -> int:
    """Return the evaluation of that number in EVALUATIONS."""
    w = pos.words
    if evaluation == 0:
        total = _winning(w)
    elif evaluation == 1:
        total = _recursive(w)
    elif evaluation == 2:
        total = _cells(w)
    elif evaluation == 3:
        return _cells_2014(w, w[TO_MOVE])
    elif evaluation == 4:
        return -_cells_2014(w, 1 - w[TO_MOVE])
    else:
        me = w[TO_MOVE]
        rules = w[COUNT] + 2 * (1 - w[CLOSED])
        return learned(w, me, w[WON + me], w[WON + 1 - me], w[FORCED], rules, pos.net, pos.scratch)
    return total if w[TO_MOVE] == 0 else -total


@jit
def _winning(w: Ints) -> int:
    """Return readable.winning for X. A drawn board has no open line, so it needs no case."""
    total: int = readable.MACRO_WEIGHT * _OPEN_LINES[_TERNARY[w[WON]] + 2 * _TERNARY[w[WON + 1]]]
    won = w[WON] | w[WON + 1]
    for b in range(9):
        if not won >> b & 1:
            total += _OPEN_LINES[_TERNARY[w[X + b]] + 2 * _TERNARY[w[O + b]]]
    return total


@jit
def _recursive(w: Ints) -> int:
    """Return readable.recursive for X."""
    total = 0
    for b in range(9):
        if w[WON] >> b & 1:
            total += _LINE_COUNTS[b] * readable.WON_BOARD
        elif w[WON + 1] >> b & 1:
            total -= _LINE_COUNTS[b] * readable.WON_BOARD
        elif w[X + b] | w[O + b] != FULL:
            total += _LINE_COUNTS[b] * _WEIGH_LINES[_TERNARY[w[X + b]] + 2 * _TERNARY[w[O + b]]]
    return total


@jit
def _cells(w: Ints) -> int:
    """Return readable.cells for X."""
    total: int = readable.CELLS_MACRO_WEIGHT * _WEIGH_CELLS[_TERNARY[w[WON]] + 2 * _TERNARY[w[WON + 1]]]
    for b in range(9):
        x, o, last = w[X + b], w[O + b], w[MEMORY] >> 4 * b & NONE
        if (w[WON] | w[WON + 1]) >> b & 1:
            total += readable.DECIDED_BOARD if w[WON] >> b & 1 else -readable.DECIDED_BOARD
        elif x | o == FULL:
            continue
        elif _IS_THIRD[o if x >> last & 1 else x, last]:
            total += readable.BLOCK if x >> last & 1 else -readable.BLOCK
        else:
            total += _WEIGH_CELLS[_TERNARY[x] + 2 * _TERNARY[o]]
    return total


@jit
def _cells_2014(w: Ints, player: int) -> int:
    """Return readable.judge_2014."""
    last_board = w[MEMORY] >> LAST_BOARD & NONE
    if last_board == NONE:
        return 0
    cell = w[MEMORY] >> 4 * last_board & NONE
    weight: int = _CELL_WEIGHTS[cell]
    macro: int = readable.BLOCK if _IS_THIRD[w[WON + player], last_board] else _CELL_WEIGHTS[last_board]
    total = readable.CELLS_MACRO_WEIGHT * macro
    for b in range(9):
        if (w[WON] | w[WON + 1]) >> b & 1:
            total += readable.DECIDED_BOARD if w[WON + player] >> b & 1 else -readable.DECIDED_BOARD
        elif w[X + b] | w[O + b] != FULL:
            total += readable.BLOCK if _IS_THIRD[w[9 * player + b], cell] else weight
    return total


register(Position, sys.modules[__name__])
