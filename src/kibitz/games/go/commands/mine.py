"""kibitz go mine, patterns, templates, clusters, match and preset: count, list, draw and export patterns."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.cluster import At
from kibitz.cli.options import AsJson
from kibitz.cli.show import compiling_notice, console, print_wrapped, progress_line
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.commands.options import Size, StoreAt, open_with_notice, report_games

if TYPE_CHECKING:
    from kibitz.games.go.patterns.mining.mined import Kind, Mined
    from kibitz.games.go.records.store import GameStore
    from kibitz.games.go.rules import GoState

Source = Annotated[str, typer.Option(help="moves: around each move when it was played. final: on the final boards.")]
OneShape = Annotated[str, typer.Option("--shape", help="3x3, 5x5 and so on, diamond2, circle5, or full.")]
Forms = Annotated[int | None, typer.Option(help="Forms that count as one: 8 for moves; 16 or 12 for final boards.")]
MinCount = Annotated[int, typer.Option("--min-count", min=1, help="Only patterns seen at least this often.")]
MinBits = Annotated[int, typer.Option("--min-bits", min=0, help="Minimum number of stones in a pattern (K bits).")]
Edge = Annotated[
    bool | None, typer.Option("--edge/--no-edge", help="Only patterns at the edge of the board, or only the others.")
]
Limit = Annotated[int, typer.Option(min=1, max=1_000_000, help="List at most this many.")]
_EXPORT = "Export the patterns to this file: .csv, .parquet, .svg, .db (GNU Go), .spat (Pachi), .mm."
OutFile = Annotated[Path | None, typer.Option("--out", metavar="FILE", help=_EXPORT)]


def mine(
    shape: Annotated[
        list[str] | None, typer.Option(help="A shape to mine; repeat for more. Default: the usual ones.")
    ] = None,
    source: Source = "moves",
    forms: Forms = None,
    min_count: MinCount = 1,
    min_bits: MinBits = 0,
    size: Size = 19,
    anew: Annotated[bool, typer.Option("--anew", help="Discard everything mined before.")] = False,
    cluster: At = None,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Count the patterns, openings and joseki of new games in the store. You can stop it and run it again."""
    from kibitz.games.go.patterns.mining.mined import default_kinds
    from kibitz.games.go.patterns.mining.mining import mine as mine_store

    kinds = [kind_of(source, name, forms, size) for name in shape] if shape else default_kinds(size)
    opened = open_with_notice(store)
    with compiling_notice(), progress_line() as write:
        report = partial(report_games, write)
        mine_games = partial(mine_store, opened, kinds, min_count, min_bits, anew, report)
        if cluster is None:
            summary = mine_games()
        else:
            from kibitz.arena.cluster import DaskCluster

            with DaskCluster(cluster) as executor:
                summary = mine_games(executor=executor, jobs=executor.jobs)
    if as_json:
        counts = [{**kind._asdict(), "patterns": n} for kind, n in summary.patterns.items()]
        answer = {"games": summary.games, "new": summary.new, "patterns": counts, "interrupted": summary.interrupted}
        typer.echo(json.dumps({**answer, "seconds": round(summary.seconds, 3)}))
    else:
        typer.echo(f"mined {summary.games:,} games, {summary.new:,} of them new, in {summary.seconds:.1f} s")
        for kind, n in summary.patterns.items():
            typer.echo(f"  {kind.source} {kind.shape}, {kind.forms} forms: {n:,} patterns seen")
    if summary.interrupted:
        typer.echo("Stopped. The counts so far are saved: run the same command to continue.", err=True)
        raise typer.Exit(130)


def kind_of(source: str, shape: str, forms: int | None, size: int) -> Kind:
    """Return the kind of pattern that these options describe. Raise BadOption if they do not fit together."""
    from kibitz.games.go.patterns.mining.mined import Kind, check_kind

    return check_kind(Kind(source, shape, forms or (8 if source == "moves" else 16), size))


def open_mined(folder: Path | None, out: Path | None = None) -> tuple[GameStore, Mined]:
    """Open a store and the patterns mined from it; mine the masters' games on first use."""
    from kibitz.games.go.patterns.mining.mined import Mined
    from kibitz.games.go.patterns.mining.mining import FIRST_USE_WAIT_SECONDS
    from kibitz.games.go.patterns.mining.mining import mine as mine_store
    from kibitz.games.go.records.store import default_folder
    from kibitz.games.go.records.tables import MINED

    store = open_with_notice(folder)
    if store.folder not in (folder, default_folder()) and not (store.folder / MINED).exists():
        with compiling_notice(), progress_line() as write:
            mine_store(store, on_progress=partial(report_games, write), wait_seconds=FIRST_USE_WAIT_SECONDS)
    return store, Mined(store.folder, out)


def patterns(
    source: Source = "moves",
    shape: OneShape = "3x3",
    forms: Forms = None,
    min_count: MinCount = 1,
    min_bits: MinBits = 0,
    edge: Edge = None,
    meaning: Annotated[str, typer.Option(help="Only moves such as capture, cut, ko ... or attack, defence.")] = "",
    sort: Annotated[str, typer.Option(help="count, stones, won, lost, new or old.")] = "count",
    limit: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="At most this many; 20, or all with --out, by default.")
    ] = None,
    out: OutFile = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games whose positions are exported to .mm.")] = 10,
    key: Annotated[
        int | None, typer.Option("--key", help="List the games and moves of one pattern, given by its key.")
    ] = None,
    size: Size = 19,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """List patterns: how often they were played, with what results, when, and what the move does; or export them."""
    from kibitz.games.go.commands.show import show_patterns, write_patterns
    from kibitz.games.go.patterns.listing import PatternFilter, list_patterns

    kind = kind_of(source, shape, forms, size)
    if key is not None:
        _list_occurrences(open_with_notice(store), kind, key, limit or 20, as_json)
        return
    wanted = PatternFilter(min_count, min_bits, edge, meaning, sort, limit or (None if out else 20))
    opened, mined = open_mined(store, out)
    with mined:
        if out is not None:
            typer.echo(f"wrote {write_patterns(opened, mined, kind, wanted, out, games):,} patterns to {out}")
            return
        listed, facts = list_patterns(opened, mined, kind, wanted), mined.kinds()[kind]
    if as_json:
        typer.echo(json.dumps({**facts, **kind._asdict(), "listed": [each.json() for each in listed]}))
    else:
        show_patterns(kind, facts, listed)


def _list_occurrences(store: GameStore, kind: Kind, key: int, limit: int, as_json: bool) -> None:
    """Print the games and moves in which the pattern with this key was played."""
    from kibitz.games.go.patterns.listing import occurrences

    found = occurrences(store, kind, key, limit)
    if as_json:
        typer.echo(json.dumps({"key": key, "occurrences": found}))
        return
    for game, place in found:
        typer.echo(f"game {game}, {'move' if kind.source == 'moves' else 'point'} {place}")


def templates(
    source: Source = "final",
    shape: OneShape = "3x3",
    wild: Annotated[int, typer.Option(min=1, max=4, help="Number of open points (wildcards).")] = 1,
    min_count: Annotated[
        int, typer.Option("--min-count", min=1, help="Minimum count of every filling of these points.")
    ] = 1,
    edge: Edge = None,
    limit: Limit = 20,
    size: Size = 19,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """List templates: patterns with open points, where every way to fill these points was seen."""
    from kibitz.games.go.commands.show import show_boards
    from kibitz.games.go.patterns.templates import find_templates

    kind = kind_of(source, shape, None, size)
    _, mined = open_mined(store)
    with mined:
        found = find_templates(kind, mined.load(kind).tally, wild, min_count)
    selected = [i for i in range(len(found)) if edge is None or edge == ("#" in "".join(found.rows(i)))]
    listed: list[JsonObject] = [
        {
            "rows": found.rows(i), "count": int(found.counts[i]), "patterns": int(found.patterns[i]),
            "covers": list(dict.fromkeys(found.covered[i].tolist())),
        }
        for i in selected[:limit]
    ]  # fmt: skip
    if as_json:
        typer.echo(json.dumps({"templates": len(selected), "listed": listed}))
        return
    points = "1 open point" if wild == 1 else f"{wild} open points"
    typer.echo(f"{len(selected):,} templates with {points}, of {shape} from {source}")
    show_boards([(each["rows"], (f"{each['count']:,}", f"{each['patterns']} patterns")) for each in listed])


def clusters(
    source: Source = "moves",
    shape: OneShape = "diamond2",
    k: Annotated[int, typer.Option("--clusters", min=1, max=12, help="Number of clusters.")] = 5,
    chart: Annotated[Path | None, typer.Option("--chart", metavar="FILE", help="Draw the clusters as SVG.")] = None,
    min_count: MinCount = 1,
    size: Size = 19,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Show clusters of patterns by how often they were seen and how many stones they have (K bits)."""
    from dataclasses import asdict

    from kibitz.games.go.patterns.clusters import find_clusters
    from kibitz.games.go.patterns.shapes import FULL, count_stones, parse_shape

    kind = kind_of(source, shape, None, size)
    if kind.shape == FULL or not parse_shape(kind.shape).is_exact:
        raise BadOption(f"Patterns of shape {shape} are stored without their stones: use a shape of up to 31 points.")
    _, mined = open_mined(store)
    with mined:
        tally = mined.load(kind).tally
    frequent = tally.counts[:, 0] >= min_count
    if not frequent.any():
        raise BadOption(f"No pattern was seen {min_count:,} times: lower --min-count.")
    counts, stones = tally.counts[frequent, 0], count_stones(tally.keys[frequent])
    found, cluster_of = find_clusters(counts, stones, tally.arrays.classes[frequent], k)
    if chart is not None:
        from kibitz.games.go.patterns.charts import clusters_svg
        from kibitz.games.go.patterns.export import write_lines

        names = [
            f"{each.patterns:,} patterns, about {10**each.frequency:,.0f} times each"
            + (f", most often {each.meaning}" if each.meaning else "")
            for each in found
        ]
        title = f"{shape} from {source}: {len(counts):,} patterns"
        write_lines(chart, [clusters_svg(counts, stones, cluster_of, names, title)])
    if as_json:
        typer.echo(json.dumps({"clusters": [asdict(each) for each in found]}))
        return
    typer.echo(f"{'patterns':>11} {'seen':>14} {'each about':>12} {'K bits':>8}  most often")
    for each in found:
        meaning = f"{each.meaning} ({each.share:.0%})" if each.meaning else ""
        figures = f"{each.patterns:>11,} {each.windows:>14,} {10**each.frequency:>12,.1f} {each.stones:>8.1f}"
        typer.echo(f"{figures}  {meaning}".rstrip())


def match(
    game: Annotated[int | None, typer.Argument(metavar="[GAME]", help="Game number in the store.")] = None,
    move: Annotated[
        int | None, typer.Option("--move", metavar="N", min=0, help="The position after this move; default: the last.")
    ] = None,
    position: Annotated[
        str | None, typer.Option("--position", metavar="TEXT", help="A position text instead of a game of the store.")
    ] = None,
    shape: Annotated[
        str, typer.Option("--shape", help="Only windows of this shape; default: the largest known of all shapes.")
    ] = "all",
    min_bits: Annotated[int, typer.Option("--min-bits", min=0, help="Minimum number of stones in a pattern.")] = 0,
    limit: Limit = 10,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Choose a move by the patterns that match a position, and list them: how often each move was played there."""
    from random import Random

    from kibitz.games.go.commands.show import show_boards, suggestion_lines
    from kibitz.games.go.patterns.choosing import load_collection
    from kibitz.games.go.players.pattern import choose_suggested
    from kibitz.games.go.rules import EMPTY, move_text

    opened, mined = open_mined(store)
    mined.connection.close()
    state, name = _position_to_match(opened, game, move, position)
    size = state.board.size
    with compiling_notice():
        collection = load_collection(opened.folder, size, shape)
        found = collection.suggestions(state.board, 1 + state.to_move)
        decision = choose_suggested(state, collection, Random(0))
    listed = [each for each in found if each.stones >= min_bits]
    choice, decided_by = decision or (None, None)
    if as_json:
        answer: JsonObject = {
            "to_move": "BW"[state.to_move],
            "chosen": choice and move_text(size, choice.move),
            "note": choice and choice.note,
            "pattern": decided_by and decided_by.json(),
            "matches": [each.json() for each in listed[:limit]],
        }
        typer.echo(json.dumps(answer))
        return
    console.print(
        f"{name}, {state.game.players[state.to_move]} to move (X below); patterns found around {len(found):,} of "
        f"{state.board.points.count(EMPTY):,} empty points"
    )
    text = "no move: no pattern lies around a sound move" if choice is None else move_text(size, choice.move)
    console.print(f"Chosen: {text}", style="bold")
    if choice is not None:
        print_wrapped(choice.note)
    show_boards([(each.rows, (move_text(size, each.point), *suggestion_lines(each))) for each in listed[:limit]])


def _position_to_match(
    store: GameStore, game: int | None, move: int | None, position: str | None
) -> tuple[GoState, str]:
    """Return the position of a game of the store, or of a text, and what to call it. Raise BadOption without either."""
    from kibitz.games.go.predict.fit.course import moments
    from kibitz.games.go.rules import Go

    if (game is None) == (position is None):
        raise BadOption("Name a game of the store, as in kibitz go match 1 --move 60, or give --position TEXT.")
    if position is not None:
        if move is not None:
            raise BadOption("--move is for games of the store; leave it out with --position.")
        rows = position.split(" ")[0].count("/") + 1
        return Go(size=rows).parse_position(position), "The position"
    number = game or 0
    board = store.board(number - 1, move or 0)
    course = list(moments(board.size, store.plays_of(number - 1)))
    moment = course[-1 if move is None else min(move, len(course) - 1)]
    state = replace(Go(size=board.size).set_up(moment.board, moment.colour - 1), ko=moment.ko)
    return state, f"Game {number} after move {moment.moves}"


PRESETS = ("singh-2013",)


def preset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="singh-2013.")],
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Repeat the steps of a study as published and as corrected, and print the numbers side by side."""
    from kibitz.games.go.patterns.studies.singh import replay_report

    if name not in PRESETS:
        raise BadOption(f"Unknown preset {name[:40]!r}: use {', '.join(PRESETS)}.")
    opened = open_with_notice(store)
    with compiling_notice():
        found = replay_report(opened)
    if as_json:
        typer.echo(json.dumps(found.json()))
        return
    typer.echo(f"Singh 2013 on {found.games:,} games on 19x19, {found.seconds:.1f} s")
    typer.echo(f"{'':<42}{'as published':>14}{'corrected':>14}")
    for step in found.steps:
        typer.echo(f"{step.name:<42}{step.reported:>14,}{step.right:>14,}")
        print_wrapped(step.note, "    ")
    typer.echo("What was wrong:")
    for defect in found.defects:
        print_wrapped(defect, "- ")
