"""Windows of games as keys: around each move as it was played, and over the final boards.

The board of a kernel is surrounded by as many lines as the shape reaches. Keys
are those of shapes.py; NO_WINDOW stands where there is none.
"""

from __future__ import annotations

from typing import NamedTuple

from kibitz.compiled.arrays import Int64Array, Ints, Uint16Array
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.records.layout import TAKEN, colour_of, is_move, point_of
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS

NO_WINDOW = -1 << 63  # the key of a window that is empty, or that crosses the edge where such windows are not wanted
OFF_BOARD = 3  # the code of a point beyond the edge
LOW_BITS = 0x1555555555555555  # the lower bit of each point of a key


class GameSpans(NamedTuple):
    """Games of a store, by the spans of their changes."""

    changes: Uint16Array  # of all games of the store
    starts: Int64Array  # [game]: where its changes begin
    ends: Int64Array


class Window(NamedTuple):
    """A shape on boards of a size, with scratch space. Not to be shared by threads."""

    size: int
    radius: int
    exact: bool  # whether keys hold all points, not a hash of them
    offsets: Int64Array  # [point]: the distance of its cell from the centre's
    spread: Int64Array  # [symmetry, four points, 256]: where the codes of four points go in the key
    words: Int64Array  # [symmetry, point, code]: what is hashed, unless keys are exact
    codes: Ints  # int64 [point]: scratch
    board: Ints  # uint8 [cell]: scratch, (size + 2 * radius) squared


class FinalRules(NamedTuple):
    """How windows over final boards are taken."""

    canonical: bool  # whether keys are the least of 16 forms, not of windows as they lie
    edges: bool  # whether windows may cross the edge
    captures: bool  # whether captured stones leave the board; if not, they stay until another is put there


@jit
def cell_of(window: Window, point: int) -> int:
    """Return the cell of a point of the board."""
    stride = window.size + 2 * window.radius
    return (point // window.size + window.radius) * stride + point % window.size + window.radius


@jit
def clear_board(window: Window) -> None:
    """Remove all stones."""
    for cell in range(len(window.board)):
        window.board[cell] = OFF_BOARD
    for row in range(window.size):
        start = cell_of(window, row * window.size)
        for cell in range(start, start + window.size):
            window.board[cell] = EMPTY


@jit
def swap_colours(key: int) -> int:
    """Return an exact key with black and white exchanged."""
    return (key & LOW_BITS) << 1 | (key >> 1) & LOW_BITS


@jit
def gather(window: Window, cell: int) -> int:
    """Return the exact key of a window as it lies."""
    key = 0
    for place in range(len(window.offsets)):
        key |= int(window.board[cell + window.offsets[place]]) << 2 * place
    return key


@jit
def turn_key(window: Window, key: int, image: int) -> int:
    """Return an exact key turned by a symmetry."""
    turned = 0
    for chunk in range(window.spread.shape[1]):
        turned |= window.spread[image, chunk, key >> 8 * chunk & 255]
    return turned


@jit
def least_turned(window: Window, key: int) -> int:
    """Return the least of the eight symmetries of an exact key."""
    least = key
    for image in range(1, 8):
        turned = turn_key(window, key, image)
        if turned < least:
            least = turned
    return least


@jit
def _least_hash(window: Window, cell: int, colour: int, both: bool) -> int:
    """Return the least hash of the forms of a window as a colour sees it; with both, of both colourings."""
    least = 0x7FFFFFFFFFFFFFFF
    for side in range(2 if both else 1):
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
def gather_for(window: Window, cell: int, colour: int) -> int:
    """Return the exact key of a window as it lies, as the mover sees it: the mover is Black."""
    key = gather(window, cell)
    return swap_colours(key) if colour == WHITE else key


@jit
def mover_key(window: Window, cell: int, colour: int) -> int:
    """Return the canonical key of a window as the mover sees it: the mover is Black."""
    if not window.exact:
        return _least_hash(window, cell, colour, False)
    return least_turned(window, gather_for(window, cell, colour))


@entry
def played_keys(window: Window, games: GameSpans, keys: Ints) -> int:
    """Write the key around each move of games before it is played, without passes; return their number."""
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
    """Write the key around each point, [game, point], of the boards at the end of games."""
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
    """Return the key of a window in which Black and White are alike; NO_WINDOW if it has no stone."""
    stones = 0
    for place in range(len(window.offsets)):
        code = window.board[cell + window.offsets[place]]
        stones += 1 if 0 < code < OFF_BOARD else 0
    if stones == 0:
        return NO_WINDOW
    if not window.exact:
        return _least_hash(window, cell, BLACK, True)
    key = gather(window, cell)
    return min(least_turned(window, key), least_turned(window, swap_colours(key))) if canonical else key
