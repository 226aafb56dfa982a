"""The compiled search: replay games change by change, and compare the pattern only where something changed.

A guise is the pattern turned, mirrored or with its colours swapped; a placement is a guise with its top left corner on
a point. A placement is a hit at most once in a game, the first time that it fits. There are two searches:

search_anywhere  for patterns with many placements. A trigger is a point of a guise
    that a changed point may be. The ring of a change, the eight points around it
    once its move is complete, is in the store and rules out nearly all triggers.
    Only if one is left are the changes so far applied to the board; then the points
    two away are compared, and finally the whole placement.

search_few  for patterns with up to MAX_PLACEMENTS, a bit each. Tables give the
    placements that a change may complete and those it rules out.

Both compare all placements where single changes are not enough: on the empty board, after setup stones, and at the
first move that counts.

A board is a word for each row, with two bits for each point: EMPTY 00, BLACK 01, WHITE 10, edge 11. The point in row r
and column c lies in word r + PAD at bit 2 * (c + PAD), so that every point has PAD neighbours on each side.
"""

from __future__ import annotations

from typing import NamedTuple

from kibitz.compiled.arrays import Int32Array, Ints
from kibitz.compiled.intrinsics import lowest
from kibitz.compiled.jit import entry, inlined, jit
from kibitz.games.go.records.layout import LASTS, NOT_A_MOVE, TAKEN, colour_of, point_of
from kibitz.games.go.records.search.guises import LINE_CODES, PAD, Guises, Triggers
from kibitz.games.go.rules.board import EMPTY
from kibitz.games.go.sgf.record import PASS, SETUP

MAX_PLACEMENTS = 64  # placements that search_few has bits for
FOUND, NEXT, STAMP = range(3)
"""The words of PatternSearch.counts: hits found, the next game to search, the stamp of the current game."""


class BoardWords(NamedTuple):
    """A board as int64 words, one per row."""

    words: Ints  # [size + 2 * PAD]
    bits: Ints  # [point]: its word + 32 * its lower bit in that word
    seen: Ints  # [guise * points + place]: the stamp of the game in which this placement was last a hit


class StoredGames(NamedTuple):
    """All games of a store."""

    changes: Ints  # uint16, see layout.py
    rings: Ints  # uint16, beside each change of a move: the eight points around it
    first: Ints  # int64 [game + 1]: where each game's changes begin; the last entry is where they end


class GameSlice(NamedTuple):
    """A game: its number, and its changes from start to end."""

    number: int
    changes: Ints
    start: int
    end: int


class HitColumns(NamedTuple):
    """Hits. Arrays [hit]."""

    game: Int32Array
    move: Int32Array  # number of moves played when the pattern first appeared
    guise: Int32Array
    place: Int32Array  # the point of the guise's top left corner
    then: Int32Array  # the next move inside the pattern: colour * cells + cell of the guise, or -1
    at_once: Int32Array  # 1 if it was also the next move of the game


class PatternSearch(NamedTuple):
    """The board, the pattern searched for, and the hits."""

    board: BoardWords
    guises: Guises
    hits: HitColumns
    counts: Ints  # int64: FOUND, NEXT, STAMP


class Placement(NamedTuple):
    """A guise, and the row and column of its top left corner."""

    guise: int
    row: int
    col: int


class FewPlacements(NamedTuple):
    """The placements of a pattern with at most MAX_PLACEMENTS of them. int64."""

    placements: Ints  # [placement, 3]: the fields of Placement
    completes: Ints  # [colour, point]: bits of the placements that a change to this colour may complete
    rules_out: Ints  # [colour, point]: bits of the placements that this colour rules out


class MoveRange(NamedTuple):
    """The range of moves after which a pattern counts."""

    low: int
    high: int
    fits_empty: bool  # whether the pattern fits an empty board


# The board


@inlined
def _size(b: BoardWords) -> int:
    return len(b.words) - 2 * PAD


@inlined
def _word_of(b: BoardWords, point: int) -> int:
    """Return the index of the word of the board that a point is in."""
    return b.bits[point] & 31


@inlined
def _bit_of(b: BoardWords, point: int) -> int:
    """Return the position, in its word, of the lower of a point's two bits."""
    return b.bits[point] >> 5  # bits[point] is word + 32 * position


@jit
def _clear(b: BoardWords) -> None:
    """Remove all stones: set the points to EMPTY, and everything around them to the code of the edge."""
    size = _size(b)
    inside = ((1 << 2 * size) - 1) << 2 * PAD
    line = (1 << 2 * (size + 2 * PAD)) - 1 - inside  # the edge left and right of the points
    for word in range(len(b.words)):
        b.words[word] = line if PAD <= word < size + PAD else line + inside


@inlined
def _apply(b: BoardWords, change: int) -> None:
    """Set the point of a change, which is not a pass, to its new colour."""
    word, bit = _word_of(b, point_of(change)), _bit_of(b, point_of(change))
    b.words[word] = b.words[word] & ~(3 << bit) | colour_of(change) << bit


@inlined
def _apply_through(b: BoardWords, game: GameSlice, applied: int, at: int) -> int:
    """Apply the changes from `applied` to the end of the move that contains change `at`; return that end."""
    while applied <= at or (applied < game.end and game.changes[applied] & TAKEN):
        if point_of(game.changes[applied]) != PASS:
            _apply(b, int(game.changes[applied]))
        applied += 1
    return applied


@jit
def _apply_setup(b: BoardWords, game: GameSlice, at: int) -> int:
    """Apply the setup changes from `at` on; return the index of the first change that is not setup."""
    while at < game.end and game.changes[at] & SETUP:
        _apply(b, int(game.changes[at]))
        at += 1
    return at


# Comparing and reporting


@inlined
def _seen_index(b: BoardWords, p: Placement) -> int:
    """Return the index of a placement in BoardWords.seen."""
    return p.guise * len(b.bits) + p.row * _size(b) + p.col


@inlined
def _is_new(s: PatternSearch, p: Placement) -> bool:
    """Return whether a placement has not yet been a hit in this game."""
    return s.board.seen[_seen_index(s.board, p)] != s.counts[STAMP]


@inlined
def _fits(words: Ints, g: Guises, p: Placement) -> bool:
    """Return whether the points of a placement match the board."""
    i, height, wrong = 0, g.shapes[p.guise, 0], 0
    while i < height and wrong == 0:
        wrong = (words[p.row + PAD + i] >> 2 * (p.col + PAD) ^ g.values[p.guise, i]) & g.masks[p.guise, i]
        i += 1
    return wrong == 0


@inlined
def _cell_of(s: PatternSearch, p: Placement, point: int) -> int:
    """Return the cell of a placement at a point, counted row by row, or -1 if the point is outside."""
    height, width = s.guises.shapes[p.guise, 0], s.guises.shapes[p.guise, 1]
    down, across = _word_of(s.board, point) - PAD - p.row, (_bit_of(s.board, point) >> 1) - PAD - p.col
    return down * width + across if 0 <= down < height and 0 <= across < width else -1


@jit
def _ends_sequence(s: PatternSearch, game: GameSlice, p: Placement, at: int) -> bool:
    """Return whether the last moves inside a placement before change `at` are its numbered moves, in order."""
    back, wanted = at - 1, 0
    while wanted < s.guises.sequence.shape[1]:
        if back < game.start:
            return False
        change = int(game.changes[back])
        back -= 1
        cell = -1 if change & TAKEN or point_of(change) == PASS else _cell_of(s, p, point_of(change))
        if cell >= 0:
            if change & SETUP or 4 * cell + colour_of(change) != s.guises.sequence[p.guise, wanted]:
                return False
            wanted += 1
    return True


@jit
def _report(s: PatternSearch, game: GameSlice, p: Placement, at: int, move: int) -> bool:
    """Add a hit with its continuation, and return True; return False if its moves were not played in order.

    at: the first change after the hit. The continuation is the next move inside the placement, whatever is played
    elsewhere before it.
    """
    if s.guises.sequence.shape[1] and not _ends_sequence(s, game, p, at):
        return False
    then, at_once = -1, 0
    for i in range(at, game.end):
        change = int(game.changes[i])
        if change & NOT_A_MOVE == 0 and point_of(change) != PASS:
            cell = _cell_of(s, p, point_of(change))
            if cell >= 0:
                then = colour_of(change) * s.guises.shapes[p.guise, 0] * s.guises.shapes[p.guise, 1] + cell
                at_once = 1 if i == at else 0
                break
    hits, n = s.hits, s.counts[FOUND]
    hits.game[n], hits.move[n], hits.guise[n] = game.number, move, p.guise
    hits.place[n], hits.then[n], hits.at_once[n] = p.row * _size(s.board) + p.col, then, at_once
    s.counts[FOUND] = n + 1
    s.board.seen[_seen_index(s.board, p)] = s.counts[STAMP]
    return True


@jit
def _compare_all(s: PatternSearch, game: GameSlice, at: int, move: int) -> None:
    """Report every placement that matches the board and was not yet a hit. at, move: see _report."""
    ranges = s.guises.ranges
    for guise in range(len(s.guises.masks)):
        for row in range(ranges[guise, 0], ranges[guise, 1] + 1):
            for col in range(ranges[guise, 2], ranges[guise, 3] + 1):
                p = Placement(guise, row, col)
                if _is_new(s, p) and _fits(s.board.words, s.guises, p):
                    _report(s, game, p, at, move)


# Shared by both searches


@inlined
def _has_room(s: PatternSearch) -> bool:
    """Return whether there is room for the hits of one more game."""
    return s.counts[FOUND] + len(s.board.seen) <= len(s.hits.game)


@inlined
def _next_game(s: PatternSearch, limits: MoveRange, games: StoredGames, chosen: Ints) -> GameSlice:
    """Start the next game on an empty board; report hits there if the empty board is in the range of moves."""
    number = chosen[s.counts[NEXT]]
    s.counts[NEXT] += 1
    s.counts[STAMP] += 1
    _clear(s.board)
    game = GameSlice(number, games.changes, games.first[number], games.first[number + 1])
    is_empty = game.start == game.end or not game.changes[game.start] & SETUP
    if limits.low == 0 and limits.fits_empty and is_empty:
        _compare_all(s, game, game.start, 0)
    return game


# Many placements


@inlined
def _fitting_ring(t: Triggers, word: int, ring: int) -> int:
    """Return the triggers of a word, as bits, that fit the ring of a change: the eight points around it."""
    return t.fits[word, ring & LINE_CODES - 1] & t.fits[word, LINE_CODES + (ring >> 8)]


@inlined
def _fitting_lines(t: Triggers, word: int, words: Ints, row: int, bit: int) -> int:
    """Return the triggers of a word, as bits, that fit the points two away from the one in word `row` at `bit`."""
    left, right = bit - 4, bit + 4
    west = (words[row - 1] >> left & 3) | (words[row] >> left & 3) << 2 | (words[row + 1] >> left & 3) << 4
    east = (words[row - 1] >> right & 3) | (words[row] >> right & 3) << 2 | (words[row + 1] >> right & 3) << 4
    north, south = words[row - 2] >> bit - 2 & 63, words[row + 2] >> bit - 2 & 63
    lines = t.fits[word, 2 * LINE_CODES + north] & t.fits[word, 3 * LINE_CODES + south]
    return lines & t.fits[word, 4 * LINE_CODES + west] & t.fits[word, 5 * LINE_CODES + east]


@inlined
def _in_range(g: Guises, p: Placement) -> bool:
    """Return whether the top left corner of a placement lies where that guise may be placed."""
    rows = g.ranges[p.guise, 0] <= p.row <= g.ranges[p.guise, 1]
    return bool(rows and g.ranges[p.guise, 2] <= p.col <= g.ranges[p.guise, 3])


@inlined
def _compare_triggers(
    s: PatternSearch, t: Triggers, game: GameSlice, word: int, candidates: int, point: int, at: int, move: int
) -> None:
    """Report the new placements that a change of a point completed. candidates: triggers of a word, as bits."""
    b = s.board
    row, bit = _word_of(b, point), _bit_of(b, point)
    candidates &= _fitting_lines(t, word, b.words, row, bit)
    while candidates:
        trigger = 64 * word + lowest(candidates)
        candidates &= candidates - 1
        # place the guise so that the trigger's point is the changed one
        p = Placement(t.guise[trigger], row - PAD - t.row[trigger], (bit >> 1) - PAD - t.col[trigger])
        if _in_range(s.guises, p) and _is_new(s, p) and _fits(b.words, s.guises, p):
            _report(s, game, p, at, move)


@entry
def search_anywhere(s: PatternSearch, t: Triggers, limits: MoveRange, games: StoredGames, chosen: Ints) -> None:
    """Search the chosen games, starting at counts[NEXT], for a pattern anywhere in its ranges.

    Stop early if there may be no room for the hits of one more game.
    """
    b = s.board
    while s.counts[NEXT] < len(chosen) and _has_room(s):
        game = _next_game(s, limits, games, chosen)
        move, at, applied = 0, game.start, game.start  # moves played; the current change; changes applied to the board
        while at < game.end:
            change, ring = int(game.changes[at]), int(games.rings[at])
            if change & SETUP:
                at = applied = _apply_setup(b, game, _apply_through(b, game, applied, at - 1))
                if move >= limits.low:
                    _compare_all(s, game, at, move)
                continue
            if change & TAKEN == 0:
                move += 1
                if move > limits.high:
                    break
                if move == limits.low:
                    applied = _apply_through(b, game, applied, at)
                    _compare_all(s, game, applied, move)
            colour = colour_of(change)
            for word in range(t.words[colour], t.words[colour + 1]):
                candidates = _fitting_ring(t, word, ring)
                if candidates == 0 or move <= limits.low or point_of(change) == PASS:
                    continue
                if applied <= at:
                    applied = _apply_through(b, game, applied, at)
                _compare_triggers(s, t, game, word, candidates, point_of(change), applied, move)
            at += 1


# Few placements


@entry
def fill_tables(s: PatternSearch, few: FewPlacements) -> None:
    """Compute which placements each colour at each point may complete or rules out."""
    size, g = _size(s.board), s.guises
    for number in range(len(few.placements)):
        guise, top, left = few.placements[number, 0], few.placements[number, 1], few.placements[number, 2]
        for row in range(g.shapes[guise, 0]):
            for col in range(g.shapes[guise, 1]):
                mask, value = g.masks[guise, row] >> 2 * col & 3, g.values[guise, row] >> 2 * col & 3
                point = (top + row) * size + left + col
                for colour in range(3):
                    if (colour ^ value) & mask:
                        few.rules_out[colour, point] |= 1 << number
                    elif mask == 3 or (mask and colour == EMPTY):
                        few.completes[colour, point] |= 1 << number


@entry
def search_few(s: PatternSearch, few: FewPlacements, limits: MoveRange, games: StoredGames, chosen: Ints) -> None:
    """Search like search_anywhere, for a pattern with few placements.

    Leave a game as soon as no placement is still open: each has been a hit, or has a
    point that does not fit and never changes again.
    """
    b, n = s.board, len(few.placements)
    all_open = -1 if n == MAX_PLACEMENTS else (1 << n) - 1
    while s.counts[NEXT] < len(chosen) and _has_room(s):
        game = _next_game(s, limits, games, chosen)
        move, at, still_open = 0, game.start, all_open
        while at < game.end and still_open:
            if game.changes[at] & SETUP:
                at = _apply_setup(b, game, at)
                if move >= limits.low:
                    _compare_all(s, game, at, move)
                continue
            move += 1
            if move > limits.high:
                break
            candidates = 0  # the placements that this move and its captures may complete
            while True:
                change = int(game.changes[at])
                point, colour = point_of(change), colour_of(change)
                if point != PASS:
                    _apply(b, change)
                    candidates |= few.completes[colour, point]
                    if change & LASTS:
                        still_open &= ~few.rules_out[colour, point]
                at += 1
                if at == game.end or not game.changes[at] & TAKEN:
                    break
            if move <= limits.low:
                if move == limits.low:
                    _compare_all(s, game, at, move)
                continue
            candidates &= still_open
            while candidates:
                number = lowest(candidates)
                candidates &= candidates - 1
                p = Placement(few.placements[number, 0], few.placements[number, 1], few.placements[number, 2])
                if not _is_new(s, p) or (_fits(b.words, s.guises, p) and _report(s, game, p, at, move)):
                    still_open &= ~(1 << number)
