"""Recorded games at tables: what happened in one, as events."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from kibitz.core.game import Player, State
from kibitz.core.printable import printable
from kibitz.core.record import GameRecord, replay
from kibitz.web.catalogue import agent_label
from kibitz.web.setup import Seat, Setup
from kibitz.web.table import Event, Table

LONGEST_REASON = 200


def events_of(record: GameRecord, states: Sequence[State]) -> list[Event]:
    """Return what happened in a recorded game, whose positions replay() gave: its moves, and how it was lost otherwise.

    What persons agreed on at the end is not among it.
    """
    game, seconds = states[0].game, chain(record.times, repeat(0.0))
    moves = (game.move_text(game.parse_move(text)) for text in record.moves)
    events: list[Event] = [
        {"do": "move", "move": move, "seconds": round(spent, 3)} for move, spent in zip(moves, seconds, strict=False)
    ]
    if states[-1].outcome() is None and record.result in ("1-0", "0-1"):
        loser: Player = 1 if record.result == "1-0" else 0
        events.append({"do": "end", "loser": loser, "why": f"lost ({shown(record.reason, LONGEST_REASON)})"})
    return events


def table_of(id: str, record: GameRecord) -> Table:
    """Return the table of a record, at which nobody has a seat. Raises BadText for a record that does not fit."""
    states = replay(record)
    first, second = (Seat("agent", agent_label(spec, record.game), spec) for spec in record.agents)
    table = Table(Setup(id, states[0].game, (first, second), None, record.seed, record.start, link=True))
    for event in events_of(record, states):
        table.apply(event)
    return table


def shown(words: str, longest: int) -> str:
    """Return a text of a record as it may be shown."""
    return printable(words.strip())[:longest] or "unknown"
