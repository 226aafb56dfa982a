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


def whole(high: int, low: int = 0) -> Check:
    """Return a check for a whole number from `low` to `high`."""
    return _check(lambda value: type(value) is int and low <= value <= high, f"a whole number from {low} to {high}")


def whole_text(high: int, low: int = 0) -> Check:
    """Return a check for a whole number written as text, as in an address."""

    def check(value: Any) -> Any:
        try:
            number = int(value) if len(value) <= 20 and value.isascii() else None
        except ValueError:
            number = None
        return whole(high, low)(number)

    return check


def seconds(low: float, high: float) -> Check:
    """Return a check for a number of seconds from `low` to `high`."""
    form = f"a number of seconds from {low:g} to {high:g}"
    return _check(lambda value: type(value) in (int, float) and low <= value <= high, form, float)


def one_of(*words: str) -> Check:
    """Return a check for one of these words."""
    known = ", ".join(word or '""' for word in words)
    return _check(lambda value: value in words, f"one of {known}")


def list_of(check: Check, noun: str, max_length: int, min_length: int = 0) -> Check:
    """Return a check for a list whose elements all pass `check`; messages call them `noun`, a plural."""
    form = f"a list of {f'{min_length} to' if min_length else 'at most'} {max_length} {noun}"
    fits = lambda value: isinstance(value, list) and min_length <= len(value) <= max_length  # noqa: E731
    return _check(fits, form, lambda value: [check(each) for each in value])


flag = _check(lambda value: isinstance(value, bool), "true or false")
mapping = _check(lambda value: isinstance(value, dict), "a JSON object")


def or_none(check: Check) -> Check:
    """Return a check that also accepts null."""

    def check_or_none(value: Any) -> Any:
        try:
            return None if value is None else check(value)
        except ValueError as error:
            raise ValueError(f"{error}, or null") from None

    return check_or_none


def check_fields(given: Mapping[str, Any], fields: Mapping[str, Check], optional: set[str], name: str) -> JsonObject:
    """Return the checked fields of an object; a missing optional field is None. Messages call the object `name`.

    Raise BadText if a field is unknown, missing or invalid.
    """
    unknown = sorted(set(given) - set(fields))
    if unknown:
        known = ", ".join(fields) or "none"
        raise BadText(f"{name} has an unknown field {unknown[0][:40]!r}; its fields are {known}.")
    checked = JsonObject()
    for key, check in fields.items():
        if key not in given and key not in optional:
            raise BadText(f"{name} lacks the field {key!r}.")
        try:
            checked[key] = check(given[key]) if key in given else None
        except ValueError as error:
            raise BadText(f"{name} has an invalid {key!r}: it must be {error}.") from None
    return checked


def read_object(raw: str | bytes) -> JsonObject:
    """Parse a message or request body as a JSON object. Raise BadText if that fails."""
    try:
        given = parse_line(raw if isinstance(raw, str) else raw.decode())
    except UnicodeDecodeError:
        raise BadText("The request is not valid UTF-8.") from None
    except BadText as error:
        raise BadText(f"The request is {error}.") from None
    if not isinstance(given, dict):
        raise BadText("The request is not a JSON object.")
    return given


def read_body(raw: bytes, fields: Mapping[str, Check], optional: set[str]) -> JsonObject:
    """Return the checked fields of a request body as check_fields() does. Raise BadText if the body is invalid."""
    return check_fields(read_object(raw), fields, optional, "The request")
