"""The explorer of Go records: stores, pattern searches, games to view, and records dropped on the page.

A client names a store by one of three words, never by a path: `collection` is the
store that kibitz go import made in the data folder, `own` holds the records dropped
on the page, `masters` comes with kibitz. The class Explorer is plain and synchronous;
the request handlers below it run it on threads when it is the visitor's turn.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.core.errors import BadOption, BadText
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.page.server.site import site_of
from kibitz.games.go.rules import BLACK, LETTERS, MARKS, MAX_BOARD_SIZE, move_text, star_points
from kibitz.web.bots import PREFIX
from kibitz.web.extend import Opponent
from kibitz.web.server import checks
from kibitz.web.server.requests import body, read_offset, run_or_404, visitor

if TYPE_CHECKING:
    from kibitz.games.go.records.search.search import Searcher, SearchResult
    from kibitz.games.go.records.store import GameStore

COLLECTION, OWN, MASTERS = "collection", "own", "masters"
FOLDERS = {COLLECTION: "go", OWN: "go-own"}  # store -> its folder in the data folder
TITLES = {COLLECTION: "Your collection", OWN: "Games dropped here", MASTERS: "Games of masters"}
_ABOUT_OPPONENT = "Plays what was played most often in the patterns of these games. Its note shows the pattern."
OCCURRENCES_PER_PAGE = 50
MAX_CONTINUATIONS = 60
MAX_REMEMBERED_SEARCHES = 8  # keep this many recent searches of all visitors, to serve more pages of their occurrences
MAX_OWN_GAMES = 200_000  # refuse dropped records once the store `own` has this many games
MAX_REPORTED_PROBLEMS = 20
ANSWER_SECONDS = 0.25  # answer with what was found in this time; the page asks for the rest
MAX_MOVE_NUMBER = 2000
MAX_SEQUENCE_MOVES = 40
MAX_DROPPED_BYTES = 32 << 20
_HEAD = ("black", "white", "black_rank", "white_rank", "date", "event", "result", "komi", "handicap", "rules", "moves")


class OpenStore:
    """A store, open for searching."""

    def __init__(self, store: GameStore) -> None:
        self.store, self.commits = store, store.manifest.commits

    @cached_property
    def searcher(self) -> Searcher:
        """The pattern searcher of the store, created on first use."""
        from kibitz.games.go.records.search.search import Searcher

        return Searcher(self.store)

    def heads(self, numbers: Sequence[int]) -> dict[int, JsonObject]:
        """Return the headers (players, date, result, ...) of games, keyed by game number, from 1."""
        from kibitz.games.go.records.tables import heads_of

        rows = heads_of(self.store, sorted({*numbers}))
        return {number: {name: head[name] for name in _HEAD} for number, head in rows.items()}

    def overview(self, name: str) -> JsonObject:
        """Return name, title, number of games, first and last year, and board sizes, the most frequent first."""
        import numpy as np

        years = self.store.column("years")
        dated = years[years > 0]
        sizes, counts = np.unique(self.store.column("sizes"), return_counts=True)
        return {
            "name": name,
            "title": TITLES[name],
            "games": len(self.store),
            "years": [int(dated.min()), int(dated.max())] if len(dated) else None,
            "sizes": [int(sizes[at]) for at in np.argsort(-counts, kind="stable")],
        }


@dataclass(frozen=True)
class DrawnRegion:
    """A rectangle of the board as a visitor drew it. The constructor raises BadText unless it fits on the board."""

    size: int
    top: int
    left: int
    rows: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0] or len({len(row) for row in self.rows}) > 1:
            raise BadText("The rows of a region must have the same length, at least one point.")
        height, width = self.shape
        if self.top + height > self.size or self.left + width > self.size:
            raise BadText(f"The region of {height} by {width} points does not lie on a board of {self.size} lines.")

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of columns."""
        return len(self.rows), len(self.rows[0])

    def anchor(self) -> str:
        """Return where the region lies: full, corner, side, centre, or anywhere if it reaches from side to side."""
        height, width = self.shape
        if height == width == self.size:
            return "full"
        if self._symmetry_to("corner") is not None:
            return "corner"
        down = self.top == 0 or self.top + height == self.size
        across = self.left == 0 or self.left + width == self.size
        if not down and not across:
            return "centre"
        return "anywhere" if height == self.size or width == self.size else "side"

    def _symmetry_to(self, anchor: str) -> int | None:
        """Return a symmetry that moves the region to the top right corner (anchor corner) or top side, or None."""
        import numpy as np

        from kibitz.games.go.records.changes import turn

        if anchor in ("anywhere", "centre", "full"):
            return 0
        is_inside, (height, width) = np.zeros((self.size, self.size), bool), self.shape
        is_inside[self.top : self.top + height, self.left : self.left + width] = True
        boards = [turn(is_inside, image) for image in range(8)]
        fitting = [i for i, board in enumerate(boards) if board[0].any() and (anchor == "side" or board[:, -1].any())]
        return fitting[0] if fitting else None

    def oriented(self, anchor: str) -> tuple[list[str], list[list[int]]]:
        """Return the rows of the region, turned to fit this anchor, and the board point of each cell in those rows.

        Raise BadOption if the region cannot have this anchor.
        """
        import numpy as np

        from kibitz.games.go.records.changes import turn

        image = self._symmetry_to(anchor)
        if image is None:
            raise BadOption(f"The region does not lie in a {anchor} of the board: draw it there, or search anywhere.")
        height, width = self.shape
        rows = turn(np.array([list(row) for row in self.rows]), image)
        down, across = np.arange(height)[:, None] + self.top, np.arange(width)[None, :] + self.left
        points = turn(down * self.size + across, image)
        return ["".join(row) for row in rows.tolist()], points.tolist()


class RunningSearch:
    """A search, continued for a moment each time the page asks for more of it."""

    def __init__(self, store: OpenStore, results: Iterator[SearchResult], anchor: str, points: list[list[int]]) -> None:
        """Prepare a search. points: the point of the board, as drawn, at each cell of the pattern."""
        self.store, self.anchor, self.points = store, anchor, points
        self._results, self._lock = results, threading.Lock()
        self._found: SearchResult | None = None

    def go_on(self) -> JsonObject:
        """Search for up to ANSWER_SECONDS, or to the end; return what was found so far."""
        with self._lock:
            ends = time.monotonic() + ANSWER_SECONDS
            while (result := next(self._results, None)) is not None:
                self._found = result
                if time.monotonic() >= ends:
                    break
            result = self._found
            assert result is not None, "a search yields at least one result"
            _sort_newest_first(result, self.store.searcher)
        return {
            "anchor": self.anchor,
            "games": result.games,
            "hits": result.hits,
            "searched": result.searched,
            "share_done": round(result.share_done, 4),
            "seconds": round(result.seconds, 4),
            "continuations": _continuations(result, self.points, result.query.filters.size),
            "others": max(0, len(result.continuations) - MAX_CONTINUATIONS),
            "timeline": [[year, *counts] for year, counts in result.timeline.items() if year],
            "occurrences": _occurrences(self.store, result, 0),
        }

    def occurrences(self, start: int) -> list[JsonObject]:
        """Return a page of the occurrences found so far, from `start` on."""
        assert self._found is not None
        return _occurrences(self.store, self._found, start)


class Explorer:
    """The records of one server. Its methods may be called from any thread."""

    def __init__(self, folder: Path, is_open: bool) -> None:
        self.folder, self.is_open = folder, is_open
        self._stores: dict[str, OpenStore] = {}
        self._searches: OrderedDict[str, RunningSearch] = OrderedDict()
        self._lock = threading.RLock()

    # Stores

    def overview(self) -> JsonObject:
        """Return the stores that have games, whether records may be dropped here, and the boards to draw."""
        stores, trouble = [], None
        for name in TITLES:
            try:
                store = self._store(name)
            except (BadText, BadOption) as error:
                trouble = trouble or str(error)
                continue
            if store is not None and len(store.store):
                stores.append({**store.overview(name), "opponent": self.opponent(name)})
        boards = [board_json(size) for size in range(1, MAX_BOARD_SIZE + 1)]
        folder = FOLDERS[COLLECTION]
        return {"stores": stores, "trouble": trouble, "drop": self.is_open, "folder": folder, "boards": boards}

    def store(self, name: str) -> OpenStore:
        """Return an open store. Raise BadOption if there is no such store, BadText if it cannot be read."""
        store = self._store(name) if name in TITLES else None
        if store is None:
            raise BadOption(f"There is no store {name[:40]!r} of records here.")
        return store

    def _folder(self, name: str) -> Path:
        """Return the folder of a store, which need not exist."""
        from kibitz.games.go.records.masters import masters_folder

        return masters_folder() if name == MASTERS else self.folder / FOLDERS[name]

    def opponent(self, name: str) -> str | None:
        """Return the spec that visitors use to play against the patterns of a store; None if nothing was mined."""
        from kibitz.games.go.records.tables import MINED

        return f"{PREFIX}{TITLES[name]}" if (self._folder(name) / MINED).exists() else None

    def opponents(self) -> dict[str, Opponent]:
        """Return the players that choose by the patterns of stores, by the titles of the stores."""
        return {
            title: Opponent(f'pattern(store="{self._folder(name).absolute()}")', _ABOUT_OPPONENT)
            for name, title in TITLES.items()
            if self.opponent(name)
        }

    def _store(self, name: str) -> OpenStore | None:
        """Return the current version of a store, or None if it does not exist. Raise BadText if it cannot be read."""
        from kibitz.games.go.records.masters import masters_store
        from kibitz.games.go.records.store import MANIFEST, GameStore, read_manifest

        with self._lock:
            known = self._stores.get(name)
            if name == MASTERS:
                if known is None:
                    known = self._stores[name] = OpenStore(masters_store())
                return known
            folder = self._folder(name)
            if not (folder / MANIFEST).exists():
                return None
            if known is None or known.commits != read_manifest(folder).commits:
                known = self._stores[name] = OpenStore(GameStore(folder))
            return known

    # Searching

    def search(self, params: JsonObject) -> JsonObject:
        """Start a search, given the fields of _SEARCH; return what it finds in a moment. Raise BadText or BadOption."""
        from kibitz.games.go.records.filters import Filters
        from kibitz.games.go.records.search.pattern import parse
        from kibitz.games.go.records.search.search import LAST_MOVE, Query

        store = self.store(params["store"])
        region = DrawnRegion(params["size"], params["top"], params["left"], tuple(params["rows"]))
        anchor = params["anchor"] or region.anchor()
        rows, points = region.oriented(anchor)
        filters = {key: value for key, value in (params["filters"] or {}).items() if value not in (None, "")}
        query = Query(
            parse(rows, anchor, _pattern_cells(params["sequence"] or (), points)),
            bool(params["fixed"]),
            params["next"] or "",
            params["low"] or 0,
            LAST_MOVE if params["high"] is None else params["high"],
            Filters(size=region.size, **filters),
        )
        search = RunningSearch(store, store.searcher.stream(query), anchor, points)
        with self._lock:
            name = secrets.token_urlsafe(9)
            self._searches[name] = search
            while len(self._searches) > MAX_REMEMBERED_SEARCHES:
                self._searches.popitem(last=False)
        return {"id": name, **search.go_on()}

    def go_on(self, name: str) -> JsonObject:
        """Continue a search that is not done; return what it has found by now. Raise BadOption if it has expired."""
        return {"id": name, **self._search_of(name).go_on()}

    def _search_of(self, name: str) -> RunningSearch:
        with self._lock:
            if name not in self._searches:
                raise BadOption("This search has expired: please search again.")
            return self._searches[name]

    def more(self, name: str, start: int) -> JsonObject:
        """Return a page of an earlier search's occurrences, from `start` on. Raise BadOption if it has expired."""
        return {"occurrences": self._search_of(name).occurrences(start)}

    # Games

    def game(self, name: str, number: int) -> JsonObject:
        """Return a game: its header, and the board changes of each move. Raise BadOption if there is no such game."""
        from kibitz.games.go.records.layout import TAKEN
        from kibitz.games.go.sgf.record import colour_of, is_pass, is_setup, point_of

        store = self.store(name)
        changes = store.store.changes_of(number - 1)
        size = int(store.store.column("sizes")[number - 1])
        start, moves = list[list[int | str]](), list[JsonObject]()
        for change in changes.tolist():
            point, mark = point_of(change), MARKS[colour_of(change)]
            if is_setup(change) or change & TAKEN:
                (moves[-1]["changes"] if moves else start).append([point, mark])
                continue
            has_passed = is_pass(change)
            moves.append(
                {
                    "player": int(colour_of(change) != BLACK),
                    "point": None if has_passed else point,
                    "name": move_text(size, size * size if has_passed else point),
                    "changes": [] if has_passed else [[point, mark]],
                }
            )
        header = store.heads([number]).get(number, {})
        return {"store": name, "number": number, **board_json(size), **header, "start": start, "moves": moves}

    # Dropped records

    def add(self, file: Path) -> JsonObject:
        """Import the records of a file into the store `own`; return a summary. Raise BadOption if the store is full."""
        from kibitz.games.go.records.importing import import_records

        store = self._store(OWN)
        if store is not None and len(store.store) >= MAX_OWN_GAMES:
            held = f"{len(store.store):,} games"
            raise BadOption(f"{held} were added to this page already: import more with kibitz go import.")
        summary = import_records([file], self.folder / FOLDERS[OWN])
        reports = summary.reports[:MAX_REPORTED_PROBLEMS]
        return {
            "imported": summary.imported,
            "duplicates": summary.duplicates,
            "skipped": summary.skipped,
            "problems": [f"{name.replace(str(file), 'the file')}: {reason}" for name, reason in reports],
        }


def board_json(size: int) -> JsonObject:
    """Return the size, star points and coordinate labels of a board."""
    sides = {"across": list(LETTERS[:size]), "down": [str(size - row) for row in range(size)]}
    return {"size": size, "stars": sorted(star_points(size)), "sides": sides}


def _sort_newest_first(result: SearchResult, searcher: Searcher) -> None:
    """Sort the occurrences of a search by the year of their games, newest first."""
    import numpy as np

    order = np.argsort(-searcher.years[result.arrays[0]], kind="stable")
    result.arrays = tuple(column[order] for column in result.arrays)


def _pattern_cells(sequence: Sequence[int], points: list[list[int]]) -> list[tuple[int, int]]:
    """Return the (row, column) in a pattern of each board point. Raise BadText if a point is outside the pattern."""
    cells = {point: (row, col) for row, line in enumerate(points) for col, point in enumerate(line)}
    if any(point not in cells for point in sequence):
        raise BadText("A move of the sequence lies outside the region: enlarge the region.")
    return [cells[point] for point in sequence]


def _continuations(result: SearchResult, points: list[list[int]], size: int) -> list[JsonObject]:
    """Return the most frequent next moves, placed on the board as drawn, with the stones that each captures."""
    pattern = result.query.pattern
    return [
        {
            "point": points[each.row][each.col],
            "name": move_text(size, points[each.row][each.col]),
            "colour": each.colour,
            "count": each.count,
            "share": round(each.share, 4),
            "win_rate": None if each.win_rate is None else round(each.win_rate, 4),
            "decided": each.decided,
            "at_once": each.at_once,
            "taken": [points[row][col] for row, col in pattern.captured_by(each.row, each.col, each.colour, size)],
        }
        for each in result.continuations[:MAX_CONTINUATIONS]
    ]


def _occurrences(store: OpenStore, result: SearchResult, start: int) -> list[JsonObject]:
    """Return a page of occurrences, with the headers of their games and where they are on the board."""
    page = result.occurrences(start, OCCURRENCES_PER_PAGE)
    heads = store.heads([each.game for each in page])
    height, width = result.query.pattern.height, result.query.pattern.width
    listed = []
    for each in page:
        shape = [width, height] if each.orientation & 4 else [height, width]
        listed.append({"game": each.game, "move": each.move, "at": [each.row, each.col, *shape], **heads[each.game]})
    return listed


# Request handlers


_FILTERS: Mapping[str, checks.Check] = {
    **dict.fromkeys(("player", "black", "white", "event"), checks.text(100)),
    **dict.fromkeys(("since", "until"), checks.text(20)),
    **dict.fromkeys(("result", "rank"), checks.text(10)),
    "handicap": checks.or_none(checks.whole(99)),
}


def _check_filters(value: object) -> JsonObject:
    """Check that a value is an object of search filters, all optional; return it. Raise BadText if a field is wrong."""
    return checks.check_fields(checks.mapping(value), _FILTERS, set(_FILTERS), "The filter")


_REQUIRED: Mapping[str, checks.Check] = {
    "store": checks.text(20),
    "size": checks.whole(MAX_BOARD_SIZE, 1),
    "top": checks.whole(MAX_BOARD_SIZE),
    "left": checks.whole(MAX_BOARD_SIZE),
    "rows": checks.list_of(checks.text(MAX_BOARD_SIZE), "rows", MAX_BOARD_SIZE, 1),
}
_OPTIONAL: Mapping[str, checks.Check] = {
    "sequence": checks.or_none(checks.list_of(checks.whole(MAX_BOARD_SIZE**2), "points", MAX_SEQUENCE_MOVES)),
    "anchor": checks.or_none(checks.one_of("corner", "side", "centre", "full", "anywhere")),
    "fixed": checks.or_none(checks.flag),
    "next": checks.or_none(checks.one_of("", "X", "O")),
    "low": checks.or_none(checks.whole(MAX_MOVE_NUMBER)),
    "high": checks.or_none(checks.whole(MAX_MOVE_NUMBER)),
    "filters": checks.or_none(_check_filters),
    "tab": checks.or_none(checks.text(40)),
}
_SEARCH = {**_REQUIRED, **_OPTIONAL}


async def _get_overview(request: Request) -> Response:
    site = site_of(request)
    return JSONResponse(await site.search(visitor(request, ""), site.explorer.overview))


async def _post_search(request: Request) -> Response:
    params, site = checks.read_body(await body(request), _SEARCH, set(_OPTIONAL)), site_of(request)
    client = visitor(request, params["tab"] or "")
    return JSONResponse(await site.search_latest(client, lambda: site.explorer.search(params)))


async def _post_go_on(request: Request) -> Response:
    site, name = site_of(request), request.path_params["id"]
    return JSONResponse(await site.search(visitor(request, ""), site.explorer.go_on, name))


async def _get_more(request: Request) -> Response:
    start, explorer = read_offset(request, "start", "occurrences"), site_of(request).explorer
    return JSONResponse(await asyncio.to_thread(explorer.more, request.path_params["id"], start))


async def _get_game(request: Request) -> Response:
    store, number = request.path_params["store"], request.path_params["number"]
    return JSONResponse(await run_or_404(site_of(request).explorer.game, store, number))


async def _post_records(request: Request) -> Response:
    site = site_of(request)
    if not site.explorer.is_open:
        reason = "Records can be dropped only on a server that no other machine can reach."
        raise HTTPException(403, f"{reason} Import them with kibitz go import.")
    with tempfile.TemporaryDirectory(prefix="kibitz-") as folder:
        file = Path(folder) / "records.sgf"  # how it is read depends on its contents, not on this name
        await _receive(request, file)
        summary = await site.search(visitor(request, ""), site.explorer.add, file)
    return JSONResponse(summary, 201)


async def _receive(request: Request, file: Path) -> None:
    """Write the body of a request to a file. Raise HTTPException if it is too large."""
    size = 0
    with file.open("wb") as out:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MAX_DROPPED_BYTES:
                reason = f"The file is larger than {MAX_DROPPED_BYTES >> 20} MB, too large to be dropped here."
                raise HTTPException(413, f"{reason} Import it with kibitz go import.")
            out.write(chunk)


ROUTES = (
    Route("/api/explorer", _get_overview),
    Route("/api/explorer/search", _post_search, methods=["POST"]),
    Route("/api/explorer/found/{id}", _get_more),
    Route("/api/explorer/found/{id}", _post_go_on, methods=["POST"]),
    Route("/api/explorer/games/{store}/{number:int}", _get_game),
    Route("/api/explorer/drop", _post_records, methods=["POST"]),
)
