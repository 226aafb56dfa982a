"""Arrays that are made once and kept on disk, so that they load at once and processes share them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.compiled.aligned import aligned
from kibitz.compiled.jit import cache_root

LATEST = 3
"""While one learns, the teacher's array and the package's own are in use by turns."""


def kept(name: str, digest: str, make: Callable[[], Any]) -> Any:
    """Return an array that may not be written to: the one kept under this digest, or else made and kept now.

    Of those of one name the LATEST made last are kept. Without a folder to write
    to it is made each time.
    """
    folder = cache_root().parent / "tables"
    path = folder / f"{name}-{digest}.npy"
    with suppress(OSError, ValueError, EOFError):  # not there, or damaged
        return np.asarray(np.load(path, mmap_mode="r"))
    array = aligned(make())  # as those that are loaded are
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
        same = [other for other in folder.glob(f"{name}-*.npy") if other.name.rpartition("-")[0] == name]
        for old in sorted(same, key=lambda other: other.stat().st_mtime_ns)[:-LATEST]:
            Path.unlink(old, missing_ok=True)
    return array
