"""Select games of a store by player, date, result, rank, handicap and event."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields

import numpy as np

from kibitz.compiled.arrays import Int64Array
from kibitz.core.errors import BadOption
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import Connection, as_utf8, open_tables
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE
from kibitz.games.go.sgf.heads import name_key, parse_date, parse_rank

MAX_HANDICAP_STONES = 99
RESULTS = {"B": "winner = 'B'", "W": "winner = 'W'", "draw": "how = 'draw'", "none": "winner IS NULL"}
"""Value of the field result -> the SQL condition on games."""

CONDITIONS = {
    "size": "size = $size",
    "player": "(black = $player OR white = $player)",
    "black": "black = $black",
    "white": "white = $white",
    "since": "10000 * year + 100 * coalesce(month, 12) + coalesce(day, 31) >= $since",
    "until": "10000 * year + 100 * coalesce(month, 1) + coalesce(day, 1) <= $until",
    "rank": "black_strength >= $rank AND white_strength >= $rank",
    "handicap": "handicap = $handicap",
    "event": "contains(lower(event), lower($event))",
}
"""Field of Filters -> the SQL condition on games. A game that lacks the value does not pass."""


@dataclass(frozen=True)
class Filters:
    """Conditions on games. An empty text or None accepts every game."""

    size: int = 19
    player: str = ""  # either player, under any spelling
    black: str = ""
    white: str = ""
    since: str = ""  # a full or partial date: 1995, 1995-03 or 1995-03-12
    until: str = ""
    result: str = ""  # a key of RESULTS
    rank: str = ""  # the minimum rank of both players: 1d, 9p
    handicap: int | None = None
    event: str = ""  # part of the event's name

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MAX_BOARD_SIZE:
            raise BadOption(f"The board size must be 1 to {MAX_BOARD_SIZE}, not {self.size}.")
        if self.result and self.result not in RESULTS:
            raise BadOption(f"The result must be one of {', '.join(RESULTS)}, not {self.result[:20]!r}.")
        for text in (self.since, self.until):
            if text and parse_date(text) is None:
                raise BadOption(f"{text[:40]!r} is not a date; write it as 1995, 1995-03 or 1995-03-12.")
        if self.handicap is not None and not 0 <= self.handicap <= MAX_HANDICAP_STONES:
            raise BadOption(f"The handicap must be 0 to {MAX_HANDICAP_STONES} stones, not {self.handicap}.")
        if self.rank and parse_rank(self.rank) is None:
            raise BadOption(f"{self.rank[:40]!r} is not a rank; write it as 3k, 5d or 9p.")

    def has_only_size(self) -> bool:
        """Return whether the board size is the only condition."""
        return all(getattr(self, f.name) == f.default for f in fields(self) if f.name != "size")

    def games(self, store: GameStore, any_size: bool = False) -> Int64Array:
        """Return the numbers, from 0, of the games that pass, in order. Raise BadOption if a player is unknown.

        any_size: whether games on boards of all sizes pass.
        """
        with open_tables(store) as connection:
            given = [name for name in CONDITIONS if getattr(self, name) not in ("", None)]
            given = [name for name in given if name != "size" or not any_size]
            values = {name: self._sql_value(connection, name) for name in given}
            conditions = [CONDITIONS[name] for name in given] + ([RESULTS[self.result]] if self.result else [])
            rows = connection.execute(
                f"SELECT id - 1 FROM games WHERE {' AND '.join(conditions) or 'true'} ORDER BY id", values
            )
            return np.array([row[0] for row in rows.fetchall()], np.int64)

    def _sql_value(self, connection: Connection, name: str) -> object:
        """Return the value of a field as its SQL condition in CONDITIONS expects it: a rank or date as a number."""
        value = getattr(self, name)
        if name in ("player", "black", "white"):
            return find_player(connection, value)
        if name == "rank":
            return parse_rank(value)
        if name in ("since", "until") and (date := parse_date(value)) is not None:
            month, day = (1, 1) if name == "since" else (12, 31)
            return 10_000 * date.year + 100 * (date.month or month) + (date.day or day)
        return as_utf8(value) if name == "event" else value


def find_player(connection: Connection, text: str) -> str:
    """Return the name shown for a player, given any spelling. Raise BadOption, with similar names, if unknown."""
    known = connection.execute("SELECT spelling, player FROM spellings").fetchall()
    key = name_key(text)
    for spelling, player in known:
        if key in (name_key(spelling), name_key(player)):
            return str(player)
    names = sorted({player for _, player in known})
    containing = [name for name in names if text.lower() in name.lower()]
    similar = difflib.get_close_matches(text, names, 3, 0.6) or containing[:3]
    hint = f" Did you mean {', '.join(similar)}?" if similar else ""
    raise BadOption(f"No player in the store is called {text[:60]!r}.{hint}")
