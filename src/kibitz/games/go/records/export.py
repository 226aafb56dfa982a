"""Write games of a store as SGF, one game per line, with what the store knows of their heads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import heads_of
from kibitz.games.go.rules.text import sgf_point
from kibitz.games.go.sgf.record import PASS, colour_of, is_setup, point_of
from kibitz.games.go.sgf.tree import escaped

GAMES_PER_BATCH = 1000  # read the heads of this many games at a time
_COLUMNS = {
    "PB": "black_spelt", "BR": "black_rank", "PW": "white_spelt", "WR": "white_rank", "DT": "date", "EV": "event",
    "RO": "round", "PC": "place", "RU": "rules", "KM": "komi", "HA": "handicap", "RE": "result",
}  # fmt: skip
"""SGF property -> column of the table `games`."""
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


def sgf_lines(store: GameStore, games: Iterable[int]) -> Iterator[str]:
    """Yield games, numbered from 0, as lines of SGF. Raise BadOption if there is no such game."""
    numbers = list(games)
    sizes = store.column("sizes")
    for start in range(0, len(numbers), GAMES_PER_BATCH):
        batch = numbers[start : start + GAMES_PER_BATCH]
        plays = {game: store.plays_of(game).tolist() for game in batch}
        heads = heads_of(store, [game + 1 for game in batch])
        for game in batch:
            yield game_line(int(sizes[game]), _fields(heads[game + 1]), plays[game])


def _fields(head: JsonObject) -> dict[str, str]:
    """Return the SGF properties of a head, without those that are unknown."""
    found = {name: head[column] for name, column in _COLUMNS.items()}
    found["HA"] = found["HA"] or None  # 0 for even games and where it is unknown
    if found["KM"] is not None:
        found["KM"] = f"{found['KM']:g}"
    if head["edition"] is not None:
        found["EV"] = f"{ordinal(head['edition'])} {found['EV']}"
    return {name: str(value) for name, value in found.items() if value is not None}


def ordinal(number: int) -> str:
    """Return a number such as 1st, 12th or 23rd."""
    return f"{number}{'th' if number // 10 % 10 == 1 else _ORDINALS.get(number % 10, 'th')}"


def game_line(size: int, fields: Mapping[str, str], plays: Sequence[int]) -> str:
    """Return a game as a line of SGF, given its properties as plain text and its plays, see sgf/record.py."""
    head = {"GM": "1", "FF": "4", "CA": "UTF-8", "SZ": str(size), **fields}
    parts = ["(;", *(f"{name}[{escaped(value)}]" for name, value in head.items())]
    in_setup, open_name = True, ""  # setup before the first move belongs to the root
    for play in plays:
        point, colour = point_of(play), colour_of(play)
        text = "" if point == PASS else sgf_point(size, point)
        if not is_setup(play):
            parts.append(f";{' BW'[colour]}[{text}]")
            in_setup, open_name = False, ""
            continue
        if not in_setup:
            parts.append(";")
            in_setup = True
        name = ("AE", "AB", "AW")[colour]
        parts.append(f"[{text}]" if name == open_name else f"{name}[{text}]")
        open_name = name
    return "".join(parts) + ")\n"
