"""The commands of GTP 2, and those that KGS and GoGui add: each a function of the engine and its arguments.

A command returns its answer, None for an empty one, and raises KibitzError to
be answered with the error.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Player
from kibitz.core.version import __version__
from kibitz.games.go.gtp.lines import read_colour, read_vertex, score_text
from kibitz.games.go.players.mcts.owners import dead_stones
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE, Point, max_handicap
from kibitz.games.go.rules.scoring import Scoring

if TYPE_CHECKING:
    from kibitz.games.go.gtp.engine import GtpEngine

Arguments: TypeAlias = Sequence[str]
Handler: TypeAlias = Callable[["GtpEngine", Arguments], str | None]

MAX_CLOCK_SECONDS = 10_000_000
_RULES: Mapping[str, Scoring] = {"chinese": "area", "aga": "area", "new_zealand": "area", "japanese": "territory"}
_IS_DEAD = {"alive": False, "dead": True, "seki": None}
"""Status -> whether its stones are dead; stones in seki are listed as alive."""


# Reading arguments


def take(args: Arguments, *expected: str) -> Arguments:
    """Return the arguments if there are as many as expected. Raise BadText."""
    if len(args) != len(expected):
        raise BadText(f"syntax error: this command takes {', '.join(expected) or 'nothing'}")
    return args


def take_player(args: Arguments) -> Player:
    """Return the player of a command that takes a colour only. Raise BadText."""
    return read_colour(take(args, "a color")[0])


def whole(word: str) -> int:
    """Return a whole number, not below 0. Raise BadText."""
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise BadText(f"syntax error: {word[:20]!r} is not a whole number")
    return int(word)


def seconds(word: str) -> float:
    """Return a number of seconds. Raise BadText."""
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number <= MAX_CLOCK_SECONDS:
        raise BadText(f"syntax error: {word[:20]!r} is not a number of seconds")
    return number


def points_text(engine: GtpEngine, points: Iterable[Point]) -> str:
    """Return vertices, separated by spaces."""
    return " ".join(map(engine.position.game.move_text, points))


# Commands


def _known_command(engine: GtpEngine, args: Arguments) -> str:
    [name] = take(args, "the name of a command")
    return "true" if name in engine.commands else "false"


def _quit(engine: GtpEngine, args: Arguments) -> None:
    engine.quitting = True


def _boardsize(engine: GtpEngine, args: Arguments) -> None:
    size = whole(take(args, "a size")[0])
    if not 1 <= size <= MAX_BOARD_SIZE:
        raise BadText(f"unacceptable size: it must be 1 to {MAX_BOARD_SIZE}")
    engine.new_game(replace(engine.position.game, size=size))


def _komi(engine: GtpEngine, args: Arguments) -> None:
    [word] = take(args, "a komi")
    try:
        komi = float(word)
    except ValueError:
        raise BadText(f"syntax error: {word[:20]!r} is not a number") from None
    engine.position.change_rules(replace(engine.position.game, komi=komi))


def _kgs_rules(engine: GtpEngine, args: Arguments) -> None:
    name = take(args, "the name of rules")[0].lower()
    if name not in _RULES:
        raise BadText(f"unknown rules: use {', '.join(_RULES)}")
    game = replace(engine.position.game, scoring=_RULES[name], suicide=name == "new_zealand")
    engine.position.change_rules(game)


def _fixed_handicap(engine: GtpEngine, args: Arguments) -> str:
    stones = whole(take(args, "a number of stones")[0])
    return points_text(engine, engine.position.set_fixed_handicap(stones))


def _place_free_handicap(engine: GtpEngine, args: Arguments) -> str:
    """Put stones on the star points, fewer if the board has not enough of them: an engine may place fewer."""
    size, stones = engine.position.game.size, whole(take(args, "a number of stones")[0])
    if 2 <= stones < size**2:
        stones = min(stones, max_handicap(size))
    return points_text(engine, engine.position.set_fixed_handicap(stones))


def _set_free_handicap(engine: GtpEngine, args: Arguments) -> None:
    engine.position.set_stones([read_vertex(engine.position.game, word) for word in args])


def _play(engine: GtpEngine, args: Arguments) -> None:
    colour, vertex = take(args, "a color", "a vertex")
    player = read_colour(colour)
    try:
        engine.position.play(player, read_vertex(engine.position.game, vertex))
    except IllegalMove as error:
        raise BadText(f"illegal move: {error}") from None


def _play_sequence(engine: GtpEngine, args: Arguments) -> None:
    """Play several moves, or none if one of them is illegal."""
    before = list(engine.position.states)
    try:
        for at in range(0, len(args), 2):
            _play(engine, args[at : at + 2])
    except BadText:
        engine.position.states = before
        raise


def _genmove(engine: GtpEngine, args: Arguments) -> str:
    return engine.generate(take_player(args))[0]


def _reg_genmove(engine: GtpEngine, args: Arguments) -> str:
    """Return the agent's move without playing it, whatever the clock says."""
    state, choice = engine.think(take_player(args), engine.budget)
    return state.game.move_text(choice.move)


def _time_settings(engine: GtpEngine, args: Arguments) -> None:
    main, extra, stones = take(args, "main time", "extra time", "stones")
    engine.clock.set(seconds(main), seconds(extra), whole(stones))


def _kgs_time_settings(engine: GtpEngine, args: Arguments) -> None:
    """Set the clock to a time system of KGS; byoyomi counts as one stone in each period."""
    match args:
        case ["none"]:
            engine.clock.set(0, 0, 0)
        case ["absolute", main]:
            engine.clock.set(seconds(main), 0, 0)
        case ["byoyomi", main, period, periods]:
            whole(periods)
            engine.clock.set(seconds(main), seconds(period), 1)
        case ["canadian", main, extra, stones]:
            engine.clock.set(seconds(main), seconds(extra), whole(stones))
        case _:
            raise BadText("syntax error: write none, absolute, byoyomi or canadian with their numbers")


def _time_left(engine: GtpEngine, args: Arguments) -> None:
    colour, left, stones = take(args, "a color", "seconds", "stones")
    engine.clock.set_left(read_colour(colour), seconds(left), whole(stones))


def _set_random_seed(engine: GtpEngine, args: Arguments) -> None:
    engine.current_agent().reset(whole(take(args, "a seed")[0]))


def _final_score(engine: GtpEngine, args: Arguments) -> str:
    state = engine.position.state
    return score_text(state.score(dead_stones(state)))


def _final_status_list(engine: GtpEngine, args: Arguments) -> str:
    """Return the stones of a status, one chain per line."""
    [status] = take(args, "alive, dead or seki")
    if status not in _IS_DEAD:
        raise BadText(f"invalid status {status[:20]!r}: use {', '.join(_IS_DEAD)}")
    state = engine.position.state
    dead = dead_stones(state)
    chains = {min(chain.stones): chain for chain in state.board.chains().values()}
    return "\n".join(
        points_text(engine, sorted(chain.stones))
        for first, chain in sorted(chains.items())
        if (first in dead) is _IS_DEAD[status]
    )


def _loadsgf(engine: GtpEngine, args: Arguments) -> None:
    if not args:
        raise BadText("syntax error: this command takes a file, and the number of a move")
    numbered = len(args) > 1 and args[-1].isascii() and args[-1].isdigit()
    name = " ".join(args[:-1] if numbered else args)
    engine.position.load(Path(name), whole(args[-1]) if numbered else None)
    engine.current_agent()  # so that an agent for the new rules is made now, not on its first move


def _showboard(engine: GtpEngine, args: Arguments) -> str:
    state = engine.position.state
    lines = state.game.draw(state, state.last if state.last >= 0 else None)
    drawn = "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
    return "\n" + drawn.replace("\N{MIDDLE DOT}", ".")


def _printsgf(engine: GtpEngine, args: Arguments) -> str:
    from kibitz.games.go.sgf.games import write

    states = engine.position.states
    if any(after.to_move == before.to_move for before, after in pairwise(states)):
        raise BadText("cannot write a game in which one player has moved twice")
    return write(states[0], [state.last for state in states[1:]])


COMMANDS: Mapping[str, Handler] = {
    "protocol_version": lambda engine, args: "2",
    "name": lambda engine, args: f"kibitz {engine.spec}",
    "version": lambda engine, args: __version__,
    "known_command": _known_command,
    "list_commands": lambda engine, args: "\n".join(engine.commands),
    "quit": _quit,
    "boardsize": _boardsize,
    "clear_board": lambda engine, args: engine.new_game(engine.position.game),
    "komi": _komi,
    "fixed_handicap": _fixed_handicap,
    "place_free_handicap": _place_free_handicap,
    "set_free_handicap": _set_free_handicap,
    "play": _play,
    "genmove": _genmove,
    "reg_genmove": _reg_genmove,
    "undo": lambda engine, args: engine.position.undo(),
    "time_settings": _time_settings,
    "time_left": _time_left,
    "final_score": _final_score,
    "final_status_list": _final_status_list,
    "loadsgf": _loadsgf,
    "showboard": _showboard,
    "printsgf": _printsgf,
    "set_random_seed": _set_random_seed,
    "cputime": lambda engine, args: f"{time.process_time():.3f}",
    "kgs-rules": _kgs_rules,
    "kgs-time_settings": _kgs_time_settings,
    "kgs-genmove_cleanup": _genmove,
    "gogui-play_sequence": _play_sequence,
    "gogui-interrupt": lambda engine, args: None,
}
