"""A lock on a file: it goes with its process, however that ends."""

from __future__ import annotations

import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: IO[str]) -> bool:
        """Lock an open file until it is closed; return False if another process has it locked."""
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def try_lock(file: IO[str]) -> bool:
        """Lock an open file until it is closed; return False if another process has it locked."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
