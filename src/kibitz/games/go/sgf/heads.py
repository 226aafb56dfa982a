"""Parse the head of a record: dates, ranks, results, komi, events and names, in the forms that people write.

Nothing here raises an error: a value that cannot be parsed is None or unknown.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from kibitz.games.go.rules.board import BLACK, WHITE

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(r"(?<!\d)(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)")
_EASTERN = re.compile(r"(\d{4})\s*年(?:\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*日)?)?")
_LATIN = re.compile(r"(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([A-Za-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,\s*)?(\d{4})")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)")


class Date(NamedTuple):
    """When a game was played; month and day are 0 where they are unknown."""

    year: int
    month: int = 0
    day: int = 0

    def __str__(self) -> str:
        parts = f"{self.year:04d}", f"{self.month:02d}", f"{self.day:02d}"
        return "-".join(part for part in parts if int(part))


@lru_cache(maxsize=4096)
def parse_date(text: str) -> Date | None:
    """Return the first date in a text such as 1995-03-12,13, 1995/3/12, 12 Mar 1995, 1995年3月12日 or c. 1770."""
    if found := _EASTERN.search(text):
        return _date(found[1], found[2], found[3])
    if (found := _LATIN.search(text)) and found[2][:3].lower() in _MONTHS:
        return _date(found[4], str(_MONTHS.index(found[2][:3].lower()) + 1), found[1] or found[3])
    if found := _DAY_FIRST.search(text):
        day, month = (found[1], found[2]) if int(found[2]) <= 12 else (found[2], found[1])
        return _date(found[3], month, day)
    found = _ISO.search(text)
    return _date(found[1], found[2], found[3]) if found else None


def _date(year: str, month: str | None, day: str | None) -> Date | None:
    """Return a date, dropping an impossible month or day; None if the year is impossible."""
    if not 1 <= int(year) <= 2999:
        return None
    if month is None or not 1 <= int(month) <= 12:
        return Date(int(year))
    return Date(int(year), int(month), int(day) if day is not None and 1 <= int(day) <= 31 else 0)


_RANK = re.compile(r"(\d{1,2})\s*(?:-\s*)?(kyu|k|dan|d|pro|ping|p|段|단|级|級|급)?", re.IGNORECASE)
_NUMERALS = {char: number for number, char in enumerate("一二三四五六七八九", 1)} | {"初": 1}
_TITLES = ("meijin", "honinbo", "kisei", "oza", "tengen", "gosei", "judan", "guksu", "王座", "名人", "本因坊", "棋聖")
PROFESSIONAL_BONUS = 10  # added to professional dan ranks, so that they are above all amateur ranks


@lru_cache(maxsize=4096)
def parse_rank(text: str) -> int | None:
    """Return a rank as a number that grows with strength: 1 kyu is 0, 30 kyu -29, 1 dan 1, 9 dan 9, 9 dan pro 19.

    A title counts as the highest professional rank. A dan rank is amateur unless marked as professional.
    """
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    for char, number in _NUMERALS.items():
        plain = plain.replace(char + "段", f"{number}p")
    found = _RANK.search(plain)
    if found and (found[2] or plain == found[1]):
        number, kind = int(found[1]), found[2] or "d"
        if kind in ("k", "kyu", "级", "級", "급"):
            return 1 - number if 1 <= number <= 40 else None
        if 1 <= number <= 10:
            is_professional = kind in ("p", "pro", "ping", "段", "단") or "pro" in plain
            return min(number, 9) + (PROFESSIONAL_BONUS if is_professional else 0)
        return None
    if any(title in plain for title in _TITLES):
        return PROFESSIONAL_BONUS + 9
    return None


class GameResult(NamedTuple):
    """How a game ended."""

    winner: int  # BLACK, WHITE, or 0 for neither
    how: str  # "points", "resign", "time", "forfeit", "draw", "void", or "" if unknown
    margin: float | None = None


_SIGNED = re.compile(r"^([bw])(?:lack|hite)?\s*\+?\s*(.*)$", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\d)\d{1,3}(?:[.,]\d{1,2})?(?![\d.,e]*\d)")  # not part of an absurdly long number
_HOW = {"r": "resign", "t": "time", "f": "forfeit"}
_EASTERN_SIDES = {"黑": BLACK, "黒": BLACK, "흑": BLACK, "白": WHITE, "백": WHITE}


@lru_cache(maxsize=4096)
def parse_result(text: str) -> GameResult:
    """Return the result in a text of RE such as B+3.5, W+R, B+T, W+F, 0, Jigo, Void or 黑中盘胜."""
    plain = unicodedata.normalize("NFKC", text).strip()
    lower = plain.lower()
    if lower in ("0", "draw", "jigo", "0.5-0.5", "和棋", "持碁", "b+0", "w+0"):
        return GameResult(0, "draw", 0.0)
    if lower in ("void", "no result", "no-result", "無勝負"):
        return GameResult(0, "void")
    if plain[:1] in _EASTERN_SIDES:
        winner = _EASTERN_SIDES[plain[0]]
        if "中" in plain or "불계" in plain:
            return GameResult(winner, "resign")
        number = _NUMBER.search(plain)
        won = "胜" in plain or "勝" in plain or "승" in plain or number is not None
        return GameResult(winner, "points", _margin(number[0])) if number else GameResult(winner if won else 0, "")
    found = _SIGNED.match(lower)
    if not found or not ("+" in lower or "win" in lower or "won" in lower):
        return GameResult(0, "")
    winner = BLACK if found[1] == "b" else WHITE
    rest = found[2].lstrip("+ ").strip()
    if number := _NUMBER.match(rest):
        return GameResult(winner, "points", _margin(number[0]))
    return GameResult(winner, "resign" if "resign" in rest else "time" if "time" in rest else _HOW.get(rest[:1], ""))


def _margin(text: str) -> float:
    return float(text.replace(",", "."))


@lru_cache(maxsize=1024)
def parse_number(text: str, limit: float) -> float | None:
    """Return a number between -limit and limit; None for anything else, such as an absurd komi."""
    found = re.fullmatch(r"\s*([+-]?\d{1,4}(?:[.,]\d{1,4})?)\s*(?:points?|目|moku)?\s*", text)
    value = float(found[1].replace(",", ".")) if found else None
    return value if value is not None and abs(value) <= limit else None


_EDITION = re.compile(r"(?<!\d)(\d{1,3})\s*(?:st|nd|rd|th)\b|第\s*(\d{1,3})\s*[届期回]", re.IGNORECASE)


def parse_event(text: str) -> tuple[str, int | None]:
    """Return the name of an event and its edition, or None: "19th Honinbo" is ("Honinbo", 19)."""
    found = _EDITION.search(text)
    if not found:
        return text.strip(), None
    name = " ".join((text[: found.start()] + " " + text[found.end() :]).split()).strip(" ,-")
    return name or text.strip(), int(found[1] or found[2])


_RANK_IN_NAME = re.compile(
    r"[\s,]*[(\[]?\s*(?:\d{1,2}\s*-?\s*(?:dan|kyu|ping|[dkp])|[一二三四五六七八九初]段)\s*(?:pro)?[)\]]?\s*$",
    re.IGNORECASE,
)


@lru_cache(maxsize=65536)
def name_key(name: str) -> str:
    """Return a key that spellings of a name share: it ignores case, accents, hyphens, word order and a rank.

    A name with undecodable characters is its own key.
    """
    if "?" in name or "\N{REPLACEMENT CHARACTER}" in name:
        return name
    plain = unicodedata.normalize("NFKD", _RANK_IN_NAME.sub("", name)).casefold()
    letters = "".join(char for char in plain if char not in "-'’`" and not unicodedata.combining(char))
    return " ".join(sorted("".join(char if char.isalnum() else " " for char in letters).split())) or name
