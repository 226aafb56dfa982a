"""Callbacks for when a kernel is being compiled. Does not import numba, so that listening costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

CompileCallback: TypeAlias = Callable[[str | None], None]

_listeners: list[CompileCallback] = []


def listen(callback: CompileCallback) -> None:
    """Do what compilations() does, until the end of the process."""
    _listeners.append(callback)


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
    """Call all callbacks with the name of the kernel that starts compiling, or None when it ends.

    If nobody listens, as in a script, print a line on the error stream instead: nobody should wait in silence.
    """
    if kernel is not None and not _listeners:
        sys.stderr.write(f"compiling a search ({kernel}); cached for later ...\n")
    for callback in list(_listeners):
        callback(kernel)
