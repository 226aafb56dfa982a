"""New tables: from a visitor's request, or from a recorded game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from kibitz.core import registry
from kibitz.core.errors import BadText, KibitzError
from kibitz.core.game import Game, Player, State
from kibitz.core.record import GameRecord, replay
from kibitz.core.untrusted import JsonObject, printable
from kibitz.search.agents import agent_entries
from kibitz.web import bots
from kibitz.web.catalogue import agent_label
from kibitz.web.server.checks import Check, check_fields, flag, mapping, or_none, read_object, seconds, text
from kibitz.web.tables.messages import MAX_MOVES, MAX_NAME_LENGTH, MAX_TEXT_LENGTH, move_texts, person_name
from kibitz.web.tables.setup import Seat, Setup
from kibitz.web.tables.table import Ended, Event, Moved, Table

SECONDS_RANGE = (0.05, 300.0)
"""Minimum and maximum seconds per turn."""
MAX_REASON_LENGTH = 200


def read_game(game: str, options: Mapping[str, Any]) -> Game:
    """Return a game with the options that the page sent; null means default. Raise KibitzError if one is invalid."""
    return registry.game(game, **{str(key): value for key, value in options.items() if value is not None})


def read_new_table(raw: bytes, seed: int, keys: tuple[str, str] = ("", "")) -> tuple[Table, list[Event]]:
    """Parse a request; return the new table, and the events committed to it. Raise KibitzError if it is invalid."""
    given = read_object(raw)
    if "record" in given:
        return _from_record(check_fields(given, {"record": mapping}, set(), "The request")["record"], keys)
    if not isinstance(given.get("game"), str):
        raise BadText("The request must name a game.")
    registry.page(given["game"])  # refuses an unknown game, and one that cannot be shown
    fields: Mapping[str, Check] = {
        "game": text(40),
        "options": mapping,
        "seats": lambda value: _seats(given["game"], value),
        "seconds": or_none(seconds(*SECONDS_RANGE)),
        "start": or_none(text(MAX_TEXT_LENGTH)),
        "moves": or_none(move_texts("moves")),
        "link": or_none(flag),
        "ended": or_none(_ended),
    }
    found = check_fields(given, fields, {"seconds", "start", "moves", "link", "ended"}, "The request")
    game = read_game(found["game"], found["options"])
    start = game.position_text(game.parse_position(found["start"])) if found["start"] else None
    if found["link"] and all(seat.kind == "agent" for seat in found["seats"]):
        raise BadText("A link invites a person: choose a person for at least one player.")
    table = Table(Setup("", game, found["seats"], found["seconds"], seed, start, bool(found["link"]), keys))
    events = list[Event]()
    for number, move in enumerate(found["moves"] or [], 1):
        try:
            events.append(table.make_move(game.parse_move(move), 0.0))
        except KibitzError as error:
            raise BadText(f"Move {number} ({move!r}) cannot be played: {error}") from None
        table.commit(events[-1])
    if found["ended"] and table.outcome is None:
        events.append(found["ended"])
        table.commit(events[-1])
    return table, events


def _ended(value: Any) -> Ended:
    match value:
        case {"loser": 0 | 1 as loser, "why": str(why), **others} if not others and type(loser) is int:
            return Ended(loser, safe_text(why, MAX_REASON_LENGTH))
    raise ValueError('{"loser": 0 or 1, "why": "..."}')


def _seats(game: str, value: Any) -> tuple[Seat, Seat]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("a list of the two players")
    return _seat(game, value[0]), _seat(game, value[1])


def _seat(game: str, value: Any) -> Seat:
    match value:
        case {"kind": "person", "name": given, **others} if not others:
            return Seat("person", person_name(given))
        case {"kind": "agent", "spec": str(spec), **others} if not others:
            if spec not in agent_entries(game) and not bots.is_offered(game, spec):
                raise ValueError(f"one of the agents of {game}, which {spec[:40]!r} is not")
            return Seat("agent", agent_label(spec, game), spec)
    raise ValueError('{"kind": "person", "name": "..."} or {"kind": "agent", "spec": "..."}')


# Recorded games


def table_of(id: str, record: GameRecord) -> Table:
    """Return a recorded game as a table to view, with no seats to play. Raise BadText if it cannot be replayed."""
    states = replay(record)
    first, second = (Seat("agent", agent_label(spec, record.game), spec) for spec in record.agents)
    table = Table(Setup(id, states[0].game, (first, second), None, record.seed, record.start, link=True))
    _play_record(table, record, states)
    return table


def _from_record(raw: JsonObject, keys: tuple[str, str]) -> tuple[Table, list[Event]]:
    """Return a new table for a record, its players as persons, and the committed events. Raise BadText if invalid."""
    record = GameRecord.from_object(raw)
    if len(record.moves) > MAX_MOVES:
        raise BadText(f"The record has {len(record.moves)} moves; the limit is {MAX_MOVES}.")
    states = replay(record)
    one, two = (agent_label(safe_text(spec, MAX_NAME_LENGTH), record.game) for spec in record.agents)
    seats = Seat("person", one), Seat("person", two)
    table = Table(Setup("", states[0].game, seats, None, record.seed, record.start, keys=keys))
    events = _play_record(table, record, states)
    if states[-1].outcome() is not None and states[-1].game.settles and record.result != "*":
        events.append(table.read({"do": "settle", "marks": list(record.marks or ())}))
        table.commit(events[-1])
    return table, events


def _play_record(table: Table, record: GameRecord, states: Sequence[State]) -> list[Event]:
    """Commit the moves of a record at a new table, and any resignation or other loss; return these events.

    states: the result of replay(). An agreement on the result is not committed.
    """
    game, seconds = states[0].game, chain(record.times, repeat(0.0))
    events: list[Event] = [
        Moved(move, game.move_text(move), after, round(spent, 3))
        for move, after, spent in zip(map(game.parse_move, record.moves), states[1:], seconds, strict=False)
    ]
    if states[-1].outcome() is None and record.result in ("1-0", "0-1"):
        loser: Player = 1 if record.result == "1-0" else 0
        events.append(Ended(loser, f"lost ({safe_text(record.reason, MAX_REASON_LENGTH)})"))
    for event in events:
        table.commit(event)
    return events


def safe_text(raw: str, max_length: int, empty: str = "unknown") -> str:
    """Return a text from a record in a form that is safe to show: printable, at most max_length characters."""
    return printable(raw.strip())[:max_length].strip() or empty
