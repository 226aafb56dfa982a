"""A net made by hand, whose answers can be worked out on paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kibitz.games.go.predict.net.state import NetArrays

TINY = Path(__file__).parents[3] / "data" / "go_tiny_net.onnx"
"""The net of by_hand() as a file, so that no package that writes ONNX is needed to read it."""
LAST = 9  # the plane of the last move
BESIDE = 2.0  # the logit of the four points beside the last move; that of all others is 0


def by_hand() -> NetArrays:
    """Return weights of a net that would play beside the last move, and gives the mover 3 to 1."""
    stem = np.zeros((1, 16, 5, 5), np.float32)
    for down, across in ((1, 2), (3, 2), (2, 1), (2, 3)):
        stem[0, LAST, down, across] = BESIDE
    one, nothing = np.ones(1, np.float32), np.zeros(1, np.float32)
    norm = {"weight": one, "bias": nothing, "running_mean": nothing, "running_var": one}
    head = {
        "policy.weight": one.reshape(1, 1, 1, 1), "policy.bias": nothing, "policy_pool.weight": np.zeros((1, 2)),
        "policy_out.weight": one.reshape(1, 1, 1, 1), "policy_out.bias": nothing, "value.weight": np.zeros((1, 2)),
        "value.bias": nothing, "value_out.weight": np.zeros((1, 1)), "value_out.bias": np.log(3 * one),
    }  # fmt: skip
    parts = {"stem.conv.weight": stem, **{f"stem.norm.{name}": array for name, array in norm.items()}}
    return parts | {f"head.{name}": array for name, array in head.items()}
