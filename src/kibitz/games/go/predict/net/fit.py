"""Fitting the policy net to a file of games, for a given number of minutes, on a GPU where there is one.

    python -m kibitz.games.go.predict.fit.games_file STORE games.npz
    python -m kibitz.games.go.predict.net.fit games.npz out --minutes 20

All positions lie on the device as rows of bytes and are made planes there, each
under a random symmetry. The rate falls to 0 with time. What comes out is the
running mean of the weights. A longer fit can be done in parts: `--minutes 9 --of
18`, then `--minutes 9 --of 18 --resume out` goes on from there, also elsewhere.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption, KibitzError
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.net.boards_kernel import PLY, counts, rows_of
from kibitz.games.go.predict.net.onnx import to_onnx
from kibitz.games.go.predict.net.state import load_state, save_state
from kibitz.games.go.predict.net.torch import Net, Optimiser, Planes, losses, torch

BEGAN = time.monotonic()
AVERAGE = 0.999
"""How much of the running mean of the weights is kept at a step."""
ADAM_SHARE = 0.08
"""Adam's rate, as a share of that of the matrices."""
SETTLING = 32
"""Batches from which the statistics of the mean weights are taken."""
PHASES = {"opening": (1, 50), "middle": (50, 150), "end": (150, 256)}
"""Moves before a position, from and up to."""


def clock() -> float:
    """Return the seconds since the program began."""
    return time.monotonic() - BEGAN


def say(text: str) -> None:
    """Print a line of progress."""
    print(f"{clock():7.1f} s  {text}", flush=True)  # noqa: T201


class Fit:
    """A fit under way."""

    def __init__(self, options: argparse.Namespace, device: Any) -> None:
        torch.manual_seed(options.seed)
        self.options, self.device = options, device
        self.fast = device.type == "cuda"
        self.net = Net(options.blocks, options.channels).to(device, memory_format=torch.channels_last)
        self.optimiser = Optimiser(self.net)
        self.average = {name: x.detach().clone() for name, x in self.net.named_parameters()}
        self.planes = Planes(device, torch.bfloat16 if self.fast else torch.float32)
        self.step, self.averaged_steps, self.epoch, self.at, self.seconds = 0, 0, 0, 0, 0.0
        self.parts: list[dict[str, Any]] = []

    def save(self, folder: Path) -> None:
        """Keep what the next step needs; momentum as halves. The mean of the weights begins anew after that."""
        arrays = {f"net.{name}": array for name, array in self.net.numbers().items()}
        for name, x in self.optimiser.held.items():
            arrays[f"held.{name}"] = x.bfloat16().view(torch.int16).cpu().contiguous().numpy()
        about = {
            "blocks": self.options.blocks, "channels": self.options.channels, "seed": self.options.seed,
            "batch": self.options.batch, "step": self.step, "epoch": self.epoch, "at": self.at,
            "seconds": self.seconds, "parts": self.parts,
        }  # fmt: skip
        save_state(folder, arrays, about)

    def load(self, folder: Path) -> None:
        """Go on from where save was called. Raises BadOption if the net or the order of positions is another."""
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
        size = min(self.options.batch, len(rows))
        while True:
            generator = torch.Generator(self.device).manual_seed(self.options.seed * 1000 + self.epoch)
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
        (policy + self.options.value * win).backward()
        warm = min(1.0, (self.step + 1) / 100)
        rate = self.options.rate * left * warm
        self.optimiser.step(rate, ADAM_SHARE * rate, self.options.decay)
        self.step += 1
        self.averaged_steps += 1
        keep = min(AVERAGE, self.averaged_steps / (self.averaged_steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), list(self.net.parameters()), 1 - keep)
        return torch.stack([policy.detach(), win.detach()])

    def run(self, rows: Any, stop: float, whole: float, out: Path) -> None:
        """Fit until the clock shows `stop`; the rate is 0 once all parts together took `whole` seconds."""
        batches, before = self.batches(rows), self.seconds
        self.net.train()
        if self.fast and not self.options.plain:
            self.net.compile_parts()
            self._try_compiled(next(batches))
        say(f"begins at step {self.step}, {before / 60:.1f} minutes into the fit")
        told, saved, since, sums = clock(), clock(), self.step, torch.zeros(2, device=self.device)
        while clock() < stop and (self.options.steps is None or self.step < self.options.steps):
            left = max(0.0, 1 - (before + clock()) / whole)
            sums += self.one(next(batches), left)
            if clock() - told > 10:
                policy, win = (sums / (self.step - since)).tolist()
                speed = (self.step - since) * self.options.batch / (clock() - told)
                say(f"step {self.step}  loss {policy:.4f}  win {win:.4f}  rate left {left:.3f}  {speed:,.0f}/s")
                told, since = clock(), self.step
                sums.zero_()
            if clock() - saved > 60:
                self.seconds = before + clock()
                self.save(out)
                saved = clock()
        if self.fast:
            torch.cuda.synchronize()
        self.seconds = before + clock()

    def _try_compiled(self, words: Any) -> None:
        """Run the compiled layers once, and go on without if they do not work."""
        try:
            policy, _ = losses(*self.outputs(self.net, words, True))
            policy.backward()
            torch.cuda.synchronize()
        except Exception as error:  # the compiler has errors of many kinds
            say(f"not compiled: {str(error).strip().splitlines()[0][:300]}")
            self.net.uncompile()
        self.net.zero_grad(set_to_none=True)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def averaged(self, rows: Any) -> Any:
        """Return a net with the mean weights; its statistics are taken from positions to learn from."""
        net = Net(self.options.blocks, self.options.channels).to(self.device, memory_format=torch.channels_last)
        named = dict(net.named_parameters())
        for name, x in self.average.items():
            named[name].copy_(x)
        for layer in net.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.momentum = None  # a plain mean over all batches
        net.train()
        size = min(self.options.batch, len(rows))
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


def fit(options: argparse.Namespace) -> dict[str, Any]:
    """Fit a net, measure it and write it; return what net.json says."""
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
            f"{options.games} has too few games of 19x19: {len(learn)} to learn from, {len(held)} held out."
        )
    work = Fit(options, device)
    if options.resume is not None:
        work.load(options.resume)
    if options.begin is not None:
        work.seconds = 60 * options.begin
    rows, other = load_rows(games, learn, device), load_rows(games, held, device)
    of_game = np.repeat(np.arange(len(held)), counts(games, held))
    say(f"{len(rows):,} positions of {len(learn):,} games to learn from, {len(other):,} of {len(held):,} held out")
    began, whole = work.seconds, 60 * (options.of or options.minutes)
    last = began + 60 * options.minutes >= whole - 1
    whole_fit = whole - options.reserve
    work.run(rows, min(60 * options.minutes - options.reserve, whole_fit - began), whole_fit, options.out)
    if options.steps is None:
        work.seconds = began + 60 * options.minutes  # what is kept in reserve is a part of the whole too
    device_name = torch.cuda.get_device_name() if work.fast else "CPU"
    work.parts.append({
        "minutes": round((work.seconds - began) / 60, 2), "steps": work.step, "device": device_name,
        "torch": str(torch.__version__), "rate": options.rate, "decay": options.decay, "value": options.value,
    })  # fmt: skip
    work.save(options.out)
    net = work.averaged(rows)
    most = len(other) if last else options.glance
    measured = work.measure(net, other[:most], of_game[:most])
    about = {
        "blocks": options.blocks, "channels": options.channels, "seed": options.seed, "batch": options.batch,
        "parameters": sum(x.numel() for x in net.parameters()), "learned_from_games": len(learn),
        "samples": work.step * options.batch, "passes": round(work.step * options.batch / len(rows), 2),
        "whole_minutes": whole / 60, "parts": work.parts, "complete": last, "held_out": measured,
    }  # fmt: skip
    say(json.dumps(measured))
    say(f"{work.step:,} steps, {about['passes']} passes over the positions")
    (options.out / "net.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    write_net(options.out, net.numbers(), about)
    return about


def write_net(out: Path, numbers: dict[str, Any], about: dict[str, Any]) -> None:
    """Write net.onnx, or net.npz where that cannot be done: net_onnx.py makes the one of the other elsewhere."""
    made = json.dumps(about)
    try:
        data = to_onnx(numbers, made)
    except Exception as error:  # a fit takes long, and must not be lost for a package that does not work here
        np.savez(out / "net.npz", made=np.array(made), **numbers)
        say(f"wrote net.npz instead of net.onnx: {error}")
        return
    (out / "net.onnx").write_bytes(data)
    say(f"{out / 'net.onnx'}: {len(data):,} bytes")


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    found = argparse.ArgumentParser(description="Fit the policy net of Go to a file of games.")
    found.add_argument("games", type=Path, help="a games file, see games_file.py")
    found.add_argument("out", type=Path, help="the folder for the net and for the state of the fit")
    found.add_argument("--minutes", type=float, default=20.0, help="how long this run takes, all in all")
    found.add_argument("--of", type=float, help="how long the whole fit takes, if this is a part of it")
    found.add_argument("--from", type=float, dest="begin", help="where in the whole this part begins (known by itself)")
    found.add_argument("--resume", type=Path, help="a folder with the state of a fit to go on with")
    found.add_argument("--blocks", type=int, default=12)
    found.add_argument("--channels", type=int, default=128)
    found.add_argument("--batch", type=int, default=2048)
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--rate", type=float, default=0.025, help="the rate of the matrices at the start")
    found.add_argument("--decay", type=float, default=0.0, help="what the matrices lose at a step, times the rate")
    found.add_argument("--value", type=float, default=0.05, help="what the loss of the winner counts")
    found.add_argument("--reserve", type=float, default=25.0, help="seconds kept for measuring and writing")
    found.add_argument("--glance", type=int, default=100_000, help="positions measured when the fit is not complete")
    found.add_argument("--limit", type=int, help="games to learn from, for a learning curve")
    found.add_argument("--steps", type=int, help="stop at this step at the latest")
    found.add_argument("--plain", action="store_true", help="do not compile the layers")
    found.add_argument("--cpu", action="store_true", help="leave a GPU alone")
    return found


def main() -> None:
    """Fit a net as the command line says."""
    try:
        fit(parser().parse_args())
    except KibitzError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
