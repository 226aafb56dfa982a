"""Extensions by which a game adds named tournaments and report sections to the arena. Keys and types only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kibitz.core.package import Extension
from kibitz.core.untrusted import JsonObject

if TYPE_CHECKING:
    from kibitz.arena.results import Results
    from kibitz.arena.tournament import Tournament


@dataclass(frozen=True)
class ReportSection:
    """A section that a game adds to the report of its tournaments."""

    key: str
    """The section's key in results.json."""
    find: Callable[[Results], Any]
    """Compute the figures, or return None if the section does not apply to these results."""
    json: Callable[[Any], JsonObject]
    html: Callable[[Any], str]
    show: Callable[[Any], None]
    """Print the figures on the terminal."""


PRESETS: Extension[Mapping[str, Callable[[], Tournament]]] = Extension("presets")
"""Tournaments by name, for `kibitz arena preset`."""
REPORT_SECTIONS: Extension[Sequence[ReportSection]] = Extension("report sections")
