"""Fitting the net of net.py to samples of games, by PyTorch: on a GPU where there is one.

The net is fitted in floats and then rounded to whole numbers. Beside the result of
the game it learns to foresee who gets each flag, which teaches the units of a flag
far sooner; that part is not used in play.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.compiled.vector import LANES, ONE, WIDTH
from kibitz.core.errors import KibitzError
from kibitz.games.battleline.players.champion.net import FIRST, SECOND, SHAPES
from kibitz.games.battleline.players.train.games_kernel import NO_CONTEXT, NO_FLAG, Samples

try:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits
except (ImportError, OSError) as error:
    raise KibitzError(f"Learning needs PyTorch: pip install 'kibitz[learning]' ({error}).") from None

SAMPLES_PER_BATCH = 8192
LEAK = 0.02
"""The slope that a unit is taken to have where it is cut off, so that it does not stay there for good."""
OWNERS = 0.5
"""What foreseeing the owners of flags counts beside the result."""
SETTLED = 20_000
"""Samples that the first weights are settled by."""
SIGMA = {"flag": 0.1, "base": 0.03, "context": 0.06, "w0": WIDTH**-0.5, "w1": FIRST**-0.5, "w2": SECOND**-0.5,
         "w3": SECOND**-0.5, "owner": 0.3}  # fmt: skip
"""How far from 0 weights are at first."""

Weights = dict[str, Any]
Told = Callable[[int, int, float], None]


def new_weights(seed: int, samples: Samples) -> Weights:
    """Return weights to start from, rounded.

    The first units are scaled and shifted so that none is cut off everywhere: such a unit learns nothing.
    """
    generator = torch.Generator().manual_seed(seed)
    weights = {
        name: torch.randn(shape, generator=generator) * SIGMA[name]
        if name in SIGMA
        else torch.full(shape, 0.3 if name in ("b0", "b1", "b2") else 0.0)
        for name, shape in SHAPES.items()
    }
    flags, context = (torch.from_numpy(np.asarray(part[:SETTLED])) for part in (samples.flags, samples.context))
    marks = _marked(context, NO_CONTEXT)
    sums = (_marked(flags, NO_FLAG) @ weights["flag"] + (marks @ weights["base"]).unsqueeze(1))[_unclaimed(flags)]
    factor, shift = _settled(sums)
    weights["flag"] *= factor
    weights["base"] *= factor
    weights["flag"][:5] += shift  # one of these rows, the cards missing at my side, is always there
    factor, shift = _settled(marks @ weights["context"])
    weights["context"] *= factor
    weights["context"][:7] += shift  # so is one of these, how many of value 1 are in the hand
    return rounded(weights)


def _settled(sums: Any) -> tuple[Any, Any]:
    """Return by what to multiply each column, and what to add to it then, to get 0.4 on average, give or take 0.3."""
    factor = 0.3 / (sums.std(0) + 1e-6)
    return factor, 0.4 - sums.mean(0) * factor


def outputs(weights: Weights, flags: Any, context: Any) -> tuple[Any, Any]:
    """Return the log-odds of the game and of each flag."""
    marks = _marked(context, NO_CONTEXT)
    sums = _marked(flags, NO_FLAG) @ weights["flag"] + (marks @ weights["base"]).unsqueeze(1)
    units = _cut(_cut(sums) @ weights["w0"] + weights["b0"]) * _unclaimed(flags).unsqueeze(2)
    first = torch.cat([_cut(marks @ weights["context"]), units.flatten(1)], 1)
    second = _cut(_cut(first @ weights["w1"] + weights["b1"]) @ weights["w2"] + weights["b2"])
    return second @ weights["w3"] + weights["b3"], units @ weights["owner"] + weights["nobody"]


def _unclaimed(flags: Any) -> Any:
    return flags[:, :, 0] != NO_FLAG


def _marked(rows: Any, filler: int) -> Any:
    """Return how often each row is named; the number that fills up names none."""
    marks = torch.zeros(*rows.shape[:-1], filler + 1, device=rows.device)
    return marks.scatter_add_(-1, rows.long(), torch.ones_like(rows, dtype=marks.dtype))[..., :filler]


def _cut(x: Any) -> Any:
    """Return units: 0 to 1, but for the fit as if there were a little slope outside."""
    units = x.clamp(0, 1)
    slope = LEAK * (x - units)
    return units + slope - slope.detach()


def fit(
    start: Weights, samples: Samples, epochs: float, rate: float, seed: int, told: Told
) -> tuple[Weights, dict[str, float]]:
    """Fit a net to samples, the last twentieth left out; return its rounded weights and the losses on those."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    weights = {
        name: (torch.from_numpy(start[name].astype(np.float32)) / _scale(name)).to(device).requires_grad_()
        for name in SHAPES
    }
    parts = [torch.from_numpy(np.asarray(part)).to(device) for part in samples]
    n = len(samples.results)
    seen = n - max(n // 20, 1)
    batch = min(SAMPLES_PER_BATCH, seen)
    steps = max(int(epochs * seen / batch), 1)
    optimiser = torch.optim.AdamW(list(weights.values()), lr=rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1, pct_start=0.1)
    generator, order, at = torch.Generator().manual_seed(seed), torch.arange(0), 0
    for step in range(steps):
        if at + batch > len(order):
            order, at = torch.randperm(seen, generator=generator), 0
        chosen = order[at : at + batch].to(device)
        at += batch
        game, flags = _losses(weights, [part[chosen] for part in parts])
        optimiser.zero_grad(set_to_none=True)
        (game + OWNERS * flags).backward()
        optimiser.step()
        schedule.step()
        if step % 20 == 0 or step == steps - 1:
            told(step + 1, steps, game.item())
    found = []
    with torch.no_grad():
        for first in range(seen, n, batch):
            found.append([loss.item() for loss in _losses(weights, [part[first : first + batch] for part in parts])])
    mean = np.mean(found, axis=0)
    return rounded(weights), {"loss": round(float(mean[0]), 4), "loss_of_flags": round(float(mean[1]), 4)}


def _losses(weights: Weights, parts: list[Any]) -> tuple[Any, Any]:
    """Return the log loss of the game, and of the flags that somebody got later."""
    flags, context, owners, results = parts
    game, flag = outputs(weights, flags, context)
    known = owners >= 0
    return (
        binary_cross_entropy_with_logits(game, results.float() / 2),
        binary_cross_entropy_with_logits(flag[known], owners[known].float()),
    )


def rounded(weights: Weights) -> Weights:
    """Return weights as whole numbers: ONE stands for 1.0, its square where a sum of products starts."""
    found = {}
    for name, weight in weights.items():
        scale = _scale(name)
        limit, kind = (2**15 - 1, np.int16) if scale == ONE else (2**30, np.int32)
        found[name] = np.clip(np.rint(weight.detach().cpu().numpy() * scale), -limit, limit).astype(kind)
    return found


def _scale(name: str) -> int:
    """Return which whole number stands for 1.0 in a weight."""
    return ONE * ONE if name in ("b0", "b1", "b2", "b3") else ONE


assert SHAPES["w0"] == (WIDTH, LANES)
