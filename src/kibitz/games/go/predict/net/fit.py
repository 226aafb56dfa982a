"""Fitting the policy net to a file of games, for a given number of minutes, on a GPU where there is one.

    kibitz go train --model net --out DIR --minutes 20

All positions lie on the device as rows of bytes and are made planes there, each
under a random symmetry. The rate falls to 0 with time. What comes out is the
running mean of the weights. A longer fit can be done in parts: `--minutes 9 --of
18`, twice. The second part goes on from what the folder holds, also elsewhere.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.core.files import write_atomically
from kibitz.core.training import caught_interrupts
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.net.boards_kernel import PLY, counts, rows_of
from kibitz.games.go.predict.net.onnx import to_onnx
from kibitz.games.go.predict.net.state import MANIFEST, load_state, save_state
from kibitz.games.go.predict.net.torch import Net, Optimiser, Planes, losses, torch

AVERAGE = 0.999
"""How much of the running mean of the weights is kept at a step."""
ADAM_SHARE = 0.08
"""Adam's rate, as a share of that of the matrices."""
SETTLING = 32
"""Batches from which the statistics of the mean weights are taken."""
PHASES = {"opening": (1, 50), "middle": (50, 150), "end": (150, 256)}
"""Moves before a position, from and up to."""
RESERVED_SECONDS, RESERVED_SHARE = 25.0, 0.1
"""The time kept for measuring and writing: this long, or this part of a shorter run."""
GLANCED_POSITIONS = 100_000
"""Positions that are measured when the fit is not complete."""
TELL_SECONDS = 10.0
CHECKPOINT_SECONDS = 60.0
"""Save the state of the fit this often."""


@dataclass(frozen=True)
class NetFitSettings:
    """How a net is fitted."""

    minutes: float = 20.0
    """How long this run takes, all in all."""
    of: float | None = None
    """How long the whole fit takes, if this run is a part of it."""
    games: int | None = None
    """Learn from at most this many games, taken at random."""
    blocks: int = 12
    channels: int = 128
    batch: int = 2048
    rate: float = 0.025
    """The rate of the matrices at the start."""
    decay: float = 0.0
    """What the matrices lose at a step, times the rate."""
    value: float = 0.05
    """What the loss of the winner counts."""
    steps: int | None = None
    """Stop at this step at the latest."""
    cpu: bool = False
    """Leave a GPU alone."""
    seed: int = 1


@dataclass
class NetFitSummary:
    """What fitting did."""

    games: int
    positions: int
    steps: int
    minutes: float
    """Of all runs together."""
    of: float
    complete: bool
    held_out: dict[str, Any] | None
    """How the net predicts games that were not learned from; see figures. None if it was interrupted."""
    notes: list[str]
    """What did not work as it should."""
    interrupted: bool


class Fit:
    """A fit under way."""

    def __init__(self, settings: NetFitSettings, device: Any, tell: Callable[[str], None] | None = None) -> None:
        torch.manual_seed(settings.seed)
        self.settings, self.device = settings, device
        self.began, self.tell, self.notes = time.monotonic(), tell or (lambda text: None), list[str]()
        self.fast = device.type == "cuda"
        self.net = Net(settings.blocks, settings.channels).to(device, memory_format=torch.channels_last)
        self.optimiser = Optimiser(self.net)
        self.average = {name: x.detach().clone() for name, x in self.net.named_parameters()}
        self.planes = Planes(device, torch.bfloat16 if self.fast else torch.float32)
        self.step, self.averaged_steps, self.epoch, self.at, self.seconds = 0, 0, 0, 0, 0.0
        self.parts: list[dict[str, Any]] = []

    def clock(self) -> float:
        """Return the seconds since this run began."""
        return time.monotonic() - self.began

    def save(self, folder: Path) -> None:
        """Keep what the next step needs; momentum as halves. The mean of the weights begins anew after that."""
        arrays = {f"net.{name}": array for name, array in self.net.numbers().items()}
        for name, x in self.optimiser.held.items():
            arrays[f"held.{name}"] = x.bfloat16().view(torch.int16).cpu().contiguous().numpy()
        about = {
            "blocks": self.settings.blocks, "channels": self.settings.channels, "seed": self.settings.seed,
            "batch": self.settings.batch, "step": self.step, "epoch": self.epoch, "at": self.at,
            "seconds": self.seconds, "parts": self.parts,
        }  # fmt: skip
        save_state(folder, arrays, about)

    def load(self, folder: Path) -> None:
        """Go on from where save was called. Raises BadOption if the net or the order of positions is another."""
        arrays, about = load_state(folder)
        for name in ("blocks", "channels", "seed", "batch"):
            if about[name] != getattr(self.settings, name):
                raise BadOption(f"The fit in {folder} has {name} {about[name]}: give --{name} {about[name]}.")
        with torch.no_grad():
            named = dict(self.net.state_dict())
            for key, array in arrays.items():
                part, _, name = key.partition(".")
                x = torch.from_numpy(array)
                if part == "held":
                    self.optimiser.held[name].copy_(x.view(torch.bfloat16))
                else:
                    named[name].copy_(x)
            for name, x in self.net.named_parameters():
                self.average[name].copy_(x)
        self.step = self.optimiser.steps = about["step"]
        self.epoch, self.at, self.seconds = about["epoch"], about["at"], about["seconds"]
        self.parts = about["parts"]

    def batches(self, rows: Any) -> Iterator[Any]:
        """Yield batches of rows for ever, every row once in an epoch, in an order that the seed fixes."""
        size = min(self.settings.batch, len(rows))
        while True:
            generator = torch.Generator(self.device).manual_seed(self.settings.seed * 1000 + self.epoch)
            order = torch.randperm(len(rows), generator=generator, device=self.device)
            while self.at + size <= len(rows):
                chosen = order[self.at : self.at + size]
                self.at += size
                yield rows.index_select(0, chosen)
            self.epoch, self.at = self.epoch + 1, 0

    def outputs(self, net: Any, words: Any, turned: bool) -> tuple[Any, Any, Any, Any, Any]:
        """Return what a net says of rows, turned at random or not; then taken points, targets and results."""
        turns = torch.randint(8 if turned else 1, (len(words),), device=self.device)
        planes, taken, target, result = self.planes.batch(words, turns)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.fast):
            logits, odds = net(planes)
        return logits, odds, taken, target, result

    def one(self, words: Any, left: float) -> Any:
        """Do one step on a batch; `left` is the share of the rate that is left. Returns the losses, on the device."""
        policy, win = losses(*self.outputs(self.net, words, True))
        (policy + self.settings.value * win).backward()
        warm = min(1.0, (self.step + 1) / 100)
        rate = self.settings.rate * left * warm
        self.optimiser.step(rate, ADAM_SHARE * rate, self.settings.decay)
        self.step += 1
        self.averaged_steps += 1
        keep = min(AVERAGE, self.averaged_steps / (self.averaged_steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), list(self.net.parameters()), 1 - keep)
        return torch.stack([policy.detach(), win.detach()])

    def run(self, rows: Any, until: float, whole: float, out: Path, stop: list[int]) -> None:
        """Fit until the clock shows `until`; the rate is 0 once all parts together took `whole` seconds.

        What was learned is kept in the folder now and then. `stop` ends it when something is put into it.
        """
        batches, before = self.batches(rows), self.seconds
        self.net.train()
        if self.fast:
            self.net.compile_parts()
            self._try_compiled(next(batches))
        clock, settings = self.clock, self.settings
        told, saved, since, sums = clock(), clock(), self.step, torch.zeros(2, device=self.device)
        while not stop and clock() < until and (settings.steps is None or self.step < settings.steps):
            left = max(0.0, 1 - (before + clock()) / whole)
            sums += self.one(next(batches), left)
            if clock() - told > TELL_SECONDS:
                policy, win = (sums / (self.step - since)).tolist()
                speed = (self.step - since) * settings.batch / (clock() - told)
                minutes = f"{(before + clock()) / 60:.1f} of {whole / 60:.1f} minutes"
                self.tell(
                    f"fitting: {minutes}, step {self.step:,}, loss {policy:.3f} and {win:.3f}, "
                    f"{speed:,.0f} positions a second"
                )
                told, since = clock(), self.step
                sums.zero_()
            if clock() - saved > CHECKPOINT_SECONDS:
                self.seconds = before + clock()
                self.save(out)
                saved = clock()
        if self.fast:
            torch.cuda.synchronize()
        self.seconds = before + clock()

    def _try_compiled(self, words: Any) -> None:
        """Run the compiled layers once, and go on without if they do not work."""
        self.tell("compiling the net for the GPU ...")
        try:
            policy, _ = losses(*self.outputs(self.net, words, True))
            policy.backward()
            torch.cuda.synchronize()
        except Exception as error:  # the compiler has errors of many kinds
            why = str(error).strip().splitlines()[0][:300]
            self.notes.append(f"The net was not compiled for the GPU, so this took longer: {why}")
            self.net.uncompile()
        self.net.zero_grad(set_to_none=True)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def averaged(self, rows: Any) -> Any:
        """Return a net with the mean weights; its statistics are taken from positions to learn from."""
        net = Net(self.settings.blocks, self.settings.channels).to(self.device, memory_format=torch.channels_last)
        named = dict(net.named_parameters())
        for name, x in self.average.items():
            named[name].copy_(x)
        for layer in net.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.momentum = None  # a plain mean over all batches
        net.train()
        size = min(self.settings.batch, len(rows))
        for _ in range(min(SETTLING, max(1, len(rows) // size))):
            self.outputs(net, rows.index_select(0, torch.randint(len(rows), (size,), device=self.device)), True)
        return net.eval()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def measure(self, net: Any, rows: Any, games: Any) -> dict[str, Any]:
        """Return how a net does on rows, the first move of every game left out; `games` says of which game each is."""
        ranks, logs, right = [], [], []
        for words in rows.split(4096):
            logits, odds, taken, target, result = self.outputs(net, words, False)
            logs_all = logits.float().masked_fill(taken, -1e4).log_softmax(1)
            log = logs_all.gather(1, target[:, None])
            before = torch.arange(logs_all.shape[1], device=self.device) < target[:, None]
            ranks.append(((logs_all > log) | (before & (logs_all == log))).sum(1))  # of equal points the first is taken
            logs.append(log[:, 0])
            right.append(torch.where(result == 0, -1, ((odds > 0) == (result == 1)).long()))
        ply = rows.view(torch.uint8)[:, PLY].cpu().numpy()
        rank, log, won = (torch.cat(x).cpu().numpy() for x in (ranks, logs, right))
        return figures(rank, log.astype(np.float64), won, ply, games)


def figures(rank: Any, log: Any, won: Any, ply: Any, games: Any) -> dict[str, Any]:
    """Return the shares of moves that were among the first predictions, with 95 % intervals, games taken as wholes."""
    counts_of = ply > 0
    found: dict[str, Any] = {"n": int(counts_of.sum()), "games": len(np.unique(games[counts_of]))}
    for most in (1, 5, 10):
        share, give = _interval(rank[counts_of] < most, games[counts_of])
        found[f"top{most}"], found[f"top{most}_interval"] = share, [share - give, share + give]
    found["log_evidence"], give = _interval(log[counts_of], games[counts_of])
    found["log_evidence_interval"] = [found["log_evidence"] - give, found["log_evidence"] + give]
    for phase, (first, end) in PHASES.items():
        inside = (ply >= first) & (ply < end)
        if inside.any():
            found[phase] = {"n": int(inside.sum()), "top1": float(np.mean(rank[inside] < 1))}
    known = counts_of & (won >= 0)
    found["winner_told"] = float(np.mean(won[known])) if known.any() else None
    return found


def _interval(values: Any, games: Any) -> tuple[float, float]:
    """Return the mean, and how far its 95 % interval reaches: moves of a game are not independent."""
    mean = float(np.mean(values))
    sums = np.bincount(games, values - mean)
    return mean, float(1.96 * np.sqrt(np.sum(sums**2)) / len(values))


def load_rows(games: GamesFile, which: Any, device: Any) -> Any:
    """Return the rows of games on a device, as words of 64 bits."""
    return torch.from_numpy(rows_of(games, which).view(np.int64)).to(device)


def fit(
    games: GamesFile, settings: NetFitSettings, out: Path, tell: Callable[[str], None] | None = None
) -> NetFitSummary:
    """Fit a net to the games that are not held out, measure it, and write net.onnx and net.json into a folder.

    Goes on with the fit that the folder holds. Ctrl-C ends it after a step, and what was learned is kept. Raises
    BadOption if there are too few games on 19x19, or if the fit in the folder is complete or another one.
    """
    learn, held = games.split()
    if settings.games is not None:
        learn = np.random.default_rng(settings.seed).permutation(learn)[: settings.games]
    if not len(learn) or not len(held):
        raise BadOption(f"There are too few games on 19x19: {len(learn)} to learn from, {len(held)} held out.")
    work = Fit(settings, _device(settings.cpu), tell)
    whole = 60 * (settings.of or settings.minutes)
    if (out / MANIFEST).exists():
        work.load(out)
        if work.seconds >= whole - 1:
            minutes = f"{work.seconds / 60:g} minutes"
            raise BadOption(f"The fit in {out} is complete, with {minutes}. Give --of a longer time, or a new folder.")
    work.tell("making positions of the games ...")
    rows, other = load_rows(games, learn, work.device), load_rows(games, held, work.device)
    reserve = min(RESERVED_SECONDS, RESERVED_SHARE * 60 * settings.minutes)
    began, last = work.seconds, work.seconds + 60 * settings.minutes >= whole - 1
    with caught_interrupts() as stop:
        work.run(rows, min(60 * settings.minutes, whole - began) - reserve, whole - reserve, out, stop)
    work.parts.append(_part(work, began))
    work.save(out)
    held_out = None
    if not stop:
        work.tell("measuring and writing ...")
        of_game = np.repeat(np.arange(len(held)), counts(games, held))
        most = len(other) if last else GLANCED_POSITIONS
        net = work.averaged(rows)
        held_out = work.measure(net, other[:most], of_game[:most])
        if settings.steps is None:
            work.seconds = min(began + 60 * settings.minutes, whole)  # what is reserved is a part of the whole too
            work.parts[-1] = _part(work, began)
        _write(work, net, out, whole, last, len(learn), len(rows), held_out)
        work.save(out)
    minutes_done = round(work.seconds / 60, 2)
    return NetFitSummary(
        len(learn), len(rows), work.step, minutes_done, whole / 60, last and not stop, held_out, work.notes, bool(stop)
    )


def _write(
    work: Fit, net: Any, out: Path, whole: float, complete: bool, games: int, positions: int, held_out: dict[str, Any]
) -> None:
    """Write the net, and how it was made."""
    settings = work.settings
    samples = work.step * settings.batch
    about = {
        "blocks": settings.blocks, "channels": settings.channels, "seed": settings.seed, "batch": settings.batch,
        "parameters": sum(x.numel() for x in net.parameters()), "learned_from_games": games,
        "samples": samples, "passes": round(samples / positions, 2),
        "whole_minutes": whole / 60, "parts": work.parts, "complete": complete, "held_out": held_out,
    }  # fmt: skip
    write_atomically(out / "net.json", json.dumps(about, indent=1) + "\n")
    work.notes += write_net(out, net.numbers(), about)


def _device(cpu: bool) -> Any:
    """Return where to fit: a GPU where there is one and it may be used."""
    if cpu or not torch.cuda.is_available():
        torch.set_flush_denormal(True)
        return torch.device("cpu")
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    return torch.device("cuda")


def _part(work: Fit, began: float) -> dict[str, Any]:
    """Return what net.json says of a run."""
    settings = work.settings
    return {
        "minutes": round((work.seconds - began) / 60, 2), "steps": work.step,
        "device": torch.cuda.get_device_name() if work.fast else "CPU", "torch": str(torch.__version__),
        "rate": settings.rate, "decay": settings.decay, "value": settings.value,
    }  # fmt: skip


def write_net(out: Path, numbers: dict[str, Any], about: dict[str, Any]) -> list[str]:
    """Write net.onnx, or net.npz where that cannot be done; return what is to be said about it."""
    made = json.dumps(about)
    try:
        data = to_onnx(numbers, made)
    except Exception as error:  # a fit takes long, and must not be lost for a package that does not work here
        np.savez(out / "net.npz", made=np.array(made), **numbers)
        convert = f"python -m kibitz.games.go.predict.net.onnx {out / 'net.npz'} {out / 'net.onnx'}"
        return [
            f"The net is in {out / 'net.npz'}, since net.onnx could not be made: {error} Where onnx works: {convert}"
        ]
    (out / "net.onnx").write_bytes(data)
    return []
