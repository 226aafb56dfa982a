"""Compiling kernels, and keeping what was compiled on disk.

Three decorators. `jit` is for the functions a kernel is made of, `inlined` for
parts of one that call it again. `entry` is for
the functions that Python calls: each is compiled once per kind of position and
cached on disk.

numba's own cache looks only at the file of the cached function, so a caller
would go on using a callee that has since been edited. Ours is a folder named by
a digest of every source file that the kernel can reach through its imports, of
the versions, and of the flags that change the code. Old folders are pruned.

Kernels are compiled without numba's reference counting (_nrt=False): they own no
arrays and may not make any. Perft ran three times as fast for it.

A trap: a recursive kernel must be called with the types with which it calls
itself. A literal is a type of its own to numba, and then the kernel works when
compiled but crashes when loaded from the cache (numba issue 6061). Pass ZERO
instead of 0.
"""

from __future__ import annotations

import ast
import gc
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
from typing import IO, Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
import platformdirs
from numba.core import event
from numba.core.caching import FunctionCache

from kibitz.compiled.notice import announce
from kibitz.compiled.parts import part
from kibitz.core.errors import KibitzError
from kibitz.core.files import try_lock
from kibitz.core.installed import game_modules

P = ParamSpec("P")
R = TypeVar("R")

ZERO = cast(int, np.int64(0))
"""A 0 that is an int64, for the first call of a recursive kernel."""

OPTIONS = {"nogil": True, "_nrt": False}
"""numba's options for all that is compiled here."""

LONGEST_WAIT = 300.0
"""Seconds that a process waits for another that compiles the same, before it does so itself."""
_KEPT_FOLDERS = 4
_MAX_UNUSED_DAYS = 60
_NOT_OURS = {*sys.stdlib_module_names, "numpy", "numba", "llvmlite"}
_INSTALLED = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
_FLAGS = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS", "ENABLE_AVX", "CPU_NAME", "CPU_FEATURES")
_lock = threading.Lock()


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function for use inside kernels. It is not cached by itself."""
    apart = {"forceinline": False} if "stay_apart" in function.__code__.co_names else {}  # else as who calls it
    compiled: Callable[P, R] = numba.njit(**OPTIONS, **apart)(function)
    return part(compiled)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Put the body of a function where it is called: a part of a kernel that calls itself.

    Two functions that call each other work when compiled, but crash when loaded from the cache.
    """
    compiled: Callable[P, R] = numba.njit(**OPTIONS, inline="always")(function)
    return compiled


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function for use from Python, anew for each type of its first argument, cached on disk."""
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
        except (pickle.UnpicklingError, EOFError):  # a damaged cache: it is loaded before anything is run
            shutil.rmtree(cache_folder(*_starts(function, kind)))
            compiled[kind] = _cached(function, kind)
            return compiled[kind](*args, **kwargs)

    return update_wrapper(call, function)


_kernel_modules: dict[type, str] = {}


def start_from(kind: type, module: str) -> None:
    """Make a module count among the sources of every kernel that is compiled for a kind of position.

    The operations of a position may be defined in another module than its type.
    """
    _kernel_modules[kind] = module


def _starts(function: Callable[P, R], kind: type) -> tuple[str, ...]:
    """Return the modules that a kernel for a kind of first argument is made of, before what they import."""
    return tuple(dict.fromkeys((function.__module__, kind.__module__, _kernel_modules.get(kind, kind.__module__))))


def _cached(function: Callable[P, R], kind: type) -> Callable[P, R]:
    """Return a numba dispatcher whose cache folder fits the sources that it reaches."""
    folder = cache_folder(*_starts(function, kind))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KibitzError(
            f"Cannot keep compiled searches in {folder}: {error.strerror}; name another folder in KIBITZ_CACHE_DIR."
        ) from None
    with suppress(OSError):  # somebody else's cache may be read, but not touched
        os.utime(folder)
        _prune(folder)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        dispatcher = numba.njit(**OPTIONS)(function)
        dispatcher._cache = _Kept(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(Callable[P, R], dispatcher)


class _Kept(FunctionCache):  # type: ignore[misc]  # numba's types are passed over, see pyproject
    """A cache that compiles in one process what several want, and does not mind a full disk.

    What cannot be kept is compiled again the next time.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what is kept, also by a process that is just compiling it; None if it is to be compiled here."""
        found = super().load_overload(sig, target_context)
        if found is None:
            _turns.take(Path(self.cache_path) / f"{self._py_func.__name__}.lock")
            found = super().load_overload(sig, target_context)  # another process may have kept it meanwhile
            if found is not None:
                _turns.give_back()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is room."""
        with suppress(OSError):
            super().save_overload(sig, data)
        _turns.give_back()


class _Turns:
    """The lock of the process whose turn it is to compile a kernel."""

    def __init__(self) -> None:
        self.file: IO[str] | None = None

    def take(self, path: Path) -> None:
        """Wait for the turn, for LONGEST_WAIT at most."""
        self.give_back()
        with suppress(OSError):  # where nothing can be written there are no turns
            self.file = open(path, "w", encoding="utf-8")  # noqa: SIM115  # it stays open while it is locked
        until = time.monotonic() + LONGEST_WAIT
        while self.file is not None and not try_lock(self.file) and time.monotonic() < until:
            time.sleep(0.05)

    def give_back(self) -> None:
        """Let others have their turn."""
        if self.file is not None:
            self.file.close()
            self.file = None


_turns = _Turns()


def cache_root() -> Path:
    """Return the folder of all compiled kernels: $KIBITZ_CACHE_DIR, or the user's cache folder."""
    return Path(os.environ.get("KIBITZ_CACHE_DIR") or platformdirs.user_cache_dir("kibitz")) / "kernels"


@cache
def cache_folder(*modules: str) -> Path:
    """Return the folder for kernels that start in these modules, named by all that they depend on."""
    digest = hashlib.blake2b(digest_size=10)
    for version in (sys.version, numba.__version__, np.__version__):
        digest.update(version.encode())
    for flag in _FLAGS:
        digest.update(f"{flag}={getattr(numba.config, flag, None)}".encode())
    for name, path in sorted(reachable(modules).items()):
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return cache_root() / f"{_label(modules)}-{digest.hexdigest()}"


def _label(modules: tuple[str, ...]) -> str:
    """Return a readable start of a folder's name: where the kernel starts, and whose positions it is for."""
    ours = [name for name in modules if name.partition(".")[0] not in _NOT_OURS]
    return "+".join(name.removeprefix("kibitz.").replace(".", "_") for name in ours)


def reachable(modules: tuple[str, ...]) -> dict[str, Path]:
    """Return the modules that these import, directly or not, each with its file.

    Leaves out the standard library and installed packages, except kibitz and the packages that games come from.
    """
    found: dict[str, Path] = {}
    queue = list(modules)
    while queue:
        name = queue.pop()
        spec = None if name in found else _find(name)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py") or _is_foreign(spec):
            continue
        found[name] = Path(spec.origin)
        package = spec.name if spec.submodule_search_locations else spec.name.rpartition(".")[0]
        queue += _imports(found[name], package, loaded_only=name.startswith("kibitz.core."))
    return found


def _find(module: str) -> ModuleSpec | None:
    """Return where a module is, also when it is the one that was started."""
    if module == "__main__":
        main = sys.modules[module]
        script = getattr(main, "__file__", None)
        return main.__spec__ or (importlib.util.spec_from_file_location(module, script) if script else None)
    if module.partition(".")[0] in _NOT_OURS:
        return None
    try:
        return importlib.util.find_spec(module)
    except ModuleNotFoundError:  # an optional import of something that is not installed
        return None


def _is_foreign(spec: ModuleSpec) -> bool:
    """Return whether a module is of an installed package that neither is kibitz nor has a game."""
    if spec.name.partition(".")[0] in {"kibitz", *game_modules()}:
        return False
    return any(Path(spec.origin or "").is_relative_to(folder) for folder in _INSTALLED)


def _imports(path: Path, package: str, loaded_only: bool) -> Iterator[str]:
    """Yield the names of the modules that a source file imports, and some that are none.

    Imports inside functions count, because a constant of a kernel may be made by a function that imports. Core makes
    no such constants, and from there they would lead to boards and pages: there they are left out.
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
    """Yield the parts of a module that run when it is loaded: all but the bodies of functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _loaded(child)


def _prune(folder: Path) -> None:
    """Remove all but the folders last used of the same kernels, and any folder that was not used for long."""
    label = folder.name.rpartition("-")[0]
    siblings = [path for path in folder.parent.glob(f"{label}-*") if path.name.rpartition("-")[0] == label]
    for old in sorted(siblings, key=_last_used, reverse=True)[_KEPT_FOLDERS:]:
        shutil.rmtree(old, ignore_errors=True)  # another process may be doing the same
    for other in folder.parent.iterdir():  # of kernels that have since been moved or uninstalled
        if other.is_dir() and time.time() - _last_used(other) > _MAX_UNUSED_DAYS * 86_400:
            shutil.rmtree(other, ignore_errors=True)


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


class _Compilations(event.Listener):  # type: ignore[misc]  # numba's types are passed over, see pyproject
    """Passes on when the compiler starts on a kernel and when it is done, but not its parts in between.

    Meanwhile no garbage is collected: the compiler makes many objects and hardly any, so looking for it takes a tenth
    of the time.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.collects = False

    def on_start(self, found: Any) -> None:
        self.depth += 1
        if self.depth == 1:
            announce(found.data["dispatcher"].py_func.__name__)
            self.collects = gc.isenabled()
            gc.disable()

    def on_end(self, found: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            announce(None)
            if self.collects:
                gc.enable()


event.register("numba:compile", _Compilations())
