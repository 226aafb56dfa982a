"""Fitting the policy net to a file of games, for a given number of minutes, on a GPU if there is one.

    python -m kibitz.games.go.predict.fit.games_file STORE games.npz
    python -m kibitz.games.go.predict.net.fit games.npz out --minutes 20

All positions lie on the device as rows of bytes and become planes there, each
under a random symmetry. The learning rate falls to 0 with time. The result is
the running mean of the weights. A longer fit can be done in parts: `--minutes 9
--of 18`, then `--minutes 9 --of 18 --resume out` continues it, also elsewhere.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.predict.fit.figures import mean_by_game
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.net.boards_kernel import PLY, row_counts, rows_of
from kibitz.games.go.predict.net.onnx import to_onnx
from kibitz.games.go.predict.net.state import NetArrays, load_state, save_state
from kibitz.games.go.predict.net.torch import Batch, GoNet, Optimiser, PlaneMaker, Tensor, losses, torch

STARTED = time.monotonic()
MEAN_DECAY = 0.999
"""How much of the running mean of the weights a step leaves."""
ADAM_SHARE = 0.08
"""Adam's learning rate, as a share of that of the matrices."""
WARM_UP_STEPS = 100
NORM_BATCHES = 32
"""Batches from which the statistics of the mean weights are taken."""
REPORT_SECONDS, SAVE_SECONDS = 10, 60
PHASES = {"opening": (1, 50), "middle": (50, 150), "end": (150, 256)}
"""Name, and the range of the number of moves before a position."""


def clock() -> float:
    """Return the seconds since the program started."""
    return time.monotonic() - STARTED


def report(text: str) -> None:
    """Print a line of progress."""
    print(f"{clock():7.1f} s  {text}", flush=True)  # noqa: T201


class NetFit:
    """A fit under way."""

    def __init__(self, options: argparse.Namespace, device: torch.device) -> None:
        torch.manual_seed(options.seed)
        self.options, self.device = options, device
        self.on_gpu = device.type == "cuda"
        self.net = GoNet(options.blocks, options.channels).to(device, memory_format=torch.channels_last)
        self.optimiser = Optimiser(self.net)
        self.average = {name: x.detach().clone() for name, x in self.net.named_parameters()}
        self.planes = PlaneMaker(device, torch.bfloat16 if self.on_gpu else torch.float32)
        self.step, self.averaged_steps, self.epoch, self.at, self.seconds = 0, 0, 0, 0, 0.0
        self.parts: list[JsonObject] = []

    def save(self, folder: Path) -> None:
        """Write what the next step needs, momentum as 16-bit floats. The running mean starts again after loading."""
        arrays = {f"net.{name}": array for name, array in self.net.arrays().items()}
        for name, x in self.optimiser.state.items():
            arrays[f"held.{name}"] = x.bfloat16().view(torch.int16).cpu().contiguous().numpy()
        options = {name: getattr(self.options, name) for name in ("blocks", "channels", "seed", "batch")}
        place = {"step": self.step, "epoch": self.epoch, "at": self.at, "seconds": self.seconds, "parts": self.parts}
        save_state(folder, arrays, options | place)

    def load(self, folder: Path) -> None:
        """Continue from a saved state. Raise BadOption if the net or the order of positions is another."""
        arrays, about = load_state(folder)
        for name in ("blocks", "channels", "seed", "batch"):
            if about[name] != getattr(self.options, name):
                raise BadOption(f"The fit in {folder} has {name} {about[name]}: give --{name} {about[name]}.")
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
        """Yield batches of rows without end, every row once in an epoch, in an order that the seed fixes."""
        size = min(self.options.batch, len(rows))
        while True:
            generator = torch.Generator(self.device).manual_seed(self.options.seed * 1000 + self.epoch)
            order = torch.randperm(len(rows), generator=generator, device=self.device)
            while self.at + size <= len(rows):
                chosen = order[self.at : self.at + size]
                self.at += size
                yield rows.index_select(0, chosen)
            self.epoch, self.at = self.epoch + 1, 0

    def outputs(self, net: GoNet, rows: Tensor, turned: bool) -> tuple[Tensor, Tensor, Batch]:
        """Return a net's logits and odds for rows, turned at random or not, and the batch that they are for."""
        batch = self.planes.batch(rows, torch.randint(8 if turned else 1, (len(rows),), device=self.device))
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.on_gpu):
            logits, odds = net(batch.planes)
        return logits, odds, batch

    def learn(self, rows: Tensor, left: float) -> Tensor:
        """Learn from a batch at a share `left` of the learning rate. Return both losses, on the device."""
        policy, win = losses(*self.outputs(self.net, rows, True))
        (policy + self.options.value * win).backward()
        rate = self.options.rate * left * min(1.0, (self.step + 1) / WARM_UP_STEPS)
        self.optimiser.step(rate, ADAM_SHARE * rate, self.options.decay)
        self.step += 1
        self.averaged_steps += 1
        decay = min(MEAN_DECAY, self.averaged_steps / (self.averaged_steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), list(self.net.parameters()), 1 - decay)
        return torch.stack([policy.detach(), win.detach()])

    def run(self, rows: Tensor, stop: float, whole: float, out: Path) -> None:
        """Fit until the clock shows `stop`; the learning rate is 0 once all parts together took `whole` seconds."""
        batches, before = self.batches(rows), self.seconds
        self.net.train()
        if self.on_gpu and not self.options.plain:
            self.net.compile_parts()
            self._try_compiled(next(batches))
        report(f"starts at step {self.step}, {before / 60:.1f} minutes into the fit")
        reported, saved, since, sums = clock(), clock(), self.step, torch.zeros(2, device=self.device)
        while clock() < stop and (self.options.steps is None or self.step < self.options.steps):
            left = max(0.0, 1 - (before + clock()) / whole)
            sums += self.learn(next(batches), left)
            if clock() - reported > REPORT_SECONDS:
                policy, win = (sums / (self.step - since)).tolist()
                speed = (self.step - since) * self.options.batch / (clock() - reported)
                report(f"step {self.step}  loss {policy:.4f}  win {win:.4f}  rate left {left:.3f}  {speed:,.0f}/s")
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
        """Run the compiled layers once, and do without compilation if they do not work."""
        try:
            policy, _ = losses(*self.outputs(self.net, rows, True))
            policy.backward()
            torch.cuda.synchronize()
        except Exception as error:  # the compiler has errors of many kinds
            report(f"not compiled: {str(error).strip().splitlines()[0][:300]}")
            self.net.uncompile()
        self.net.zero_grad(set_to_none=True)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def averaged(self, rows: Tensor) -> GoNet:
        """Return a net with the mean weights; the statistics of its normalisation are taken from these rows."""
        net = GoNet(self.options.blocks, self.options.channels)
        net.to(self.device, memory_format=torch.channels_last)
        named = dict(net.named_parameters())
        for name, x in self.average.items():
            named[name].copy_(x)
        for layer in net.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.momentum = None  # a plain mean over all batches
        net.train()
        size = min(self.options.batch, len(rows))
        for _ in range(min(NORM_BATCHES, max(1, len(rows) // size))):
            self.outputs(net, rows.index_select(0, torch.randint(len(rows), (size,), device=self.device)), True)
        net.eval()
        return net

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def measure(self, net: GoNet, rows: Tensor, games: NDArray[np.int64]) -> JsonObject:
        """Return the figures of a net on rows; games: the number of each row's game."""
        ranks, logs, right = [], [], []
        for words in rows.split(4096):
            logits, odds, batch = self.outputs(net, words, False)
            all_logs = logits.float().masked_fill(batch.taken, -1e4).log_softmax(1)
            log = all_logs.gather(1, batch.target[:, None])
            before = torch.arange(all_logs.shape[1], device=self.device) < batch.target[:, None]
            ranks.append(((all_logs > log) | (before & (all_logs == log))).sum(1))  # ties: the first one first
            logs.append(log[:, 0])
            right.append(torch.where(batch.result == 0, -1, ((odds > 0) == (batch.result == 1)).long()))
        ply = rows.view(torch.uint8)[:, PLY].cpu().numpy()
        rank, log, won = (torch.cat(x).cpu().numpy() for x in (ranks, logs, right))
        return net_figures(rank, log.astype(np.float64), won, ply, games)


def net_figures(
    rank: NDArray[np.int64],
    log: NDArray[np.float64],
    won: NDArray[np.int64],
    ply: NDArray[np.integer],
    games: NDArray[np.int64],
) -> JsonObject:
    """Return how often moves were among the first predictions, with 95 % intervals, leaving out first moves.

    rank: from 0. won: whether the winner was predicted correctly, -1 where it is not known.
    """
    counted = ply > 0
    measured: JsonObject = {"n": int(counted.sum()), "games": len(np.unique(games[counted]))}
    for name, values in {**{f"top{most}": rank < most for most in (1, 5, 10)}, "log_evidence": log}.items():
        mean = mean_by_game(values[counted], games[counted])
        measured[name], measured[f"{name}_interval"] = mean.value, [mean.low, mean.high]
    for phase, (first, end) in PHASES.items():
        inside = (ply >= first) & (ply < end)
        if inside.any():
            measured[phase] = {"n": int(inside.sum()), "top1": float(np.mean(rank[inside] < 1))}
    known = counted & (won >= 0)
    measured["winner_told"] = float(np.mean(won[known])) if known.any() else None
    return measured


def load_rows(games: GamesFile, selected: NDArray[np.int64], device: torch.device) -> Tensor:
    """Return the rows of games on a device, as words of 64 bits."""
    return torch.from_numpy(rows_of(games, selected).view(np.int64)).to(device)


def fit(options: argparse.Namespace) -> JsonObject:
    """Fit a net, measure it and write it; return the content of net.json."""
    if torch.cuda.is_available():
        torch.backends.cudnn.benchmark = True
        torch.set_float32_matmul_precision("high")
    else:
        torch.set_flush_denormal(True)
    device = torch.device("cuda" if torch.cuda.is_available() and not options.cpu else "cpu")
    games = GamesFile.load(options.games)
    learn, held = games.split()
    if options.limit is not None:
        learn = np.random.default_rng(options.seed).permutation(learn)[: options.limit]
    if not len(learn) or not len(held):
        raise BadOption(
            f"{options.games} has too few 19x19 games: {len(learn)} to learn from and {len(held)} held out."
        )
    work = NetFit(options, device)
    if options.resume is not None:
        work.load(options.resume)
    if options.begin is not None:
        work.seconds = 60 * options.begin
    rows, held_rows = load_rows(games, learn, device), load_rows(games, held, device)
    report(f"{len(rows):,} positions of {len(learn):,} games; held out {len(held_rows):,} of {len(held):,} games")
    began, whole = work.seconds, 60 * (options.of or options.minutes)
    is_last = began + 60 * options.minutes >= whole - 1
    learning = whole - options.reserve
    work.run(rows, min(60 * options.minutes - options.reserve, learning - began), learning, options.out)
    if options.steps is None:
        work.seconds = began + 60 * options.minutes  # the reserve is a part of the whole too
    work.parts.append({
        "minutes": round((work.seconds - began) / 60, 2), "steps": work.step,
        "device": torch.cuda.get_device_name() if work.on_gpu else "CPU", "torch": str(torch.__version__),
        "rate": options.rate, "decay": options.decay, "value": options.value,
    })  # fmt: skip
    work.save(options.out)
    net = work.averaged(rows)
    measured_rows = len(held_rows) if is_last else options.glance
    game_of_row = np.repeat(np.arange(len(held)), row_counts(games, held))
    measured = work.measure(net, held_rows[:measured_rows], game_of_row[:measured_rows])
    about = {
        "blocks": options.blocks, "channels": options.channels, "seed": options.seed, "batch": options.batch,
        "parameters": sum(x.numel() for x in net.parameters()), "learned_from_games": len(learn),
        "samples": work.step * options.batch, "passes": round(work.step * options.batch / len(rows), 2),
        "whole_minutes": whole / 60, "parts": work.parts, "complete": is_last, "held_out": measured,
    }  # fmt: skip
    report(json.dumps(measured))
    report(f"{work.step:,} steps, {about['passes']} passes over the positions")
    (options.out / "net.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    write_net(options.out, net.arrays(), about)
    return about


def write_net(out: Path, arrays: NetArrays, about: JsonObject) -> None:
    """Write net.onnx, or net.npz if that fails: onnx.py converts it elsewhere."""
    made = json.dumps(about)
    try:
        data = to_onnx(arrays, made)
    except Exception as error:  # a fit takes long, and must not be lost because a package does not work here
        np.savez(out / "net.npz", made=np.array(made), **arrays)
        report(f"wrote net.npz instead of net.onnx: {error}")
        return
    (out / "net.onnx").write_bytes(data)
    report(f"{out / 'net.onnx'}: {len(data):,} bytes")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(description="Fit the policy net of Go to a file of games.")
    made.add_argument("games", type=Path, help="a games file, see games_file.py")
    made.add_argument("out", type=Path, help="the folder for the net and the state of the fit")
    made.add_argument("--minutes", type=float, default=20.0, help="the length of this run, everything included")
    made.add_argument("--of", type=float, help="the length of the whole fit in minutes, if this run is a part of it")
    made.add_argument("--from", type=float, dest="begin", help="the minute of the whole fit at which this run starts")
    made.add_argument("--resume", type=Path, help="a folder with the state of a fit to continue")
    made.add_argument("--blocks", type=int, default=12)
    made.add_argument("--channels", type=int, default=128)
    made.add_argument("--batch", type=int, default=2048)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--rate", type=float, default=0.025, help="the learning rate of the matrices at the start")
    made.add_argument("--decay", type=float, default=0.0, help="weight decay of the matrices, times the learning rate")
    made.add_argument("--value", type=float, default=0.05, help="the weight of the winner's loss")
    made.add_argument("--reserve", type=float, default=25.0, help="seconds reserved for measuring and writing")
    made.add_argument("--glance", type=int, default=100_000, help="positions to measure if the fit is not complete")
    made.add_argument("--limit", type=int, help="the number of games to learn from, for a learning curve")
    made.add_argument("--steps", type=int, help="stop at this step at the latest")
    made.add_argument("--plain", action="store_true", help="do not compile the layers")
    made.add_argument("--cpu", action="store_true", help="do not use a GPU")
    return made


def main() -> None:
    """Fit a net as the command line says."""
    try:
        fit(parser().parse_args())
    except KibitzError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
