"""Joseki: sequences in corners, modulo symmetry and whatever was played elsewhere meanwhile, as a tree.

A corner is the square of its first CORNER_LINES lines. The player who moves there
first is X. Two moves of one side in a row mean that the other played elsewhere:
tenuki.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kibitz.compiled.arrays import Int64Array, Ints
from kibitz.compiled.jit import entry
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns.kernels.windows import GameSpans
from kibitz.games.go.patterns.mining.windows import spans_of
from kibitz.games.go.patterns.openings.trees import NO_MOVE, MoveTree, build_tree, least_images
from kibitz.games.go.records.layout import TAKEN, colour_of, point_of
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.text import parse_move, point_text
from kibitz.games.go.sgf.record import PASS, SETUP

CORNER_LINES = 9  # lines of a corner; at most half of the board, so that no two corners share a point
LAST_GAME_MOVE = 100  # moves of a game after this one do not count: in a corner they are seldom joseki
MAX_JOSEKI_MOVES = 30


@dataclass
class Joseki:
    """The tree of corner sequences of games."""

    tree: MoveTree
    games: Int64Array  # the games, from 0, that rows of the tree's examples are of, four rows for each
    size: int
    reach: int  # lines of a corner

    def move(self, code: int) -> tuple[int, int]:
        """Return the player, 0 for X and 1 for O, and the point in the upper right corner of the board."""
        second, cell = divmod(code, self.reach * self.reach)
        across, down = divmod(cell, self.reach)
        return second, down * self.size + self.size - 1 - across

    def text(self, code: int) -> str:
        """Return a move as in Q16, in the upper right corner."""
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
        """Return a game, from 1, that has the sequence of a node."""
        return int(self.games[self.tree.example[node] // 4]) + 1

    def codes(self, texts: list[str]) -> list[int]:
        """Return moves like Q16 R14 in the upper right corner as codes; after "-" the same side plays again.

        Raise BadText if one lies outside the corner.
        """
        second, found = 0, []
        for text in texts:
            if text != "-":
                down, col = divmod(parse_move(self.size, text), self.size)
                across = self.size - 1 - col
                if down >= self.reach or across >= self.reach:
                    raise BadText(f"{text} is not in the upper right corner of {self.reach} lines.")
                found.append(second * self.reach * self.reach + across * self.reach + down)
            second = 1 - second
        return least_images(np.array([found], np.int16), corner_images(self.reach))[0].tolist() if found else []


def corner_images(reach: int) -> Int64Array:
    """Return [2, code] each move as it is, and mirrored in the diagonal."""
    codes = np.arange(2 * reach * reach)
    second, cells = codes // (reach * reach) * reach * reach, codes % (reach * reach)
    return np.array([codes, second + cells % reach * reach + cells // reach])


def joseki(
    store: GameStore, games: Int64Array, moves: int = 16, min_count: int = 5, size: int = 19, last: int = LAST_GAME_MOVE
) -> Joseki:
    """Return the corner sequences of games, up to this many moves, that were played at least min_count times."""
    if not 1 <= moves <= MAX_JOSEKI_MOVES:
        raise BadOption(f"A joseki has 1 to {MAX_JOSEKI_MOVES} moves here, not {moves}.")
    reach = min(CORNER_LINES, size // 2)
    n = 4 * len(games)
    found, counts, colours = np.zeros((n, moves), np.int16), np.zeros(n, np.int64), np.zeros(n, np.int64)
    corner_moves(found, counts, colours, spans_of(store, games), size, reach, last)
    winners = np.repeat(store.column("winners")[games], 4)
    results = np.where(winners == 0, -1, winners == colours)
    years = np.repeat(store.column("years")[games], 4)
    tree = build_tree(least_images(found, corner_images(reach)), results, years, min_count)
    return Joseki(tree, games, size, reach)


@entry
def corner_moves(moves: Ints, counts: Ints, colours: Ints, games: GameSpans, size: int, reach: int, last: int) -> None:
    """Write the moves in each corner of games in order, whatever was played elsewhere meanwhile.

    moves, int16 [4 * game + corner, move]: the cell, plus reach * reach for the side
    that played there second; NO_MOVE at the end. Cell a * reach + b of a corner lies a
    lines from the upper or lower edge and b from the left or right one.
    counts and colours, int64 [4 * game + corner]: the number of these moves, and the side that played there
    first, or 0.
    Moves of a game after the last one do not count; games with setup have none.
    """
    most = moves.shape[1]
    for game in range(len(games.starts)):
        for row in range(4 * game, 4 * game + 4):
            counts[row], colours[row] = 0, 0
            for move in range(most):
                moves[row, move] = NO_MOVE
        made = 0
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if change & SETUP:
                break
            if change & TAKEN:
                continue
            made += 1
            if made > last:
                break
            point, colour = point_of(change), colour_of(change)
            if point == PASS:
                continue
            down, across = point // size, point % size
            corner = 0
            if down > size - 1 - down:
                corner, down = 2, size - 1 - down
            if across > size - 1 - across:
                corner, across = corner + 1, size - 1 - across
            row = 4 * game + corner
            if down >= reach or across >= reach or counts[row] == most:
                continue
            if colours[row] == 0:
                colours[row] = colour
            second = 0 if colour == colours[row] else reach * reach
            moves[row, counts[row]] = second + down * reach + across
            counts[row] += 1
