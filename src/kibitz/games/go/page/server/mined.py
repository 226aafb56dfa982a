"""Patterns mined from Go records, for the page: patterns, templates, openings, joseki, comparisons of players.

The stores are those of the explorer, with the same names. The games of masters, and small
numbers of dropped records, are mined on first use; a collection is mined with
kibitz go mine. The class MinedPatterns is plain and synchronous; the request
handlers below it run it on threads when it is the visitor's turn.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.page.server.explorer import COLLECTION, FOLDERS, MASTERS, OWN, Explorer, OpenStore, board_json
from kibitz.games.go.page.server.openings import OpeningStudy, fuseki_node, joseki_node
from kibitz.games.go.page.server.site import site_of
from kibitz.web.server.checks import Check, check_fields, text, whole_text
from kibitz.web.server.requests import address

if TYPE_CHECKING:
    from kibitz.games.go.patterns.listing import ListedPattern
    from kibitz.games.go.patterns.mining.mined import Kind, Mined

PATTERNS_PER_PAGE = 60  # and templates per page
MAX_LISTED_GAMES = 40
MAX_SEARCHED_WINDOWS = 400  # to list the games of a pattern, examine at most this many of its occurrences
MAX_SIMILAR_PLAYERS = 15  # and preferences of a player
MAX_GAMES_MINED_HERE = 5000  # the server itself mines stores with up to this many games
MAX_LIST_START = 3000  # list no patterns after this one; kibitz go patterns lists all
MAX_LINE_MOVES = 60
MAX_KEY, MIN_KEY = (1 << 63) - 1, -(1 << 63)  # limits of a pattern's key, a signed 64-bit integer
FIGURES = ("stones", "count", "won", "decided", "first_year", "last_year", "game", "place")


class MinedPatterns:
    """The patterns mined from an explorer's stores. Its methods may be called from any thread."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self._studies: dict[str, OpeningStudy] = {}
        self._mined_here: dict[str, OpenStore] = {}  # the stores mined by this server, in the version that was mined
        self._lock = threading.RLock()

    def overview(self, params: JsonObject) -> JsonObject:
        """Return all stores, and what has been mined from the requested one, by default the first."""
        from kibitz.games.go.patterns.listing import ORDERS
        from kibitz.games.go.patterns.mining.meaning import GROUPS, MEANINGS

        listed = self.explorer.overview()["stores"]
        stores = [{key: each[key] for key in ("name", "title", "games")} for each in listed]
        name: str = params["store"] or stores[0]["name"]
        about: JsonObject = {"kinds": [], "mined": 0, "size": 19, "how": None}
        try:
            with self._open(name) as mined:
                kinds = mined.kinds()
        except BadOption as error:
            about["how"] = str(error)
        else:
            about["mined"] = min(facts["games"] for facts in kinds.values())
            about["size"] = next(iter(kinds)).size
            about["kinds"] = [{"name": _kind_name(kind), **kind._asdict(), **facts} for kind, facts in kinds.items()]
        games = len(self.explorer.store(name).store)
        about["opponent"] = self.explorer.opponent(name)
        words = {"sorts": list(ORDERS), "meanings": MEANINGS, "groups": list(GROUPS)}
        return {"stores": stores, "store": name, "games": games, **about, **words, "board": board_json(about["size"])}

    def _open(self, name: str) -> Mined:
        """Open the tables mined from a store. Raise BadOption if nothing was mined, BadText if they are damaged."""
        from kibitz.games.go.patterns.mining.mined import Mined
        from kibitz.games.go.patterns.mining.mining import FIRST_USE_WAIT_SECONDS, mine
        from kibitz.games.go.records.tables import MINED

        store = self.explorer.store(name)
        folder, is_small = store.store.folder, len(store.store) <= MAX_GAMES_MINED_HERE
        try:
            with self._lock:
                if name in (MASTERS, OWN) and is_small and self._mined_here.get(name) is not store:
                    mine(store.store, wait_seconds=FIRST_USE_WAIT_SECONDS)
                    self._mined_here[name] = store
            if not (folder / MINED).exists():
                own = f" --store FOLDER with the folder {FOLDERS[OWN]} of kibitz's data folder"
                how = f"Run kibitz go mine{'' if name == COLLECTION else own}."
                raise BadOption(f"Nothing has been mined from these games yet. {how}")
            return Mined(folder)
        except KibitzError as error:  # hide the path of the store from visitors
            message = str(error).replace(f" in {folder}", "").replace(str(folder), "the store")
            raise type(error)(message) from None

    def _study(self, name: str) -> OpeningStudy:
        """Return the opening trees and styles of a store."""
        with self._open(name) as mined:
            size = next(iter(mined.kinds())).size
        store = self.explorer.store(name)
        with self._lock:
            study = self._studies.get(name)
            if study is None or study.opened is not store or study.size != size:
                study = self._studies[name] = OpeningStudy(store, size)
            return study

    # Patterns and templates

    def patterns(self, params: JsonObject) -> JsonObject:
        """Return a page of patterns of a kind. Raise BadOption if the kind was not mined."""
        from kibitz.games.go.patterns.listing import PatternFilter, list_patterns

        start = params["start"] or 0
        count, stones, limit = params["count"] or 1, params["stones"] or 0, start + PATTERNS_PER_PAGE + 1
        meaning, sort = params["meaning"] or "", params["sort"] or "count"
        wanted = PatternFilter(count, stones, meaning=meaning, sort=sort, limit=limit)
        with self._open(params["store"]) as mined:
            kind = _find_kind(mined, params["kind"])
            rows = list_patterns(self.explorer.store(params["store"]).store, mined, kind, wanted)[start:]
        page = [_pattern_json(each) for each in rows[:PATTERNS_PER_PAGE]]
        return {"patterns": page, "more": len(rows) > PATTERNS_PER_PAGE}

    def pattern(self, params: JsonObject) -> JsonObject:
        """Return a pattern, the first games that have it, and a search for it. Raise BadOption if it is unknown."""
        from kibitz.games.go.patterns.listing import occurrences

        store = self.explorer.store(params["store"])
        with self._open(params["store"]) as mined:
            kind = _find_kind(mined, params["kind"])
            pattern = _find_pattern(store, mined, kind, params["key"])
        search = search_for(pattern.rows, kind.size)
        answer = {**_pattern_json(pattern), "search": search, "source": kind.source}
        if kind.forms == 12:
            why = "With 12 forms it is not known which windows were counted as this pattern."
            return {**answer, "games": [], "all": False, "why": why}
        windows = occurrences(store.store, kind, pattern.key, min(MAX_SEARCHED_WINDOWS, pattern.count), pattern.game)
        places = dict[int, list[int]]()
        for game, place in windows:
            places.setdefault(game, []).append(place)
        listed = list(places)[:MAX_LISTED_GAMES]
        heads, games = store.heads(listed), list[JsonObject]()
        for game in listed:
            before = places[game][0] - 1 if kind.source == "moves" else len(store.store.moves_of(game - 1))
            games.append({"game": game, "move": before, "places": places[game], **heads[game]})
        complete = len(places) <= MAX_LISTED_GAMES and len(windows) == pattern.count
        return {**answer, "games": games, "all": complete, "why": None}

    def templates(self, params: JsonObject) -> JsonObject:
        """Return a page of templates, which are patterns with one open point, the most frequent first."""
        start, order = params["start"] or 0, "kind = ? ORDER BY count DESC, template LIMIT ? OFFSET ?"
        with self._open(params["store"]) as mined:
            number = mined.kind_number(_find_kind(mined, params["kind"]))
            rows = _templates(mined, order, number, PATTERNS_PER_PAGE + 1, start)
        page = [_template_json(row) for row in rows[:PATTERNS_PER_PAGE]]
        return {"templates": page, "more": len(rows) > PATTERNS_PER_PAGE}

    def template(self, params: JsonObject) -> JsonObject:
        """Return a template, the patterns that it covers, and a search for it. Raise BadOption if it is unknown."""
        store = self.explorer.store(params["store"])
        with self._open(params["store"]) as mined:
            rows = _templates(mined, "template = ?", params["template"])
            if not rows:
                raise BadOption(f"Unknown template {params['template']}.")
            kind = list(mined.kinds())[rows[0][1]]
            keys = mined.connection.execute(
                "SELECT key FROM template_patterns WHERE template = ? ORDER BY key", [params["template"]]
            ).fetchall()
            covered = [_find_pattern(store, mined, kind, key) for (key,) in keys]
        return {
            **_template_json(rows[0]),
            "kind": _kind_name(kind),
            "covers": [_pattern_json(each) for each in covered],
            "search": search_for(rows[0][2].split("/"), kind.size),
        }

    # Openings, joseki, players

    def fuseki(self, params: JsonObject) -> JsonObject:
        """Return a node of the opening tree. Raise BadOption if the line of moves is unknown."""
        return fuseki_node(self._study(params["store"]), params["line"] or [])

    def joseki(self, params: JsonObject) -> JsonObject:
        """Return a node of the joseki tree. Raise BadOption if the line of moves is unknown."""
        return joseki_node(self._study(params["store"]), params["line"] or [])

    def players(self, params: JsonObject) -> JsonObject:
        """Return the players most similar to a player, and the choices that differ most from those of others.

        If `with` names another player, compare with that player only. Raise BadOption for an unknown player.
        """
        from kibitz.games.go.patterns.studies.styles import shown_name

        study = self._study(params["store"])
        styles = study.styles
        player = shown_name(study.store, params["player"]) if params["player"] else styles.names[0]
        other = shown_name(study.store, params["with"]) if params["with"] else ""
        near = styles.similar(player, len(styles.names))
        preferences = styles.preferences(player, MAX_SIMILAR_PLAYERS, other)
        return {
            "players": [[name, int(games)] for name, games in zip(styles.names, styles.games, strict=True)],
            "player": player,
            "against": other,
            "few": study.is_small,
            "similarity": next((each.similarity for each in near if each.name == other), None),
            "similar": [each._asdict() for each in near[:MAX_SIMILAR_PLAYERS]],
            "preferences": [each._asdict() for each in preferences if abs(each.errors) > 0.5],
        }


def search_for(rows: Sequence[str], size: int) -> JsonObject:
    """Return the explorer search for a window: a rectangle of the board and its anchor.

    Cells beyond the edge of the board are left out, and the rectangle is placed at that edge.
    """
    middle = len(rows) // 2
    board_rows = [i for i, row in enumerate(rows) if row[middle] != "#"]
    board_columns = [i for i, sign in enumerate(rows[middle]) if sign != "#"]
    # cells outside the shape match anything; the point of the move is empty
    to_search = str.maketrans(" ?*", "**.")
    inside = [rows[i][board_columns[0] : board_columns[-1] + 1].translate(to_search) for i in board_rows]
    top, left = _first_line(board_rows, len(rows), size), _first_line(board_columns, len(rows), size)
    edges_crossed = (len(board_rows) < len(rows)) + (len(board_columns) < len(rows))
    anchor = "full" if len(rows) == size else ("anywhere", "side", "corner")[edges_crossed]
    mover = "X" if any("*" in row for row in rows) else ""
    return {"size": size, "top": top, "left": left, "rows": inside, "anchor": anchor, "next": mover}


def _first_line(on_board: list[int], side: int, size: int) -> int:
    """Return the first row or column of a rectangle: at the edge that its window crosses, else in the middle."""
    if on_board[0] > 0:
        return 0
    return size - len(on_board) if on_board[-1] < side - 1 else (size - len(on_board)) // 2


def _kind_name(kind: Kind) -> str:
    """Return the name that clients use for a kind of pattern."""
    return "-".join(map(str, kind))


def _find_kind(mined: Mined, name: str) -> Kind:
    """Return the kind with this name. Raise BadOption if it was not mined."""
    for kind in mined.kinds():
        if _kind_name(kind) == name:
            return kind
    raise BadOption("Patterns of this kind were not mined here: add them with kibitz go mine --shape.")


def _find_pattern(store: OpenStore, mined: Mined, kind: Kind, key: int) -> ListedPattern:
    """Return the pattern with this key. Raise BadOption if the key is unknown."""
    from kibitz.games.go.patterns.listing import PatternFilter, list_patterns

    rows = list_patterns(store.store, mined, kind, PatternFilter(keys=(key,), limit=1))
    if not rows:
        raise BadOption(f"Unknown pattern key {key}.")
    return rows[0]


def _pattern_json(pattern: ListedPattern) -> JsonObject:
    """Return a pattern as JSON. Its key is a string, because JavaScript numbers cannot hold 64-bit integers."""
    meanings = [[name, n / pattern.count] for name, n in list(pattern.meanings.items())[:3]]
    return {
        **{name: getattr(pattern, name) for name in (*FIGURES, "rows", "share", "win_rate")},
        "key": str(pattern.key),
        "meanings": meanings,
    }


def _templates(mined: Mined, condition: str, *values: int) -> list[tuple[int, int, str, int, int]]:
    """Query the table of templates; return its rows. Raise BadText if mining was stopped before it was made."""
    import duckdb

    select = "SELECT template, kind, rows, patterns, count FROM templates WHERE"
    try:
        return mined.connection.execute(f"{select} {condition}", list(values)).fetchall()
    except duckdb.CatalogException:
        raise BadText("Mining was stopped before the templates were made: continue it with kibitz go mine.") from None


def _template_json(row: tuple[int, int, str, int, int]) -> JsonObject:
    template, _, rows, patterns, count = row
    return {"template": template, "rows": rows.split("/"), "patterns": patterns, "count": count}


# Request handlers


def _parse_line(value: str) -> list[int]:
    """Parse the moves that lead to a node of a tree: whole numbers separated by commas. Raise ValueError if invalid."""
    parts = value.split(",") if value else []
    if len(parts) > MAX_LINE_MOVES:
        raise ValueError(f"at most {MAX_LINE_MOVES} moves")
    return [whole_text(1 << 14)(part) for part in parts]


_STORE: Mapping[str, Check] = {"store": text(20)}
_KIND: Mapping[str, Check] = {**_STORE, "kind": text(60)}
_START: Mapping[str, Check] = {"start": whole_text(MAX_LIST_START)}
_LIST: Mapping[str, Check] = {
    **_KIND,
    **_START,
    "sort": text(20),
    "meaning": text(20),
    "count": whole_text(1 << 31, 1),
    "stones": whole_text(1000),
}
_PLAYERS: Mapping[str, Check] = {**_STORE, "player": text(100), "with": text(100)}


def _route(
    path: str, work: Callable[[MinedPatterns, JsonObject], JsonObject], fields: Mapping[str, Check], *optional: str
) -> Route:
    """Return the route that calls a method with the checked fields of the query string."""

    async def answer(request: Request) -> Response:
        params = check_fields(dict(request.query_params), fields, set(optional), "The address")
        site = site_of(request)
        return JSONResponse(await site.search(address(request), work, site.patterns, params))

    endpoint: Callable[[Request], Awaitable[Response]] = answer
    return Route(f"/api/patterns{path}", endpoint)


ROUTES = (
    _route("", MinedPatterns.overview, _STORE, "store"),
    _route("/list", MinedPatterns.patterns, _LIST, *(set(_LIST) - set(_KIND))),
    _route("/one", MinedPatterns.pattern, {**_KIND, "key": whole_text(MAX_KEY, MIN_KEY)}),
    _route("/templates", MinedPatterns.templates, {**_KIND, **_START}, "start"),
    _route("/template", MinedPatterns.template, {**_STORE, "template": whole_text(1 << 31)}),
    _route("/fuseki", MinedPatterns.fuseki, {**_STORE, "line": _parse_line}, "line"),
    _route("/joseki", MinedPatterns.joseki, {**_STORE, "line": _parse_line}, "line"),
    _route("/players", MinedPatterns.players, _PLAYERS, "player", "with"),
)
