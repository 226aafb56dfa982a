"""Positions of games as rows of bytes, as the net sees them: whose stones with how many liberties, ko, the last moves.

A row has 376 bytes, so that it is also 47 words of 64 bits, for a board of 19x19:

      0 .. 360  a code for each point, row by row from the top left
      361       RESULT: 0 not known, 1 the mover won the game, 2 lost it
      362 .. 371  LAST: the points of the last five moves, the latest first, two bytes each, the low one first;
                  NOWHERE where there was none, or a pass
      372 .. 373  TARGET: the point that was played
      374       BLACK_MOVES: whether Black is to move
      375       PLY: how many moves were made before, at most 255

Codes: 0 empty; 1 to 4 a stone of the mover in a chain of 1, 2, 3, and 4 or more
liberties; 5 to 8 the same of the other; 9 where the mover may not retake a ko.
Setup stones are on the board, but are no moves. Passes have no row of their own.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import Any

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.kernel.board import TAKEN, BoardArrays, clear, in_atari, new_board, put_here, rebuild_all
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.rules.board import BLACK, EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

SIZE = 19
POINTS = SIZE * SIZE
RESULT, LAST, TARGET, BLACK_MOVES, PLY, WIDTH = 361, 362, 372, 374, 375, 376
"""Where the parts of a row begin, and how long it is."""
MOVES = 5
"""So many of the last moves are known."""
NOWHERE = POINTS
"""A last move that is on no point."""
OTHERS, KO, CODES = 4, 9, 10
"""What is added to the code of a stone that is not the mover's; the code of a ko; how many codes there are."""


@jit
def write_codes(b: BoardArrays, mover: int, ko: int, many: Ints, codes: Any) -> None:
    """Write the code of every point of a board. `ko` is a cell or 0; `many` is scratch, int64 [cell]."""
    for i in range(len(b.cells)):
        many[b.head[b.cells[i]]] = 0
    for i in range(len(b.cells)):
        cell = b.cells[i]
        if b.stones[cell] != EMPTY:
            continue
        up, left = b.head[b.near[cell, 0]], b.head[b.near[cell, 1]]
        right, down = b.head[b.near[cell, 2]], b.head[b.near[cell, 3]]
        many[up] += 1
        if left != up:
            many[left] += 1
        if right != up and right != left:
            many[right] += 1
        if down != up and down != left and down != right:
            many[down] += 1
    for i in range(len(b.cells)):
        cell = b.cells[i]
        colour = b.stones[cell]
        if colour == EMPTY:
            codes[i] = KO if cell == ko else 0
        else:
            codes[i] = min(many[b.head[cell]], 4) + (0 if colour == mover else OTHERS)


@entry
def describe(b: BoardArrays, mover: int, ko: int, many: Ints, codes: Any) -> None:
    """Work out the chains of a board from its stones, then write the code of every point."""
    rebuild_all(b)
    write_codes(b, mover, ko, many, codes)


@entry
def write_rows(
    b: BoardArrays, plays: Any, first: Ints, winners: Any, which: Ints, starts: Ints, many: Ints, rows: Any
) -> None:
    """Write the rows of the games in `which`, those of which[i] from rows[starts[i]] on. All their plays are legal."""
    for i in range(len(which)):
        game = which[i]
        clear(b)
        ko, dirty, ply, at = 0, False, 0, starts[i]
        last0, last1, last2, last3, last4 = NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE
        for j in range(first[game], first[game + 1]):
            play = plays[j]
            point, colour = play & PASS, play >> POINT_BITS & 3
            if play & SETUP:
                b.stones[b.cells[point]] = colour
                dirty, ko = True, 0
                continue
            if dirty:
                rebuild_all(b)
                dirty = False
            if point != PASS:
                row = rows[at]
                at += 1
                write_codes(b, colour, ko, many, row)
                winner = winners[game]
                row[RESULT] = 0 if winner == 0 else 1 if winner == colour else 2
                _write_word(row, LAST, last0)
                _write_word(row, LAST + 2, last1)
                _write_word(row, LAST + 4, last2)
                _write_word(row, LAST + 6, last3)
                _write_word(row, LAST + 8, last4)
                _write_word(row, TARGET, point)
                row[BLACK_MOVES] = 1 if colour == BLACK else 0
                row[PLY] = min(ply, 255)
                cell = b.cells[point]
                taken = put_here(b, cell, colour)
                ko = 0
                if taken == 1 and b.stone_count[b.head[cell]] == 1 and in_atari(b, cell):
                    ko = b.facts[TAKEN]
            else:
                point, ko = NOWHERE, 0
            last0, last1, last2, last3, last4 = point, last0, last1, last2, last3
            ply += 1


@jit
def _write_word(row: Any, place: int, word: int) -> None:
    """Write two bytes, the low one first."""
    row[place], row[place + 1] = word & 255, word >> 8


def counts(games: GamesFile, which: Any) -> Any:
    """Return how many rows each of some games has: its moves but for passes."""
    plays = games.plays
    told = np.concatenate([[0], np.cumsum((plays & SETUP == 0) & (plays & PASS != PASS))])
    return told[games.first[which + 1]] - told[games.first[which]]


def rows_of(games: GamesFile, which: Any, threads: int | None = None) -> Any:
    """Return the rows of some games of 19x19, in their order, uint8 [n, WIDTH]."""
    ends = np.cumsum(counts(games, which)).astype(np.int64)
    rows = np.empty((int(ends[-1]) if len(ends) else 0, WIDTH), np.uint8)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    threads = threads or cpu_count() or 1
    parts = [part for part in np.array_split(np.arange(len(which)), 4 * threads) if len(part)]

    def write(part: Any) -> None:
        board = new_board(SIZE)
        many = np.zeros(len(board.stones), np.int64)
        write_rows(board, games.plays, games.first, games.winners, which[part], starts[part], many, rows)

    for part in parts[:1]:  # by itself, so that it is compiled once
        write(part)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(write, parts[1:]))
    return rows


def codes_of(size: int, points: bytes, mover: int, ko: int | None = None) -> Any:
    """Return the codes of a board of any size, uint8, from the colours of its points, row by row."""
    board = new_board(size)
    for point, colour in enumerate(points):
        board.stones[board.cells[point]] = colour
    codes = np.zeros(size * size, np.uint8)
    many = np.zeros(len(board.stones), np.int64)
    describe(board, mover, 0 if ko is None else int(board.cells[ko]), many, codes)
    return codes
