"""Save and load the state of an unfinished net fit, in files of at most 15 MB, so that it can be resumed elsewhere.

state.json lists the files that belong together and is replaced last, so a fit that is
killed while saving leaves the previous state intact.
"""

from __future__ import annotations

import io
import json
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from kibitz.core.errors import BadText
from kibitz.core.files import write_atomically
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.store import DAMAGE_ERRORS

MANIFEST = "state.json"
MAX_FILE_BYTES = 15_000_000
FORMAT, VERSION = "kibitz go net fit", 1
NetArrays: TypeAlias = dict[str, Any]
"""numpy arrays by name, such as the weights of a net. Typed as Any because np.savez also has keywords of its own."""


def save_state(folder: Path, arrays: NetArrays, about: JsonObject) -> None:
    """Write arrays and their description to a folder, replacing the previous state."""
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    data = buffer.getvalue()
    old = list(folder.glob("state-*.bin"))
    current = (folder / MANIFEST).read_text(encoding="utf-8") if (folder / MANIFEST).exists() else ""
    letter = "b" if '"state-a' in current else "a"  # never overwrite the files of the previous state
    names: list[str] = []
    for i in range(0, len(data), MAX_FILE_BYTES):
        names.append(f"state-{letter}{len(names)}.bin")
        (folder / names[-1]).write_bytes(data[i : i + MAX_FILE_BYTES])
    manifest = {"format": FORMAT, "version": VERSION, "files": names, "digest": _digest(data), "about": about}
    write_atomically(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    for path in old:
        if path.name not in names:
            path.unlink(missing_ok=True)


def load_state(folder: Path) -> tuple[NetArrays, JsonObject]:
    """Return the arrays and their description. Raise BadText if they are missing, damaged or from another version."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT or manifest["version"] != VERSION:
            raise BadText(f"{folder} has no net fit, or one of another version of kibitz: use another folder.")
        if any(Path(name).name != name for name in manifest["files"]):
            raise ValueError
        data = b"".join((folder / name).read_bytes() for name in manifest["files"])
        if _digest(data) != manifest["digest"]:
            raise BadText(f"The fit in {folder} is damaged: its files do not match. Start a new one in another folder.")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return dict(arrays), manifest["about"]
    except OSError as error:
        raise BadText(f"There is no fit to resume in {folder}: {error.strerror or error}.") from None
    except (*DAMAGE_ERRORS, RecursionError):
        raise BadText(f"The fit in {folder} is damaged: start a new one in another folder.") from None


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
