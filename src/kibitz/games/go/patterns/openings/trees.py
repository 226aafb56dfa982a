"""Sequences of moves as a tree: how often each beginning was played, who won then, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Int16Array, Int64Array

NO_MOVE = -1


class GroupFigures(NamedTuple):
    """Figures of groups of sequences. [group]."""

    counts: Int64Array
    won: Int64Array  # won by the player who moved first
    decided: Int64Array  # those with a winner
    first_year: Int64Array  # 0 if no date is known
    last_year: Int64Array
    example: Int64Array  # the first row of the sequences that is in the group


@dataclass
class MoveTree:
    """Nodes in the order of their depth; node 0 is the root. Arrays [node], the last ones as in GroupFigures."""

    parent: Int64Array
    move: Int64Array  # the code of the move that leads here; NO_MOVE for the root
    depth: Int64Array
    count: Int64Array
    won: Int64Array
    decided: Int64Array
    first_year: Int64Array
    last_year: Int64Array
    example: Int64Array

    def __len__(self) -> int:
        return len(self.parent)

    def children(self, node: int) -> list[int]:
        """Return the nodes that follow one, the most played first."""
        found = np.flatnonzero(self.parent == node)
        children: list[int] = found[np.argsort(-self.count[found], kind="stable")].tolist()
        return children

    def find(self, moves: list[int]) -> int:
        """Return the node that a sequence leads to, or -1."""
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


def least_images(moves: Int16Array, images: Int64Array) -> Int16Array:
    """Return [row, move] sequences as the least of their images, compared move by move.

    images [image, code] is what each code becomes; NO_MOVE stays.
    """
    alive = np.ones((len(images), len(moves)), bool)
    for at in range(moves.shape[1]):
        codes = moves[:, at]
        turned = np.where(codes == NO_MOVE, NO_MOVE, images[:, codes])
        least = np.where(alive, turned, np.iinfo(np.int16).max).min(axis=0)
        alive &= turned == least
    best = alive.argmax(axis=0)
    return np.where(moves == NO_MOVE, NO_MOVE, images[best[:, None], moves]).astype(np.int16)


def build_tree(moves: Int16Array, results: Int64Array, years: Int64Array, min_count: int = 1) -> MoveTree:
    """Return the tree of sequences [row, move], each up to NO_MOVE, without beginnings rarer than min_count.

    results: 1 if the player who moved first won, 0 if the other one did, -1 without a winner.
    """
    rows, node = np.arange(len(moves)), np.zeros(len(moves), np.int64)
    levels = [group_figures(node, rows, 1, results, years)]
    parents, codes, depths = [np.array([NO_MOVE])], [np.array([NO_MOVE])], [np.array([0])]
    total = 1
    for depth in range(moves.shape[1]):
        going = moves[rows, depth] != NO_MOVE
        rows, node = rows[going], node[going]
        pairs = node << 16 | moves[rows, depth].astype(np.int64)
        found, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        kept = counts >= min_count
        if not kept.any():
            break
        going = kept[inverse]
        rows, group, found = rows[going], (np.cumsum(kept) - 1)[inverse][going], found[kept]
        levels.append(group_figures(group, rows, len(found), results, years))
        parents.append(found >> 16)
        codes.append(found & 0xFFFF)
        depths.append(np.full(len(found), depth + 1))
        node = total + group
        total += len(found)
    columns = [np.concatenate(part) for part in (parents, codes, depths, *zip(*levels, strict=True))]
    return MoveTree(*columns)


def group_figures(group: Int64Array, rows: Int64Array, n: int, results: Int64Array, years: Int64Array) -> GroupFigures:
    """Return the figures of n groups of rows; group[i] is that of rows[i].

    For results see build_tree; a year of 0 is unknown.
    """
    result, year = results[rows], years[rows].astype(np.int64)
    first, last = np.full(n, 9999), np.zeros(n, np.int64)
    dated = year > 0
    np.minimum.at(first, group[dated], year[dated])
    np.maximum.at(last, group[dated], year[dated])
    example = np.zeros(n, np.int64)
    example[group[::-1]] = rows[::-1]
    count, won, decided = (
        np.bincount(group[chosen], minlength=n) for chosen in (slice(None), result == 1, result >= 0)
    )
    return GroupFigures(count, won, decided, np.where(last > 0, first, 0), last, example)
