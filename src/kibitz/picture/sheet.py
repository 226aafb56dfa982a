"""CSS style sheets applied to a picture ahead of time, for viewers that support little CSS.

Supports the part of CSS that boards use: selectors of tags, classes, :not(), :is() and :where(), combined by a space or
`>`; custom properties with var(); and light-dark(). Rules that depend on a state or on the screen (:hover, [data-open],
@media, @keyframes) never apply to a still picture and are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeAlias

_DRAWN = re.compile(
    r"((fill|stroke|stop|font)(-[a-z]+)*|opacity|color|display|visibility|text-anchor|dominant-baseline|letter-spacing"
    r"|word-spacing|white-space|text-decoration|paint-order|clip-path|clip-rule|mask|filter|mix-blend-mode|vector-effect)"
)
"""The properties that affect a still picture."""


class Compound(NamedTuple):
    """A compound selector, which describes one element: `text.pill:not(.best)`."""

    tag: str
    classes: frozenset[str]
    root: bool
    """Whether it matches the root of the document."""
    lists: tuple[tuple[bool, tuple[Compound, ...]], ...]
    """For each :is(), :where() and :not(): whether one of its selectors must match, and the selectors."""
    dynamic: bool
    """Whether it depends on a state, so that it matches nothing in a still picture."""


Parts: TypeAlias = tuple[tuple[Compound, bool], ...]
"""Compound selectors from the element outwards, each with a flag: whether the next one must match the direct parent."""
Specificity: TypeAlias = tuple[int, int]
"""The number of classes and the number of tags in a selector."""


class Declaration(NamedTuple):
    """A property and its value."""

    name: str
    value: str
    important: bool


class Rule(NamedTuple):
    """The declarations for the elements that a selector matches."""

    parts: Parts
    specificity: Specificity
    declarations: tuple[Declaration, ...]
    text: str
    """The selector as written."""


# Parsing


@lru_cache(maxsize=32)
def parse(css: str) -> tuple[Rule, ...]:
    """Parse a style sheet; return its rules, one per selector, except those inside at-rules.

    Raise ValueError if a brace is missing or a selector is malformed.
    """
    rules = []
    for heading, body in _blocks(_without_comments(css)):
        if heading.startswith("@"):
            continue
        declarations = tuple(_declarations(body))
        rules += [Rule(*_selector(text), declarations, text) for text in _split(heading, ",")]
    return tuple(rules)


@lru_cache(maxsize=32)
def headings(css: str) -> tuple[str, ...]:
    """Return the selectors of a style sheet, including those inside @media, and the headings of its at-rules."""
    names: list[str] = []
    for heading, body in _blocks(_without_comments(css)):
        if heading.startswith("@"):
            names.append(heading)
            if not heading.startswith(("@keyframes", "@font-face", "@property", "@page")):
                names += headings(body)
        else:
            names += _split(heading, ",")
    return tuple(names)


def _without_comments(css: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", css, flags=re.S)


def _blocks(css: str) -> Iterator[tuple[str, str]]:
    """Yield the heading and the body of every block; skip statements such as @import."""
    at = 0
    while (opening := _find(css, "{;", at)) < len(css):
        heading = css[at:opening].strip()
        if css[opening] == ";":
            at = opening + 1
            continue
        depth, end = 1, opening
        while depth:
            end = _find(css, "{}", end + 1)
            if end >= len(css):
                raise ValueError(f"missing }} after {heading!r}")
            depth += 1 if css[end] == "{" else -1
        yield heading, css[opening + 1 : end]
        at = end + 1
    if css[at:].strip():
        raise ValueError(f"expected a rule, got {css[at:].strip()!r}")


def _find(text: str, characters: str, start: int = 0) -> int:
    """Return the index of the first of these characters outside quotes and parentheses; len(text) if there is none."""
    depth, quote, i = 0, "", start
    while i < len(text):
        char = text[i]
        if quote:
            if char == "\\":
                i += 1
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif not depth and char in characters:
            return i
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        i += 1
    return len(text)


def _split(text: str, separator: str) -> list[str]:
    parts, at = [], 0
    while at <= len(text):
        end = _find(text, separator, at)
        parts.append(text[at:end].strip())
        at = end + 1
    return [part for part in parts if part]


def _declarations(body: str) -> Iterator[Declaration]:
    if "{" in body:
        raise ValueError(f"nested rules are not supported: {body.strip()!r}")
    for part in _split(body, ";"):
        name, colon, value = part.partition(":")
        if not colon:
            raise ValueError(f"expected name: value, got {part!r}")
        value, important, _ = value.partition("!important")
        name = name.strip()
        yield Declaration(name if name.startswith("--") else name.lower(), " ".join(value.split()), bool(important))


_SIMPLE = re.compile(r"(?P<tag>\*|[a-zA-Z][\w-]*)|\.(?P<cls>[\w-]+)|(?P<pseudo>::?[\w-]+)|\[[^\]]*\]|#[\w-]+")


def _selector(text: str) -> tuple[Parts, Specificity]:
    """Parse a selector; return its parts and its specificity. Sibling selectors (+, ~) are dynamic: never match."""
    parts: list[tuple[Compound, bool]] = []
    specificity, is_child = (0, 0), False
    for word in _split(re.sub(r"\s*([>+~])(?!=)\s*", r" \1 ", text), " "):
        if word == ">":
            is_child = True
        elif word in ("+", "~"):
            return ((Compound("", frozenset(), False, (), dynamic=True), False),), (0, 0)
        else:
            compound, (classes, tags) = _compound(word)
            parts.append((compound, is_child))
            specificity, is_child = (specificity[0] + classes, specificity[1] + tags), False
    if not parts:
        raise ValueError(f"not a selector: {text!r}")
    return tuple(reversed(parts)), specificity


def _compound(text: str) -> tuple[Compound, Specificity]:
    """Parse a compound selector, such as `text.pill:not(.best)`; return it and its specificity."""
    tag, classes, root, dynamic, at = "", set[str](), False, False, 0
    lists: list[tuple[bool, tuple[Compound, ...]]] = []
    class_count = tag_count = 0
    while at < len(text):
        match = _SIMPLE.match(text, at)
        if not match:
            raise ValueError(f"not a selector: {text!r}")
        at = match.end()
        if match["tag"]:
            tag = "" if match["tag"] == "*" else match["tag"]
            tag_count += bool(tag)
        elif match["cls"]:
            classes.add(match["cls"])
            class_count += 1
        elif match["pseudo"] in (":not", ":is", ":where") and text[at : at + 1] == "(":
            end = _find(text + ")", ")", at + 1)
            listed = [_compound(each) for each in _split(text[at + 1 : end], ",")]
            lists.append((match["pseudo"] != ":not", tuple(each for each, _ in listed)))
            if match["pseudo"] != ":where":
                most_specific = max(specificity for _, specificity in listed)
                class_count, tag_count = class_count + most_specific[0], tag_count + most_specific[1]
            at = end + 1
        else:
            root, dynamic = root or match["pseudo"] == ":root", dynamic or match["pseudo"] != ":root"
            class_count += 1
            if text[at : at + 1] == "(":
                at = _find(text + ")", ")", at + 1) + 1
    return Compound(tag, frozenset(classes), root, tuple(lists), dynamic), (class_count, tag_count)


# Values


def _replace_calls(value: str, name: str, replace: Callable[[list[str]], str | None]) -> str | None:
    """Replace every call of a CSS function in a value by replace(its one or two arguments); None if that gives None."""
    while (call := re.search(rf"(?<![\w-]){name}\(", value)) is not None:
        end = _find(value + ")", ")", call.end())
        inner = value[call.end() : end]
        comma = _find(inner, ",")
        arguments = [inner[:comma], inner[comma + 1 :]] if comma < len(inner) else [inner]
        new = replace([argument.strip() for argument in arguments])
        if new is None:
            return None
        value = value[: call.start()] + new + value[end + 1 :]
    return value


def for_theme(value: str, dark: bool) -> str:
    """Replace every light-dark() in a value by its light or its dark colour."""
    return _replace_calls(value, "light-dark", lambda colours: colours[-1] if dark else colours[0]) or ""


# The cascade


@dataclass(eq=False)
class Element:
    """All elements of a picture with the same tag, classes and ancestors, which therefore look the same.

    A picture of hundreds of shapes has a few dozen of these.
    """

    sheet: Sheet
    tag: str
    classes: frozenset[str]
    ancestors: tuple[Element, ...] = ()
    """The enclosing elements, innermost first."""
    children: dict[tuple[str, str], Element] = field(default_factory=dict)

    def child(self, tag: str, style: str = "") -> Element:
        """Return the child element with this tag and these classes, created on first use."""
        if (tag, style) not in self.children:
            ancestors = (self, *self.ancestors)
            self.children[tag, style] = Element(self.sheet, tag, frozenset(style.split()), ancestors)
        return self.children[tag, style]

    def __post_init__(self) -> None:
        declared = self.sheet.declared(self)
        own = {name: value for name, value in declared.items() if name.startswith("--")}
        outer = self.ancestors[0].variables if self.ancestors else {}
        resolved = {name: _substitute(value, own, outer, (name,)) for name, value in own.items()}
        self.variables: dict[str, str] = {
            name: value for name, value in (outer | resolved).items() if value is not None
        }
        drawn = {
            name: _substitute(declared[name], {}, self.variables, ()) for name in filter(_DRAWN.fullmatch, declared)
        }
        self.declared = {name: value for name, value in sorted(drawn.items()) if value}
        """Property -> value with every var() resolved, for properties set on this element itself, not inherited."""


def _substitute(value: str, own: dict[str, str], outer: dict[str, str], seen: tuple[str, ...]) -> str | None:
    """Replace every var() by the element's own or inherited (outer) value; None if it has none or depends on itself."""

    def replace(arguments: list[str]) -> str | None:
        name = arguments[0]
        resolved = None
        if name in own:
            resolved = None if name in seen else _substitute(own[name], own, outer, (*seen, name))
        elif name in outer:
            resolved = outer[name]
        if resolved is None and len(arguments) > 1:
            resolved = _substitute(arguments[1], own, outer, seen)
        return resolved

    return _replace_calls(value, "var", replace)


class Sheet:
    """Several style sheets; later ones override earlier ones."""

    def __init__(self, *texts: str) -> None:
        self.rules = [rule for text in texts for rule in parse(text)]
        self.root = Element(self, ":root", frozenset())

    def declared(self, element: Element) -> dict[str, str]:
        """Return the properties of an element, each with the value of the rule that takes precedence."""
        matching = [
            (declaration.important, rule.specificity, declaration)
            for rule in self.rules
            if _selects(rule.parts, element)
            for declaration in rule.declarations
        ]
        matching.sort(key=lambda each: each[:2])  # the last one wins; equals stay in the order of the sheet
        return {declaration.name: declaration.value for *_, declaration in matching}


def _selects(parts: Parts, element: Element) -> bool:
    """Return whether a selector matches an element: its first part the element itself, the others ancestors."""
    (compound, next_is_parent), *outer_parts = parts
    if not _matches(compound, element):
        return False
    candidates = element.ancestors[:1] if next_is_parent else element.ancestors
    return not outer_parts or any(_selects(tuple(outer_parts), each) for each in candidates)


def _matches(compound: Compound, element: Element) -> bool:
    return (
        not compound.dynamic
        and compound.tag in ("", element.tag)
        and compound.root == (element.tag == ":root")
        and compound.classes <= element.classes
        and all(any(_matches(each, element) for each in listed) == wanted for wanted, listed in compound.lists)
    )
