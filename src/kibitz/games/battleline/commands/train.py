"""kibitz battleline train: train a net for the champion."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from kibitz.cli.training import Folder, Jobs, Seed, show_training
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject


def train(
    folder: Folder,
    seed: Seed = None,
    rounds: Annotated[int | None, typer.Option(help="Rounds of self-play, each followed by a fit.")] = None,
    games: Annotated[int | None, typer.Option(help="Games per round, half of them without Tactics.")] = None,
    keep: Annotated[int | None, typer.Option(help="Number of rounds whose games a net is fitted to.")] = None,
    epochs: Annotated[float | None, typer.Option(help="Passes of the fit over all positions.")] = None,
    rate: Annotated[float | None, typer.Option(help="Peak learning rate.")] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="A,B...", help="Maximum random noise added to the chances of moves; each game uses one of these."
        ),
    ] = None,
    playouts: Annotated[int | None, typer.Option(help="Playouts per turn; 0 to play without search.")] = None,
    against: Annotated[str | None, typer.Option(help="Opponent in every other game with search.")] = None,
    start: Annotated[
        str | None, typer.Option(help="Net to start from: nothing, or learned for the package's net.")
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Train the champion's net by self-play, round by round. An interrupted run continues where it stopped."""
    from kibitz.games.battleline.players.train.rounds import ChampionTraining, open_folder
    from kibitz.games.battleline.players.train.rounds import learn as learn_in

    options = {
        "seed": seed, "rounds": rounds, "games": games, "keep": keep, "epochs": epochs, "rate": rate,
        "noise": None if noise is None else _numbers(noise), "playouts": playouts, "against": against, "start": start,
    }  # fmt: skip
    given: JsonObject = {name: value for name, value in options.items() if value is not None}
    wanted = ChampionTraining(**given) if given else None
    import_module("kibitz.games.battleline.players.train.fit")  # reports missing packages before the folder is made
    settings = open_folder(folder, wanted)
    show_training(
        f"kibitz battleline train {folder}",
        jobs,
        lambda executor, jobs, report: learn_in(folder, settings, executor, jobs, report),
    )


def _numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a comma-separated list. Raise BadOption if it is not one."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadOption(f"--noise {text!r} must be numbers separated by commas, such as 0,0.01.") from None
