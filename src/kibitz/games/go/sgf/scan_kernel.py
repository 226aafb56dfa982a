"""The compiled scanner: reads consecutive SGF games in UTF-8 bytes into arrays.

It only understands the plain grammar: identifiers in capital letters, values
without an opening bracket, points of two letters. It skips variations. If a game
has anything unusual, the scanner leaves the whole block, up to the next line that
must open a game, to reader.py, so it need not know how to repair records.
"""

from __future__ import annotations

from typing import NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, inlined, jit
from kibitz.games.go.rules import BLACK, EMPTY, MAX_BOARD_SIZE, WHITE
from kibitz.games.go.sgf import record
from kibitz.games.go.sgf.record import PASS

move_of, setup_of = inlined(record.move_of), inlined(record.setup_of)

GAMES, PLAYS, PLACE, SEEN = range(4)
"""Indices into ScanBuffers.counts: games scanned, plays scanned, the place in the bytes, and the bit set of properties
seen in the current node (SEEN_B to SEEN_GM)."""
SEEN_B, SEEN_W, SEEN_AB, SEEN_AW, SEEN_AE, SEEN_SZ, SEEN_GM = (1 << bit for bit in range(7))
SEEN_MOVE = SEEN_B | SEEN_W
SEEN_PLAY = SEEN_MOVE | SEEN_AB | SEEN_AW | SEEN_AE
MAX_IDENTIFIER_LETTERS = 60
MAX_SPACES = 99  # after an identifier; reader.py has the same two limits


class ScanBuffers(NamedTuple):
    """The arrays that the scanner writes. A block left to reader.py is a row with size 0."""

    plays: Ints  # uint16: the plays of all games, one after the other
    first: Ints  # int64 [game + 1]: index of each game's first play; the last entry is the number of plays
    sizes: Ints  # uint8 [game]: the board size, or 0 for a block left to reader.py
    spans: Ints  # int64 [game, 2]: where each game or block begins and ends in the bytes
    fields: Ints
    """int64 [game, 2 * field]: where the value of each header field begins, then where it ends; 0 if it is missing"""
    codes: Ints  # int64 [field]: the identifier of each header field, encoded by identifier_code()
    counts: Ints  # int64: indexed by GAMES, PLAYS, PLACE, SEEN


def identifier_code(identifier: str) -> int:
    """Encode an identifier of one or two letters as a number."""
    return int.from_bytes(identifier.encode())


_B, _W, _AB, _AW, _AE, _SZ, _GM = (identifier_code(name) for name in ("B", "W", "AB", "AW", "AE", "SZ", "GM"))
_FF, _CA, _AP = (identifier_code(name) for name in ("FF", "CA", "AP"))
_OPEN, _CLOSE, _NODE, _LEFT, _RIGHT, _ESCAPE, _LINE, _ONE = (ord(char) for char in "();[]\\\n1")
_PASS_LETTER = ord("t")


@entry
def scan_games(data: Ints, buffers: ScanBuffers) -> None:
    """Scan all games in uint8 data, or until the buffers are full; set counts[PLACE] to where it stopped."""
    place, n, counts = 0, len(data), buffers.counts
    while place < n and counts[GAMES] < len(buffers.sizes):
        if data[place] != _OPEN or not _opens_node(data, place + 1):
            place += 1
            continue
        row, plays = counts[GAMES], counts[PLAYS]
        buffers.spans[row, 0] = place
        end = _scan_game(data, place + 1, buffers)
        if end < 0:
            counts[PLAYS] = plays  # drop the plays of the unusual game, which reader.py reads again
            buffers.sizes[row] = 0
            end = _next_boundary(data, place + 1)
        buffers.spans[row, 1] = end
        counts[GAMES] += 1
        buffers.first[row + 1] = counts[PLAYS]
        place = end
    counts[PLACE] = place


@jit
def _is_space(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13


@jit
def _skip_space(data: Ints, place: int) -> int:
    while place < len(data) and _is_space(data[place]):
        place += 1
    return place


@jit
def _opens_node(data: Ints, place: int) -> bool:
    place = _skip_space(data, place)
    return place < len(data) and data[place] == _NODE


@jit
def _next_boundary(data: Ints, place: int) -> int:
    """Return the place of the newline before the next line that must open a game, or the end of the data."""
    while place < len(data):
        if data[place] == _LINE and _opens_game(data, place + 1):
            return place
        place += 1
    return place


@jit
def _opens_game(data: Ints, place: int) -> bool:
    """Return whether the line that begins here must open a game, as reader.BOUNDARY defines it."""
    while place < len(data) and (data[place] == 32 or data[place] == 9):
        place += 1
    if place >= len(data) or data[place] != _OPEN:
        return False
    place = _skip_space(data, place + 1)
    if place >= len(data) or data[place] != _NODE:
        return False
    place = _skip_space(data, place + 1)
    if place + 2 >= len(data) or data[place + 2] != _LEFT:
        return False
    code = int(data[place]) << 8 | int(data[place + 1])
    return code in (_GM, _FF, _CA, _SZ, _AP)


@jit
def _scan_game(data: Ints, place: int, buffers: ScanBuffers) -> int:
    """Scan one game, starting after its opening bracket; return where it ends, or -1 if anything is unusual."""
    row, n = buffers.counts[GAMES], len(data)
    buffers.sizes[row] = 19
    for i in range(buffers.fields.shape[1]):
        buffers.fields[row, i] = 0
    depth, nodes, main_line, closed = 1, 0, True, False
    while place < n:
        byte = data[place]
        if closed and byte != _OPEN and byte != _CLOSE and not _is_space(byte):
            return -1
        if byte == _NODE:
            nodes += 1
            buffers.counts[SEEN] = 0
            place += 1
        elif 65 <= byte <= 90:
            code, start = 0, place
            while place < n and 65 <= data[place] <= 90:
                code = code << 8 | int(data[place])
                place += 1
            if place - start > 3:
                code = 0
            letters, place = place, _skip_space(data, place)
            if letters - start > MAX_IDENTIFIER_LETTERS or place - letters > MAX_SPACES or nodes == 0:
                return -1
            if place >= n or data[place] != _LEFT:
                return -1
            if main_line:
                place = _scan_property(data, place, buffers, code, nodes == 1)
            else:
                place = _skip_values(data, place)
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
            main_line, closed = False, True
            if depth == 0:
                return place
        elif _is_space(byte):
            if byte == _LINE and _opens_game(data, place + 1):
                return -1
            place += 1
        else:
            return -1
    return -1


@inlined
def _scan_property(data: Ints, place: int, buffers: ScanBuffers, code: int, in_root: bool) -> int:
    """Scan the values of a main line property; return the place after them, or -1 if anything is unusual."""
    row, seen = buffers.counts[GAMES], buffers.counts[SEEN]
    size = int(buffers.sizes[row])
    if code in (_B, _W):
        bit = SEEN_B if code == _B else SEEN_W
        if seen & bit:
            return -1
        buffers.counts[SEEN] = seen | bit
        return _scan_move(data, place, buffers, size, BLACK if code == _B else WHITE)
    if code in (_AB, _AW, _AE):
        bit = SEEN_AB if code == _AB else (SEEN_AW if code == _AW else SEEN_AE)
        if seen & (bit | SEEN_MOVE):  # setup belongs before a move
            return -1
        buffers.counts[SEEN] = seen | bit
        return _scan_setup(data, place, buffers, size, BLACK if code == _AB else (WHITE if code == _AW else EMPTY))
    if not in_root:
        return _skip_values(data, place)
    if code == _SZ:
        size = _parse_size(data, place + 1)
        if seen & (SEEN_SZ | SEEN_PLAY) or not 1 <= size <= MAX_BOARD_SIZE:
            return -1
        buffers.counts[SEEN] = seen | SEEN_SZ
        buffers.sizes[row] = size
        return _skip_only_value(data, place)
    if code == _GM:
        if seen & SEEN_GM or place + 2 >= len(data) or data[place + 1] != _ONE or data[place + 2] != _RIGHT:
            return -1
        buffers.counts[SEEN] = seen | SEEN_GM
        return _skip_only_value(data, place)
    field = _field_index(buffers, code)
    if field < 0:
        return _skip_values(data, place)
    if buffers.fields[row, 2 * field]:
        return -1
    end = _skip_only_value(data, place)
    buffers.fields[row, 2 * field], buffers.fields[row, 2 * field + 1] = place + 1, end - 1
    return end


@jit
def _field_index(buffers: ScanBuffers, code: int) -> int:
    """Return the index of a header field, or -1 if the property is not one."""
    for i in range(len(buffers.codes)):
        if buffers.codes[i] == code:
            return i
    return -1


@jit
def _skip_only_value(data: Ints, place: int) -> int:
    """Skip the only value of a property; return the place after it, or -1 if it is unusual or another one follows."""
    place = _skip_value(data, place)
    if place < 0:
        return -1
    after = _skip_space(data, place)
    return -1 if after < len(data) and data[after] == _LEFT else place


@jit
def _skip_values(data: Ints, place: int) -> int:
    """Skip all values of a property; return the place after them, or -1 if one is unusual."""
    while True:
        place = _skip_value(data, place)
        if place < 0:
            return -1
        after = _skip_space(data, place)
        if after >= len(data) or data[after] != _LEFT:
            return place
        place = after


@jit
def _skip_value(data: Ints, place: int) -> int:
    """Skip a value; return the place after it, or -1 if it is unclosed or contains an opening bracket."""
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
def _parse_size(data: Ints, place: int) -> int:
    """Parse a board size of one or two digits; return 0 if the value is anything else."""
    number, digits = 0, 0
    while place < len(data) and 48 <= data[place] <= 57 and digits < 3:
        number = 10 * number + int(data[place]) - 48
        place += 1
        digits += 1
    return number if 1 <= digits <= 2 and place < len(data) and data[place] == _RIGHT else 0


@jit
def _scan_move(data: Ints, place: int, buffers: ScanBuffers, size: int, colour: int) -> int:
    """Add a move; return the place after it, or -1 if it is neither a point nor a pass, or not the only value."""
    if place + 1 < len(data) and data[place + 1] == _RIGHT:
        point = PASS
        place += 2
    elif place + 3 < len(data) and data[place + 3] == _RIGHT:
        point = _parse_point(data, place, size)
        if point < 0:
            if size > 19 or data[place + 1] != _PASS_LETTER or data[place + 2] != _PASS_LETTER:
                return -1
            point = PASS
        place += 4
    else:
        return -1
    after = _skip_space(data, place)
    if after < len(data) and data[after] == _LEFT:
        return -1
    _add_play(buffers, move_of(colour, point))
    return place


@jit
def _scan_setup(data: Ints, place: int, buffers: ScanBuffers, size: int, colour: int) -> int:
    """Add setup stones; return the place after them, or -1 if a value is not a single point."""
    while True:
        if place + 3 >= len(data) or data[place + 3] != _RIGHT:
            return -1
        point = _parse_point(data, place, size)
        if point < 0:
            return -1
        _add_play(buffers, setup_of(colour, point))
        place += 4
        after = _skip_space(data, place)
        if after >= len(data) or data[after] != _LEFT:
            return place
        place = after


@jit
def _parse_point(data: Ints, place: int, size: int) -> int:
    """Parse the two letters after an opening bracket; return the point, or -1 if it is not on the board."""
    col, row = int(data[place + 1]) - 97, int(data[place + 2]) - 97
    return row * size + col if 0 <= col < size and 0 <= row < size else -1


@jit
def _add_play(buffers: ScanBuffers, play: int) -> None:
    buffers.plays[buffers.counts[PLAYS]] = play
    buffers.counts[PLAYS] += 1
