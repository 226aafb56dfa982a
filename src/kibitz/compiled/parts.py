"""Faster compilation: the functions that a kernel calls are optimised once, inside the kernel.

numba optimises each function that a kernel calls as a library of its own, together with everything it calls, and turns
it into machine code, although only the whole kernel is ever run. Here such a part is linked unoptimised, and only the
whole kernel is optimised: searches compile in a quarter to half of the time. This relies on numba's internals; if they
differ from what is expected here, kernels are compiled in numba's own way.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TypeVar

from numba.core import codegen, event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature

from kibitz.compiled.arrays import Numba
from kibitz.compiled.notice import announce

F = TypeVar("F", bound=Callable[..., object])

_KNOWN = {
    codegen.JITCodeLibrary: (
        "_optimize_functions",
        "_optimize_final_module",
        "_finalize_final_module",
        "_finalize_dynamic_globals",
        "_verify_declare_only_symbols",
        "_ensure_finalized",
        "get_pointer_to_function",
    ),
    codegen.JITCPUCodegen: ("_library_class", "set_env"),
    CPUDispatcher: ("compile", "add_overload"),
}
"""The internals of numba that are used here and may change without notice."""


def part(compiled: F) -> F:
    """Make a compiled function a part, which is optimised only inside the kernels that call it; return it."""
    if isinstance(compiled, CPUDispatcher) and _known():  # otherwise the JIT is off, or numba's internals differ
        compiled.__class__ = _Part
        _install()
    return compiled


def _known() -> bool:
    return all(hasattr(owner, name) for owner, names in _KNOWN.items() for name in names)


class _Compiler(event.Listener):  # type: ignore[misc]  # numba has no types, see arrays.Numba
    """Tracks how deeply compilations are nested, and whether the outermost is a kernel of kibitz.

    Announces when the compilation of a kernel, but not of its parts, starts and ends. Garbage collection is off
    meanwhile: the compiler makes many objects and hardly any garbage, and collecting took a tenth of the time.
    """

    depth = 0
    ours = collects = False

    def on_start(self, started: Numba) -> None:
        self.depth += 1
        if self.depth == 1:
            kernel = started.data["dispatcher"]
            announce(kernel.py_func.__name__)
            self.ours, self.collects = "_nrt" in kernel.targetoptions, gc.isenabled()
            gc.disable()

    def on_end(self, ended: Numba) -> None:
        self.depth -= 1
        if self.depth == 0:
            announce(None)
            if self.collects:
                gc.enable()


_compiler = _Compiler()
event.register("numba:compile", _compiler)


class _Part(CPUDispatcher):  # type: ignore[misc]  # as above
    """A function that kernels call. If called from Python, it is compiled again, as a kernel of its own."""

    def add_overload(self, made: Numba) -> None:
        if getattr(made.library, "is_part", False):
            self.overloads[tuple(made.signature.args)] = made  # for kernels, not for Python
        else:
            super().add_overload(made)

    def compile(self, signature: Numba) -> Numba:
        with global_compiler_lock:
            if _compiler.depth == 0:
                self.overloads.pop(tuple(normalize_signature(signature)[0]), None)
            return super().compile(signature)


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]  # as above
    """numba's code library for a compiled function; the code of a part stays unoptimised."""

    def __init__(self, *args: Numba, **kwargs: Numba) -> None:
        super().__init__(*args, **kwargs)
        self.is_part = _compiler.ours and _compiler.depth > 1

    def _optimize_functions(self, module: Numba) -> None:
        if self.is_part:
            module.data_layout = self._codegen._data_layout
        else:
            super()._optimize_functions(module)

    def _optimize_final_module(self) -> None:
        if not self.is_part:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self.is_part:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True
        else:
            super()._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of the machine code of a function; 0 for a part, which has none."""
        self._ensure_finalized()
        return 0 if self.is_part else int(super().get_pointer_to_function(name))


def _install() -> None:
    """Make numba use _Library, unless it already does."""
    if codegen.JITCPUCodegen._library_class is _Library:
        return

    codegen.JITCPUCodegen._library_class = _Library
    set_env = codegen.JITCPUCodegen.set_env

    def set_known_env(self: Numba, name: str, env: Numba) -> None:
        if self._engine.get_global_value_address(name):  # 0 for a part
            set_env(self, name, env)

    codegen.JITCPUCodegen.set_env = set_known_env
