"""The source files that a kernel depends on, and a digest of them.

A kernel depends on every module that its own imports, directly or indirectly. Tracing imports takes 50 ms, so the files
are remembered with their sizes and times, as Python does with its own compiled files; nothing is traced again until one
of them changes.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path

from kibitz.compiled.folder import cache_root, is_ours, write_file
from kibitz.core.installed import game_modules
from kibitz.core.untrusted import JsonObject

_NOT_OURS = {*sys.stdlib_module_names, "numpy", "numba", "llvmlite"}
_INSTALLED = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]


@cache
def sources_digest(*modules: str) -> str:
    """Return a digest of these modules and of all that they import."""
    ours = [name for name in modules if name.partition(".")[0] not in _NOT_OURS]
    note = cache_root() / "sources" / f"{hashlib.blake2b(' '.join(ours).encode(), digest_size=10).hexdigest()}.json"
    known = _remembered(note, ours)
    if known is not None:
        return known
    digest = hashlib.blake2b(digest_size=10)
    files = sorted(reachable(modules).items())
    stamps = [[name, str(path), *_stamp(path)] for name, path in files]  # before reading: an edit meanwhile counts
    for name, path in files:
        digest.update(name.encode() + b"\0" + path.read_bytes())
    write_file(note, json.dumps({"digest": digest.hexdigest(), "files": stamps}).encode())
    return digest.hexdigest()


def _remembered(note: Path, modules: list[str]) -> str | None:
    """Return the digest in a note, or None if one of its files has changed or moved, or the note is not to be had."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        if not is_ours(note):
            return None
        found: JsonObject = json.loads(note.read_bytes())
        paths = {name: path for name, path, *_ in found["files"]}
        here = {name: str(getattr(sys.modules[name], "__file__", None)) for name in [*modules, __name__]}
        unmoved = all(paths.get(name, path) == path for name, path in here.items())
        if unmoved and all(_stamp(Path(path)) == (time, size) for _, path, time, size in found["files"]):
            return str(found["digest"])
    return None


def _stamp(path: Path) -> tuple[int, int]:
    """Return the time of a file's last change, in nanoseconds, and its size."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


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
    except (ModuleNotFoundError, ValueError):  # an optional dependency, or a module made at run time
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
