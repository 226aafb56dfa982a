"""Describe features in words, from their numbers in layout.py."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import partial

from kibitz.games.go.predict.model import layout
from kibitz.games.go.predict.model.layout import BASES, BUCKETS, PATTERN_SIZES

_NAMES, _STARTS = list(BASES), list(BASES.values())
_FAMILIES = {
    layout.PLAIN: "pattern",
    layout.LINKED: "pattern with the last move",
    layout.TWICE: "pattern with the last two moves",
    layout.RESPONSE: "pattern around the last move",
    layout.LIBERTIES: "pattern with liberties",
    layout.LIBERTIES_LINKED: "pattern with liberties and the last move",
}
_CHAIN = ("1 stone", "2 stones", "3 or 4 stones", "5 stones or more")
_LARGE = ("1 stone", "2 stones", "3 or 4 stones", "5 to 8 stones", "9 stones or more")
_FAR = ("next to it", "diagonal", "2 away", "a knight's move", "3 away", "4 away", "5 or 6 away", "7 or 8 away", "far")
_PHASES = ("0 to 5", "6 to 15", "16 to 29", "30 to 49", "50 to 79", "80 to 119", "120 to 179", "180 on")
_MOVES = {"last": "the last move", "before": "the move before", "third": "the third last move",
          "fourth": "the fourth last move"}  # fmt: skip
_GROUPS = {
    "last": "distance", "before": "distance", "third": "distance", "fourth": "distance", "both": "distance",
    "phase": "distance", "after": "liberties", "own": "liberties", "enemy": "liberties", "race": "liberties",
    "answer": "liberties", "chains": "chains", "nearest": "surroundings", "influence": "surroundings",
}  # fmt: skip


def kind_of(feature: int) -> tuple[str, int]:
    """Return the kind of a feature that is not a pattern, and its number within the kind."""
    at = bisect_right(_STARTS, feature) - 1
    return _NAMES[at], feature - _STARTS[at]


def group_of(feature: int, kind: int) -> str:
    """Return the group of a feature; each group makes one reason. kind: as in Features.kinds."""
    if kind:
        return _FAMILIES[(kind - 1) // len(PATTERN_SIZES)]
    name = kind_of(feature)[0]
    return _GROUPS.get(name, name)


def pattern_text(kind: int) -> str:
    """Describe a pattern: its family and its size."""
    family, size = divmod(kind - 1, len(PATTERN_SIZES))
    return f"{_FAMILIES[family]}, size {PATTERN_SIZES[size]}"


def feature_text(feature: int) -> str:
    """Describe a feature that is not a pattern."""
    name, number = kind_of(feature)
    return _TEXTS[name](number)


def _place(number: int) -> str:
    place, phase = divmod(number, layout.PHASES)
    high = next(line for line in range(20) if (line + 1) * (line + 2) // 2 > place)
    low = place - high * (high + 1) // 2
    return f"lines {low + 1} and {high + 1} at moves {_PHASES[phase]}"


def _offset(name: str, number: int) -> str:
    if number == layout.OFFSETS - 1:
        return f"{_MOVES[name]} unknown"
    near = list(layout.near_classes())
    where = "({}, {})".format(*near[number]) if number < len(near) else "far"
    return f"{where} from {_MOVES[name]}"


def _bucket(number: int) -> str:
    return "unknown" if number == BUCKETS - 1 else _FAR[number]


def _liberties(number: int, most: int) -> str:
    return f"{number} or more liberties" if number == most else "1 liberty" if number == 1 else f"{number} liberties"


def _capture(number: int) -> str:
    size, facts = divmod(number, 4)
    saves, takes_last = divmod(facts, 2)
    text = f"captures {_CHAIN[size]}" + ", the last move among them" * takes_last
    return text + ", and saves a chain in atari" * saves


def _escape(number: int) -> str:
    kind, facts = divmod(number, 4)
    size, room = divmod(kind, 3)
    by_last, is_caught = divmod(facts, 2)
    text = f"runs with {_CHAIN[size]} in atari to {_liberties(room + 1, 3)}"
    return text + " after the last move" * by_last + ", and is caught" * is_caught


def _atari(number: int) -> str:
    size, facts = divmod(number, 4)
    is_last, falls = divmod(facts, 2)
    return f"atari on {_CHAIN[size]}" + ", the last move among them" * is_last + ", a ladder that works" * falls


def _chain(whose: str, marked: str, number: int) -> str:
    kind, is_marked = divmod(number, 2)
    room, size = divmod(kind, 4)
    text = f"beside {whose} chain of {_CHAIN[size]} with {_liberties(room + 1, 5)}"
    return text + f", that of the {marked}" * is_marked


def _race(number: int) -> str:
    both, room = divmod(number, 3)
    own, enemy = divmod(both, 6)
    return f"fewest liberties beside it: own {own or 'none'}, enemy {enemy or 'none'}; then {_liberties(room + 1, 3)}"


def _answer(number: int) -> str:
    room, relation = divmod(number, BUCKETS + 1)
    where = "a liberty of it" if relation == BUCKETS else _bucket(relation)
    return f"the last move's chain has {_liberties(room + 1, 4)}, this is {where}"


def _steps(number: int) -> str:
    return "7 steps away or more" if number == 6 else f"{number + 1} away"


_TEXTS: dict[str, Callable[[int], str]] = {
    "place": _place,
    **{name: partial(_offset, name) for name in _MOVES},
    "both": lambda number: f"from the last two moves: {_bucket(number // BUCKETS)}, {_bucket(number % BUCKETS)}",
    "after": lambda number: f"makes a chain of {_LARGE[number % 5]} with {_liberties(number // 5 + 1, 6)}",
    "capture": _capture,
    "escape": _escape,
    "atari": _atari,
    "enemy": partial(_chain, "an enemy", "last move"),
    "own": partial(_chain, "a friendly", "move before"),
    "chains": lambda number: f"touches {number // 5} own and {number % 5} enemy chains",
    "race": _race,
    "nearest": lambda number: f"nearest own stone {_steps(number // 7)}, enemy {_steps(number % 7)}",
    "answer": _answer,
    "ko": lambda number: ("takes a ko", "after a ko was taken", "a threat after a ko was taken")[number],
    "influence": lambda number: f"influence {number // 6 - 5:+d} of -5 to 5, stones around {number % 6} of 5",
    "phase": lambda number: f"{_bucket(number % BUCKETS)} at moves {_PHASES[number // BUCKETS]}",
}
