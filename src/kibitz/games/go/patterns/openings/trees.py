"""Sequences of moves as a tree: how often each beginning was played, who won then, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

NONE = -1


@dataclass
class Tree:
    """Nodes in the order of their depth; node 0 is the root. Arrays [node]."""

    parent: Any
    move: Any
    """The code of the move that leads here; NONE for the root"""
    depth: Any
    count: Any
    """Sequences that begin so"""
    won: Any
    """Those won by who moved first"""
    decided: Any
    """Those that somebody won"""
    first_year: Any
    """0 where no date is known"""
    last_year: Any
    example: Any
    """A row of the sequences that begins so"""

    def __len__(self) -> int:
        return len(self.parent)

    def children(self, node: int) -> list[int]:
        """Return the nodes that follow one, those that were played most first."""
        found = np.flatnonzero(self.parent == node)
        return [int(node) for node in found[np.argsort(-self.count[found], kind="stable")]]

    def find(self, moves: list[int]) -> int:
        """Return the node that a sequence leads to, -1 if there is none."""
        node = 0
        for move in moves:
            found = np.flatnonzero((self.parent == node) & (self.move == move))
            if not len(found):
                return -1
            node = int(found[0])
        return node

    def line(self, node: int) -> list[int]:
        """Return the moves from the root to a node."""
        moves = list[int]()
        while node > 0:
            moves.append(int(self.move[node]))
            node = int(self.parent[node])
        return moves[::-1]


def least_images(moves: Any, images: Any) -> Any:
    """Return [row, move] sequences as the least of their images, compared move by move.

    images [image, code] says what each code becomes; NONE stays.
    """
    alive = np.ones((len(images), len(moves)), bool)
    for at in range(moves.shape[1]):
        codes = moves[:, at]
        turned = np.where(codes == NONE, NONE, images[:, codes])
        least = np.where(alive, turned, np.iinfo(np.int16).max).min(axis=0)
        alive &= turned == least
    best = alive.argmax(axis=0)
    return np.where(moves == NONE, NONE, images[best[:, None], moves]).astype(np.int16)


def build(moves: Any, results: Any, years: Any, min_count: int = 1) -> Tree:
    """Return the tree of sequences [row, move], each until NONE; beginnings rarer than min_count are left out.

    results say who won: 1 who moved first, 0 who moved second, -1 nobody.
    """
    node = np.zeros(len(moves), np.int64)
    rows = np.arange(len(moves))
    levels = [tallied(np.zeros(len(moves), np.int64), rows, 1, results, years)]
    parents, codes, depths = [np.array([NONE])], [np.array([NONE])], [np.array([0])]
    total = 1
    for depth in range(moves.shape[1]):
        going = moves[rows, depth] != NONE
        rows, node = rows[going], node[going]
        pairs = node << 16 | moves[rows, depth].astype(np.int64)
        found, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        kept = counts >= min_count
        if not kept.any():
            break
        renumbered = np.where(kept, np.cumsum(kept) - 1, NONE)
        going = kept[inverse]
        rows, inverse = rows[going], renumbered[inverse][going]
        found = found[kept]
        levels.append(tallied(inverse, rows, len(found), results, years))
        parents.append(found >> 16)
        codes.append(found & 0xFFFF)
        depths.append(np.full(len(found), depth + 1))
        node = total + inverse
        total += len(found)
    columns = [np.concatenate(part) for part in zip(*levels, strict=True)]
    return Tree(np.concatenate(parents), np.concatenate(codes), np.concatenate(depths), *columns)


def tallied(numbers: Any, rows: Any, n: int, results: Any, years: Any) -> tuple[Any, ...]:
    """Return count, won, decided, first year, last year and an example of n groups of rows.

    numbers[i] is the group of rows[i]; for results see build; a year of 0 is none.
    """
    result, year = results[rows], years[rows].astype(np.int64)
    count = np.bincount(numbers, minlength=n)
    won = np.bincount(numbers[result == 1], minlength=n)
    decided = np.bincount(numbers[result >= 0], minlength=n)
    first, last = np.full(n, 9999), np.zeros(n, np.int64)
    dated = year > 0
    np.minimum.at(first, numbers[dated], year[dated])
    np.maximum.at(last, numbers[dated], year[dated])
    example = np.zeros(n, np.int64)
    example[numbers[::-1]] = rows[::-1]
    return count, won, decided, np.where(last > 0, first, 0), last, example
