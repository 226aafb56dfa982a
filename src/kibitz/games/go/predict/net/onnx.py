"""Write the policy net as an ONNX file: normalisation folded into the convolutions, weights as 16-bit floats.

This needs only the package onnx, not PyTorch. The weights become 32-bit floats again when the file is loaded.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import open_atomically
from kibitz.games.go.predict.net.net import FORMAT, PLANES, VERSION
from kibitz.games.go.predict.net.state import NetArrays
from kibitz.games.go.records.store import DAMAGE_ERRORS

OPSET, IR_VERSION = 17, 8  # old enough for any recent onnxruntime
EPSILON = 1e-5  # what torch adds to a variance before taking the square root


def to_onnx(arrays: NetArrays, made: str) -> bytes:
    """Return the bytes of net.onnx from weights by name, as returned by GoNet.arrays(); `made` says how it was made.

    Raise BadOption if onnx is not installed.
    """
    try:
        import onnx
    except ImportError:
        raise BadOption("Writing a net needs onnx: pip install 'kibitz[learning]'.") from None
    graph = _Graph(onnx.helper, onnx.numpy_helper, arrays)
    x = graph.relu(graph.normed_conv("planes", "stem"))
    for i in sorted({int(name.split(".")[1]) for name in arrays if name.startswith("blocks.")}):
        block = f"blocks.{i}"
        y = graph.normed_conv(x, f"{block}.first")
        if f"{block}.pool.weight" in arrays:
            y = graph.add(y, graph.conv(graph.pooled(x), f"{block}.pool"))
        y = graph.normed_conv(graph.relu(y), f"{block}.second")
        x = graph.relu(graph.add(x, y))
    whole = graph.pooled(x)
    y = graph.add(graph.conv(x, "head.policy"), graph.conv(whole, "head.policy_pool"))
    y = graph.conv(graph.relu(y), "head.policy_out")
    graph.node("Reshape", [y, graph.constant(np.array([0, -1], np.int64))], "logits")
    z = graph.conv(graph.relu(graph.conv(whole, "head.value")), "head.value_out")
    graph.node("Reshape", [graph.node("Sigmoid", [z]), graph.constant(np.array([-1], np.int64))], "wins")

    make, number = onnx.helper.make_tensor_value_info, onnx.TensorProto.FLOAT
    inputs = [make("planes", number, ["n", PLANES, "rows", "columns"])]
    outputs = [make("logits", number, ["n", "points"]), make("wins", number, ["n"])]
    finished_graph = onnx.helper.make_graph(graph.nodes, "policy", inputs, outputs, graph.constants)
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    model = onnx.helper.make_model(finished_graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="kibitz")
    onnx.helper.set_model_props(model, {"format": FORMAT, "version": str(VERSION), "made": made})
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


class _Graph:
    """A graph that grows node by node. Every method returns the name of the node that it adds."""

    def __init__(self, helper: Any, numpy_helper: Any, arrays: NetArrays) -> None:
        self.helper, self.numpy_helper, self.arrays = helper, numpy_helper, arrays
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, kind: str, inputs: list[str], name: str | None = None, **options: Any) -> str:
        name = name or f"n{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, inputs, [name], name=name, **options))
        return name

    def constant(self, array: NDArray[np.generic]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def half_precision(self, array: NDArray[np.generic]) -> str:
        """Add a constant of 16-bit floats, and a cast to 32 bits."""
        halves = np.asarray(array, np.float16)
        if not np.isfinite(halves).all():
            raise BadOption(
                "The fit failed: some weights are not numbers, or too large for 16 bits. Try a lower --rate."
            )
        return self.node("Cast", [self.constant(halves)], to=1)

    def conv(self, x: str, name: str) -> str:
        """Add the convolution of this name; a matrix is a convolution of size 1."""
        return self._conv(x, self.arrays[f"{name}.weight"], self.arrays.get(f"{name}.bias"))

    def normed_conv(self, x: str, name: str) -> str:
        """Add a convolution into which the normalisation after it is folded."""
        weight, gain, bias, mean, variance = (
            self.arrays[f"{name}.{part}"].astype(np.float32)
            for part in ("conv.weight", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var")
        )
        gain = gain / np.sqrt(variance + np.float32(EPSILON))
        return self._conv(x, weight * gain[:, None, None, None], bias - mean * gain)

    def _conv(self, x: str, weight: NDArray[np.generic], bias: NDArray[np.generic] | None) -> str:
        if weight.ndim == 2:
            weight = weight[:, :, None, None]
        inputs = [x, self.half_precision(weight)] + ([] if bias is None else [self.half_precision(bias)])
        width = weight.shape[2]
        return self.node("Conv", inputs, kernel_shape=[width, width], pads=[width // 2] * 4)

    def relu(self, x: str) -> str:
        return self.node("Relu", [x])

    def add(self, x: str, y: str) -> str:
        return self.node("Add", [x, y])

    def pooled(self, x: str) -> str:
        """Add the mean and the maximum over the board, [n, 2 channels, 1, 1]."""
        return self.node("Concat", [self.node("GlobalAveragePool", [x]), self.node("GlobalMaxPool", [x])], axis=1)


def convert(source: Path, out: Path) -> None:
    """Convert a net.npz to net.onnx. Raise BadOption if a file cannot be read or written, BadText if damaged."""
    try:
        with open(source, "rb") as file, np.load(file, allow_pickle=False) as held:
            arrays = dict(held)
        made = str(arrays.pop("made"))
        with open_atomically(out) as made_file:
            made_file.write(to_onnx(arrays, made))
    except OSError as error:
        raise BadOption(f"Cannot convert {source} to {out}: {error.strerror}.") from None
    except DAMAGE_ERRORS:
        raise BadText(f"{source} is not a net.npz written by kibitz go train, or is damaged.") from None


def main() -> None:
    """Convert a net.npz to net.onnx."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("source", type=Path, help="net.npz, as kibitz go train writes it where onnx is not installed")
    parser.add_argument("out", type=Path, help="net.onnx")
    options = parser.parse_args()
    try:
        convert(options.source, options.out)
    except KibitzError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
