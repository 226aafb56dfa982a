"""Compiling the parts of a kernel once: inside the function that Python calls.

numba makes each function that a kernel calls a library of its own, optimises it with all
that it calls in turn, and turns it into machine code, though only the whole is ever run.
Here a part is linked as it is, and optimised where the whole is: searches are compiled in
a half to a quarter of the time. This needs to know how numba works inside; where it works
otherwise, kernels are compiled as it likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba.core import codegen, event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature

F = TypeVar("F", bound=Callable[..., Any])

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
"""What is used of numba that it does not promise to keep."""


def part(compiled: F) -> F:
    """Make a compiled function a part of the kernels that call it."""
    if isinstance(compiled, CPUDispatcher) and _known():  # else the JIT is off, or another one
        compiled.__class__ = _Part
        _install()
    return compiled


def _known() -> bool:
    return all(hasattr(owner, name) for owner, names in _KNOWN.items() for name in names)


class _Depth(event.Listener):  # type: ignore[misc]  # numba's types are passed over, see pyproject
    """How deep the compiler is, and whether in a kernel of ours."""

    def __init__(self) -> None:
        self.depth = 0
        self.ours = False

    def on_start(self, found: Any) -> None:
        self.depth += 1
        if self.depth == 1:
            self.ours = "_nrt" in found.data["dispatcher"].targetoptions

    def on_end(self, found: Any) -> None:
        self.depth -= 1


_depth = _Depth()


class _Part(CPUDispatcher):  # type: ignore[misc]  # as above
    """A function that kernels call. When Python calls it, it is compiled once more, as a whole."""

    def add_overload(self, made: Any) -> None:
        if getattr(made.library, "is_part", False):
            self.overloads[tuple(made.signature.args)] = made  # for kernels, not for Python
        else:
            super().add_overload(made)

    def compile(self, signature: Any) -> Any:
        with global_compiler_lock:
            if _depth.depth == 0:
                self.overloads.pop(tuple(normalize_signature(signature)[0]), None)
            return super().compile(signature)


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]  # as above
    """What numba compiles a function to; a part is left as it was written."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_part = _depth.ours and _depth.depth > 1

    def _optimize_functions(self, module: Any) -> None:
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
        """Return where the machine code of a function is: nowhere, for a part."""
        self._ensure_finalized()
        return 0 if self.is_part else int(super().get_pointer_to_function(name))


def _install() -> None:
    """Let numba make our kind of library, once."""
    if codegen.JITCPUCodegen._library_class is _Library:
        return
    event.register("numba:compile", _depth)
    codegen.JITCPUCodegen._library_class = _Library
    set_env = codegen.JITCPUCodegen.set_env

    def set_known_env(self: Any, name: str, env: Any) -> None:
        if self._engine.get_global_value_address(name):  # a part has none
            set_env(self, name, env)

    codegen.JITCPUCodegen.set_env = set_known_env
