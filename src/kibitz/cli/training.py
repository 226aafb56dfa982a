"""Code shared by all `train` commands: their options and the progress bar."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import Jobs as Jobs
from kibitz.core.training import ProgressCallback

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or one to resume.")]
Seed = Annotated[int | None, typer.Option(help="Seed of all random choices.")]


def show_training(command: str, jobs: int | None, work: Callable[[Executor, int, ProgressCallback], Path]) -> None:
    """Run training with a progress bar; print the path of the net, or how to resume after Ctrl-C."""
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

        def report(what: str, done: int, total: int, note: str) -> None:
            progress.update(task, description=what, completed=done, total=total, note=note)

        try:
            made = work(executor, jobs, report)
        except KeyboardInterrupt:
            progress.stop()
            console.print(f"Stopped; nothing is lost. Resume with: {command}")
            raise
    console.print(f"The net is in {made}, its settings in {made.with_suffix('.json')}.")
