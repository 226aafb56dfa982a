"""Game record files on the command line: choosing a game, printing its heading, warning of bad lines."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import Annotated

import typer

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Game
from kibitz.core.record import GameRecord, Records, check_record_file, read_records
from kibitz.core.spec import FileText, parameters
from kibitz.core.untrusted import printable

RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="A file of game records.")]
GameNumber = Annotated[int | None, typer.Option("--game", metavar="N", help="Which game, from 1; the last by default.")]


def notation_of(game: Game, path: Path) -> str | None:
    """Return the notation that the ending of a file's name stands for, such as sgf; None for game records."""
    name = path.suffix[1:].lower()
    kinds = registry.package(game.name).make_notations().kinds
    return name if any((kind.name, kind.kind) == (name, "game") for kind in kinds) else None


def check_save_file(game: Game, path: Path) -> None:
    """Raise BadText unless a game can be appended to this file."""
    if notation_of(game, path) is None:
        check_record_file(path)
    elif not path.parent.is_dir() or path.is_dir():
        raise BadText(f"Cannot write {path}: there is no folder {path.parent}, or it is a folder itself.")


def read_games(path: Path) -> Records:
    """Read a record file, or one game in the notation that a file's name ends in (x.sgf). Raise BadText."""
    name = next((name for name in registry.names() if notation_of(registry.game(name), path) is not None), None)
    if name is None:
        return read_records(path)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadText(f"Cannot read {path}: {error.strerror}.") from None
    notations, game = registry.package(name).make_notations(), registry.game(name)
    try:
        start, moves = notations.read(game, text, None)
        signed = notations.signature(text, None)
    except KibitzError as error:
        raise BadText(f"{path}: {error}") from None
    game = start.game
    end = reduce(lambda state, move: state.play(move), moves, start).outcome()
    players, stated = ("", ""), end
    if signed is not None:
        players, stated = signed.players, signed.outcome or end
    is_known = stated is not None and (end is None or end.result == stated.result)  # else it counts other dead stones
    record = GameRecord(
        name,
        game.options,
        (players[0] or "?", players[1] or "?"),
        tuple(map(game.move_text, moves)),
        stated.result if stated is not None and is_known else "*",
        "" if stated is None else stated.reason,
        start=game.position_text(start),
    )
    return Records([record], [1])


def choose_game(file: Path, records: Records, number: int | None) -> tuple[int, GameRecord]:
    """Return the number and record of the requested game, by default the last. Raise KibitzError if there is none."""
    if not records.good:
        raise BadText(f"{file} holds no {'readable ' if records.bad else ''}games.")
    check_number(file, records, number)
    at = len(records.good) if number is None else number
    return at, records.good[at - 1]


def check_number(file: Path, records: Records, number: int | None) -> None:
    """Raise BadOption unless the file holds a game with this number, counted from 1, or the number is None."""
    if number is not None and not 1 <= number <= len(records.good):
        raise BadOption(f"Game {number} does not exist: {file} holds {len(records.good)} readable games.")


def warn(sentence: str) -> None:
    """Print a warning on the error stream."""
    typer.echo(f"kibitz: {printable(sentence)}", err=True)


def warn_of_bad_lines(file: Path, records: Records) -> None:
    """Warn of each line that is not a game record."""
    for line, problem in records.bad:
        warn(f"{file}, line {line}: {problem}; skipped.")


def show_heading(number: int, record: GameRecord) -> None:
    """Print a game's number, its name, the options that differ from the defaults, and the players."""
    from kibitz.cli.show import console

    players = " v ".join(printable(name) for name in record.agents)
    console.print(f"Game {number}: {record.game}{_options_text(record)}, {players}", style="bold")


def _options_text(record: GameRecord) -> str:
    """Return the options that differ from the defaults, in brackets, or an empty string."""
    known = parameters(registry.game_class(record.game))
    changed = {key: value for key, value in record.options.items() if key in known and value != known[key][1]}
    texts = [f"{key}=..." if known[key][0] == FileText else f"{key}={value}" for key, value in changed.items()]
    return f" ({', '.join(texts)})" if texts else ""


def show_result(record: GameRecord) -> None:
    """Print the result of a game."""
    from kibitz.cli.show import console

    console.print(f"{record.result}  {printable(record.reason)}")
