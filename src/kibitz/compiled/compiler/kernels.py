"""Kernels compiled to object files.

numba optimises each function that a kernel calls as a library of its own, together with everything it calls, and turns
it into machine code, although only the whole kernel is ever run. Here such a part is linked unoptimised; only the whole
kernel is optimised, and turned into machine code once, as an object file. Searches compile in a quarter to half of the
time. This relies on numba's internals; where these differ from what is expected, kernels are compiled in numba's own
way and not kept.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType

import llvmlite.binding as llvm
import numba
from numba.core import codegen, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.extending import typeof_impl

from kibitz.compiled.arrays import Numba
from kibitz.compiled.jit import PART
from kibitz.compiled.objects import RESULT_SLOTS, ObjectFile

OPTIONS = {"nogil": True, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""numba's options for everything that is compiled here: no reference counts, and nothing that Python could call."""
_KNOWN = {
    codegen.JITCodeLibrary: (
        "_optimize_functions",
        "_optimize_final_module",
        "_finalize_final_module",
        "_verify_declare_only_symbols",
        "_ensure_finalized",
        "get_pointer_to_function",
    ),
    codegen.JITCPUCodegen: ("_library_class", "set_env", "magic_tuple"),
    CPUDispatcher: ("compile",),
}
"""The internals of numba that are used here and may change without notice."""


class NotUnderstood(Exception):
    """Raised if the installed version of numba cannot be made to give object files."""


_dispatchers: dict[FunctionType, Numba] = {}


def dispatcher_of(part: FunctionType) -> Numba:
    """Return numba's version of a function that kernels call."""
    if part not in _dispatchers:
        options = OPTIONS | vars(part)[PART]
        if "never_inline" in part.__code__.co_names:
            options["forceinline"] = False  # otherwise it inherits this from its caller
        _dispatchers[part] = numba.njit(**options)(part)
    return _dispatchers[part]


def _type_of_part(function: FunctionType, context: Numba) -> Numba:
    """Return numba's type of a function that a kernel mentions; None leaves other functions to numba."""
    return types.Dispatcher(dispatcher_of(function)) if PART in vars(function) else None


typeof_impl.register(FunctionType)(_type_of_part)


def as_numba_does(function: Callable[..., object]) -> Callable[..., object]:
    """Return a function that numba compiles in its own way when it is called."""
    made: Callable[..., object] = numba.njit(nogil=True, _nrt=False)(function)
    return made


def compile_kernel(function: Callable[..., object], args: tuple[object, ...], symbol: str) -> tuple[ObjectFile, bool]:
    """Compile a kernel for arguments of these types; return it, and whether it may be used by other processes.

    Raise NotUnderstood if this version of numba differs inside from what is expected.
    """
    from kibitz.compiled.compiler import bodies, layers  # noqa: F401  # numba learns of them by their import

    if not all(hasattr(owner, name) for owner, names in _KNOWN.items() for name in names):
        raise NotUnderstood
    dispatcher = numba.njit(**OPTIONS)(function)
    signature = tuple(numba.typeof(arg) for arg in args)
    with _unoptimised():
        dispatcher.compile(signature)
        made = dispatcher.overloads[signature]
        made.library.optimise()
    result = _result_types(made.signature.return_type)
    name, module = made.fndesc.llvm_func_name, made.library._final_module
    kinds = [str(argument.type) for argument in module.get_function(name).arguments][2:]
    _add_door(module, name, kinds, symbol)
    machine = _machine(made.library.codegen)
    _drop_unused(module, machine)
    addresses = [each.name for each in module.global_variables if each.name.startswith("numba.dynamic.globals")]
    return ObjectFile(symbol, result, len(kinds), machine.emit_object(module)), not addresses


@contextmanager
def _unoptimised() -> Iterator[None]:
    """Let numba link functions without optimising any of them.

    Garbage collection is off meanwhile: the compiler makes many objects and hardly any garbage, and collecting took a
    tenth of the time.
    """
    target, collects = codegen.JITCPUCodegen, gc.isenabled()
    with global_compiler_lock:
        before = target._library_class, target.set_env
        target._library_class, target.set_env = _Library, lambda *_: None  # nothing that is compiled here needs an env
        gc.disable()
        try:
            yield
        finally:
            target._library_class, target.set_env = before
            if collects:
                gc.enable()


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]  # numba has no types, see arrays.Numba
    """numba's code library for a compiled function, neither optimised nor turned into machine code by itself."""

    def _optimize_functions(self, module: Numba) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        self._ensure_finalized()
        return 0

    def optimise(self) -> None:
        """Optimise a whole kernel."""
        super()._optimize_final_module()


def _result_types(kind: Numba) -> tuple[str, ...]:
    """Return the types of a kernel's results, as in signatures. Raise NotUnderstood if they do not fit in slots."""
    names = {"none": (), "int64": ("<i8",), "uint64": ("<u8",), "float64": ("<f8",), "bool": ("|b1",)}
    count, each = getattr(kind, "count", 1), str(getattr(kind, "dtype", kind))
    if each not in names or count > RESULT_SLOTS or (count > 1 and each == "bool"):
        raise NotUnderstood(f"a result of type {kind}")
    return names[each] * count


def _add_door(module: Numba, kernel: str, kinds: list[str], symbol: str) -> None:
    """Add the function that reads the arguments from slots, and make all others private to the object."""
    lines = [f"define i32 @{symbol}(ptr %s) {{", f"%e = getelementptr i64, ptr %s, i64 {RESULT_SLOTS}"]
    for i, kind in enumerate(kinds):
        lines.append(f"%p{i} = getelementptr i64, ptr %s, i64 {RESULT_SLOTS + 1 + i}")
        lines.append(f"%a{i} = load {kind}, ptr %p{i}, align 8")
    given = ", ".join(["ptr %s", "ptr %e", *(f"{kind} %a{i}" for i, kind in enumerate(kinds))])
    lines += [f'%r = call i32 @"{kernel}"({given})', "ret i32 %r", "}"]
    lines.append(f'declare i32 @"{kernel}"({", ".join(["ptr", "ptr", *kinds])})')
    door = llvm.parse_assembly("\n".join(lines))
    door.triple, door.data_layout = module.triple, module.data_layout
    module.link_in(door)
    for each in [*module.functions, *module.global_variables]:
        if not each.is_declaration and each.name != symbol:
            each.linkage, each.visibility = "internal", "default"


def _drop_unused(module: Numba, machine: Numba) -> None:
    """Remove what the kernel does not reach."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))


def _machine(target: Numba) -> Numba:
    """Return the processor that numba compiles for, as LLVM needs it for code that may be loaded anywhere."""
    _, cpu, features = target.magic_tuple()
    triple = llvm.Target.from_triple(llvm.get_process_triple())
    return triple.create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default", jit=False)
