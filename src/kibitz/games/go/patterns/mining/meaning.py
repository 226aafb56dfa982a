"""Classify moves by what they do on the board: each move gets the first class of MEANINGS that fits."""

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
    "ko": "captures one stone and could be recaptured at once",
    "capture": "captures stones",
    "escape": "saves a chain of its own from atari",
    "self_atari": "leaves its own chain with one liberty",
    "atari": "leaves a chain of the opponent with one liberty",
    "eye": "makes an eye: an empty point beside it has only its own stones or the edge on all four sides",
    "connection": "connects chains of its own that were separate",
    "cut": "takes the point that would have joined two chains of the opponent",
    "hane": "bends around an enemy stone: diagonal to a stone of its own, with the enemy stone next to both",
    "attachment": "touches an enemy stone, with no stone of its own adjacent or diagonal",
    "push": "touches both a stone of its own and one of the opponent",
    "stretch": "touches a stone of its own and none of the opponent",
    "diagonal": "is diagonal to a stone of its own, with none of its own on either point between them",
    "corner": "is the first stone in a corner",
    "enclosure": "is in a corner where only its own side has stones",
    "approach": "is in a corner where only the opponent has stones",
    "jump": "has a stone of its own a one-space jump or a knight's move away",
    "extension": "is on the second to fourth line; the nearest stone along it, at most six points away, is its own",
    "invasion": "has stones of the opponent within four steps, and none of its own",
    "reinforcement": "has stones of its own within four steps, and none of the opponent's",
    "other": "none of these",
}
"""Class of a move -> what the move does. Each class is also a column of the patterns table."""
GROUPS = {
    "attack": ("ko", "capture", "atari", "cut", "hane", "attachment", "approach", "invasion"),
    "defence": ("escape", "connection", "eye", "stretch", "diagonal", "reinforcement"),
    "opening": ("corner", "enclosure", "extension"),
}
"""Groups of classes, after the kinds of play in the report of 2013."""
KO, CAPTURE, ESCAPE, SELF_ATARI, ATARI, EYE, CONNECTION, CUT, HANE, ATTACHMENT, PUSH, STRETCH = range(12)
DIAGONAL, CORNER, ENCLOSURE, APPROACH, JUMP, EXTENSION, INVASION, REINFORCEMENT, OTHER = range(12, 21)
"""The index of each class in MEANINGS."""
OWN, OWN_IN_ATARI, TWO_OWN, ENEMY, TWO_ENEMIES = 1, 2, 4, 8, 16
"""Bits that say which chains are next to a point: own, own in atari, two different own; enemy, two different enemy."""
CORNER_LINES = 6  # a corner is a square of this many lines
NEAR_STEPS = 4  # stones within this many steps count for an invasion or a reinforcement
MAX_EXTENSION_POINTS = 6
JUMPS = ((-2, 0), (2, 0), (0, -2), (0, 2), (-2, -1), (-2, 1), (2, -1), (2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2))
"""(down, across) of one-space jumps and knight's moves."""


def move_classes(games: GameSpans, size: int) -> Uint8Array:
    """Return the class of each move of games, as its index in MEANINGS. Passes are left out."""
    classes = np.zeros(sum((games.ends - games.starts).tolist()), np.uint8)
    return classes[: classify(boards.new_board(size), games, classes)]


@entry
def classify(b: boards.BoardArrays, games: GameSpans, classes: Ints) -> int:
    """Write the class of each move of games, leaving out passes; return the number of classes written."""
    n = 0
    for game in range(len(games.starts)):
        boards.clear(b)
        chains_stale = False
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            point, colour = point_of(change), colour_of(change)
            if change & TAKEN or point == PASS:
                continue
            cell = b.cells[point]
            if change & SETUP:
                b.stones[cell] = colour
                chains_stale = True
                continue
            if chains_stale:
                boards.rebuild_all(b)
                chains_stale = False
            neighbours = _neighbours(b, cell, colour)
            captured = boards.put_here(b, cell, colour)
            classes[n] = _class_of(b, cell, colour, captured, neighbours)
            n += 1
    return n


@jit
def _neighbours(b: boards.BoardArrays, cell: int, colour: int) -> int:
    """Return which chains are next to a point before a move, as bits: OWN, OWN_IN_ATARI and so on."""
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
def _class_of(b: boards.BoardArrays, cell: int, colour: int, captured: int, neighbours: int) -> int:
    """Return the class of the move just made on a cell. neighbours: bits as by _neighbours, before the move."""
    self_atari = boards.in_atari(b, b.head[cell])
    if captured > 0:
        return KO if captured == 1 and self_atari and b.stone_count[b.head[cell]] == 1 else CAPTURE
    if neighbours & OWN_IN_ATARI and not self_atari:
        return ESCAPE
    if self_atari:
        return SELF_ATARI
    enemy = BLACK + WHITE - colour
    for side in range(4):
        near = b.near[cell, side]
        if b.stones[near] == enemy and boards.in_atari(b, b.head[near]):
            return ATARI
    if _makes_eye(b, cell, colour):
        return EYE
    if neighbours & TWO_OWN:
        return CONNECTION
    if neighbours & TWO_ENEMIES:
        return CUT
    return _diagonal_class(b, cell, colour, neighbours)


@jit
def _makes_eye(b: boards.BoardArrays, cell: int, colour: int) -> bool:
    """Return whether an empty point next to the stone has only that colour or the edge on all four sides."""
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
def _diagonal_class(b: boards.BoardArrays, cell: int, colour: int, neighbours: int) -> int:
    """Return the class of a move by the stones around it. neighbours: the bits that _neighbours returns."""
    here, enemy = int(cell), BLACK + WHITE - colour
    row_step = int(b.near[cell, 3]) - here  # near[cell, 3] is the cell below
    diagonal, hane = False, False
    for down in (-row_step, row_step):
        for across in (-1, 1):
            other = here + down + across
            if other >= len(b.stones) or b.stones[other] != colour:
                continue
            if b.stones[here + down] != colour and b.stones[here + across] != colour:
                diagonal = True
                if b.stones[here + down] == enemy or b.stones[here + across] == enemy:
                    hane = True
    if neighbours & OWN:
        return PUSH if neighbours & ENEMY else STRETCH
    if hane:
        return HANE
    if diagonal:
        return DIAGONAL
    if neighbours & ENEMY:
        return ATTACHMENT
    return _distant_class(b, int(b.points[cell]), colour)


@jit
def _distant_class(b: boards.BoardArrays, point: int, colour: int) -> int:
    """Return the class of a move that touches no stone, by the stones farther away."""
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
    """Return the colours of the stones in a point's corner, except at the point itself, as bits 1 << colour."""
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
    """Return whether a point is an extension: on line 2 to 4, with a stone of the colour next along that line."""
    for along_row in range(2):
        line = _from_edge(row if along_row else col, size)
        if not 1 <= line <= 3:
            continue
        for direction in (-1, 1):
            for step in range(1, MAX_EXTENSION_POINTS + 1):
                r, c = (row, col + direction * step) if along_row else (row + direction * step, col)
                if not (0 <= r < size and 0 <= c < size):
                    break
                stone = b.stones[b.cells[r * size + c]]
                if stone != EMPTY:
                    if stone == colour:
                        return True
                    break
    return False
