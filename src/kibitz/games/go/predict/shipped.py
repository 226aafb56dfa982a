"""Which models are available, and for which board sizes; checked without loading any of them."""

from __future__ import annotations

import importlib.util
from importlib import resources

MIN_SIZE, MAX_SIZE = 7, 19
"""Supported board sizes. The shipped models were trained and evaluated on 19x19 only."""


NO_NET = "onnxruntime cannot be loaded, so the pattern model stands in for the net: pip install onnxruntime."
"""What to tell the user if there is no net."""


def has_net() -> bool:
    """Return whether the policy net is shipped and onnxruntime, which it needs, is installed."""
    shipped = resources.files("kibitz.games.go.predict.net").joinpath("net.onnx").is_file()
    return shipped and importlib.util.find_spec("onnxruntime") is not None
