"""The lines of lz-analyze and kata-analyze: candidate moves, ownership, and figures of the whole search.

    info move Q16 visits 10 winrate 0.5234 scoreLead 0.4 order 0 pv Q16 D4 info ... rootInfo visits 25 ownership ...

Win rates are shares from 0 to 1, in lz-analyze ten-thousandths. All values are for the player to move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from kibitz.core.agent import Choice
from kibitz.games.go.gtp.candidates import MAX_VISITS, ReportedMove, choice_of, number, owners_of
from kibitz.games.go.rules import GoState

_SECTIONS = ("info", "rootInfo", "ownership", "ownershipStdev")
_LISTS = ("pv", "pvVisits", "pvEdgeVisits", "movesOwnership", "movesOwnershipStdev")
"""Fields with any number of values, which end at the next of these, or with the section."""


def read_report(state: GoState, line: str, kata: bool, seconds: float) -> Choice | None:
    """Return the report on a line of kata-analyze, or else of lz-analyze; None if it has no legal move."""
    candidates, visits, owners = list[ReportedMove | None](), None, tuple[float, ...]()
    for name, words in _split(line.split()):
        if name == "info":
            candidates.append(ReportedMove.read(state, dict(_fields(words)), 1 if kata else 10_000))
        elif name == "rootInfo":
            visits = number(dict(_fields(words)).get("visits"), 0, MAX_VISITS)
        elif name == "ownership":
            owners = owners_of(state, words)
    return choice_of(candidates, visits, owners, seconds)


def _split(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the sections of a line: their names and their words."""
    starts = [i for i, word in enumerate(words) if word in _SECTIONS]
    for start, end in pairwise([*starts, len(words)]):
        yield words[start], list(words[start + 1 : end])


def _fields(words: Sequence[str]) -> Iterator[tuple[str, str | list[str]]]:
    """Yield the fields of a section: names, and a value or a list of values."""
    i = 0
    while i + 1 < len(words):
        if words[i] in _LISTS:
            values = list(takewhile(lambda word: word not in _LISTS, words[i + 1 :]))
            yield words[i], values
            i += 1 + len(values)
        else:
            yield words[i], words[i + 1]
            i += 2
