"""kibitz go fuseki, joseki and similar: openings, corner sequences, and players with similar styles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import AsJson
from kibitz.cli.show import compiling_notice, print_wrapped
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject, printable
from kibitz.games.go.commands.options import Size, StoreAt, check_paths_exist, open_with_notice, with_filters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kibitz.games.go.patterns.openings import Fuseki, Joseki, MoveTree
    from kibitz.games.go.records.filters import Filters
    from kibitz.games.go.records.store import GameStore

LIMIT = typer.Option(min=1, max=100_000, help="List at most this many.")


@with_filters("handicap")
def fuseki(
    *,
    moves: Annotated[int, typer.Option("--moves", metavar="N", help="Compare the first N moves.")] = 10,
    by: Annotated[
        str, typer.Option(help="Count openings as one by order (same moves, same order) or state (same final board).")
    ] = "order",
    name: Annotated[str, typer.Option(help="Only openings with this name: nirensei, Chinese ...")] = "",
    min_count: Annotated[int, typer.Option("--min-count", min=1, help="Minimum count of an opening.")] = 2,
    filters: Filters,
    limit: Annotated[int, LIMIT] = 20,
    file: Annotated[
        list[Path] | None, typer.Option("--file", help="Read files, folders or archives, not a store; repeat for more.")
    ] = None,
    draw: Annotated[bool, typer.Option("--draw", help="Draw the boards too.")] = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the boards to an SVG file.")] = None,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """List openings: how often they were played, who won, their names, and whether they lean to territory or influence.

    Symmetric openings count as one. Games with setup stones are left out.
    """
    from kibitz.games.go.commands.show import show_boards
    from kibitz.games.go.patterns.charts import sheet_svg
    from kibitz.games.go.patterns.export import write_lines
    from kibitz.games.go.patterns.openings import even_games, find_fuseki

    size = filters.size
    with compiling_notice():
        if file:
            opened, selected = _games_of_files(file, filters)
        else:
            opened = open_with_notice(store)
            selected = filters.games(opened)
        selected = even_games(opened, selected)
        found = find_fuseki(opened, selected, moves, by, size, min_count)
    if name:
        found = [each for each in found if any(name.lower() in opening_name.lower() for opening_name in each.names)]
    listed = found[:limit]
    if as_json:
        openings = [_fuseki_json(each, size) for each in listed]
        typer.echo(json.dumps({"games": len(selected), "fuseki": len(found), "listed": openings}))
        return
    minimum = f"each played {min_count} times or more"
    typer.echo(f"{len(found):,} openings of {moves} moves, {minimum}, in {len(selected):,} even games")
    for each in listed:
        _show_fuseki(each, size)
    if draw:
        show_boards([(each.rows(size), (f"{each.count:,}", *each.names)) for each in listed])
    if out is not None:
        write_lines(out, [sheet_svg([(each.rows(size), f"{each.count:,}") for each in listed], across=4)])


def _fuseki_json(opening: Fuseki, size: int) -> JsonObject:
    """Return an opening in the form that --json prints."""
    figures = ("count", "black_won", "decided", "first_year", "last_year", "game", "names", "lean")
    return {"moves": opening.text(size), **{name: getattr(opening, name) for name in figures}}


def _show_fuseki(opening: Fuseki, size: int) -> None:
    """Print the moves of an opening, then its statistics and names."""
    rate = f"Black won {opening.black_won / opening.decided:.1%}" if opening.decided else ""
    years = f"{opening.first_year}-{opening.last_year}" if opening.last_year else ""
    print_wrapped(opening.text(size), f"{opening.count:>6,}  ")
    facts = [rate, years, f"game {opening.game}", opening.lean, *opening.names]
    print_wrapped(", ".join(filter(None, facts)), " " * 8)


def _games_of_files(files: list[Path], filters: Filters) -> tuple[GameStore, NDArray[np.int64]]:
    """Read games from files; return them, and the indices of those of the right size.

    Raise BadOption if there is a filter other than the size, or if a path does not exist.
    """
    import numpy as np

    from kibitz.games.go.patterns.openings import LooseGames

    if not filters.has_only_size():
        raise BadOption("Games from files can be filtered only by size; import them to filter by player or date.")
    check_paths_exist(files)
    games = LooseGames(files)
    return games, np.flatnonzero(games.column("sizes") == filters.size)


@with_filters()
def joseki(
    *,
    path: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MOVE...]", help="Moves in the upper right corner, such as Q16 R14; - for tenuki."),
    ] = None,
    moves: Annotated[int, typer.Option("--moves", metavar="N", help="Show corner sequences of up to N moves.")] = 16,
    min_count: Annotated[int, typer.Option("--min-count", min=1, help="Minimum count of a sequence.")] = 5,
    filters: Filters,
    limit: Annotated[int, LIMIT] = 15,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Browse corner sequences: the continuations after given moves, how often they were played, and who won."""
    from kibitz.games.go.patterns.openings import find_joseki

    opened = open_with_notice(store)
    selected = filters.games(opened)
    with compiling_notice():
        found = find_joseki(opened, selected, moves, min_count, filters.size)
    node = found.tree.find(found.codes(path or []))
    if node < 0:
        raise BadOption(f"{' '.join(path or [])} was played fewer than {min_count} times in a corner.")
    figures, children = _figures(found.tree, node), found.tree.children(node)[:limit]
    if as_json:
        listed = [_continuation_json(found, child) for child in children]
        line = [{"side": side, "move": move, "tenuki": is_tenuki} for side, move, is_tenuki in found.line(node)]
        typer.echo(json.dumps({**figures, "line": line, "continuations": listed}))
        return
    corners = f"{figures['count']:,} corners of {len(selected):,} games"
    typer.echo(f"{corners}; X, the first to play there, won {_win_rate(figures)}")
    _show_corner(found, node, children)


def _show_corner(found: Joseki, node: int, children: list[int]) -> None:
    """Draw the corner at a node of the tree, and print a line for each continuation."""
    from kibitz.games.go.commands.show import show_boards

    show_boards([(corner_rows(found, node, children), ())])
    for place, child in enumerate(children):
        move = _continuation_json(found, child)
        years = f"{move['first_year']}-{move['last_year']}" if move["last_year"] else ""
        away = " after tenuki" if move["tenuki"] else ""
        typer.echo(
            f"{LETTERS[place]}  {move['side']} {move['move']:<4} {move['count']:>8,}  X won {_win_rate(move):>6}, "
            f"O won {_win_rate(move, True):>6}  {years:>9}  game {move['game']}{away}"
        )


LETTERS = "abcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNPQRSTUVWYZ" + "+" * 100_000
"""The labels of continuations on the board: letters while they last, then +."""


def _figures(tree: MoveTree, node: int) -> JsonObject:
    names = ("count", "won", "decided", "first_year", "last_year")
    return {name: int(getattr(tree, name)[node]) for name in names}


def _continuation_json(found: Joseki, child: int) -> JsonObject:
    side, move, is_tenuki = found.line(child)[-1]
    return {"side": side, "move": move, "tenuki": is_tenuki, **_figures(found.tree, child), "game": found.game(child)}


def _win_rate(figures: JsonObject, second: bool = False) -> str:
    if not figures["decided"]:
        return ""
    won = figures["decided"] - figures["won"] if second else figures["won"]
    return f"{won / figures['decided']:.1%}"


def corner_rows(found: Joseki, node: int, children: list[int]) -> list[str]:
    """Return the upper right corner at a node as rows of text, with continuations as letters. Ignores captures."""
    rows = [["."] * (found.reach + 1) + ["#"] for _ in range(found.reach + 1)]
    rows.insert(0, ["#"] * (found.reach + 2))
    for place, child in enumerate(children):
        _put_sign(found, rows, int(found.tree.move[child]), LETTERS[place])
    for code in found.tree.line(node):
        _put_sign(found, rows, code, "XO"[found.move(code)[0]])
    return ["".join(row) for row in rows]


def _put_sign(found: Joseki, rows: list[list[str]], code: int, sign: str) -> None:
    row, col = divmod(found.move(code)[1], found.size)
    rows[row + 1][col - (found.size - found.reach - 1)] = sign


def similar(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The player, under any known spelling.")],
    against: Annotated[str, typer.Option("--with", metavar="PLAYER", help="Compare with this player only.")] = "",
    min_games: Annotated[int, typer.Option("--min-games", min=1, help="Minimum number of games of a player.")] = 50,
    min_seen: Annotated[int, typer.Option("--min-seen", min=1, help="Minimum number of answers to a pattern.")] = 200,
    size: Size = 19,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="List at most this many.")] = 12,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """List players with a similar style, and the patterns where a player chooses differently from others.

    Similarity is 1 for the same choices, 0 for unrelated ones, negative for opposite ones.
    """
    from kibitz.games.go.commands.show import show_boards
    from kibitz.games.go.patterns.studies.styles import player_styles, shown_name

    opened = open_with_notice(store)
    name = shown_name(opened, player)
    other = shown_name(opened, against) if against else ""
    with compiling_notice():
        found = player_styles(opened, size, min_games, min_seen)
    nearest = found.similar(name, len(found.names))
    shown = [each for each in nearest if each.name == other] if other else nearest[:limit]
    preferences = found.preferences(name, limit, other)
    if as_json:
        answer = {"player": name, "players": len(found.names), "similar": [each._asdict() for each in shown]}
        typer.echo(json.dumps({**answer, "preferences": [each._asdict() for each in preferences]}, ensure_ascii=False))
        return
    typer.echo(f"{printable(name)} among {len(found.names):,} players of {min_games} games or more")
    for each in shown:
        typer.echo(f"  {each.similarity:6.3f}  {printable(each.name)} ({each.games:,} games)")
    typer.echo(f"Where {printable(name)} (X) differs most from {printable(other) if other else 'all others'}:")
    boards = []
    for choice in preferences:
        where = "here" if any("*" in row for row in choice.rows) else "elsewhere"
        own = f"X {choice.chosen / max(choice.times, 1):.0%} of {choice.times:,}"
        others = f"{'other' if other else 'others'} {choice.others:.0%} of {choice.others_times:,}"
        boards.append((choice.rows, (where, own, others, f"{choice.errors:+.1f} errors")))
    show_boards(boards)
