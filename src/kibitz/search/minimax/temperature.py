"""Temperature functions: the probability of a random move, written as a formula in t such as 5/t^2.

A small recursive descent parser, which never evaluates Python code. Supports numbers, t, + - * / ^ (or **), brackets,
unary minus and the functions below.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from typing import TypeAlias

from kibitz.core.errors import BadOption

Function: TypeAlias = Callable[[float], float]

EXAMPLE = "5/t^2"
FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "exp": (1, math.exp),
    "log": (1, math.log),
    "sqrt": (1, math.sqrt),
    "min": (2, min),
    "max": (2, max),
}
"""Name -> number of arguments, and the function."""

OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": math.pow,
}  # fmt: skip

MAX_TEXT_LENGTH = 200
"""Maximum length of a formula, in characters."""
MAX_NESTING = 20
"""Maximum nesting depth of brackets, signs and powers."""
SCHEDULED_TURNS = 81
"""Number of the agent's turns for which the probability is computed; later turns reuse the last one."""

_TOKEN = re.compile(r"\s*(?:([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+)|([A-Za-z_]+)|(\*\*|[-+*/^(),]))", re.ASCII)


def schedule(text: str, start: float, step: float) -> tuple[float, ...]:
    """Return the probability of a random move on each of the agent's turns: f(start), f(start + step) ..., in [0, 1].

    Raise BadOption for an invalid formula, or if its value at one of these temperatures is not finite.
    """
    function = parse(text)
    found = []
    for turn in range(SCHEDULED_TURNS):
        t = start + turn * step
        try:
            value = function(t)
        except (ArithmeticError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise BadOption(
                f"The temperature function {text!r} has no finite value at t = {t:g}, on own turn {turn + 1} "
                f"with start={start:g} and step={step:g}. A valid one is {EXAMPLE}."
            )
        found.append(min(1.0, max(0.0, value)))
    return tuple(found)


def parse(text: str) -> Function:
    """Parse a formula; return it as a function of t. Raise BadOption, with the column, if it is invalid.

    The function itself may raise ArithmeticError or ValueError, as 1/t does at 0.
    """
    if len(text) > MAX_TEXT_LENGTH:
        raise BadOption(f"A temperature function has {MAX_TEXT_LENGTH} characters at most, this has {len(text)}.")
    return _Parser(text).whole()


class _Parser:
    """Recursive descent parser of one formula; each method parses one level of the grammar."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self._advance()

    def whole(self) -> Function:
        """Parse the whole text; return the function."""
        function = self._sum()
        if self.token:
            raise self._error(f"{self.token!r} is not expected here")
        return function

    def _advance(self) -> None:
        """Advance to the next token, "" at the end of the text."""
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            self.start = len(self.text) - len(self.text[self.at :].lstrip())
            self.number = self.name = self.token = ""
            if self.start < len(self.text):
                raise self._error(f"{self.text[self.start]!r} cannot be read")
            return
        self.number, self.name, sign = (part or "" for part in match.groups())
        self.token = self.number or self.name or sign
        self.start, self.at = match.end() - len(self.token), match.end()

    def _take(self, *tokens: str) -> str:
        """Consume and return the current token if it is one of these; otherwise return ""."""
        token = self.token if self.token in tokens else ""
        if token:
            self._advance()
        return token

    def _need(self, token: str) -> None:
        if not self._take(token):
            raise self._error(f"{token!r} is missing")

    def _sum(self) -> Function:
        left = self._product()
        while sign := self._take("+", "-"):
            left = _joined(sign, left, self._product())
        return left

    def _product(self) -> Function:
        left = self._signed()
        while sign := self._take("*", "/"):
            left = _joined(sign, left, self._signed())
        return left

    def _signed(self) -> Function:
        """Parse a power with any minus signs before it, which bind less tightly: -t^2 is -(t^2)."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self._error(f"more than {MAX_NESTING} brackets, signs or powers lie inside one another")
        function = _negated(self._signed()) if self._take("-") else self._power()
        self.depth -= 1
        return function

    def _power(self) -> Function:
        base = self._atom()
        return _joined("^", base, self._signed()) if self._take("^", "**") else base

    def _atom(self) -> Function:
        number, name = self.number, self.name
        if number:
            constant = float(number)
            if not math.isfinite(constant):
                raise self._error(f"{number} is too large")
            self._advance()
            return lambda t: constant
        if name == "t":
            self._advance()
            return lambda t: t
        if name:
            return self._call(name)
        if self._take("("):
            inner = self._sum()
            self._need(")")
            return inner
        raise self._error(f"{self.token!r} is not expected here" if self.token else "it breaks off")

    def _call(self, name: str) -> Function:
        if name not in FUNCTIONS:
            raise self._error(f"there is no {name!r}, only t and {', '.join(FUNCTIONS)}")
        self._advance()
        count, call = FUNCTIONS[name]
        self._need("(")
        arguments = [self._sum()]
        while len(arguments) < count:
            self._need(",")
            arguments.append(self._sum())
        self._need(")")
        return lambda t: call(*(argument(t) for argument in arguments))

    def _error(self, what: str) -> BadOption:
        return BadOption(
            f"The temperature function {self.text!r} cannot be read: {what}, in column {self.start + 1}. "
            f"A valid one is {EXAMPLE}."
        )


def _negated(inner: Function) -> Function:
    return lambda t: -inner(t)


def _joined(sign: str, left: Function, right: Function) -> Function:
    """Return the function that combines two functions by + - * / or ^."""
    operation = OPERATIONS[sign]
    return lambda t: operation(left(t), right(t))
