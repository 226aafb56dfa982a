"""Checks of untrusted JSON: a field without the right form is refused with an error message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from kibitz.core.errors import BadText
from kibitz.core.record import parse_line
from kibitz.core.untrusted import JsonObject

Check: TypeAlias = Callable[[Any], Any]
"""Returns the value, converted if necessary, or raises ValueError with a description of the valid form."""


def _check(is_valid: Callable[[Any], bool], form: str, convert: Callable[[Any], Any] = lambda value: value) -> Check:
    """Return a check that converts valid values; `form` describes in words what is valid."""

    def check(value: Any) -> Any:
        if not is_valid(value):
            raise ValueError(form)
        return convert(value)

    return check


def text(max_length: int) -> Check:
    """Return a check for a text of limited length."""
    fits = lambda value: isinstance(value, str) and len(value) <= max_length  # noqa: E731
    return _check(fits, f"a text of at most {max_length} characters")


def whole(most: int, least: int = 0) -> Check:
    """Return a check for a whole number in a range."""
    return _check(lambda value: type(value) is int and least <= value <= most, f"a whole number from {least} to {most}")


def whole_text(most: int, least: int = 0) -> Check:
    """Return a check for a whole number written as text, as in an address."""

    def check(value: Any) -> Any:
        try:
            found = int(value) if len(value) <= 20 and value.isascii() else None
        except ValueError:
            found = None
        return whole(most, least)(found)

    return check


def seconds(least: float, most: float) -> Check:
    """Return a check for a number of seconds in a range."""
    form = f"a number of seconds from {least:g} to {most:g}"
    return _check(lambda value: type(value) in (int, float) and least <= value <= most, form, float)


def one_of(*words: str) -> Check:
    """Return a check for one of these words."""
    known = ", ".join(word or '""' for word in words)
    return _check(lambda value: value in words, f"one of {known}")


def list_of(check: Check, things: str, most: int, least: int = 0) -> Check:
    """Return a check for a list whose elements each pass a check; `things` is their name in the plural."""
    form = f"a list of {f'{least} to' if least else 'at most'} {most} {things}"
    fits = lambda value: isinstance(value, list) and least <= len(value) <= most  # noqa: E731
    return _check(fits, form, lambda value: [check(each) for each in value])


flag = _check(lambda value: isinstance(value, bool), "true or false")
mapping = _check(lambda value: isinstance(value, dict), "a JSON object")


def or_none(check: Check) -> Check:
    """Return a check that also accepts null."""

    def either(value: Any) -> Any:
        try:
            return None if value is None else check(value)
        except ValueError as error:
            raise ValueError(f"{error}, or null") from None

    return either


def check_fields(given: Mapping[str, Any], fields: Mapping[str, Check], optional: set[str], what: str) -> JsonObject:
    """Return the checked fields of an object, None if left out. Raise BadText for a missing, unknown or invalid one."""
    unknown = sorted(set(given) - set(fields))
    if unknown:
        known = ", ".join(fields) or "none"
        raise BadText(f"{what} has an unknown field {unknown[0][:40]!r}; its fields are {known}.")
    found = JsonObject()
    for key, check in fields.items():
        if key not in given and key not in optional:
            raise BadText(f"{what} lacks the field {key!r}.")
        try:
            found[key] = check(given[key]) if key in given else None
        except ValueError as error:
            raise BadText(f"{what} has an invalid {key!r}: it must be {error}.") from None
    return found


def read_object(raw: str | bytes) -> JsonObject:
    """Parse the JSON object in a message or request body. Raise BadText if it is not one."""
    try:
        given = parse_line(raw if isinstance(raw, str) else raw.decode())
    except UnicodeDecodeError:
        raise BadText("The request is not a text in UTF-8.") from None
    except BadText as error:
        raise BadText(f"This is {error}.") from None
    if not isinstance(given, dict):
        raise BadText("This is not a JSON object.")
    return given


def read_body(raw: bytes, fields: Mapping[str, Check], optional: set[str]) -> JsonObject:
    """Return the checked fields of a request body; missing optional ones are None. Raise BadText if it is invalid."""
    return check_fields(read_object(raw), fields, optional, "The request")
