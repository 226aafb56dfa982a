"""Prints search results, games and patterns of Go records on a terminal, and exports patterns to files."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from kibitz.cli.show import board_text, console, new_table
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject, printable
from kibitz.games.go.patterns.choosing import Suggestion
from kibitz.games.go.patterns.export import gnugo_db, mm_input, pachi_spat, svg_sheet, write_lines, write_table_file
from kibitz.games.go.patterns.listing import ListedPattern, PatternFilter, list_patterns
from kibitz.games.go.patterns.matching import PatternMatcher
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.records.search.search import Occurrence, SearchResult
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import QueryResult, heads_of
from kibitz.games.go.rules import BLACK, NO_KO, draw, move_text, point_text
from kibitz.games.go.sgf.record import PASS

Window: TypeAlias = tuple[Sequence[str], Sequence[str]]  # the rows of a window, and the lines of text below it
LETTERS = "ABCDEFGHIJKLMNPQRSTUVWYZabcdefghijklmnpqrstuvwyz"
"""The labels of continuations, without the letters that patterns use (X, O, x, o)."""
BAR_COLUMNS = 40
STYLES = {"X": "bold red", "O": "bold blue"}


def show_search(found: SearchResult) -> None:
    """Print the pattern with its continuations, a table of them, and a timeline."""
    searched = f"{found.games:,} of {found.searched:,} games, {found.hits:,} hits"
    console.print(f"{searched}, {found.seconds * 1000:.1f} ms", style="bold")
    console.print(_pattern_text(found))
    if found.hits:
        console.print(_continuations(found))
        console.print()
        console.print(_timeline(found))


def _letters(found: SearchResult) -> dict[tuple[int, int], str]:
    """Return a letter for each point where games continued, shared by both colours; none on stones of the pattern."""
    letters: dict[tuple[int, int], str] = {}
    for c in found.continuations:
        if len(letters) < len(LETTERS) and found.query.pattern.rows[c.row][c.col] not in "XO":
            letters.setdefault((c.row, c.col), LETTERS[len(letters)])
    return letters


def _pattern_text(found: SearchResult) -> Text:
    """Return the pattern as given in the query, with letters where games continued."""
    text, letters = Text(), _letters(found)
    for row, line in enumerate(found.query.pattern.rows):
        text.append("   ")
        for col, char in enumerate(line):
            letter = letters.get((row, col))
            text.append(" " + (letter or char), "green" if letter else STYLES.get(char, "dim"))
        text.append("\n")
    return text


MAX_SHOWN_CONTINUATIONS = 15


def _continuations(found: SearchResult) -> Table:
    """Return the continuations as a table."""
    table = new_table()
    for heading in ("next", "by", "hits", "share", "won by its player", "at once"):
        table.add_column(heading, justify="left" if heading in ("next", "by") else "right")
    letters = _letters(found)
    for c in found.continuations[:MAX_SHOWN_CONTINUATIONS]:
        rate = "" if c.win_rate is None else f"{c.win_rate:.1%} of {c.decided:,}"
        letter = letters.get((c.row, c.col)) or f"row {c.row + 1}, column {c.col + 1}"
        colour = Text(c.colour, STYLES[c.colour])
        table.add_row(letter, colour, f"{c.count:,}", f"{c.share:.1%}", rate, f"{c.at_once / c.count:.0%}")
    rest = found.hits - sum(c.count for c in found.continuations[:MAX_SHOWN_CONTINUATIONS])
    if rest:
        table.add_row("other or none", "", f"{rest:,}", f"{rest / found.hits:.1%}", "", "")
    return table


def _timeline(found: SearchResult) -> Text:
    """Return a bar chart of the share of games that have the pattern, by period."""
    years = sorted(year for year in found.timeline if year)
    text = Text()
    if not years:
        return text
    span = next(n for n in (1, 5, 10, 25, 50, 100, 1000) if (years[-1] - years[0]) // n < 24)  # years per bar
    bins: dict[int, list[int]] = {}
    for year in years:
        tally = bins.setdefault(year // span * span, [0, 0])
        tally[0] += found.timeline[year][0]
        tally[1] += found.timeline[year][1]
    highest = max(with_pattern / games for with_pattern, games in bins.values()) or 1
    for start, (with_pattern, games) in sorted(bins.items()):
        label = f"{start}" if span == 1 else f"{start}-{start + span - 1}"
        text.append(f"{label:>9}  ", "dim")
        text.append("#" * round(BAR_COLUMNS * with_pattern / games / highest), "green")
        text.append(f" {with_pattern / games:.1%} of {games:,}\n")
    undated = found.timeline.get(0)
    if undated:
        text.append(f"{'no date':>9}  {undated[0]:,} of {undated[1]:,}\n", "dim")
    return text


OCCURRENCE_COLUMNS = (("game", 6), ("move", 4), ("at", 3), ("X is", 5), ("players", 28), ("date", 10), ("result", 7))
"""Headings and minimum widths: a list is printed as it grows, so its columns cannot wait for all rows."""


def show_occurrences(occurrences: Sequence[Occurrence], store: GameStore, size: int, is_first: bool) -> None:
    """Print occurrences of a pattern, with headings if they are the first."""
    heads = heads_of(store, sorted({o.game for o in occurrences}))
    table = new_table()
    table.show_header = is_first
    for heading, width in OCCURRENCE_COLUMNS:
        table.add_column(heading, min_width=width)
    for o in occurrences:
        head = heads[o.game]
        at = point_text(size, o.row * size + o.col)
        players = f"{head['black'] or '?'} - {head['white'] or '?'}"
        row = (str(o.game), str(o.move), at, "White" if o.swapped else "Black", players, head["date"], head["result"])
        table.add_row(*(printable(str(cell or "")) for cell in row))
    console.print(table)


def show_games(rows: list[JsonObject]) -> None:
    """Print a table of games, given by their headers."""
    size = ("size",) if len({row["size"] for row in rows}) > 1 else ()
    names = ("id", "date", "black", "white", "result", *size, "moves", "event")
    table = new_table(*names)
    for row in rows:
        table.add_row(*(printable(str("" if row[name] is None else row[name])) for name in names))
    console.print(table)


def show_game(store: GameStore, game: int, move: int | None) -> None:
    """Print the header of a game, the board after a move, and that move. Raise BadOption if there is no such move.

    game: counted from 0 (it is printed counted from 1). move: counted from 1; 0 for the start, None for the last move.
    """
    moves = store.moves_of(game)
    ply = len(moves) if move is None else move
    board = store.board(game, ply)
    head = heads_of(store, [game + 1])[game + 1]
    players = [f"{head[colour] or '?'} ({head[f'{colour}_rank'] or '?'})" for colour in ("black", "white")]
    parts = [" - ".join(players)]
    parts += [str(head[name]) for name in ("date", "event", "round", "place", "result") if head[name]]
    if head["komi"] is not None:
        parts.append(f"komi {head['komi']:g}")
    if head["handicap"]:
        parts.append(f"handicap {head['handicap']}")
    console.print(f"Game {game + 1}", style="bold")
    for line in textwrap.wrap(printable(", ".join(parts)), max(console.width, 20)):
        console.print(line)
    if head["problem"]:
        console.print(printable(head["problem"]), style="dim")
    last, caption = None, f"before the first of {len(moves)} moves"
    if ply:
        colour, point = moves[ply - 1]
        last = board.size**2 if point == PASS else point  # a pass is PASS in the store, size**2 in the rules
        mover = "Black" if colour == BLACK else "White"
        caption = f"after move {ply} of {len(moves)}: {mover} {move_text(board.size, last)}"
    console.print(board_text(draw(board, NO_KO, store.prisoners(game, ply), last)), end="")
    console.print(caption)


def show_answer(answer: QueryResult) -> None:
    """Print the result of a query as a table, or row by row if the table would be too wide."""
    names = [printable(name) for name in answer.names]
    rows = [[printable("" if cell is None else str(cell)) for cell in row] for row in answer.rows]
    width = sum(2 + max(map(cell_len, column)) for column in zip(names, *rows, strict=True))
    if width <= console.width or len(names) == 1:
        table = new_table(*names)
        for row in rows:
            table.add_row(*row)
        console.print(table)
    else:
        for row in rows:
            filled = [f"{name}: {cell}" for name, cell in zip(names, row, strict=True) if cell]
            console.print("\n".join(filled), "", sep="\n", soft_wrap=True)
    if answer.more:
        console.print("... and more rows; --limit shows them.", style="dim")


EXPORT_ENDINGS = (".csv", ".parquet", ".svg", ".db", ".spat", ".mm")


def write_patterns(store: GameStore, mined: Mined, kind: Kind, wanted: PatternFilter, path: Path, games: int) -> int:
    """Export patterns to a file, whose suffix decides the format; return the number of patterns.

    Raise BadOption for an unknown suffix, or if the format does not support this kind of pattern.
    """
    suffix = path.suffix.lower()
    if suffix not in EXPORT_ENDINGS:
        raise BadOption(f"Cannot export to {path.name}: its name must end in one of {', '.join(EXPORT_ENDINGS)}.")
    if suffix in (".db", ".spat", ".mm") and kind.source != "moves":
        raise BadOption(f"A {suffix} file holds patterns around moves: add --source moves.")
    if suffix in (".csv", ".parquet"):
        return write_table_file(mined, kind, wanted, path)
    if suffix == ".mm":
        tally = mined.load(kind).tally
        game_indices = np.flatnonzero(store.column("sizes") == kind.size)[:games].tolist()
        write_lines(path, mm_input(store, [PatternMatcher(kind, tally)], game_indices, wanted.min_count))
        return int((tally.counts[:, 0] >= wanted.min_count).sum())
    listed = list_patterns(store, mined, kind, wanted)
    if suffix == ".svg":
        write_lines(path, [svg_sheet(listed)])
    elif suffix == ".spat":
        write_lines(path, pachi_spat(kind, listed))
    else:
        write_lines(path, gnugo_db(listed))
        return sum(each.stones > 0 for each in listed)
    return len(listed)


SIGN_STYLES = {"X": "bold red", "O": "bold blue", "*": "bold green", "?": "yellow", "#": "dim"}
GAP_COLUMNS = 3
MIN_BOARD_COLUMNS = 14  # the minimum width of a window, so that the text below it fits


def show_patterns(kind: Kind, facts: dict[str, int], listed: Sequence[ListedPattern]) -> None:
    """Print how much was mined, then the patterns with their statistics."""
    console.print(
        f"{facts['patterns']:,} patterns of {kind.shape} in {facts['windows']:,} windows of {facts['games']:,} games; "
        f"{'the mover is X and plays at *' if kind.source == 'moves' else 'boards at the end, colours either way'}, "
        "# is beyond the edge",
        style="bold",
    )
    show_boards([(each.rows, statistics(each)) for each in listed])


def statistics(pattern: ListedPattern) -> tuple[str, ...]:
    """Return the statistics of a pattern as lines of text."""
    lines = [f"{pattern.count:,}", f"{pattern.share:.2%}"]
    if pattern.win_rate is not None:
        lines.append(f"won {pattern.win_rate:.1%}")
    if pattern.stones >= 0:
        lines.append(f"{pattern.stones} bit{'' if pattern.stones == 1 else 's'}")
    lines += [f"{name} {n / pattern.count:.0%}" for name, n in list(pattern.meanings.items())[:2]]
    if pattern.last_year:
        lines.append(f"{pattern.first_year}-{pattern.last_year}")
    return tuple(lines)


def suggestion_lines(found: Suggestion) -> tuple[str, ...]:
    """Return the figures of a suggested move as lines of text."""
    won = () if found.win_rate is None else (f"won {found.win_rate:.1%}",)
    return f"{found.rate:.1%}", f"{found.played:,} of {found.chances:,}", *won, found.shape


def show_boards(boards: Sequence[Window]) -> None:
    """Print windows side by side, each with its lines of text below."""
    width = max(console.width, 40)
    in_line: list[Window] = []
    used = 0
    for rows, texts in boards:
        needed = _width(rows, texts) + GAP_COLUMNS
        if in_line and used + needed > width:
            console.print(_boards_in_line(in_line))
            in_line, used = [], 0
        in_line.append((rows, texts))
        used += needed
    if in_line:
        console.print(_boards_in_line(in_line))


def _width(rows: Sequence[str], texts: Sequence[str]) -> int:
    return max(2 * max(map(len, rows), default=0), *(len(text) for text in texts), MIN_BOARD_COLUMNS)


def _boards_in_line(boards: Sequence[Window]) -> Text:
    """Return text that draws windows side by side, each with its lines of text below."""
    text = Text(no_wrap=True)
    for i in range(max(len(rows) for rows, _ in boards)):
        for rows, texts in boards:
            row = rows[i] if i < len(rows) else ""
            for sign in row:
                text.append(f"{sign} ", SIGN_STYLES.get(sign, ""))
            text.append(" " * (_width(rows, texts) - 2 * len(row) + GAP_COLUMNS))
        text.append("\n")
    for i in range(max(len(texts) for _, texts in boards)):
        for rows, texts in boards:
            shown = printable(texts[i]) if i < len(texts) else ""
            text.append(shown.ljust(_width(rows, texts) + GAP_COLUMNS), "dim" if i else "")
        text.append("\n")
    return text
