"""What GUIs show of an agent's thoughts: values of moves, the play expected, owners of points.

lz-analyze and kata-analyze are for Sabaki and its like, the commands that
gogui-analyze_commands lists for GoGui.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kibitz.core.agent import Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadText
from kibitz.games.go.evaluate import EVALUATIONS
from kibitz.games.go.gtp.commands import Order, Words, points_text, take
from kibitz.games.go.gtp.lines import read_colour
from kibitz.games.go.players.mcts.owners import owners
from kibitz.games.go.rules import GoState
from kibitz.games.go.words import reasons

if TYPE_CHECKING:
    from kibitz.games.go.gtp.engine import Engine

INTERVAL = 1.0
"""Seconds of the first look where none is asked for; each further one takes twice as long."""
LONGEST_LOOK = 60.0
SHOWN = 20
"""How many moves are told."""

_LISTED = (
    "gfx/Values of Moves/kibitz-values %c",
    "var/Expected Play/kibitz-line %c",
    "string/Reasons for a Move/kibitz-why %m",
    "dboard/Owners/kibitz-owners",
    "plist/Legal Moves/all_legal %c",
    "plist/Dead Stones/final_status_list dead",
    "string/Final Score/final_score",
)


def winrate(value: float, unit: str | None) -> float:
    """Return a value as the chance to win, 0 to 1; a share as it is, since GUIs have no other place for it."""
    if unit in ("probability", "share"):
        return value
    if unit == "result":
        return (value + 1) / 2
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, value / EVALUATIONS.known["score"].scale))))


def ranked(choice: Choice) -> list[MoveValue]:
    """Return the moves that an agent values, its choice first, then the best. Raises BadText if it values none."""
    if not choice.moves:
        if choice.value is None:
            raise BadText("this agent does not say what moves are worth")
        return [MoveValue(choice.move, choice.value, choice.exact, choice.line)]
    return sorted(choice.moves, key=lambda each: (each.move != choice.move, -each.value))[:SHOWN]


def info_line(state: GoState, choice: Choice, kata: bool) -> str:
    """Return what lz-analyze or kata-analyze tells. The visits are those of the whole search, for each move."""
    visits, parts = max(choice.playouts or choice.nodes, 1), list[str]()
    for order, each in enumerate(ranked(choice)):
        rate = winrate(each.value, choice.unit)
        line = each.line or (choice.line if each.move == choice.move else ()) or (each.move,)
        told = f"{rate:.6f}" if kata else str(round(10_000 * rate))
        lead = f" scoreLead {each.value:g} scoreMean {each.value:g}" if kata and choice.unit == "points" else ""
        prior = "" if kata else " prior 0"
        play = " ".join(state.game.move_text(move) for move in line)
        move = state.game.move_text(each.move)
        parts.append(f"info move {move} visits {visits} winrate {told}{lead}{prior} order {order} pv {play}")
    return " ".join(parts)


def _player_and_interval(engine: Engine, words: Words) -> tuple[int, float]:
    """Return the colour and the seconds of an analysis; other words, which GUIs add, are passed over."""
    player, seconds = engine.table.state.to_move, INTERVAL
    if words and words[0].lower() in ("b", "w", "black", "white"):
        player, words = read_colour(words[0]), words[1:]
    numbers = [word for word in words if word.isascii() and word.isdigit() and len(word) <= 6]
    if "interval" in words[:-1]:
        numbers = [word for word in words[words.index("interval") + 1 :][:1] if word in numbers]
    if numbers:
        seconds = max(0.1, int(numbers[0]) / 100)
    return player, min(seconds, LONGEST_LOOK)


def _analyse(engine: Engine, words: Words, kata: bool) -> None:
    """Tell values again and again until the next line comes, each time after a longer look."""
    player, seconds = _player_and_interval(engine, words)
    engine.watch = Watch()
    engine.news.clear()
    engine.analysing = True
    begun = False
    try:
        while True:
            began = time.monotonic()
            if not engine.lines.empty():
                engine.watch.stop()
            state, choice = engine.think(player, Budget(seconds=seconds))
            told = info_line(state, choice, kata)
            engine.say(("" if begun else f"={engine.id}\n") + told + "\n")
            begun = True
            left = seconds - (time.monotonic() - began)
            if engine.watch.stopped or not engine.lines.empty() or (left > 0 and engine.news.wait(left)):
                break
            if choice.exact:
                engine.news.wait()
                break
            seconds = min(2 * seconds, LONGEST_LOOK)
    finally:
        engine.analysing = False
    engine.say("\n")


def _genmove_analyse(engine: Engine, words: Words, kata: bool) -> None:
    """Make a move and tell the values that led to it."""
    player, _ = _player_and_interval(engine, words)
    before = engine.table.turn_of(player)
    move, choice = engine.generate(player)
    told = ""
    if choice is not None and (choice.moves or choice.value is not None):
        told = info_line(before, choice, kata) + "\n"
    engine.say(f"={engine.id}\n{told}play {move}\n\n")


def _look(engine: Engine, words: Words) -> tuple[GoState, Choice]:
    player = read_colour(take(words, "a color")[0])
    return engine.think(player, engine.budget)


def _values(engine: Engine, words: Words) -> str:
    """Return the values of moves as GoGui draws them: percent on the points, the better the larger the square."""
    state, choice = _look(engine, words)
    found = [each for each in ranked(choice) if each.move != state.game.pass_move]
    rates = {state.game.move_text(each.move): winrate(each.value, choice.unit) for each in found}
    best = state.game.move_text(choice.move)
    lines = [f"LABEL {point} {round(100 * rate)}" for point, rate in rates.items()]
    lines.append("INFLUENCE " + " ".join(f"{point} {2 * rate - 1:.3f}" for point, rate in rates.items()))
    return "\n".join([*lines, f"TEXT {choice.playouts or choice.nodes} looked at, best {best}"])


def _line(engine: Engine, words: Words) -> str:
    """Return the play expected as GoGui's variation: colours and points in turn."""
    state, choice = _look(engine, words)
    player, parts = state.to_move, list[str]()
    for move in choice.line or (choice.move,):
        parts.append(f"{'BW'[player]} {state.game.move_text(move)}")
        player = 1 - player
    return " ".join(parts)


def _why(engine: Engine, words: Words) -> str:
    """Return what a move of the player to move does, in words."""
    colour, vertex = words if len(words) == 2 else ("", *take(words, "a vertex"))
    state = engine.table.turn_of(read_colour(colour) if colour else engine.table.state.to_move)
    clauses = reasons(state, state.game.parse_move(vertex))
    return ", ".join(clauses) or "nothing can be said of it"


def _owners(engine: Engine, words: Words) -> str:
    """Return how much each point will be Black's (1) or White's (-1), row by row from the top."""
    size, shares = engine.table.game.size, owners(engine.table.state)
    rows = [shares[row * size : (row + 1) * size] for row in range(size)]
    return "\n" + "\n".join(" ".join(f"{share:.2f}" for share in row) for row in rows)


def _all_legal(engine: Engine, words: Words) -> str:
    state = engine.table.turn_of(read_colour(take(words, "a color")[0]))
    return points_text(engine, [move for move in state.legal_moves() if move != state.game.pass_move])


ANALYSIS: Mapping[str, Order] = {
    "gogui-analyze_commands": lambda engine, words: "\n".join(_LISTED),
    "lz-analyze": lambda engine, words: _analyse(engine, words, kata=False),
    "kata-analyze": lambda engine, words: _analyse(engine, words, kata=True),
    "lz-genmove_analyze": lambda engine, words: _genmove_analyse(engine, words, kata=False),
    "kata-genmove_analyze": lambda engine, words: _genmove_analyse(engine, words, kata=True),
    "kibitz-values": _values,
    "kibitz-line": _line,
    "kibitz-why": _why,
    "kibitz-owners": _owners,
    "all_legal": _all_legal,
}
