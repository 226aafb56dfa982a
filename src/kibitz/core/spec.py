"""Specs: the texts that name an agent and its options, as in name(key=value, ...).

Knows the grammar and the types of options, but not which agents and games exist.
"""

from __future__ import annotations

import inspect
import math
import re
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated, Literal, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin

from kibitz.core.errors import BadOption

FileText: TypeAlias = Annotated[str, "file"]
"""The type of an option that holds the text of a file. On the command line, give the path of the file instead."""

PathText: TypeAlias = Annotated[str, "path"]
"""The type of an option that holds the path of a file or folder. Visitors of a server must not choose one."""

T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z][\w.#-]*")
QUOTE = '"'


class Parameter(NamedTuple):
    """A keyword parameter of a class or function."""

    kind: object
    """Its type: a class, a Literal, a union or FileText."""
    default: object


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Parse a spec; return the name, and the texts of the values by key. Raise BadOption if it is malformed.

    A value ends at the next comma outside brackets, so it may be an expression such as 5/(t^2). A value in
    double quotes, such as a path, may contain anything but double quotes.
    """
    text = text.strip()
    name, bracket, rest = text.partition("(")
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise BadOption(f"{text!r} does not name an agent: write name or name(key=value,...).")
    if not bracket:
        return name, {}
    if not rest.endswith(")"):
        raise BadOption(f"{text!r} lacks its closing bracket: write {name}(key=value,...).")
    values: dict[str, str] = {}
    for part in _split(rest[:-1], text):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if len(value) > 1 and value[0] == value[-1] == QUOTE:
            value = value[1:-1]
        if not equals or not key or not value:
            raise BadOption(f"{part.strip()!r} in {text!r} is not an option: write key=value.")
        if key in values:
            raise BadOption(f"{text!r} gives {key!r} twice; leave one out.")
        values[key] = value
    return name, values


def _split(body: str, spec: str) -> list[str]:
    """Split the part of a spec between its brackets at commas. Raise BadOption if brackets or quotes do not match."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, char in enumerate(body):
        quoted ^= char == QUOTE
        if quoted:
            continue
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
        if char == "," and depth == 0:
            parts.append(body[start:i])
            start = i + 1
    if quoted:
        raise BadOption(f"The quotes of {spec!r} do not match; close each one.")
    if depth:
        raise BadOption(f"The brackets of {spec!r} do not match; close each one.")
    return [*parts, body[start:]] if body.strip() else []


def parameters(factory: Callable[..., object]) -> dict[str, Parameter]:
    """Return the parameters of a class or function that have defaults, by key.

    A trailing underscore, which avoids a name clash, is not part of the key: the key of start_ is start.
    """
    return {
        key.rstrip("_"): Parameter(parameter.annotation, parameter.default)
        for key, parameter in inspect.signature(factory, eval_str=True).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


def read_values(owner: str, known: Mapping[str, Parameter], given: Mapping[str, object]) -> dict[str, object]:
    """Convert the given values, or their texts, to the types of the known parameters.

    Raise BadOption, listing the valid keys or values, if one is not valid. owner: the game or agent, for messages.
    """
    values = {}
    for key, value in given.items():
        if key not in known:
            valid = ", ".join(f"{name}={kind_text(kind)}" for name, (kind, _) in known.items())
            takes = f"it takes {valid}" if valid else "it takes no options"
            raise BadOption(f"{owner} has no option {key!r}; {takes}.")
        kind = known[key].kind
        try:
            values[key] = _convert(kind, value)
        except (ValueError, KeyError):
            raise BadOption(f"{owner} cannot take {key}={value!r}: it must be {kind_words(kind)}.") from None
    return values


def call_with(factory: Callable[..., T], *args: object, values: Mapping[str, object]) -> T:
    """Call a class or function with keyword values; keys are those of parameters()."""
    names = {name.rstrip("_"): name for name in inspect.signature(factory).parameters}
    return factory(*args, **{names[key]: value for key, value in values.items()})


_KIND_NAMES: dict[object, tuple[str, str]] = {
    bool: ("true|false", "true or false"),
    int: ("int", "a whole number"),
    float: ("number", "a number"),
    str: ("text", "text"),
    type(None): ("none", "none"),
    FileText: ("FILE", "the text of a file"),
    PathText: ("PATH", "the path of a file or folder"),
}
"""Type -> its name in lists of options, and in sentences."""
_SPELLINGS: dict[object, dict[str, bool | None]] = {bool: {"true": True, "false": False}, type(None): {"none": None}}
"""Type -> its values by their spelling in lower case."""


def _is_union(kind: object) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def is_option_type(kind: object) -> bool:
    """Return whether an option may have a type.

    These are int, float, bool, str, None, Literal, FileText, PathText, or a union of these.
    """
    if _is_union(kind):
        return all(map(is_option_type, get_args(kind)))
    return get_origin(kind) is Literal or kind in _KIND_NAMES


def kind_text(kind: object) -> str:
    """Return the name of a type for lists of options: "int", "closed|open"."""
    return "|".join(_kind_names(kind, 0))


def kind_words(kind: object) -> str:
    """Return the name of a type for sentences: "a whole number", "closed or open"."""
    *first, last = _kind_names(kind, 1)
    return f"{', '.join(first)} or {last}" if first else last


def _kind_names(kind: object, column: int) -> list[str]:
    """Return the names of a type's alternatives; column: 0 for lists, 1 for sentences (see _KIND_NAMES)."""
    if get_origin(kind) is Literal:
        return [str(choice) for choice in get_args(kind)]
    if _is_union(kind):
        return [name for part in get_args(kind) for name in _kind_names(part, column)]
    return [_KIND_NAMES[kind][column]]


def _alternatives(kind: object) -> list[object]:
    """Return the types that a value may have, in the order in which to try them: any text is a path, so paths last."""
    parts = get_args(kind) if _is_union(kind) else (kind,)
    return sorted(parts, key=lambda part: part == PathText)


def names_path(kind: object, value: object) -> bool:
    """Return whether a value of an option is a path: if no other alternative of its type can take it."""
    for part in _alternatives(kind):
        with suppress(ValueError, KeyError):
            _convert(part, value)
            return bool(part == PathText)
    return False


def _convert(kind: object, value: object) -> object:
    """Convert a value, or its text, to a type. Raise ValueError or KeyError if that is not possible."""
    text = str(value).strip()
    if get_origin(kind) is Literal:
        return {str(choice): choice for choice in get_args(kind)}[text]
    if _is_union(kind):
        for part in _alternatives(kind):
            with suppress(ValueError, KeyError):
                return _convert(part, value)
        raise ValueError
    if kind in _SPELLINGS:
        return _SPELLINGS[kind][text.lower()]
    if kind is float and not math.isfinite(float(text)):
        raise ValueError
    return int(text) if kind is int else float(text) if kind is float else text
