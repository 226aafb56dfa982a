"""A compiled board for playouts. It is one array, because every array passed in a call costs time.

The array begins with facts about the game, followed by sections of SECTION_WORDS words, each with one kind of data per
cell. Cells, chains and words of liberties are those of kernel/board.py, plus an edge cell below and right of the last
point. Read a section through its accessor, such as stone_at(g, cell); only this module writes to STONES ... AROUND.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import never_inline
from kibitz.compiled.jit import jit
from kibitz.games.go.kernel import board as board_kernel
from kibitz.games.go.kernel.board import EDGE, LIBERTY, MAX_CELLS
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

SECTION_WORDS = MAX_CELLS + 2
FACTS = 96
STONES, HEAD, LINK, STONE_COUNT, LIBERTIES, AROUND, FREE_CELLS, LISTED = (FACTS + i * SECTION_WORDS for i in range(8))
"""Where the sections begin. STONES to LIBERTIES: as in kernel/board.py. AROUND: the contents of the eight cells around
each cell, row by row, two bits each from the low bits up. FREE_CELLS: a list of the empty cells, unordered, with some
that are no longer empty; LISTED: 1 for a cell in that list."""
TOTAL_WORDS = FACTS + 8 * SECTION_WORDS
TO_PLAY, KO, LAST, BEFORE, PASSES, LEAD, FREE, MADE, FIRST, STEP, CELLS, POINTS, KOMI, TAKEN = range(14)
"""Indices of the facts: the colour to play; the cell forbidden by ko, or 0; the cells of the last move and the one
before, or 0; passes just made; Black's stones minus White's; length of the list FREE_CELLS; moves made; the colour that
made the first; distance from a cell to the one below; number of cells; number of points; komi in quarter points; a cell
of the last captured chain."""
SETTINGS = 16  # where the settings of playouts begin; see playout_kernel.py
SCRATCH = 32  # where the scratch area begins; it ends at FACTS
EYE, SUICIDE, SELF_ATARI, FINE = range(4)
"""The consequences of a move: fills an own eye; has no liberties; has one liberty; none of these."""
# The layout of a word of liberties, as in kernel/board.py.
_COUNT, _COUNT_MASK, _SUM, _SUM_MASK, _SQUARES_MASK = 52, (1 << 12) - 1, 31, (1 << 21) - 1, (1 << 31) - 1


def new_game(
    board: board_kernel.BoardArrays, to_play: int, ko: int, last: int, passes: int, komi: int, settings: tuple[int, ...]
) -> NDArray[np.int64]:
    """Convert a board to the array of a playout game.

    ko and last are cells, or 0 for none; passes: those just made; komi: in quarter points.
    """
    g = np.zeros(TOTAL_WORDS, np.int64)
    cells, points = len(board.stones), len(board.cells)
    step = int(board.near[0, 3])
    g[STONES : STONES + SECTION_WORDS] = EDGE
    sections = ((STONES, board.stones), (HEAD, board.head), (LINK, board.link), (STONE_COUNT, board.stone_count))
    for at, values in (*sections, (LIBERTIES, board.liberties)):
        g[at : at + cells] = np.asarray(values)
    stones = g[STONES : STONES + SECTION_WORDS]
    inner = np.asarray(board.cells, np.int64)
    sides = [down * step + across for down in (-1, 0, 1) for across in (-1, 0, 1) if down or across]
    g[AROUND + inner] = sum(stones[inner + side] << 2 * i for i, side in enumerate(sides))
    free = inner[stones[inner] == EMPTY]
    g[FREE_CELLS : FREE_CELLS + len(free)] = free
    g[LISTED + free] = 1
    lead = int(np.sum(stones[inner] == BLACK) - np.sum(stones[inner] == WHITE))
    g[: TAKEN + 1] = [to_play, ko, last, 0, passes, lead, len(free), 0, to_play, step, cells, points, komi, 0]
    g[SETTINGS : SETTINGS + len(settings)] = settings
    return g


@jit
def stone_at(g: Ints, cell: int) -> int:
    """Return the content of a cell: EMPTY, BLACK, WHITE or EDGE."""
    return g[STONES + cell]


@jit
def head_of(g: Ints, cell: int) -> int:
    """Return the head of the chain of the stone on a cell, or 0 if there is no stone."""
    return g[HEAD + cell]


@jit
def next_stone(g: Ints, stone: int) -> int:
    """Return the next stone of the chain, a circular list."""
    return g[LINK + stone]


@jit
def stones_in(g: Ints, head: int) -> int:
    """Return the number of stones in the chain with this head."""
    return g[STONE_COUNT + head]


@jit
def window_at(g: Ints, cell: int) -> int:
    """Return the window of a cell: the contents of the eight cells around it, two bits each."""
    return g[AROUND + cell]


@jit
def copy_game(g: Ints, into: Ints) -> None:
    """Copy a game into another array, without its scratch area."""
    never_inline()
    for i in range(SCRATCH):
        into[i] = g[i]
    cells = g[CELLS] + 1
    for section in range(8):
        at = FACTS + section * SECTION_WORDS
        for i in range(at, at + cells):
            into[i] = g[i]


@jit
def _is_one_point(word: int) -> bool:
    """Return whether all liberties counted in a word of liberties are the same point."""
    count, total = (word >> _COUNT) & _COUNT_MASK, (word >> _SUM) & _SUM_MASK
    return count * (word & _SQUARES_MASK) == total * total  # true only if all numbers added are equal


@jit
def in_atari(g: Ints, head: int) -> bool:
    """Return whether a chain has exactly one liberty."""
    return _is_one_point(g[LIBERTIES + head])


@jit
def liberty_of(g: Ints, head: int) -> int:
    """Return the only liberty of a chain in atari."""
    word = g[LIBERTIES + head]
    return ((word >> _SUM) & _SUM_MASK) // ((word >> _COUNT) & _COUNT_MASK)


@jit
def neighbour(g: Ints, cell: int, side: int) -> int:
    """Return the neighbour of a cell: above, left, right or below for side 0, 1, 2 or 3."""
    step = g[STEP]
    return cell - step if side == 0 else cell - 1 if side == 1 else cell + 1 if side == 2 else cell + step


@jit
def is_repeated(g: Ints, cell: int, side: int, head: int) -> bool:
    """Return whether the chain with this head also touches a cell on a side with a lower number."""
    for earlier in range(side):
        if head_of(g, neighbour(g, cell, earlier)) == head:
            return True
    return False


@jit
def advance(g: Ints, moves: Ints, cell: int) -> None:
    """Play a legal move, given as a cell or 0 for a pass, and append it to `moves`."""
    never_inline()
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
    liberty, own_liberties, taken = LIBERTY[cell], 0, 0
    g[STONES + cell], g[HEAD + cell], g[LINK + cell], g[STONE_COUNT + cell] = colour, cell, cell, 1
    _toggle_in_windows(g, cell, colour)
    for side in range(4):
        near = neighbour(g, cell, side)
        g[LIBERTIES + head_of(g, near)] -= liberty  # if there is no stone, the head is 0
        if stone_at(g, near) == EMPTY:
            own_liberties += LIBERTY[near]
    g[LIBERTIES + cell] = own_liberties
    for side in range(4):
        near = neighbour(g, cell, side)
        head = head_of(g, near)
        if stone_at(g, near) == colour:
            if head != head_of(g, cell):
                _join(g, head, head_of(g, cell))
        elif stone_at(g, near) == enemy and g[LIBERTIES + head] == 0:
            g[TAKEN] = near
            taken += _remove_chain(g, near, enemy)
    g[LEAD] += 1 + taken if colour == BLACK else -1 - taken
    if taken == 1 and stones_in(g, head_of(g, cell)) == 1 and in_atari(g, head_of(g, cell)):
        g[KO] = g[TAKEN]


@jit
def _toggle_in_windows(g: Ints, cell: int, colour: int) -> None:
    """Add a stone to the windows of the eight cells around it, or remove it from them."""
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
    """Merge the chains of two heads; the larger chain's head becomes the head of both."""
    if stones_in(g, one) < stones_in(g, other):
        one, other = other, one
    stone = other
    while True:
        g[HEAD + stone] = one
        stone = next_stone(g, stone)
        if stone == other:
            break
    g[LINK + one], g[LINK + other] = next_stone(g, other), next_stone(g, one)
    g[STONE_COUNT + one] += stones_in(g, other)
    g[LIBERTIES + one] += g[LIBERTIES + other]


@jit
def _remove_chain(g: Ints, first: int, colour: int) -> int:
    """Remove the chain of the stone on a cell; return its number of stones."""
    n, stone, free = stones_in(g, head_of(g, first)), first, g[FREE]
    for _ in range(n):
        g[STONES + stone], g[HEAD + stone] = EMPTY, 0
        unit = LIBERTY[stone]
        for side in range(4):
            g[LIBERTIES + head_of(g, neighbour(g, stone, side))] += unit  # harmless for the removed chain itself
        _toggle_in_windows(g, stone, colour)
        if not g[LISTED + stone]:
            g[LISTED + stone] = 1
            g[FREE_CELLS + free] = stone
            free += 1
        stone = next_stone(g, stone)
    g[FREE] = free
    return n


@jit
def consequence(g: Ints, cell: int, colour: int) -> int:
    """Return the consequence of playing on an empty cell: EYE, SUICIDE, SELF_ATARI or FINE; a capture is FINE.

    For SELF_ATARI, set g[SCRATCH] to the number of stones that would be in atari.
    """
    never_inline()
    empty, own, enemies, takes, word, stones = 0, 0, 0, False, 0, 1
    for side in range(4):
        near = neighbour(g, cell, side)
        code = stone_at(g, near)
        if code == EMPTY:
            empty += 1
            word += LIBERTY[near]
        elif code != EDGE:
            head = head_of(g, near)
            if code != colour:
                enemies += 1
                takes = takes or in_atari(g, head)
            else:
                own += 1
                if not is_repeated(g, cell, side, head):
                    word += g[LIBERTIES + head]
                    stones += stones_in(g, head)
    if empty >= 2 or takes:
        return FINE
    if empty + enemies == 0 and _is_eye(g, cell, colour):
        return EYE
    word -= own * LIBERTY[cell]
    if word == 0:
        return SUICIDE
    if _is_one_point(word):
        g[SCRATCH] = stones
        return SELF_ATARI
    return FINE


@jit
def _is_eye(g: Ints, cell: int, colour: int) -> bool:
    """Return whether a point with own stones or the edge on all four sides is a true eye."""
    window, enemy = window_at(g, cell), BLACK + WHITE - colour
    others, edge = 0, 0
    for corner in (0, 4, 10, 14):  # the bits of the four diagonal cells
        code = window >> corner & 3
        others += code == enemy
        edge |= code == EDGE
    return others + edge < 2


@jit
def has_few_liberties(g: Ints, head: int) -> bool:
    """Return whether a chain has at most two liberties."""
    first = second = 0
    stone = head
    while True:
        for side in range(4):
            near = neighbour(g, stone, side)
            if stone_at(g, near) == EMPTY and near not in (first, second):
                if second:
                    return False
                first, second = near, first
        stone = next_stone(g, stone)
        if stone == head:
            return True


@jit
def area(g: Ints) -> int:
    """Return Black's area (stones, and points only Black reaches) minus White's. Overwrites FREE_CELLS and LISTED.

    LISTED then holds, for each empty cell, the codes of the colours that its region touches, as bits; see owner_at().
    """
    never_inline()
    total, step = 0, g[STEP]
    for cell in range(step, g[CELLS] - step):
        g[LISTED + cell] = 0
    for start in range(step, g[CELLS] - step):
        code = stone_at(g, start)
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
                near = neighbour(g, cell, side)
                code = stone_at(g, near)
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
        for i in range(n):
            g[LISTED + g[FREE_CELLS + i]] = touched | 1
    return total


@jit
def owner_at(g: Ints, cell: int) -> int:
    """Return 1 if a cell counts for Black, -1 if for White, else 0. Only valid after area()."""
    code = stone_at(g, cell)
    colours = g[LISTED + cell] if code == EMPTY else 1 << code
    return int(colours & ~1 == 1 << BLACK) - int(colours & ~1 == 1 << WHITE)
