"""What each move of games does: see meaning.MEANINGS for the classes and their order."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.kernel.board import EDGE, BoardArrays, clear, in_atari, put_here, rebuild_all
from kibitz.games.go.records.search.changes_kernel import TAKEN
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

KO, CAPTURE, ESCAPE, SELF_ATARI, ATARI, EYE, CONNECTION, CUT, HANE, ATTACHMENT, PUSH, STRETCH = range(12)
DIAGONAL, CORNER, ENCLOSURE, APPROACH, JUMP, EXTENSION, INVASION, REINFORCEMENT, OTHER = range(12, 21)
CORNER_LINES = 6
"""A corner is the square of so many lines."""
NEAR = 4
"""Steps within which stones count for an invasion or a reinforcement."""
LONGEST = 6
"""Of an extension."""


@entry
def classify(b: BoardArrays, changes: Any, starts: Ints, ends: Ints, found: Any) -> int:
    """Write the class of every move of some games, passes left out; return how many."""
    n = 0
    for game in range(len(starts)):
        clear(b)
        dirty = False
        for at in range(starts[game], ends[game]):
            change = changes[at]
            point, colour = change & PASS, change >> POINT_BITS & 3
            if change & TAKEN or point == PASS:
                continue
            cell = b.cells[point]
            if change & SETUP:
                b.stones[cell] = colour
                dirty = True
                continue
            if dirty:
                rebuild_all(b)
                dirty = False
            before = _before(b, cell, colour)
            captured = put_here(b, cell, colour)
            found[n] = _class(b, cell, colour, captured, before)
            n += 1
    return n


@jit
def _before(b: BoardArrays, cell: int, colour: int) -> int:
    """Return what stood around a point before a move, as bits.

    1: a chain of its own was in atari. 2: two chains of its own. 4: two chains of
    the opponent. 8: one of its own. 16: one of the opponent.
    """
    facts, own, enemy = 0, 0, 0
    for side in range(4):
        near = b.near[cell, side]
        stone, head = b.stones[near], b.head[near]
        if stone == colour:
            facts |= 8
            if in_atari(b, head):
                facts |= 1
            if own and own != head:
                facts |= 2
            own = head
        elif stone == BLACK + WHITE - colour:
            facts |= 16
            if enemy and enemy != head:
                facts |= 4
            enemy = head
    return facts


@jit
def _class(b: BoardArrays, cell: int, colour: int, captured: int, before: int) -> int:
    """Return the class of a move that has just been made."""
    alone = in_atari(b, b.head[cell])
    if captured > 0:
        return KO if captured == 1 and alone and b.stone_count[b.head[cell]] == 1 else CAPTURE
    if before & 1 and not alone:
        return ESCAPE
    if alone:
        return SELF_ATARI
    enemy = BLACK + WHITE - colour
    for side in range(4):
        near = b.near[cell, side]
        if b.stones[near] == enemy and in_atari(b, b.head[near]):
            return ATARI
    if _makes_eye(b, cell, colour):
        return EYE
    if before & 2:
        return CONNECTION
    if before & 4:
        return CUT
    return _touching(b, cell, colour, before)


@jit
def _makes_eye(b: BoardArrays, cell: int, colour: int) -> bool:
    """Return whether an empty point beside a stone has only that colour, or the edge, beside it."""
    for side in range(4):
        near = b.near[cell, side]
        if b.stones[near] == EMPTY:
            closed = True
            for beside in range(4):
                stone = b.stones[b.near[near, beside]]
                if stone != colour and stone != EDGE:
                    closed = False
            if closed:
                return True
    return False


@jit
def _touching(b: BoardArrays, cell: int, colour: int, before: int) -> int:
    """Return the class of a move by what lies next to it."""
    here, enemy = int(cell), BLACK + WHITE - colour
    line = int(b.near[cell, 3]) - here
    diagonal, hane = False, False
    for down in (-line, line):
        for across in (-1, 1):
            other = here + down + across
            if other >= len(b.stones) or b.stones[other] != colour:
                continue
            if b.stones[here + down] != colour and b.stones[here + across] != colour:
                diagonal = True
                if b.stones[here + down] == enemy or b.stones[here + across] == enemy:
                    hane = True
    if before & 8 == 0:
        if hane:
            return HANE
        if before & 16 and not diagonal:
            return ATTACHMENT
    if before & 8:
        return PUSH if before & 16 else STRETCH
    if diagonal:
        return DIAGONAL
    return _farther(b, int(b.points[cell]), colour)


@jit
def _farther(b: BoardArrays, point: int, colour: int) -> int:
    """Return the class of a move that touches nothing, by what lies some steps away."""
    size = int(len(b.cells) ** 0.5 + 0.5)
    row, col = point // size, point % size
    in_corner = _from_edge(row, size) < CORNER_LINES and _from_edge(col, size) < CORNER_LINES
    if in_corner and size >= 3 * CORNER_LINES:
        stones = _corner_stones(b, size, row, col)
        own, enemy = stones >> colour & 1, stones >> (BLACK + WHITE - colour) & 1
        if not own and not enemy:
            return CORNER
        if not own or not enemy:
            return ENCLOSURE if own else APPROACH
    if _stone(b, size, row, col, 2, 0, colour) or _stone(b, size, row, col, 2, 1, colour):
        return JUMP
    if _extends(b, size, row, col, colour):
        return EXTENSION
    own, enemy = 0, 0
    for down in range(-NEAR, NEAR + 1):
        for across in range(-NEAR, NEAR + 1):
            if abs(down) + abs(across) <= NEAR and 0 <= row + down < size and 0 <= col + across < size:
                stone = b.stones[b.cells[(row + down) * size + col + across]]
                own += stone == colour and (down != 0 or across != 0)
                enemy += stone == BLACK + WHITE - colour
    if enemy and not own:
        return INVASION
    return REINFORCEMENT if own and not enemy else OTHER


@jit
def _from_edge(line: int, size: int) -> int:
    """Return how far a line is from the nearer edge, 0 at the edge."""
    return min(line, size - 1 - line)


@jit
def _stone(b: BoardArrays, size: int, row: int, col: int, far: int, near: int, colour: int) -> bool:
    """Return whether a stone of a colour lies so many steps away along one line and along the other."""
    for turned in range(2):
        down, across = (far, near) if turned else (near, far)
        for up in (-1, 1):
            for left in (-1, 1):
                r, c = row + up * down, col + left * across
                if 0 <= r < size and 0 <= c < size and b.stones[b.cells[r * size + c]] == colour:
                    return True
    return False


@jit
def _corner_stones(b: BoardArrays, size: int, row: int, col: int) -> int:
    """Return as bits which colours the corner of a point has, the point itself left out."""
    top = 0 if row < size // 2 else size - CORNER_LINES
    left = 0 if col < size // 2 else size - CORNER_LINES
    found = 0
    for r in range(top, top + CORNER_LINES):
        for c in range(left, left + CORNER_LINES):
            if r != row or c != col:
                found |= 1 << b.stones[b.cells[r * size + c]]
    return found


@jit
def _extends(b: BoardArrays, size: int, row: int, col: int, colour: int) -> bool:
    """Return whether the next stone along the side is of its own, on the second to fourth line."""
    for along in range(2):
        line = _from_edge(row if along else col, size)
        if not 1 <= line <= 3:
            continue
        for way in (-1, 1):
            for step in range(1, LONGEST + 1):
                r, c = (row, col + way * step) if along else (row + way * step, col)
                if not (0 <= r < size and 0 <= c < size):
                    break
                stone = b.stones[b.cells[r * size + c]]
                if stone != EMPTY:
                    if stone == colour:
                        return True
                    break
    return False
