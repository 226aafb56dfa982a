"""Turn games into changes (see layout.py), with captures worked out once, so that a search needs no liberties.

While a game is replayed, the positions of its opening are noted as well, and its plays
are written in a canonical orientation that all eight symmetries of the game share.
"""

from __future__ import annotations

from typing import NamedTuple

from kibitz.compiled.arrays import Int64Array, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.kernel import board as boards
from kibitz.games.go.records.layout import COLOUR, TAKEN, colour_of, point_of
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS, SETUP

CORNER_LINES = 7  # a corner whose positions are noted is a square of this many lines
MAX_BOARD_STONES, MAX_CORNER_STONES = 20, 10
"""Positions of the whole board, and of each corner, are noted up to this many stones."""
NOTES_PER_GAME = MAX_BOARD_STONES + 4 * MAX_CORNER_STONES
"""A game's notes: the whole board with 1, 2, ... stones, then the four corners with 1, with 2, ..."""
SEVERAL, NEVER = 0, 1  # special notes: several positions had this number of stones, or none did
NOTE_MASK, NOTE_BIT = 0x7FFFFFFF, 2
"""A note is 31 bits of a hash, with one bit set so that it differs from SEVERAL and NEVER."""
REGIONS, IMAGES, CORNER_IMAGES = 5, 16, 4
"""The noted regions are the board and its four corners. The board has 8 symmetries, a corner 2 (plain, and mirrored in
its diagonal), and all of them count again with the colours swapped."""


class SymmetryTables(NamedTuple):
    """The symmetries of a board and the hash keys of its stones. int64."""

    images: Int64Array  # [8, point]: where each point goes under each symmetry
    full: Int64Array  # [IMAGES, point, colour]: keys of stones under each symmetry, and again with the colours swapped
    corners: Int64Array  # [4, point]: which cell of each corner a point is; -1 if it is outside the corner
    corner: Int64Array  # [CORNER_IMAGES, cell, colour]: keys of stones in a corner


class WorkArrays(NamedTuple):
    """The tables of a board, the output arrays, and scratch space."""

    tables: SymmetryTables
    changes: Ints  # uint16: the changes of game g start at 2 * first[g]
    counts: Ints  # int64 [game]: the number of changes
    oriented: Ints  # uint16: the plays of game g start at first[g], in the least of their eight symmetries
    notes: Ints  # uint32 [game, NOTES_PER_GAME]: positions of the opening
    last: Ints  # int64 [point]: the latest change of each point
    hashes: Ints  # int64 [REGIONS, IMAGES]: of the board and of the corners
    stones: Ints  # int64 [REGIONS]: the number of stones on the board and in the corners
    passed_limit: Ints  # int64 [REGIONS]: whether there were ever more stones than the maximum to note


@entry
def change_games(b: boards.BoardArrays, plays: Ints, first: Ints, chosen: Ints, legal: Ints, work: WorkArrays) -> None:
    """Work out the changes of the chosen games, all of the board's size, whose first legal[game] plays are legal."""
    for i in range(len(chosen)):
        game = chosen[i]
        start, end = first[game], first[game] + legal[game]
        _orient(plays, start, end, work.tables.images, work.oriented)
        work.counts[game] = _write_game(b, plays, start, end, work, game)


@jit
def _orient(plays: Ints, start: int, end: int, images: Ints, oriented: Ints) -> None:
    """Write the plays under the symmetry that makes them least, compared play by play."""
    alive = 255  # a bit for each symmetry that is still among the least
    for at in range(start, end):
        point = point_of(plays[at])
        if point == PASS:
            continue
        least = PASS
        for image in range(8):
            if alive >> image & 1 and images[image, point] < least:
                least = images[image, point]
        for image in range(8):
            if alive >> image & 1 and images[image, point] != least:
                alive ^= 1 << image
        if alive & (alive - 1) == 0:  # only one is left
            break
    best = 0
    while not alive >> best & 1:
        best += 1
    for at in range(start, end):
        point = point_of(plays[at])
        oriented[at] = plays[at] if point == PASS else plays[at] - point + images[best, point]


@jit
def _write_game(b: boards.BoardArrays, plays: Ints, start: int, end: int, work: WorkArrays, game: int) -> int:
    """Play one game and write its changes and notes; return the number of changes."""
    base = 2 * start
    n = base
    boards.clear(b)
    _clear_notes(work, game)
    chains_stale = False
    for at in range(start, end):
        play = plays[at]
        point, colour = point_of(play), colour_of(play)
        if play & SETUP:
            cell = b.cells[point]
            n = _write_change(work, n, play, point, b.stones[cell], colour)
            b.stones[cell] = colour
            chains_stale = True
            continue
        if chains_stale:
            boards.rebuild_all(b)
            _write_notes(work, game)
            chains_stale = False
        if point == PASS:
            work.changes[n] = play
            n += 1
            continue
        cell, enemy = b.cells[point], BLACK + WHITE - colour
        beside = 0
        for side in range(4):
            if b.stones[b.near[cell, side]] == enemy:
                beside |= 1 << side
        n = _write_change(work, n, play, point, EMPTY, colour)
        if boards.put_here(b, cell, colour) > 0:
            for side in range(4):
                near = b.near[cell, side]
                if beside >> side & 1 and b.stones[near] == EMPTY:
                    n = _write_captures(b, work, n, near, enemy)
        _write_notes(work, game)
    if chains_stale:
        _write_notes(work, game)
    return n - base


@jit
def _write_captures(b: boards.BoardArrays, work: WorkArrays, n: int, cell: int, colour: int) -> int:
    """Write the removal of a captured chain, whose ring of links is still intact; return the number of changes."""
    stone = cell
    while True:
        point = b.points[stone]
        if work.changes[work.last[point]] & COLOUR == EMPTY:  # a chain that touches the move twice
            return n
        n = _write_change(work, n, TAKEN | point, point, colour, EMPTY)
        stone = b.link[stone]
        if stone == cell:
            return n


@jit
def _write_change(work: WorkArrays, n: int, change: int, point: int, before: int, after: int) -> int:
    """Write one change at n; return n + 1."""
    work.changes[n], work.last[point] = change, n
    if before != after:
        _update_regions(work, point, before, after)
    return n + 1


@jit
def _update_regions(work: WorkArrays, point: int, before: int, after: int) -> None:
    """Update the stone counts and hashes of the regions around a point whose colour changes."""
    tables = work.tables
    added = int(after != EMPTY) - int(before != EMPTY)
    work.stones[0] += added
    if not work.passed_limit[0]:
        for image in range(IMAGES):
            work.hashes[0, image] ^= tables.full[image, point, before] ^ tables.full[image, point, after]
    for corner in range(4):
        cell = tables.corners[corner, point]
        if cell >= 0:
            work.stones[1 + corner] += added
            if not work.passed_limit[1 + corner]:
                for image in range(CORNER_IMAGES):
                    key = tables.corner[image, cell, before] ^ tables.corner[image, cell, after]
                    work.hashes[1 + corner, image] ^= key


@jit
def _clear_notes(work: WorkArrays, game: int) -> None:
    """Start the notes of a game: no position noted, no stones on the board."""
    for word in range(NOTES_PER_GAME):
        work.notes[game, word] = NEVER
    for region in range(REGIONS):
        work.stones[region], work.passed_limit[region] = 0, 0
        for image in range(IMAGES):
            work.hashes[region, image] = 0


@jit
def _write_notes(work: WorkArrays, game: int) -> None:
    """Note the hashes of the board and its corners, once a move is complete, by their numbers of stones."""
    for region in range(REGIONS):
        stones, max_stones = work.stones[region], MAX_BOARD_STONES if region == 0 else MAX_CORNER_STONES
        if stones > max_stones:
            work.passed_limit[region] = 1
        elif stones > 0:
            word = stones - 1 if region == 0 else first_corner_word(stones) + region - 1
            seen = work.notes[game, word]
            if work.passed_limit[region]:
                work.notes[game, word] = SEVERAL  # its hash is no longer updated
                continue
            least = work.hashes[region, 0]
            for image in range(1, IMAGES if region == 0 else CORNER_IMAGES):
                if work.hashes[region, image] < least:
                    least = work.hashes[region, image]
            note = least & NOTE_MASK | NOTE_BIT
            work.notes[game, word] = note if seen in (NEVER, note) else SEVERAL


@jit
def first_corner_word(stones: int) -> int:
    """Return the index of a game's note about its first corner with this many stones; the other three follow."""
    return MAX_BOARD_STONES + 4 * (stones - 1)


@entry
def find_noted(notes: Ints, corners: bool, stones: int, note: int, games: Ints) -> int:
    """Write the games whose notes, [word, game], allow an opening position, see OpeningNote; return their number."""
    word, words = (first_corner_word(stones), 4) if corners else (stones - 1, 1)
    n = 0
    for game in range(len(games)):
        for i in range(words):
            seen = notes[word + i, game]
            if seen in (note, SEVERAL):
                games[n] = game
                n += 1
                break
    return n
