"""The decorators that compile kernels, and the cache of compiled kernels on disk.

`entry` is for functions that Python calls: each is compiled once for every kind of position and cached on disk. `jit`
is for the functions that these call, `inlined` for parts of a recursive kernel that call it again.

numba's own cache checks only the file of the cached function, so a caller would keep using an old version of an edited
callee. Our cache is a folder named by a digest of every source file that the kernel imports, directly or indirectly, of
the versions of Python, numba and numpy, and of the flags that affect compilation. Old folders are removed.

Kernels are compiled without numba's reference counting (_nrt=False), so they must not
create arrays. This made perft three times as fast.

A trap: call a recursive kernel with the same types as it calls itself. A literal has a
type of its own in numba, and then the kernel works when it is compiled but crashes when
it is loaded from the cache (numba issue 6061). Pass ZERO instead of 0.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import pickle
import shutil
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, update_wrapper
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import IO, ParamSpec, TypeVar, cast

import numba
import numpy as np
import platformdirs
from numba.core.caching import FunctionCache

from kibitz.compiled.arrays import Numba
from kibitz.compiled.parts import part
from kibitz.core.errors import KibitzError
from kibitz.core.files import try_lock
from kibitz.core.installed import game_modules

P = ParamSpec("P")
R = TypeVar("R")

ZERO = cast(int, np.int64(0))
"""A 0 that is an int64, for the first call of a recursive kernel."""

OPTIONS = {"nogil": True, "_nrt": False}
"""numba's options for everything that is compiled here."""

MAX_WAIT_SECONDS = 300.0
"""How long a process waits for another that is compiling the same kernel, before it compiles the kernel itself."""
_MAX_FOLDERS = 4  # per kernel and kind of position
_MAX_UNUSED_DAYS = 60
_NOT_OURS = {*sys.stdlib_module_names, "numpy", "numba", "llvmlite"}
_INSTALLED = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
_FLAGS = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS", "ENABLE_AVX", "CPU_NAME", "CPU_FEATURES")
_lock = threading.Lock()


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function for use inside kernels. It is not cached by itself."""
    # without this option, a function inherits forceinline from its caller
    apart = {"forceinline": False} if "stay_apart" in function.__code__.co_names else {}
    compiled: Callable[P, R] = numba.njit(**OPTIONS, **apart)(function)
    return part(compiled)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Inline a function into its callers: for parts of a recursive kernel that call it again.

    Without this, two functions that call each other crash when they are loaded from the cache.
    """
    compiled: Callable[P, R] = numba.njit(**OPTIONS, inline="always")(function)
    return compiled


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function for use from Python, once for each type of its first argument, and cache it on disk."""
    if numba.config.DISABLE_JIT:
        return function
    compiled: dict[type, Callable[..., R]] = {}

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        kind = type(args[0])
        if kind in compiled:
            return compiled[kind](*args, **kwargs)
        with _lock:
            compiled.setdefault(kind, _cached(function, kind))
        try:
            return compiled[kind](*args, **kwargs)
        except (pickle.UnpicklingError, EOFError):  # a damaged cache file, noticed before the kernel runs
            shutil.rmtree(cache_folder(*_starts(function, kind)))
            compiled[kind] = _cached(function, kind)
            return compiled[kind](*args, **kwargs)

    return update_wrapper(call, function)


_kernel_modules: dict[type, str] = {}


def start_from(kind: type, module: str) -> None:
    """Add a module to the sources of every kernel that is compiled for a kind of position.

    The operations of a position may be defined in a different module from its type.
    """
    _kernel_modules[kind] = module


def _starts(function: Callable[P, R], kind: type) -> tuple[str, ...]:
    """Return the modules from which a kernel's sources are traced: its own, and those of its type of position."""
    return tuple(dict.fromkeys((function.__module__, kind.__module__, _kernel_modules.get(kind, kind.__module__))))


def _cached(function: Callable[P, R], kind: type) -> Callable[P, R]:
    """Return a numba dispatcher for a function, with the cache folder that belongs to its current sources."""
    folder = cache_folder(*_starts(function, kind))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KibitzError(
            f"Cannot keep compiled searches in {folder}: {error.strerror}; name another folder in KIBITZ_CACHE_DIR."
        ) from None
    with suppress(OSError):  # the cache of another user may be read-only
        os.utime(folder)
        _prune(folder)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        dispatcher = numba.njit(**OPTIONS)(function)
        dispatcher._cache = _SharedCache(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(Callable[P, R], dispatcher)


class _SharedCache(FunctionCache):  # type: ignore[misc]  # numba has no types, see arrays.Numba
    """A cache in which one process compiles a kernel while others wait for it. On a full disk nothing is cached."""

    def load_overload(self, sig: Numba, target_context: Numba) -> Numba:
        """Return a cached kernel, waiting for a process that is compiling it; None if it must be compiled here."""
        loaded = super().load_overload(sig, target_context)
        if loaded is None:
            _compile_lock.acquire(Path(self.cache_path) / f"{self._py_func.__name__}.lock")
            loaded = super().load_overload(sig, target_context)  # another process may have saved it meanwhile
            if loaded is not None:
                _compile_lock.release()
        return loaded

    def save_overload(self, sig: Numba, data: Numba) -> None:
        """Save a compiled kernel, if there is room on the disk."""
        with suppress(OSError):
            super().save_overload(sig, data)
        _compile_lock.release()


class _CompileLock:
    """The file lock of the process that is compiling a kernel."""

    def __init__(self) -> None:
        self.file: IO[str] | None = None

    def acquire(self, path: Path) -> None:
        """Wait up to MAX_WAIT_SECONDS for the lock."""
        self.release()
        with suppress(OSError):  # a read-only cache has no locks
            self.file = open(path, "w", encoding="utf-8")  # noqa: SIM115  # it stays open while it is locked
        until = time.monotonic() + MAX_WAIT_SECONDS
        while self.file is not None and not try_lock(self.file) and time.monotonic() < until:
            time.sleep(0.05)

    def release(self) -> None:
        """Release the lock, if this process holds one."""
        if self.file is not None:
            self.file.close()
            self.file = None


_compile_lock = _CompileLock()


def cache_root() -> Path:
    """Return the folder of all compiled kernels, inside $KIBITZ_CACHE_DIR or the user's cache folder."""
    return Path(os.environ.get("KIBITZ_CACHE_DIR") or platformdirs.user_cache_dir("kibitz")) / "kernels"


@cache
def cache_folder(*modules: str) -> Path:
    """Return the cache folder of kernels defined in these modules; its name is a digest of all they depend on."""
    digest = hashlib.blake2b(digest_size=10)
    for version in (sys.version, numba.__version__, np.__version__):
        digest.update(version.encode())
    for flag in _FLAGS:
        digest.update(f"{flag}={getattr(numba.config, flag, None)}".encode())
    for name, path in sorted(reachable(modules).items()):
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return cache_root() / f"{_label(modules)}-{digest.hexdigest()}"


def _label(modules: tuple[str, ...]) -> str:
    """Return the readable part of a folder's name: the modules of the kernel and of its positions."""
    ours = [name for name in modules if name.partition(".")[0] not in _NOT_OURS]
    return "+".join(name.removeprefix("kibitz.").replace(".", "_") for name in ours)


def reachable(modules: tuple[str, ...]) -> dict[str, Path]:
    """Return these modules and all that they import, directly or indirectly, each with its file.

    Leave out the standard library and installed packages, except kibitz and the packages of games.
    """
    files: dict[str, Path] = {}
    queue = list(modules)
    while queue:
        name = queue.pop()
        spec = None if name in files else _find(name)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py") or _is_foreign(spec):
            continue
        files[name] = Path(spec.origin)
        package = spec.name if spec.submodule_search_locations else spec.name.rpartition(".")[0]
        queue += _imports(files[name], package, loaded_only=name.startswith("kibitz.core."))
    return files


def _find(module: str) -> ModuleSpec | None:
    """Return the import spec of a module, even of a script (__main__); None if it is not ours or not installed."""
    if module == "__main__":
        main = sys.modules[module]
        script = getattr(main, "__file__", None)
        return main.__spec__ or (importlib.util.spec_from_file_location(module, script) if script else None)
    if module.partition(".")[0] in _NOT_OURS:
        return None
    try:
        return importlib.util.find_spec(module)
    except ModuleNotFoundError:  # an optional dependency
        return None


def _is_foreign(spec: ModuleSpec) -> bool:
    """Return whether a module belongs to an installed package other than kibitz and games."""
    if spec.name.partition(".")[0] in {"kibitz", *game_modules()}:
        return False
    return any(Path(spec.origin or "").is_relative_to(folder) for folder in _INSTALLED)


def _imports(path: Path, package: str, loaded_only: bool) -> Iterator[str]:
    """Yield the names of the modules that a source file imports, and some names that are not modules.

    Imports inside functions count, because such a function may compute a constant of a kernel. Core has no such
    constants, and its functions import boards and pages: there only imports at module level count (loaded_only).
    """
    tree = ast.parse(path.read_bytes())
    for node in _loaded(tree) if loaded_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield base
            spec = _find(base)
            if spec is not None and spec.submodule_search_locations:
                yield from (f"{base}.{alias.name}" for alias in node.names)


def _loaded(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module that run when it is imported: all but the bodies of functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _loaded(child)


def _prune(folder: Path) -> None:
    """Keep the _MAX_FOLDERS last used folders of the same kernels; remove all folders unused for _MAX_UNUSED_DAYS."""
    label = folder.name.rpartition("-")[0]
    siblings = [path for path in folder.parent.glob(f"{label}-*") if path.name.rpartition("-")[0] == label]
    for old in sorted(siblings, key=_last_used, reverse=True)[_MAX_FOLDERS:]:
        shutil.rmtree(old, ignore_errors=True)  # another process may be doing the same
    for other in folder.parent.iterdir():  # kernels may have been moved or uninstalled
        if other.is_dir() and time.time() - _last_used(other) > _MAX_UNUSED_DAYS * 86_400:
            shutil.rmtree(other, ignore_errors=True)


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0
