"""JSON fields checked for their types, and texts from outside made safe to print."""

from __future__ import annotations

import json
from typing import Any, TypeAlias, TypeVar

from kibitz.core.errors import BadText

T = TypeVar("T")

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object, as json.loads returns it and json.dumps takes it."""

_TYPE_NAMES: dict[type, str] = {
    str: "a string", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object",
}  # fmt: skip


def read_field(raw: JsonObject, key: str, kind: type[T]) -> T:
    """Return the value of a key. Raise BadText if it is missing or has another type; an int is accepted as a float."""
    if key not in raw:
        raise BadText(f"{key!r} is missing")
    value: T = raw[key]
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise BadText(f"{key!r} is {_quote(value)}, not {_TYPE_NAMES[kind]}")
    return value


def read_texts(raw: JsonObject, key: str) -> tuple[str, ...]:
    """Return the list of strings under a key. Raise BadText if the key is missing or has another value."""
    values = read_field(raw, key, list)
    for value in values:
        if type(value) is not str:
            raise BadText(f"{key!r} contains {_quote(value)}, which is not a string")
    return tuple(values)


def _quote(value: object) -> str:
    """Return a value as JSON, cut to 40 characters."""
    return f"{json.dumps(value, ensure_ascii=False):.40}"


def printable(text: str) -> str:
    """Replace every unprintable character, including line breaks, with a question mark."""
    return "".join(char if char.isprintable() else "?" for char in text)


def shortened(text: str, max_length: int = 80) -> str:
    """Cut a text to max_length characters; return it quoted and escaped."""
    return repr(text if len(text) <= max_length else text[:max_length] + "...")
