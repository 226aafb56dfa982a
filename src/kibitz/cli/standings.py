"""Tournament standings on a terminal, final and live."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from kibitz.analysis.html.charts import shorten
from kibitz.arena.results import Results, compute
from kibitz.arena.runner import WorkerPool, count_pairs
from kibitz.arena.store import TournamentFolder
from kibitz.cli.show import console, new_table
from kibitz.core.record import GameRecord
from kibitz.core.untrusted import printable

_MIN_REFRESH_SECONDS = 1.0
"""Minimum time between two updates of the live standings; the pause is also at least ten times the last update."""


def standings_table(results: Results) -> Table:
    """Return a table of the standings: ratings, win rates with intervals, times and forfeits."""
    table = new_table()
    sides = console.width >= 100
    room = max(console.width - (86 if sides else 64), 14)  # columns that the figures leave free
    table.add_column("agent", no_wrap=True)
    for heading in ("Elo", "games", "rate", "95 %", *(("as first", "as second") if sides else ()), "ms/turn", "p99"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("faults", justify="right")
    for s in results.standings:
        low, high = s.total.interval
        table.add_row(
            Text(shorten(printable(s.agent), room), "bold"),
            f"{s.rating.text} ±{s.rating.margin:.0f}",
            str(s.total.games),
            f"{s.total.share:.1%}",
            Text(f"{low:.0%}-{high:.0%}", "dim"),
            *((f"{s.as_first.share:.0%}", f"{s.as_second.share:.0%}") if sides else ()),
            f"{s.mean_ms:.3g}",
            f"{s.p99_ms:.3g}",
            Text(str(s.forfeits), "red" if s.forfeits else "dim"),
        )
    return table


def show_test(folder: Path) -> None:
    """Print the state of a tournament's sequential test, if it has one."""
    store = TournamentFolder(folder)
    tournament = store.tournament()
    count = count_pairs(tournament, store.games().records.values())
    if count is None or tournament.sprt is None:
        return
    test, (lower, upper) = tournament.sprt, tournament.sprt.bounds
    agent, other = tournament.agents
    typer.echo(f"{sum(count.pairs)} pairs of games: {count.pairs} with 0, 1/2, 1, 3/2 and 2 points for {agent}")
    typer.echo(f"log likelihood ratio {test.log_ratio(count.pairs):+.2f}; H0 at {lower:.2f}, H1 at {upper:+.2f}")
    verdicts = {
        "H0": f"H0 accepted: {agent} is not stronger than {other} by more than {test.elo0:g} Elo.",
        "H1": f"H1 accepted: {agent} is stronger than {other} by about {test.elo1:g} Elo.",
        None: "Undecided so far.",
    }
    typer.echo(verdicts[count.verdict])


@contextmanager
def live(store: TournamentFolder, executor: Executor) -> Iterator[Callable[[GameRecord], None]]:
    """Show a progress bar and the standings while a tournament runs; yield the function to call with each game.

    The bar says when a worker of the executor is compiling a search.
    """
    tournament = store.tournament()
    records = list(store.games().records.values())
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), console=console,
    )  # fmt: skip
    task = bar.add_task(tournament.game, total=len(tournament.pairings()), completed=len(records), rate="")
    began, before, due = time.monotonic(), len(records), 0.0
    standings: list[Table] = []

    def render() -> Group:
        is_compiling = isinstance(executor, WorkerPool) and executor.is_compiling()
        bar.update(task, description=f"{tournament.game}, compiling a search" if is_compiling else tournament.game)
        return Group(bar, *standings)

    view = Live(get_renderable=render, console=console, refresh_per_second=4, transient=True)

    def add(record: GameRecord) -> None:
        nonlocal due
        records.append(record)
        now = time.monotonic()
        rate = (len(records) - before) / max(now - began, 1e-9)
        bar.update(task, completed=len(records), rate=f"{rate:.3g} games/s")
        if now >= due and console.is_terminal:
            standings[:] = [standings_table(compute(records, tournament.agents))]
            due = time.monotonic() + max(_MIN_REFRESH_SECONDS, 10 * (time.monotonic() - now))

    with view:
        yield add
