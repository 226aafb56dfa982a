"""Choosing games of a store by player, date, result, rank, handicap and event."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields

import numpy as np

from kibitz.compiled.arrays import Int64Array
from kibitz.core.errors import BadOption
from kibitz.games.go.records.heads import name_key, parse_date, parse_rank
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import Connection, as_utf8, open_tables
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE

MAX_HANDICAP_STONES = 99
RESULTS = {"B": "winner = 'B'", "W": "winner = 'W'", "draw": "how = 'draw'", "none": "winner IS NULL"}


@dataclass(frozen=True)
class Filters:
    """What games must be like. An empty text or None accepts every game."""

    size: int = 19
    player: str = ""  # either player, under any spelling
    black: str = ""
    white: str = ""
    since: str = ""  # a date, or part of one: 1995, 1995-03, 1995-03-12
    until: str = ""
    result: str = ""  # a key of RESULTS
    rank: str = ""  # the lowest rank that both players may have: 1d, 9p
    handicap: int | None = None
    event: str = ""  # part of the event's name

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MAX_BOARD_SIZE:
            raise BadOption(f"A board has 1 to {MAX_BOARD_SIZE} lines, not {self.size}.")
        if self.result and self.result not in RESULTS:
            raise BadOption(f"The result must be one of {', '.join(RESULTS)}, not {self.result[:20]!r}.")
        for text in (self.since, self.until):
            if text and parse_date(text) is None:
                raise BadOption(f"{text[:40]!r} is not a date; write it as 1995, 1995-03 or 1995-03-12.")
        if self.handicap is not None and not 0 <= self.handicap <= MAX_HANDICAP_STONES:
            raise BadOption(f"The handicap must be 0 to {MAX_HANDICAP_STONES} stones, not {self.handicap}.")
        if self.rank and parse_rank(self.rank) is None:
            raise BadOption(f"{self.rank[:40]!r} is not a rank; write it as 3k, 5d or 9p.")

    def is_plain(self) -> bool:
        """Return whether every game of the size passes."""
        return all(getattr(self, f.name) == f.default for f in fields(self) if f.name != "size")

    def games(self, store: GameStore) -> Int64Array:
        """Return the numbers, from 0, of the games that pass, ascending. Raise BadOption for an unknown player."""
        with open_tables(store) as connection:
            conditions, values = ["size = ?"], list[object]([self.size])

            def add(condition: str, *more: object) -> None:
                conditions.append(condition)
                values.extend(more)

            if self.player:
                add("(black = ? OR white = ?)", *[find_player(connection, self.player)] * 2)
            if self.black:
                add("black = ?", find_player(connection, self.black))
            if self.white:
                add("white = ?", find_player(connection, self.white))
            if since := parse_date(self.since):
                date = since.year, since.month or 1, since.day or 1
                add("year IS NOT NULL AND (year, coalesce(month, 12), coalesce(day, 31)) >= (?, ?, ?)", *date)
            if until := parse_date(self.until):
                date = until.year, until.month or 12, until.day or 31
                add("year IS NOT NULL AND (year, coalesce(month, 1), coalesce(day, 1)) <= (?, ?, ?)", *date)
            if self.result:
                add(RESULTS[self.result])
            if self.rank:
                both = "black_strength IS NOT NULL AND white_strength IS NOT NULL"
                add(f"least(black_strength, white_strength) >= ? AND {both}", parse_rank(self.rank))
            if self.handicap is not None:
                add("handicap = ?", self.handicap)
            if self.event:
                add("contains(lower(event), lower(?))", as_utf8(self.event))
            rows = connection.execute(f"SELECT id - 1 FROM games WHERE {' AND '.join(conditions)} ORDER BY id", values)
            return np.array([row[0] for row in rows.fetchall()], np.int64)


def find_player(connection: Connection, text: str) -> str:
    """Return the name shown for a player, given any spelling. Raise BadOption, with similar names, if unknown."""
    known = connection.execute("SELECT spelling, player FROM spellings").fetchall()
    key = name_key(text)
    for spelling, player in known:
        if key in (name_key(spelling), name_key(player)):
            return str(player)
    names = sorted({player for _, player in known})
    near = (
        difflib.get_close_matches(text, names, 3, 0.6) or [name for name in names if text.lower() in name.lower()][:3]
    )
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    raise BadOption(f"No player in the store is called {text[:60]!r}.{hint}")
