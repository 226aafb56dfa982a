"""Arrays that are made once and kept on disk, so that they load at once and processes share them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.compiled.jit import cache_root


def kept(name: str, digest: str, make: Callable[[], Any]) -> Any:
    """Return an array that may not be written to: the one kept under this digest, or else made and kept now.

    Others of the same name are removed. Without a folder to write to it is made
    each time.
    """
    folder = cache_root().parent / "tables"
    path = folder / f"{name}-{digest}.npy"
    with suppress(OSError, ValueError):  # not there, or damaged
        return np.asarray(np.load(path, mmap_mode="r"))
    array = np.ascontiguousarray(make())
    array.flags.writeable = False
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as part:
            np.save(part, array)
        os.replace(part.name, path)
        for old in folder.glob(f"{name}-*.npy"):
            if old != path:
                Path.unlink(old, missing_ok=True)
    return array
