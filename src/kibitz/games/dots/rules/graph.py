"""Strings and coins: the graph that a game is played on, the texts of its lines, and its JSON text.

A coin is a box, a string an undrawn line between two boxes or between a box and the ground, which is all that lies
outside. Drawing a line cuts its string; the player who cuts the last string of a coin takes it. The grid of
Dots-and-Boxes is one such graph; any other can be written down:

    {"coins": ["a", "b"],
     "strings": [["s", "a", "b"], ["t", "a", "ground"], ["u", "b", "ground"]],
     "places": {"a": [0, 0], "b": [1, 0]}}

A string is its id and its two ends; two strings may join the same ends. Places, x to the right and y down, are for
drawing and may be left out. Knows nothing of players and owners.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import TypeAlias

from kibitz.core.errors import BadText
from kibitz.core.untrusted import JsonObject

Coin: TypeAlias = int  # the number of a coin or box, from 0; row by row on a grid
String: TypeAlias = int  # the number of a string or line, from 0

GROUND = -1  # in place of a coin, for a string that ends at the ground
GROUND_ID = "ground"
MAX_STRINGS = 192
MAX_COINS = 128
_MAX_LISTED_IDS = 12

_ID = re.compile(r"[A-Za-z0-9_.:-]{1,32}")


@dataclass(frozen=True)
class Graph:
    """Coins and strings. Graphs are compared by content."""

    coins: tuple[str, ...]  # the id of each coin
    strings: tuple[tuple[Coin, Coin], ...]  # the two ends of each string; GROUND comes second
    ids: tuple[str, ...]  # the id of each string
    places: tuple[tuple[float, float], ...] = ()
    """Where each coin is drawn; empty if the graph does not say."""
    rows: int = 0  # rows of boxes, for a grid; else 0
    cols: int = 0

    @cached_property
    def strings_of(self) -> tuple[tuple[String, ...], ...]:
        """The strings of each coin, in ascending order."""
        strings_of: list[list[String]] = [[] for _ in self.coins]
        for string, ends in enumerate(self.strings):
            for coin in ends:
                if coin != GROUND:
                    strings_of[coin].append(string)
        return tuple(map(tuple, strings_of))

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The strings of each coin as a bit set."""
        return tuple(sum(1 << string for string in strings) for strings in self.strings_of)

    @property
    def all_strings(self) -> int:
        """All strings as a bit set."""
        return (1 << len(self.strings)) - 1

    @property
    def is_grid(self) -> bool:
        """Whether this is a board of Dots-and-Boxes."""
        return self.rows > 0

    def horizontal(self, row: int, col: int) -> String:
        """Return the line above box (row, col) of a grid; row may be one more than the last."""
        return row * self.cols + col

    def vertical(self, row: int, col: int) -> String:
        """Return the line to the left of box (row, col) of a grid; col may be one more than the last."""
        return (self.rows + 1) * self.cols + row * (self.cols + 1) + col

    def coordinates(self, string: String) -> tuple[str, int, int]:
        """Return the direction ("h" or "v"), row and column of a grid line. Horizontal lines have the lower numbers."""
        n_horizontal = (self.rows + 1) * self.cols
        if string < n_horizontal:
            return ("h", *divmod(string, self.cols))
        return ("v", *divmod(string - n_horizontal, self.cols + 1))

    def line_text(self, string: String) -> str:
        """Return a grid line as text: "h 0 1" or "v 0 1"."""
        return "{} {} {}".format(*self.coordinates(string))

    def parse_line(self, text: str) -> String:
        """Parse a line: its id, or on a grid also "h 0 1" or "h0,1". Raise BadText if there is no such line."""
        word = text.strip()
        if word in self.ids:
            return self.ids.index(word)
        if not self.is_grid:
            listed = ", ".join(self.ids[:_MAX_LISTED_IDS]) + (" ..." if len(self.ids) > _MAX_LISTED_IDS else "")
            raise BadText(f"{text!r} is not a string: the strings are {listed}.")
        found = re.fullmatch(r"([hv])[ ,]*([0-9])[ ,]+([0-9])", word, re.ASCII | re.IGNORECASE)
        if found:
            kind, row, col = found[1].lower(), int(found[2]), int(found[3])
            if kind == "h" and row <= self.rows and col < self.cols:
                return self.horizontal(row, col)
            if kind == "v" and row < self.rows and col <= self.cols:
                return self.vertical(row, col)
        raise BadText(
            f"{text!r} is not a line: write its number (0-{len(self.ids) - 1}), h ROW COL with rows to {self.rows} "
            f"and columns to {self.cols - 1}, or v ROW COL with rows to {self.rows - 1} and columns to {self.cols}."
        )

    def other_end(self, string: String, coin: Coin) -> Coin:
        """Return the end of a string that is not this coin."""
        first, second = self.strings[string]
        return second if first == coin else first

    def symmetries(self) -> tuple[tuple[String, ...], ...]:
        """Return the symmetries of a grid, each as the image of every string; only the identity for other graphs."""
        if not self.is_grid:
            return (tuple(range(len(self.strings))),)
        return _grid_symmetries(self)

    def to_json(self) -> str:
        """Return the graph as one line of JSON. read_graph reads it back, but does not know whether it was a grid."""
        names = (*self.coins, GROUND_ID)
        strings = [[self.ids[i], names[a], names[b]] for i, (a, b) in enumerate(self.strings)]
        whole: JsonObject = {"coins": list(self.coins), "strings": strings}
        if self.places:
            whole["places"] = {coin: list(place) for coin, place in zip(self.coins, self.places, strict=True)}
        return json.dumps(whole, separators=(",", ":"))


@lru_cache(maxsize=128)
def grid(rows: int, cols: int) -> Graph:
    """Return the graph of a board of rows x cols boxes.

    Lines are numbered row by row, the horizontal ones first. 2x2, with its boxes in brackets:

        +-- 0 --+-- 1 --+
        6  (0)  7  (1)  8
        +-- 2 --+-- 3 --+
        9  (2) 10  (3) 11
        +-- 4 --+-- 5 --+
    """

    def box(row: int, col: int) -> Coin:
        return row * cols + col if 0 <= row < rows and 0 <= col < cols else GROUND

    horizontal = [(box(r - 1, c), box(r, c)) for r in range(rows + 1) for c in range(cols)]
    vertical = [(box(r, c - 1), box(r, c)) for r in range(rows) for c in range(cols + 1)]
    ends = tuple((b, a) if a == GROUND else (a, b) for a, b in horizontal + vertical)
    coins = tuple(f"{r},{c}" for r in range(rows) for c in range(cols))
    places = tuple((float(c), float(r)) for r in range(rows) for c in range(cols))
    return Graph(coins, ends, tuple(map(str, range(len(ends)))), places, rows, cols)


@lru_cache(maxsize=128)
def _grid_symmetries(graph: Graph) -> tuple[tuple[String, ...], ...]:
    rows, cols = graph.rows, graph.cols

    def image(string: String, transposed: bool, flipped_rows: bool, flipped_cols: bool) -> String:
        kind, r, c = graph.coordinates(string)
        if transposed:
            kind, r, c = "v" if kind == "h" else "h", c, r
        if flipped_rows:
            r = (rows if kind == "h" else rows - 1) - r
        if flipped_cols:
            c = (cols - 1 if kind == "h" else cols) - c
        return (graph.horizontal if kind == "h" else graph.vertical)(r, c)

    choices = product((False, True) if rows == cols else (False,), (False, True), (False, True))
    symmetries = (tuple(image(string, *choice) for string in range(len(graph.strings))) for choice in choices)
    return tuple(dict.fromkeys(symmetries))


@lru_cache(maxsize=128)
def read_graph(text: str) -> Graph:
    """Parse a graph in JSON. Raise BadText if it is invalid, naming the coin or string at fault."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadText(f"The graph is not JSON: {error}.") from None
    if not isinstance(raw, dict) or not {"coins", "strings"} <= set(raw) <= {"coins", "strings", "places"}:
        raise BadText('A graph must be a JSON object with "coins", "strings" and, optionally, "places".')
    n_coins, n_strings = (len(part) if isinstance(part, list) else 0 for part in (raw["coins"], raw["strings"]))
    if n_coins > MAX_COINS or n_strings > MAX_STRINGS:
        raise BadText(
            f"The graph has {n_coins} coins and {n_strings} strings; "
            f"at most {MAX_COINS} coins and {MAX_STRINGS} strings are allowed."
        )
    coins = _parse_ids(raw["coins"], "coin")
    if GROUND_ID in coins:
        raise BadText(f"A coin cannot be called {GROUND_ID!r}: that name stands for all that lies outside.")
    if not isinstance(raw["strings"], list) or not all(isinstance(s, list) and s for s in raw["strings"]):
        raise BadText('"strings" must be a list of lists [id, end, end].')
    ids = _parse_ids([string[0] for string in raw["strings"]], "string")
    numbers = {coin: number for number, coin in enumerate(coins)}
    strings = tuple(_parse_ends(string, numbers) for string in raw["strings"])
    attached = {coin for ends in strings for coin in ends}
    for coin, number in numbers.items():
        if number not in attached:
            raise BadText(f"The coin {coin!r} has no strings, so it could never be taken.")
    return Graph(coins, strings, ids, _parse_places(raw.get("places"), coins))


def _parse_ids(raw: object, noun: str) -> tuple[str, ...]:
    """Parse the ids of all coins or strings; noun: "coin" or "string". Raise BadText if one is invalid or repeated."""
    if not isinstance(raw, list) or not raw:
        raise BadText(f'"{noun}s" must be a list of at least one {noun}.')
    names: list[str] = []
    for entry in raw:
        name = str(entry) if type(entry) in (int, str) else ""
        if not _ID.fullmatch(name):
            raise BadText(f"{entry!r} is not the id of a {noun}: write 1 to 32 letters, digits, or _ . : -")
        if name in names:
            raise BadText(f"Two {noun}s have the id {name!r}: every {noun} needs an id of its own.")
        names.append(name)
    return tuple(names)


def _parse_ends(string: list[object], numbers: dict[str, int]) -> tuple[Coin, Coin]:
    """Parse a string [id, end, end]; return its ends, the ground second. Raise BadText if an end is invalid."""
    name, *ends = (str(part) if type(part) in (int, str) else "" for part in string)
    if len(ends) != 2:
        raise BadText(
            f"The string {name!r} has {len(ends)} end{'' if len(ends) == 1 else 's'} instead of 2: "
            f"write [id, end, end], each end a coin or {GROUND_ID!r}."
        )
    for end, given in zip(ends, string[1:], strict=True):
        if end != GROUND_ID and end not in numbers:
            raise BadText(f"The string {name!r} ends at {given!r}, which is neither a coin nor {GROUND_ID!r}.")
    first, second = (GROUND if end == GROUND_ID else numbers[end] for end in ends)
    if first == second:
        where = "the ground" if first == GROUND else f"the coin {ends[0]!r}"
        raise BadText(f"The string {name!r} joins {where} to itself.")
    return (second, first) if first == GROUND else (first, second)


def _parse_places(raw: object, coins: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    """Parse the places, in the order of the coins; empty if not given. Raise BadText if one is missing or invalid."""
    if raw is None:
        return ()
    if not isinstance(raw, dict) or set(raw) != set(coins):
        raise BadText('"places" must give a place [x, y] for every coin, and for no other id.')
    for coin, place in raw.items():
        is_pair = isinstance(place, list) and len(place) == 2
        if not is_pair or not all(type(part) in (int, float) and abs(part) <= 1e6 for part in place):
            raise BadText(f"The place of the coin {coin!r} is {place!r}, but must be [x, y].")
    return tuple((float(raw[coin][0]), float(raw[coin][1])) for coin in coins)
