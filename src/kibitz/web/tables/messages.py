"""Messages from clients at a table: every field is checked, and anything unknown is refused with an error message.

Checks only the form of a message, not whether a move is legal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kibitz.core.errors import BadText
from kibitz.web.server.checks import Check, check_fields, flag, list_of, or_none, read_object, text, whole

MAX_NAME_LENGTH = 30
MAX_PROGRAM_LENGTH = 40
MAX_MOVE_LENGTH = 64
MAX_TOKEN_LENGTH = 64
MAX_TEXT_LENGTH = 100_000
"""Maximum length of the text of a position or game, in characters."""
MAX_MOVES = 1000
MAX_PLY = 100_000


@dataclass(frozen=True)
class Message:
    """A checked message from a client: the action it asks for, and its fields."""

    do: str
    fields: Mapping[str, Any]


def person_name(value: Any) -> str:
    """Return a person's name without spaces around it. Raise ValueError if it is empty, too long or not printable."""
    name = value.strip() if isinstance(value, str) else ""
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise ValueError(f"a name of 1 to {MAX_NAME_LENGTH} printable characters")
    return name


def move_texts(noun: str) -> Check:
    """Return a check for a list of moves or marks; messages call them `noun`, a plural."""
    return list_of(text(MAX_MOVE_LENGTH), noun, MAX_MOVES)


ACTIONS: Mapping[str, Mapping[str, Check]] = {
    "move": {"ply": whole(MAX_PLY), "move": text(MAX_MOVE_LENGTH)},
    "undo": {},
    "redo": {},
    "restart": {},
    "mark": {"mark": text(MAX_MOVE_LENGTH)},
    "settle": {"marks": move_texts("marks")},
    "agree": {},
    "decline": {},
    "sit": {"tokens": list_of(text(MAX_TOKEN_LENGTH), "tokens", 2, 1)},
    "resign": {"seat": whole(1)},
    "name": {"seat": whole(1), "name": person_name},
    "hint": {},
    "now": {},
    "pause": {},
    "resume": {},
    "analyse": {"on": flag, "ply": or_none(whole(MAX_PLY))},
    "analyst": {"name": text(MAX_PROGRAM_LENGTH)},
    "review": {},
    "sync": {},
}
"""Every action that a message may ask for, with the checks of its fields."""


def read_message(raw: str) -> Message:
    """Parse and check a message from a client. Raise BadText if it is invalid."""
    given = read_object(raw)
    do = given.pop("do", None)
    if not isinstance(do, str) or do not in ACTIONS:
        raise BadText(f"'do' must be one of {', '.join(ACTIONS)}.")
    optional = {"ply"} if do == "analyse" else set[str]()
    return Message(do, check_fields(given, ACTIONS[do], optional, f"The message {do!r}"))
