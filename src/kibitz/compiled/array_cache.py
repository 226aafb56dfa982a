"""Large arrays that are computed once and cached on disk, so that they load quickly and processes share them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import aligned
from kibitz.compiled.folder import cache_root

MAX_VERSIONS = 3
"""The maximum number of cached arrays per name. Training switches between the teacher's array and the package's."""

D = TypeVar("D", bound=np.generic)


def cached_array(name: str, digest: str, make: Callable[[], NDArray[D]]) -> NDArray[D]:
    """Return the read-only array cached under a name and digest; call make() and cache the result if there is none.

    If the cache folder cannot be written to, the array is made each time.
    """
    folder = cache_root() / "tables"
    path = folder / f"{name}-{digest}.npy"
    with suppress(OSError, ValueError, EOFError):  # missing or damaged
        return np.asarray(np.load(path, mmap_mode="r"))
    array = aligned(make())  # as arrays loaded from the cache are
    array.flags.writeable = False
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as part:
            try:
                np.save(part, array)
            except OSError:
                os.unlink(part.name)
                raise
        os.replace(part.name, path)
        versions = [other for other in folder.glob(f"{name}-*.npy") if other.name.rpartition("-")[0] == name]
        for old in sorted(versions, key=lambda other: other.stat().st_mtime_ns)[:-MAX_VERSIONS]:
            Path.unlink(old, missing_ok=True)
    return array
