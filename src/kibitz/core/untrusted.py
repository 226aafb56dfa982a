"""Values in JSON that somebody else wrote: each is of the type that it should be, or is named in the fault."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from kibitz.core.errors import BadText

JsonObject: TypeAlias = dict[str, Any]
"""An object as json.loads returns it, or as it is handed to json.dumps."""

_WORDS = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object",
}  # fmt: skip


def read_field(raw: JsonObject, key: str, kind: type) -> Any:
    """Return the value of a key, which is of a type; a whole number is a number too. Raises BadText."""
    if key not in raw:
        raise BadText(f"{key!r} is missing")
    if type(raw[key]) is not kind and not (kind is float and type(raw[key]) is int):
        raise BadText(f"{key!r} is {_shown(raw[key])}, not {_WORDS[kind]}")
    return raw[key]


def read_texts(raw: JsonObject, key: str) -> tuple[str, ...]:
    """Return the texts in the list of a key. Raises BadText."""
    found = read_field(raw, key, list)
    for each in found:
        if type(each) is not str:
            raise BadText(f"{key!r} holds {_shown(each)}, which is not a text")
    return tuple(found)


def _shown(value: Any) -> str:
    """Return a value as it was written, not too long."""
    return f"{json.dumps(value, ensure_ascii=False):.40}"


def printable(text: str) -> str:
    """Return a text with a ? instead of each control character, ends of lines among them."""
    return "".join(char if char.isprintable() else "?" for char in text)
