"""8-bit weights for the net, and what the net makes of positions before its last layers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantType, quantize_static

from kibitz.games.go.predict.net.state import NetArrays
from tools.make.go_net.ends import load

CALIBRATION_POSITIONS = 256
POSITIONS_PER_BATCH = 8
LARGE_CONVOLUTION = (3, 3)  # the width of the convolutions that become integer
FEATURE_SCALE = 64.0
"""A feature x is kept as the byte FEATURE_SCALE * sqrt(x), so features up to 15.9."""


class _Positions(CalibrationDataReader):  # type: ignore[misc]
    """Positions to find the range of each layer with."""

    def __init__(self, planes: np.ndarray[Any, np.dtype[np.float32]]) -> None:
        self.batches = iter(np.array_split(planes, max(1, len(planes) // POSITIONS_PER_BATCH)))

    def get_next(self) -> dict[str, Any] | None:
        batch = next(self.batches, None)
        return None if batch is None else {"planes": batch}


def integer_net(net: Path, known: Path, out: Path) -> None:
    """Write a net whose large convolutions are computed in integers, with ranges from some positions.

    Weights get 7 of the 8 bits: processors without VNNI add products in 16 bits, which 8 bits would overflow.
    """
    model = _without_casts(onnx.load(net))
    shapes = {each.name: tuple(each.dims) for each in model.graph.initializer}
    large = [
        node.name
        for node in model.graph.node
        if node.op_type == "Conv" and shapes[node.input[1]][2:] == LARGE_CONVOLUTION
    ]
    positions = load(known)["planes"]
    every = max(1, len(positions) // CALIBRATION_POSITIONS)
    planes = _as_boards(positions[::every][:CALIBRATION_POSITIONS])
    with TemporaryDirectory() as folder:
        plain = Path(folder, "plain.onnx")
        onnx.save(model, plain)
        quantize_static(
            plain, out, _Positions(planes), per_channel=True, reduce_range=True, activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8, nodes_to_quantize=large, calibrate_method=CalibrationMethod.MinMax,
        )  # fmt: skip


def _without_casts(model: Any) -> Any:
    """Turn weights of 16 bits that are cast when the file is loaded into weights of 32 bits, as quantising needs."""
    graph = model.graph
    weights = {each.name: each for each in graph.initializer}
    nodes = []
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in weights:
            halves = weights[node.input[0]]
            graph.initializer.append(
                numpy_helper.from_array(numpy_helper.to_array(halves).astype(np.float32), node.output[0])
            )
            graph.initializer.remove(halves)
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def _as_boards(planes: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return planes as float32 [position, plane, row, column]."""
    size = int(planes.shape[2] ** 0.5)
    return planes.astype(np.float32).reshape(len(planes), -1, size, size)


def features_name(model: Any) -> str:
    """Return the name of the values before the last layers: what the last pooling reads."""
    return str([node for node in model.graph.node if node.op_type == "GlobalAveragePool"][-1].input[0])


def features(net: Path, known: Path, seed: int, out: Path) -> None:
    """Write the features of positions, each under a random symmetry, with what is known about their ends.

    The file has `features`, uint8 [position, channel, row, column], `owners`, int8 [position, row, column], and
    `leads`, `komi` and `wins` as in the file of positions.
    """
    model, rng, positions = onnx.load(net), np.random.default_rng(seed), load(known)
    name = features_name(model)
    model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    size = int(positions["planes"].shape[2] ** 0.5)
    owners = positions["owners"].reshape(-1, size, size)
    found, turned = list[Any](), list[Any]()
    for start in range(0, len(owners), POSITIONS_PER_BATCH):
        part = slice(start, start + POSITIONS_PER_BATCH)
        symmetries = rng.integers(0, 8, len(owners[part]))
        boards = _as_boards(positions["planes"][part])
        batch = np.stack([_turned(board, k) for board, k in zip(boards, symmetries, strict=True)])
        (values,) = session.run([name], {"planes": batch})
        found.append(np.clip(FEATURE_SCALE * np.sqrt(values), 0, 255).astype(np.uint8))
        turned += [_turned(board, k) for board, k in zip(owners[part], symmetries, strict=True)]
        if start % 4000 == 0:
            print(f"  {start} of {len(owners)} positions", flush=True)
    arrays: NetArrays = {name: positions[name] for name in ("leads", "komi", "wins")}
    with out.open("wb") as file:
        np.savez(file, features=np.concatenate(found), owners=np.stack(turned), **arrays)


def _turned(board: np.ndarray[Any, Any], symmetry: int) -> np.ndarray[Any, Any]:
    """Return a board, [..., row, column], under one of the eight symmetries."""
    board = board.swapaxes(-1, -2) if symmetry & 4 else board
    return np.ascontiguousarray(np.rot90(board, symmetry & 3, axes=(-2, -1)))
