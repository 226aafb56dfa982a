"""Windows of all games as keys: around each move as it was played, and over the boards at the end.

The board of a kernel is uint8 with as many lines around it as the shape
reaches. Keys are those of shapes.py; NONE stands where there is no window.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.records.search.changes_kernel import TAKEN
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

NONE = -1 << 63
"""No window: it is empty, or hangs over the edge where that is not wanted."""
OFF = 3
"""The code of a point beyond the edge."""
_LOW = 0x1555555555555555
SIZE, RADIUS, EXACT, CHUNKS = range(4)
"""The words of Window.facts."""


class Window(NamedTuple):
    """A shape on boards of a size. int64."""

    offsets: Any
    """[point]: how far its cell is from that of the centre"""
    spread: Any
    """[symmetry, four points, 256]: where the codes of four points go in the key"""
    words: Any
    """[symmetry, point, code]: what is hashed instead, where the shape has too many points"""
    facts: Ints
    """SIZE of the board, RADIUS of the shape, whether its keys are EXACT, and CHUNKS of four points"""
    codes: Ints
    """[point]: scratch"""


@jit
def cell_of(window: Window, point: int) -> int:
    """Return the cell of a point of the board."""
    size, radius = window.facts[SIZE], window.facts[RADIUS]
    stride = size + 2 * radius
    return (point // size + radius) * stride + point % size + radius


@jit
def clear_board(window: Window, board: Any) -> None:
    """Take all stones off."""
    size, radius = window.facts[SIZE], window.facts[RADIUS]
    for cell in range(len(board)):
        board[cell] = OFF
    for row in range(size):
        start = (row + radius) * (size + 2 * radius) + radius
        for cell in range(start, start + size):
            board[cell] = EMPTY


@jit
def swap(key: int) -> int:
    """Return a key with black and white exchanged."""
    return (key & _LOW) << 1 | (key >> 1) & _LOW


@jit
def gather(window: Window, board: Any, cell: int) -> int:
    """Return the exact key of a window as it lies."""
    key = 0
    for place in range(len(window.offsets)):
        key |= int(board[cell + window.offsets[place]]) << 2 * place
    return key


@jit
def turn_key(window: Window, key: int, image: int) -> int:
    """Return an exact key turned by a symmetry."""
    turned = 0
    for chunk in range(window.facts[CHUNKS]):
        turned |= window.spread[image, chunk, key >> 8 * chunk & 255]
    return turned


@jit
def least_form(window: Window, key: int, both: int) -> int:
    """Return the least of the eight symmetries of an exact key; of both colourings if both is 1."""
    least = _least_turned(window, key)
    if both:
        other = _least_turned(window, swap(key))
        if other < least:
            least = other
    return least


@jit
def _least_turned(window: Window, key: int) -> int:
    """Return the least of the eight symmetries of an exact key."""
    least = key
    for image in range(1, 8):
        turned = turn_key(window, key, image)
        if turned < least:
            least = turned
    return least


@jit
def least_hash(window: Window, board: Any, cell: int, colour: int, both: int) -> int:
    """Return the least hash of the forms of a window of many points; with colour WHITE, colours swapped."""
    least = 0x7FFFFFFFFFFFFFFF
    for side in range(2 if both else 1):
        swapped = (colour == WHITE) != (side == 1)
        for place in range(len(window.offsets)):
            code = board[cell + window.offsets[place]]
            window.codes[place] = BLACK + WHITE - code if swapped and 0 < code < OFF else code
        for image in range(8):
            word = 0
            for place in range(len(window.offsets)):
                word ^= window.words[image, place, window.codes[place]]
            if word < least:
                least = word
    return least


@jit
def mover_key(window: Window, board: Any, cell: int, colour: int) -> int:
    """Return the canonical key of a window as the mover sees it: the mover is Black."""
    if not window.facts[EXACT]:
        return least_hash(window, board, cell, colour, 0)
    key = gather(window, board, cell)
    if colour == WHITE:
        key = swap(key)
    return least_form(window, key, 0)


@entry
def played_keys(window: Window, changes: Any, board: Any, starts: Ints, ends: Ints, keys: Ints) -> int:
    """Write the key around each move of some games before it is played, passes left out; return how many."""
    n = 0
    for game in range(len(starts)):
        clear_board(window, board)
        for at in range(starts[game], ends[game]):
            change = changes[at]
            point, colour = change & PASS, change >> POINT_BITS & 3
            if point == PASS:
                continue
            cell = cell_of(window, point)
            if change & (SETUP | TAKEN) == 0:
                keys[n] = mover_key(window, board, cell, colour)
                n += 1
            board[cell] = colour
    return n


@entry
def final_keys(window: Window, changes: Any, board: Any, starts: Ints, ends: Ints, keys: Any, options: Ints) -> None:
    """Write the key around each point, [game, point], of the boards at the end of games.

    options: forms (16, or anything else for windows as they lie), whether
    windows may hang over the edge, and whether captured stones stay on the board.
    Windows without stones have NONE.
    """
    size, radius = window.facts[SIZE], window.facts[RADIUS]
    for game in range(len(starts)):
        clear_board(window, board)
        for at in range(starts[game], ends[game]):
            change = changes[at]
            if change & PASS != PASS and not (options[2] and change & TAKEN):
                board[cell_of(window, change & PASS)] = change >> POINT_BITS & 3
        for point in range(size * size):
            row, col = point // size, point % size
            inside = radius <= row < size - radius and radius <= col < size - radius
            keys[game, point] = NONE
            if inside or options[1]:
                keys[game, point] = _board_key(window, board, cell_of(window, point), options[0])


@jit
def _board_key(window: Window, board: Any, cell: int, forms: int) -> int:
    stones = 0
    for place in range(len(window.offsets)):
        code = board[cell + window.offsets[place]]
        stones += 1 if 0 < code < OFF else 0
    if stones == 0:
        return NONE
    if not window.facts[EXACT]:
        return least_hash(window, board, cell, BLACK, 1)
    key = gather(window, board, cell)
    return least_form(window, key, 1) if forms == 16 else key


class Table(NamedTuple):
    """Keys with numbers, in the order in which they came. Open addressing."""

    slots: Any
    """int32 [power of two]: 1 + number, or 0"""
    keys: Any
    """int64 [number]"""
    used: Ints
    """How many keys there are"""


@jit
def first_slot(key: int, mask: int) -> int:
    """Return where a key is looked for first."""
    key ^= key >> 29
    key *= 0x1D8E4E27C47D124F
    key ^= key >> 32
    return key & mask


@jit
def look_up(table: Table, key: int) -> int:
    """Return the number of a key, or -1 - slot where it would be put."""
    mask = len(table.slots) - 1
    slot = first_slot(key, mask)
    while table.slots[slot]:
        number: int = table.slots[slot] - 1
        if table.keys[number] == key:
            return number
        slot = (slot + 1) & mask
    return -1 - slot


@jit
def add(table: Table, key: int) -> int:
    """Return the number of a key, a new one if it has none yet."""
    number = look_up(table, key)
    if number >= 0:
        return number
    new = table.used[0]
    table.used[0] = new + 1
    table.keys[new] = key
    table.slots[-1 - number] = new + 1
    return new


@entry
def refill(table: Table) -> None:
    """Put all keys into empty slots."""
    for number in range(table.used[0]):
        table.slots[-1 - look_up(table, table.keys[number])] = number + 1


@entry
def number_keys(table: Table, keys: Ints, numbers: Any) -> None:
    """Write the number of each key, -1 for NONE; new keys get new numbers, for which there must be room."""
    for i in range(len(keys)):
        numbers[i] = -1 if keys[i] == NONE else add(table, keys[i])


@entry
def find_keys(table: Table, keys: Ints, numbers: Any) -> None:
    """Write the number of each key, -1 where it has none."""
    for i in range(len(keys)):
        number = -1 if keys[i] == NONE else look_up(table, keys[i])
        numbers[i] = number if number >= 0 else -1


class Lying(NamedTuple):
    """Windows as they lie, each with the number of the pattern that it was found to be."""

    table: Table
    of: Any
    """int32 [number in the table]: the pattern's number"""


@entry
def number_report_forms(table: Table, lying: Lying, window: Window, keys: Ints, numbers: Any) -> None:
    """Write the number of each window as the report of 2013 found it: the first known one that is one of 12 forms.

    Keys are exact and of windows as they lie. Which forms are one depends on
    which came first, because 12 forms are no group.
    """
    for i in range(len(keys)):
        numbers[i] = -1
        if keys[i] == NONE:
            continue
        known = lying.table.used[0]
        at = add(lying.table, keys[i])
        if at == known:
            lying.of[at] = _first_form(table, window, keys[i])
        numbers[i] = lying.of[at]


@jit
def _first_form(table: Table, window: Window, key: int) -> int:
    """Return the least number among 12 forms of a window, a new one if none is known."""
    first = table.used[0]
    for image in range(8):
        if image not in (4, 7):
            turned = turn_key(window, key, image)
            for number in (look_up(table, turned), look_up(table, swap(turned))):
                if 0 <= number < first:
                    first = number
    if first == table.used[0]:
        add(table, key)
    return first


class Tallies(NamedTuple):
    """What is known of each number."""

    counts: Any
    """int32 [number, 5]: COUNT, WON by the mover, DECIDED, FIRST and LAST year (0 for none)"""
    example: Any
    """int32 [number, 2]: a game and a move in it (or a point of its last board)"""
    classes: Any
    """int32 [number, class]: what the move did; no columns where that is not wanted"""


COUNT, WON, DECIDED, FIRST, LAST = range(5)


@jit
def _note_years(tallies: Tallies, number: int, first: int, last: int) -> None:
    """Widen the years of a number; 0 is none."""
    if first and (tallies.counts[number, FIRST] == 0 or first < tallies.counts[number, FIRST]):
        tallies.counts[number, FIRST] = first
    if last > tallies.counts[number, LAST]:
        tallies.counts[number, LAST] = last


@entry
def merge(tallies: Tallies, numbers: Any, part: Tallies) -> None:
    """Add the tallies of a part of the games, whose rows have these numbers; an example stays the one seen first."""
    for i in range(len(numbers)):
        number = numbers[i]
        if tallies.counts[number, COUNT] == 0:
            tallies.example[number, 0] = part.example[i, 0]
            tallies.example[number, 1] = part.example[i, 1]
        for place in range(FIRST):
            tallies.counts[number, place] += part.counts[i, place]
        _note_years(tallies, number, part.counts[i, FIRST], part.counts[i, LAST])
        for place in range(part.classes.shape[1]):
            tallies.classes[number, place] += part.classes[i, place]


class Seen(NamedTuple):
    """What belongs to each key of a batch."""

    games: Any
    """int32: the game, counted from 0"""
    places: Any
    """int32: the number of the move, or the point"""
    results: Any
    """int8: 1 if the mover won, 0 if not, -1 if nobody did"""
    classes: Any
    """uint8: what the move did"""


@entry
def tally(tallies: Tallies, numbers: Any, seen: Seen, years: Any) -> None:
    """Add a batch to the tallies."""
    for i in range(len(numbers)):
        number = numbers[i]
        if number < 0:
            continue
        if tallies.counts[number, COUNT] == 0:
            tallies.example[number, 0] = seen.games[i]
            tallies.example[number, 1] = seen.places[i]
        tallies.counts[number, COUNT] += 1
        if seen.results[i] >= 0:
            tallies.counts[number, DECIDED] += 1
            tallies.counts[number, WON] += seen.results[i]
        year = years[seen.games[i]]
        _note_years(tallies, number, year, year)
        if tallies.classes.shape[1]:
            tallies.classes[number, seen.classes[i]] += 1
