"""Fit the policy net to a games file, for a given number of minutes, on a GPU if there is one.

    kibitz go train --model net --out DIR --minutes 20

All positions are kept on the device as rows of bytes and become planes there, each under a random symmetry. The
learning rate falls to 0 over time. The result is the running mean of the weights. A longer fit can be split:
`--minutes 9 --of 18`, twice. The second run resumes from the folder, which may have been copied to another machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Float64Array, Int64Array
from kibitz.core.errors import BadOption
from kibitz.core.files import write_atomically
from kibitz.core.training import caught_interrupts
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.predict.fit.figures import mean_by_game
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.net.boards_kernel import PLY, row_counts, rows_of
from kibitz.games.go.predict.net.onnx import to_onnx
from kibitz.games.go.predict.net.state import MANIFEST, NetArrays, load_state, save_state
from kibitz.games.go.predict.net.torch import GoNet, Optimiser, PlaneMaker, Tensor, TrainingBatch, losses, torch

MEAN_DECAY = 0.999  # decay of the running mean of the weights at each step
ADAM_SHARE = 0.08  # Adam's learning rate, as a share of that of the matrices
WARM_UP_STEPS = 100
NORM_BATCHES = 32  # batches to take the normalisation statistics of the mean weights from
REPORT_SECONDS, SAVE_SECONDS = 10, 60
MAX_RESERVED_SECONDS, RESERVED_SHARE = 25.0, 0.1
"""The time reserved for measuring and writing: a share of the run, but no more than this."""
MAX_INTERIM_POSITIONS = 100_000  # positions to measure on if the fit is not complete
PHASES = {"opening": (1, 50), "middle": (50, 150), "end": (150, 256)}
"""Name, and the range of the number of moves before a position."""


@dataclass(frozen=True)
class NetFitSettings:
    """How a net is fitted."""

    minutes: float = 20.0  # the length of this run, including loading and measuring
    whole_minutes: float | None = None  # the length of the whole fit, if this run is only a part of it
    games: int | None = None  # the maximum number of games to learn from, chosen at random
    blocks: int = 12
    channels: int = 128
    batch: int = 2048
    rate: float = 0.025  # the learning rate of the matrices at the start
    decay: float = 0.0  # weight decay of the matrices, times the learning rate
    value: float = 0.05  # the weight of the winner's loss
    steps: int | None = None  # stop after this many steps at the latest
    cpu: bool = False  # do not use a GPU
    seed: int = 1


@dataclass
class NetFitSummary:
    """What a run did."""

    games: int
    positions: int
    steps: int
    minutes: float  # of all runs together
    whole_minutes: float  # the length of the whole fit
    complete: bool
    held_out: JsonObject | None
    """The figures on held-out games, see net_figures; None if the run was interrupted."""
    notes: list[str]  # sentences about what did not work as it should
    interrupted: bool


class NetFit:
    """A fit in progress."""

    def __init__(
        self, settings: NetFitSettings, device: torch.device, progress: Callable[[str], None] | None = None
    ) -> None:
        torch.manual_seed(settings.seed)
        self.settings, self.device = settings, device
        self.began, self.report, self.notes = time.monotonic(), progress or (lambda text: None), list[str]()
        self.on_gpu = device.type == "cuda"
        self.net = GoNet(settings.blocks, settings.channels).to(device, memory_format=torch.channels_last)
        self.optimiser = Optimiser(self.net)
        self.average = {name: x.detach().clone() for name, x in self.net.named_parameters()}
        self.planes = PlaneMaker(device, torch.bfloat16 if self.on_gpu else torch.float32)
        self.step, self.averaged_steps, self.epoch, self.at, self.seconds = 0, 0, 0, 0, 0.0
        self.parts: list[JsonObject] = []

    def clock(self) -> float:
        """Return the seconds since this run began."""
        return time.monotonic() - self.began

    def save(self, folder: Path) -> None:
        """Save everything needed to resume, momentum as 16-bit floats. The running mean starts again after loading."""
        arrays = {f"net.{name}": array for name, array in self.net.arrays().items()}
        for name, x in self.optimiser.state.items():
            arrays[f"held.{name}"] = x.bfloat16().view(torch.int16).cpu().contiguous().numpy()
        options = {name: getattr(self.settings, name) for name in ("blocks", "channels", "seed", "batch")}
        place = {"step": self.step, "epoch": self.epoch, "at": self.at, "seconds": self.seconds, "parts": self.parts}
        save_state(folder, arrays, options | place)

    def load(self, folder: Path) -> None:
        """Resume from a saved state. Raise BadOption if the net or the order of positions would differ."""
        arrays, about = load_state(folder)
        for name in ("blocks", "channels", "seed", "batch"):
            if about[name] != getattr(self.settings, name):
                raise BadOption(f"The fit in {folder} has {name} {about[name]}: use --{name} {about[name]}.")
        with torch.no_grad():
            named = dict(self.net.state_dict())
            for key, array in arrays.items():
                part, _, name = key.partition(".")
                x = torch.from_numpy(array)
                if part == "held":
                    self.optimiser.state[name].copy_(x.view(torch.bfloat16))
                else:
                    named[name].copy_(x)
            for name, x in self.net.named_parameters():
                self.average[name].copy_(x)
        self.step = self.optimiser.steps = about["step"]
        self.epoch, self.at, self.seconds, self.parts = (about[key] for key in ("epoch", "at", "seconds", "parts"))

    def batches(self, rows: Tensor) -> Iterator[Tensor]:
        """Yield batches of rows endlessly, each row at most once per epoch, in an order fixed by the seed."""
        size = min(self.settings.batch, len(rows))
        while True:
            generator = torch.Generator(self.device).manual_seed(self.settings.seed * 1000 + self.epoch)
            order = torch.randperm(len(rows), generator=generator, device=self.device)
            while self.at + size <= len(rows):
                chosen = order[self.at : self.at + size]
                self.at += size
                yield rows.index_select(0, chosen)
            self.epoch, self.at = self.epoch + 1, 0

    def outputs(self, net: GoNet, rows: Tensor, randomly_turned: bool) -> tuple[Tensor, Tensor, TrainingBatch]:
        """Return a net's logits of points and of a win for rows, and the batch made of them; see PlaneMaker.batch."""
        batch = self.planes.batch(rows, torch.randint(8 if randomly_turned else 1, (len(rows),), device=self.device))
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.on_gpu):
            logits, win_logits = net(batch.planes)
        return logits, win_logits, batch

    def learn(self, rows: Tensor, rate_share: float) -> Tensor:
        """Learn from rows at this share of the learning rate; return the losses of policy and winner, on the device."""
        policy, win = losses(*self.outputs(self.net, rows, True))
        (policy + self.settings.value * win).backward()
        rate = self.settings.rate * rate_share * min(1.0, (self.step + 1) / WARM_UP_STEPS)
        self.optimiser.step(rate, ADAM_SHARE * rate, self.settings.decay)
        self.step += 1
        self.averaged_steps += 1
        decay = min(MEAN_DECAY, self.averaged_steps / (self.averaged_steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), list(self.net.parameters()), 1 - decay)
        return torch.stack([policy.detach(), win.detach()])

    def run(self, rows: Tensor, until: float, total_seconds: float, out: Path, stop: list[int]) -> None:
        """Fit until the clock shows `until`; the learning rate reaches 0 after total_seconds of all runs together.

        Save the state to the folder every SAVE_SECONDS. Stop early once `stop` is not empty.
        """
        batches, before = self.batches(rows), self.seconds
        self.net.train()
        if self.on_gpu:
            self.net.compile_parts()
            self._try_compiled(next(batches))
        clock, settings = self.clock, self.settings
        reported, saved, since, sums = clock(), clock(), self.step, torch.zeros(2, device=self.device)
        while not stop and clock() < until and (settings.steps is None or self.step < settings.steps):
            rate_share = max(0.0, 1 - (before + clock()) / total_seconds)
            sums += self.learn(next(batches), rate_share)
            if clock() - reported > REPORT_SECONDS:
                policy, win = (sums / (self.step - since)).tolist()
                speed = (self.step - since) * settings.batch / (clock() - reported)
                self.report(
                    f"fitting: {(before + clock()) / 60:.1f} of {total_seconds / 60:.1f} minutes, step {self.step:,}, "
                    f"losses {policy:.3f} and {win:.3f}, {speed:,.0f} positions/s"
                )
                reported, since = clock(), self.step
                sums.zero_()
            if clock() - saved > SAVE_SECONDS:
                self.seconds = before + clock()
                self.save(out)
                saved = clock()
        if self.on_gpu:
            torch.cuda.synchronize()
        self.seconds = before + clock()

    def _try_compiled(self, rows: Tensor) -> None:
        """Run the compiled layers once, and fall back to uncompiled ones if they do not work."""
        self.report("compiling the net for the GPU ...")
        try:
            policy, _ = losses(*self.outputs(self.net, rows, True))
            policy.backward()
            torch.cuda.synchronize()
        except Exception as error:  # the compiler raises errors of many kinds
            why = str(error).strip().splitlines()[0][:300]
            self.notes.append(f"The net could not be compiled for the GPU, so the fit was slower: {why}")
            self.net.uncompile()
        self.net.zero_grad(set_to_none=True)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def averaged(self, rows: Tensor) -> GoNet:
        """Return a net with the mean weights, and normalisation statistics from these rows."""
        net = GoNet(self.settings.blocks, self.settings.channels)
        net.to(self.device, memory_format=torch.channels_last)
        named = dict(net.named_parameters())
        for name, x in self.average.items():
            named[name].copy_(x)
        for layer in net.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.momentum = None  # a plain mean over all batches
        net.train()
        size = min(self.settings.batch, len(rows))
        for _ in range(min(NORM_BATCHES, max(1, len(rows) // size))):
            self.outputs(net, rows.index_select(0, torch.randint(len(rows), (size,), device=self.device)), True)
        net.eval()
        return net

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def measure(self, net: GoNet, rows: Tensor, games: Int64Array) -> JsonObject:
        """Return the figures of a net on rows; games: the number of each row's game."""
        ranks, logs, winner_right = [], [], []
        for words in rows.split(4096):
            logits, win_logits, batch = self.outputs(net, words, False)
            all_logs = logits.float().masked_fill(batch.occupied, -1e4).log_softmax(1)
            log = all_logs.gather(1, batch.target[:, None])
            before = torch.arange(all_logs.shape[1], device=self.device) < batch.target[:, None]
            ranks.append(((all_logs > log) | (before & (all_logs == log))).sum(1))  # ties: in order of points
            logs.append(log[:, 0])
            winner_right.append(torch.where(batch.result == 0, -1, ((win_logits > 0) == (batch.result == 1)).long()))
        ply = rows.view(torch.uint8)[:, PLY].cpu().numpy()
        rank, log, won = (torch.cat(x).cpu().numpy() for x in (ranks, logs, winner_right))
        return net_figures(rank, log.astype(np.float64), won, ply, games)


def net_figures(
    rank: Int64Array, log: Float64Array, won: Int64Array, ply: NDArray[np.integer], games: Int64Array
) -> JsonObject:
    """Return how often moves were among the top predictions, with 95 % intervals, leaving out first moves.

    rank: from 0. won: whether the winner was predicted correctly, -1 if the winner is unknown.
    """
    counted = ply > 0
    measured: JsonObject = {"n": int(counted.sum()), "games": len(np.unique(games[counted]))}
    for name, values in {**{f"top{top}": rank < top for top in (1, 5, 10)}, "log_evidence": log}.items():
        mean = mean_by_game(values[counted], games[counted])
        measured[name], measured[f"{name}_interval"] = mean.value, [mean.low, mean.high]
    for phase, (first, end) in PHASES.items():
        inside = (ply >= first) & (ply < end)
        if inside.any():
            measured[phase] = {"n": int(inside.sum()), "top1": float(np.mean(rank[inside] < 1))}
    known = counted & (won >= 0)
    measured["winner_told"] = float(np.mean(won[known])) if known.any() else None
    return measured


def load_rows(games: GamesFile, selected: Int64Array, device: torch.device) -> Tensor:
    """Return the rows of games on a device, as words of 64 bits."""
    return torch.from_numpy(rows_of(games, selected).view(np.int64)).to(device)


def fit(
    games: GamesFile, settings: NetFitSettings, out: Path, progress: Callable[[str], None] | None = None
) -> NetFitSummary:
    """Fit a net to the games that are not held out, measure it, and write net.onnx and net.json to a folder.

    Resume the fit in the folder if there is one. Ctrl-C stops after the current step and saves the state. Raise
    BadOption if there are too few 19x19 games, or if the fit in the folder is complete or has other settings.
    """
    learn, held = games.split()
    if settings.games is not None:
        learn = np.random.default_rng(settings.seed).permutation(learn)[: settings.games]
    if not len(learn) or not len(held):
        raise BadOption(f"There are too few 19x19 games: {len(learn)} to learn from, {len(held)} held out.")
    work = NetFit(settings, _device(settings.cpu), progress)
    total_seconds = 60 * (settings.whole_minutes or settings.minutes)
    if (out / MANIFEST).exists():
        work.load(out)
        if work.seconds >= total_seconds - 1:
            done = f"{work.seconds / 60:g} minutes"
            raise BadOption(f"The fit in {out} is complete, with {done}. Use a longer --of, or a new folder.")
    work.report("preparing the positions ...")
    rows, held_rows = load_rows(games, learn, work.device), load_rows(games, held, work.device)
    reserve = min(MAX_RESERVED_SECONDS, RESERVED_SHARE * 60 * settings.minutes)
    began, is_last = work.seconds, work.seconds + 60 * settings.minutes >= total_seconds - 1
    with caught_interrupts() as stop:
        work.run(rows, min(60 * settings.minutes, total_seconds - began) - reserve, total_seconds - reserve, out, stop)
    work.parts.append(_run_entry(work, began))
    work.save(out)
    summary = NetFitSummary(
        len(learn), len(rows), work.step, 0.0, total_seconds / 60, is_last and not stop, None, work.notes, bool(stop)
    )
    if not stop:
        work.report("measuring and writing ...")
        net, measured_rows = work.averaged(rows), len(held_rows) if is_last else MAX_INTERIM_POSITIONS
        game_of_row = np.repeat(np.arange(len(held)), row_counts(games, held))
        summary.held_out = work.measure(net, held_rows[:measured_rows], game_of_row[:measured_rows])
        if settings.steps is None:
            work.seconds = min(began + 60 * settings.minutes, total_seconds)  # the reserved time counts too
            work.parts[-1] = _run_entry(work, began)
        _write_results(work, net, out, summary)
        work.save(out)
    summary.minutes = round(work.seconds / 60, 2)
    return summary


def _device(cpu: bool) -> torch.device:
    """Return the device to fit on: a GPU if there is one and it may be used."""
    if cpu or not torch.cuda.is_available():
        torch.set_flush_denormal(True)
        return torch.device("cpu")
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    return torch.device("cuda")


def _run_entry(work: NetFit, began: float) -> JsonObject:
    """Return the entry in net.json for a run that began at this second of the whole fit."""
    settings = work.settings
    return {
        "minutes": round((work.seconds - began) / 60, 2), "steps": work.step,
        "device": torch.cuda.get_device_name() if work.on_gpu else "CPU", "torch": str(torch.__version__),
        "rate": settings.rate, "decay": settings.decay, "value": settings.value,
    }  # fmt: skip


def _write_results(work: NetFit, net: GoNet, out: Path, summary: NetFitSummary) -> None:
    """Write a net to net.onnx, and how it was made to net.json."""
    settings = work.settings
    samples = work.step * settings.batch
    about = {
        "blocks": settings.blocks, "channels": settings.channels, "seed": settings.seed, "batch": settings.batch,
        "parameters": sum(x.numel() for x in net.parameters()), "learned_from_games": summary.games,
        "samples": samples, "passes": round(samples / summary.positions, 2), "whole_minutes": summary.whole_minutes,
        "parts": work.parts, "complete": summary.complete, "held_out": summary.held_out,
    }  # fmt: skip
    write_atomically(out / "net.json", json.dumps(about, indent=1) + "\n")
    work.notes += write_net(out, net.arrays(), about)


def write_net(out: Path, arrays: NetArrays, about: JsonObject) -> list[str]:
    """Write net.onnx, or net.npz if that fails; return notes for the user."""
    made = json.dumps(about)
    try:
        data = to_onnx(arrays, made)
    except Exception as error:  # a long fit must not be lost because a package does not work here
        np.savez(out / "net.npz", made=np.array(made), **arrays)
        convert = f"python -m kibitz.games.go.predict.net.onnx {out / 'net.npz'} {out / 'net.onnx'}"
        return [f"The net is in {out / 'net.npz'}: writing net.onnx failed. {error} Where onnx works, run: {convert}"]
    (out / "net.onnx").write_bytes(data)
    return []
