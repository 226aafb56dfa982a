"""A board for playouts, compiled: everything in one array, because each array of a call costs time.

It begins with facts; then there is a section of ROOM words for each thing that
is known of the cells. Cells, chains and words of liberties are those of
board_kernel.py. The last point has a neighbour below on the right here, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import stay_apart
from kibitz.compiled.jit import jit
from kibitz.games.go.kernel import board as board_kernel
from kibitz.games.go.kernel.board import EDGE, LIBERTY, MAX_CELLS
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

ROOM = MAX_CELLS + 2
FACTS = 96
STONES, HEAD, LINK, MANY, LIBERTIES, AROUND, FREE_CELLS, LISTED = (FACTS + i * ROOM for i in range(8))
"""Where the sections begin. STONES to LIBERTIES: as in board_kernel.py. AROUND: what is on the eight cells around each,
two bits each from the low end on, row by row. FREE_CELLS: the empty cells in any order, and some that are empty no
more; LISTED: 1 for a cell in that list."""
SIZE = FACTS + 8 * ROOM
TO_PLAY, KO, LAST, BEFORE, PASSES, LEAD, FREE, MADE, FIRST, STEP, CELLS, POINTS, KOMI, TAKEN = range(14)
"""The first facts: the colour to play; the cell that may not be played on now or 0; the cells of the last two moves or
0; passes just made; Black's stones less White's; how many cells are in the list of free ones; moves made and the colour
that made the first; from a cell to the one below; how many cells, and points; quarter points of komi; a cell of the
chain captured last."""
SETTINGS = 16
"""Where the settings of playouts begin, see playout_kernel.py."""
FOUND = 32
"""Where scratch begins, to FACTS."""
EYE, SUICIDE, SELF_ATARI, FINE = range(4)
"""What a stone would be: in an own eye, without liberties, left with one, or none of these."""
_COUNT, _COUNT_MASK, _SUM, _SUM_MASK, _SQUARES_MASK = 52, (1 << 12) - 1, 31, (1 << 21) - 1, (1 << 31) - 1


def new_game(board: board_kernel.BoardArrays, to_play: int, ko: int, last: int, passes: int, komi: int) -> Any:
    """Return a board with who is to play, the cells of ko and last move (0 for none), passes made, quarters of komi."""
    g = np.zeros(SIZE, np.int64)
    cells, points = len(board.stones), len(board.cells)
    step = int(board.near[0, 3])
    g[STONES : STONES + ROOM] = EDGE
    for at, values in (
        (STONES, board.stones), (HEAD, board.head), (LINK, board.link), (MANY, board.stone_count),
        (LIBERTIES, board.liberties),
    ):  # fmt: skip
        g[at : at + cells] = np.asarray(values)
    stones = g[STONES : STONES + ROOM]
    inner = np.asarray(board.cells, np.int64)
    sides = [down * step + across for down in (-1, 0, 1) for across in (-1, 0, 1) if down or across]
    g[AROUND + inner] = sum(stones[inner + side] << 2 * i for i, side in enumerate(sides))
    free = inner[stones[inner] == EMPTY]
    g[FREE_CELLS : FREE_CELLS + len(free)] = free
    g[LISTED + free] = 1
    ahead = int(np.sum(stones[inner] == BLACK) - np.sum(stones[inner] == WHITE))
    g[: TAKEN + 1] = [to_play, ko, last, 0, passes, ahead, len(free), 0, to_play, step, cells, points, komi, 0]
    return g


@jit
def copy_game(g: Ints, into: Ints) -> None:
    """Make one game equal to another."""
    stay_apart()
    for i in range(FOUND):
        into[i] = g[i]
    cells = g[CELLS] + 1
    for section in range(8):
        at = FACTS + section * ROOM
        for i in range(at, at + cells):
            into[i] = g[i]


@jit
def single(word: int) -> bool:
    """Return whether a word of liberties is that of one point."""
    count, total = (word >> _COUNT) & _COUNT_MASK, (word >> _SUM) & _SUM_MASK
    return count * (word & _SQUARES_MASK) == total * total


@jit
def in_atari(g: Ints, head: int) -> bool:
    """Return whether a chain has one liberty."""
    return single(g[LIBERTIES + head])


@jit
def liberty_of(g: Ints, head: int) -> int:
    """Return the only liberty of a chain in atari."""
    word = g[LIBERTIES + head]
    return ((word >> _SUM) & _SUM_MASK) // ((word >> _COUNT) & _COUNT_MASK)


@jit
def side_of(g: Ints, cell: int, side: int) -> int:
    """Return the cell above, left, right or below."""
    step = g[STEP]
    return cell - step if side == 0 else cell - 1 if side == 1 else cell + 1 if side == 2 else cell + step


@jit
def is_known(g: Ints, cell: int, side: int, head: int) -> bool:
    """Return whether a chain was met on an earlier side of a cell."""
    for earlier in range(side):
        if g[HEAD + side_of(g, cell, earlier)] == head:
            return True
    return False


@jit
def advance(g: Ints, moves: Ints, cell: int) -> None:
    """Play on a cell, which must be legal, or pass with 0; write the move down."""
    stay_apart()
    colour = g[TO_PLAY]
    enemy = BLACK + WHITE - colour
    moves[g[MADE]] = cell
    g[MADE] += 1
    g[TO_PLAY], g[KO], g[BEFORE] = enemy, 0, g[LAST]
    g[LAST] = cell
    if cell == 0:
        g[PASSES] += 1
        return
    g[PASSES] = 0
    unit, own, taken = LIBERTY[cell], 0, 0
    g[STONES + cell], g[HEAD + cell], g[LINK + cell], g[MANY + cell] = colour, cell, cell, 1
    _toggle(g, cell, colour)
    for side in range(4):
        near = side_of(g, cell, side)
        g[LIBERTIES + g[HEAD + near]] -= unit  # where there is no stone, the head is 0
        if g[STONES + near] == EMPTY:
            own += LIBERTY[near]
    g[LIBERTIES + cell] = own
    for side in range(4):
        near = side_of(g, cell, side)
        head = g[HEAD + near]
        if g[STONES + near] == colour:
            if head != g[HEAD + cell]:
                _join(g, head, g[HEAD + cell])
        elif g[STONES + near] == enemy and g[LIBERTIES + head] == 0:
            g[TAKEN] = near
            taken += _take_off(g, near, enemy)
    g[LEAD] += 1 + taken if colour == BLACK else -1 - taken
    if taken == 1 and g[MANY + g[HEAD + cell]] == 1 and in_atari(g, g[HEAD + cell]):
        g[KO] = g[TAKEN]


@jit
def _toggle(g: Ints, cell: int, colour: int) -> None:
    """Let a stone come or go in what is around its neighbours."""
    at, step = AROUND + cell, g[STEP]
    g[at - step - 1] ^= colour << 14
    g[at - step] ^= colour << 12
    g[at - step + 1] ^= colour << 10
    g[at - 1] ^= colour << 8
    g[at + 1] ^= colour << 6
    g[at + step - 1] ^= colour << 4
    g[at + step] ^= colour << 2
    g[at + step + 1] ^= colour


@jit
def _join(g: Ints, one: int, other: int) -> None:
    """Make two chains one."""
    if g[MANY + one] < g[MANY + other]:
        one, other = other, one
    stone = other
    while True:
        g[HEAD + stone] = one
        stone = g[LINK + stone]
        if stone == other:
            break
    g[LINK + one], g[LINK + other] = g[LINK + other], g[LINK + one]
    g[MANY + one] += g[MANY + other]
    g[LIBERTIES + one] += g[LIBERTIES + other]


@jit
def _take_off(g: Ints, first: int, colour: int) -> int:
    """Take the chain of a stone off; return how many stones it had."""
    n, stone, free = g[MANY + g[HEAD + first]], first, g[FREE]
    for _ in range(n):
        g[STONES + stone], g[HEAD + stone] = EMPTY, 0
        unit = LIBERTY[stone]
        for side in range(4):
            g[LIBERTIES + g[HEAD + side_of(g, stone, side)]] += unit  # its own stones gain too, to no effect
        _toggle(g, stone, colour)
        if not g[LISTED + stone]:
            g[LISTED + stone] = 1
            g[FREE_CELLS + free] = stone
            free += 1
        stone = g[LINK + stone]
    g[FREE] = free
    return n


@jit
def consequence(g: Ints, cell: int, colour: int) -> int:
    """Return EYE, SUICIDE, SELF_ATARI or FINE for a stone on an empty cell; one that takes something is FINE.

    For SELF_ATARI, g[FOUND] says how many stones are in atari then.
    """
    stay_apart()
    empty, own, enemies, takes, word, many = 0, 0, 0, False, 0, 1
    for side in range(4):
        near = side_of(g, cell, side)
        code = g[STONES + near]
        if code == EMPTY:
            empty += 1
            word += LIBERTY[near]
        elif code != EDGE:
            head = g[HEAD + near]
            if code != colour:
                enemies += 1
                takes = takes or in_atari(g, head)
            else:
                own += 1
                if not is_known(g, cell, side, head):
                    word += g[LIBERTIES + head]
                    many += g[MANY + head]
    if empty >= 2 or takes:
        return FINE
    if empty + enemies == 0 and _is_eye(g, cell, colour):
        return EYE
    word -= own * LIBERTY[cell]
    if word == 0:
        return SUICIDE
    if single(word):
        g[FOUND] = many
        return SELF_ATARI
    return FINE


@jit
def _is_eye(g: Ints, cell: int, colour: int) -> bool:
    """Return whether a point with own stones or the edge on four sides is no false eye."""
    around, enemy = g[AROUND + cell], BLACK + WHITE - colour
    others, edge = 0, 0
    for corner in (0, 4, 10, 14):
        code = around >> corner & 3
        others += code == enemy
        edge |= code == EDGE
    return others + edge < 2


@jit
def has_two(g: Ints, head: int) -> bool:
    """Return whether a chain has at most two liberties."""
    first = second = 0
    stone = head
    while True:
        for side in range(4):
            near = side_of(g, stone, side)
            if g[STONES + near] == EMPTY and near not in (first, second):
                if second:
                    return False
                first, second = near, first
        stone = g[LINK + stone]
        if stone == head:
            return True


@jit
def area(g: Ints) -> int:
    """Return Black's stones and points that only Black reaches less those of White. The list of free cells is lost."""
    stay_apart()
    total, step = 0, g[STEP]
    for cell in range(step, g[CELLS] - step):
        g[LISTED + cell] = 0
    for start in range(step, g[CELLS] - step):
        code = g[STONES + start]
        if code == EDGE:
            continue
        if code != EMPTY:
            total += 1 if code == BLACK else -1
            continue
        if g[LISTED + start]:
            continue
        g[FREE_CELLS], g[LISTED + start] = start, 1
        n, i, touched = 1, 0, 0
        while i < n:
            cell = g[FREE_CELLS + i]
            i += 1
            for side in range(4):
                near = side_of(g, cell, side)
                code = g[STONES + near]
                touched |= 1 << code
                if code == EMPTY and not g[LISTED + near]:
                    g[LISTED + near] = 1
                    g[FREE_CELLS + n] = near
                    n += 1
        touched &= 1 << BLACK | 1 << WHITE
        if touched == 1 << BLACK:
            total += n
        elif touched == 1 << WHITE:
            total -= n
    return total
