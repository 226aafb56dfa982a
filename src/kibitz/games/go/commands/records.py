"""kibitz go: the commands on a store of records, and agents as GTP engines; registers the commands of other modules."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import AsJson, make_game
from kibitz.cli.show import compiling_notice, progress_line
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import printable
from kibitz.games.go.commands.mine import clusters, match, mine, patterns, preset, templates
from kibitz.games.go.commands.openings import fuseki, joseki, similar
from kibitz.games.go.commands.options import StoreAt, check_paths_exist, open_with_notice, report_games, with_filters
from kibitz.games.go.commands.predict import evaluate, predict
from kibitz.games.go.commands.train import games_file, train

if TYPE_CHECKING:  # numpy and DuckDB are imported only when a command runs
    from kibitz.games.go.records.filters import Filters
    from kibitz.games.go.records.importing import ImportSummary
    from kibitz.games.go.records.search.search import Query, Searcher
    from kibitz.games.go.records.store import GameStore

app = typer.Typer(no_args_is_help=True)
OutSgf = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the games to this SGF file instead.")]


@app.command(name="import")
def import_files(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, folders and archives of records.")],
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Add records (SGF, GIB, NGF, UGF) to the store. Duplicates are skipped, so you can stop it and run it again."""
    from kibitz.games.go.records.importing import import_records
    from kibitz.games.go.records.masters import MASTERS
    from kibitz.games.go.records.store import default_folder

    check_paths_exist(paths)
    if store == MASTERS and not store.exists():
        raise BadOption(f"Cannot add to {MASTERS}, the games that ship with kibitz: name another folder with --store.")
    folder = store or default_folder()
    with progress_line() as write:

        def report(summary: ImportSummary, name: str) -> None:
            write(f"{summary.imported:,} games, {summary.duplicates:,} duplicates ... {Path(name).name}")

        summary = import_records(paths, folder, report)
    if as_json:
        counts = ("imported", "duplicates", "skipped", "illegal", "interrupted")
        answer = {
            **{name: getattr(summary, name) for name in counts},
            "reasons": dict(summary.reasons.most_common()),
            "reports": [report._asdict() for report in summary.reports],
            "store": str(folder),
            "seconds": round(summary.seconds, 3),
        }
        typer.echo(json.dumps(answer, ensure_ascii=False))
    else:
        _show_summary(summary, folder)
    if summary.interrupted:
        raise typer.Exit(130)


MAX_SHOWN_REASONS, MAX_NAMES_PER_REASON = 20, 3
"""Maximum number of reasons for skipped files to print, and of file names per reason."""


def _show_summary(summary: ImportSummary, folder: Path) -> None:
    """Print how many games were imported, and which files were skipped and why."""
    typer.echo(
        f"imported {summary.imported:,}, duplicates {summary.duplicates:,}, skipped {summary.skipped:,}, "
        f"with an illegal move {summary.illegal:,}; {summary.seconds:.1f} s; the store is in {folder}"
    )
    seen = Counter[str]()
    for report in summary.reports:
        seen[report.reason] += 1
        if seen[report.reason] <= MAX_NAMES_PER_REASON and len(seen) <= MAX_SHOWN_REASONS:
            typer.echo(f"  {printable(report.name)}: {printable(report.reason)}")
    for reason, number in summary.reasons.most_common():
        if number > MAX_NAMES_PER_REASON and reason in list(seen)[:MAX_SHOWN_REASONS]:
            typer.echo(f"  {number - MAX_NAMES_PER_REASON:,} more like these: {printable(reason)}")
    more = len(seen) - MAX_SHOWN_REASONS
    if more > 0:
        typer.echo(f"  ... and {more:,} more reasons; --json lists all.")
    if summary.interrupted:
        typer.echo("Stopped. The games read so far are kept; run the same command to continue.")


@app.command()
@with_filters()
def search(
    *,
    rows: Annotated[list[str] | None, typer.Argument(metavar="[ROW...]", help="The rows of a pattern.")] = None,
    pattern: Annotated[
        Path | None, typer.Option("--pattern", metavar="FILE", help="A pattern in JSON: anchor and rows.")
    ] = None,
    anchor: Annotated[str, typer.Option(help="anywhere, corner, side, centre or full.")] = "anywhere",
    fixed: Annotated[bool, typer.Option("--fixed", help="X is Black; by default it may be either colour.")] = False,
    next_move: Annotated[str, typer.Option("--next", metavar="X|O", help="The side that moves next inside it.")] = "",
    moves: Annotated[str, typer.Option(metavar="A-B", help="Only positions after moves A to B.")] = "",
    filters: Filters,
    limit: Annotated[int, typer.Option(min=0, help="List at most this many occurrences.")] = 10,
    out: OutSgf = None,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Find a pattern: . empty, X and O stones, x or o that colour or empty, * anything, 1 2 3 moves in this order."""
    import numpy as np

    from kibitz.games.go.records.search.pattern import parse, read_pattern
    from kibitz.games.go.records.search.search import LAST_MOVE, Query, Searcher

    if (pattern is None) == (not rows):
        raise BadOption("Give the rows of a pattern, or a pattern file with --pattern.")
    wanted = read_pattern(pattern) if pattern is not None else parse(rows or [], anchor)
    low, high = _parse_move_range(moves, LAST_MOVE)
    query = Query(wanted, fixed, next_move, low, high, filters)
    opened = open_with_notice(store)
    with compiling_notice():
        searcher = Searcher(opened)
    if out is not None:
        _write_games(opened, np.unique(searcher.search(query).arrays[0]).tolist(), out)
    elif as_json:
        typer.echo(json.dumps(searcher.search(query).json(limit)))
    else:
        _search_aloud(searcher, query, limit)


def _search_aloud(searcher: Searcher, query: Query, limit: int) -> None:
    """Search, printing the first hits as they are found and the figures at the end."""
    from kibitz.games.go.commands.show import show_occurrences, show_search

    shown = 0
    with progress_line() as write:
        for found in searcher.stream(query):
            new = found.occurrences(shown, limit - shown) if shown < min(limit, found.hits) else []
            if new:
                write("")
                show_occurrences(new, searcher.store, query.filters.size, is_first=shown == 0)
                shown += len(new)
            write(f"searched {found.share_done:.0%}, {found.hits:,} hits")
    if shown:
        rest = found.hits - shown
        typer.echo(f"... and {rest:,} more hits; --limit shows them.\n" if rest else "")
    show_search(found)


def _parse_move_range(text: str, last: int) -> tuple[int, int]:
    """Parse move numbers such as 10-50, 10- (up to `last`), -50 (from 0) or "" (all). Raise BadOption if invalid."""
    if not text:
        return 0, last
    low, dash, high = (part.strip() for part in text.partition("-"))
    if not dash or not (low or "0").isdecimal() or not (high or "0").isdecimal():
        raise BadOption(f"--moves must be like 10-50, 10- or -50, not {text[:40]!r}.")
    return min(int(low or 0), last), min(int(high or last), last)


@app.command()
@with_filters("size")
def games(
    *,
    filters: Filters,
    size: Annotated[int | None, typer.Option(help="The board size; default: every size.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="List at most this many games.")] = 40,
    out: OutSgf = None,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """List games in the store, or export them."""
    from kibitz.games.go.commands.show import show_games
    from kibitz.games.go.records.tables import heads_of

    if size is not None:
        filters = replace(filters, size=size)
    opened = open_with_notice(store)
    numbers = (filters.games(opened, any_size=size is None) + 1).tolist()
    if out is not None:
        _write_games(opened, [number - 1 for number in numbers], out)
        return
    heads = heads_of(opened, numbers[:limit])
    listed = [heads[number] for number in numbers[:limit]]
    if as_json:
        typer.echo(json.dumps({"count": len(numbers), "games": listed}, default=str, ensure_ascii=False))
        return
    show_games(listed)
    if len(numbers) > limit:
        typer.echo(f"... and {len(numbers) - limit:,} more; --limit shows them.")


@app.command()
def show(
    game: Annotated[int, typer.Argument(metavar="GAME", help="The number of a game, as listed by search and games.")],
    move: Annotated[int | None, typer.Option("--move", metavar="N", help="Default: the last move.")] = None,
    out: OutSgf = None,
    store: StoreAt = None,
) -> None:
    """Show a game of the store at its end, or after any move; or export it."""
    from kibitz.games.go.commands.show import show_game

    if out is not None:
        if move is not None:
            raise BadOption("Use --move or --out, not both: --out writes the whole game.")
        _write_games(open_with_notice(store), [game - 1], out)
    else:
        show_game(open_with_notice(store), game - 1, move)


def _write_games(store: GameStore, games: list[int], path: Path) -> None:
    """Write games, numbered from 0, to an SGF file, and say so. Raise BadOption for another ending of its name."""
    from kibitz.games.go.patterns.export import write_lines
    from kibitz.games.go.records.export import sgf_lines

    if path.suffix.lower() != ".sgf":
        raise BadOption(f"Cannot export to {path.name}: its name must end in .sgf.")
    with progress_line() as write:

        def lines() -> Iterator[str]:
            for number, line in enumerate(sgf_lines(store, games), 1):
                if number % 1000 == 0:
                    report_games(write, number, len(games))
                yield line

        written = write_lines(path, lines())
    typer.echo(f"wrote {written:,} game{'' if written == 1 else 's'} to {path}")


@app.command()
def sql(
    query: Annotated[str, typer.Argument(metavar="SELECT", help="A SELECT on games, moves, players or spellings.")],
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="Print at most this many rows.")] = 100,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write all rows to this file: .csv or .parquet.")
    ] = None,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Query the store with SQL. A query cannot change anything or read other files."""
    from kibitz.games.go.commands.show import show_answer
    from kibitz.games.go.records.tables import ask, write_rows

    if out is not None:
        typer.echo(f"wrote {write_rows(open_with_notice(store), query, out):,} rows to {out}")
        return
    answer = ask(open_with_notice(store), query, limit)
    if as_json:
        typer.echo(answer.json())
    else:
        show_answer(answer)


def gtp(
    agent: Annotated[str, typer.Option(help="The agent that plays; kibitz agents go lists them.")] = "champion",
    size: Annotated[int, typer.Option(help="Board size until a boardsize command changes it.")] = 19,
    komi: Annotated[float, typer.Option(help="Komi until a komi command changes it.")] = 7.5,
    seconds: Annotated[float | None, typer.Option("--time", metavar="S", help="Maximum seconds per move.")] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Positions to search per move.")] = None,
    playouts: Annotated[int | None, typer.Option("--playouts", help="Playouts per move.")] = None,
    options: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="Any other game option, such as the ko rule.")
    ] = None,
) -> None:
    """Run an agent as an engine for programs that speak GTP, the Go Text Protocol (see docs/games/go/gtp.md)."""
    from kibitz.games.go.gtp.engine import run
    from kibitz.games.go.rules import Go

    given = options or []
    if any(option.partition("=")[0].strip() == "handicap" for option in given):
        raise BadOption("Set the handicap with the GTP command fixed_handicap, not with an option.")
    game = make_game("go", [f"size={size}", f"komi={komi}", *given])
    assert isinstance(game, Go)
    # Read a duplicate of stdin: Python cannot exit while a thread is still reading sys.stdin itself.
    lines = open(os.dup(sys.stdin.fileno()), "rb")  # noqa: SIM115  # read until the program exits
    run(agent, game, lines, sys.stdout, Budget(seconds, nodes, playouts))


for _command in (
    mine, patterns, templates, clusters, match, fuseki, joseki, similar, preset, train, games_file, predict, evaluate,
    gtp,
):  # fmt: skip
    app.command()(_command)
