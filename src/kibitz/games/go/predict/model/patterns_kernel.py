"""The nested patterns around a point: their keys, and which of them a model knows."""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import jit
from kibitz.games.go.predict.model.layout import (
    BEFORE,
    ENEMY,
    FIXED,
    LAST,
    LINKED,
    OFF,
    OWN,
    PLAIN,
    REACH,
    RESPONSE,
    RESPONSES,
    SIZES,
    TIGHT,
    TIGHT_LINKED,
    TIGHT_SIZES,
    TWICE,
)
from kibitz.games.go.predict.model.scene_kernel import Scene
from kibitz.games.go.rules.board import BLACK, EMPTY

UNKNOWN = -1
_MIX = 0x1D8E4E27C47D124F
_ALL = 0x7FFFFFFFFFFFFFFF


class Words(NamedTuple):
    """The patterns that a model knows, by their keys. Open addressing."""

    keys: Any
    """uint32 [power of two]: 0 where there is none"""
    numbers: Any
    """int32 [slot]: the feature"""
    counters: Any
    """uint8 [power of two]: how often patterns of a hash were played, while they are gathered; else empty"""
    facts: Ints
    """int64: patterns known, how often one must have been played to be known, the most that there is room for"""


@jit
def add_word(words: Words, key: int) -> None:
    """Count that a pattern was played; from the wanted number of times on it is known, if there is room."""
    place = key & (len(words.counters) - 1)
    if words.counters[place] < 255:
        words.counters[place] += 1
    if words.counters[place] < words.facts[1] or words.facts[0] >= words.facts[2]:
        return
    mask = len(words.keys) - 1
    slot = key & mask
    while words.keys[slot]:
        if words.keys[slot] == key:
            return
        slot = (slot + 1) & mask
    words.keys[slot] = key
    words.numbers[slot] = FIXED + words.facts[0]
    words.facts[0] += 1


@jit
def look_up(words: Words, key: int) -> int:
    """Return the feature of a key, or UNKNOWN. While patterns are gathered, count it and return 0."""
    if len(words.counters):
        add_word(words, key)
        return 0
    keys = words.keys
    mask = len(keys) - 1
    slot = key & mask
    while keys[slot]:
        if keys[slot] == key:
            number: int = words.numbers[slot]
            return number
        slot = (slot + 1) & mask
    return UNKNOWN


@jit
def key_of(least: int, salt: int) -> int:
    """Return the key of a pattern, 32 bits and not 0, from the least of its eight hashes."""
    key = least ^ salt
    key ^= key >> 29
    key *= _MIX
    key = key >> 32 & 0xFFFFFFFF
    return key if key else 1


@jit
def patterns(scene: Scene, words: Words, point: int, colour: int, row: Any, kinds: Any, n: int) -> int:
    """Write the nested patterns around a point that are known, of each family up to the largest known one.

    Returns how many features there are then. While patterns are gathered, all of
    them are counted instead.
    """
    tables, facts, hashes = scene.near, scene.facts, scene.hashes
    keys, salts, rings = tables.words, tables.salts, scene.rings[colour - BLACK]
    last = facts[0]
    mark = _mark(tables.at, tables.size, point, last)
    older = _mark(tables.at, tables.size, point, facts[1]) if mark >= 0 else -1
    linked, twice = mark >= 0, older >= 0
    older = max(older, 0)
    for image in range(8):
        hashes[image] = 0
    for ring in range(len(SIZES)):
        for image in range(8):
            hashes[image] ^= rings[point, ring, image]
        kind = PLAIN * len(SIZES) + ring
        row[n] = look_up(words, key_of(_least(hashes), salts[kind]))
        if row[n] == UNKNOWN:
            break
        kinds[n] = 1 + kind
        n += 1
        if linked:
            least, both = _ALL, _ALL
            for image in range(8):
                one = hashes[image] ^ keys[LAST, mark, image]
                least = min(least, one)
                both = min(both, one ^ keys[BEFORE, older, image])
            kind = LINKED * len(SIZES) + ring
            row[n] = look_up(words, key_of(least, salts[kind]))
            linked = row[n] != UNKNOWN
            kinds[n] = 1 + kind
            n += linked
            if linked and twice:
                kind = TWICE * len(SIZES) + ring
                row[n] = look_up(words, key_of(both, salts[kind]))
                twice = row[n] != UNKNOWN
                kinds[n] = 1 + kind
                n += twice
    if mark >= 0:
        back = _mark(tables.at, tables.size, last, point)
        for image in range(8):
            hashes[image] = keys[LAST, back, image]
        for ring in range(RESPONSES):
            for image in range(8):
                hashes[image] ^= rings[last, ring, image]
            kind = RESPONSE * len(SIZES) + ring
            row[n] = look_up(words, key_of(_least(hashes), salts[kind]))
            if row[n] == UNKNOWN:
                break
            kinds[n] = 1 + kind
            n += 1
    i = 0
    for image in range(8):
        hashes[image] = 0
    for ring in range(TIGHT_SIZES):
        while tables.rings[i] <= ring:
            _add_tight(scene, point, colour, i)
            i += 1
        kind = TIGHT * len(SIZES) + ring
        row[n] = look_up(words, key_of(_least(hashes), salts[kind]))
        if row[n] == UNKNOWN:
            break
        kinds[n] = 1 + kind
        n += 1
        if mark >= 0:
            least = _ALL
            for image in range(8):
                least = min(least, hashes[image] ^ keys[LAST, mark, image])
            kind = TIGHT_LINKED * len(SIZES) + ring
            row[n] = look_up(words, key_of(least, salts[kind]))
            kinds[n] = 1 + kind
            n += row[n] != UNKNOWN
    return n


@jit
def _least(hashes: Ints) -> int:
    least = _ALL
    for image in range(8):
        least = min(least, hashes[image])
    return least


@jit
def _mark(at: Any, size: int, point: int, move: int) -> int:
    """Return which offset a move has from a point; -1 if it is unknown, too far away or the point itself."""
    if move < 0:
        return -1
    down, across = move // size - point // size, move % size - point % size
    if abs(down) > REACH or abs(across) > REACH:
        return -1
    number: int = at[down + REACH, across + REACH]
    return number


@jit
def _add_tight(scene: Scene, point: int, colour: int, i: int) -> None:
    """Add what is at one offset, with the liberties of its chain, to the hashes."""
    b, tables, hashes = scene.board, scene.near, scene.hashes
    size = tables.size
    r, c = point // size + tables.downs[i], point % size + tables.acrosses[i]
    code, many = OFF, 0
    if 0 <= r < size and 0 <= c < size:
        cell = b.cells[r * size + c]
        if b.stones[cell] == EMPTY:
            return
        code = OWN if b.stones[cell] == colour else ENEMY
        many = min(scene.counts[b.head[cell]], 3)
    keys = tables.words
    for image in range(8):
        hashes[image] ^= keys[code, i, image] * (2 * many + 1)  # odd, so that no bit is lost
