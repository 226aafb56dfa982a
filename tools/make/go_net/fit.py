"""Fits the layers that estimate the end of the game, and writes them into the file of the net.

They read the features of the policy net, which stay as they are. The owner of each point is a logit; the lead is the
sum of the owners plus a correction, and has a logistic distribution, whose scale is estimated too. A position of a game
that was counted teaches owners and lead; one of a resigned game teaches only on which side of the komi it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from kibitz.games.go.predict.net.torch import pooled
from tools.make.go_net.ends import UNKNOWN, load
from tools.make.go_net.integers import FEATURE_SCALE, features_name

UNITS, LEAD_UNITS = 48, 32
BATCH, RATE, WARM_UP_STEPS = 64, 2e-3, 100
OWNERS_WEIGHT, LEAD_WEIGHT = 3.0, 0.5  # of the losses; that of the winner has 1
CORRECTION_POINTS = 10.0  # a correction of 1 is this many points
FIRST_LOG_SPREAD = 1.5
REPORT_SECONDS = 30
MAX_MEASURED = 4000


class EndLayers(nn.Module):  # type: ignore[misc]  # torch's types are ignored, see pyproject
    """From the features of a position to the owners of its points and the lead."""

    def __init__(self, channels: int = 128) -> None:
        super().__init__()
        self.entry, self.entry_pool = nn.Conv2d(channels, UNITS, 1), nn.Linear(2 * channels, UNITS, bias=False)
        self.first, self.second = nn.Conv2d(UNITS, UNITS, 3, padding=1), nn.Conv2d(UNITS, UNITS, 3, padding=1)
        self.first_pool = nn.Linear(2 * UNITS, UNITS, bias=False)
        self.owner = nn.Conv2d(UNITS, 1, 1)
        self.lead, self.lead_out = nn.Linear(2 * UNITS + 3, LEAD_UNITS), nn.Linear(LEAD_UNITS, 2)
        nn.init.zeros_(self.lead_out.weight)
        nn.init.zeros_(self.lead_out.bias)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of the owners, [n, row, column], the leads and their spreads, [n]."""
        x = functional.relu(self.entry(x) + self.entry_pool(pooled(x))[:, :, None, None])
        y = functional.relu(self.first(x) + self.first_pool(pooled(x))[:, :, None, None])
        x = functional.relu(x + self.second(y))
        logits = self.owner(x)[:, 0]
        owners = torch.tanh(logits / 2).flatten(1)
        sure = [part.mean(1, keepdim=True) for part in (owners, owners.abs(), owners**2)]
        correction, log_spread = self.lead_out(functional.relu(self.lead(torch.cat([pooled(x), *sure], 1)))).unbind(1)
        return logits, owners.sum(1) + CORRECTION_POINTS * correction, torch.exp(log_spread + FIRST_LOG_SPREAD)


class Losses:
    """The losses of one batch, and how often the winner and the owners were right."""

    def __init__(self, layers: EndLayers, batch: dict[str, Tensor]) -> None:
        logits, leads, spreads = layers((batch["features"].float() / FEATURE_SCALE) ** 2)
        owners, known = batch["owners"], batch["owners"] != UNKNOWN
        wanted = torch.where(known, (owners.float() + 1) / 2, 0.5)
        each = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none") * known
        self.owners = each.sum() / known.sum().clamp(min=1)
        counted = ~torch.isnan(batch["leads"])
        apart = ((torch.nan_to_num(batch["leads"]) - leads) / spreads * counted).abs()
        self.lead = (
            (apart + 2 * functional.softplus(-apart) + torch.log(spreads)) * counted
        ).sum() / counted.sum().clamp(min=1)
        sureness, resigned = (leads - batch["komi"]) / spreads, (batch["wins"] != 0) & ~counted
        won = (batch["wins"] > 0).float()
        each = functional.binary_cross_entropy_with_logits(sureness, won, reduction="none") * resigned
        self.winner = each.sum() / resigned.sum().clamp(min=1)
        decided, owned = batch["wins"] != 0, known & (owners != 0)
        self.right = ((sureness > 0) == (batch["wins"] > 0))[decided].float()
        self.owned = ((logits > 0) == (owners > 0))[owned].float()
        self.missed = (batch["leads"] - leads)[counted].abs()

    def total(self) -> Tensor:
        """Return the loss to minimise."""
        return OWNERS_WEIGHT * self.owners + LEAD_WEIGHT * self.lead + self.winner


def _load(path: Path) -> dict[str, Tensor]:
    """Read features as tensors; leads, komi and wins as floats."""
    arrays = load(path)
    return {
        name: torch.from_numpy(array if name in ("features", "owners") else array.astype(np.float32))
        for name, array in arrays.items()
    }


@torch.no_grad()  # type: ignore[untyped-decorator]
def measure(layers: EndLayers, known: dict[str, Tensor]) -> dict[str, float]:
    """Return the shares of winners and owners that are right, and the mean error of the lead."""
    parts = [
        Losses(layers, {name: values[start : start + BATCH] for name, values in known.items()})
        for start in range(0, min(MAX_MEASURED, len(known["leads"])), BATCH)
    ]
    columns = {"winner": "right", "owner": "owned", "lead error": "missed"}
    found = {name: torch.cat([getattr(part, column) for part in parts]) for name, column in columns.items()}
    return {name: round(float(values.mean()), 4) for name, values in found.items() if len(values)}


def fit(known: Sequence[Path], held: Path, seconds: float, seed: int, out: Path) -> None:
    """Fit the layers for some seconds, and write their weights with the figures on held-out positions."""
    torch.manual_seed(seed)
    rng, sets, held_out = np.random.default_rng(seed), [_load(path) for path in known], _load(held)
    layers = EndLayers(sets[0]["features"].shape[1])
    optimiser = torch.optim.AdamW(layers.parameters(), RATE, weight_decay=1e-4)
    sizes = np.array([len(each["leads"]) * each["features"].shape[-1] for each in sets], float)
    began = reported = time.monotonic()
    step = 0
    while (done := (time.monotonic() - began) / seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP_STEPS) * (1 - done)
        chosen = sets[rng.choice(len(sets), p=sizes / sizes.sum())]
        rows = torch.from_numpy(rng.integers(0, len(chosen["leads"]), BATCH))
        loss = Losses(layers, {name: values[rows] for name, values in chosen.items()}).total()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(layers.parameters(), 1.0)
        optimiser.step()
        step += 1
        if time.monotonic() - reported > REPORT_SECONDS:
            reported = time.monotonic()
            print(f"  {done:.0%}, step {step:,}: {measure(layers, held_out)}", flush=True)
    figures = {"steps": step, "positions": [len(each["leads"]) for each in sets], "held out": measure(layers, held_out)}
    print(f"  {figures}")
    weights = {name: x.numpy() for name, x in layers.state_dict().items()}
    with out.open("wb") as file:
        np.savez(file, made=np.array(json.dumps(figures)), **weights)


def write_net(net: Path, head: Path, out: Path) -> None:
    """Write a net with these layers added to one file, as the outputs owners, leads and spreads."""
    model, weights = onnx.load(net), load(head)
    figures = json.loads(str(weights.pop("made")))
    _Layers(model.graph, weights).add_layers(features_name(model))
    made = {each.key: each.value for each in model.metadata_props}
    made["made"] = json.dumps({**json.loads(made["made"]), "integers": True, "ends": figures})
    helper.set_model_props(model, made)
    onnx.checker.check_model(model)
    onnx.save(model, out)


class _Layers:
    """Adds the layers to a graph, node by node; weights are stored as 16-bit floats."""

    def __init__(self, graph: Any, weights: dict[str, Any]) -> None:
        self.graph, self.weights, self.names = graph, weights, 0
        self.one, self.flat = self.constant(np.array([1], np.int64)), self.constant(np.array([0, -1], np.int64))

    def name(self) -> str:
        self.names += 1
        return f"end{self.names}"

    def constant(self, array: Any) -> str:
        name = self.name()
        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind: str, *inputs: str, output: str = "", **options: Any) -> str:
        name = output or self.name()
        self.graph.node.append(helper.make_node(kind, list(inputs), [name], name=name, **options))
        return name

    def conv(self, x: str, layer: str) -> str:
        weight = self.weights[f"{layer}.weight"]
        weight = weight[:, :, None, None] if weight.ndim == 2 else weight
        parts = [weight, *([self.weights[f"{layer}.bias"]] if f"{layer}.bias" in self.weights else [])]
        stored = [self.node("Cast", self.constant(part.astype(np.float16)), to=TensorProto.FLOAT) for part in parts]
        width = weight.shape[2]
        return self.node("Conv", x, *stored, kernel_shape=[width, width], pads=[width // 2] * 4)

    def pooled(self, x: str) -> str:
        return self.node("Concat", self.node("GlobalAveragePool", x), self.node("GlobalMaxPool", x), axis=1)

    def scaled(self, x: str, factor: float, offset: float = 0.0) -> str:
        x = self.node("Mul", x, self.constant(np.float32(factor)))
        return self.node("Add", x, self.constant(np.float32(offset))) if offset else x

    def add_layers(self, x: str) -> None:
        """Add everything from the features to the outputs; the same as EndLayers.forward."""
        node = self.node
        x = node("Relu", node("Add", self.conv(x, "entry"), self.conv(self.pooled(x), "entry_pool")))
        y = node("Relu", node("Add", self.conv(x, "first"), self.conv(self.pooled(x), "first_pool")))
        x = node("Relu", node("Add", x, self.conv(y, "second")))
        owners = node("Tanh", self.scaled(self.conv(x, "owner"), 0.5))
        parts = (owners, node("Abs", owners), node("Mul", owners, owners))
        sure = [node("GlobalAveragePool", part) for part in parts]
        found = self.conv(node("Relu", self.conv(node("Concat", self.pooled(x), *sure, axis=1), "lead")), "lead_out")
        correction, log_spread = (self.column(found, index) for index in (0, 1))
        flat = node("Reshape", owners, self.flat, output="owners")
        total = node("ReduceSum", flat, self.one, keepdims=0)
        node("Add", total, self.scaled(correction, CORRECTION_POINTS), output="leads")
        node("Exp", self.scaled(log_spread, 1.0, FIRST_LOG_SPREAD), output="spreads")
        for name, shape in (("owners", ["n", "points"]), ("leads", ["n"]), ("spreads", ["n"])):
            self.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def column(self, x: str, index: int) -> str:
        """Add one number per position, [n], out of [n, numbers, 1, 1]."""
        chosen = self.node("Gather", x, self.constant(np.array([index], np.int64)), axis=1)
        return self.node("Reshape", chosen, self.constant(np.array([-1], np.int64)))
