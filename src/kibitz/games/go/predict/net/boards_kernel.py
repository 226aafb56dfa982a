"""Positions of games as rows of bytes, the input of the net: stones with their liberties, ko, the last moves.

A row has 376 bytes, so that it is also 47 words of 64 bits. For a 19x19 board:

      0 .. 360  a code for each point, row by row from the top left
      361       RESULT: 0 unknown, 1 the player to move won the game, 2 lost it
      362 .. 371  LAST: the points of the last five moves, the latest first, two bytes each, low byte first;
                  NOWHERE where there was no move, or a pass
      372 .. 373  TARGET: the point that was played
      374       BLACK_MOVES: 1 if Black is to move, otherwise 0
      375       PLY: the number of moves made before, capped at 255

Codes: 0 empty; 1 to 4 a stone of the player to move in a chain with 1, 2, 3, or at least 4 liberties; 5 to 8 the same
for the opponent; 9 a ko that may not be retaken. Setup stones are on the board but are not moves. Passes have no row.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.kernel.board import TAKEN, BoardArrays, clear, in_atari, new_board, put_here, rebuild_all
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.rules.board import BLACK, EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

BOARD_SIZE = 19
POINTS = BOARD_SIZE * BOARD_SIZE
RESULT, LAST, TARGET, BLACK_MOVES, PLY, ROW_BYTES = 361, 362, 372, 374, 375, 376
"""Where the parts of a row begin, and its length."""
LAST_MOVES = 5
NOWHERE = POINTS  # in place of the point of a last move
OPPONENT, KO, CODES = 4, 9, 10
"""The offset added to the code of an opponent's stone; the code of a ko; the number of codes."""


class RowScratch(NamedTuple):
    """Scratch arrays for making rows."""

    board: BoardArrays
    liberties: Ints  # int64 [cell]: at the head of a chain, the number of its liberties
    recent: Ints  # int64 [LAST_MOVES]: the last moves, the latest first


def new_scratch(size: int) -> RowScratch:
    """Return scratch arrays for boards of a size, with an empty board."""
    board = new_board(size)
    return RowScratch(board, np.zeros(len(board.stones), np.int64), np.zeros(LAST_MOVES, np.int64))


@jit
def _write_codes(scratch: RowScratch, mover: int, ko: int, codes: Ints) -> None:
    """Write the code of every point of the board. ko is a cell or 0."""
    b, liberties = scratch.board, scratch.liberties
    for i in range(len(b.cells)):
        liberties[b.head[b.cells[i]]] = 0
    for i in range(len(b.cells)):
        cell = b.cells[i]
        if b.stones[cell] != EMPTY:
            continue
        up, left = b.head[b.near[cell, 0]], b.head[b.near[cell, 1]]
        right, down = b.head[b.near[cell, 2]], b.head[b.near[cell, 3]]
        liberties[up] += 1
        if left != up:
            liberties[left] += 1
        if right != up and right != left:
            liberties[right] += 1
        if down != up and down != left and down != right:
            liberties[down] += 1
    for i in range(len(b.cells)):
        cell = b.cells[i]
        colour = b.stones[cell]
        if colour == EMPTY:
            codes[i] = KO if cell == ko else 0
        else:
            codes[i] = min(liberties[b.head[cell]], 4) + (0 if colour == mover else OPPONENT)


@entry
def _write_board(scratch: RowScratch, mover: int, ko: int, codes: Ints) -> None:
    """Work out the chains of the board from its stones, then write the code of every point."""
    rebuild_all(scratch.board)
    _write_codes(scratch, mover, ko, codes)


@entry
def _write_rows(
    scratch: RowScratch, plays: Ints, first: Ints, winners: Ints, selected: Ints, starts: Ints, rows: NDArray[np.uint8]
) -> None:
    """Write the rows of the selected games, those of game i from rows[starts[i]] on. All plays must be legal."""
    b, recent = scratch.board, scratch.recent
    for i in range(len(selected)):
        game = selected[i]
        clear(b)
        for k in range(LAST_MOVES):
            recent[k] = NOWHERE
        ko, stale, ply, at = 0, False, 0, starts[i]
        for j in range(first[game], first[game + 1]):
            play = plays[j]
            point, colour = play & PASS, play >> POINT_BITS & 3
            if play & SETUP:
                b.stones[b.cells[point]] = colour
                stale, ko = True, 0
                continue
            if stale:
                rebuild_all(b)
                stale = False
            if point != PASS:
                row = rows[at]
                at += 1
                _write_codes(scratch, colour, ko, row)
                winner = winners[game]
                row[RESULT] = 0 if winner == 0 else 1 if winner == colour else 2
                for k in range(LAST_MOVES):
                    row[LAST + 2 * k], row[LAST + 2 * k + 1] = recent[k] & 255, recent[k] >> 8
                row[TARGET], row[TARGET + 1] = point & 255, point >> 8
                row[BLACK_MOVES] = 1 if colour == BLACK else 0
                row[PLY] = min(ply, 255)
                cell = b.cells[point]
                taken = put_here(b, cell, colour)
                ko = 0
                if taken == 1 and b.stone_count[b.head[cell]] == 1 and in_atari(b, cell):
                    ko = b.facts[TAKEN]
            else:
                point, ko = NOWHERE, 0
            for k in range(LAST_MOVES - 1, 0, -1):
                recent[k] = recent[k - 1]
            recent[0] = point
            ply += 1


def row_counts(games: GamesFile, selected: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of rows of each of these games: its moves, not counting passes."""
    plays = games.plays
    before = np.concatenate([[0], np.cumsum((plays & SETUP == 0) & (plays & PASS != PASS))])
    return np.asarray(before[games.first[selected + 1]] - before[games.first[selected]], np.int64)


def rows_of(games: GamesFile, selected: NDArray[np.int64], threads: int | None = None) -> NDArray[np.uint8]:
    """Return the rows of these 19x19 games, in their order, as uint8 [n, ROW_BYTES]."""
    ends = np.cumsum(row_counts(games, selected))
    rows = np.empty((int(ends[-1]) if len(ends) else 0, ROW_BYTES), np.uint8)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    threads = threads or cpu_count() or 1
    parts = [part for part in np.array_split(np.arange(len(selected)), 4 * threads) if len(part)]

    def write(part: NDArray[np.int64]) -> None:
        scratch = new_scratch(BOARD_SIZE)
        _write_rows(scratch, games.plays, games.first, games.winners, selected[part], starts[part], rows)

    for part in parts[:1]:  # alone, so that the kernel is compiled only once
        write(part)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(write, parts[1:]))
    return rows


def codes_of(size: int, points: bytes, mover: int, ko: int = -1) -> NDArray[np.uint8]:
    """Return the codes of a board of any size, from the colours of its points, row by row. ko is a point or -1."""
    scratch = new_scratch(size)
    board = scratch.board
    for point, colour in enumerate(points):
        board.stones[board.cells[point]] = colour
    codes = np.zeros(size * size, np.uint8)
    _write_board(scratch, mover, int(board.cells[ko]) if ko >= 0 else 0, codes)
    return codes
