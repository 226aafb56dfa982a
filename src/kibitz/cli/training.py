"""What every `train` has on the command line: its options, and what it shows while it is at work."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Annotated

import typer

from kibitz.core.training import ProgressCallback

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or one to go on with.")]
Seed = Annotated[int | None, typer.Option(help="Decides everything that is random.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Games at a time; as many as there are cores.")]


def show_training(command: str, jobs: int | None, work: Callable[[Executor, int, ProgressCallback], Path]) -> None:
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
