"""Rounds of training: the net plays against itself, and a new one is fitted to the games of the last rounds.

A run is stored in a folder and can be interrupted at any time; finished work is not repeated.
"""

from __future__ import annotations

import json
import math
import shutil
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.rng import stream
from kibitz.core.errors import BadOption
from kibitz.core.files import open_atomically, write_atomically
from kibitz.core.training import ProgressCallback, open_settings, run_tasks
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.players.champion.net import FILE, load_net, untrained_net
from kibitz.games.battleline.players.champion.net_kernel import new_evaluator
from kibitz.games.battleline.players.train.games_kernel import Samples, new_samples, play_games
from kibitz.games.battleline.players.train.searched import searched_games
from kibitz.games.battleline.rules import BattleLine
from kibitz.search.agents import make_agent

VIEWS_PER_SAMPLE, SEARCHED_VIEWS_PER_SAMPLE = 10, 2
"""One of this many views becomes a sample, in games without and with a search."""
MAX_VIEWS_PER_GAME = 200
"""An upper bound, to allocate samples."""
RANDOM_PLAY = (1000.0,)
"""Noise so large that it makes moves random."""
GAMES_PER_CHUNK, SEARCHED_GAMES_PER_CHUNK = 1000, 20
"""Games per task, without and with a search; every other chunk is without Tactics."""
MATCH_GAMES = 8000
"""Games of a new net against the previous one, half of them without Tactics."""


@dataclass(frozen=True)
class ChampionTraining:
    """The settings of a training run."""

    seed: int = 1
    rounds: int = 7
    games: int = 96_000
    """Games per round."""
    keep: int = 3
    """The number of rounds whose games a net is fitted to."""
    epochs: float = 3.0
    rate: float = 2e-3
    """The peak learning rate."""
    noise: tuple[float, ...] = (0.0, 0.01, 0.03, 0.06)
    """Noise levels: each game picks one of them, the maximum random amount added to the rating of a move."""
    playouts: int = 0
    """Playouts per turn; 0 to play without search."""
    against: str = ""
    """The opponent in every other game with a search; empty for self-play only."""
    start: str = "nothing"
    """The net to start from: nothing for a new one, learned for the shipped one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", tuple(self.noise))  # a list if it was read from JSON
        if self.start not in ("nothing", "learned"):
            raise BadOption(f"start must be nothing or learned, got {self.start!r}.")
        if self.playouts and self.start == "nothing":
            raise BadOption("Games with a search need a net to start from: use start=learned, or playouts=0.")
        if self.against and not self.playouts:
            raise BadOption(f"Games against {self.against} need a search: set playouts to 1 or more.")
        if self.against:
            make_agent(BattleLine(), self.against)  # reports a bad spec before any game is played
        for name in ("seed", "rounds", "games", "keep", "playouts"):
            value, minimum = getattr(self, name), 0 if name in ("seed", "playouts") else 1
            if type(value) is not int or value < minimum:
                raise BadOption(f"{name} must be a whole number of at least {minimum}, got {value}.")
        for name in ("epochs", "rate"):
            if not 0 < getattr(self, name) < math.inf:
                raise BadOption(f"{name} must be more than 0, got {getattr(self, name)}.")
        if not self.noise or not all(0 <= amount < math.inf for amount in self.noise):
            raise BadOption(f"noise must be one or more numbers of at least 0, got {self.noise}.")

    @property
    def chunks(self) -> int:
        """Return the number of chunks, one per task, in a round."""
        return math.ceil(self.games / self.games_per_chunk)

    @property
    def games_per_chunk(self) -> int:
        """Return the number of games in a chunk, the work of one task."""
        return SEARCHED_GAMES_PER_CHUNK if self.playouts else GAMES_PER_CHUNK


def open_folder(folder: Path, settings: ChampionTraining | None) -> ChampionTraining:
    """Return the settings of a training folder, created if needed. Raise BadOption if it has other settings."""
    return open_settings(folder, ChampionTraining, settings)


def learn(folder: Path, settings: ChampionTraining, executor: Executor, jobs: int, report: ProgressCallback) -> Path:
    """Run the rounds of training that are not finished yet; return the path of the trained net."""
    previous = FILE if settings.start == "learned" else None
    history = []
    for number in range(settings.rounds):
        net, notes = folder / f"net-{number}.npz", folder / f"notes-{number}.json"
        if not notes.exists():
            for old in range(number - settings.keep + 1):
                shutil.rmtree(folder / f"games-{old}", ignore_errors=True)
            _play_round(folder, settings, number, previous, executor, jobs, report)
            losses = _fit(folder, settings, number, previous, net, report)
            scores = _match_scores(net, previous, number, executor, report)
            write_atomically(notes, json.dumps({**losses, "against_the_one_before": scores}))
        history.append(json.loads(notes.read_text()))
        previous = net
    trained = folder / "learned.npz"
    with np.load(folder / f"net-{settings.rounds - 1}.npz") as weights:
        _save(trained, dict(weights))
    about = {"settings": asdict(settings), "rounds": history}
    write_atomically(folder / "learned.json", json.dumps(about, indent=1) + "\n")
    return trained


def play_chunk(net: Path | None, settings: ChampionTraining, games: int, seed: int, tactics: bool, path: Path) -> int:
    """Play a chunk of self-play games, with random moves if net is None; save the samples and return their number."""
    if settings.playouts and net:
        every = SEARCHED_VIEWS_PER_SAMPLE
        samples = new_samples(games * MAX_VIEWS_PER_GAME // every)
        n = searched_games(load_net(net), settings.playouts, settings.against, tactics, games, seed, samples, every)
    else:
        samples = new_samples(games * MAX_VIEWS_PER_GAME // VIEWS_PER_SAMPLE)
        noise = settings.noise if net else RANDOM_PLAY
        n, _ = _play_unsearched((net, net), tactics, games, seed, samples, VIEWS_PER_SAMPLE, noise)
    _save(path, {name: array[:n] for name, array in samples._asdict().items()})
    return n


def match(net: Path, other: Path | None, games: int, seed: int, tactics: bool) -> float:
    """Return the score of a net against another (None: an untrained one), without search; 1 if it wins all games."""
    _, (_, drawn, won) = _play_unsearched((net, other), tactics, games, seed, new_samples(1), 1, (0.0,))
    return (drawn / 2 + won) / games


def _play_unsearched(
    nets: tuple[Path | None, Path | None], tactics: bool, games: int, seed: int, samples: Samples, sample_every: int,
    noise: tuple[float, ...],
) -> tuple[int, list[int]]:  # fmt: skip
    """Play games without search; return the number of samples, and the first net's losses, draws and wins."""
    first, second = (new_evaluator(load_net(net) if net else untrained_net()) for net in nets)
    pos, scratch = (kernel.pack(BattleLine(tactics=tactics).start(1)) for _ in range(2))
    moves, viewers, tally = (np.zeros(n, np.int64) for n in (kernel.MAX_LEGAL_MOVES, len(samples.results), 3))
    ratings = np.zeros(kernel.MAX_LEGAL_MOVES)
    n = play_games(
        pos, scratch, (first, second), cast(Ints, moves), cast(Floats, ratings), stream(seed), samples,
        cast(Ints, viewers), sample_every, cast(Floats, np.array(noise)), games, cast(Ints, tally),
    )  # fmt: skip
    return n, [int(count) for count in tally]


def _play_round(
    folder: Path, settings: ChampionTraining, number: int, net: Path | None, executor: Executor, jobs: int,
    report: ProgressCallback,
) -> None:  # fmt: skip
    """Play the chunks of a round that are not saved yet, each with its own seed."""
    total, seed = settings.chunks, (1000 * settings.seed + number) * 100_000
    paths = [_chunk_file(folder, number, i) for i in range(total)]
    paths[0].parent.mkdir(exist_ok=True)
    todo = [(i, path) for i, path in enumerate(paths) if not path.exists()]
    games = settings.games_per_chunk
    tasks = (partial(play_chunk, net, settings, games, seed + i, i % 2 == 1, path) for i, path in todo)
    title, saved = f"round {number}: playing", total - len(todo)
    report(title, saved, total, "")
    for done, _ in enumerate(run_tasks(executor, jobs, tasks), saved + 1):
        report(title, done, total, "")


def _chunk_file(folder: Path, number: int, chunk: int) -> Path:
    return folder / f"games-{number}" / f"{chunk:05d}.npz"


def _load_samples(folder: Path, settings: ChampionTraining, number: int) -> Samples:
    """Return the samples of the last settings.keep rounds up to round `number`, shuffled."""
    parts = []
    for earlier in range(max(number - settings.keep + 1, 0), number + 1):
        for i in range(settings.chunks):
            with np.load(_chunk_file(folder, earlier, i)) as arrays:
                parts.append([arrays[name] for name in Samples._fields])
    order = np.random.default_rng(1000 * settings.seed + number).permutation(sum(len(part[-1]) for part in parts))
    return Samples(*(np.concatenate(arrays)[order] for arrays in zip(*parts, strict=True)))


def _fit(
    folder: Path, settings: ChampionTraining, number: int, previous: Path | None, net: Path, report: ProgressCallback
) -> dict[str, float]:
    """Fit a new net to the samples of the last rounds and save it; return the number of samples and the losses."""
    from kibitz.games.battleline.players.train.fit import fit, new_weights

    def report_loss(done: int, total: int, loss: float) -> None:
        report(f"round {number}: fitting", done, total, f"loss {loss:.4f}")

    samples, seed = _load_samples(folder, settings, number), 1000 * settings.seed + number
    start = dict(np.load(previous)) if previous else new_weights(settings.seed, samples)
    weights, losses = fit(start, samples, settings.epochs, settings.rate, seed, report_loss)
    _save(net, weights)
    return {"samples": len(samples.results), **losses}


def _match_scores(
    net: Path, previous: Path | None, number: int, executor: Executor, report: ProgressCallback
) -> list[float]:
    """Return the scores of a net against the previous one, without and with Tactics."""
    scores, parts = [], 8
    for tactics in (False, True):
        games = MATCH_GAMES // 2 // parts
        matches = [executor.submit(match, net, previous, games, 7 + i, tactics) for i in range(parts)]
        scores.append(round(sum(part.result() for part in matches) / parts, 3))
        report(f"round {number}: match against the previous net", len(scores), 2, " ".join(map(str, scores)))
    return scores


def _save(path: Path, arrays: dict[str, Any]) -> None:
    with open_atomically(path) as file:
        np.savez_compressed(file, **arrays)
