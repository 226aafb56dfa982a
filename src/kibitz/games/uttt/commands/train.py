"""kibitz uttt train: train the learned evaluation."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kibitz.cli.training import Folder, Jobs, Seed, show_training


def train(
    folder: Folder,
    seed: Seed = None,
    rounds: Annotated[int | None, typer.Option(help="Rounds; the net of each round teaches the next.")] = None,
    batches: Annotated[int | None, typer.Option(help="Batches of games per round.")] = None,
    games: Annotated[int | None, typer.Option(help="Games per batch.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Nodes the teacher searches per position.")] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over all positions in a fit.")] = None,
    teacher: Annotated[
        str | None, typer.Option(help="First teacher: winning, or learned to start from the shipped net.")
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Train a net on games against itself and the minimax agents; resume an interrupted run."""
    from kibitz.games.uttt.players.train.rounds import UtttTrainSettings, open_folder, train_net

    options = {"seed": seed, "rounds": rounds, "batches": batches, "games": games, "nodes": nodes, "epochs": epochs}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if teacher is not None:
        given["teacher"] = teacher
    settings = open_folder(folder, UtttTrainSettings(**given) if given else None)
    show_training(
        f"kibitz uttt train {folder}",
        jobs,
        lambda executor, jobs, report: train_net(folder, settings, executor, jobs, report),
    )
