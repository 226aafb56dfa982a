"""What was mined from records of Go, on the page: patterns, templates, openings, joseki, players compared.

Plain and synchronous; patterns_routes.py runs it on threads. Stores are those of the
explorer, named as there. The demo games, and a few that were dropped on the page, are
mined when they are first asked for; a collection is mined with kibitz go mine.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.games.go.page.server.explorer import COLLECTION, DEMO, FOLDERS, OWN, Explorer, Shelf, board_of
from kibitz.games.go.page.server.openings import Kept, fuseki_node, joseki_node

if TYPE_CHECKING:
    from kibitz.games.go.patterns.listing import ListedPattern
    from kibitz.games.go.patterns.mining.mined import Kind, Mined

LISTED = 60
"""So many patterns or templates are told at a time,"""
GAMES = 40
"""so many games of a pattern,"""
WINDOWS = 400
"""of which the first so many windows are looked for,"""
SIMILAR = 15
"""and so many players, and choices of one."""
MINED_HERE = 5000
"""Games of a store that the page itself mines."""
FIGURES = ("stones", "count", "won", "decided", "first_year", "last_year", "game", "place")


class Patterns:
    """What was mined from the stores of an explorer. Its methods may be called from any thread."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self._kept: dict[str, Kept] = {}
        self._current: dict[str, Shelf] = {}
        """Stores that were brought up to date here."""
        self._lock = threading.RLock()

    def overview(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the stores, and what was mined from one of them: the first, if none is named."""
        from kibitz.games.go.patterns.listing import ORDERS
        from kibitz.games.go.patterns.mining.meaning import GROUPS, MEANINGS

        told = self.explorer.overview()
        stores = [{key: each[key] for key in ("name", "title", "games")} for each in told["stores"]]
        name: str = asked["store"] or stores[0]["name"]
        about: dict[str, Any] = {"kinds": [], "mined": 0, "size": 19, "how": None}
        try:
            with self._mined(name) as mined:
                kinds = mined.kinds()
        except BadOption as error:
            about["how"] = str(error)
        else:
            about["mined"] = min(facts["games"] for facts in kinds.values())
            about["size"] = next(iter(kinds)).size
            about["kinds"] = [{"name": _name(kind), **kind._asdict(), **facts} for kind, facts in kinds.items()]
        games = len(self.explorer.shelf(name).store)
        words = {"sorts": list(ORDERS), "meanings": MEANINGS, "groups": list(GROUPS)}
        return {"stores": stores, "store": name, "games": games, **about, **words, "board": board_of(about["size"])}

    def _mined(self, name: str) -> Mined:
        """Open what was mined from a store. Raises BadOption that says how to mine it, BadText if it is damaged."""
        from kibitz.games.go.patterns.mining.mined import Mined
        from kibitz.games.go.patterns.mining.mining import DEMO_WAIT_SECONDS, mine
        from kibitz.games.go.records.tables import MINED

        shelf = self.explorer.shelf(name)
        folder = shelf.store.folder
        try:
            with self._lock:
                if name in (DEMO, OWN) and len(shelf.store) <= MINED_HERE and self._current.get(name) is not shelf:
                    mine(shelf.store, wait_seconds=DEMO_WAIT_SECONDS)
                    self._current[name] = shelf
            if not (folder / MINED).exists():
                raise BadOption(f"Nothing was mined from these games yet. {_how(name)}")
            return Mined(folder)
        except KibitzError as error:
            raise type(error)(_without(folder, str(error))) from None

    def _keep(self, name: str) -> Kept:
        """Return what is worked out of a store."""
        with self._mined(name) as mined:
            size = next(iter(mined.kinds())).size
        shelf = self.explorer.shelf(name)
        with self._lock:
            kept = self._kept.get(name)
            if kept is None or kept.shelf is not shelf or kept.size != size:
                kept = self._kept[name] = Kept(shelf, size)
            return kept

    # Patterns and templates

    def patterns(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return patterns of a kind, those wished for. Raises BadOption."""
        from kibitz.games.go.patterns.listing import PatternFilter, list_patterns

        start = asked["start"] or 0
        wanted = PatternFilter(
            asked["count"] or 1, asked["stones"] or 0, meaning=asked["meaning"] or "", sort=asked["sort"] or "count",
            limit=start + LISTED + 1,
        )  # fmt: skip
        with self._mined(asked["store"]) as mined:
            kind = _kind(mined, asked["kind"])
            found = list_patterns(self.explorer.shelf(asked["store"]).store, mined, kind, wanted)[start:]
        return {"patterns": [_listed(each) for each in found[:LISTED]], "more": len(found) > LISTED}

    def pattern(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return one pattern, the first games that have it, and how to search for it. Raises BadOption."""
        from kibitz.games.go.patterns.listing import occurrences

        shelf = self.explorer.shelf(asked["store"])
        with self._mined(asked["store"]) as mined:
            kind = _kind(mined, asked["kind"])
            one = _one(shelf, mined, kind, asked["key"])
        told = {
            **_listed(one),
            "search": search_for(one.rows, kind.size),
            "source": kind.source,
            "games": [],
            "all": False,
            "why": None,
        }
        if kind.forms == 12:
            told["why"] = "With 12 forms it is not known which windows were counted as this pattern."
            return told
        found = occurrences(shelf.store, kind, one.key, min(WINDOWS, one.count), one.game)
        places = dict[int, list[int]]()
        for game, place in found:
            places.setdefault(game, []).append(place)
        heads = shelf.heads(list(places)[:GAMES])
        for game in list(places)[:GAMES]:
            before = places[game][0] - 1 if kind.source == "moves" else len(shelf.store.moves_of(game - 1))
            told["games"].append({"game": game, "move": before, "places": places[game], **heads[game]})
        told["all"] = len(places) <= GAMES and len(found) == one.count
        return told

    def templates(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return templates of a kind with one point that does not matter, those that cover most first."""
        start = asked["start"] or 0
        with self._mined(asked["store"]) as mined:
            number = mined.kind(_kind(mined, asked["kind"]))
            rows = _templates(
                mined, "kind = ? ORDER BY count DESC, template LIMIT ? OFFSET ?", number, LISTED + 1, start
            )
        told = [_template(row) for row in rows[:LISTED]]
        return {"templates": told, "more": len(rows) > LISTED}

    def template(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return a template with the patterns that it covers, and how to search for it. Raises BadOption."""
        shelf = self.explorer.shelf(asked["store"])
        with self._mined(asked["store"]) as mined:
            rows = _templates(mined, "template = ?", asked["template"])
            if not rows:
                raise BadOption("There is no such template here.")
            kind = list(mined.kinds())[rows[0][1]]
            keys = mined.connection.execute(
                "SELECT key FROM template_patterns WHERE template = ? ORDER BY key", [asked["template"]]
            ).fetchall()
            covered = [_one(shelf, mined, kind, key) for (key,) in keys]
        search = search_for(rows[0][2].split("/"), kind.size)
        return {
            **_template(rows[0]),
            "kind": _name(kind),
            "covers": [_listed(each) for each in covered],
            "search": search,
        }

    # Openings and joseki

    def fuseki(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return a node of the tree of openings. Raises BadOption."""
        return fuseki_node(self._keep(asked["store"]), asked["line"] or [])

    def joseki(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return a node of the tree of corners. Raises BadOption."""
        return joseki_node(self._keep(asked["store"]), asked["line"] or [])

    # Players

    def players(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return whom a player is similar to, and where all others, or one, choose otherwise. Raises BadOption."""
        from kibitz.games.go.patterns.studies.styles import known_as

        kept = self._keep(asked["store"])
        styles = kept.styles
        me = known_as(kept.store, asked["player"]) if asked["player"] else styles.names[0]
        other = known_as(kept.store, asked["with"]) if asked["with"] else ""
        near = styles.similar(me, len(styles.names))
        return {
            "players": [[who, int(games)] for who, games in zip(styles.names, styles.games, strict=True)],
            "player": me, "against": other, "few": kept.is_small,
            "similarity": next((one.similarity for one in near if one.name == other), None),
            "similar": [one._asdict() for one in near[:SIMILAR]],
            "preferences": [one._asdict() for one in styles.preferences(me, SIMILAR, other) if abs(one.errors) > 0.5],
        }  # fmt: skip


def search_for(rows: Sequence[str], size: int) -> dict[str, Any]:
    """Return what the explorer is asked to find a window: a rectangle of the board, and where it lies.

    What is beyond an edge is left out, and the rectangle put at that edge.
    """
    middle = len(rows) // 2
    down = [at for at, row in enumerate(rows) if row[middle] != "#"]
    across = [at for at, sign in enumerate(rows[middle]) if sign != "#"]
    kept = [rows[at][across[0] : across[-1] + 1].translate(str.maketrans(" ?*", "**.")) for at in down]
    top, left = _start(down, len(rows), size), _start(across, len(rows), size)
    cut = (len(down) < len(rows)) + (len(across) < len(rows))
    anchor = "full" if len(rows) == size else ("anywhere", "side", "corner")[cut]
    mover = "X" if any("*" in row for row in rows) else ""
    return {"size": size, "top": top, "left": left, "rows": kept, "anchor": anchor, "next": mover}


def _start(on_board: list[int], side: int, size: int) -> int:
    """Return the first line of a rectangle: at the edge that its window hangs over, or else in the middle."""
    if on_board[0] > 0:
        return 0
    return size - len(on_board) if on_board[-1] < side - 1 else (size - len(on_board)) // 2


def _how(name: str) -> str:
    if name == COLLECTION:
        return "kibitz go mine does it."
    return f"kibitz go mine --store FOLDER does it, with the folder {FOLDERS[OWN]} of the data of kibitz."


def _without(folder: Path, words: str) -> str:
    """Return words without the folder of this machine in them."""
    return words.replace(f" in {folder}", "").replace(str(folder), "the store")


def _name(kind: Kind) -> str:
    """Return the text by which a client names a kind."""
    return "-".join(map(str, kind))


def _kind(mined: Mined, name: str) -> Kind:
    """Return the kind of this name. Raises BadOption if it was not mined."""
    for kind in mined.kinds():
        if _name(kind) == name:
            return kind
    raise BadOption("Patterns of this kind were not mined here; kibitz go mine --shape adds some.")


def _one(shelf: Shelf, mined: Mined, kind: Kind, key: int) -> ListedPattern:
    """Return one pattern. Raises BadOption if there is none such."""
    from kibitz.games.go.patterns.listing import PatternFilter, list_patterns

    found = list_patterns(shelf.store, mined, kind, PatternFilter(keys=(key,), limit=1))
    if not found:
        raise BadOption("There is no such pattern here.")
    return found[0]


def _listed(one: ListedPattern) -> dict[str, Any]:
    """Return a pattern as it is told. The key is a text: JavaScript has no whole numbers that large."""
    figures = {name: getattr(one, name) for name in FIGURES}
    meanings = [[name, n / one.count] for name, n in list(one.meanings.items())[:3]]
    return {**figures, "key": str(one.key), "rows": one.rows, "share": one.share, "win_rate": one.win_rate,
            "meanings": meanings}  # fmt: skip


def _templates(mined: Mined, condition: str, *values: int) -> list[Any]:
    """Return rows of templates. Raises BadText if the tables were not finished."""
    import duckdb

    select = "SELECT template, kind, rows, patterns, count FROM templates WHERE"
    try:
        return mined.connection.execute(f"{select} {condition}", list(values)).fetchall()
    except duckdb.CatalogException:
        raise BadText("Mining was stopped before the templates were made; kibitz go mine goes on with it.") from None


def _template(row: Sequence[Any]) -> dict[str, Any]:
    return {"template": row[0], "rows": row[2].split("/"), "patterns": row[3], "count": row[4]}
