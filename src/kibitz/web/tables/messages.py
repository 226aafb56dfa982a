"""What a client may send: every field is checked, and what is not known is refused in words.

Knows the forms of messages, not whether a move is legal or a game there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kibitz.core import registry
from kibitz.core.errors import BadText, KibitzError
from kibitz.core.game import Game
from kibitz.core.record import GameRecord, replay
from kibitz.core.untrusted import JsonObject
from kibitz.search.agents import agent_entries
from kibitz.web import bots
from kibitz.web.catalogue import agent_label
from kibitz.web.server.checks import Check, check_fields, flag, mapping, or_none, read_object, seconds, text, whole
from kibitz.web.tables.events import Event
from kibitz.web.tables.recorded import play_record, shown
from kibitz.web.tables.setup import Seat, Setup
from kibitz.web.tables.table import Table

MAX_NAME_LENGTH = 30
MAX_MOVE_LENGTH = 64
MAX_TOKEN_LENGTH = 64
MAX_TEXT_LENGTH = 100_000
"""Maximum length of a position or game text."""
MAX_MOVES = 1000
MAX_PLY = 100_000
SECONDS_RANGE = (0.05, 300.0)
"""Minimum and maximum seconds per turn."""


@dataclass(frozen=True)
class Message:
    """What a client asks for at a table."""

    do: str
    fields: Mapping[str, Any]


def name(value: Any) -> str:
    """Check for the name of a person; blanks at its ends are left out."""
    found = value.strip() if isinstance(value, str) else ""
    if not 1 <= len(found) <= MAX_NAME_LENGTH or not found.isprintable():
        raise ValueError(f"a name of 1 to {MAX_NAME_LENGTH} printable characters")
    return found


def tokens(value: Any) -> list[str]:
    """Check for what gives seats."""
    if not isinstance(value, list) or not 1 <= len(value) <= 2:
        raise ValueError("a list of one or two tokens")
    return [text(MAX_TOKEN_LENGTH)(token) for token in value]


def texts(what: str) -> Check:
    """Return a check for a list of moves, or of marks."""

    def check(value: Any) -> list[str]:
        if not isinstance(value, list) or len(value) > MAX_MOVES:
            raise ValueError(f"a list of at most {MAX_MOVES} {what}")
        return [text(MAX_MOVE_LENGTH)(each) for each in value]

    return check


ACTIONS: Mapping[str, Mapping[str, Check]] = {
    "move": {"ply": whole(MAX_PLY), "move": text(MAX_MOVE_LENGTH)},
    "undo": {},
    "redo": {},
    "restart": {},
    "mark": {"mark": text(MAX_MOVE_LENGTH)},
    "settle": {"marks": texts("marks")},
    "agree": {},
    "decline": {},
    "sit": {"tokens": tokens},
    "resign": {"seat": whole(1)},
    "name": {"seat": whole(1), "name": name},
    "hint": {},
    "now": {},
    "pause": {},
    "resume": {},
    "analyse": {"on": flag, "ply": or_none(whole(MAX_PLY))},
    "review": {},
    "sync": {},
}
"""What can be done at a table, with the fields that say how."""
OPTIONAL = {"ply"}
"""Fields of an analysis that may be left out; they are None then."""


def read_message(raw: str) -> Message:
    """Return what a client asks for at a table. Raise BadText."""
    said = read_object(raw)
    do = said.pop("do", None)
    if not isinstance(do, str) or do not in ACTIONS:
        raise BadText(f"'do' must be one of {', '.join(ACTIONS)}.")
    optional = OPTIONAL if do == "analyse" else set[str]()
    return Message(do, check_fields(said, ACTIONS[do], optional, f"The message {do!r}"))


# A new table


def _seat(game: str) -> Check:
    def check(value: Any) -> Seat:
        match value:
            case {"kind": "person", "name": given, **others} if not others:
                return Seat("person", name(given))
            case {"kind": "agent", "spec": str(spec), **others} if not others:
                if spec not in agent_entries(game) and not bots.is_offered(game, spec):
                    raise ValueError(f"one of the agents of {game}, which {spec[:40]!r} is not")
                return Seat("agent", agent_label(spec, game), spec)
        raise ValueError('{"kind": "person", "name": "..."} or {"kind": "agent", "spec": "..."}')

    return check


def _seats(game: str) -> Check:
    def check(value: Any) -> tuple[Seat, Seat]:
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError("a list of the two players")
        return _seat(game)(value[0]), _seat(game)(value[1])

    return check


def read_game(game: str, options: Mapping[str, Any]) -> Game:
    """Return a game with options as the page sends them. Raise BadOption or BadText."""
    return registry.game(game, **{str(key): value for key, value in options.items() if value is not None})


def read_new_table(raw: bytes, seed: int, keys: tuple[str, str] = ("", "")) -> tuple[Table, list[Event]]:
    """Return a table that is asked for, and what has happened at it already. Raise KibitzError."""
    said = read_object(raw)
    if "record" in said:
        return _from_record(check_fields(said, {"record": mapping}, set(), "The request")["record"], keys)
    if not isinstance(said.get("game"), str):
        raise BadText("The request must name a game.")
    registry.page(said["game"])  # refuses an unknown game, and one that cannot be shown
    fields: Mapping[str, Check] = {
        "game": text(40),
        "options": mapping,
        "seats": _seats(said["game"]),
        "seconds": or_none(seconds(*SECONDS_RANGE)),
        "start": or_none(text(MAX_TEXT_LENGTH)),
        "moves": or_none(texts("moves")),
        "link": or_none(flag),
    }
    found = check_fields(said, fields, {"seconds", "start", "moves", "link"}, "The request")
    game = read_game(found["game"], found["options"])
    start = found["start"] or None
    if start is not None:
        start = game.position_text(game.parse_position(start))
    link = bool(found["link"])
    if link and all(seat.kind == "agent" for seat in found["seats"]):
        raise BadText("A link invites a person: choose a person for at least one player.")
    table = Table(Setup("", game, found["seats"], found["seconds"], seed, start, link, keys))
    return table, _play(table, found["moves"] or [])


def _play(table: Table, texts: list[str]) -> list[Event]:
    """Make the moves of a game that began elsewhere. Raise BadText for the first that does not fit."""
    events = list[Event]()
    for number, move in enumerate(texts, 1):
        try:
            events.append(table.make(table.game.parse_move(move), 0.0))
        except KibitzError as error:
            raise BadText(f"Move {number} ({move!r}) does not fit: {error}") from None
        table.commit(events[-1])
    return events


def _from_record(raw: JsonObject, keys: tuple[str, str]) -> tuple[Table, list[Event]]:
    """Return the table of a record, with its players as persons. Raise BadText."""
    record = GameRecord.from_object(raw)
    if len(record.moves) > MAX_MOVES:
        raise BadText(f"The record has {len(record.moves)} moves; the limit is {MAX_MOVES}.")
    states = replay(record)
    first, second = (Seat("person", agent_label(shown(agent, MAX_NAME_LENGTH), record.game)) for agent in record.agents)
    table = Table(Setup("", states[0].game, (first, second), None, record.seed, record.start, keys=keys))
    events = play_record(table, record, states)
    if states[-1].outcome() is not None and states[-1].game.settles and record.result != "*":
        events.append(table.read({"do": "settle", "marks": list(record.marks or ())}))
        table.commit(events[-1])
    return table, events
