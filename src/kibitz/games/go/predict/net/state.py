"""A fit of the net kept on disk, in files of at most 15 MB, so that it can go on elsewhere after it was ended.

state.json names the files that belong together and is replaced last, so a fit
that is killed while it writes leaves the state before.
"""

from __future__ import annotations

import io
import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadText
from kibitz.core.files import write_atomically
from kibitz.games.go.records.store import DAMAGED

MANIFEST = "state.json"
MOST_BYTES = 15_000_000
FORMAT, VERSION = "kibitz go net fit", 1


def save_state(folder: Path, arrays: dict[str, Any], about: dict[str, Any]) -> None:
    """Keep arrays, and what is to be known about them, in a folder, in place of those that were there."""
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    data = buffer.getvalue()
    old = list(folder.glob("state-*.bin"))
    valid = (folder / MANIFEST).read_text(encoding="utf-8") if (folder / MANIFEST).exists() else ""
    letter = "b" if '"state-a' in valid else "a"
    names: list[str] = []
    for i in range(0, len(data), MOST_BYTES):
        names.append(f"state-{letter}{len(names)}.bin")
        (folder / names[-1]).write_bytes(data[i : i + MOST_BYTES])
    kept = {"format": FORMAT, "version": VERSION, "files": names, "digest": _digest(data), "about": about}
    write_atomically(folder / MANIFEST, json.dumps(kept, indent=1) + "\n")
    for path in old:
        if path.name not in names:
            path.unlink(missing_ok=True)


def load_state(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arrays and what is known about them. Raises BadText if there are none, or they are damaged."""
    try:
        kept = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if kept["format"] != FORMAT or kept["version"] != VERSION:
            raise BadText(f"{folder / MANIFEST} is of something else, or of another version of kibitz.")
        if any(Path(name).name != name for name in kept["files"]):
            raise ValueError
        data = b"".join((folder / name).read_bytes() for name in kept["files"])
        if _digest(data) != kept["digest"]:
            raise BadText(f"The fit in {folder} is damaged: its files do not belong together.")
        with np.load(io.BytesIO(data), allow_pickle=False) as held:
            return dict(held), kept["about"]
    except OSError as error:
        raise BadText(f"There is no fit to go on with in {folder}: {error.strerror or error}.") from None
    except (*DAMAGED, RecursionError):
        raise BadText(f"The fit in {folder} is damaged: begin a new one, in another folder.") from None


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
