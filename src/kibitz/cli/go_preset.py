"""kibitz go preset: studies that others made, done again."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from kibitz.cli.go_options import StoreAt, open_told
from kibitz.cli.options import AsJson
from kibitz.core.errors import BadOption

PRESETS = ("singh-2013",)


def preset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="singh-2013.")],
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Do the steps of a study again, as it did them and as they should be, with the numbers side by side."""
    from kibitz.cli.show import say_wrapped, told_of_compiling
    from kibitz.patterns.mine.singh import replay_report

    if name not in PRESETS:
        raise BadOption(f"{name[:40]!r} is no preset; there is {', '.join(PRESETS)}.")
    opened = open_told(store)
    with told_of_compiling():
        found = replay_report(opened)
    if as_json:
        typer.echo(json.dumps(found.json()))
        return
    typer.echo(f"Singh 2013 on {found.games:,} games of 19 lines, {found.seconds:.1f} s")
    typer.echo(f"{'':<42}{'as reported':>14}{'right':>14}")
    for step in found.steps:
        typer.echo(f"{step.name:<42}{step.reported:>14,}{step.right:>14,}")
        say_wrapped(step.note, "    ")
    typer.echo("What was wrong:")
    for defect in found.defects:
        say_wrapped(defect, "- ")
