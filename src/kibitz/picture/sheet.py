"""CSS style sheets applied to a picture ahead of time, for viewers that know little CSS.

Supports the part of CSS that boards use: selectors of tags, classes, :not(), :is() and
:where(), combined by descent (` `, `>`); custom properties with var(); and light-dark().
Rules that depend on a state or on the screen (:hover, [data-open], @media, @keyframes)
never apply to a still picture and are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

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
    nots: tuple[tuple[Compound, ...], ...]
    alternatives: tuple[tuple[Compound, ...], ...]
    """The list of each :is() and :where()."""
    dynamic: bool
    """Whether it depends on a state, so that it matches nothing in a still picture."""


class Selector(NamedTuple):
    """Compound selectors from the element outwards; each with whether the next must match the direct parent."""

    parts: tuple[tuple[Compound, bool], ...]
    specificity: tuple[int, int]


class Declaration(NamedTuple):
    """A property and its value."""

    name: str
    value: str
    important: bool


class Rule(NamedTuple):
    """The declarations for the elements that a selector matches."""

    selector: Selector
    declarations: tuple[Declaration, ...]
    text: str
    """The selector as written."""


# Parsing


@lru_cache(maxsize=32)
def parse(css: str) -> tuple[Rule, ...]:
    """Return the rules of a style sheet, one per selector, without those inside at-rules.

    Raise ValueError if a brace is missing or a selector is malformed.
    """
    rules = []
    for heading, body in _blocks(_without_comments(css)):
        if heading.startswith("@"):
            continue
        declarations = tuple(_declarations(body))
        rules += [Rule(_selector(text), declarations, text) for text in _split(heading, ",")]
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
        raise ValueError(f"not a rule: {css[at:].strip()!r}")


def _find(text: str, characters: str, start: int = 0) -> int:
    """Return the index of the first of some characters outside strings and parentheses, or the length of the text."""
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
            raise ValueError(f"not a declaration: {part!r}")
        value, important, _ = value.partition("!important")
        name = name.strip()
        yield Declaration(name if name.startswith("--") else name.lower(), " ".join(value.split()), bool(important))


_SIMPLE = re.compile(r"(?P<tag>\*|[a-zA-Z][\w-]*)|\.(?P<cls>[\w-]+)|(?P<pseudo>::?[\w-]+)|\[[^\]]*\]|#[\w-]+")


def _selector(text: str) -> Selector:
    """Return a parsed selector. Siblings (+, ~) count as a state, since they depend on what else is shown."""
    parts: list[tuple[Compound, bool]] = []
    specificity, child = (0, 0), False
    for word in _split(re.sub(r"\s*([>+~])(?!=)\s*", r" \1 ", text), " "):
        if word == ">":
            child = True
        elif word in ("+", "~"):
            return Selector(((_NEVER, False),), (0, 0))
        else:
            compound, (classes, tags) = _compound(word)
            parts.append((compound, child))
            specificity, child = (specificity[0] + classes, specificity[1] + tags), False
    if not parts:
        raise ValueError(f"not a selector: {text!r}")
    return Selector(tuple(reversed(parts)), specificity)


_NEVER = Compound("", frozenset(), False, (), (), True)


def _compound(text: str) -> tuple[Compound, tuple[int, int]]:
    """Return a compound selector and its specificity."""
    tag, classes, root, dynamic, at = "", set[str](), False, False, 0
    nots: list[tuple[Compound, ...]] = []
    alternatives: list[tuple[Compound, ...]] = []
    counts = [0, 0]
    while at < len(text):
        match = _SIMPLE.match(text, at)
        if not match:
            raise ValueError(f"not a selector: {text!r}")
        at = match.end()
        if match["tag"]:
            tag = "" if match["tag"] == "*" else match["tag"]
            counts[1] += bool(tag)
        elif match["cls"]:
            classes.add(match["cls"])
            counts[0] += 1
        elif match["pseudo"] in (":not", ":is", ":where") and text[at : at + 1] == "(":
            end = _find(text + ")", ")", at + 1)
            listed = [_compound(each) for each in _split(text[at + 1 : end], ",")]
            (nots if match["pseudo"] == ":not" else alternatives).append(tuple(each for each, _ in listed))
            if match["pseudo"] != ":where":
                most = max(count for _, count in listed)
                counts = [counts[0] + most[0], counts[1] + most[1]]
            at = end + 1
        else:
            root, dynamic = root or match["pseudo"] == ":root", dynamic or match["pseudo"] != ":root"
            counts[0] += 1
            if text[at : at + 1] == "(":
                at = _find(text + ")", ")", at + 1) + 1
    compound = Compound(tag, frozenset(classes), root, tuple(nots), tuple(alternatives), dynamic)
    return compound, (counts[0], counts[1])


# Values


def _functions(value: str, name: str, replace: Callable[[list[str]], str | None]) -> str | None:
    """Return a value with every call of a function replaced; None if a call has no value."""
    while (call := re.search(rf"(?<![\w-]){name}\(", value)) is not None:
        end = _find(value + ")", ")", call.end())
        inner = value[call.end() : end]
        comma = _find(inner, ",")
        new = replace([inner[:comma].strip(), inner[comma + 1 :].strip()] if comma < len(inner) else [inner.strip()])
        if new is None:
            return None
        value = value[: call.start()] + new + value[end + 1 :]
    return value


def for_theme(value: str, dark: bool) -> str:
    """Return a value with every light-dark() replaced by the colour of a theme."""
    return _functions(value, "light-dark", lambda colours: colours[-1] if dark else colours[0]) or ""


# The cascade


@dataclass(eq=False)
class Element:
    """All elements of a picture with the same tag, classes and parents, which therefore look the same.

    A picture of hundreds of shapes has a few dozen of these.
    """

    sheet: Sheet
    tag: str
    classes: frozenset[str]
    parent: Element | None = None
    inside: dict[tuple[str, str], Element] = field(default_factory=dict)

    def child(self, tag: str, style: str = "") -> Element:
        """Return the element with a tag and style inside this one."""
        element = self.inside.get((tag, style))
        if element is None:
            element = self.inside[tag, style] = Element(self.sheet, tag, frozenset(style.split()), self)
        return element

    def __post_init__(self) -> None:
        declared = self.sheet.declared(self)
        own = {name: value for name, value in declared.items() if name.startswith("--")}
        outer = self.parent.variables if self.parent else {}
        self.variables: dict[str, str] = dict(outer)
        for name in own:
            value = _substitute(own[name], own, outer, (name,))
            if value is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = value
        self.declared: dict[str, str] = {}
        """Property -> value with every var() resolved, for properties set on this element itself, not inherited."""
        for name in sorted(filter(_DRAWN.fullmatch, declared)):
            value = _substitute(declared[name], {}, self.variables, ())
            if value:
                self.declared[name] = value


def _substitute(value: str, own: dict[str, str], outer: dict[str, str], seen: tuple[str, ...]) -> str | None:
    """Return a value with every var() replaced; None if a property in it has no value or depends on itself."""

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

    return _functions(value, "var", replace)


class Sheet:
    """Several style sheets; later ones override earlier ones."""

    def __init__(self, *texts: str) -> None:
        rules = [rule for text in texts for rule in parse(text)]
        self.by_class: dict[str, list[tuple[int, Rule]]] = {}
        """A class of the selector's last compound -> its rules, numbered; "" for rules without a class."""
        for i, rule in enumerate(rules):
            last = rule.selector.parts[0][0]
            if not last.dynamic:
                self.by_class.setdefault(min(last.classes, default=""), []).append((i, rule))
        self.root = Element(self, ":root", frozenset())

    def declared(self, element: Element) -> dict[str, str]:
        """Return the properties of an element, each with the value of the strongest rule."""
        fitting = [
            (declaration.important, rule.selector.specificity, i, declaration)
            for name in ("", *element.classes)
            for i, rule in self.by_class.get(name, ())
            if _selects(rule.selector.parts, 0, element)
            for declaration in rule.declarations
        ]
        fitting.sort(key=lambda each: each[:3])
        return {declaration.name: declaration.value for *_, declaration in fitting}


def _selects(parts: tuple[tuple[Compound, bool], ...], at: int, element: Element | None) -> bool:
    """Return whether a selector, from its part `at` outwards, matches an element."""
    if element is None or not _matches(parts[at][0], element):
        return False
    if at + 1 == len(parts):
        return True
    parent = element.parent
    if parts[at][1]:
        return _selects(parts, at + 1, parent)
    while parent is not None:
        if _selects(parts, at + 1, parent):
            return True
        parent = parent.parent
    return False


def _matches(compound: Compound, element: Element) -> bool:
    return (
        not compound.dynamic
        and compound.tag in ("", element.tag)
        and compound.root == (element.tag == ":root")
        and compound.classes <= element.classes
        and not any(_matches(each, element) for nots in compound.nots for each in nots)
        and all(any(_matches(each, element) for each in listed) for listed in compound.alternatives)
    )
