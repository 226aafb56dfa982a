"""Telling people that a kernel is being compiled. Does not import numba, so that listening costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

CompileCallback: TypeAlias = Callable[[str | None], None]

_listeners: list[CompileCallback] = []


@contextmanager
def compilations(tell: CompileCallback) -> Iterator[None]:
    """Call tell(kernel) whenever a kernel starts to be compiled, and tell(None) when it is done.

    Loading from the cache is not compiling.
    """
    _listeners.append(tell)
    try:
        yield
    finally:
        _listeners.remove(tell)


def announce(kernel: str | None) -> None:
    """CompileCallback everybody who listens."""
    for tell in list(_listeners):
        tell(kernel)
