"""What can happen at a table: typed events, and the JSON lines that store them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kibitz.core.game import Move, Player, State
from kibitz.core.untrusted import JsonObject


@dataclass(frozen=True)
class Moved:
    """A move was made."""

    move: Move
    text: str
    after: State
    """The position after the move, so that the rules play it only once."""
    seconds: float


@dataclass(frozen=True)
class SteppedTo:
    """Moves were taken back or redone, up to a ply; a resignation or agreement is taken back too."""

    ply: int


@dataclass(frozen=True)
class Ended:
    """A player resigned or ran out of time."""

    loser: Player
    why: str


@dataclass(frozen=True)
class Marked:
    """The players of a finished game set marks that decide the result; agreed once both accept them."""

    marks: tuple[str, ...]
    agreed: bool


@dataclass(frozen=True)
class Renamed:
    """A person changed their name."""

    seat: Player
    name: str


@dataclass(frozen=True)
class Dealt:
    """The table was dealt anew, in files of version 0.1; now a new game is a new table."""

    seed: int


Event: TypeAlias = Moved | SteppedTo | Ended | Marked | Renamed | Dealt


def event_json(event: Event) -> JsonObject:
    """Return the line that stores an event; Table.read reads it."""
    match event:
        case Moved(text=text, seconds=seconds):
            return {"do": "move", "move": text, "seconds": seconds}
        case SteppedTo(ply):
            return {"do": "at", "ply": ply}
        case Ended(loser, why):
            return {"do": "end", "loser": loser, "why": why}
        case Marked(marks, agreed):
            return {"do": "settle" if agreed else "mark", "marks": list(marks)}
        case Renamed(seat, name):
            return {"do": "name", "seat": seat, "name": name}
        case Dealt(seed):
            return {"do": "deal", "seed": seed}
