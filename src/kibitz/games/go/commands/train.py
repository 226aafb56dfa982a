"""kibitz go train and games-file: train move prediction models on records, and pack games into one portable file."""

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
from kibitz.games.go.commands.options import StoreAt, check_paths_exist, open_with_notice

if TYPE_CHECKING:  # numpy and PyTorch are imported only when needed
    from kibitz.games.go.predict.fit.fit import FitProgress, FitSettings
    from kibitz.games.go.predict.fit.games_file import GamesFile
    from kibitz.games.go.predict.net.fit import NetFitSettings

From = Annotated[
    list[Path] | None,
    typer.Option(
        "--from",
        metavar="PATH",
        help="Records, folders and archives, a store, or a games file, instead of your store; repeat for more.",
    ),
]
PANELS = {"patterns": "With --model patterns", "net": "With --model net", "windows": "With --model windows"}
"""Model -> title of the help panel with its options."""
PATTERNS, NET, WINDOWS = PANELS.values()


def _option(
    panel: str, help: str, minimum: float | None = None, maximum: float | None = None, metavar: str | None = None
) -> OptionInfo:
    """Return a numeric option, listed in the help panel of one model."""
    option: OptionInfo = typer.Option(min=minimum, max=maximum, help=help, metavar=metavar, rich_help_panel=panel)
    return option


def train(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write the model; for a net, a folder.")],
    model: Annotated[
        str, typer.Option(help="patterns or net to predict moves, or windows to guide playouts.")
    ] = "patterns",
    source: From = None,
    store: StoreAt = None,
    games: Annotated[int, typer.Option(min=1, help="Learn from at most this many games.")] = 24_000,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    as_json: AsJson = False,
    share: Annotated[float, _option(PATTERNS, "Share of the games' positions to learn from.", 0.01, 1.0)] = 0.4,
    passes: Annotated[int, _option(PATTERNS, "Number of passes over the games.", 1, 100)] = 1,
    factors: Annotated[int, _option(PATTERNS, "Factors per feature, for interactions between features.", 0, 63)] = 15,
    least: Annotated[int, _option(PATTERNS, "Only patterns played at least this often.", 1, 255)] = 30,
    most: Annotated[int, _option(PATTERNS, "Keep at most this many patterns.", 1, 8_000_000)] = 320_000,
    minutes: Annotated[float, _option(NET, "Time limit for this run, in minutes.", 0.1)] = 20.0,
    of: Annotated[
        float | None, _option(NET, "Length of the whole fit, if this run is only part of it.", 0.1, metavar="MINUTES")
    ] = None,
    blocks: Annotated[int, _option(NET, "Residual blocks of the net.", 1, 100)] = 12,
    channels: Annotated[int, _option(NET, "Channels of each block.", 1, 1024)] = 128,
    batch: Annotated[int, _option(NET, "Positions per step.", 1)] = 2048,
    rate: Annotated[float, _option(NET, "Initial learning rate.")] = 0.025,
    decay: Annotated[float, _option(NET, "Weight decay.", 0)] = 0.0,
    value: Annotated[float, _option(NET, "Weight of predicting the winner in the loss.", 0)] = 0.05,
    steps: Annotated[int | None, _option(NET, "Stop no later than this step.", 1)] = None,
    cpu: Annotated[bool, typer.Option("--cpu", help="Do not use a GPU.", rich_help_panel=NET)] = False,
    positions: Annotated[int, _option(WINDOWS, "Learn from at most this many positions.", 1, 10**8)] = 3_000_000,
) -> None:
    """Learn to predict moves from the games of the store, except held-out ones. You can stop it and run it again."""
    if model not in PANELS:
        raise BadOption(f"Unknown model {model[:40]!r}: use patterns, net or windows.")
    _refuse_options_of_other_models(context, model)
    if model == "net":
        from kibitz.games.go.predict.net.fit import NetFitSettings  # fails here if PyTorch is missing

        net = NetFitSettings(minutes, of, games, blocks, channels, batch, rate, decay, value, steps, cpu, seed)
        _train_net(_load_games(source, store), net, out, as_json)
    elif model == "windows":
        _train_windows(_load_games(source, store), games, positions, out, as_json)
    else:
        from kibitz.games.go.predict.fit.fit import FitSettings

        patterns = FitSettings(games, share, passes, factors, least, most, seed=seed)
        _train_patterns(_load_games(source, store), patterns, out, as_json)


def _refuse_options_of_other_models(context: typer.Context, model: str) -> None:
    """Raise BadOption if an option was given that belongs to another model than `model`."""
    for option in context.command.params:
        panel = getattr(option, "rich_help_panel", None)
        given = context.get_parameter_source(option.name or "")
        if given is not None and given.name == "COMMANDLINE" and panel in PANELS.values() and panel != PANELS[model]:
            other = next(name for name, title in PANELS.items() if title == panel)
            raise BadOption(f"{option.opts[0]} is an option of --model {other}, not of --model {model}.")


def _load_games(source: list[Path] | None, store: Path | None) -> GamesFile:
    """Load the games to learn from. Raise BadOption if both sources are given, or a path does not exist."""
    from kibitz.games.go.predict.fit.games_file import from_store, read_games

    if not source:
        return from_store(open_with_notice(store).folder)
    if store is not None:
        raise BadOption("Use --from or --store, not both: --from also accepts a store.")
    check_paths_exist(source)
    with compiling_notice():
        return read_games(source)


def _train_patterns(games: GamesFile, settings: FitSettings, out: Path, as_json: bool) -> None:
    """Train the pattern model and print a summary."""
    from kibitz.games.go.predict.fit.fit import fit

    with compiling_notice(), progress_line() as write:

        def report(progress: FitProgress) -> None:
            line = f"{progress.what}: {progress.done:,} of {progress.total:,} games"
            if progress.positions:
                line += f", {progress.positions:,.0f} positions, {progress.top1:.1%} of the latest ones predicted"
            write(line)

        summary = fit(games, settings, out, report)
    message = ""
    if not summary.interrupted:
        learned = f"learned from {summary.positions:,} positions of {summary.games:,} games in {summary.seconds:.0f} s"
        message = f"{learned}; {summary.patterns:,} patterns; {_with_size(out)}"
    _print_summary(asdict(summary), message, out, as_json)


def _train_net(games: GamesFile, settings: NetFitSettings, out: Path, as_json: bool) -> None:
    """Train the policy net and print a summary. The output folder keeps what is needed to resume."""
    from kibitz.games.go.predict.net.fit import fit

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadOption(f"Cannot write the net to {out}: {error.strerror}.") from None
    with compiling_notice(), progress_line() as write:
        summary = fit(games, settings, out, write)
    for note in summary.notes:
        typer.echo(note, err=True)
    message, figures = "", summary.held_out
    if figures is not None:
        net = out / "net.onnx"
        message = (
            f"learned from {summary.positions:,} positions of {summary.games:,} games in {summary.steps:,} steps; "
            f"{figures['top1']:.1%} of {figures['n']:,} moves of held-out games predicted"
            + (f"; {_with_size(net)}" if net.exists() else "")
        )
        if not summary.complete:
            done = f"{summary.minutes:g} of {summary.whole_minutes:g} minutes done"
            message += f"\n{done}; run the same command to continue."
    printed = {"of" if name == "whole_minutes" else name: value for name, value in asdict(summary).items()}
    _print_summary(printed, message, out, as_json)


def _train_windows(games: GamesFile, limit: int, positions: int, out: Path, as_json: bool) -> None:
    """Fit the weights of the windows that guide playouts, and print a summary."""
    from kibitz.games.go.players.mcts.windows_fit import fit_windows

    with compiling_notice(), progress_line() as write:
        summary = fit_windows(games, limit, positions, out, write)
    message = (
        f"learned from {summary.positions:,} positions of {summary.games:,} games in {summary.seconds:.0f} s; "
        f"{summary.answered:.1%} answered next to the last move; {summary.windows:,} windows, {summary.kept:,} with a "
        f"weight; log-evidence {summary.log_evidence:.4f}; {out}"
    )
    _print_summary({**asdict(summary), "interrupted": False}, message, out, as_json)


def _with_size(file: Path) -> str:
    return f"{file} ({file.stat().st_size / 1e6:.1f} MB)"


def _print_summary(summary: dict[str, Any], message: str, out: Path, as_json: bool) -> None:
    """Print the summary, as text or JSON; exit with status 130 if training was interrupted."""
    if as_json:
        typer.echo(json.dumps({**summary, "out": str(out)}))
    elif message:
        typer.echo(message)
    if summary["interrupted"]:
        typer.echo("Stopped. Progress is saved; run the same command to continue.", err=True)
        raise typer.Exit(130)


def games_file(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The .npz file to write.")],
    source: From = None,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Export the games of the store to one small file, to train on a machine without the store (train --from FILE)."""
    if out.suffix != ".npz":
        raise BadOption(f"The name of a games file must end with .npz, got {out}.")
    games = _load_games(source, store)
    games.save(out)
    training, held_out = games.split()
    counts = {"games": len(games), "to_learn_from": len(training), "held_out": len(held_out)}
    if as_json:
        typer.echo(json.dumps({**counts, "out": str(out)}))
    else:
        parts = f"{len(training):,} on 19x19 to learn from, {len(held_out):,} held out"
        typer.echo(f"{len(games):,} games, {parts}; {_with_size(out)}")
