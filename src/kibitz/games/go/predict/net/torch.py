"""The policy net in PyTorch, for fitting only: its layers, its planes from rows of bytes, and its optimiser.

The net is a tower of residual blocks on 16 planes. It has no layer that knows
the size of the board: convolutions see the edge by their padding and by the
plane that is 1 on every point, and global pooling is over all points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.errors import KibitzError
from kibitz.games.go.predict.net.boards_kernel import BLACK_MOVES, CODES, LAST, MOVES, POINTS, RESULT, SIZE, TARGET
from kibitz.games.go.predict.net.net import PLANES, POLICY_UNITS, VALUE_UNITS

try:
    import torch as torch  # fit.py has it from here, with the error below
    from torch import nn
    from torch.nn import functional
except (ImportError, OSError) as error:
    raise KibitzError(f"Fitting a net needs PyTorch: pip install 'kibitz[learning]' ({error}).") from None


class Normed(nn.Module):  # type: ignore[misc]  # torch's types are passed over, see pyproject
    """A convolution without a bias, then batch normalisation."""

    def __init__(self, wide: int, out: int, reach: int, gain: float = 1.0) -> None:
        super().__init__()
        self.conv = nn.Conv2d(wide, out, reach, padding=reach // 2, bias=False)
        self.norm = nn.BatchNorm2d(out)
        nn.init.constant_(self.norm.weight, gain)

    def forward(self, x: Any) -> Any:
        """Return the sums, normalised."""
        return self.norm(self.conv(x))


def pooled(x: Any) -> Any:
    """Return mean and maximum of each channel over the board, [n, 2 channels]."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class Block(nn.Module):  # type: ignore[misc]
    """Two convolutions beside a direct way; with pooling, the first also hears of the board as a whole."""

    def __init__(self, channels: int, pools: bool) -> None:
        super().__init__()
        self.first = Normed(channels, channels, 3)
        self.second = Normed(channels, channels, 3, gain=0.25)
        self.pool = nn.Linear(2 * channels, channels, bias=False) if pools else None

    def forward(self, x: Any) -> Any:
        """Return what the block makes of its input."""
        y = self.first(x)
        if self.pool is not None:
            y = y + self.pool(pooled(x))[:, :, None, None]
        return functional.relu(x + self.second(functional.relu(y)))


class Stem(Normed):
    """The first layer."""

    def forward(self, planes: Any) -> Any:
        """Return the channels of the tower."""
        return functional.relu(super().forward(planes))


class Head(nn.Module):  # type: ignore[misc]
    """The last layers: what is told of the channels of the tower."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.policy = nn.Conv2d(channels, POLICY_UNITS, 1)
        self.policy_pool = nn.Linear(2 * channels, POLICY_UNITS, bias=False)
        self.policy_out = nn.Conv2d(POLICY_UNITS, 1, 1)
        self.value = nn.Linear(2 * channels, VALUE_UNITS)
        self.value_out = nn.Linear(VALUE_UNITS, 1)

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return logits of the points, [n, points], and the logit of a win, [n]."""
        whole = pooled(x)
        y = functional.relu(self.policy(x) + self.policy_pool(whole)[:, :, None, None])
        odds = self.value_out(functional.relu(self.value(whole)))
        # written out, so that it is done in 32 bits: in 16 many points would be equal
        logits = (y.float() * self.policy_out.weight).sum(1) + self.policy_out.bias
        return logits.flatten(1), odds.flatten()


class Net(nn.Module):  # type: ignore[misc]
    """The whole net: logits of all points, and the logit of a win of the mover."""

    def __init__(self, blocks: int, channels: int) -> None:
        super().__init__()
        self.stem = Stem(PLANES, channels, 5)
        self.blocks = nn.ModuleList([Block(channels, i % 2 == 1) for i in range(blocks)])
        self.head = Head(channels)

    def forward(self, planes: Any) -> tuple[Any, Any]:
        """Return [n, points] and [n]."""
        x = self.stem(planes)
        for block in self.blocks:
            x = block(x)
        told: tuple[Any, Any] = self.head(x)
        return told

    def compile_parts(self) -> None:
        """Have torch compile the layers; all blocks of a kind share what is compiled."""
        for part in (self.stem, *self.blocks, self.head):
            part.compile(dynamic=False)

    def uncompile(self) -> None:
        """Go back to layers that are not compiled."""
        for part in (self.stem, *self.blocks, self.head):
            part._compiled_call_impl = None

    def numbers(self) -> dict[str, Any]:
        """Return weights and statistics as numpy arrays, float32."""
        held = self.state_dict().items()
        return {name: x.float().contiguous().cpu().numpy() for name, x in held if x.is_floating_point()}


def _turns() -> tuple[Any, Any]:
    """Return [8, point] where each point of a turned board comes from, and where each point goes."""
    grid = np.arange(POINTS).reshape(SIZE, SIZE)
    turned = [np.rot90(board, k) for board in (grid, grid.T) for k in range(4)]
    origin = np.stack([board.reshape(-1) for board in turned])
    # a last move that is nowhere stays there
    return origin, np.concatenate([np.argsort(origin, 1), np.full((8, 1), POINTS)], 1)


class Planes:
    """Makes batches of planes from rows of bytes, all on one device."""

    def __init__(self, device: Any, kind: Any) -> None:
        self.kind = kind
        origin, goes = _turns()
        self.origin = torch.tensor(origin, device=device)
        self.goes = torch.tensor(goes, device=device)
        self.codes = torch.eye(CODES, device=device, dtype=kind)[:, 1:].contiguous()
        self.points = torch.arange(POINTS, device=device)

    def batch(self, words: Any, turns: Any) -> tuple[Any, Any, Any, Any]:
        """Return planes, which points are taken, targets and results of rows given as int64 words [n, WIDTH / 8].

        `turns`, int64 [n], says by which symmetry each is turned.
        """
        rows = words.view(torch.uint8)
        codes = torch.gather(rows[:, :POINTS], 1, self.origin[turns]).int()
        moves = rows[:, LAST : TARGET + 2].contiguous().view(torch.int16)
        moves = torch.gather(self.goes[turns], 1, moves.long())
        last = (self.points[None, :, None] == moves[:, None, :MOVES]).to(self.kind)
        black = rows[:, BLACK_MOVES].to(self.kind)[:, None, None].expand(-1, POINTS, 1)
        planes = torch.cat([self.codes[codes], last, black, torch.ones_like(black)], 2)
        planes = planes.view(-1, SIZE, SIZE, PLANES).permute(0, 3, 1, 2)
        taken = (codes > 0) & (codes < CODES - 1)
        return planes, taken, moves[:, MOVES], rows[:, RESULT]


def losses(logits: Any, odds: Any, taken: Any, target: Any, result: Any) -> tuple[Any, Any]:
    """Return the mean loss of the policy, points that are taken left out, and of the win where it is known."""
    policy = functional.cross_entropy(logits.float().masked_fill(taken, -1e4), target)
    known = (result > 0).float()
    win = functional.binary_cross_entropy_with_logits(odds.float(), (result == 1).float(), weight=known)
    return policy, win


class Optimiser:
    """Momentum made orthogonal for the matrices (Jordan et al. 2024, Muon), Adam (Kingma & Ba 2014) for the rest."""

    def __init__(self, net: Any, momentum: float = 0.95) -> None:
        named = dict(net.named_parameters())
        matrices = [name for name, x in named.items() if x.ndim >= 2 and x.shape[0] > 1 and "value" not in name]
        groups: dict[tuple[int, ...], list[str]] = {}
        for name in matrices:
            groups.setdefault(tuple(named[name].shape), []).append(name)
        self.groups = list(groups.values())
        self.rest = [name for name in named if name not in matrices]
        self.named, self.momentum, self.steps = named, momentum, 0
        self.held = {f"momentum.{name}": torch.zeros_like(x) for name, x in named.items()}
        self.held |= {f"square.{name}": torch.zeros_like(named[name]) for name in self.rest}

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, rate: float, adam_rate: float, decay: float) -> None:
        """Move all weights by their slopes, which are forgotten then."""
        self.steps += 1
        for names in self.groups:
            weights = [self.named[name] for name in names]
            slopes = [x.grad for x in weights]
            held = [self.held[f"momentum.{name}"] for name in names]
            torch._foreach_lerp_(held, slopes, 1 - self.momentum)
            torch._foreach_lerp_(slopes, held, self.momentum)
            moves = orthogonal(torch.stack([slope.flatten(1) for slope in slopes]))
            gain = max(1.0, moves.shape[1] / moves.shape[2]) ** 0.5
            torch._foreach_mul_(weights, 1 - rate * decay)
            moved = [move.view(x.shape) for move, x in zip(moves.to(weights[0].dtype), weights, strict=True)]
            torch._foreach_add_(weights, moved, alpha=-rate * gain)
        weights = [self.named[name] for name in self.rest]
        slopes = [x.grad for x in weights]
        means = [self.held[f"momentum.{name}"] for name in self.rest]
        squares = [self.held[f"square.{name}"] for name in self.rest]
        torch._foreach_lerp_(means, slopes, 0.1)
        torch._foreach_mul_(squares, 0.99)
        torch._foreach_addcmul_(squares, slopes, slopes, 0.01)
        roots = torch._foreach_sqrt(squares)
        torch._foreach_mul_(roots, (1 - 0.99**self.steps) ** -0.5)
        torch._foreach_add_(roots, 1e-8)
        torch._foreach_addcdiv_(weights, means, roots, -adam_rate / (1 - 0.9**self.steps))
        for x in self.named.values():
            x.grad = None


def orthogonal(matrices: Any) -> Any:
    """Return matrices with all singular values brought near 1, by five Newton-Schulz steps, [n, rows, columns]."""
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    tall = x.shape[1] > x.shape[2]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * (square @ square)) @ x
    return x.mT if tall else x
