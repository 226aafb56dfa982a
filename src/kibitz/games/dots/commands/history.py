"""kibitz dots history: the structures after every move of a recorded game, present and past."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import cast

import typer
from rich.table import Table
from rich.text import Text

from kibitz.cli import show
from kibitz.cli.options import AsJson
from kibitz.cli.records import GameNumber, RecordFile, choose_game, show_heading, show_result, warn_of_bad_lines
from kibitz.core.errors import BadText
from kibitz.core.record import GameRecord, read_records, replay
from kibitz.core.untrusted import JsonObject
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.theory import structure as theory
from kibitz.games.dots.theory.runs import Run, RunCounts
from kibitz.games.dots.theory.structure import Changes, History, Structure
from kibitz.games.dots.words.insight import RUN_LETTERS

LEGEND = (
    "c5 is a chain of 5, s a string, O a loop, P a possible loop with its joint, x3 stands for 3 dead boxes, 2C for "
    "a 2C-shape; + was formed, - was opened, s1+s2→s4 grew together. long: the long chains when the dead boxes are "
    "taken, and the player whom their number favours."
)


def history(file: RecordFile, number: GameNumber = None, as_json: AsJson = False) -> None:
    """Show the structures of a recorded game after every move: chains, strings and loops, present and past."""
    records = read_records(file)
    number, record = choose_game(file, records, number)
    where = f"{file}, line {records.lines[number - 1]}, game {number}"
    if record.game != "dots":
        raise BadText(f"{where}: this is a game of {record.game!r}, not of dots.")
    try:
        states = cast(Sequence[DotsState], replay(record))
    except BadText as error:
        raise BadText(f"{where}: {error}") from None
    past = theory.history_of(states)
    if as_json:
        typer.echo(json.dumps(history_json(record, states, past), ensure_ascii=False))
    else:
        _show(record, number, states, past)
    warn_of_bad_lines(file, records)
    if records.bad:
        raise typer.Exit(2)


def history_json(record: GameRecord, states: Sequence[DotsState], past: History) -> JsonObject:
    """Return the history of a game as --json prints it. On a grid the coordinates, always the same, are listed once."""
    game = states[0].game
    structures = [theory.structure_json(state) for state in states]
    coordinates, *_ = (structure.pop("coordinates", None) for structure in structures)  # the same in each
    coins = game.board.coins
    moves = []
    for i, (text, changes) in enumerate(zip(record.moves, past.changes, strict=True)):
        move, before, after = game.parse_move(text), states[i], states[i + 1]
        old, new = (dict(zip(past.structures[j].runs, structures[j]["runs"], strict=True)) for j in (i, i + 1))
        moves.append(
            {
                "number": i + 1,
                "player": game.players[before.to_move],
                "move": game.move_text(move),
                "boxes": [coins[coin] for coin in before.taken_by(move)],
                "scores": after.scores,
                "formed": [{**new[run], "grown_from": [old[part] for part in parts]} for run, parts in changes.formed],
                "opened": [old[run] for run in changes.opened],
                "structure": structures[i + 1],
            }
        )
    totals = {name: asdict(counts) for name, counts in _totals(past).items()}
    shapes = [[coins[coin] for coin in pair] for pair in past.two_c_shapes]
    return {
        "game": record.game,
        "options": record.options,
        "agents": record.agents,
        "result": record.result,
        "reason": record.reason,
        "start": structures[0],
        "moves": moves,
        "totals": {**totals, "joints": [coins[coin] for coin in past.joints], "two_c_shapes": shapes},
        **({"coordinates": coordinates} if coordinates else {}),
    }


def _totals(past: History) -> dict[str, RunCounts]:
    return {"present": past.present, "opened": past.opened, "grown": past.grown, "formed": past.formed}


def _show(record: GameRecord, number: int, states: Sequence[DotsState], past: History) -> None:
    """Print a game: its moves with the structures after each, the totals and the legend."""
    console = show.console
    show_heading(number, record)
    console.print(moves_table(record, states, past, console.width))
    show_result(record)
    console.print()
    console.print(totals_table(past))
    joints, shapes = len(past.joints), len(past.two_c_shapes)
    met = f"Runs met in {joints or 'no'} {'joint' if joints == 1 else 'joints'}"
    console.print(f"{met}; there {'was' if shapes == 1 else 'were'} {shapes or 'no'} 2C-shape{'s' * (shapes != 1)}.\n")
    console.print(LEGEND, style="dim")


def moves_table(record: GameRecord, states: Sequence[DotsState], past: History, width: int) -> Table:
    """Return a table with a row for the start and each move, with narrower gaps if needed to fit the width."""
    game = states[0].game
    table = show.new_table()
    for heading in ("", "by", "line", game.unit, "phase"):
        table.add_column(heading, no_wrap=heading != "line", justify="right" if heading in ("", game.unit) else "left")
    for heading in ("runs", "long", "change"):
        table.add_column(heading, no_wrap=heading == "long")
    for i, (state, structure) in enumerate(zip(states, past.structures, strict=True)):
        after = (structure.phase, runs_text(structure), _favour_text(state, structure))
        if i == 0:
            table.add_row(Text("0", "dim"), "", Text("start", "dim"), "", *after, "")
            continue
        move, before = game.parse_move(record.moves[i - 1]), states[i - 1]
        taken = len(before.taken_by(move))
        table.add_row(
            Text(str(i), "dim"),
            show.player_text(game, before.to_move),
            _line_text(before, move),
            f"+{taken}" if taken else "",
            *after,
            changes_text(past.changes[i - 1]),
        )
    return show.fitted(table, width)


def _line_text(state: DotsState, move: int) -> str:
    """Return the id of a line; on a grid, its number padded to the width of the longest, and its coordinates."""
    board = state.game.board
    if not board.is_grid:
        return board.ids[move]
    highest_number = len(board.ids) - 1
    return f"{str(move).rjust(len(str(highest_number)))} {board.line_text(move)}"


def run_text(run: Run) -> str:
    """Return a run as a letter for its kind and its size, such as c5 for a chain of 5 boxes."""
    return f"{RUN_LETTERS[run.name]}{run.size}"


def runs_text(structure: Structure) -> str:
    """Return the runs as text, sorted by kind and size, and the number of dead boxes: "c3 c5 s2×3 O4 x1"."""
    order = list(RUN_LETTERS)
    ordered = sorted(structure.runs, key=lambda run: (order.index(run.name), run.size))
    dead = [f"x{len(structure.dead)}"] if structure.dead else []
    return " ".join([*_counted_words(map(run_text, ordered)), *dead])


def _counted_words(words: Iterable[str]) -> list[str]:
    """Return the words without repetitions, each that was repeated with its count: "s2×3"."""
    return [word if n == 1 else f"{word}×{n}" for word, n in Counter(words).items()]


def changes_text(changes: Changes) -> str:
    """Return the runs that a move opened, grew and formed, and new 2C-shapes, as text: "-c5 s1+s2→s4 +2C"."""
    words = [f"-{run_text(run)}" for run in changes.opened]
    for run, parts in changes.formed:
        joined = "+".join(map(run_text, parts))
        words.append(f"{joined}→{run_text(run)}" if parts else f"+{run_text(run)}")
    return " ".join(_counted_words(words + ["+2C"] * changes.two_c_shapes))


def _favour_text(state: DotsState, structure: Structure) -> Text:
    """Return the number of long chains and the player whom it favours; empty if only dead boxes are left."""
    rule = structure.rule
    if rule is None:
        return Text()
    favoured = state.to_move if rule.favours_mover else 1 - state.to_move
    return Text(f"{rule.long_chains} ") + show.player_text(state.game, favoured)


def totals_table(past: History) -> Table:
    """Return a table of how many runs of each kind and size are present, opened, grown and ever formed."""
    table = show.new_table()
    table.add_column("", no_wrap=True)
    for heading in ("chains", "strings", "loops"):
        table.add_column(heading)
    table.add_column("long chains", justify="right")
    for name, counts in _totals(past).items():
        kinds = (("c", counts.chains), ("s", counts.strings), ("O", counts.loops))
        chains, strings, loops = (
            " ".join(_counted_words(f"{letter}{size}" for size in Counter(sizes).elements())) for letter, sizes in kinds
        )
        table.add_row(
            Text("ever formed" if name == "formed" else name, "dim"),
            chains,
            strings,
            f"{loops} ({counts.possible_loops} possible)" if counts.possible_loops else loops,
            str(counts.long_chains),
            style="bold" if name == "formed" else "",
        )
    return table
