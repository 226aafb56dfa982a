"""How many boards of Go are legal: every stone has a liberty or is connected to one. Counted on the compiled board.

python -m bench.go.positions [SIZE ...]

Without sizes 1 to 4: 1, 57, 12675 and 24318165 (Tromp & Farnebäck 2007). Exits
with 1 if a count is another.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry
from kibitz.games.go.kernel.board import BoardArrays, new_board, rebuild_all
from kibitz.games.go.rules.board import EMPTY

KNOWN = {1: 1, 2: 57, 3: 12_675, 4: 24_318_165}


@entry
def count_legal(b: BoardArrays, digits: Ints) -> int:
    """Count the legal boards among all ways to colour the points; digits: int64 [point], zeros."""
    legal, points = 0, len(b.cells)
    while True:
        rebuild_all(b)
        alive = 1
        for i in range(points):
            cell = b.cells[i]
            if b.stones[cell] != EMPTY and b.liberties[b.head[cell]] == 0:
                alive = 0
                break
        legal += alive
        i = 0
        while i < points and digits[i] == 2:  # count on by one, the digits being the colours
            digits[i] = 0
            b.stones[b.cells[i]] = EMPTY
            i += 1
        if i == points:
            return legal
        digits[i] += 1
        b.stones[b.cells[i]] = digits[i]


def main(sizes: list[int]) -> bool:
    well = True
    for size in sizes:
        began = time.perf_counter()
        found = count_legal(new_board(size), np.zeros(size * size, np.int64))
        print(f"{size}x{size}: {found} legal boards, {time.perf_counter() - began:.1f} s")
        well &= found == KNOWN.get(size, found)
    return well


if __name__ == "__main__":
    sys.exit(not main([int(size) for size in sys.argv[1:]] or list(KNOWN)))
