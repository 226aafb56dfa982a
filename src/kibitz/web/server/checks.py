"""Checks of what a client sends: each field is what it should be, or is refused in words.

Knows the forms of values and of requests, not what they are for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from kibitz.core.errors import BadText
from kibitz.core.record import parse_line
from kibitz.core.untrusted import JsonObject

Check: TypeAlias = Callable[[Any], Any]
"""Returns the value it was given, as it is used. Raise ValueError that says what it should be."""


def text(longest: int) -> Check:
    """Return a check for a text of at most so many characters."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise ValueError(f"a text of at most {longest} characters")
        return value

    return check


def whole(most: int, least: int = 0) -> Check:
    """Return a check for a whole number."""

    def check(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return value

    return check


def whole_text(most: int, least: int = 0) -> Check:
    """Return a check for a whole number in the text of an address."""

    def check(value: Any) -> int:
        try:
            found = int(value) if len(value) <= 20 and value.isascii() else None
        except ValueError:
            found = None
        checked: int = whole(most, least)(found)
        return checked

    return check


def seconds(least: float, most: float) -> Check:
    """Return a check for a time."""

    def check(value: Any) -> float:
        if type(value) not in (int, float) or not least <= value <= most:
            raise ValueError(f"a number of seconds from {least:g} to {most:g}")
        return float(value)

    return check


def one_of(*words: str) -> Check:
    """Return a check for one of some words."""
    known = ", ".join(word or '""' for word in words)

    def check(value: Any) -> str:
        if value not in words:
            raise ValueError(f"one of {known}")
        return str(value)

    return check


def flag(value: Any) -> bool:
    """Check for true or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def mapping(value: Any) -> JsonObject:
    """Check for an object."""
    if not isinstance(value, dict):
        raise ValueError("an object")
    return value


def or_none(check: Check) -> Check:
    """Return a check that lets null pass too."""

    def either(value: Any) -> Any:
        try:
            return None if value is None else check(value)
        except ValueError as error:
            raise ValueError(f"{error}, or null") from None

    return either


def check_fields(said: Mapping[str, Any], fields: Mapping[str, Check], optional: set[str], what: str) -> JsonObject:
    """Return the fields of an object, each checked. Raise BadText for a missing, unknown or wrong one."""
    unknown = sorted(set(said) - set(fields))
    if unknown:
        known = ", ".join(fields) or "none"
        raise BadText(f"{what} has a field {unknown[0][:40]!r}, which is not known; its fields are {known}.")
    found = JsonObject()
    for key, check in fields.items():
        if key not in said:
            if key not in optional:
                raise BadText(f"{what} lacks the field {key!r}.")
            found[key] = None
            continue
        try:
            found[key] = check(said[key])
        except ValueError as error:
            raise BadText(f"{what} has a wrong {key!r}: it must be {error}.") from None
    return found


def read_object(raw: str | bytes) -> JsonObject:
    """Return the JSON object that a message or the body of a request is. Raise BadText."""
    try:
        said = parse_line(raw if isinstance(raw, str) else raw.decode())
    except UnicodeDecodeError:
        raise BadText("The request is not a text in UTF-8.") from None
    except BadText as error:
        raise BadText(f"This is {error}.") from None
    if not isinstance(said, dict):
        raise BadText("This is not a JSON object.")
    return said


def read_body(raw: bytes, fields: Mapping[str, Check], optional: set[str]) -> JsonObject:
    """Return the fields of a request's body; optional ones that are missing are None. Raise BadText."""
    return check_fields(read_object(raw), fields, optional, "The request")
