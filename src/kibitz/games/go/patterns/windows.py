"""Keys of windows around each move of a game and on its final board, and of whole boards.

Kernels and the functions that call them. A kernel's board has a border as wide as the radius of the shape. Keys of
windows are those of shapes.py; a whole board has a hash shared by all its symmetries, updated change by change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from kibitz.compiled.arrays import AnyArray, Int8Array, Int32Array, Int64Array, Ints, Uint16Array
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.patterns.shapes import FULL, LOW_BITS, OFF_BOARD, Window, parse_shape
from kibitz.games.go.records.changes import symmetry_tables
from kibitz.games.go.records.changes_kernel import IMAGES, SymmetryTables
from kibitz.games.go.records.layout import NOT_A_MOVE, TAKEN, colour_of, is_move, point_of
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board
from kibitz.games.go.sgf.record import PASS, POINT_BITS, move_of, setup_of

NO_WINDOW = -1 << 63  # the key of an empty window, or of one across the edge where those are excluded
MAX_KEY = (1 << 63) - 1
WHOLE_GAME = -1  # in place of a number of moves
MOVE_FACTOR = 0x2545F4914F6CDD1D  # a stone's key times this is the key of the move there
SIGN_CODES = np.frombuffer(b".XO", np.uint8)  # [colour]: its character, in ASCII


class GameSpans(NamedTuple):
    """Games of a store, as spans of its changes."""

    changes: Uint16Array  # of all games of the store
    starts: Int64Array  # [game]: where its changes begin
    ends: Int64Array


class FinalRules(NamedTuple):
    """Which windows of final boards to take, and how."""

    canonical: bool  # whether keys are the least of 16 forms, or those of windows as they lie
    edges: bool  # whether windows may cross the edge
    captures: bool  # whether captured stones leave the board; if not, they stay until replaced


@jit
def cell_of(window: Window, point: int) -> int:
    """Return the cell of a point on the window's board, which has a border as wide as the radius."""
    stride = window.size + 2 * window.radius
    return (point // window.size + window.radius) * stride + point % window.size + window.radius


@jit
def clear_board(window: Window) -> None:
    """Remove all stones from the window's board, and mark its border as OFF_BOARD."""
    for cell in range(len(window.board)):
        window.board[cell] = OFF_BOARD
    for row in range(window.size):
        start = cell_of(window, row * window.size)
        for cell in range(start, start + window.size):
            window.board[cell] = EMPTY


@jit
def swap_colours(key: int) -> int:
    """Return an exact key with black and white swapped."""
    return (key & LOW_BITS) << 1 | (key >> 1) & LOW_BITS


@jit
def exact_key(window: Window, cell: int) -> int:
    """Return the exact key of the window around a cell, as it lies on the board."""
    key = 0
    for place in range(len(window.offsets)):
        key |= int(window.board[cell + window.offsets[place]]) << 2 * place
    return key


@jit
def turn_key(window: Window, key: int, image: int) -> int:
    """Return the exact key of a window turned by a symmetry: table lookups for four points at a time."""
    turned = 0
    for chunk in range(window.spread.shape[1]):
        turned |= window.spread[image, chunk, key >> 8 * chunk & 255]
    return turned


@jit
def least_turned(window: Window, key: int) -> int:
    """Return the least key among the eight symmetries of an exact key."""
    least = key
    for image in range(1, 8):
        turned = turn_key(window, key, image)
        if turned < least:
            least = turned
    return least


@jit
def _least_hash(window: Window, cell: int, colour: int, either_side: bool) -> int:
    """Return the least hash among the forms of a window as a colour sees it, or as either colour does."""
    least = MAX_KEY
    for side in range(2 if either_side else 1):
        swapped = (colour == WHITE) != (side == 1)
        for place in range(len(window.offsets)):
            code = window.board[cell + window.offsets[place]]
            window.codes[place] = BLACK + WHITE - code if swapped and 0 < code < OFF_BOARD else code
        for image in range(8):
            word = 0
            for place in range(len(window.offsets)):
                word ^= window.words[image, place, window.codes[place]]
            if word < least:
                least = word
    return least


@jit
def exact_key_for(window: Window, cell: int, colour: int) -> int:
    """Return the exact key of the window around a cell, as it lies on the board, with the mover as Black."""
    key = exact_key(window, cell)
    return swap_colours(key) if colour == WHITE else key


@jit
def mover_key(window: Window, cell: int, colour: int) -> int:
    """Return the canonical key of the window around a cell, with the mover as Black."""
    if not window.exact:
        return _least_hash(window, cell, colour, False)
    return least_turned(window, exact_key_for(window, cell, colour))


@entry
def played_keys(window: Window, games: GameSpans, keys: Ints) -> int:
    """Write the key of the window around each move, except passes, before it is played; return the number of keys."""
    n = 0
    for game in range(len(games.starts)):
        clear_board(window)
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            point, colour = point_of(change), colour_of(change)
            if point == PASS:
                continue
            cell = cell_of(window, point)
            if is_move(change):
                keys[n] = mover_key(window, cell, colour)
                n += 1
            window.board[cell] = colour
    return n


@entry
def final_keys(window: Window, games: GameSpans, keys: Ints, rules: FinalRules) -> None:
    """Write the key of the window around each point of the final boards, [game, point]."""
    size, radius = window.size, window.radius
    for game in range(len(games.starts)):
        clear_board(window)
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if point_of(change) != PASS and (rules.captures or not change & TAKEN):
                window.board[cell_of(window, point_of(change))] = colour_of(change)
        for point in range(size * size):
            row, col = point // size, point % size
            inside = radius <= row < size - radius and radius <= col < size - radius
            keys[game, point] = NO_WINDOW
            if inside or rules.edges:
                keys[game, point] = _board_key(window, cell_of(window, point), rules.canonical)


@jit
def _board_key(window: Window, cell: int, canonical: bool) -> int:
    """Return the key of a window, the same with colours swapped if canonical; NO_WINDOW if it has no stones."""
    stones = 0
    for place in range(len(window.offsets)):
        code = window.board[cell + window.offsets[place]]
        stones += 1 if 0 < code < OFF_BOARD else 0
    if stones == 0:
        return NO_WINDOW
    if not window.exact:
        return _least_hash(window, cell, BLACK, True)
    key = exact_key(window, cell)
    return min(least_turned(window, key), least_turned(window, swap_colours(key))) if canonical else key


class HashedBoard(NamedTuple):
    """A board and its hashes under all symmetries."""

    tables: SymmetryTables
    points: Ints  # uint8 [point]: its colour
    hashes: Ints  # int64 [IMAGES]: under eight symmetries, then the same with colours swapped


def hashed_board(size: int) -> HashedBoard:
    """Return an empty hashed board."""
    return HashedBoard(symmetry_tables(size), np.zeros(size * size, np.uint8), np.zeros(IMAGES, np.int64))


@jit
def _clear_hashed(b: HashedBoard) -> None:
    """Remove all stones from a hashed board."""
    for point in range(len(b.points)):
        b.points[point] = EMPTY
    for image in range(IMAGES):
        b.hashes[image] = 0


@jit
def _set_point(b: HashedBoard, point: int, colour: int) -> None:
    """Set the colour of a point, and update the hashes."""
    before, keys = b.points[point], b.tables.full
    b.points[point] = colour
    for image in range(IMAGES):
        b.hashes[image] ^= keys[image, point, before] ^ keys[image, point, colour]


@entry
def full_keys(b: HashedBoard, games: GameSpans, keys: Ints) -> int:
    """Write, for each move except passes, a key of the whole board and the move; return the number of keys.

    The mover counts as Black, and all eight symmetries share one key.
    """
    n = 0
    for game in range(len(games.starts)):
        _clear_hashed(b)
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            point, colour = point_of(change), colour_of(change)
            if point == PASS:
                continue
            if is_move(change):
                side = IMAGES // 2 if colour == WHITE else 0
                least = MAX_KEY
                for image in range(side, side + 8):
                    key = b.hashes[image] ^ (b.tables.full[image, point, colour] * MOVE_FACTOR)
                    if key < least:
                        least = key
                keys[n] = least
                n += 1
            _set_point(b, point, colour)
    return n


@entry
def opening_keys(b: HashedBoard, games: GameSpans, moves: int, keys: Ints) -> None:
    """Write the key of the position after the first `moves` moves of each game; 0 if the game is shorter.

    Colours are not swapped. A pass counts as a move. With moves=WHOLE_GAME, use all moves.
    """
    for game in range(len(games.starts)):
        _clear_hashed(b)
        made = 0
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if is_move(change):
                if made == moves:
                    break
                made += 1
            if point_of(change) != PASS:
                _set_point(b, point_of(change), colour_of(change))
        least = b.hashes[0]
        for image in range(1, 8):
            if b.hashes[image] < least:
                least = b.hashes[image]
        keys[game] = least if made >= moves else 0


@entry
def final_boards(games: GameSpans, boards: Ints) -> None:
    """Write the final boards, [game, point], as ASCII codes of . X O."""
    for game in range(len(games.starts)):
        for point in range(boards.shape[1]):
            boards[game, point] = SIGN_CODES[EMPTY]
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if point_of(change) != PASS:
                boards[game, point_of(change)] = SIGN_CODES[colour_of(change)]


class GameColumns(Protocol):
    """Games as columns, of a store or a portion of it."""

    @property
    def first(self) -> Int64Array:
        """Return the index of each game's first change, then the number of all changes."""

    def column(self, name: str) -> AnyArray:
        """Return a column by its name in store.COLUMNS."""


@dataclass
class Moves:
    """The moves of games on one board size in order, without passes."""

    spans: GameSpans
    games: Int32Array  # [move]: its game, from 0
    numbers: Int32Array  # [move]: its number in the game, from 1, counting passes
    points: Int32Array
    colours: Int8Array  # [move]: BLACK or WHITE
    results: Int8Array  # [move]: 1 if the mover won, 0 if not, -1 if nobody did

    def __len__(self) -> int:
        return len(self.games)


def spans_of(store: GameColumns, games: Int64Array) -> GameSpans:
    """Return games, numbered from 0, as the spans of changes that kernels take."""
    starts, ends = np.ascontiguousarray(store.first[games]), np.ascontiguousarray(store.first[games + 1])
    changes = store.column("changes").view()
    changes.flags.writeable = False  # as a store has them, so that no second kernel is compiled
    return GameSpans(changes, starts, ends)


def moves_of(store: GameColumns, chosen: Int64Array) -> Moves:
    """Return the moves of the chosen games, numbered from 0 and in ascending order."""
    spans = spans_of(store, chosen)
    changes, starts, ends = spans
    if len(starts) and np.all(starts[1:] == ends[:-1]):
        played = changes[starts[0] : ends[-1]]
    else:
        played = np.concatenate([changes[:0], *(changes[a:b] for a, b in zip(starts, ends, strict=True))])
    games = np.repeat(np.asarray(chosen, np.int32), ends - starts)
    is_move_change = played & NOT_A_MOVE == 0
    played, games = played[is_move_change], games[is_move_change]
    game_starts = np.searchsorted(games, chosen)
    # the index of each move less that of the first move of its game
    numbers = np.arange(1, len(games) + 1) - np.repeat(game_starts, np.diff(np.append(game_starts, len(games))))
    on_board = played & PASS != PASS
    played, games = played[on_board], games[on_board]
    colours = (played >> POINT_BITS & 3).astype(np.int8)
    winners = store.column("winners")[games]
    results = np.where(winners == 0, -1, winners == colours).astype(np.int8)
    points = (played & PASS).astype(np.int32)
    return Moves(spans, games, numbers[on_board].astype(np.int32), points, colours, results)


def played_windows(moves: Moves, shape: str, size: int) -> Int64Array:
    """Return the canonical key of the window around each move, with the mover as Black.

    For FULL, a key stands for the whole board and the move.
    """
    keys = np.zeros(len(moves), np.int64)
    if shape == FULL:
        n = full_keys(hashed_board(size), moves.spans, keys)
    else:
        n = played_keys(parse_shape(shape).window(size), moves.spans, keys)
    assert n == len(keys), "every move has a window"
    return keys


def windows_around(board: Board, colour: int, points: Sequence[int], shape: str) -> list[int]:
    """Return the canonical key of the window around each empty point, with the player to move as Black.

    The keys equal those of played moves, as if a game set up the board and then played the point.
    """
    stones = [setup_of(code, point) for point, code in enumerate(board.points) if code != EMPTY]
    changes = np.array([[*stones, move_of(colour, point)] for point in points], np.uint16).reshape(-1)
    changes.flags.writeable = False  # like those of a store, so that no second kernel is compiled
    starts = np.arange(len(points), dtype=np.int64) * (len(stones) + 1)
    spans, keys = GameSpans(changes, starts, starts + len(stones) + 1), np.zeros(len(points), np.int64)
    if shape == FULL:
        full_keys(hashed_board(board.size), spans, keys)
    else:
        played_keys(parse_shape(shape).window(board.size), spans, keys)
    return keys.tolist()


def final_windows(
    store: GameColumns, games: Int64Array, shape: str, size: int, canonical: bool = True, edges: bool = True,
    captures: bool = True,
) -> Int64Array:  # fmt: skip
    """Return the keys of the windows around all points of final boards, [game, point], see FinalRules.

    The key of a window without stones is NO_WINDOW.
    """
    keys = np.zeros((len(games), size * size), np.int64)
    rules = FinalRules(canonical, edges, captures)
    final_keys(parse_shape(shape).window(size), spans_of(store, games), keys, rules)
    return keys
