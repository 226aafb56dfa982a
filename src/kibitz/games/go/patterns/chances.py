"""How often each mined pattern could have been played: at every turn, it lay around some of the empty points.

Mining counts the moves that were played. What a pattern is worth to a player shows only beside the moves that were not:
in the middle of a game a hane is played at once, while a hundred empty windows wait. An empty window does not say where
on the board it lies, so it is counted by its lines, as one pattern for each place.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Int64Array, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.core.errors import BadText
from kibitz.core.files import open_atomically
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.patterns import windows as kernel
from kibitz.games.go.patterns.matching import UNKNOWN, Memo, new_memo, pattern_number
from kibitz.games.go.patterns.mining.mined import Kind
from kibitz.games.go.patterns.shapes import OFF_BOARD, Window, parse_shape
from kibitz.games.go.patterns.tallies import KeyTable, new_table, number_keys
from kibitz.games.go.patterns.windows import GameSpans, cell_of, spans_of
from kibitz.games.go.records.layout import colour_of, is_move, point_of
from kibitz.games.go.records.store import GameStore, open_npz
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS

MAX_GAMES_COUNTED = 10_000  # count in at most this many games, spread evenly over all
MAX_LINE = 10  # lines beyond this one count as this one
PLACES = MAX_LINE * (MAX_LINE + 1) // 2
EMPTY_KEY = 0  # the key of a window without stones and within the board


class Chances(NamedTuple):
    """What was counted of each pattern, and after them of each place of an empty window. int64 [pattern + place]."""

    played: Int64Array  # how often the move in its centre was played
    chances: Int64Array  # how often it could have been: empty points with this window, added up over all turns


class _Turns(NamedTuple):
    """What is around each point of the board, and since when."""

    numbers: Ints  # int64 [colour, cell]: the number of the pattern around an empty point, or UNKNOWN
    since: Ints  # int64 [colour, cell]: the number of turns of this colour when it became so
    turns: Ints  # int64 [colour]: turns of each colour in this game
    places: Ints  # int64 [cell]: the place of the point


def edge_distances(size: int, point: int) -> tuple[int, int]:
    """Return how far a point is from the nearest edge along its column, and along its row."""
    row, col = divmod(point, size)
    return min(row, size - 1 - row), min(col, size - 1 - col)


def place_of(size: int, point: int) -> int:
    """Return the place of a point: its distances from the edges, whichever they are, as one number."""
    near, far = sorted(min(distance, MAX_LINE - 1) for distance in edge_distances(size, point))
    return far * (far + 1) // 2 + near


def count_chances(store: GameStore, kind: Kind, keys: Int64Array, games: int) -> Chances:
    """Return the counts of the patterns with these ascending keys, in the first `games` games of a store.

    They are kept in a file of the store until more games are mined. kind: not the whole board.
    """
    chosen = np.flatnonzero(store.column("sizes")[:games] == kind.size).astype(np.int64)
    if len(chosen) > MAX_GAMES_COUNTED:
        chosen = chosen[np.arange(MAX_GAMES_COUNTED) * len(chosen) // MAX_GAMES_COUNTED]
    digest = int(np.bitwise_xor.reduce(store.column("digests")[chosen])) if len(chosen) else 0
    path = store.folder / f"chances-{kind.shape}-{kind.size}.npz"
    about: JsonObject = {"format": "kibitz go chances", "version": 1, "patterns": len(keys), "games": len(chosen)}
    about["digest"] = digest
    with suppress(BadText), open_npz(path, about, "the chances of patterns", "") as (_, arrays):
        kept = Chances(arrays["played"], arrays["chances"])
        if all(column.shape == (len(keys) + PLACES,) and column.dtype == np.int64 for column in kept):
            return kept
    counted = _count(store, kind, keys, chosen)
    with suppress(OSError), open_atomically(path) as file:  # the store may be read-only
        np.savez_compressed(file, about=np.array(json.dumps(about)), **counted._asdict())
    return counted


def _count(store: GameStore, kind: Kind, keys: Int64Array, games: Int64Array) -> Chances:
    """Return the counts of the patterns with these keys in these games."""
    table = new_table(1 << (2 * len(keys) + 2).bit_length(), len(keys))
    number_keys(table, keys, np.zeros(len(keys), np.int32))
    window, n = parse_shape(kind.shape).window(kind.size), len(keys) + PLACES
    cells = len(window.board)
    around = np.zeros((3, cells), np.int64)
    state = _Turns(around, around.copy(), np.zeros(3, np.int64), np.zeros(cells, np.int64))
    for point in range(kind.size**2):
        state.places[cell_of(window, point)] = place_of(kind.size, point)
    counted = Chances(np.zeros(n, np.int64), np.zeros(n, np.int64))
    _count_games(window, table, new_memo(), spans_of(store, games), state, counted)
    return counted


@entry
def _count_games(
    window: Window, table: KeyTable, memo: Memo, games: GameSpans, state: _Turns, counted: Chances
) -> None:
    """Add the counts of games."""
    for game in range(len(games.starts)):
        kernel.clear_board(window)
        state.turns[BLACK] = state.turns[WHITE] = 0
        for point in range(window.size**2):
            _look_around(window, table, memo, state, cell_of(window, point))
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            point, colour = point_of(change), colour_of(change)
            if is_move(change):
                state.turns[colour] += 1
                if point != PASS:
                    number = state.numbers[colour, cell_of(window, point)]
                    if number >= 0:
                        counted.played[number] += 1
            if point != PASS:
                cell = cell_of(window, point)
                for offset in window.offsets:  # every shape is symmetric, so these are the windows that have the point
                    _add_turns(window, state, counted, cell + offset)
                window.board[cell] = colour
                for offset in window.offsets:
                    _look_around(window, table, memo, state, cell + offset)
        for point in range(window.size**2):
            _add_turns(window, state, counted, cell_of(window, point))


@jit
def _add_turns(window: Window, state: _Turns, counted: Chances, cell: int) -> None:
    """Count the turns at which the window around a cell was as it is."""
    if window.board[cell] == EMPTY:
        for colour in (BLACK, WHITE):
            number = state.numbers[colour, cell]
            if number >= 0:
                counted.chances[number] += state.turns[colour] - state.since[colour, cell]


@jit
def _look_around(window: Window, table: KeyTable, memo: Memo, state: _Turns, cell: int) -> None:
    """Note the pattern around a cell, as each colour sees it, from this turn on."""
    if window.board[cell] == OFF_BOARD:
        return
    for colour in (BLACK, WHITE):
        number = UNKNOWN
        if window.board[cell] == EMPTY:
            number = pattern_number(window, table, memo, cell, colour)
            if number >= 0 and table.keys[number] == EMPTY_KEY:
                number = len(table.keys) + state.places[cell]
        state.numbers[colour, cell] = number
        state.since[colour, cell] = state.turns[colour]
