"""The file of a pattern model: which patterns it knows, and the weights of all features in few bits.

An .npz with `about` (JSON: format, version, how it was made), the keys of the
patterns ascending, as differences, byte by byte, and the weights: 16 bits for
the weight of a feature, 8 for each factor, with a scale for each column.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.errors import BadText
from kibitz.core.files import open_atomically
from kibitz.games.go.predict.model.layout import FIXED, KINDS, SIZES
from kibitz.games.go.records.store import DAMAGED, OtherVersion

FORMAT, VERSION = "kibitz go patterns", 1
_WEIGHT, _FACTOR = 32767, 127


class Content(NamedTuple):
    """What a file holds."""

    about: dict[str, Any]
    keys: Any
    """uint32 [pattern], ascending"""
    weights: Any
    """float32 [feature, 1 + factors]; the patterns come after the FIXED features, in the order of their keys"""


def write_model(path: Path, content: Content) -> None:
    """Write a model; what the file was before is replaced in one step. Keys need not be in order."""
    order = np.argsort(content.keys, kind="stable")
    weights = np.concatenate([content.weights[:FIXED], content.weights[FIXED:][order]])
    steps = np.diff(content.keys[order].astype(np.int64), prepend=0).astype("<u4")
    scales = np.maximum(np.abs(weights).max(axis=0), 1e-6) / np.array([_WEIGHT] + [_FACTOR] * (weights.shape[1] - 1))
    small = np.round(weights / scales)
    first = small[:, 0].astype("<i2")
    about = {**content.about, "format": FORMAT, "version": VERSION, "layout": _layout()}
    with open_atomically(path) as file:
        np.savez_compressed(
            file,
            about=np.array(json.dumps(about)),
            keys=steps.view(np.uint8).reshape(-1, 4).T.copy(),
            weights=first.view(np.uint8).reshape(-1, 2).T.copy(),
            factors=small[:, 1:].astype(np.int8).T.copy(),
            scales=scales.astype(np.float32),
        )


def read_model(path: Path) -> Content:
    """Return what a file holds. Raises BadText if it is no model, damaged, or of another version."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as held:
            about = json.loads(str(held["about"]))
            if about["format"] != FORMAT:
                raise ValueError
            if about["version"] != VERSION or about["layout"] != _layout():
                raise OtherVersion
            keys = np.cumsum(_words(held["keys"], "<u4").astype(np.uint64)).astype(np.uint32)
            first, factors, scales = _words(held["weights"], "<i2"), held["factors"], held["scales"]
            if len(first) != FIXED + len(keys) or factors.shape != (len(scales) - 1, len(first)):
                raise ValueError
            weights = np.concatenate([first[None], factors]).T.astype(np.float32) * scales
    except OtherVersion:
        raise BadText(
            f"The model in {path} is of another version of kibitz; kibitz go train makes one for this version."
        ) from None
    except OSError as error:
        raise BadText(f"The model in {path} cannot be opened: {error.strerror or error}.") from None
    except DAMAGED:
        raise BadText(f"{path} is no pattern model, or a damaged one; kibitz go train makes one.") from None
    return Content(about, keys, np.ascontiguousarray(weights, np.float32))


def _layout() -> list[Any]:
    """Return what must be the same for weights to mean the same."""
    return [list(SIZES), [[name, count] for name, count in KINDS]]


def _words(planes: Any, kind: str) -> Any:
    """Return numbers whose bytes are kept apart."""
    return np.ascontiguousarray(planes.T).view(kind).reshape(-1)
