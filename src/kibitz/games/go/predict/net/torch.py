"""The policy net in PyTorch, for fitting only: its layers, its input planes from rows of bytes, and its optimiser.

The net is a tower of residual blocks on 16 planes. No layer depends on the size of the board: convolutions see the edge
through their padding and the plane that is 1 on every point, and global pooling is over all points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import KibitzError
from kibitz.games.go.predict.net import boards_kernel as rows
from kibitz.games.go.predict.net.boards_kernel import BOARD_SIZE, CODES, POINTS
from kibitz.games.go.predict.net.net import PLANES, POLICY_UNITS, VALUE_UNITS
from kibitz.games.go.predict.net.state import NetArrays

try:
    import torch as torch  # fit.py imports it from here, with the error below
    from torch import Tensor as Tensor
    from torch import nn
    from torch.nn import functional
except (ImportError, OSError) as error:
    raise KibitzError(f"Fitting a net needs PyTorch: pip install 'kibitz[learning]' ({error}).") from None


class NormedConv(nn.Module):  # type: ignore[misc]  # torch's types are ignored, see pyproject
    """A convolution without a bias, then batch normalisation."""

    def __init__(self, channels: int, out: int, width: int, gain: float = 1.0) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, out, width, padding=width // 2, bias=False)
        self.norm = nn.BatchNorm2d(out)
        nn.init.constant_(self.norm.weight, gain)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised convolution."""
        return self.norm(self.conv(x))


def pooled(x: Tensor) -> Tensor:
    """Return the mean and the maximum of each channel over the board, [n, 2 channels]."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class ResidualBlock(nn.Module):  # type: ignore[misc]
    """Two convolutions and a skip connection; with pooling, the first also depends on the whole board."""

    def __init__(self, channels: int, pools: bool) -> None:
        super().__init__()
        self.first = NormedConv(channels, channels, 3)
        self.second = NormedConv(channels, channels, 3, gain=0.25)
        self.pool = nn.Linear(2 * channels, channels, bias=False) if pools else None

    def forward(self, x: Tensor) -> Tensor:
        """Return the input plus what the two convolutions make of it, through a ReLU."""
        y = self.first(x)
        if self.pool is not None:
            y = y + self.pool(pooled(x))[:, :, None, None]
        return functional.relu(x + self.second(functional.relu(y)))


class OutputHead(nn.Module):  # type: ignore[misc]
    """The last layers: from the channels of the tower to the outputs."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.policy = nn.Conv2d(channels, POLICY_UNITS, 1)
        self.policy_pool = nn.Linear(2 * channels, POLICY_UNITS, bias=False)
        self.policy_out = nn.Conv2d(POLICY_UNITS, 1, 1)
        self.value = nn.Linear(2 * channels, VALUE_UNITS)
        self.value_out = nn.Linear(VALUE_UNITS, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of the points, [n, points], and the logit of a win, [n]."""
        whole = pooled(x)
        y = functional.relu(self.policy(x) + self.policy_pool(whole)[:, :, None, None])
        win_logits = self.value_out(functional.relu(self.value(whole)))
        # written out so that it is computed in 32 bits: in 16 bits many points would tie
        logits = (y.float() * self.policy_out.weight).sum(1) + self.policy_out.bias
        return logits.flatten(1), win_logits.flatten()


class GoNet(nn.Module):  # type: ignore[misc]
    """The whole net: logits of all points, and the logit of a win for the player to move."""

    def __init__(self, blocks: int, channels: int) -> None:
        super().__init__()
        self.stem = NormedConv(PLANES, channels, 5)
        self.blocks = nn.ModuleList([ResidualBlock(channels, i % 2 == 1) for i in range(blocks)])
        self.head = OutputHead(channels)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of the points, [n, points], and the logit of a win, [n]."""
        x = functional.relu(self.stem(planes))
        for block in self.blocks:
            x = block(x)
        logits, win_logits = self.head(x)
        return logits, win_logits

    def compile_parts(self) -> None:
        """Compile the layers with torch; all blocks of a kind share the compiled code."""
        for part in (self.stem, *self.blocks, self.head):
            part.compile(dynamic=False)

    def uncompile(self) -> None:
        """Undo compile_parts: use the layers as they are."""
        for part in (self.stem, *self.blocks, self.head):
            part._compiled_call_impl = None

    def arrays(self) -> NetArrays:
        """Return weights and statistics as numpy arrays, float32."""
        tensors = self.state_dict().items()
        return {name: x.float().contiguous().cpu().numpy() for name, x in tensors if x.is_floating_point()}


def _symmetries() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each point of a turned board comes from, and where each point goes, as [symmetry, point]."""
    grid = np.arange(POINTS).reshape(BOARD_SIZE, BOARD_SIZE)
    turned = [np.rot90(board, k) for board in (grid, grid.T) for k in range(4)]
    origin = np.stack([board.reshape(-1) for board in turned])
    # NOWHERE stays where it is
    return origin, np.concatenate([np.argsort(origin, 1), np.full((8, 1), rows.NOWHERE)], 1)


class TrainingBatch(NamedTuple):
    """Positions as the net learns from them."""

    planes: Tensor  # [n, PLANES, size, size]
    occupied: Tensor  # [n, point]: whether the point is occupied
    target: Tensor  # [n]: the point that was played
    result: Tensor  # [n]: 0 unknown, 1 the player to move won, 2 lost


class PlaneMaker:
    """Makes batches from rows of bytes, all on one device."""

    def __init__(self, device: torch.device, dtype: torch.dtype) -> None:
        self.dtype = dtype
        origin, destination = _symmetries()
        self.origin, self.destination = torch.tensor(origin, device=device), torch.tensor(destination, device=device)
        self.codes = torch.eye(CODES, device=device, dtype=dtype)[:, 1:].contiguous()
        self.points = torch.arange(POINTS, device=device)

    def batch(self, words: Tensor, symmetry: Tensor) -> TrainingBatch:
        """Return the batch of rows given as int64 words [n, ROW_BYTES / 8], each turned by a symmetry, int64 [n]."""
        table = words.view(torch.uint8)
        codes = torch.gather(table[:, :POINTS], 1, self.origin[symmetry]).int()
        moves = table[:, rows.LAST : rows.TARGET + 2].contiguous().view(torch.int16)
        moves = torch.gather(self.destination[symmetry], 1, moves.long())
        last = (self.points[None, :, None] == moves[:, None, : rows.LAST_MOVES]).to(self.dtype)
        black = table[:, rows.BLACK_MOVES].to(self.dtype)[:, None, None].expand(-1, POINTS, 1)
        planes = torch.cat([self.codes[codes], last, black, torch.ones_like(black)], 2)
        planes = planes.view(-1, BOARD_SIZE, BOARD_SIZE, PLANES).permute(0, 3, 1, 2)
        occupied = (codes > 0) & (codes < CODES - 1)
        return TrainingBatch(planes, occupied, moves[:, rows.LAST_MOVES], table[:, rows.RESULT])


def losses(logits: Tensor, win_logits: Tensor, batch: TrainingBatch) -> tuple[Tensor, Tensor]:
    """Return the mean losses of the policy, over empty points, and of the winner, counted as 0 where it is unknown."""
    policy = functional.cross_entropy(logits.float().masked_fill(batch.occupied, -1e4), batch.target)
    known, won = (batch.result > 0).float(), (batch.result == 1).float()
    return policy, functional.binary_cross_entropy_with_logits(win_logits.float(), won, weight=known)


class Optimiser:
    """Muon for the matrices (orthogonal momentum, Jordan et al. 2024), Adam (Kingma & Ba 2014) for the rest."""

    def __init__(self, net: GoNet, momentum: float = 0.95) -> None:
        named = dict(net.named_parameters())
        matrices = [name for name, x in named.items() if x.ndim >= 2 and x.shape[0] > 1 and "value" not in name]
        groups: dict[tuple[int, ...], list[str]] = {}
        for name in matrices:
            groups.setdefault(tuple(named[name].shape), []).append(name)
        self.groups = list(groups.values())
        self.rest = [name for name in named if name not in matrices]
        self.named, self.momentum, self.steps = named, momentum, 0
        self.state = {f"momentum.{name}": torch.zeros_like(x) for name, x in named.items()}
        self.state |= {f"square.{name}": torch.zeros_like(named[name]) for name in self.rest}

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, rate: float, adam_rate: float, decay: float) -> None:
        """Update all weights from their gradients, then clear the gradients. decay: weight decay of the matrices."""
        self.steps += 1
        for names in self.groups:
            weights = [self.named[name] for name in names]
            gradients = [x.grad for x in weights]
            momentum = [self.state[f"momentum.{name}"] for name in names]
            torch._foreach_lerp_(momentum, gradients, 1 - self.momentum)
            torch._foreach_lerp_(gradients, momentum, self.momentum)
            updates = orthogonalise(torch.stack([gradient.flatten(1) for gradient in gradients]))
            gain = max(1.0, updates.shape[1] / updates.shape[2]) ** 0.5
            torch._foreach_mul_(weights, 1 - rate * decay)
            reshaped = [update.view(x.shape) for update, x in zip(updates.to(weights[0].dtype), weights, strict=True)]
            torch._foreach_add_(weights, reshaped, alpha=-rate * gain)
        # Adam, with decay rates 0.9 and 0.99
        weights = [self.named[name] for name in self.rest]
        gradients = [x.grad for x in weights]
        means = [self.state[f"momentum.{name}"] for name in self.rest]
        squares = [self.state[f"square.{name}"] for name in self.rest]
        torch._foreach_lerp_(means, gradients, 0.1)
        torch._foreach_mul_(squares, 0.99)
        torch._foreach_addcmul_(squares, gradients, gradients, 0.01)
        roots = torch._foreach_sqrt(squares)
        torch._foreach_mul_(roots, (1 - 0.99**self.steps) ** -0.5)
        torch._foreach_add_(roots, 1e-8)
        torch._foreach_addcdiv_(weights, means, roots, -adam_rate / (1 - 0.9**self.steps))
        for x in self.named.values():
            x.grad = None


def orthogonalise(matrices: Tensor) -> Tensor:
    """Bring all singular values of n matrices near 1, by five Newton-Schulz steps; return them, [n, rows, columns]."""
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    tall = x.shape[1] > x.shape[2]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        square = x @ x.mT
        # the coefficients of Jordan et al. 2024
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * (square @ square)) @ x
    return x.mT if tall else x
