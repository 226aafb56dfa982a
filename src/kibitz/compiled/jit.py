"""The decorators of compiled code, and how a kernel is found, made and called. Does not import numba.

`entry` is for functions that Python calls, the kernels: each is compiled once for every signature. `jit` is for the
functions that kernels call, `inlined` for parts of a recursive kernel that call it again. Called from Python, these run
as they are written.

A kernel is looked for in the package, then in the user's cache. If it is in neither, numba compiles it, and it is kept.
Its key has a digest of every source file that it depends on (see sources.py), so an edited callee is noticed, which
numba's own cache would not.

Kernels are compiled without numba's reference counting (_nrt=False), so they must not create arrays. This made perft
three times as fast.

With NUMBA_DISABLE_JIT=1 everything runs in plain Python.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import update_wrapper
from typing import ParamSpec, TypeVar, cast

import numpy as np

from kibitz.compiled import gear, objects
from kibitz.compiled.folder import locked
from kibitz.compiled.notice import announce
from kibitz.compiled.sources import sources_digest

P = ParamSpec("P")
R = TypeVar("R")

ZERO = cast(int, np.int64(0))
"""A 0 that is an int64: a literal has a type of its own in numba, for which a recursive kernel is compiled again."""
IS_PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether everything runs in plain Python."""
PART = "targetoptions"
"""The attribute of functions that kernels call: options for numba, which looks for it, and for py_func, to inline."""


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function usable inside kernels."""
    vars(function)[PART] = {}
    return function


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function usable inside kernels, copied into its callers: for parts of a recursive kernel that call it."""
    vars(function).update({PART: {"inline": "always"}, "py_func": function})
    return function


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function a kernel: compiled once for each signature, and kept on disk.

    Until it is compiled, light work runs in plain Python (see gear.py).
    """
    if IS_PLAIN:
        return function
    kernels: dict[str, Callable[..., object]] = {}
    lock = threading.Lock()
    plain_seconds = 0.0

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal plain_seconds
        assert not kwargs, "kernels take no keywords"
        signature = ",".join([objects.type_of(arg) for arg in args])
        kernel = kernels.get(signature)
        if kernel is None and gear.work_is_light() and plain_seconds < gear.MAX_PLAIN_SECONDS:
            kernel = _KernelFiles(function, signature, args).load()
            if kernel is None:
                began = time.perf_counter()
                with np.errstate(over="ignore"):  # as in compiled code
                    result = function(*args, **kwargs)
                plain_seconds += time.perf_counter() - began
                return result
            kernels[signature] = kernel
        if kernel is None:
            with lock:
                kernel = kernels.get(signature) or _KernelFiles(function, signature, args).load_or_compile()
                kernels[signature] = kernel
        return cast(R, kernel(*args))

    return update_wrapper(call, function)


_operations: dict[type, str] = {}


def start_from(kind: type, module: str) -> None:
    """Add a module to the sources of every kernel for a kind of position: its operations may be apart from its type."""
    _operations[kind] = module


def sources_of(function: Callable[..., object], args: tuple[object, ...]) -> tuple[str, ...]:
    """Return the modules from which a kernel's sources are traced: its own, and those of its arguments' types."""
    kinds = [kind for arg in args for kind in objects.kinds_in(arg)]
    modules = [function.__module__, *(name for kind in kinds for name in (kind.__module__, _operations.get(kind, "")))]
    return tuple(dict.fromkeys(name for name in modules if name))


class _KernelFiles:
    """The files of a kernel for one signature: in the package, and in the user's cache."""

    def __init__(self, function: Callable[..., object], signature: str, args: tuple[object, ...]) -> None:
        self.function, self.args = function, args
        self.name = f"{function.__module__}.{function.__qualname__}"
        sources = sources_digest(*sources_of(function, args))
        self.shipped = objects.shipped_file(self.name, sources, signature)
        self.cached = objects.cached_file(self.name, sources, signature)

    def load(self) -> Callable[..., object] | None:
        """Return the kernel if one of the files has it. Never waits for a process that is compiling it."""
        shipped = objects.load(self.name, self.shipped, is_shipped=True) if self.shipped else None
        return shipped or objects.load(self.name, self.cached)

    def load_or_compile(self) -> Callable[..., object]:
        """Return the kernel, compiled if necessary. Wait if another process is compiling it."""
        if (kernel := self.load()) is not None:
            return kernel
        announce(self.function.__name__)
        try:
            with locked(self.cached.with_suffix(".lock")):
                return objects.load(self.name, self.cached) or self._compile()
        finally:
            announce(None)

    def _compile(self) -> Callable[..., object]:
        from kibitz.compiled.compiler import kernels as compiler

        symbol = f"kernel_{self.cached.stem.rpartition('-')[2]}"
        try:
            made, can_be_kept = compiler.compile_kernel(self.function, self.args, symbol)
            kernel = self._load_new(made)
        except compiler.NotUnderstood:  # numba may differ inside, or the system's loader: its own way still works
            return compiler.as_numba_does(self.function)
        if can_be_kept:
            objects.keep(self.cached, made)
        return kernel

    def _load_new(self, made: objects.ObjectFile) -> objects.LoadedKernel:
        """Load a kernel that was just compiled. Raise NotUnderstood if this system cannot load object files."""
        from kibitz.compiled.compiler.kernels import NotUnderstood

        try:
            return objects.LoadedKernel(self.name, made)
        except (ValueError, RuntimeError) as error:
            raise NotUnderstood(str(error)) from None
