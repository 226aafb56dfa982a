"""GTP commands by which GUIs show an analysis: values of moves, expected play, ownership of points.

lz-analyze and kata-analyze serve Sabaki and similar programs, the commands
listed by gogui-analyze_commands serve GoGui.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kibitz.core.agent import Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadText
from kibitz.games.go.evaluate import EVALUATIONS
from kibitz.games.go.gtp.commands import Arguments, Handler, points_text, take, take_player
from kibitz.games.go.gtp.lines import read_colour
from kibitz.games.go.players.mcts.owners import owners
from kibitz.games.go.rules import GoState
from kibitz.games.go.words import reasons

if TYPE_CHECKING:
    from kibitz.games.go.gtp.engine import GtpEngine

FIRST_SEARCH_SECONDS = 1.0
"""Search this long at first unless the command says otherwise; each further search takes twice as long."""
MAX_SEARCH_SECONDS = 60.0
MAX_SHOWN_MOVES = 20

_GOGUI_COMMANDS = (
    "gfx/Values of Moves/kibitz-values %c",
    "var/Expected Play/kibitz-line %c",
    "string/Reasons for a Move/kibitz-why %m",
    "dboard/Owners/kibitz-owners",
    "plist/Legal Moves/all_legal %c",
    "plist/Dead Stones/final_status_list dead",
    "string/Final Score/final_score",
)


def winrate(value: float, unit: str | None) -> float:
    """Return a value as a win rate from 0 to 1; a share stays as it is, since GUIs have no other place for it."""
    if unit in ("probability", "share"):
        return value
    if unit == "result":
        return (value + 1) / 2
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, value / EVALUATIONS.known["score"].scale))))


def ranked(choice: Choice) -> list[MoveValue]:
    """Return the moves that an agent evaluated, its choice first, then the best. Raise BadText if there are none."""
    if not choice.moves:
        if choice.value is None:
            raise BadText("this agent does not evaluate moves")
        return [MoveValue(choice.move, choice.value, choice.exact, choice.line)]
    return sorted(choice.moves, key=lambda each: (each.move != choice.move, -each.value))[:MAX_SHOWN_MOVES]


def info_line(state: GoState, choice: Choice, kata: bool) -> str:
    """Return the line of lz-analyze or kata-analyze. The visits given for each move are those of the whole search."""
    visits, parts = max(choice.playouts or choice.nodes, 1), list[str]()
    for order, each in enumerate(ranked(choice)):
        rate = winrate(each.value, choice.unit)
        line = each.line or (choice.line if each.move == choice.move else ()) or (each.move,)
        shown = f"{rate:.6f}" if kata else str(round(10_000 * rate))
        lead = f" scoreLead {each.value:g} scoreMean {each.value:g}" if kata and choice.unit == "points" else ""
        prior = "" if kata else " prior 0"
        play = " ".join(state.game.move_text(move) for move in line)
        move = state.game.move_text(each.move)
        parts.append(f"info move {move} visits {visits} winrate {shown}{lead}{prior} order {order} pv {play}")
    return " ".join(parts)


def _player_and_interval(engine: GtpEngine, args: Arguments) -> tuple[int, float]:
    """Return the player and the seconds of an analysis; ignore the other arguments that GUIs add."""
    player, seconds = engine.position.state.to_move, FIRST_SEARCH_SECONDS
    if args and args[0].lower() in ("b", "w", "black", "white"):
        player, args = read_colour(args[0]), args[1:]
    numbers = [word for word in args if word.isascii() and word.isdigit() and len(word) <= 6]
    if "interval" in args[:-1]:
        numbers = [word for word in args[args.index("interval") + 1 :][:1] if word in numbers]
    if numbers:
        seconds = max(0.1, int(numbers[0]) / 100)
    return player, min(seconds, MAX_SEARCH_SECONDS)


def _analyse(engine: GtpEngine, args: Arguments, kata: bool) -> None:
    """Send values after each of ever longer searches, until the next line comes."""
    player, seconds = _player_and_interval(engine, args)
    engine.watch = Watch()
    engine.news.clear()
    engine.analysing = True
    opening = f"={engine.id}\n"
    try:
        while True:
            began = time.monotonic()
            if not engine.lines.empty():
                engine.watch.stop()
            state, choice = engine.think(player, Budget(seconds=seconds))
            engine.say(opening + info_line(state, choice, kata) + "\n")
            opening, engine.answered = "", True
            left = seconds - (time.monotonic() - began)
            if engine.watch.stopped or not engine.lines.empty() or (left > 0 and engine.news.wait(left)):
                break
            if choice.exact:
                engine.news.wait()
                break
            seconds = min(2 * seconds, MAX_SEARCH_SECONDS)
    finally:
        engine.analysing = False
    engine.say("\n")


def _genmove_analyse(engine: GtpEngine, args: Arguments, kata: bool) -> None:
    """Make a move and send the values of its search."""
    player, _ = _player_and_interval(engine, args)
    before = engine.position.turn_of(player)
    move, choice = engine.generate(player)
    info = ""
    if choice is not None and (choice.moves or choice.value is not None):
        info = info_line(before, choice, kata) + "\n"
    engine.say(f"={engine.id}\n{info}play {move}\n\n")
    engine.answered = True


def _values(engine: GtpEngine, args: Arguments) -> str:
    """Return the values of moves for GoGui to draw: percentages as labels, and squares that grow with them."""
    state, choice = engine.think(take_player(args), engine.budget)
    stones = [each for each in ranked(choice) if each.move != state.game.pass_move]
    rates = {state.game.move_text(each.move): winrate(each.value, choice.unit) for each in stones}
    best = state.game.move_text(choice.move)
    lines = [f"LABEL {point} {round(100 * rate)}" for point, rate in rates.items()]
    lines.append("INFLUENCE " + " ".join(f"{point} {2 * rate - 1:.3f}" for point, rate in rates.items()))
    return "\n".join([*lines, f"TEXT {choice.playouts or choice.nodes} searched, best {best}"])


def _line(engine: GtpEngine, args: Arguments) -> str:
    """Return the expected play as GoGui's variation: colours and points in turn."""
    state, choice = engine.think(take_player(args), engine.budget)
    player, parts = state.to_move, list[str]()
    for move in choice.line or (choice.move,):
        parts.append(f"{'BW'[player]} {state.game.move_text(move)}")
        player = 1 - player
    return " ".join(parts)


def _why(engine: GtpEngine, args: Arguments) -> str:
    """Return what a move does, in words."""
    colour, vertex = args if len(args) == 2 else ("", *take(args, "a vertex"))
    state = engine.position.turn_of(read_colour(colour) if colour else engine.position.state.to_move)
    clauses = reasons(state, state.game.parse_move(vertex))
    return ", ".join(clauses) or "no remarks"


def _owners(engine: GtpEngine, args: Arguments) -> str:
    """Return the expected owner of each point, from 1 for Black to -1 for White, row by row from the top."""
    size, shares = engine.position.game.size, owners(engine.position.state)
    rows = [shares[row * size : (row + 1) * size] for row in range(size)]
    return "\n" + "\n".join(" ".join(f"{share:.2f}" for share in row) for row in rows)


def _all_legal(engine: GtpEngine, args: Arguments) -> str:
    state = engine.position.turn_of(take_player(args))
    return points_text(engine, [move for move in state.legal_moves() if move != state.game.pass_move])


ANALYSIS: Mapping[str, Handler] = {
    "gogui-analyze_commands": lambda engine, args: "\n".join(_GOGUI_COMMANDS),
    "lz-analyze": lambda engine, args: _analyse(engine, args, kata=False),
    "kata-analyze": lambda engine, args: _analyse(engine, args, kata=True),
    "lz-genmove_analyze": lambda engine, args: _genmove_analyse(engine, args, kata=False),
    "kata-genmove_analyze": lambda engine, args: _genmove_analyse(engine, args, kata=True),
    "kibitz-values": _values,
    "kibitz-line": _line,
    "kibitz-why": _why,
    "kibitz-owners": _owners,
    "all_legal": _all_legal,
}
