"""Openings and joseki of a store as trees to browse: each node with the moves that lead to it and that follow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.page.server.explorer import OpenStore
from kibitz.games.go.rules import MARKS, Board

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kibitz.games.go.patterns.openings import Joseki, MoveTree
    from kibitz.games.go.patterns.studies.styles import Styles

MAX_CHILDREN = 60
SMALL_STORE_GAMES = 1000
"""In stores with fewer games, also show moves played only once, and compare players with few games."""
FUSEKI_MOVES, JOSEKI_MOVES = 16, 20


class OpeningStudy:
    """The opening trees and the players' styles of one store, each computed when first needed."""

    def __init__(self, opened: OpenStore, size: int) -> None:
        import numpy as np

        self.opened, self.store, self.size = opened, opened.store, size
        self.games = np.flatnonzero(self.store.column("sizes") == size)
        self.is_small = len(self.games) < SMALL_STORE_GAMES
        self.min_count = 1 if self.is_small else 5

    @cached_property
    def fuseki(self) -> tuple[NDArray[np.int64], MoveTree]:
        """The games that the examples in the tree refer to, and the tree of openings."""
        from kibitz.games.go.patterns.openings import fuseki_tree

        return fuseki_tree(self.store, self.games, FUSEKI_MOVES, self.size, self.min_count)

    @cached_property
    def joseki(self) -> Joseki:
        """The tree of joseki."""
        from kibitz.games.go.patterns.openings import find_joseki

        return find_joseki(self.store, self.games, JOSEKI_MOVES, self.min_count, self.size)

    @cached_property
    def styles(self) -> Styles:
        """The styles of the players."""
        from kibitz.games.go.patterns.studies.styles import player_styles

        limits = {"min_games": 5, "min_seen": 10, "min_chosen": 3} if self.is_small else {}
        return player_styles(self.store, self.size, **limits)


def fuseki_node(study: OpeningStudy, line: Sequence[int]) -> JsonObject:
    """Return the node of the opening tree after a line of moves, as JSON. Raise BadOption if the line is unknown."""
    from kibitz.games.go.patterns.openings import formation_names, lean_of
    from kibitz.games.go.rules.text import point_text
    from kibitz.games.go.sgf.record import colour_of, point_of

    (games, tree), size = study.fuseki, study.size
    node = _find_node(tree, line)

    def move(code: int) -> JsonObject:
        point = point_of(code)
        return {"code": code, "colour": MARKS[colour_of(code)], "point": point, "name": point_text(size, point)}

    def stones(marks: str) -> tuple[frozenset[int], frozenset[int]]:
        black, white = (frozenset(at for at, mark in enumerate(marks) if mark == side) for side in "XO")
        return black, white

    moves = [move(code) for code in line]
    board = _board_after(size, moves)
    opening_names = formation_names(*stones(board), size)
    children = _children(tree, node, move, moves[0]["colour"] if moves else None)
    for each in children:
        after = stones(_board_after(size, [*moves, each]))
        each["names"] = [name for name in formation_names(*after, size) if name not in opening_names]
    return {
        **_node_json(tree, node, size, moves, children),
        **_region(board, size, size, "full"),
        "names": opening_names,
        "lean": lean_of(*stones(board), size) if moves else None,
        "game": int(games[tree.example[node]]) + 1 if len(games) else None,
    }


def joseki_node(study: OpeningStudy, line: Sequence[int]) -> JsonObject:
    """Return the joseki after a line of moves, as JSON; X moved first. Raise BadOption if the line is unknown."""
    joseki, size = study.joseki, study.size
    node = _find_node(joseki.tree, line)

    def move(code: int) -> JsonObject:
        second, point = joseki.move(code)
        return {"code": code, "colour": "XO"[second], "point": point, "name": joseki.text(code)}

    moves, last = [move(code) for code in line], "O"
    for each in moves:  # if a player moves twice in a row, the opponent played elsewhere in between
        each["tenuki"], last = each["colour"] == last, each["colour"]
    children = _children(joseki.tree, node, move, "X")
    for each in children:
        each["tenuki"] = each["colour"] == last
    return {
        **_node_json(joseki.tree, node, size, moves, children),
        **_region(_board_after(size, moves), size, joseki.reach, "corner"),
        "names": [],
        "lean": None,
        "game": joseki.game(node) if len(joseki.corners) else None,
    }


def _find_node(tree: MoveTree, line: Sequence[int]) -> int:
    """Return the node that a line leads to. Raise BadOption if the tree does not have it."""
    node = tree.find(list(line))
    if node < 0:
        raise BadOption("These moves were not played in this store, or too seldom to be listed: take one back.")
    return node


def _figures(tree: MoveTree, node: int) -> dict[str, int]:
    """Return the statistics of a node; "won" counts wins of the player who moved first."""
    names = ("count", "won", "decided", "first_year", "last_year")
    return {name: int(getattr(tree, name)[node]) for name in names}


def _node_json(tree: MoveTree, node: int, size: int, moves: list[JsonObject], children: list[JsonObject]) -> JsonObject:
    return {**_figures(tree, node), "line": moves, "children": children, "size": size}


def _region(board: str, size: int, side: int, anchor: str) -> JsonObject:
    """Return a board, the square region at its top right to show, and the explorer search for that region."""
    left = size - side
    rows = [board[start + left : start + size] for start in range(0, side * size, size)]
    return {
        "board": board,
        "region": {"top": 0, "left": left, "height": side, "width": side},
        "search": {"size": size, "top": 0, "left": left, "rows": rows, "anchor": anchor, "next": ""},
    }


def _children(tree: MoveTree, node: int, move: Callable[[int], JsonObject], opener: str | None) -> list[JsonObject]:
    """Return the moves that follow a node, with the statistics that the table of continuations shows."""
    listed = []
    for child in tree.children(node)[:MAX_CHILDREN]:
        move_json, figures = move(int(tree.move[child])), _figures(tree, child)
        won, decided = figures["won"], figures["decided"]
        if move_json["colour"] != (opener or move_json["colour"]):
            won = decided - won
        share = figures["count"] / max(int(tree.count[node]), 1)
        listed.append({**move_json, **figures, "share": share, "win_rate": won / decided if decided else None})
    return listed


def _board_after(size: int, moves: Sequence[JsonObject]) -> str:
    """Return the board after these moves, one character per point, as in MARKS."""
    board = Board.empty(size)
    for move in moves:
        board = board.place(move["point"], MARKS.index(move["colour"])).board
    return "".join(MARKS[code] for code in board.points)
