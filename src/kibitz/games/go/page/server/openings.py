"""Openings and joseki of a store as trees to go through: a node with the moves to it and those that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import BadOption
from kibitz.games.go.page.server.explorer import Shelf
from kibitz.games.go.rules.board import Board
from kibitz.games.go.rules.text import MARKS

if TYPE_CHECKING:
    from kibitz.games.go.patterns.openings.joseki import Joseki
    from kibitz.games.go.patterns.openings.trees import MoveTree
    from kibitz.games.go.patterns.studies.styles import Styles

CHILDREN = 60
"""So many moves that follow are told."""
FEW = 1000
"""In stores of fewer games even what was played once is told, and players of few games are compared."""
FUSEKI_MOVES, JOSEKI_MOVES = 16, 20


class Kept:
    """What is worked out of one store when it is first asked for."""

    def __init__(self, shelf: Shelf, size: int) -> None:
        import numpy as np

        self.shelf, self.store, self.size = shelf, shelf.store, size
        self.which = np.flatnonzero(self.store.column("sizes") == size)
        self.is_small = len(self.which) < FEW
        self.least = 1 if self.is_small else 5

    @cached_property
    def fuseki(self) -> tuple[Any, MoveTree]:
        """Return the tree of openings, and the games of its rows."""
        from kibitz.games.go.patterns.openings.fuseki import fuseki_tree

        return fuseki_tree(self.store, self.which, FUSEKI_MOVES, self.size, self.least)

    @cached_property
    def joseki(self) -> Joseki:
        """Return the tree of corners."""
        from kibitz.games.go.patterns.openings.joseki import joseki

        return joseki(self.store, self.which, JOSEKI_MOVES, self.least, self.size)

    @cached_property
    def styles(self) -> Styles:
        """Return what players choose."""
        from kibitz.games.go.patterns.studies.styles import styles

        limits = {"min_games": 5, "min_seen": 10, "min_chosen": 3} if self.is_small else {}
        return styles(self.store, self.size, **limits)


def fuseki_node(kept: Kept, line: Sequence[int]) -> dict[str, Any]:
    """Return a node of the tree of openings: the moves to it, and those that follow. Raises BadOption."""
    from kibitz.games.go.patterns.openings.fuseki import lean, names
    from kibitz.games.go.rules.text import point_text
    from kibitz.games.go.sgf.record import PASS, POINT_BITS

    games, tree = kept.fuseki
    node = _find(tree, line)

    def told(code: int) -> dict[str, Any]:
        point = code & PASS
        colour = MARKS[code >> POINT_BITS]
        return {"code": code, "colour": colour, "point": point, "name": point_text(kept.size, point)}

    def stones(marks: str) -> tuple[frozenset[int], frozenset[int]]:
        black, white = (frozenset(at for at, mark in enumerate(marks) if mark == side) for side in "XO")
        return black, white

    moves = [told(code) for code in line]
    board = _played(kept.size, moves)
    called = names(*stones(board), kept.size)
    follow = _following(tree, node, told, moves[0]["colour"] if moves else None)
    for each in follow:
        after = stones(_played(kept.size, [*moves, each]))
        each["names"] = [words for words in names(*after, kept.size) if words not in called]
    rows = [board[at : at + kept.size] for at in range(0, len(board), kept.size)]
    return {
        **_about(tree, node), "line": moves, "board": board, "names": called, "children": follow,
        "lean": lean(*stones(board), kept.size) if moves else None,
        "game": int(games[tree.example[node]]) + 1 if len(games) else None, "size": kept.size,
        "region": {"top": 0, "left": 0, "height": kept.size, "width": kept.size},
        "search": {"size": kept.size, "top": 0, "left": 0, "rows": rows, "anchor": "full", "next": ""},
    }  # fmt: skip


def joseki_node(kept: Kept, line: Sequence[int]) -> dict[str, Any]:
    """Return a node of the tree of corners. Who played there first is X. Raises BadOption."""
    found, size = kept.joseki, kept.size
    node = _find(found.tree, line)

    def told(code: int) -> dict[str, Any]:
        second, point = found.move(code)
        return {"code": code, "colour": "XO"[second], "point": point, "name": found.text(code)}

    moves = [told(code) for code in line]
    for before, each in zip([None, *moves], moves, strict=False):
        each["tenuki"] = each["colour"] == ("O" if before is None else before["colour"])
    follow = _following(found.tree, node, told, "X")
    for each in follow:
        each["tenuki"] = each["colour"] == (moves[-1]["colour"] if moves else "O")
    board, reach = _played(size, moves), found.reach
    rows = [board[at + size - reach : at + size] for at in range(0, reach * size, size)]
    return {
        **_about(found.tree, node), "line": moves, "board": board, "children": follow, "names": [], "lean": None,
        "game": found.game(node) if len(found.games) else None, "size": size,
        "region": {"top": 0, "left": size - reach, "height": reach, "width": reach},
        "search": {"size": size, "top": 0, "left": size - reach, "rows": rows, "anchor": "corner", "next": ""},
    }  # fmt: skip


def _find(tree: MoveTree, line: Sequence[int]) -> int:
    """Return the node that a line leads to. Raises BadOption if no game has it."""
    node = tree.find(list(line))
    if node < 0:
        raise BadOption("These moves were not played here, or too seldom to be told.")
    return node


def _about(tree: MoveTree, node: int) -> dict[str, Any]:
    """Return the figures of a node; who moved first is who won."""
    names = ("count", "won", "decided", "first_year", "last_year")
    return {name: int(getattr(tree, name)[node]) for name in names}


def _following(tree: MoveTree, node: int, told: Any, first: str | None) -> list[dict[str, Any]]:
    """Return the moves that follow a node, as the table of continuations shows them."""
    found = []
    for child in tree.children(node)[:CHILDREN]:
        move, about = told(int(tree.move[child])), _about(tree, child)
        won = about["won"] if move["colour"] == (first or move["colour"]) else about["decided"] - about["won"]
        rate = won / about["decided"] if about["decided"] else None
        found.append({**move, **about, "share": about["count"] / max(int(tree.count[node]), 1), "win_rate": rate})
    return found


def _played(size: int, moves: Sequence[Mapping[str, Any]]) -> str:
    """Return the marks of all points after some moves on an empty board."""
    board = Board.empty(size)
    for move in moves:
        board = board.place(move["point"], MARKS.index(move["colour"])).board
    return "".join(MARKS[code] for code in board.points)
