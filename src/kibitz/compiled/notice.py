"""Callbacks for when a kernel is being compiled. Does not import numba, so that listening costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

CompileCallback: TypeAlias = Callable[[str | None], None]

_listeners: list[CompileCallback] = []


@contextmanager
def compilations(callback: CompileCallback) -> Iterator[None]:
    """Call callback(name) when the compilation of a kernel starts, and callback(None) when it ends.

    Loading a kernel from the cache does not count.
    """
    _listeners.append(callback)
    try:
        yield
    finally:
        _listeners.remove(callback)


def announce(kernel: str | None) -> None:
    """Call all callbacks with the name of the kernel that starts compiling, or None when it ends."""
    for callback in list(_listeners):
        callback(kernel)
