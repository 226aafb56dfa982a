"""What is raised when a file of arrays (.npz) is none, or damaged: numpy has no error of its own for that."""

from __future__ import annotations

import zipfile
import zlib

DAMAGED = (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)
"""Also for what one finds in such a file: JSON that is none, a name that is missing. Their words help nobody."""


class OtherVersion(Exception):
    """Tells that a file is whole, but of another version of kibitz."""
