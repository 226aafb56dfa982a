"""kibitz go train and games-file: models of moves learned from records, and the games in one file to take along."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.models import OptionInfo

from kibitz.cli.options import AsJson
from kibitz.cli.show import compiling_notice, progress_line
from kibitz.core.errors import BadOption
from kibitz.games.go.commands.options import StoreAt, check_there, open_with_notice

if TYPE_CHECKING:  # numpy and PyTorch are imported only when something is done
    from kibitz.games.go.predict.fit.fit import FitProgress, FitSettings
    from kibitz.games.go.predict.fit.games_file import GamesFile
    from kibitz.games.go.predict.net.fit import NetFitSettings

From = Annotated[
    list[Path] | None,
    typer.Option(
        "--from",
        metavar="PATH",
        help="A record, folder, archive, store or games file to use instead of your store; may be repeated.",
    ),
]
PANELS = {"patterns": "With --model patterns", "net": "With --model net", "windows": "With --model windows"}
"""The models that can be learned, and where the help lists the options of each."""
PATTERNS, NET, WINDOWS = PANELS.values()


def _option(
    panel: str, help: str, least: float | None = None, most: float | None = None, metavar: str | None = None
) -> OptionInfo:
    """Return an option of one model: a number in a range."""
    option: OptionInfo = typer.Option(min=least, max=most, help=help, metavar=metavar, rich_help_panel=panel)
    return option


def train(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the model goes; for a net, a folder.")],
    model: Annotated[
        str, typer.Option(help="patterns or net, which predict moves, or windows, which guide playouts.")
    ] = "patterns",
    source: From = None,
    store: StoreAt = None,
    games: Annotated[int, typer.Option(min=1, help="Learn from at most this many games.")] = 24_000,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    as_json: AsJson = False,
    share: Annotated[float, _option(PATTERNS, "The part of their positions that is used.", 0.01, 1.0)] = 0.4,
    passes: Annotated[int, _option(PATTERNS, "Number of passes over the games.", 1, 100)] = 1,
    factors: Annotated[int, _option(PATTERNS, "Factors per feature: how features work together.", 0, 63)] = 15,
    least: Annotated[int, _option(PATTERNS, "Leave out patterns played less often.", 1, 255)] = 30,
    most: Annotated[int, _option(PATTERNS, "Keep at most this many patterns.", 1, 8_000_000)] = 320_000,
    minutes: Annotated[float, _option(NET, "How long this run may take.", 0.1)] = 20.0,
    of: Annotated[
        float | None, _option(NET, "Length of the whole fit, if this run is a part of it.", 0.1, metavar="MINUTES")
    ] = None,
    blocks: Annotated[int, _option(NET, "Residual blocks of the net.", 1, 100)] = 12,
    channels: Annotated[int, _option(NET, "Channels of each block.", 1, 1024)] = 128,
    batch: Annotated[int, _option(NET, "Positions in a step.", 1)] = 2048,
    rate: Annotated[float, _option(NET, "The rate of learning at the start.")] = 0.025,
    decay: Annotated[float, _option(NET, "What weights lose at a step, times the rate.", 0)] = 0.0,
    value: Annotated[float, _option(NET, "How much it matters to predict the winner too.", 0)] = 0.05,
    steps: Annotated[int | None, _option(NET, "Stop at this step at the latest.", 1)] = None,
    cpu: Annotated[bool, typer.Option("--cpu", help="Leave a GPU alone.", rich_help_panel=NET)] = False,
    positions: Annotated[int, _option(WINDOWS, "Learn from at most this many positions.", 1, 10**8)] = 3_000_000,
) -> None:
    """Learn to predict moves from games of the store that are not held out. It can be stopped and run again."""
    if model not in PANELS:
        raise BadOption(f"There is no model {model[:40]!r}: use patterns, net or windows.")
    _refuse_options_of_others(context, model)
    if model == "net":
        from kibitz.games.go.predict.net.fit import NetFitSettings  # fails here if PyTorch is missing

        net = NetFitSettings(minutes, of, games, blocks, channels, batch, rate, decay, value, steps, cpu, seed)
        _train_net(_games(source, store), net, out, as_json)
    elif model == "windows":
        _train_windows(_games(source, store), games, positions, out, as_json)
    else:
        from kibitz.games.go.predict.fit.fit import FitSettings

        patterns = FitSettings(games, share, passes, factors, least, most, seed=seed)
        _train_patterns(_games(source, store), patterns, out, as_json)


def _refuse_options_of_others(context: typer.Context, model: str) -> None:
    """Raise BadOption for an option that another model has."""
    for option in context.command.params:
        panel = getattr(option, "rich_help_panel", None)
        given = context.get_parameter_source(option.name or "")
        if given is not None and given.name == "COMMANDLINE" and panel in PANELS.values() and panel != PANELS[model]:
            other = next(name for name, title in PANELS.items() if title == panel)
            raise BadOption(f"{option.opts[0]} is an option of --model {other}, not of --model {model}.")


def _games(source: list[Path] | None, store: Path | None) -> GamesFile:
    """Return the games to learn from. Raise BadOption if there are none."""
    from kibitz.games.go.predict.fit.games_file import from_store, read_games

    if not source:
        return from_store(open_with_notice(store).folder)
    if store is not None:
        raise BadOption("Give --from or --store, not both: --from takes a store too.")
    check_there(source)
    with compiling_notice():
        return read_games(source)


def _train_patterns(games: GamesFile, settings: FitSettings, out: Path, as_json: bool) -> None:
    """Fit the pattern model."""
    from kibitz.games.go.predict.fit.fit import fit

    with compiling_notice(), progress_line() as write:

        def tell(progress: FitProgress) -> None:
            line = f"{progress.what}: {progress.done:,} of {progress.total:,} games"
            if progress.positions:
                line += f", {progress.positions:,.0f} positions, {progress.top1:.1%} of the last ones predicted"
            write(line)

        summary = fit(games, settings, out, tell)
    message = ""
    if not summary.interrupted:
        learned = f"learned from {summary.positions:,} positions of {summary.games:,} games in {summary.seconds:.0f} s"
        message = f"{learned}; {summary.patterns:,} patterns; {_size(out)}"
    _conclude(asdict(summary), message, out, as_json)


def _train_net(games: GamesFile, settings: NetFitSettings, out: Path, as_json: bool) -> None:
    """Fit the policy net; the folder keeps what is needed to go on."""
    from kibitz.games.go.predict.net.fit import fit

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadOption(f"The net cannot be put into {out}: {error.strerror}.") from None
    with compiling_notice(), progress_line() as write:
        summary = fit(games, settings, out, write)
    for note in summary.notes:
        typer.echo(note, err=True)
    message, found = "", summary.held_out
    if found is not None:
        net = out / "net.onnx"
        message = (
            f"learned from {summary.positions:,} positions of {summary.games:,} games in {summary.steps:,} steps; "
            f"{found['top1']:.1%} of {found['n']:,} moves of games held out predicted"
            + (f"; {_size(net)}" if net.exists() else "")
        )
        if not summary.complete:
            message += (
                f"\n{summary.minutes:g} of {summary.of:g} minutes are done; the same command continues from there."
            )
    _conclude(asdict(summary), message, out, as_json)


def _train_windows(games: GamesFile, limit: int, positions: int, out: Path, as_json: bool) -> None:
    """Weigh the windows of the playouts."""
    from kibitz.games.go.players.mcts.windows_fit import weigh

    with compiling_notice(), progress_line() as write:
        summary = weigh(games, limit, positions, out, write)
    message = (
        f"learned from {summary.positions:,} positions of {summary.games:,} games in {summary.seconds:.0f} s; "
        f"{summary.answered:.1%} answered beside the last move; {summary.windows:,} windows, {summary.kept:,} with a "
        f"weight; log-evidence {summary.log_evidence:.4f}; {out}"
    )
    _conclude({**asdict(summary), "interrupted": False}, message, out, as_json)


def _size(file: Path) -> str:
    return f"{file} has {file.stat().st_size / 1e6:.1f} MB"


def _conclude(summary: dict[str, Any], message: str, out: Path, as_json: bool) -> None:
    """Print what was learned, for people or for programs; end with 130 if it was stopped."""
    if as_json:
        typer.echo(json.dumps({**summary, "out": str(out)}))
    elif message:
        typer.echo(message)
    if summary["interrupted"]:
        typer.echo("Stopped. Progress is saved: run the same command to continue.", err=True)
        raise typer.Exit(130)


def games_file(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The .npz to write.")],
    source: From = None,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Put the games of the store into one small file, to train a model where there is no store (train --from FILE)."""
    if out.suffix != ".npz":
        raise BadOption(f"A games file must end with .npz, unlike {out}.")
    games = _games(source, store)
    games.save(out)
    learn, held = games.split()
    found = {"games": len(games), "to_learn_from": len(learn), "held_out": len(held)}
    if as_json:
        typer.echo(json.dumps({**found, "out": str(out)}))
    else:
        typer.echo(f"{len(games):,} games, {len(learn):,} on 19x19 to learn from, {len(held):,} held out; {_size(out)}")
