"""The compiled search: games played again change by change, and looked at where something changed.

A board is a word for each row, with two bits for each point: EMPTY 00, BLACK 01,
WHITE 10, edge 11. The point in row r and column c lies in word r + 2 at bit
2 * (c + 2), so that every point has two neighbours on each side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest
from kibitz.compiled.jit import entry, inlined, jit
from kibitz.games.go.records.search.changes_kernel import LASTS, MOST_FULL, TAKEN, WILD
from kibitz.games.go.records.search.guises import HALF, PAD, Guises, Triggers
from kibitz.games.go.rules.board import EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

MOST_PLACES = 64
"""Places that search_few has bits for."""
FOUND, NEXT, STAMP = range(3)
"""The words of Hits.counts: hits found, the next game to search, the last stamp."""


class Board(NamedTuple):
    """A board of words. int64."""

    words: Ints
    """[size + 4]"""
    spots: Ints
    """[point]: its word, and 32 times its lower bit"""
    seen: Ints
    """[guise * points + place]: the stamp of the game in which a guise was last found at a place"""


class Played(NamedTuple):
    """All games of a store, see changes_kernel.py."""

    changes: Any
    rings: Any
    first: Ints
    """int64 [game]: where the changes of each begin, and where the last ones end"""


class Game(NamedTuple):
    """A game: its number, and its changes from start to end."""

    number: int
    changes: Any
    start: int
    end: int


class Hits(NamedTuple):
    """What was found. int32."""

    game: Ints
    move: Ints
    """moves made when the pattern stood there first"""
    guise: Ints
    place: Ints
    """the point of the guise's top left corner"""
    then: Ints
    """the next move inside the pattern: colour * cells + cell of the guise; -1 if there is none"""
    soon: Ints
    """1 if that was the very next move"""
    counts: Ints


class Places(NamedTuple):
    """A pattern place by place, for one that may lie in few. int64."""

    where: Any
    """[place, 3]: guise, row and column of its top left corner"""
    wants: Any
    """[colour, point]: bits of the places that a change to this colour may complete"""
    bars: Any
    """[colour, point]: bits of the places that this colour does not fit"""


class Range(NamedTuple):
    """The moves after which the pattern may stand."""

    low: int
    high: int
    empty_fits: bool
    """whether the pattern fits an empty board"""


@jit
def _clear(b: Board) -> None:
    size = len(b.words) - 2 * PAD
    inside = ((1 << 2 * size) - 1) << 2 * PAD
    line = (1 << 2 * (size + 2 * PAD)) - 1 - inside
    for row in range(len(b.words)):
        b.words[row] = line if PAD <= row < size + PAD else line + inside


@inlined
def _fits(words: Ints, g: Guises, guise: int, row: int, col: int) -> bool:
    """Return whether a guise fits with its top left corner here."""
    i, height, wrong = 0, g.shapes[guise, 0], 0
    while i < height and wrong == 0:
        wrong = (words[row + PAD + i] >> 2 * (col + PAD) ^ g.values[guise, i]) & g.masks[guise, i]
        i += 1
    return wrong == 0


@jit
def _in_order(game: Game, b: Board, g: Guises, guise: int, row: int, col: int, at: int) -> bool:
    """Return whether the last moves inside the pattern, before the change `at`, were those of its sequence."""
    back, wanted = at - 1, 0
    while wanted < g.sequence.shape[1]:
        if back < game.start:
            return False
        change = int(game.changes[back])
        point = change & PASS
        back -= 1
        if change & TAKEN or point == PASS:
            continue
        down, across = (b.spots[point] & 31) - PAD - row, (b.spots[point] >> 6) - PAD - col
        if 0 <= down < g.shapes[guise, 0] and 0 <= across < g.shapes[guise, 1]:
            played = 4 * (down * g.shapes[guise, 1] + across) + (change >> POINT_BITS & 3)
            if change & SETUP or played != g.sequence[guise, wanted]:
                return False
            wanted += 1
    return True


@jit
def _report(game: Game, b: Board, g: Guises, guise: int, row: int, col: int, at: int, number: int, hits: Hits) -> bool:
    """Add a hit with its continuation; `at` is the first change after it. Return whether its moves were in order."""
    if g.sequence.shape[1] and not _in_order(game, b, g, guise, row, col, at):
        return False
    height, width = g.shapes[guise, 0], g.shapes[guise, 1]
    then, soon, i = -1, 0, at
    top, left = row + PAD, col + PAD
    bottom, right = top + height, left + width
    while i < game.end:
        change = int(game.changes[i])
        point = change & PASS
        if change & (TAKEN | SETUP) == 0 and point != PASS:
            down, across = b.spots[point] & 31, b.spots[point] >> 6
            if top <= down < bottom and left <= across < right:
                then = ((change >> POINT_BITS & 3) * height + down - top) * width + across - left
                soon = 1 if i == at else 0
                break
        i += 1
    n = hits.counts[FOUND]
    hits.game[n], hits.move[n], hits.guise[n], hits.place[n] = (
        game.number,
        number,
        guise,
        row * (len(b.words) - 2 * PAD) + col,
    )
    hits.then[n], hits.soon[n] = then, soon
    hits.counts[FOUND] = n + 1
    b.seen[guise * len(b.spots) + row * (len(b.words) - 2 * PAD) + col] = hits.counts[STAMP]
    return True


@jit
def _sweep(game: Game, b: Board, g: Guises, at: int, number: int, hits: Hits) -> None:
    """Report every guise at every place where it fits and was not found before."""
    size = len(b.words) - 2 * PAD
    for guise in range(len(g.masks)):
        for row in range(g.ranges[guise, 0], g.ranges[guise, 1] + 1):
            for col in range(g.ranges[guise, 2], g.ranges[guise, 3] + 1):
                seen = b.seen[guise * size * size + row * size + col] == hits.counts[STAMP]
                if not seen and _fits(b.words, g, guise, row, col):
                    _report(game, b, g, guise, row, col, at, number, hits)


@inlined
def _apply(b: Board, change: int) -> None:
    """Change a point."""
    row, shift = b.spots[change & PASS] & 31, b.spots[change & PASS] >> 5
    b.words[row] = b.words[row] & ~(3 << shift) | (change >> POINT_BITS & 3) << shift


@inlined
def _further(words: Ints, row: int, shift: int, t: Triggers, word: int) -> int:
    """Return the triggers of a word that fit the points two away from a changed one."""
    left, right = shift - 4, shift + 4
    west = (words[row - 1] >> left & 3) | (words[row] >> left & 3) << 2 | (words[row + 1] >> left & 3) << 4
    east = (words[row - 1] >> right & 3) | (words[row] >> right & 3) << 2 | (words[row + 1] >> right & 3) << 4
    north, south = words[row - 2] >> shift - 2 & 63, words[row + 2] >> shift - 2 & 63
    lines = t.fits[word, 2 * HALF + north] & t.fits[word, 3 * HALF + south]
    return lines & t.fits[word, 4 * HALF + west] & t.fits[word, 5 * HALF + east]


@inlined
def _catch_up(game: Game, b: Board, done: int, at: int) -> int:
    """Make the changes of a game up to the end of the move that the change `at` belongs to; return where that is."""
    while done <= at or (done < game.end and game.changes[done] & TAKEN):
        if game.changes[done] & PASS != PASS:
            _apply(b, int(game.changes[done]))
        done += 1
    return done


@jit
def _set_up(game: Game, b: Board, at: int) -> int:
    """Make a run of setup changes; return where it ends."""
    while at < game.end and game.changes[at] & SETUP:
        _apply(b, int(game.changes[at]))
        at += 1
    return at


@entry
def search_many(b: Board, g: Guises, t: Triggers, limits: Range, played: Played, which: Ints, hits: Hits) -> None:
    """Search the games in `which` from hits.counts[NEXT] on for a pattern that may lie anywhere in its ranges.

    The board is brought up to date only where the ring of a change fits. Stops
    early when there might be no room for the hits of one more game.
    """
    changes, size, room = played.changes, len(b.words) - 2 * PAD, len(b.seen)
    while hits.counts[NEXT] < len(which) and hits.counts[FOUND] + room <= len(hits.game):
        at, end = played.first[which[hits.counts[NEXT]]], played.first[which[hits.counts[NEXT]] + 1]
        game = Game(which[hits.counts[NEXT]], changes, at, end)
        hits.counts[NEXT] += 1
        hits.counts[STAMP] += 1
        stamp = hits.counts[STAMP]
        _clear(b)
        number, done = 0, at
        if limits.low == 0 and limits.empty_fits and (at == end or not changes[at] & SETUP):
            _sweep(game, b, g, at, 0, hits)
        while at < end:
            change, ring = int(changes[at]), int(played.rings[at])
            if change & SETUP:
                done = _set_up(game, b, _catch_up(game, b, done, at - 1))
                at = done
                if number >= limits.low:
                    _sweep(game, b, g, at, number, hits)
                continue
            if change & TAKEN == 0:
                number += 1
                if number > limits.high:
                    break
                if number == limits.low:
                    done = _catch_up(game, b, done, at)
                    _sweep(game, b, g, done, number, hits)
            colour = change >> POINT_BITS & 3
            for word in range(t.words[colour], t.words[colour + 1]):
                bits = t.fits[word, ring & HALF - 1] & t.fits[word, HALF + (ring >> 8)]
                if bits == 0 or number <= limits.low or change & PASS == PASS:
                    continue
                if done <= at:
                    done = _catch_up(game, b, done, at)
                row, shift = b.spots[change & PASS] & 31, b.spots[change & PASS] >> 5
                bits &= _further(b.words, row, shift, t, word)
                while bits:
                    trigger = 64 * word + lowest(bits)
                    bits &= bits - 1
                    guise = t.guise[trigger]
                    top, left = row - PAD - t.row[trigger], (shift >> 1) - PAD - t.col[trigger]
                    if (
                        g.ranges[guise, 0] <= top <= g.ranges[guise, 1]
                        and g.ranges[guise, 2] <= left <= g.ranges[guise, 3]
                        and b.seen[guise * size * size + top * size + left] != stamp
                        and _fits(b.words, g, guise, top, left)
                    ):
                        _report(game, b, g, guise, top, left, done, number, hits)
            at += 1


@entry
def fill_places(b: Board, g: Guises, p: Places) -> None:
    """Work out which places a change of each point to each colour completes or bars."""
    size = len(b.words) - 2 * PAD
    for place in range(len(p.where)):
        guise, top, left = p.where[place, 0], p.where[place, 1], p.where[place, 2]
        for row in range(g.shapes[guise, 0]):
            for col in range(g.shapes[guise, 1]):
                mask, value = g.masks[guise, row] >> 2 * col & 3, g.values[guise, row] >> 2 * col & 3
                point = (top + row) * size + left + col
                for colour in range(3):
                    if (colour ^ value) & mask:
                        p.bars[colour, point] |= 1 << place
                    elif mask == 3 or (mask and colour == EMPTY):
                        p.wants[colour, point] |= 1 << place


@entry
def search_few(b: Board, g: Guises, p: Places, limits: Range, played: Played, which: Ints, hits: Hits) -> None:
    """Search as search_many does, for a pattern that has few places.

    A game is left as soon as no place is open any more: the pattern was found
    there, or a point that does not fit stays as it is to the end.
    """
    changes, room = played.changes, len(b.seen)
    everywhere = -1 if len(p.where) == 64 else (1 << len(p.where)) - 1
    while hits.counts[NEXT] < len(which) and hits.counts[FOUND] + room <= len(hits.game):
        at, end = played.first[which[hits.counts[NEXT]]], played.first[which[hits.counts[NEXT]] + 1]
        game = Game(which[hits.counts[NEXT]], changes, at, end)
        hits.counts[NEXT] += 1
        hits.counts[STAMP] += 1
        _clear(b)
        number, still_open = 0, everywhere
        if limits.low == 0 and limits.empty_fits and (at == end or not changes[at] & SETUP):
            _sweep(game, b, g, at, 0, hits)
        while at < end and still_open:
            if changes[at] & SETUP:
                at = _set_up(game, b, at)
                if number >= limits.low:
                    _sweep(game, b, g, at, number, hits)
                continue
            number += 1
            if number > limits.high:
                break
            bits = 0
            while True:
                change = int(changes[at])
                point, colour = change & PASS, change >> POINT_BITS & 3
                if point != PASS:
                    _apply(b, change)
                    bits |= p.wants[colour, point]
                    if change & LASTS:
                        still_open &= ~p.bars[colour, point]
                at += 1
                if at == end or not changes[at] & TAKEN:
                    break
            if number <= limits.low:
                if number == limits.low:
                    _sweep(game, b, g, at, number, hits)
                continue
            bits &= still_open
            while bits:
                place = lowest(bits)
                bits &= bits - 1
                guise, top, left = p.where[place, 0], p.where[place, 1], p.where[place, 2]
                seen = b.seen[guise * len(b.spots) + top * (len(b.words) - 2 * PAD) + left] == hits.counts[STAMP]
                if not seen and _fits(b.words, g, guise, top, left):
                    seen = _report(game, b, g, guise, top, left, at, number, hits)
                if seen:
                    still_open &= ~(1 << place)


@entry
def noted(notes: Any, corners: bool, stones: int, note: int, out: Ints) -> int:
    """Write the games that may have an opening position, by their notes [word, game]; return how many."""
    n = 0
    if corners:
        word = MOST_FULL + 4 * (stones - 1)
        for game in range(len(out)):
            for corner in range(4):
                seen = notes[word + corner, game]
                if seen in (note, WILD):
                    out[n] = game
                    n += 1
                    break
        return n
    for game in range(len(out)):
        seen = notes[stones - 1, game]
        if seen in (note, WILD):
            out[n] = game
            n += 1
    return n
