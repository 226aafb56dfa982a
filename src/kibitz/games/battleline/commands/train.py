"""kibitz battleline train: make the champion's net anew."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from kibitz.cli.training import Folder, Jobs, Seed, show_training
from kibitz.core.errors import BadOption


def train(
    folder: Folder,
    seed: Seed = None,
    rounds: Annotated[int | None, typer.Option(help="How often a new net is fitted.")] = None,
    games: Annotated[int | None, typer.Option(help="Games of a round, half of them without Tactics.")] = None,
    keep: Annotated[int | None, typer.Option(help="To how many rounds' games a net is fitted.")] = None,
    epochs: Annotated[float | None, typer.Option(help="How often the fit sees every position.")] = None,
    rate: Annotated[float | None, typer.Option(help="The highest step of the fit.")] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="A,B...", help="What is added to the chances of moves by lot, one of these for each game."
        ),
    ] = None,
    playouts: Annotated[int | None, typer.Option(help="Playouts of a search for a turn; 0 for none.")] = None,
    against: Annotated[
        str | None, typer.Option(help="An agent to play every other game with a search against.")
    ] = None,
    start: Annotated[str | None, typer.Option(help="What to go on from: nothing, or learned, our net.")] = None,
    jobs: Jobs = None,
) -> None:
    """Let a net play against itself and fit a new one to the games, round by round; go on where it was stopped."""
    from kibitz.games.battleline.players.train.rounds import Settings, open_folder
    from kibitz.games.battleline.players.train.rounds import learn as learn_in

    options: dict[str, Any] = {"seed": seed, "rounds": rounds, "games": games, "keep": keep, "epochs": epochs}
    options |= {"rate": rate, "playouts": playouts, "against": against, "start": start}
    given = {name: value for name, value in options.items() if value is not None}
    if noise is not None:
        given["noise"] = _numbers(noise)
    wanted = Settings(**given) if given else None
    import_module("kibitz.games.battleline.players.train.fit")  # says what is missing before a folder is made
    settings = open_folder(folder, wanted)
    show_training(
        f"kibitz battleline train {folder}",
        jobs,
        lambda executor, jobs, told: learn_in(folder, settings, executor, jobs, told),
    )


def _numbers(text: str) -> tuple[float, ...]:
    """Return numbers with commas between them. Raise BadOption."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadOption(f"--noise {text!r} must be numbers with commas between them, as 0,0.01.") from None
