"""Recorded games at tables: what happened in one, as events."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from kibitz.core.game import Game, Move, Player, State
from kibitz.core.record import GameRecord, replay
from kibitz.core.untrusted import printable
from kibitz.web.catalogue import agent_label
from kibitz.web.tables.events import Ended, Event, Moved
from kibitz.web.tables.setup import Seat, Setup
from kibitz.web.tables.table import Table

MAX_REASON_LENGTH = 200


def play_record(table: Table, record: GameRecord, states: Sequence[State]) -> list[Event]:
    """Make what happened in a recorded game happen at a new table: its moves, and how it was lost otherwise.

    states are those that replay() gave. What people agreed on at the end is left out.
    """
    seconds = chain(record.times, repeat(0.0))
    events: list[Event] = [
        Moved(move, states[0].game.move_text(move), after, round(spent, 3))
        for move, after, spent in zip(moves_of(record, states[0].game), states[1:], seconds, strict=False)
    ]
    if states[-1].outcome() is None and record.result in ("1-0", "0-1"):
        loser: Player = 1 if record.result == "1-0" else 0
        events.append(Ended(loser, f"lost ({shown(record.reason, MAX_REASON_LENGTH)})"))
    for event in events:
        table.commit(event)
    return events


def moves_of(record: GameRecord, game: Game) -> list[Move]:
    """Return the moves of a record that replays."""
    return [game.parse_move(text) for text in record.moves]


def table_of(id: str, record: GameRecord) -> Table:
    """Return the table of a record, at which nobody has a seat. Raise BadText for a record that does not fit."""
    states = replay(record)
    first, second = (Seat("agent", agent_label(spec, record.game), spec) for spec in record.agents)
    table = Table(Setup(id, states[0].game, (first, second), None, record.seed, record.start, link=True))
    play_record(table, record, states)
    return table


def shown(words: str, longest: int) -> str:
    """Return a text of a record as it may be shown."""
    return printable(words.strip())[:longest] or "unknown"
