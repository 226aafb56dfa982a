"""What is there to predict moves with, told without loading any of it."""

from __future__ import annotations

import importlib.util
from importlib import resources

SMALLEST, LARGEST = 7, 19
"""Boards that can be predicted. What is shipped was learned, and measured, on 19x19 alone."""


def has_net() -> bool:
    """Return whether the policy net came with this kibitz and can be run."""
    there = resources.files("kibitz.games.go.predict.net").joinpath("net.onnx").is_file()
    return there and importlib.util.find_spec("onnxruntime") is not None
