"""The messages of clients at a table: every field is checked, and anything unknown is refused in words.

Knows the form of a message, not whether a move is legal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kibitz.core.errors import BadText
from kibitz.web.server.checks import Check, check_fields, flag, list_of, or_none, read_object, text, whole

MAX_NAME_LENGTH = 30
MAX_MOVE_LENGTH = 64
MAX_TOKEN_LENGTH = 64
MAX_TEXT_LENGTH = 100_000
"""Maximum length of a position or game text."""
MAX_MOVES = 1000
MAX_PLY = 100_000


@dataclass(frozen=True)
class Message:
    """What a client asks for at a table."""

    do: str
    fields: Mapping[str, Any]


def name(value: Any) -> str:
    """Check the name of a person; spaces around it are removed."""
    found = value.strip() if isinstance(value, str) else ""
    if not 1 <= len(found) <= MAX_NAME_LENGTH or not found.isprintable():
        raise ValueError(f"a name of 1 to {MAX_NAME_LENGTH} printable characters")
    return found


def texts(what: str) -> Check:
    """Return a check for a list of moves, or of marks."""
    return list_of(text(MAX_MOVE_LENGTH), what, MAX_MOVES)


ACTIONS: Mapping[str, Mapping[str, Check]] = {
    "move": {"ply": whole(MAX_PLY), "move": text(MAX_MOVE_LENGTH)},
    "undo": {},
    "redo": {},
    "restart": {},
    "mark": {"mark": text(MAX_MOVE_LENGTH)},
    "settle": {"marks": texts("marks")},
    "agree": {},
    "decline": {},
    "sit": {"tokens": list_of(text(MAX_TOKEN_LENGTH), "tokens", 2, 1)},
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
"""Every message, with its fields."""


def read_message(raw: str) -> Message:
    """Return a message from a client. Raise BadText."""
    given = read_object(raw)
    do = given.pop("do", None)
    if not isinstance(do, str) or do not in ACTIONS:
        raise BadText(f"'do' must be one of {', '.join(ACTIONS)}.")
    optional = {"ply"} if do == "analyse" else set[str]()
    return Message(do, check_fields(given, ACTIONS[do], optional, f"The message {do!r}"))
