"""What a game may add to the arena: tournaments with a name, and sections of reports. Keys and types only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kibitz.core.package import Extension

if TYPE_CHECKING:
    from kibitz.arena.results import Results
    from kibitz.arena.tournament import Tournament


@dataclass(frozen=True)
class ReportSection:
    """A part of the report of a tournament that only one game has."""

    key: str
    """Its name in results.json."""
    find: Callable[[Results], Any]
    """Returns the figures, or None if these results have nothing to do with it."""
    json: Callable[[Any], dict[str, Any]]
    html: Callable[[Any], str]
    show: Callable[[Any], None]
    """Prints the figures on the terminal."""


PRESETS: Extension[Mapping[str, Callable[[], Tournament]]] = Extension("presets")
"""Tournaments by name, for `kibitz arena preset`."""
REPORT_SECTIONS: Extension[Sequence[ReportSection]] = Extension("report sections")
