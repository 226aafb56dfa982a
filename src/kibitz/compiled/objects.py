"""Compiled kernels as object files: how they are kept, loaded and called. Does not import numba.

A kernel is one function of machine code, `int kernel(int64 *slots)`. The slots hold the result, a pointer to the error
if there is one, and the arguments laid out flat: an array is its number of elements, their size, its address, shape and
strides; a tuple is its parts. A kernel's file is a line of JSON that describes it, then the machine code, which
llvmlite loads.

The signature of a call is a text with the type of every argument. Each signature has a kernel of its own.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import pickle
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Numba
from kibitz.compiled.folder import cache_root, is_ours, write_file

FORMAT = 1
"""The version of the files; part of their keys."""
RESULT_SLOTS = 4
"""The number of slots for the result; the next one points to the error, and then the arguments begin."""
RETURNED = (0, -2)
"""The statuses of kernels that returned: a result, or None."""
FLAGS = ("BOUNDSCHECK", "OPT", "DEBUGINFO", "FULL_TRACEBACKS", "ENABLE_AVX", "CPU_NAME", "CPU_FEATURES")
"""Variables in the environment, each after NUMBA_, that affect compilation."""
_MAX_VERSIONS = 4  # per kernel and signature
_MAX_UNUSED_DAYS = 60


class ObjectFile(NamedTuple):
    """A compiled kernel as it is kept."""

    symbol: str
    """The name of its function."""
    result: tuple[str, ...]
    """The types of its results: none, one, or those of a tuple."""
    slots: int
    """The number of slots of its arguments."""
    code: bytes

    def packed(self) -> bytes:
        """Return the contents of the file, with a digest that shows damage."""
        head = {"symbol": self.symbol, "result": self.result, "slots": self.slots, "digest": _digest(self.code)}
        return json.dumps(head).encode() + b"\n" + self.code


def unpack_object(content: bytes) -> ObjectFile:
    """Read the contents of an object file. Raise ValueError if it is damaged."""
    line, _, code = content.partition(b"\n")
    head = json.loads(line)
    if not isinstance(head, dict) or head.get("digest") != _digest(code):
        raise ValueError("damaged object file")
    return ObjectFile(head["symbol"], tuple(head["result"]), head["slots"], code)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


# Signatures and slots


def type_of(value: object) -> str:
    """Return the type of an argument, as part of a signature. Raise TypeError if kernels cannot take such arguments."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        frozen = "" if flags.writeable else "r"
        return f"{value.dtype.str}[{value.ndim}{layout}{frozen}]"
    if isinstance(value, tuple):
        kind = type(value)
        name = "" if kind is tuple else f"{kind.__module__}.{kind.__qualname__}"
        return f"{name}({','.join([type_of(part) for part in value])})"
    if isinstance(value, bool):
        return "|b1"
    if isinstance(value, np.generic):
        return value.dtype.str
    if isinstance(value, int):
        return "<i8" if value < 1 << 63 else "<u8"
    if isinstance(value, float):
        return "<f8"
    raise TypeError(f"Kernels take arrays, tuples and numbers, not {type(value).__name__}.")


def flatten(value: object, slots: list[int]) -> None:
    """Append the slots of an argument."""
    if isinstance(value, np.ndarray):
        slots += (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
    elif isinstance(value, tuple):
        for part in value:
            flatten(part, slots)
    elif isinstance(value, np.float32):
        slots.append(struct.unpack("<i", struct.pack("<f", value))[0])
    elif isinstance(value, float):
        slots.append(struct.unpack("<q", struct.pack("<d", value))[0])
    elif isinstance(value, int | np.integer | np.bool_):
        number = int(value)
        slots.append(number - (1 << 64) if number >= 1 << 63 else number)


def kinds_in(value: object) -> Iterator[type]:
    """Yield the classes of the named tuples in an argument: the modules of these are sources of its kernel."""
    if isinstance(value, tuple):
        if type(value) is not tuple:
            yield type(value)
        for part in value:
            yield from kinds_in(part)


# Loading and calling


class LoadedKernel:
    """A kernel in memory, which can be called."""

    def __init__(self, name: str, stored: ObjectFile) -> None:
        self.name, self.result, self.slots = name, stored.result, stored.slots
        self.run = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(_loader().load(stored))  # releases the GIL

    def __call__(self, *args: object) -> object:
        """Call the kernel; arguments must have the types of its signature. Raise what the kernel raises."""
        slots = [0] * (RESULT_SLOTS + 1)
        for arg in args:
            flatten(arg, slots)
        assert len(slots) == RESULT_SLOTS + 1 + self.slots, f"{self.name} was compiled for other arguments"
        block = (ctypes.c_int64 * len(slots))(*slots)
        status = self.run(ctypes.addressof(block))
        if status not in RETURNED:
            raise _error_of(self.name, status, block[RESULT_SLOTS])
        if len(self.result) == 1:
            return _number(self.result[0], block[0])
        return tuple(_number(kind, block[i]) for i, kind in enumerate(self.result)) or None


def _number(kind: str, slot: int) -> int | float | bool:
    """Return the result in a slot."""
    if kind == "<f8":
        return float(struct.unpack("<d", struct.pack("<q", slot))[0])
    if kind == "|b1":
        return bool(slot & 0xFF)
    return slot + (1 << 64) if kind == "<u8" and slot < 0 else slot


def _error_of(name: str, status: int, pointer: int) -> BaseException:
    """Return the error that a kernel raised: numba leaves a pickled class and its arguments."""
    if status > 0 and pointer:
        address, size = ctypes.c_void_p.from_address(pointer).value, ctypes.c_int32.from_address(pointer + 8).value
        if address:
            kind, args, *_ = pickle.loads(ctypes.string_at(address, size))
            return kind(*(args or ()))  # type: ignore[no-any-return]  # pickled by numba
    return RuntimeError(f"The kernel {name} failed with status {status}.")


class _ObjectLoader:
    """LLVM's loader of machine code."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.llvm: Numba = llvm
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(codemodel="default")
        self.jit: Numba = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self.lock = threading.Lock()

    def load(self, stored: ObjectFile) -> int:
        """Load machine code; return the address of its function. Raise ValueError if there is no such function."""
        with self.lock:
            address = self.jit.get_function_address(stored.symbol)
            if not address:
                self.jit.add_object_file(self.llvm.ObjectFileRef.from_data(stored.code))
                self.jit.finalize_object()
                address = self.jit.get_function_address(stored.symbol)
        if not address:
            raise ValueError(f"no function {stored.symbol} in an object file")
        return int(address)


@cache
def _loader() -> _ObjectLoader:
    return _ObjectLoader()


# Files


def host() -> str:
    """Return what machine code for this computer depends on: its processor, and the compiler's versions and flags."""
    llvm = _loader().llvm
    cpu = f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    flags = " ".join(os.environ.get(f"NUMBA_{flag}", "") for flag in FLAGS)
    return f"{cpu} numba {version('numba')} llvmlite {version('llvmlite')} {flags}"


SHIPPED_CPUS = {"x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"), "x86-64": ()}
"""The processors that shipped kernels are compiled for, the best first -> the features that each needs."""


@cache
def shipped_cpu() -> str | None:
    """Return the best processor of SHIPPED_CPUS whose code this computer can run, or None if it can run none of it."""
    llvm = _loader().llvm
    if not llvm.get_process_triple().startswith("x86_64-") or sys.platform != "linux":
        return None
    features = llvm.get_host_cpu_features()
    return next(cpu for cpu, needed in SHIPPED_CPUS.items() if all(features.get(name) for name in needed))


def file_name(name: str, sources: str, signature: str, target: str) -> str:
    """Return the name of a kernel's file, with digests of its signature and of all that its machine code depends on."""
    key = _digest(f"{FORMAT}\n{name}\n{sources}\n{signature}\n{target}".encode())
    return f"{name}-{_digest(signature.encode())[:8]}-{key}.o"


def shipped_file(name: str, sources: str, signature: str) -> Path | None:
    """Return where the package may have a kernel; None if it has none for this computer, or flags ask for others."""
    cpu = shipped_cpu()
    if cpu is None or any(os.environ.get(f"NUMBA_{flag}") for flag in FLAGS):
        return None
    return shipped_folder(cpu) / file_name(name, sources, signature, cpu)


def shipped_folder(cpu: str) -> Path:
    """Return the folder of kernels that the package has for a processor."""
    return Path(str(files(__package__))) / "shipped" / f"{sys.platform}-{cpu}"


def cached_file(name: str, sources: str, signature: str) -> Path:
    """Return where the user's cache has a kernel, if it does."""
    return cache_root() / "objects" / file_name(name, sources, signature, host())


def load(name: str, path: Path, is_shipped: bool = False) -> LoadedKernel | None:
    """Load a kernel; return None if its file is missing, damaged, or may have been written by somebody else.

    A shipped file is as safe as the package's code beside it.
    """
    with suppress(OSError, ValueError, KeyError, TypeError, RuntimeError):
        if is_shipped or is_ours(path):
            kernel = LoadedKernel(name, unpack_object(path.read_bytes()))
            with suppress(OSError):  # a read-only folder
                os.utime(path)
            return kernel
    return None


def keep(path: Path, made: ObjectFile) -> None:
    """Write a kernel to the cache, and remove those that nobody has used for long."""
    write_file(path, made.packed())
    prune(path)


def prune(path: Path) -> None:
    """Keep the _MAX_VERSIONS last used files of a kernel and signature; remove all unused for _MAX_UNUSED_DAYS."""
    kernel = path.name.rpartition("-")[0]
    others = [other for other in path.parent.glob("*.o") if other != path]
    same = [other for other in others if other.name.rpartition("-")[0] == kernel]
    old = sorted(same, key=_last_used, reverse=True)[_MAX_VERSIONS - 1 :]
    unused = [other for other in others if time.time() - _last_used(other) > _MAX_UNUSED_DAYS * 86_400]
    for other in {*old, *unused}:
        other.unlink(missing_ok=True)
        other.with_suffix(".lock").unlink(missing_ok=True)


def _last_used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
