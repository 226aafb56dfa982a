"""kibitz arena: tournaments between agents."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kibitz.cli.cluster import At
from kibitz.cli.options import GameName, Nodes, Options, Playouts, Seconds, Seed, make_game
from kibitz.cli.options import Jobs as Jobs
from kibitz.core.agent import Budget
from kibitz.core.game import Game

if TYPE_CHECKING:  # numpy is imported only when a tournament is run or reported
    from kibitz.arena.store import TournamentFolder
    from kibitz.arena.tournament import Tournament

app = typer.Typer()

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a tournament.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="New folder; arena-GAME-TIME by default.")]
ClockText = Annotated[
    str | None, typer.Option("--clock", metavar="S+I", help="Time control: seconds per game plus increment per turn.")
]
Openings = Annotated[
    str | None, typer.Option(metavar="N|FILE", help="Start from N random balanced positions, or from those in a file.")
]
Adjudicate = Annotated[bool, typer.Option("--adjudicate", help="End a game once both agents agree on the result.")]


@app.callback()
def root() -> None:
    """Run tournaments, resume them and read their reports."""


@app.command()
def run(
    game: GameName,
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT AGENT ...", help="The players; kibitz agents GAME lists them.")
    ],
    format: Annotated[
        Literal["round-robin", "gauntlet", "match"],
        typer.Option(help="Everyone against everyone, the first agent against the rest, or a match of two."),
    ] = "round-robin",
    games: Annotated[int, typer.Option(help="Games per pair of agents (colours swapped).")] = 2,
    options: Options = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    playouts: Playouts = None,
    clock: ClockText = None,
    openings: Openings = None,
    ties: Annotated[Literal["keep", "replay"], typer.Option(help="Keep drawn games, or replay them.")] = "keep",
    adjudicate: Adjudicate = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: At = None,
    out: Out = None,
) -> None:
    """Play a tournament."""
    from kibitz.arena.tournament import Terms, TimeControl, Tournament

    made = make_game(game, options)
    terms = Terms(
        budget=Budget(seconds, nodes, playouts),
        clock=None if clock is None else TimeControl.parse(clock),
        ties=ties,
        adjudicate=adjudicate,
    )
    starts = _openings(made, openings, seed)
    start(Tournament(game, tuple(agents), made.options, format, games, seed, starts, terms), out, jobs, cluster)


@app.command()
def preset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a preset; a wrong name lists them all.")],
    jobs: Jobs = None,
    cluster: At = None,
    out: Out = None,
) -> None:
    """Play a preset tournament, such as the study of a paper."""
    from kibitz.arena.tournament import preset as find

    start(find(name), out, jobs, cluster)


@app.command()
def resume(folder: Folder, jobs: Jobs = None, cluster: At = None) -> None:
    """Resume a tournament that was stopped or killed."""
    from kibitz.arena.store import TournamentFolder

    _play_missing(TournamentFolder(folder), jobs, cluster)


@app.command()
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of tournaments of the same game.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the report; default: the first DIR.")
    ] = None,
) -> None:
    """Show the results so far and write report.html, results.json and results.csv."""
    _report(folders, out or folders[0])


@app.command()
def sprt(
    game: GameName,
    agent: Annotated[str, typer.Argument(metavar="A", help="The agent under test.")],
    other: Annotated[str, typer.Argument(metavar="B", help="Its opponent.")],
    elo0: Annotated[float, typer.Option(help="H0: A is stronger than B by at most this many Elo points.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="H1: A is stronger than B by this many Elo points.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="Probability of wrongly accepting H1.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of wrongly accepting H0.")] = 0.05,
    games: Annotated[int, typer.Option(help="Stop undecided after this many games.")] = 20_000,
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
    """Test whether A is stronger than B, in as few games as that takes.

    Games start from 100 random balanced positions unless --openings names others. Where cards are dealt, every deal
    is played twice with the seats swapped.
    """
    from kibitz.arena.sprt import Sprt
    from kibitz.arena.tournament import Terms, Tournament, is_dealt

    test = Sprt(elo0, elo1, alpha, beta)
    made = make_game(game, options)
    terms = Terms(budget=Budget(seconds, nodes, playouts))
    starts = _openings(made, openings or (None if is_dealt(made) else "100"), seed)
    start(Tournament(game, (agent, other), made.options, "match", games, seed, starts, terms, test), out, jobs, cluster)


def _openings(game: Game, text: str | None, seed: int) -> tuple[str, ...]:
    """Return the openings that --openings asks for: none, N random positions, or those in a file."""
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
    """Create a tournament in a new folder, play it, and report the results."""
    from kibitz.arena.cluster import workers
    from kibitz.arena.runner import check_agents
    from kibitz.arena.store import TournamentFolder

    check_agents(tournament)
    if cluster is not None:  # fail before the folder is made if the cluster cannot be reached
        with workers(jobs, cluster):
            pass
    folder = out or Path(time.strftime(f"arena-{tournament.game}-%Y%m%d-%H%M%S"))
    _play_missing(TournamentFolder.create(folder, tournament), jobs, cluster)


def _play_missing(store: TournamentFolder, jobs: int | None, cluster: str | None) -> None:
    """Play the missing games while showing live standings, then report the results."""
    from kibitz.arena.cluster import workers
    from kibitz.arena.runner import run
    from kibitz.cli.show import console
    from kibitz.cli.standings import live

    try:
        with workers(jobs, cluster, quiet=console.is_terminal) as (executor, number), live(store, executor) as progress:
            run(store, executor, number, progress)
    except KeyboardInterrupt:
        played, planned = len(store.games().records), len(store.tournament().pairings())
        typer.echo(
            f"Stopped after {played} of {planned} games. Continue with: kibitz arena resume {store.folder}", err=True
        )
        raise typer.Exit(130) from None
    _report([store.folder], store.folder)


def _report(folders: list[Path], out: Path) -> None:
    """Print the standings and write the report files to `out`."""
    from kibitz.arena.report.figures import read_report, write_report
    from kibitz.cli.show import console
    from kibitz.cli.standings import show_test, standings_table

    found = read_report(folders)
    console.print(standings_table(found.results))
    for section, figures in found.sections:
        if figures is not None:
            section.show(figures)
    for folder in folders:
        show_test(folder)
    if not found.complete:
        typer.echo(f"Incomplete: {len(found.records)} of {found.planned} games have been played.")
    if found.truncated:
        typer.echo(f"Ignored incomplete lines, cut off by a kill or a full disk: {found.truncated}.")
    paths = write_report(found, out, ", ".join(folder.name for folder in folders))
    typer.echo(f"Written: {', '.join(str(path) for path in paths)}")
