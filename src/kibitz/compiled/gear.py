"""First gear: light work is done in plain Python while its kernels are not compiled, so that nobody waits for them.

Compiling takes seconds; a move of a low level takes milliseconds, even in plain Python, and is the same move. Imports
neither numpy nor numba.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Protocol, TypeVar, cast

MAX_PLAIN_SECONDS = 5.0
"""How long a process runs a kernel in plain Python before it compiles it."""
MAX_LIGHT_PLAYOUTS, MAX_LIGHT_NODES = 60, 10_000
"""Limits of a search that is light."""
_work_is_light: ContextVar[bool] = ContextVar("work is light", default=False)


F = TypeVar("F", bound=Callable[..., object])


class _Light(Protocol):
    """An agent that knows whether its work is light."""

    @property
    def is_light(self) -> bool:
        """Whether a move takes less than about a second in plain Python."""


def first_gear(method: F) -> F:
    """Let the kernels that a method of a light agent calls run in plain Python until they are compiled."""

    @wraps(method)
    def run(agent: _Light, *args: object, **kwargs: object) -> object:
        before = _work_is_light.set(agent.is_light)
        try:
            return method(agent, *args, **kwargs)
        finally:
            _work_is_light.reset(before)

    return cast(F, run)


def work_is_light() -> bool:
    """Return whether kernels may run in plain Python now."""
    return _work_is_light.get()
