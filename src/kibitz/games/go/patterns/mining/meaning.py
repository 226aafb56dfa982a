"""What moves do on the board where they were played: each move has the first class of MEANINGS that fits."""

from __future__ import annotations

import numpy as np

from kibitz.compiled.arrays import Ints, Uint8Array
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.kernel import board as boards
from kibitz.games.go.patterns.windows import GameSpans
from kibitz.games.go.records.layout import TAKEN, colour_of, point_of
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS, SETUP

MEANINGS = {
    "ko": "takes one stone that could be retaken at once",
    "capture": "takes stones",
    "escape": "frees a chain of its own from atari",
    "self_atari": "leaves its own chain with one liberty",
    "atari": "leaves a chain of the opponent with one liberty",
    "eye": "makes an empty point beside it an eye: all around it along the lines is its own, or the edge",
    "connection": "joins chains that were apart",
    "cut": "takes the point that would have joined two chains of the opponent",
    "hane": "turns around a stone of the opponent: one of its own lies diagonally, and an enemy beside both",
    "attachment": "touches a stone of the opponent with none of its own beside it or diagonally",
    "push": "touches both a stone of its own and one of the opponent",
    "stretch": "touches a stone of its own and none of the opponent",
    "diagonal": "lies diagonally from a stone of its own, both points between them free of its own",
    "corner": "is the first stone in a corner",
    "enclosure": "is in a corner where only its own side has stones",
    "approach": "is in a corner where only the opponent has stones",
    "jump": "has a stone of its own a one-space jump or a knight's move away",
    "extension": "is on the second to fourth line, with its own stone next along that line, up to six points away",
    "invasion": "has the opponent's stones within four steps, and none of its own",
    "reinforcement": "has its own stones within four steps, and none of the opponent's",
    "other": "none of these",
}
"""Class of a move -> what the move does. Also columns of the table of patterns."""
GROUPS = {
    "attack": ("ko", "capture", "atari", "cut", "hane", "attachment", "approach", "invasion"),
    "defence": ("escape", "connection", "eye", "stretch", "diagonal", "reinforcement"),
    "opening": ("corner", "enclosure", "extension"),
}
"""The coarser kinds of play in the report of 2013."""
KO, CAPTURE, ESCAPE, SELF_ATARI, ATARI, EYE, CONNECTION, CUT, HANE, ATTACHMENT, PUSH, STRETCH = range(12)
DIAGONAL, CORNER, ENCLOSURE, APPROACH, JUMP, EXTENSION, INVASION, REINFORCEMENT, OTHER = range(12, 21)
"""The places of the classes in MEANINGS."""
OWN, OWN_IN_ATARI, TWO_OWN, ENEMY, TWO_ENEMIES = 1, 2, 4, 8, 16
"""Bits of what is next to a point: a chain of the mover, one in atari, two different ones; the same of the opponent."""
CORNER_LINES = 6  # lines of the square that is a corner
NEAR_STEPS = 4  # steps within which stones count for an invasion or a reinforcement
MAX_EXTENSION_POINTS = 6
JUMPS = ((-2, 0), (2, 0), (0, -2), (0, 2), (-2, -1), (-2, 1), (2, -1), (2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2))
"""(down, across) of one-space jumps and knight's moves."""


def meanings(games: GameSpans, size: int) -> Uint8Array:
    """Return the class, as its place in MEANINGS, of every move of games, without passes."""
    classes = np.zeros(sum((games.ends - games.starts).tolist()), np.uint8)
    return classes[: classify(boards.new_board(size), games, classes)]


@entry
def classify(b: boards.BoardArrays, games: GameSpans, classes: Ints) -> int:
    """Write the class of every move of games, without passes; return their number."""
    n = 0
    for game in range(len(games.starts)):
        boards.clear(b)
        dirty = False
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            point, colour = point_of(change), colour_of(change)
            if change & TAKEN or point == PASS:
                continue
            cell = b.cells[point]
            if change & SETUP:
                b.stones[cell] = colour
                dirty = True
                continue
            if dirty:
                boards.rebuild_all(b)
                dirty = False
            before = _neighbours(b, cell, colour)
            captured = boards.put_here(b, cell, colour)
            classes[n] = _class(b, cell, colour, captured, before)
            n += 1
    return n


@jit
def _neighbours(b: boards.BoardArrays, cell: int, colour: int) -> int:
    """Return what is next to a point before a move, as bits: OWN, OWN_IN_ATARI, TWO_OWN, ENEMY, TWO_ENEMIES."""
    bits, own, enemy = 0, 0, 0
    for side in range(4):
        near = b.near[cell, side]
        stone, head = b.stones[near], b.head[near]
        if stone == colour:
            bits |= OWN
            if boards.in_atari(b, head):
                bits |= OWN_IN_ATARI
            if own and own != head:
                bits |= TWO_OWN
            own = head
        elif stone == BLACK + WHITE - colour:
            bits |= ENEMY
            if enemy and enemy != head:
                bits |= TWO_ENEMIES
            enemy = head
    return bits


@jit
def _class(b: boards.BoardArrays, cell: int, colour: int, captured: int, before: int) -> int:
    """Return the class of a move that has just been made."""
    alone = boards.in_atari(b, b.head[cell])
    if captured > 0:
        return KO if captured == 1 and alone and b.stone_count[b.head[cell]] == 1 else CAPTURE
    if before & OWN_IN_ATARI and not alone:
        return ESCAPE
    if alone:
        return SELF_ATARI
    enemy = BLACK + WHITE - colour
    for side in range(4):
        near = b.near[cell, side]
        if b.stones[near] == enemy and boards.in_atari(b, b.head[near]):
            return ATARI
    if _makes_eye(b, cell, colour):
        return EYE
    if before & TWO_OWN:
        return CONNECTION
    if before & TWO_ENEMIES:
        return CUT
    return _diagonal_class(b, cell, colour, before)


@jit
def _makes_eye(b: boards.BoardArrays, cell: int, colour: int) -> bool:
    """Return whether an empty point next to the stone has only that colour, or the edge, around it."""
    for side in range(4):
        near = b.near[cell, side]
        if b.stones[near] == EMPTY:
            closed = True
            for beside in range(4):
                stone = b.stones[b.near[near, beside]]
                if stone != colour and stone != boards.EDGE:
                    closed = False
            if closed:
                return True
    return False


@jit
def _diagonal_class(b: boards.BoardArrays, cell: int, colour: int, before: int) -> int:
    """Return the class of a quiet move by what is next to it, and diagonally."""
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
    if before & OWN:
        return PUSH if before & ENEMY else STRETCH
    if hane:
        return HANE
    if diagonal:
        return DIAGONAL
    if before & ENEMY:
        return ATTACHMENT
    return _distant_class(b, int(b.points[cell]), colour)


@jit
def _distant_class(b: boards.BoardArrays, point: int, colour: int) -> int:
    """Return the class of a move that touches nothing, by what is some steps away."""
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
    if _is_jump(b, size, row, col, colour):
        return JUMP
    if _extends(b, size, row, col, colour):
        return EXTENSION
    own, enemy = 0, 0
    for down in range(-NEAR_STEPS, NEAR_STEPS + 1):
        for across in range(-NEAR_STEPS, NEAR_STEPS + 1):
            if abs(down) + abs(across) <= NEAR_STEPS and 0 <= row + down < size and 0 <= col + across < size:
                stone = b.stones[b.cells[(row + down) * size + col + across]]
                own += stone == colour and (down != 0 or across != 0)
                enemy += stone == BLACK + WHITE - colour
    if enemy and not own:
        return INVASION
    return REINFORCEMENT if own and not enemy else OTHER


@jit
def _from_edge(line: int, size: int) -> int:
    """Return the distance of a line from the nearer edge, 0 at the edge."""
    return min(line, size - 1 - line)


@jit
def _is_jump(b: boards.BoardArrays, size: int, row: int, col: int, colour: int) -> bool:
    """Return whether a stone of the colour is a one-space jump or a knight's move away."""
    for down, across in JUMPS:
        r, c = row + down, col + across
        if 0 <= r < size and 0 <= c < size and b.stones[b.cells[r * size + c]] == colour:
            return True
    return False


@jit
def _corner_stones(b: boards.BoardArrays, size: int, row: int, col: int) -> int:
    """Return the colours in the corner of a point, except the point itself, as bits."""
    top = 0 if row < size // 2 else size - CORNER_LINES
    left = 0 if col < size // 2 else size - CORNER_LINES
    found = 0
    for r in range(top, top + CORNER_LINES):
        for c in range(left, left + CORNER_LINES):
            if r != row or c != col:
                found |= 1 << b.stones[b.cells[r * size + c]]
    return found


@jit
def _extends(b: boards.BoardArrays, size: int, row: int, col: int, colour: int) -> bool:
    """Return whether the next stone along the side, on the second to fourth line, is of the same colour."""
    for along in range(2):
        line = _from_edge(row if along else col, size)
        if not 1 <= line <= 3:
            continue
        for way in (-1, 1):
            for step in range(1, MAX_EXTENSION_POINTS + 1):
                r, c = (row, col + way * step) if along else (row + way * step, col)
                if not (0 <= r < size and 0 <= c < size):
                    break
                stone = b.stones[b.cells[r * size + c]]
                if stone != EMPTY:
                    if stone == colour:
                        return True
                    break
    return False
