"""kibitz uttt train: make the learned evaluation anew."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kibitz.cli.training import Folder, Jobs, Seed, show_training


def train(
    folder: Folder,
    seed: Seed = None,
    rounds: Annotated[int | None, typer.Option(help="How often the teacher is replaced by what it taught.")] = None,
    batches: Annotated[int | None, typer.Option(help="Batches of games in each round.")] = None,
    games: Annotated[int | None, typer.Option(help="Games in a batch.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Positions the teacher may look at to judge one.")] = None,
    epochs: Annotated[int | None, typer.Option(help="How often the fit sees every position.")] = None,
    teacher: Annotated[str | None, typer.Option(help="First teacher: winning, or learned to go on from ours.")] = None,
    jobs: Jobs = None,
) -> None:
    """Play games against itself and the minimax agents and fit a neural net to them; go on where it was stopped."""
    from kibitz.games.uttt.players.train.rounds import UtttTrainSettings, open_folder
    from kibitz.games.uttt.players.train.rounds import learn as learn_in

    options = {"seed": seed, "rounds": rounds, "batches": batches, "games": games, "nodes": nodes, "epochs": epochs}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if teacher is not None:
        given["teacher"] = teacher
    settings = open_folder(folder, UtttTrainSettings(**given) if given else None)
    show_training(
        f"kibitz uttt train {folder}",
        jobs,
        lambda executor, jobs, told: learn_in(folder, settings, executor, jobs, told),
    )
