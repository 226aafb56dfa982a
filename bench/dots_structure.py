"""How many positions of Dots-and-Boxes the compiled structure analysis takes in a second, beside the readable one.

python -m bench.dots_structure

Positions are those of random games, first to last, on one core. Both must agree
on the number of long chains of every position that the readable one is given.
"""

from __future__ import annotations

import random
import sys
import time

from kibitz.games.dots import structure_kernel as kernel
from kibitz.games.dots.rules import Dots, State
from kibitz.games.dots.structure import structure_of

POSITIONS, READABLE = 200_000, 3_000


def played_positions(game: Dots, n: int) -> list[State]:
    """Return n positions of random games."""
    rng, found = random.Random(1), list[State]()
    while len(found) < n:
        state = game.start()
        while moves := state.legal_moves():
            found.append(state)
            state = state.play(rng.choice(moves))
    return found[:n]


def bench(rows: int, cols: int) -> None:
    game = Dots(rows, cols)
    graph, states = game.board, played_positions(game, READABLE)
    few = kernel.words_of(graph, [state.undrawn for state in states])
    kernel.analyse_many(graph, few[:1])  # may have to compile
    words = few.repeat(POSITIONS // READABLE, axis=0)
    random.Random(2).shuffle(order := list(range(len(words))))
    words, tables, board = words[order], kernel.new_tables(graph, len(words)), kernel.board_of(graph)
    times = []
    for _ in range(3):
        tables.counts[:] = 0
        began = time.perf_counter()
        kernel.fill(board, words, tables)
        times.append(time.perf_counter() - began)
    began = time.perf_counter()
    chains = [structure_of(state).counts.long_chains for state in states]
    slow = READABLE / (time.perf_counter() - began)
    if kernel.analyse_many(graph, few).facts[:, kernel.LONG_CHAINS].tolist() != chains:
        sys.exit("the compiled analysis and the readable one differ")
    fast = len(words) / min(times)
    print(f"{rows}x{cols}: {fast:12,.0f} positions/s compiled {slow:10,.0f} readable {fast / slow:8.0f} x")


if __name__ == "__main__":
    for size in ((3, 3), (5, 5), (9, 9)):
        bench(*size)
