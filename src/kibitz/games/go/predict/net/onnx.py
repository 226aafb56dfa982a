"""Writing the policy net as an ONNX file: normalisation folded into the convolutions, weights as halves.

Only the package onnx is needed. The weights are turned into floats of 32 bits when the file is loaded.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import open_atomically
from kibitz.games.go.predict.net.net import FORMAT, PLANES, VERSION
from kibitz.games.go.records.store import DAMAGED

OPSET, IR = 17, 8
"""Old enough for every onnxruntime of the last years."""
EPSILON = 1e-5
"""What torch adds to a variance before it divides by its root."""
Numbers = dict[str, Any]


def to_onnx(numbers: Numbers, made: str) -> bytes:
    """Return the file of a net from its weights by name, as Net.numbers() gives them; `made` says how it was made.

    Raises BadOption if onnx is not installed.
    """
    try:
        import onnx
    except ImportError:
        raise BadOption("Writing a net needs onnx: pip install 'kibitz[learning]'.") from None
    drawn = _Drawing(onnx.helper, onnx.numpy_helper)
    x = drawn.relu(drawn.conv("planes", *_folded(numbers, "stem")))
    blocks = sorted({int(name.split(".")[1]) for name in numbers if name.startswith("blocks.")})
    for i in blocks:
        name = f"blocks.{i}"
        y = drawn.conv(x, *_folded(numbers, f"{name}.first"))
        if f"{name}.pool.weight" in numbers:
            y = drawn.add(y, drawn.conv(drawn.pooled(x), numbers[f"{name}.pool.weight"]))
        y = drawn.conv(drawn.relu(y), *_folded(numbers, f"{name}.second"))
        x = drawn.relu(drawn.add(x, y))
    whole = drawn.pooled(x)
    y = drawn.add(
        drawn.conv(x, numbers["head.policy.weight"], numbers["head.policy.bias"]),
        drawn.conv(whole, numbers["head.policy_pool.weight"]),
    )
    y = drawn.conv(drawn.relu(y), numbers["head.policy_out.weight"], numbers["head.policy_out.bias"])
    drawn.node("Reshape", [y, drawn.constant(np.array([0, -1], np.int64))], "logits")
    z = drawn.relu(drawn.conv(whole, numbers["head.value.weight"], numbers["head.value.bias"]))
    z = drawn.node("Sigmoid", [drawn.conv(z, numbers["head.value_out.weight"], numbers["head.value_out.bias"])])
    drawn.node("Reshape", [z, drawn.constant(np.array([-1], np.int64))], "wins")

    make = onnx.helper.make_tensor_value_info
    number = onnx.TensorProto.FLOAT
    seen = make("planes", number, ["n", PLANES, "rows", "columns"])
    told = [make("logits", number, ["n", "points"]), make("wins", number, ["n"])]
    graph = onnx.helper.make_graph(drawn.nodes, "policy", [seen], told, drawn.constants)
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="kibitz")
    onnx.helper.set_model_props(model, {"format": FORMAT, "version": str(VERSION), "made": made})
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


def _folded(numbers: Numbers, name: str) -> tuple[Any, Any]:
    """Return weight and bias of a convolution with the normalisation behind it."""
    gain = numbers[f"{name}.norm.weight"] / np.sqrt(numbers[f"{name}.norm.running_var"] + EPSILON)
    bias = numbers[f"{name}.norm.bias"] - numbers[f"{name}.norm.running_mean"] * gain
    return numbers[f"{name}.conv.weight"] * gain[:, None, None, None], bias


class _Drawing:
    """A graph that grows node by node. Every method returns the name of what it adds."""

    def __init__(self, helper: Any, numpy_helper: Any) -> None:
        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, kind: str, inputs: list[str], name: str | None = None, **options: Any) -> str:
        name = name or f"n{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, inputs, [name], name=name, **options))
        return name

    def constant(self, array: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def half(self, array: Any) -> str:
        """Add a constant of halves, and what makes them floats of 32 bits again."""
        halves = np.asarray(array, np.float16)
        if not np.isfinite(halves).all():
            raise BadOption("The weights of the net are too large for a file, or no numbers: the fit went wrong.")
        return self.node("Cast", [self.constant(halves)], to=1)

    def conv(self, x: str, weight: Any, bias: Any = None) -> str:
        """Add a convolution; a matrix is one of reach 1."""
        if weight.ndim == 2:
            weight = weight[:, :, None, None]
        inputs = [x, self.half(weight)] + ([] if bias is None else [self.half(bias)])
        reach = weight.shape[2]
        return self.node("Conv", inputs, kernel_shape=[reach, reach], pads=[reach // 2] * 4)

    def relu(self, x: str) -> str:
        return self.node("Relu", [x])

    def add(self, x: str, y: str) -> str:
        return self.node("Add", [x, y])

    def pooled(self, x: str) -> str:
        """Add mean and maximum over the board, [n, 2 channels, 1, 1]."""
        return self.node("Concat", [self.node("GlobalAveragePool", [x]), self.node("GlobalMaxPool", [x])], axis=1)


def main() -> None:
    """Make a net.onnx of a net.npz."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("source", type=Path, help="net.npz, as kibitz go train writes it where there is no onnx")
    parser.add_argument("out", type=Path, help="net.onnx")
    options = parser.parse_args()
    try:
        _convert(options.source, options.out)
    except KibitzError as error:
        raise SystemExit(str(error)) from None


def _convert(source: Path, out: Path) -> None:
    """Make a net.onnx of a net.npz. Raises KibitzError."""
    try:
        with open(source, "rb") as file, np.load(file, allow_pickle=False) as held:
            numbers = dict(held)
        made = str(numbers.pop("made"))
        with open_atomically(out) as made_file:
            made_file.write(to_onnx(numbers, made))
    except OSError as error:
        raise BadOption(f"{source} cannot be made {out}: {error.strerror}.") from None
    except DAMAGED:
        raise BadText(f"{source} is no net.npz of kibitz go train, or a damaged one.") from None


if __name__ == "__main__":
    main()
