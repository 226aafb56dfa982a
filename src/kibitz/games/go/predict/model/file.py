"""The file of a pattern model: the patterns it knows, and the weights of all features in few bits.

An .npz with `about` (JSON: format, version, how it was made), the keys of the
patterns ascending, as differences, byte by byte, and the weights: 16 bits for
the weight of a feature, 8 for each factor, with a scale for each column.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadText
from kibitz.core.files import open_atomically
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.predict.model.layout import FIXED_FEATURES, KINDS, PATTERN_SIZES
from kibitz.games.go.records.store import DAMAGED, OtherVersion

FORMAT, VERSION = "kibitz go patterns", 1
_MAX_WEIGHT, _MAX_FACTOR = 32767, 127
_LAYOUT = [list(PATTERN_SIZES), [[name, count] for name, count in KINDS]]
"""What must be the same for weights to mean the same."""


class ModelContent(NamedTuple):
    """What a model file holds."""

    about: JsonObject
    keys: NDArray[np.uint32]  # [pattern], ascending
    weights: NDArray[np.float32]
    """[feature, 1 + factors]; the patterns follow the fixed features, in the order of their keys"""


def write_model(path: Path, content: ModelContent) -> None:
    """Write a model; an older file of that name is replaced in one step. Keys need not be in order."""
    order = np.argsort(content.keys, kind="stable")
    weights = np.concatenate([content.weights[:FIXED_FEATURES], content.weights[FIXED_FEATURES:][order]])
    steps = np.diff(content.keys[order].astype(np.int64), prepend=0).astype("<u4")
    limits = np.array([_MAX_WEIGHT] + [_MAX_FACTOR] * (weights.shape[1] - 1))
    scales = np.maximum(np.abs(weights).max(axis=0), 1e-6) / limits
    small = np.round(weights / scales)
    about = {**content.about, "format": FORMAT, "version": VERSION, "layout": _LAYOUT}
    with open_atomically(path) as file:
        np.savez_compressed(
            file,
            about=np.array(json.dumps(about)),
            keys=steps.view(np.uint8).reshape(-1, 4).T.copy(),
            weights=small[:, 0].astype("<i2").view(np.uint8).reshape(-1, 2).T.copy(),
            factors=small[:, 1:].astype(np.int8).T.copy(),
            scales=scales.astype(np.float32),
        )


def read_model(path: Path) -> ModelContent:
    """Return what a file holds. Raise BadText if it is not a model, damaged, or of another version."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(str(arrays["about"]))
            if about["format"] != FORMAT:
                raise ValueError
            if about["version"] != VERSION or about["layout"] != _LAYOUT:
                raise OtherVersion
            keys = np.cumsum(_joined(arrays["keys"]).view("<u4").astype(np.uint64)).astype(np.uint32)
            first, factors, scales = _joined(arrays["weights"]).view("<i2"), arrays["factors"], arrays["scales"]
            if len(first) != FIXED_FEATURES + len(keys) or factors.shape != (len(scales) - 1, len(first)):
                raise ValueError
            weights = np.concatenate([first[None], factors]).T.astype(np.float32) * scales
    except OtherVersion:
        raise BadText(f"The model in {path} is for another version of kibitz. Make one with kibitz go train.") from None
    except OSError as error:
        raise BadText(f"Cannot open the model in {path}: {error.strerror or error}.") from None
    except DAMAGED:
        raise BadText(f"{path} is not a pattern model, or is damaged. Make one with kibitz go train.") from None
    return ModelContent(about, keys, np.ascontiguousarray(weights, np.float32))


def _joined(planes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the bytes of numbers in their order; the file keeps first bytes, second bytes and so on apart."""
    return np.ascontiguousarray(planes.T).reshape(-1)
