"""What can happen at a table, as typed events, and as the JSON lines that are kept of them."""

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
    """The position that the move leads to: the rules are asked only once."""
    seconds: float


@dataclass(frozen=True)
class SteppedTo:
    """Moves were taken back or made again, up to a ply; a resignation or an agreement is taken back with them."""

    ply: int


@dataclass(frozen=True)
class Ended:
    """A player gave up or ran out of time."""

    loser: Player
    why: str


@dataclass(frozen=True)
class Marked:
    """The players of a finished game marked something that decides the result; agreed once both accept it."""

    marks: tuple[str, ...]
    agreed: bool


@dataclass(frozen=True)
class Renamed:
    """A person changed their name."""

    seat: Player
    name: str


@dataclass(frozen=True)
class Dealt:
    """The table began anew with other cards, as in version 0.1; now a new game is a new table."""

    seed: int


Event: TypeAlias = Moved | SteppedTo | Ended | Marked | Renamed | Dealt


def event_json(event: Event) -> JsonObject:
    """Return an event as it is kept in a file; Table.read makes the same event of it."""
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
