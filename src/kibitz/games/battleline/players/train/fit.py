"""Fitting the champion's net to samples of games with PyTorch, on a GPU if there is one.

The net is fitted in floats and then rounded to integers. Besides the result of the game it learns to predict
the owner of each flag, which teaches the units of a flag far sooner; that part is not used in play.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.compiled.layers import ONE, WIDTH
from kibitz.core.errors import KibitzError
from kibitz.games.battleline.players.champion.net import FIRST, SECOND, SHAPES
from kibitz.games.battleline.players.train.games_kernel import CONTEXT_FILLER, FLAG_FILLER, Samples

try:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits
except (ImportError, OSError) as error:
    raise KibitzError(f"Training needs PyTorch: pip install 'kibitz[learning]' ({error}).") from None

SAMPLES_PER_BATCH = 8192
LEAK = 0.02
"""The slope of a clipped unit during the fit, so that it does not stay clipped for good."""
OWNERS_WEIGHT = 0.5
"""The weight of the loss on the owners of flags; the loss on the result has weight 1."""
SAMPLES_TO_SCALE = 20_000
"""The number of samples used to scale the initial weights."""
SIGMA = {"flag": 0.1, "base": 0.03, "context": 0.06, "w0": WIDTH**-0.5, "w1": FIRST**-0.5, "w2": SECOND**-0.5,
         "w3": SECOND**-0.5, "owner": 0.3}  # fmt: skip
"""The standard deviations of the initial weights."""

Weights = dict[str, Any]


def new_weights(seed: int, samples: Samples) -> Weights:
    """Return rounded initial weights, scaled and shifted so that no unit of the first layer is always clipped."""
    generator = torch.Generator().manual_seed(seed)
    weights = {
        name: torch.randn(shape, generator=generator) * SIGMA[name]
        if name in SIGMA
        else torch.full(shape, 0.3 if name in ("b0", "b1", "b2") else 0.0)
        for name, shape in SHAPES.items()
    }
    flags, context, _, _ = (torch.from_numpy(np.asarray(part[:SAMPLES_TO_SCALE])) for part in samples)
    counts = _count_rows(context, CONTEXT_FILLER)
    factor, shift = _scaling(_flag_sums(weights, flags, counts)[_unclaimed(flags)])
    weights["flag"] *= factor
    weights["base"] *= factor
    weights["flag"][:5] += shift  # every sample has one of these rows: the cards missing on my side
    factor, shift = _scaling(counts @ weights["context"])
    weights["context"] *= factor
    weights["context"][:7] += shift  # and one of these: the number of cards of value 1 in the hand
    return rounded(weights)


def _scaling(sums: Any) -> tuple[Any, Any]:
    """Return the factor and the shift that give each column of sums a mean of 0.4 and a standard deviation of 0.3."""
    factor = 0.3 / (sums.std(0) + 1e-6)
    return factor, 0.4 - sums.mean(0) * factor


def outputs(weights: Weights, flags: Any, context: Any) -> tuple[Any, Any]:
    """Return the log-odds of winning the game and of winning each flag."""
    counts = _count_rows(context, CONTEXT_FILLER)
    units = _clip(_clip(_flag_sums(weights, flags, counts)) @ weights["w0"] + weights["b0"])
    units = units * _unclaimed(flags).unsqueeze(2)
    first = torch.cat([_clip(counts @ weights["context"]), units.flatten(1)], 1)
    second = _clip(_clip(first @ weights["w1"] + weights["b1"]) @ weights["w2"] + weights["b2"])
    return second @ weights["w3"] + weights["b3"], units @ weights["owner"] + weights["nobody"]


def _flag_sums(weights: Weights, flags: Any, context_counts: Any) -> Any:
    return _count_rows(flags, FLAG_FILLER) @ weights["flag"] + (context_counts @ weights["base"]).unsqueeze(1)


def _unclaimed(flags: Any) -> Any:
    return flags[:, :, 0] != FLAG_FILLER


def _count_rows(rows: Any, filler: int) -> Any:
    """Return how often each row number occurs, [..., row]. filler: the number in unused places, above all others."""
    counts = torch.zeros(*rows.shape[:-1], filler + 1, device=rows.device)
    return counts.scatter_add_(-1, rows.long(), torch.ones_like(rows, dtype=counts.dtype))[..., :filler]


def _clip(x: Any) -> Any:
    """Return units clipped to 0 to 1, with the small gradient LEAK outside, so that the fit can bring them back."""
    units = x.clamp(0, 1)
    slope = LEAK * (x - units)
    return units + slope - slope.detach()


def fit(
    start: Weights, samples: Samples, epochs: float, rate: float, seed: int, report: Callable[[int, int, float], None]
) -> tuple[Weights, dict[str, float]]:
    """Fit a net to all samples but the last 5 %; return its rounded weights, and the losses on those 5 %."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    weights = {
        name: (torch.from_numpy(start[name].astype(np.float32)) / _scale(name)).to(device).requires_grad_()
        for name in SHAPES
    }
    parts = [torch.from_numpy(np.asarray(part)).to(device) for part in samples]
    n = len(samples.results)
    fitted = n - max(n // 20, 1)  # the others measure the loss
    batch = min(SAMPLES_PER_BATCH, fitted)
    steps = max(int(epochs * fitted / batch), 1)
    optimiser = torch.optim.AdamW(list(weights.values()), lr=rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1, pct_start=0.1)
    generator, order = torch.Generator().manual_seed(seed), torch.arange(0)
    for step in range(steps):
        if len(order) < batch:
            order = torch.randperm(fitted, generator=generator)
        chosen, order = order[:batch].to(device), order[batch:]
        game, flags = _losses(weights, [part[chosen] for part in parts])
        optimiser.zero_grad(set_to_none=True)
        (game + OWNERS_WEIGHT * flags).backward()
        optimiser.step()
        schedule.step()
        if step % 20 == 0 or step == steps - 1:
            report(step + 1, steps, game.item())
    with torch.no_grad():
        left_out = (_losses(weights, [part[i : i + batch] for part in parts]) for i in range(fitted, n, batch))
        game, flags = np.mean([(game.item(), flags.item()) for game, flags in left_out], axis=0)
    return rounded(weights), {"loss": round(float(game), 4), "loss_of_flags": round(float(flags), 4)}


def _losses(weights: Weights, parts: list[Any]) -> tuple[Any, Any]:
    """Return the log loss on the result of the game, and on the owners of flags that were claimed later."""
    flags, context, owners, results = parts
    game, flag = outputs(weights, flags, context)
    known = owners >= 0
    return (
        binary_cross_entropy_with_logits(game, results.float() / 2),
        binary_cross_entropy_with_logits(flag[known], owners[known].float()),
    )


def rounded(weights: Weights) -> Weights:
    """Round weights to integers: ONE stands for 1.0, in biases ONE * ONE, since products are added to them."""
    result = {}
    for name, weight in weights.items():
        scale = _scale(name)
        limit, kind = (2**15 - 1, np.int16) if scale == ONE else (2**30, np.int32)
        result[name] = np.clip(np.rint(weight.detach().cpu().numpy() * scale), -limit, limit).astype(kind)
    return result


def _scale(name: str) -> int:
    """Return the integer that stands for 1.0 in the weights of this name."""
    return ONE * ONE if name in ("b0", "b1", "b2", "b3") else ONE
