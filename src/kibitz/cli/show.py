"""Boards, choices and tables on a terminal, in colour where it has any."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.measure import Measurement
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from kibitz.analysis.words import reasons, sentence
from kibitz.compiled.notice import compilations
from kibitz.core import registry
from kibitz.core.agent import Choice, MoveValue, Watch, value_text
from kibitz.core.defaults.shown import CANDIDATE_HEADINGS, candidate_rows, score_text
from kibitz.core.game import Game, Line, Move, Role, State
from kibitz.core.untrusted import printable
from kibitz.search.values import unit_of

_STYLES: dict[Role, str] = {
    "": "",
    "first": "bold red",
    "second": "bold blue",
    "legal": "green",
    "last": "reverse bold",
    "faint": "dim",
    "red": "red",
    "orange": "dark_orange",
    "yellow": "yellow",
    "green": "green",
    "blue": "dodger_blue1",
    "purple": "medium_orchid",
}
_BAR_WIDTH = 20
_MAX_PROGRESS_LENGTH = 100
"""Maximum length of a progress line, in characters."""
MAX_EXPLAINED_MOVES, MAX_LINE_MOVES = 3, 6
"""Maximum number of moves explained in words, and of expected replies listed for each."""

console = Console(highlight=False, markup=False)


def print_wrapped(text: str, start: str = "") -> None:
    """Print `start` and a text, wrapped between words, with later lines indented by the width of `start`."""
    wide, deeper = max(console.width, 40), " " * len(start)
    for line in textwrap.wrap(printable(text), wide - len(start), break_on_hyphens=False, break_long_words=False):
        console.print(start + line, soft_wrap=True)
        start = deeper


def board_text(lines: tuple[Line, ...]) -> Text:
    """Return a drawn board as coloured text, with a colour for each role."""
    text = Text()
    for line in lines:
        for stretch, role in line:
            text.append(stretch, _STYLES[role])
        text.append("\n")
    return text


def new_table(*headings: str, title: str | None = None) -> Table:
    """Return an empty table without borders, its columns two spaces apart."""
    return Table(
        *headings, title=title, title_justify="left", header_style="dim", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )


def fitted(table: Table, width: int) -> Table:
    """Return the table; if it is wider than `width`, set its columns one space apart."""
    if Measurement.get(console, console.options.update_width(10 * width), table).maximum > width:
        table.padding = (0, 1, 0, 0)
    return table


def show_moves(game: Game, moves: Iterable[Move], title: str = "", style: str = "") -> None:
    """Print a comma-separated list of moves, never breaking a line inside a move."""
    labels = ", ".join(game.move_label(move).replace(" ", "\N{NO-BREAK SPACE}") for move in moves)
    lines = textwrap.wrap(labels, max(console.width - len(title), 10)) or [""]
    for i, line in enumerate(lines):
        start = title if i == 0 else " " * len(title)
        console.print(Text.assemble((start, "dim"), (line.replace("\N{NO-BREAK SPACE}", " "), style)), soft_wrap=True)


def player_text(game: Game, player: int) -> Text:
    """Return the name of a side in its colour."""
    return Text(game.players[player], _STYLES["first" if player == 0 else "second"])


def show_board(state: State, last: Move | None = None, viewer: int | None = None) -> None:
    """Print a position as one player sees it, by default the player to move."""
    view = state.view(state.to_move if viewer is None else viewer)
    console.print(board_text(state.game.draw(view, last)), end="")


def show_insight(state: State) -> None:
    """Print a position with the game's own explanations, such as chains, or just the board if it has none."""
    words = registry.package(state.game.name).words
    draw = None if words is None else words().draw
    if draw is None:
        show_board(state)
    else:
        console.print(board_text(draw(state, console.width)))


def show_choice(state: State, choice: Choice, top: int = 12) -> None:
    """Print an analysis: the value, the best line, a bar for each move, and the best moves in words."""
    game = state.game
    if choice.value is not None:
        score = "" if choice.score is None else f", {score_text(game, choice.score, state.to_move)}"
        value = value_text(choice.value, choice.unit, choice.proved) + score
        console.print(Text.assemble(("Value  ", "dim"), value))
    show_moves(game, sorted(choice.best, key=lambda move: move != choice.move), "Best   ", "bold")
    if len(choice.line) > 1:
        show_moves(game, choice.line, "Line   ")
    nodes = 0 if choice.nodes == choice.playouts else choice.nodes
    counts = [f"depth {choice.depth}" if choice.depth else "", f"{nodes:,} nodes" if nodes else ""]
    counts += [f"{choice.playouts:,} playouts" if choice.playouts else "", f"{choice.seconds:.2f} s"]
    console.print(Text.assemble(("Work   ", "dim"), ", ".join(part for part in counts if part)))
    ranked = choice.candidates
    rows = candidate_rows(game, choice, state.to_move)
    if rows:
        console.print(_candidates_table(rows))
    elif ranked:
        console.print(_moves_table(game, choice, ranked, top))
    # a table of candidates has the lines already
    lines = {m.move: () if rows else m.line for m in ranked[:MAX_EXPLAINED_MOVES]} or {choice.move: ()}
    words = {
        move: sentence(reasons(state, move, line or (choice.line if move == choice.move else ())))
        for move, line in lines.items()
    }
    if choice.note not in ("", words.get(choice.move)):
        console.print(f"{choice.note}\n")
    if any(words.values()) or any(len(line) > 1 for line in lines.values()):
        console.print(_words_table(game, lines, words))


def _candidates_table(rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of the moves of an analysis that counts visits; the first is the chosen one."""
    table = new_table()
    for heading in CANDIDATE_HEADINGS:
        table.add_column(heading, justify="left" if heading in ("move", "line") else "right", no_wrap=True)
    for i, (move, *figures, line) in enumerate(rows):
        table.add_row(Text(move, "" if i else "bold"), *figures, Text(line, "dim"))
    return table


def _words_table(game: Game, lines: dict[Move, tuple[Move, ...]], words: dict[Move, str]) -> Table:
    """Return a table of moves with their reasons and the expected replies."""
    table = new_table()
    table.show_header = False
    for move, line in lines.items():
        if not words[move] and len(line) < 2:
            continue
        explained = Text(words[move])
        if len(line) > 1:
            labels = [
                game.move_label(later).replace(" ", "\N{NO-BREAK SPACE}") for later in line[1 : 1 + MAX_LINE_MOVES]
            ]
            labels += ["\N{HORIZONTAL ELLIPSIS}"] if len(line) > 1 + MAX_LINE_MOVES else []
            explained += Text(f"{' ' if words[move] else ''}Then {', '.join(labels)}", "dim")
        table.add_row(Text(game.move_label(move), "bold", no_wrap=True), explained)
    return table


def _moves_table(game: Game, choice: Choice, ranked: Sequence[MoveValue], top: int) -> Table:
    """Return a table of the `top` best moves, with a bar for each value."""
    values = [m.value for m in choice.moves]
    low, high = (0.0, 1.0) if choice.unit in ("probability", "share") else (min(*values, -1), max(*values, 1))
    table = new_table()
    for heading in ("move", "value", ""):
        table.add_column(heading, justify="right" if heading == "value" else "left", no_wrap=True)
    for m in ranked[:top]:
        filled = round(_BAR_WIDTH * (m.value - low) / (high - low))
        style = "bold" if m.move in choice.best else ""
        bar = Text("█" * filled, "green" if style else "cyan") + Text("░" * (_BAR_WIDTH - filled), "dim")
        table.add_row(Text(game.move_label(m.move), style), value_text(m.value, choice.unit, m.exact), bar)
    if len(ranked) > top:
        table.add_row(Text("...", "dim"), Text(f"and {len(ranked) - top} more", "dim"), "")
    return table


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Show a progress line on the error stream if that is a terminal; yield the function that updates it."""
    shown = sys.stderr.isatty()

    def write(text: str) -> None:
        if shown:
            short = textwrap.shorten(text, _MAX_PROGRESS_LENGTH, placeholder="...")
            sys.stderr.write(f"\r\x1b[K{printable(short)}")
            sys.stderr.flush()

    try:
        yield write
    finally:
        write("")


@contextmanager
def compiling_notice() -> Iterator[None]:
    """Print a notice on the error stream when a search has to be compiled first."""

    def notify(kernel: str | None) -> None:
        if kernel is not None:
            sys.stderr.write(f"compiling a search ({kernel}); cached for later ...\n")

    with compilations(notify):
        yield


@contextmanager
def thinking(agent: str, game: Game, watch: Watch) -> Iterator[None]:
    """Show a spinner with the depth and value of a search so far, or a notice while a kernel is compiled."""
    compiling: list[str] = []

    def notify(kernel: str | None) -> None:
        compiling[:] = [] if kernel is None else [kernel]

    def text() -> Text:
        if compiling:
            return Text("compiling the search; cached for later games ...", "dim")
        found = f"depth {watch.depth}, {watch.nodes:,} nodes" if watch.nodes else ""
        if watch.move is not None:
            found += f", {game.move_label(watch.move)}"
        if watch.value is not None:
            found += f", {value_text(watch.value, unit_of(game, False), False)}"
        return Text(f"{agent} is thinking  {found}", "dim")

    spinner = Spinner("dots")

    def render() -> Spinner:
        spinner.update(text=text())
        return spinner

    with compilations(notify):
        if console.is_terminal:
            with Live(get_renderable=render, console=console, transient=True, refresh_per_second=10):
                yield
        else:
            yield
