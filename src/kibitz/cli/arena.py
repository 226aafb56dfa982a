"""kibitz arena: tournaments between agents."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kibitz.cli.cluster import At
from kibitz.cli.options import GameName, Nodes, Options, Playouts, Seconds, Seed, make_game
from kibitz.core.agent import Budget
from kibitz.core.game import Game

if TYPE_CHECKING:  # numpy is imported only when a tournament is run or reported
    from kibitz.arena.store import Store
    from kibitz.arena.tournament import Tournament

app = typer.Typer()

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a tournament.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="A new folder; arena-GAME-TIME if not given.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Games at a time; as many as there are cores if not given.")]
ClockText = Annotated[
    str | None, typer.Option("--clock", metavar="S+I", help="Seconds for a whole game, and some more after each turn.")
]
Openings = Annotated[
    str | None, typer.Option(metavar="N|FILE", help="N random balanced positions to start from, or a file of them.")
]
Adjudicate = Annotated[bool, typer.Option("--adjudicate", help="End a game once both agents hold it for decided.")]


@app.callback()
def root() -> None:
    """Tournaments one can trust, interrupt and read."""


@app.command()
def run(
    game: GameName,
    agents: Annotated[list[str], typer.Argument(metavar="AGENT AGENT ...")],
    format: Annotated[
        Literal["round-robin", "gauntlet", "match"],
        typer.Option(help="All against all, or the first against the rest."),
    ] = "round-robin",
    games: Annotated[int, typer.Option(help="Games for each two agents that meet.")] = 2,
    options: Options = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    playouts: Playouts = None,
    clock: ClockText = None,
    openings: Openings = None,
    ties: Annotated[Literal["keep", "replay"], typer.Option(help="Whether a tie counts or is played again.")] = "keep",
    adjudicate: Adjudicate = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: At = None,
    out: Out = None,
) -> None:
    """Play a tournament."""
    from kibitz.arena.tournament import Clock, Terms, Tournament

    made = make_game(game, options)
    terms = Terms(
        budget=Budget(seconds, nodes, playouts),
        clock=None if clock is None else Clock.parse(clock),
        ties=ties,
        adjudicate=adjudicate,
    )
    starts = _openings(made, openings, seed)
    start(Tournament(game, tuple(agents), made.options, format, games, seed, starts, terms), out, jobs, cluster)


@app.command()
def preset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A tournament with a name.")],
    jobs: Jobs = None,
    cluster: At = None,
    out: Out = None,
) -> None:
    """Play a tournament that has a name."""
    from kibitz.arena.presets import preset as find

    start(find(name), out, jobs, cluster)


@app.command()
def resume(folder: Folder, jobs: Jobs = None, cluster: At = None) -> None:
    """Go on with a tournament that was stopped or killed."""
    from kibitz.arena.store import Store

    _go_on(Store(folder), jobs, cluster)


@app.command()
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of tournaments of one game.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to write the report; the first folder if not given.")
    ] = None,
) -> None:
    """Show the results so far and write report.html, results.json and results.csv."""
    _report(folders, out or folders[0])


@app.command()
def sprt(
    game: GameName,
    agent: Annotated[str, typer.Argument(metavar="A")],
    other: Annotated[str, typer.Argument(metavar="B")],
    elo0: Annotated[float, typer.Option(help="H0: A is not stronger than B by more than this.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="H1: A is stronger than B by this much.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="How often H1 may be accepted wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often H0 may be accepted wrongly.")] = 0.05,
    games: Annotated[int, typer.Option(help="Stop undecided after so many games.")] = 20_000,
    options: Options = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    playouts: Playouts = None,
    openings: Openings = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: At = None,
    out: Out = None,
) -> None:
    """Test whether A is stronger than B, with as few games as that takes.

    Without --openings from 100 random balanced positions, or where cards are dealt each deal twice, seats swapped.
    """
    from kibitz.arena.sprt import Sprt
    from kibitz.arena.tournament import Terms, Tournament, is_dealt

    test = Sprt(elo0, elo1, alpha, beta)
    made = make_game(game, options)
    terms = Terms(budget=Budget(seconds, nodes, playouts))
    starts = _openings(made, openings or (None if is_dealt(made) else "100"), seed)
    start(Tournament(game, (agent, other), made.options, "match", games, seed, starts, terms, test), out, jobs, cluster)


def _openings(game: Game, text: str | None, seed: int) -> tuple[str, ...]:
    """Return what --openings asks for: none, N random positions, or those of a file."""
    if text is None:
        return ()
    from kibitz.arena.openings import random_openings, read_openings

    if not text.isdecimal():
        return read_openings(game, Path(text))
    if int(text) == 0:
        return ()
    typer.echo(f"choosing {text} balanced openings ...", err=True)
    return random_openings(game, int(text), seed)


def start(tournament: Tournament, out: Path | None, jobs: int | None, cluster: str | None = None) -> None:
    """Begin a new tournament, play it and report."""
    from kibitz.arena.cluster import workers
    from kibitz.arena.runner import check_agents
    from kibitz.arena.store import Store

    check_agents(tournament)
    if cluster is not None:  # whoever cannot be reached is told before a folder is made
        with workers(jobs, cluster):
            pass
    folder = out or Path(time.strftime(f"arena-{tournament.game}-%Y%m%d-%H%M%S"))
    _go_on(Store.create(folder, tournament), jobs, cluster)


def _go_on(store: Store, jobs: int | None, cluster: str | None) -> None:
    """Play what is not played yet, with live standings; then report."""
    from kibitz.arena.cluster import workers
    from kibitz.arena.runner import run
    from kibitz.cli.standings import live

    try:
        with live(store) as progress, workers(jobs, cluster) as (executor, number):
            run(store, executor, number, progress)
    except KeyboardInterrupt:
        played, planned = len(store.games().records), len(store.tournament().pairings())
        typer.echo(f"Stopped after {played} of {planned} games; kibitz arena resume {store.folder} goes on.", err=True)
        raise typer.Exit(130) from None
    _report([store.folder], store.folder)


def _report(folders: list[Path], out: Path) -> None:
    """Print the standings and write the files of the report."""
    from kibitz.arena.report.figures import read_report, write_report
    from kibitz.cli.standings import show_standings, show_test

    found = read_report(folders)
    show_standings(found.results)
    for section, figures in found.sections:
        if figures is not None:
            section.show(figures)
    for folder in folders:
        show_test(folder)
    if not found.complete:
        typer.echo(f"Not complete: {len(found.records)} of {found.planned} games have been played.")
    if found.torn:
        typer.echo(f"Lines that were cut off by a kill or a full disk, and are not counted: {found.torn}.")
    paths = write_report(found, out, ", ".join(folder.name for folder in folders))
    typer.echo(f"Written: {', '.join(str(path) for path in paths)}")
