"""Records of Go on the page: which stores there are, patterns searched in them, games looked at, own records added.

Plain and synchronous; explorer_routes.py runs it on threads. A client names a store by
one of three words, never by a path: `collection` is what kibitz go import made in
the data folder, `own` what was dropped on the page, `demo` what comes with kibitz.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.rules.board import BLACK
from kibitz.games.go.rules.geometry import LARGEST, star_points
from kibitz.games.go.rules.text import LETTERS, MARKS, move_text

if TYPE_CHECKING:
    from kibitz.games.go.records.importing import ImportSummary
    from kibitz.games.go.records.search.search import Searcher, SearchResult
    from kibitz.games.go.records.store import GameStore

COLLECTION, OWN, DEMO = "collection", "own", "demo"
FOLDERS = {COLLECTION: "go", OWN: "go-own"}
"""Store -> its folder in the data folder."""
TITLES = {COLLECTION: "Your collection", OWN: "Dropped here", DEMO: "Demo games"}
LISTED = 50
"""So many occurrences are told at a time,"""
CONTINUATIONS = 60
"""and so many continuations."""
KEPT = 8
"""So many searches are remembered, for the rest of their occurrences."""
MOST_OWN = 200_000
"""Games in the store of what was dropped here."""
REPORTED = 20
"""So many records that could not be read are named."""
_HEAD = ("black", "white", "black_rank", "white_rank", "date", "event", "result", "komi", "handicap", "rules", "moves")


class Shelf:
    """One store, open for searching."""

    def __init__(self, store: GameStore) -> None:
        self.store, self.commits = store, store.manifest.commits

    @cached_property
    def searcher(self) -> Searcher:
        """Return what searches it, made when it is first asked for."""
        from kibitz.games.go.records.search.search import Searcher

        return Searcher(self.store)

    def heads(self, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return what the heads of some games say, by their numbers from 1."""
        from kibitz.games.go.records.tables import heads

        found = heads(self.store, sorted({*numbers}))
        return {number: {name: head[name] for name in _HEAD} for number, head in found.items()}

    def years(self) -> list[int] | None:
        """Return the first and the last year of a game with a date."""
        years = self.store.column("years")
        dated = years[years > 0]
        return [int(dated.min()), int(dated.max())] if len(dated) else None


@dataclass(frozen=True)
class Drawn:
    """A region of a board as somebody drew it."""

    size: int
    top: int
    left: int
    rows: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Return how many rows and columns it has."""
        return len(self.rows), len(self.rows[0])

    def check(self) -> None:
        """Raise BadText unless it lies on the board."""
        if not self.rows or not self.rows[0] or len({len(row) for row in self.rows}) > 1:
            raise BadText("A region has rows of the same length.")
        height, width = self.shape
        if self.top + height > self.size or self.left + width > self.size:
            raise BadText(f"The region of {height} by {width} points does not lie on a board of {self.size} lines.")

    def turned(self, image: int) -> tuple[int, int, int, int]:
        """Return top, left, height and width under a symmetry of the board, see records.changes.turn."""
        top, left, (height, width) = self.top, self.left, self.shape
        if image & 4:
            top, left, height, width = left, top, width, height
        if image & 1:
            top = self.size - height - top
        if image & 2:
            left = self.size - width - left
        return top, left, height, width

    def anchor(self) -> str:
        """Return where on the board it lies."""
        height, width = self.shape
        if height == width == self.size:
            return "full"
        if self._image("corner") is not None:
            return "corner"
        down = self.top == 0 or self.top + height == self.size
        across = self.left == 0 or self.left + width == self.size
        if not down and not across:
            return "centre"
        return "anywhere" if height == self.size or width == self.size else "side"

    def _image(self, anchor: str) -> int | None:
        """Return the symmetry that brings it where patterns have this anchor: a corner is the top right one."""
        if anchor in ("anywhere", "centre", "full"):
            return 0
        for image in range(8):
            top, left, _, width = self.turned(image)
            if top == 0 and (anchor == "side" or left + width == self.size):
                return image
        return None

    def oriented(self, anchor: str) -> tuple[list[str], list[list[int]]]:
        """Return the rows as a pattern with this anchor has them, and for each of its cells the point of the board.

        Raises BadOption if the region lies elsewhere.
        """
        import numpy as np

        from kibitz.games.go.records.changes import turn

        image = self._image(anchor)
        if image is None:
            raise BadOption(f"The region does not lie in a {anchor} of the board: draw it there, or search elsewhere.")
        height, width = self.shape
        rows = turn(np.array([list(row) for row in self.rows]), image)
        down, across = np.arange(height)[:, None] + self.top, np.arange(width)[None, :] + self.left
        points = turn(down * self.size + across, image)
        return ["".join(row) for row in rows.tolist()], points.tolist()


class Explorer:
    """The records of one server. Its methods may be called from any thread."""

    def __init__(self, folder: Path, is_open: bool) -> None:
        self.folder, self.is_open = folder, is_open
        self._shelves: dict[str, Shelf] = {}
        self._found: OrderedDict[str, tuple[Shelf, SearchResult]] = OrderedDict()
        self._lock = threading.RLock()

    # Stores

    def overview(self) -> dict[str, Any]:
        """Return which stores there are, and whether records may be dropped here."""
        told, trouble = [], None
        for name in (COLLECTION, OWN, DEMO):
            try:
                shelf = self._shelf(name)
            except (BadText, BadOption) as error:
                trouble = trouble or str(error)
                continue
            if shelf is not None and len(shelf.store):
                about = {"name": name, "title": TITLES[name], "games": len(shelf.store), "years": shelf.years()}
                told.append({**about, "sizes": _sizes(shelf.store)})
        return {"stores": told, "trouble": trouble, "drop": self.is_open, **_FRAME}

    def shelf(self, name: str) -> Shelf:
        """Return an open store. Raises BadOption if there is none of this name."""
        found = self._shelf(name) if name in TITLES else None
        if found is None:
            raise BadOption("There is no such store of records here.")
        return found

    def _shelf(self, name: str) -> Shelf | None:
        """Return a store as it is now, or None if it is not there. Raises BadText if it cannot be read."""
        from kibitz.games.go.records.demo import demo_store
        from kibitz.games.go.records.store import MANIFEST, GameStore, read_manifest

        with self._lock:
            known = self._shelves.get(name)
            if name == DEMO:
                if known is None:
                    known = self._shelves[name] = Shelf(demo_store())
                return known
            folder = self.folder / FOLDERS[name]
            if not (folder / MANIFEST).exists():
                return None
            if known is None or known.commits != read_manifest(folder).commits:
                known = self._shelves[name] = Shelf(GameStore(folder))
            return known

    # Searching

    def search(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a search finds, see explorer_routes. Raises BadText or BadOption."""
        from kibitz.games.go.records.filters import Filters
        from kibitz.games.go.records.search.pattern import parse
        from kibitz.games.go.records.search.search import LAST_MOVE, Query

        shelf = self.shelf(asked["store"])
        drawn = Drawn(asked["size"], asked["top"], asked["left"], tuple(asked["rows"]))
        drawn.check()
        anchor = asked["anchor"] or drawn.anchor()
        rows, points = drawn.oriented(anchor)
        given = {key: value for key, value in (asked["filters"] or {}).items() if value not in (None, "")}
        high = LAST_MOVE if asked["high"] is None else asked["high"]
        query = Query(
            parse(rows, anchor, _cells(asked["sequence"] or (), points)),
            bool(asked["fixed"]),
            asked["next"] or "",
            asked["low"] or 0,
            high,
            Filters(size=drawn.size, **given),
        )
        found = shelf.searcher.search(query)
        _newest_first(found, shelf.searcher)
        return {
            "id": self._keep(shelf, found),
            "anchor": anchor,
            "games": found.games,
            "hits": found.hits,
            "searched": found.searched,
            "seconds": round(found.seconds, 4),
            "continuations": _continuations(found, points, drawn.size),
            "others": max(0, len(found.continuations) - CONTINUATIONS),
            "timeline": [[year, *counts] for year, counts in found.timeline.items() if year],
            "occurrences": _occurrences(shelf, found, 0),
        }

    def _keep(self, shelf: Shelf, found: SearchResult) -> str:
        with self._lock:
            name = secrets.token_urlsafe(9)
            self._found[name] = (shelf, found)
            while len(self._found) > KEPT:
                self._found.popitem(last=False)
            return name

    def more(self, name: str, start: int) -> dict[str, Any]:
        """Return more occurrences of a search. Raises BadOption if it is forgotten."""
        with self._lock:
            shelf, found = self._found.get(name, (None, None))
        if shelf is None or found is None:
            raise BadOption("This search is forgotten by now: please search again.")
        return {"occurrences": _occurrences(shelf, found, start)}

    # Games

    def game(self, name: str, number: int) -> dict[str, Any]:
        """Return a game of a store: its head, and what each move changes on the board. Raises BadOption."""
        from kibitz.games.go.records.layout import TAKEN
        from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

        shelf = self.shelf(name)
        changes = shelf.store.changes_of(number - 1)
        size = int(shelf.store.column("sizes")[number - 1])
        start, moves = list[list[Any]](), list[dict[str, Any]]()
        for change in changes.tolist():
            point, colour = change & PASS, change >> POINT_BITS & 3
            if not change & (SETUP | TAKEN):
                passed = point == PASS
                moves.append(
                    {
                        "player": int(colour != BLACK),
                        "point": None if passed else point,
                        "name": move_text(size, size * size if passed else point),
                        "changes": [] if passed else [[point, MARKS[colour]]],
                    }
                )
            else:
                (moves[-1]["changes"] if moves else start).append([point, MARKS[colour]])
        head = shelf.heads([number]).get(number, {})
        return {"store": name, "number": number, **board_of(size), **head, "start": start, "moves": moves}

    # Records of one's own

    def add(self, file: Path) -> dict[str, Any]:
        """Add the records of a file to the own store and return what became of them. Raises KibitzError."""
        from kibitz.games.go.records.importing import import_records

        shelf = self._shelf(OWN)
        if shelf is not None and len(shelf.store) >= MOST_OWN:
            raise BadOption(f"There are {len(shelf.store):,} games here already: import more with kibitz go import.")
        return _told(import_records([file], self.folder / FOLDERS[OWN]), str(file))


def board_of(size: int) -> dict[str, Any]:
    """Return what is drawn of an empty board."""
    sides = {"across": list(LETTERS[:size]), "down": [str(size - row) for row in range(size)]}
    return {"size": size, "stars": sorted(star_points(size)), "sides": sides}


_FRAME = {"folder": FOLDERS[COLLECTION], "boards": [board_of(size + 1) for size in range(LARGEST)]}


def _sizes(store: GameStore) -> list[int]:
    """Return the sizes of board in a store, the one of most games first."""
    import numpy as np

    sizes, counts = np.unique(store.column("sizes"), return_counts=True)
    return [int(sizes[at]) for at in np.argsort(-counts, kind="stable")]


def _newest_first(found: SearchResult, searcher: Searcher) -> None:
    """Put the occurrences of late years before those of early ones."""
    import numpy as np

    order = np.argsort(-searcher.years[found.arrays[0]].astype(np.int32), kind="stable")
    game, move, guise, place = (column[order] for column in found.arrays)
    found.arrays = (game, move, guise, place)


def _cells(sequence: Sequence[int], points: list[list[int]]) -> list[tuple[int, int]]:
    """Return the cells of a pattern that points of the board lie in. Raises BadText if one is outside."""
    where = {point: (row, col) for row, line in enumerate(points) for col, point in enumerate(line)}
    if any(point not in where for point in sequence):
        raise BadText("A move of the sequence lies outside the region.")
    return [where[point] for point in sequence]


def _continuations(found: SearchResult, points: list[list[int]], size: int) -> list[dict[str, Any]]:
    """Return how the games went on, on the board as it was drawn, and which of its stones are taken off then."""
    pattern, told = found.query.pattern, []
    for each in found.continuations[:CONTINUATIONS]:
        point = points[each.row][each.col]
        told.append(
            {
                "point": point,
                "name": move_text(size, point),
                "colour": each.colour,
                "count": each.count,
                "share": round(each.share, 4),
                "win_rate": None if each.win_rate is None else round(each.win_rate, 4),
                "decided": each.decided,
                "at_once": each.at_once,
                "taken": [points[row][col] for row, col in pattern.taken(each.row, each.col, each.colour, size)],
            }
        )
    return told


def _occurrences(shelf: Shelf, found: SearchResult, start: int) -> list[dict[str, Any]]:
    """Return some occurrences with the heads of their games, and where on the board they are."""
    some = found.occurrences(start, LISTED)
    heads = shelf.heads([each.game for each in some])
    height, width = found.query.pattern.height, found.query.pattern.width
    told = []
    for each in some:
        shape = [width, height] if each.orientation & 4 else [height, width]
        told.append({"game": each.game, "move": each.move, "at": [each.row, each.col, *shape], **heads[each.game]})
    return told


def _told(summary: ImportSummary, path: str) -> dict[str, Any]:
    """Return what an import did, without the folders of this machine."""
    problems = [f"{name.replace(path, 'the file')}: {reason}" for name, reason in summary.reports[:REPORTED]]
    counts = {"imported": summary.imported, "duplicates": summary.duplicates, "skipped": summary.skipped}
    return {**counts, "problems": problems}
