"""A net made by hand, whose answers can be worked out on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

TINY = Path(__file__).parents[3] / "data" / "go_tiny_net.onnx"
"""The net of by_hand() as a file, so that no package that writes ONNX is needed to read it."""
LAST = 9
"""The plane of the last move."""
BESIDE = 2.0
"""The logit of the four points beside the last move; that of all others is 0."""


def by_hand() -> dict[str, Any]:
    """Return weights of a net that would play beside the last move, and gives the mover 3 to 1."""
    stem = np.zeros((1, 16, 5, 5), np.float32)
    for down, across in ((1, 2), (3, 2), (2, 1), (2, 3)):
        stem[0, LAST, down, across] = BESIDE
    one, nothing = np.ones(1, np.float32), np.zeros(1, np.float32)
    return {
        "stem.conv.weight": stem,
        "stem.norm.weight": one,
        "stem.norm.bias": nothing,
        "stem.norm.running_mean": nothing,
        "stem.norm.running_var": one,
        "head.policy.weight": np.ones((1, 1, 1, 1), np.float32),
        "head.policy.bias": nothing,
        "head.policy_pool.weight": np.zeros((1, 2), np.float32),
        "head.policy_out.weight": np.ones((1, 1, 1, 1), np.float32),
        "head.policy_out.bias": nothing,
        "head.value.weight": np.zeros((1, 2), np.float32),
        "head.value.bias": nothing,
        "head.value_out.weight": np.zeros((1, 1), np.float32),
        "head.value_out.bias": np.log(3 * one),
    }
