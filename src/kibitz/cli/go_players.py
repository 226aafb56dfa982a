"""kibitz go similar: players compared by what they choose."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from kibitz.cli.go_options import Size, StoreAt, open_told
from kibitz.cli.options import AsJson
from kibitz.core.printable import printable


def similar(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Under any spelling.")],
    against: Annotated[str, typer.Option("--with", metavar="PLAYER", help="Show where these two differ instead.")] = "",
    min_games: Annotated[int, typer.Option("--min-games", min=1, help="Players of fewer games are left out.")] = 50,
    min_seen: Annotated[
        int, typer.Option("--min-seen", min=1, help="Patterns answered less often are left out.")
    ] = 200,
    size: Size = 19,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many are listed.")] = 12,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """List players who answer moves in the same way, and the patterns where a player chooses otherwise than others.

    Similarity is 1 for the same choices, 0 for unrelated ones, below 0 for contrary ones.
    """
    from kibitz.cli.show import told_of_compiling
    from kibitz.patterns.mine.styles import known_as, styles

    opened = open_told(store)
    name = known_as(opened, player)
    other = known_as(opened, against) if against else ""
    with told_of_compiling():
        found = styles(opened, size, min_games, min_seen)
    nearest = found.similar(name, len(found.names))
    shown = [one for one in nearest if one.name == other] if other else nearest[:limit]
    apart = found.preferences(name, limit, other)
    if as_json:
        told = {"player": name, "players": len(found.names), "similar": [one._asdict() for one in shown]}
        typer.echo(json.dumps({**told, "preferences": [one._asdict() for one in apart]}, ensure_ascii=False))
        return
    typer.echo(f"{printable(name)} among {len(found.names):,} players of {min_games} games or more")
    for one in shown:
        typer.echo(f"  {one.similarity:6.3f}  {printable(one.name)} ({one.games:,} games)")
    typer.echo(f"Where {printable(name)} (X) differs most from {printable(other) if other else 'all others'}:")
    from kibitz.cli.go_drawn import show_boards

    boards = []
    for choice in apart:
        where = "here" if any("*" in row for row in choice.rows) else "elsewhere"
        share = choice.chosen / choice.times if choice.times else 0.0
        lines = (
            where,
            f"X {share:.0%} of {choice.times:,}",
            f"{'other' if other else 'others'} {choice.others:.0%} of {choice.others_times:,}",
            f"{choice.errors:+.1f} errors",
        )
        boards.append((choice.rows, lines))
    show_boards(boards)
