"""The compiled twin of rules.py and evaluate.py: a position in 28 words, for search.

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
from kibitz.games.uttt.geometry import LINES, LINES_THROUGH
from kibitz.games.uttt.possible import DRAW, GOING_ON
from kibitz.games.uttt.rules import State, Uttt
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
KEY = 24  # xor of the keys of all marks, of the owners of boards and of the forced board
EMPTIES = 25  # cells without a mark
CLOSED = 26  # option: 1 variant=closed, 0 open
COUNT = 27  # option: 1 tiebreak=count, 0 draw
WORDS = 28

FULL = 0b111111111
BOARD_WON = 16  # in a token, above the forced board: the move won its board,
BOARD_SHUT = 32  # and: the move shut its board


class Position(NamedTuple):
    """The words above, int64."""

    words: Ints


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
_CELLS = ((_BOARDS == 1).astype(np.int64) - (_BOARDS == 2)) @ [len(lines) for lines in LINES_THROUGH]
_BOARD_WEIGHT = np.array([len(lines) for lines in LINES_THROUGH], dtype=np.int64)


def _random_words(seed: int, n: int) -> Any:
    stream = Stream(seed)
    return np.array([stream.next() for _ in range(n)], dtype=np.uint64).view(np.int64)


_MARK_KEYS = _random_words(1, 162)  # 81 * player + move
_FORCED_KEYS = _random_words(2, 10)
_OWNER_KEYS = _random_words(3, 18)  # 9 * player + board; marks alone do not tell the owner when variant=open


def pack(state: AnyState) -> Position:
    """Return a state as a position."""
    assert isinstance(state, State)
    words = np.zeros(WORDS, np.int64)
    for player, first in ((0, X), (1, O)):
        words[WON + player] = _mask(tuple(b for b in range(9) if state.boards[b] == player))
        for b in range(9):
            words[first + b] = _mask(tuple(c for c in range(9) if state.cells[9 * b + c] == player))
    words[SHUT] = _mask(tuple(b for b in range(9) if not state.takes_moves(b)))
    words[TO_MOVE], words[FORCED], words[RESULT] = state.to_move, state.forced, state.result
    words[KEY] = _FORCED_KEYS[state.forced]
    for move, mark in enumerate(state.cells):
        if mark != EMPTY:
            words[KEY] ^= _MARK_KEYS[81 * mark + move]
    for b, owner in enumerate(state.boards):
        if owner in (0, 1):
            words[KEY] ^= _OWNER_KEYS[9 * owner + b]
    words[EMPTIES] = state.cells.count(EMPTY)
    words[CLOSED] = state.game.variant == "closed"
    words[COUNT] = state.game.tiebreak == "count"
    return Position(words)


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
    return State(game, tuple(cells), tuple(boards), words[TO_MOVE], words[FORCED], words[RESULT])


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
    """Make a move; return what undo needs: the forced board, BOARD_WON and BOARD_SHUT."""
    w = pos.words
    player = w[TO_MOVE]
    board = _board_of(move)
    cell = move - 9 * board
    bit = 1 << board
    token = w[FORCED]
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
    w[9 * player + board] ^= 1 << (move - 9 * board)
    w[EMPTIES] += 1
    w[TO_MOVE] = player
    if token & BOARD_WON:
        w[WON + player] ^= 1 << board
        w[KEY] ^= _OWNER_KEYS[9 * player + board]
    if token & BOARD_SHUT:
        w[SHUT] ^= 1 << board
    w[RESULT] = GOING_ON
    w[KEY] ^= _MARK_KEYS[81 * player + move] ^ _FORCED_KEYS[token & 15] ^ _FORCED_KEYS[w[FORCED]]
    w[FORCED] = token & 15


def copy(pos: Position, into: Position) -> None:
    """Copy all words."""
    for i in range(WORDS):
        into.words[i] = pos.words[i]


def key(pos: Position) -> int:
    """Return the key kept by play and undo."""
    return pos.words[KEY]


def evaluate(pos: Position, evaluation: int) -> int:
    """Return the evaluation of that number in EVALUATIONS."""
    total = _winning(pos.words) if evaluation == 0 else _recursive(pos.words)
    return total if pos.words[TO_MOVE] == 0 else -total


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
            total += _BOARD_WEIGHT[b] * readable.WON_BOARD
        elif w[WON + 1] >> b & 1:
            total -= _BOARD_WEIGHT[b] * readable.WON_BOARD
        elif w[X + b] | w[O + b] != FULL:
            total += _BOARD_WEIGHT[b] * _CELLS[_TERNARY[w[X + b]] + 2 * _TERNARY[w[O + b]]]
    return total


register(Position, sys.modules[__name__])
