"""Which models can predict moves here, and on which boards, found out without loading any of them."""

from __future__ import annotations

import importlib.util
from importlib import resources

MIN_SIZE, MAX_SIZE = 7, 19
"""Board sizes that can be predicted. The shipped models learned from 19x19 only, and were measured on it only."""


def has_net() -> bool:
    """Return whether the policy net came with this kibitz and can be run."""
    shipped = resources.files("kibitz.games.go.predict.net").joinpath("net.onnx").is_file()
    return shipped and importlib.util.find_spec("onnxruntime") is not None
