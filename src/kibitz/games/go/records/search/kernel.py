"""The compiled search: games are replayed change by change, and searched where something changed.

A board is a word for each row, with two bits for each point: EMPTY 00, BLACK 01,
WHITE 10, edge 11. The point in row r and column c lies in word r + PAD at bit
2 * (c + PAD), so that every point has PAD neighbours on each side.
"""

from __future__ import annotations

from typing import NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest
from kibitz.compiled.jit import entry, inlined, jit
from kibitz.games.go.records.layout import LASTS, NOT_A_MOVE, TAKEN, colour_of, point_of
from kibitz.games.go.records.search.guises import LINE_CODES, PAD, Guises, Triggers
from kibitz.games.go.rules.board import EMPTY
from kibitz.games.go.sgf.record import PASS, SETUP

MAX_PLACES = 64  # places that search_places has bits for
FOUND, NEXT, STAMP = range(3)
"""The words of Hits.counts: hits found, the next game to search, the stamp of the present game."""


class BoardWords(NamedTuple):
    """A board of words. int64."""

    words: Ints  # [size + 2 * PAD]
    spots: Ints  # [point]: its word, and 32 times its lower bit
    seen: Ints  # [guise * points + place]: the stamp of the game in which a guise was last found at a place


class StoredGames(NamedTuple):
    """All games of a store."""

    changes: Ints  # uint16, see layout.py
    rings: Ints  # uint16, beside each change of a move: the eight points around it
    first: Ints  # int64 [game]: where the changes of each begin, and where the last ones end


class GameSlice(NamedTuple):
    """A game: its number, and its changes from start to end."""

    number: int
    changes: Ints
    start: int
    end: int


class Hits(NamedTuple):
    """What was found. int32 [hit]."""

    game: Ints
    move: Ints  # moves made when the pattern was first there
    guise: Ints
    place: Ints  # the point of the guise's top left corner
    then: Ints  # the next move inside the pattern: colour * cells + cell of the guise; -1 if there is none
    soon: Ints  # 1 if that was the very next move
    counts: Ints  # int64: FOUND, NEXT, STAMP


class PatternSearch(NamedTuple):
    """The board, what is searched for on it, and what was found."""

    board: BoardWords
    guises: Guises
    hits: Hits


class Spot(NamedTuple):
    """A guise, and the row and column of its top left corner."""

    guise: int
    row: int
    col: int


class Places(NamedTuple):
    """The places of a pattern that has few of them. int64."""

    spots: Ints  # [place, 3]: guise, row and column of its top left corner
    completes: Ints  # [colour, point]: bits of the places that a change to this colour may complete
    bars: Ints  # [colour, point]: bits of the places that this colour does not fit


class MoveRange(NamedTuple):
    """The moves after which a pattern may be there."""

    low: int
    high: int
    fits_empty: bool  # whether the pattern fits an empty board


@inlined
def _size(b: BoardWords) -> int:
    return len(b.words) - 2 * PAD


@inlined
def _row_of(b: BoardWords, point: int) -> int:
    """Return the word of a point."""
    return b.spots[point] & 31


@inlined
def _shift_of(b: BoardWords, point: int) -> int:
    """Return the lower bit of a point in its word."""
    return b.spots[point] >> 5


@inlined
def _seen_at(b: BoardWords, spot: Spot) -> int:
    """Return where the stamp of a guise at a place is."""
    return spot.guise * len(b.spots) + spot.row * _size(b) + spot.col


@jit
def _clear(b: BoardWords) -> None:
    """Remove all stones."""
    size = _size(b)
    inside = ((1 << 2 * size) - 1) << 2 * PAD
    line = (1 << 2 * (size + 2 * PAD)) - 1 - inside
    for row in range(len(b.words)):
        b.words[row] = line if PAD <= row < size + PAD else line + inside


@inlined
def _apply(b: BoardWords, change: int) -> None:
    """Change a point."""
    row, shift = _row_of(b, point_of(change)), _shift_of(b, point_of(change))
    b.words[row] = b.words[row] & ~(3 << shift) | colour_of(change) << shift


@inlined
def _fits(words: Ints, g: Guises, spot: Spot) -> bool:
    """Return whether a guise fits the board at its place."""
    i, height, wrong = 0, g.shapes[spot.guise, 0], 0
    while i < height and wrong == 0:
        wrong = (words[spot.row + PAD + i] >> 2 * (spot.col + PAD) ^ g.values[spot.guise, i]) & g.masks[spot.guise, i]
        i += 1
    return wrong == 0


@inlined
def _is_new(s: PatternSearch, spot: Spot) -> bool:
    """Return whether a guise was not found at this place in this game."""
    return s.board.seen[_seen_at(s.board, spot)] != s.hits.counts[STAMP]


@jit
def _in_order(s: PatternSearch, game: GameSlice, spot: Spot, at: int) -> bool:
    """Return whether the last moves inside the pattern, before the change `at`, were those of its sequence."""
    b, g, guise = s.board, s.guises, spot.guise
    back, wanted = at - 1, 0
    while wanted < g.sequence.shape[1]:
        if back < game.start:
            return False
        change = int(game.changes[back])
        point = point_of(change)
        back -= 1
        if change & TAKEN or point == PASS:
            continue
        down, across = _row_of(b, point) - PAD - spot.row, (_shift_of(b, point) >> 1) - PAD - spot.col
        if 0 <= down < g.shapes[guise, 0] and 0 <= across < g.shapes[guise, 1]:
            played = 4 * (down * g.shapes[guise, 1] + across) + colour_of(change)
            if change & SETUP or played != g.sequence[guise, wanted]:
                return False
            wanted += 1
    return True


@jit
def _report(s: PatternSearch, game: GameSlice, spot: Spot, at: int, number: int) -> bool:
    """Add a hit with its continuation; `at` is the first change after it. Return whether its moves were in order."""
    b, g, hits, guise = s.board, s.guises, s.hits, spot.guise
    if g.sequence.shape[1] and not _in_order(s, game, spot, at):
        return False
    height, width = g.shapes[guise, 0], g.shapes[guise, 1]
    then, soon, i = -1, 0, at
    top, left = spot.row + PAD, spot.col + PAD
    bottom, right = top + height, left + width
    while i < game.end:
        change = int(game.changes[i])
        point = point_of(change)
        if change & NOT_A_MOVE == 0 and point != PASS:
            down, across = _row_of(b, point), _shift_of(b, point) >> 1
            if top <= down < bottom and left <= across < right:
                then = (colour_of(change) * height + down - top) * width + across - left
                soon = 1 if i == at else 0
                break
        i += 1
    n = hits.counts[FOUND]
    hits.game[n], hits.move[n], hits.guise[n] = game.number, number, guise
    hits.place[n], hits.then[n], hits.soon[n] = spot.row * _size(b) + spot.col, then, soon
    hits.counts[FOUND] = n + 1
    b.seen[_seen_at(b, spot)] = hits.counts[STAMP]
    return True


@jit
def _sweep(s: PatternSearch, game: GameSlice, at: int, number: int) -> None:
    """Report every guise at every place where it fits and was not found before."""
    ranges = s.guises.ranges
    for guise in range(len(s.guises.masks)):
        for row in range(ranges[guise, 0], ranges[guise, 1] + 1):
            for col in range(ranges[guise, 2], ranges[guise, 3] + 1):
                spot = Spot(guise, row, col)
                if _is_new(s, spot) and _fits(s.board.words, s.guises, spot):
                    _report(s, game, spot, at, number)


@inlined
def _next_game(s: PatternSearch, games: StoredGames, chosen: Ints) -> GameSlice:
    """Begin the next game on an empty board, and return it."""
    number = chosen[s.hits.counts[NEXT]]
    s.hits.counts[NEXT] += 1
    s.hits.counts[STAMP] += 1
    _clear(s.board)
    return GameSlice(number, games.changes, games.first[number], games.first[number + 1])


@inlined
def _has_room(s: PatternSearch) -> bool:
    """Return whether the hits of one more game can be held."""
    return s.hits.counts[FOUND] + len(s.board.seen) <= len(s.hits.game)


@inlined
def _begins_empty(game: GameSlice, limits: MoveRange) -> bool:
    """Return whether the pattern may be on the empty board before the first move."""
    is_empty = game.start == game.end or not game.changes[game.start] & SETUP
    return limits.low == 0 and limits.fits_empty and is_empty


@inlined
def _fitting_lines(words: Ints, row: int, shift: int, t: Triggers, word: int) -> int:
    """Return the triggers of a word that fit the points two away from a changed one."""
    left, right = shift - 4, shift + 4
    west = (words[row - 1] >> left & 3) | (words[row] >> left & 3) << 2 | (words[row + 1] >> left & 3) << 4
    east = (words[row - 1] >> right & 3) | (words[row] >> right & 3) << 2 | (words[row + 1] >> right & 3) << 4
    north, south = words[row - 2] >> shift - 2 & 63, words[row + 2] >> shift - 2 & 63
    lines = t.fits[word, 2 * LINE_CODES + north] & t.fits[word, 3 * LINE_CODES + south]
    return lines & t.fits[word, 4 * LINE_CODES + west] & t.fits[word, 5 * LINE_CODES + east]


@inlined
def _catch_up(game: GameSlice, b: BoardWords, done: int, at: int) -> int:
    """Make the changes of a game up to the end of the move that the change `at` belongs to; return where that is."""
    while done <= at or (done < game.end and game.changes[done] & TAKEN):
        if point_of(game.changes[done]) != PASS:
            _apply(b, int(game.changes[done]))
        done += 1
    return done


@jit
def _set_up(game: GameSlice, b: BoardWords, at: int) -> int:
    """Make a run of setup changes; return where it ends."""
    while at < game.end and game.changes[at] & SETUP:
        _apply(b, int(game.changes[at]))
        at += 1
    return at


@entry
def search_anywhere(s: PatternSearch, t: Triggers, limits: MoveRange, games: StoredGames, chosen: Ints) -> None:
    """Search the chosen games, from counts[NEXT] on, for a pattern that may lie anywhere in its ranges.

    The board is brought up to date only where the ring of a change fits. Stop early
    if there might be no room for the hits of one more game.
    """
    b, g = s.board, s.guises
    while s.hits.counts[NEXT] < len(chosen) and _has_room(s):
        game = _next_game(s, games, chosen)
        number, at, done = 0, game.start, game.start
        if _begins_empty(game, limits):
            _sweep(s, game, at, 0)
        while at < game.end:
            change, ring = int(game.changes[at]), int(games.rings[at])
            if change & SETUP:
                done = _set_up(game, b, _catch_up(game, b, done, at - 1))
                at = done
                if number >= limits.low:
                    _sweep(s, game, at, number)
                continue
            if change & TAKEN == 0:
                number += 1
                if number > limits.high:
                    break
                if number == limits.low:
                    done = _catch_up(game, b, done, at)
                    _sweep(s, game, done, number)
            colour = colour_of(change)
            for word in range(t.words[colour], t.words[colour + 1]):
                bits = t.fits[word, ring & LINE_CODES - 1] & t.fits[word, LINE_CODES + (ring >> 8)]
                if bits == 0 or number <= limits.low or point_of(change) == PASS:
                    continue
                if done <= at:
                    done = _catch_up(game, b, done, at)
                row, shift = _row_of(b, point_of(change)), _shift_of(b, point_of(change))
                bits &= _fitting_lines(b.words, row, shift, t, word)
                while bits:
                    trigger = 64 * word + lowest(bits)
                    bits &= bits - 1
                    guise = t.guise[trigger]
                    top, left = row - PAD - t.row[trigger], (shift >> 1) - PAD - t.col[trigger]
                    spot = Spot(guise, top, left)
                    if (
                        g.ranges[guise, 0] <= top <= g.ranges[guise, 1]
                        and g.ranges[guise, 2] <= left <= g.ranges[guise, 3]
                        and _is_new(s, spot)
                        and _fits(b.words, g, spot)
                    ):
                        _report(s, game, spot, done, number)
            at += 1


@entry
def fill_places(s: PatternSearch, p: Places) -> None:
    """Work out which places a change of each point to each colour completes or bars."""
    size, g = _size(s.board), s.guises
    for place in range(len(p.spots)):
        guise, top, left = p.spots[place, 0], p.spots[place, 1], p.spots[place, 2]
        for row in range(g.shapes[guise, 0]):
            for col in range(g.shapes[guise, 1]):
                mask, value = g.masks[guise, row] >> 2 * col & 3, g.values[guise, row] >> 2 * col & 3
                point = (top + row) * size + left + col
                for colour in range(3):
                    if (colour ^ value) & mask:
                        p.bars[colour, point] |= 1 << place
                    elif mask == 3 or (mask and colour == EMPTY):
                        p.completes[colour, point] |= 1 << place


@entry
def search_places(s: PatternSearch, p: Places, limits: MoveRange, games: StoredGames, chosen: Ints) -> None:
    """Search like search_anywhere, for a pattern that has few places.

    A game is left as soon as no place is open any more: the pattern was found
    there, or a point that does not fit remains as it is to the end.
    """
    b = s.board
    everywhere = -1 if len(p.spots) == MAX_PLACES else (1 << len(p.spots)) - 1
    while s.hits.counts[NEXT] < len(chosen) and _has_room(s):
        game = _next_game(s, games, chosen)
        number, at, still_open = 0, game.start, everywhere
        if _begins_empty(game, limits):
            _sweep(s, game, at, 0)
        while at < game.end and still_open:
            if game.changes[at] & SETUP:
                at = _set_up(game, b, at)
                if number >= limits.low:
                    _sweep(s, game, at, number)
                continue
            number += 1
            if number > limits.high:
                break
            bits = 0
            while True:
                change = int(game.changes[at])
                point, colour = point_of(change), colour_of(change)
                if point != PASS:
                    _apply(b, change)
                    bits |= p.completes[colour, point]
                    if change & LASTS:
                        still_open &= ~p.bars[colour, point]
                at += 1
                if at == game.end or not game.changes[at] & TAKEN:
                    break
            if number <= limits.low:
                if number == limits.low:
                    _sweep(s, game, at, number)
                continue
            bits &= still_open
            while bits:
                place = lowest(bits)
                bits &= bits - 1
                spot = Spot(p.spots[place, 0], p.spots[place, 1], p.spots[place, 2])
                is_done = not _is_new(s, spot)
                if not is_done and _fits(b.words, s.guises, spot):
                    is_done = _report(s, game, spot, at, number)
                if is_done:
                    still_open &= ~(1 << place)
