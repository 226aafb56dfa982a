"""The compiled scanner: games in SGF, one after the other in one run of UTF-8 bytes, into arrays.

It takes games of the plain grammar only: identifiers of capital letters, values
without an opening bracket, points of two letters. Variations are passed over.
Wherever anything is unusual it leaves the rest of the block, up to the next line
that certainly opens a game, to reader.py. So it need not know how to mend.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.rules.geometry import LARGEST
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

GAMES, PLAYS, PLACE = range(3)
"""The words of Found.counts: games found, plays found, and the place in the bytes."""


class Found(NamedTuple):
    """What the scanner writes. A block left to the reader is a row with size 0."""

    plays: Any
    """uint16: the plays of all games, one after the other"""
    first: Any
    """int64 [game]: where the plays of each begin, and one more place"""
    sizes: Any
    """uint8 [game]: the size of the board, or 0 for a block left to the reader"""
    spans: Ints
    """int64 [game, 2]: where each game or block begins and ends in the bytes"""
    fields: Any
    """int64 [game, 2 * field]: where the value of each field of the head begins and ends; 0 where there is none"""
    codes: Ints
    """int64 [field]: the two letters of each field, see pair()"""
    counts: Ints


def pair(identifier: str) -> int:
    """Return an identifier of one or two letters as a number."""
    code = 0
    for letter in identifier:
        code = code << 8 | ord(letter)
    return code


_B, _W, _AB, _AW, _AE, _SZ, _GM = (pair(name) for name in ("B", "W", "AB", "AW", "AE", "SZ", "GM"))
_FF, _CA, _AP = (pair(name) for name in ("FF", "CA", "AP"))
_OPEN, _CLOSE, _NODE, _LEFT, _RIGHT, _ESCAPE, _LINE = (ord(char) for char in "();[]\\\n")


@entry
def scan_games(data: Any, found: Found) -> None:
    """Scan uint8 bytes to their end, or until there is no more room; PLACE is where it stopped."""
    place, n = 0, len(data)
    while place < n and found.counts[GAMES] < len(found.sizes):
        if data[place] != _OPEN or not _opens_node(data, place + 1):
            place += 1
            continue
        row = found.counts[GAMES]
        found.spans[row, 0] = place
        plays = found.counts[PLAYS]
        end = _scan_game(data, place + 1, found)
        if end < 0:
            found.counts[PLAYS] = plays  # what was found of it is read again
            found.sizes[row] = 0
            end = _next_boundary(data, place + 1)
        found.spans[row, 1] = end
        found.counts[GAMES] += 1
        found.first[row + 1] = found.counts[PLAYS]
        place = end
    found.counts[PLACE] = place


@jit
def _is_white(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13


@jit
def _skip(data: Any, place: int) -> int:
    while place < len(data) and _is_white(data[place]):
        place += 1
    return place


@jit
def _opens_node(data: Any, place: int) -> bool:
    place = _skip(data, place)
    return place < len(data) and data[place] == _NODE


@jit
def _next_boundary(data: Any, place: int) -> int:
    """Return the newline before the next line that certainly opens a game, or the end."""
    while place < len(data):
        if data[place] == _LINE and _opens_game(data, place + 1):
            return place
        place += 1
    return place


@jit
def _opens_game(data: Any, place: int) -> bool:
    """Return whether a line opens a game for certain: reader.BOUNDARY."""
    while place < len(data) and (data[place] == 32 or data[place] == 9):
        place += 1
    if place >= len(data) or data[place] != _OPEN:
        return False
    place = _skip(data, place + 1)
    if place >= len(data) or data[place] != _NODE:
        return False
    place = _skip(data, place + 1)
    if place + 2 >= len(data) or data[place + 2] != _LEFT:
        return False
    code = int(data[place]) << 8 | int(data[place + 1])
    return code in (_GM, _FF, _CA, _SZ, _AP)


@jit
def _scan_game(data: Any, place: int, found: Found) -> int:
    """Scan one game from behind its opening bracket; return where it ends, or -1 if anything is unusual."""
    row, size, n = found.counts[GAMES], 19, len(data)
    found.sizes[row] = 19
    for i in range(found.fields.shape[1]):
        found.fields[row, i] = 0
    depth, main, root, closed = 1, True, True, False
    held = 0  # what stands in this node already, as bits: B, W, AB, AW, AE, SZ, GM
    nodes = 0
    while place < n:
        byte = data[place]
        if closed and byte != _OPEN and byte != _CLOSE and not _is_white(byte):
            return -1
        if byte == _NODE:
            nodes += 1
            root = nodes == 1
            held = 0
            place += 1
        elif 65 <= byte <= 90:
            code, start = 0, place
            while place < n and 65 <= data[place] <= 90:
                code = code << 8 | int(data[place])
                place += 1
            if place - start > 3:
                code = 0
            letters, place = place, _skip(data, place)
            if letters - start > 60 or place - letters > 99 or place >= n or data[place] != _LEFT or nodes == 0:
                return -1
            if not main:
                place = _pass_values(data, place)
            elif code in (_B, _W):
                place = _scan_move(data, place, found, size, code, held)
                held |= 1 if code == _B else 2
            elif code in (_AB, _AW, _AE):
                bit = 4 if code == _AB else (8 if code == _AW else 16)
                if held & (bit | 3):
                    return -1
                held |= bit
                place = _scan_setup(data, place, found, size, code)
            elif root and code == _SZ:
                size = _number(data, place + 1)
                if held & (32 | 31) or not 1 <= size <= LARGEST:
                    return -1
                held |= 32
                found.sizes[row] = size
                place = _pass_one(data, place)
            elif root and code == _GM:
                if held & 64 or place + 2 >= n or data[place + 1] != 49 or data[place + 2] != _RIGHT:
                    return -1
                held |= 64
                place = _pass_one(data, place)
            elif root and _field(found, code) >= 0:
                i = 2 * _field(found, code)
                if found.fields[row, i]:
                    return -1
                found.fields[row, i] = place + 1
                place = _pass_one(data, place)
                if place >= 0:
                    found.fields[row, i + 1] = place - 1
            else:
                place = _pass_values(data, place)
            if place < 0:
                return -1
        elif byte == _OPEN:
            if not _opens_node(data, place + 1) or nodes == 0:
                return -1
            if place > 0 and data[place - 1] == _LINE and _opens_game(data, place):
                return -1
            depth += 1
            closed = False
            place += 1
        elif byte == _CLOSE:
            place += 1
            depth -= 1
            main, closed = False, True
            if depth == 0:
                return place
        elif _is_white(byte):
            if byte == _LINE and _opens_game(data, place + 1):
                return -1
            place += 1
        else:
            return -1
    return -1


@jit
def _field(found: Found, code: int) -> int:
    """Return the number of a field, or -1."""
    for i in range(len(found.codes)):
        if found.codes[i] == code:
            return i
    return -1


@jit
def _pass_one(data: Any, place: int) -> int:
    """Return the place behind a value, or -1 if it is unusual or another one follows."""
    place = _pass_value(data, place)
    if place < 0:
        return -1
    after = _skip(data, place)
    return -1 if after < len(data) and data[after] == _LEFT else place


@jit
def _pass_values(data: Any, place: int) -> int:
    """Return the place behind all values of a property, or -1."""
    while True:
        place = _pass_value(data, place)
        if place < 0:
            return -1
        after = _skip(data, place)
        if after >= len(data) or data[after] != _LEFT:
            return place
        place = after


@jit
def _pass_value(data: Any, place: int) -> int:
    """Return the place behind a value, or -1 if it has no end or holds an opening bracket."""
    place += 1
    n = len(data)
    while place < n:
        byte = data[place]
        if byte == _RIGHT:
            return place + 1
        if byte == _LEFT:
            return -1
        place += 2 if byte == _ESCAPE else 1
    return -1


@jit
def _number(data: Any, place: int) -> int:
    """Return the number of one or two digits that a value is, or 0."""
    number, digits = 0, 0
    while place < len(data) and 48 <= data[place] <= 57 and digits < 3:
        number = 10 * number + int(data[place]) - 48
        place += 1
        digits += 1
    return number if 1 <= digits <= 2 and place < len(data) and data[place] == _RIGHT else 0


@jit
def _scan_move(data: Any, place: int, found: Found, size: int, code: int, held: int) -> int:
    """Note a move; return the place behind it, or -1 if it is no point, or not the only one."""
    if held & (1 if code == _B else 2):
        return -1
    if place + 1 < len(data) and data[place + 1] == _RIGHT:
        point = PASS
        place += 2
    elif place + 3 < len(data) and data[place + 3] == _RIGHT:
        col, line = int(data[place + 1]) - 97, int(data[place + 2]) - 97
        if 0 <= col < size and 0 <= line < size:
            point = line * size + col
        elif col == 19 and line == 19 and size <= 19:
            point = PASS
        else:
            return -1
        place += 4
    else:
        return -1
    after = _skip(data, place)
    if after < len(data) and data[after] == _LEFT:
        return -1
    found.plays[found.counts[PLAYS]] = (1 if code == _B else 2) << POINT_BITS | point
    found.counts[PLAYS] += 1
    return place


@jit
def _scan_setup(data: Any, place: int, found: Found, size: int, code: int) -> int:
    """Note setup stones; return the place behind them, or -1 if one is no single point."""
    colour = 1 if code == _AB else (2 if code == _AW else 0)
    while True:
        if place + 3 >= len(data) or data[place + 3] != _RIGHT:
            return -1
        col, line = int(data[place + 1]) - 97, int(data[place + 2]) - 97
        if not (0 <= col < size and 0 <= line < size):
            return -1
        found.plays[found.counts[PLAYS]] = SETUP | colour << POINT_BITS | (line * size + col)
        found.counts[PLAYS] += 1
        place += 4
        after = _skip(data, place)
        if after >= len(data) or data[after] != _LEFT:
            return place
        place = after
