"""Joseki: what was played in corners, modulo symmetry and whatever was played elsewhere meanwhile, as a tree.

A corner is the square of its first REACH lines. Who plays there first is X. Two
moves of one side in a row mean that the other played elsewhere: tenuki.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns.kernels.openings import Corners, corner_moves
from kibitz.games.go.patterns.mining.windows import bounds
from kibitz.games.go.patterns.openings.trees import Tree, build, least_images
from kibitz.games.go.records.store import Store
from kibitz.games.go.rules.text import parse_move, point_text

REACH = 9
"""Lines of a corner; at most half of the board, so that no two corners share a point."""
LAST_MOVE = 100
"""Moves of a game that count: later ones in a corner are seldom joseki."""
MOST_MOVES = 30


@dataclass
class Joseki:
    """The tree of corner sequences of some games."""

    tree: Tree
    games: Any
    """int64: the games, from 0, that rows of the tree's examples are of, four rows for each"""
    size: int
    reach: int

    def move(self, code: int) -> tuple[int, int]:
        """Return who plays, 0 for X and 1 for O, and the point in the upper right corner of the board."""
        second, cell = divmod(code, self.reach * self.reach)
        across, down = divmod(cell, self.reach)
        return second, down * self.size + self.size - 1 - across

    def text(self, code: int) -> str:
        """Return a move as players write it, in the upper right corner."""
        return point_text(self.size, self.move(code)[1])

    def line(self, node: int) -> list[tuple[str, str, bool]]:
        """Return the moves to a node: X or O, the point, and whether the other side had played elsewhere before."""
        found, before = [], 1
        for code in self.tree.line(node):
            second = self.move(code)[0]
            found.append(("XO"[second], self.text(code), second == before))
            before = second
        return found

    def game(self, node: int) -> int:
        """Return a game, from 1, that has this."""
        return int(self.games[self.tree.example[node] // 4]) + 1

    def codes(self, texts: list[str]) -> list[int]:
        """Return moves like Q16 R14 in the upper right corner as codes; after "-" the same side plays again.

        Raises BadText if one lies outside.
        """
        second, found = 0, []
        for text in texts:
            if text == "-":
                second = 1 - second
                continue
            down, col = divmod(parse_move(self.size, text), self.size)
            across = self.size - 1 - col
            if down >= self.reach or across >= self.reach:
                raise BadText(f"{text} is not in the upper right corner of {self.reach} lines.")
            found.append(second * self.reach * self.reach + across * self.reach + down)
            second = 1 - second
        codes = np.array([found], np.int16).reshape(1, -1)
        return [int(code) for code in least_images(codes, corner_images(self.reach))[0]] if found else []


def corner_images(reach: int) -> Any:
    """Return [2, code] what each move is, and what it is mirrored in the diagonal."""
    codes = np.arange(2 * reach * reach)
    second, cells = codes // (reach * reach) * reach * reach, codes % (reach * reach)
    return np.array([codes, second + cells % reach * reach + cells // reach])


def joseki(
    store: Store, which: Any, moves: int = 16, min_count: int = 5, size: int = 19, last: int = LAST_MOVE
) -> Joseki:
    """Return the corner sequences of some games, up to so many moves, that were played at least so often."""
    if not 1 <= moves <= MOST_MOVES:
        raise BadOption(f"A joseki has 1 to {MOST_MOVES} moves here, not {moves}.")
    reach = min(REACH, size // 2)
    starts, ends = bounds(store, which)
    n = 4 * len(which)
    corners = Corners(
        np.zeros((n, moves), np.int16), np.zeros(n, np.int64), np.zeros(n, np.int64),
        np.array([size, reach, last], np.int64),
    )  # fmt: skip
    corner_moves(corners, store.column("changes"), starts, ends)
    turned = least_images(corners.moves, corner_images(reach))
    winners = np.repeat(store.column("winners")[which], 4)
    results = np.where(winners == 0, -1, winners == corners.colours)
    tree = build(turned, results, np.repeat(store.column("years")[which], 4), min_count)
    return Joseki(tree, np.asarray(which), size, reach)
