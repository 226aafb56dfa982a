"""Which games of a store are searched: by player, date, result, rank, handicap and event."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.records.heads import name_key, parse_date, parse_rank
from kibitz.games.go.records.store import Store
from kibitz.games.go.records.tables import as_text, opened
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE

MOST_HANDICAP = 99
RESULTS = {"B": "winner = 'B'", "W": "winner = 'W'", "draw": "how = 'draw'", "none": "winner IS NULL"}


@dataclass(frozen=True)
class Filters:
    """What games must be like. An empty text and None mean that it does not matter."""

    size: int = 19
    player: str = ""
    """One of the two, under any spelling."""
    black: str = ""
    white: str = ""
    since: str = ""
    """A date, or part of one: 1995, 1995-03, 1995-03-12."""
    until: str = ""
    result: str = ""
    """One of RESULTS."""
    rank: str = ""
    """The rank that both players have at least: 1d, 9p."""
    handicap: int | None = None
    event: str = ""
    """A part of its name."""

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MAX_BOARD_SIZE:
            raise BadOption(f"A board has 1 to {MAX_BOARD_SIZE} lines, not {self.size}.")
        if self.result and self.result not in RESULTS:
            raise BadOption(f"The result must be one of {', '.join(RESULTS)}, not {self.result[:20]!r}.")
        for text in (self.since, self.until):
            if text and parse_date(text) is None:
                raise BadOption(f"{text[:40]!r} is no date; write it as 1995 or 1995-03 or 1995-03-12.")
        if self.handicap is not None and not 0 <= self.handicap <= MOST_HANDICAP:
            raise BadOption(f"The handicap must be 0 to {MOST_HANDICAP} stones.")
        if self.rank and parse_rank(self.rank) is None:
            raise BadOption(f"{self.rank[:40]!r} is no rank; write it as 3k, 5d or 9p.")

    def is_plain(self) -> bool:
        """Return whether every game of the size passes."""
        return all(getattr(self, f.name) == f.default for f in fields(self) if f.name != "size")

    def games(self, store: Store) -> Any:
        """Return the numbers, from 0, of the games that pass, ascending. Raises BadOption for an unknown player."""
        with opened(store) as connection:
            conditions, values = ["size = ?"], list[Any]([self.size])
            for text, condition in (
                (self.player, "(black = ? OR white = ?)"),
                (self.black, "black = ?"),
                (self.white, "white = ?"),
            ):
                if text:
                    conditions.append(condition)
                    values += [find_player(connection, text)] * condition.count("?")
            if self.since and (date := parse_date(self.since)) is not None:
                conditions.append("year IS NOT NULL AND (year, coalesce(month, 12), coalesce(day, 31)) >= (?, ?, ?)")
                values += [date.year, date.month or 1, date.day or 1]
            if self.until and (date := parse_date(self.until)) is not None:
                conditions.append("year IS NOT NULL AND (year, coalesce(month, 1), coalesce(day, 1)) <= (?, ?, ?)")
                values += [date.year, date.month or 12, date.day or 31]
            if self.result:
                conditions.append(RESULTS[self.result])
            if self.rank:
                conditions.append("least(black_strength, white_strength) >= ? AND black_strength IS NOT NULL "
                                  "AND white_strength IS NOT NULL")  # fmt: skip
                values.append(parse_rank(self.rank))
            if self.handicap is not None:
                conditions.append("handicap = ?")
                values.append(self.handicap)
            if self.event:
                conditions.append("contains(lower(event), lower(?))")
                values.append(as_text(self.event))
            found = connection.execute(f"SELECT id - 1 FROM games WHERE {' AND '.join(conditions)} ORDER BY id", values)
            return np.array([row[0] for row in found.fetchall()], np.int64)


def find_player(connection: Any, text: str) -> str:
    """Return the name of a player under any spelling. Raises BadOption, with names that are near, if there is none."""
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
