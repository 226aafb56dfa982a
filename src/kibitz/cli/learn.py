"""kibitz uttt learn: make the learned evaluation anew. And what every `learn` shows while it is at work."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Annotated, Any

import typer

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or one to go on with.")]
Seed = Annotated[int | None, typer.Option(help="Decides everything that is random.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Games at a time; as many as there are cores.")]
Told = Callable[[str, int, int, str], None]
"""Called with what is being done, how much of it is done, of how much, and a word on how it goes."""


def learn(
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
    from kibitz.games.uttt.learning.rounds import Settings, open_folder
    from kibitz.games.uttt.learning.rounds import learn as learn_in

    options = {"seed": seed, "rounds": rounds, "batches": batches, "games": games, "nodes": nodes, "epochs": epochs}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if teacher is not None:
        given["teacher"] = teacher
    settings = open_folder(folder, Settings(**given) if given else None)
    show_learning(
        f"kibitz uttt learn {folder}",
        jobs,
        lambda executor, jobs, told: learn_in(folder, settings, executor, jobs, told),
    )


def show_learning(command: str, jobs: int | None, work: Callable[[Executor, int, Told], Path]) -> None:
    """Show how learning goes, then where the net is; if it is stopped, the command to go on with."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from kibitz.arena.runner import local_executor
    from kibitz.cli.show import console

    jobs = jobs or os.cpu_count() or 1
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        Progress(*columns, TextColumn("{task.fields[note]}"), console=console) as progress,
        local_executor(jobs) as executor,
    ):
        task = progress.add_task("", note="")

        def told(what: str, done: int, total: int, note: str) -> None:
            progress.update(task, description=what, completed=done, total=total, note=note)

        try:
            made = work(executor, jobs, told)
        except KeyboardInterrupt:
            progress.stop()
            console.print(f"Stopped; nothing is lost. Go on with: {command}")
            raise
    console.print(f"{made} holds the net, {made.with_suffix('.json')} how it was made.")
