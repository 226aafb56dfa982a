"""The commands of GTP 2, each a function of the engine and its words that returns the answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.version import __version__
from kibitz.games.go.gtp.lines import read_colour, read_vertex, score_text
from kibitz.games.go.players.mcts.owners import dead_stones
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE, Point, max_handicap
from kibitz.games.go.rules.scoring import Scoring

if TYPE_CHECKING:
    from kibitz.games.go.gtp.engine import Engine

Words: TypeAlias = Sequence[str]
Order: TypeAlias = Callable[["Engine", Words], str | None]
"""Returns None if the answer was given already. Raises KibitzError, whose words are the answer then."""

MOST_SECONDS = 10_000_000
STATUSES = ("alive", "dead", "seki")


def take(words: Words, *what: str) -> Words:
    """Return the words if there are as many as are named. Raises BadText."""
    if len(words) != len(what):
        raise BadText(f"syntax error: this command takes {', '.join(what) or 'nothing'}")
    return words


def whole(word: str, what: str = "a whole number") -> int:
    """Return the whole number of a word, not below 0. Raises BadText."""
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise BadText(f"syntax error: {word[:20]!r} is not {what}")
    return int(word)


def seconds(word: str) -> float:
    """Return the seconds of a word. Raises BadText."""
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number <= MOST_SECONDS:
        raise BadText(f"syntax error: {word[:20]!r} is not a number of seconds")
    return number


def points_text(engine: Engine, points: Sequence[Point]) -> str:
    """Return vertices, parted by spaces."""
    return " ".join(engine.table.game.move_text(point) for point in points)


def _name(engine: Engine, words: Words) -> str:
    return f"kibitz {engine.spec}"


def _known(engine: Engine, words: Words) -> str:
    [name] = take(words, "the name of a command")
    return "true" if name in engine.commands else "false"


def _quit(engine: Engine, words: Words) -> str:
    engine.left = True
    return ""


def _boardsize(engine: Engine, words: Words) -> str:
    [word] = take(words, "a size")
    size = whole(word)
    if not 1 <= size <= MAX_BOARD_SIZE:
        raise BadText(f"unacceptable size: it must be 1 to {MAX_BOARD_SIZE}")
    engine.new_game(replace(engine.table.game, size=size))
    return ""


def _clear_board(engine: Engine, words: Words) -> str:
    engine.new_game(engine.table.game)
    return ""


def _komi(engine: Engine, words: Words) -> str:
    [word] = take(words, "a komi")
    try:
        komi = float(word)
    except ValueError:
        raise BadText(f"syntax error: {word[:20]!r} is not a number") from None
    engine.table.change(komi=komi)
    return ""


def _rules(engine: Engine, words: Words) -> str:
    [name] = take(words, "the name of rules")
    known: Mapping[str, Scoring] = {"chinese": "area", "aga": "area", "new_zealand": "area", "japanese": "territory"}
    if name.lower() not in known:
        raise BadText(f"unknown rules: there are {', '.join(known)}")
    engine.table.change(scoring=known[name.lower()], suicide=name.lower() == "new_zealand")
    return ""


def _fixed_handicap(engine: Engine, words: Words) -> str:
    [word] = take(words, "a number of stones")
    points = engine.table.fixed_handicap(whole(word))
    engine.table.set_stones(points)
    return points_text(engine, points)


def _place_free_handicap(engine: Engine, words: Words) -> str:
    """Put stones on the star points, at most as many as there are: an engine may place fewer."""
    [word] = take(words, "a number of stones")
    table, stones = engine.table, whole(word)
    if 2 <= stones < table.game.size**2:
        stones = min(stones, max_handicap(table.game.size))
    points = table.fixed_handicap(stones)
    table.set_stones(points)
    return points_text(engine, points)


def _set_free_handicap(engine: Engine, words: Words) -> str:
    engine.table.set_stones([read_vertex(engine.table.game, word) for word in words])
    return ""


def _play(engine: Engine, words: Words) -> str:
    colour, vertex = take(words, "a color", "a vertex")
    player = read_colour(colour)
    try:
        engine.table.play(player, read_vertex(engine.table.game, vertex))
    except IllegalMove as error:
        raise BadText(f"illegal move: {error}") from None
    return ""


def _play_sequence(engine: Engine, words: Words) -> str:
    """Play several moves, or none if one of them is illegal."""
    before = list(engine.table.states)
    try:
        for at in range(0, len(words), 2):
            _play(engine, words[at : at + 2])
    except BadText:
        engine.table.states = before
        raise
    return ""


def _genmove(engine: Engine, words: Words) -> str:
    return engine.generate(read_colour(take(words, "a color")[0]))[0]


def _reg_genmove(engine: Engine, words: Words) -> str:
    """Tell what the agent would play, without playing it and without the clock."""
    player = read_colour(take(words, "a color")[0])
    state, choice = engine.think(player, engine.budget)
    return state.game.move_text(choice.move)


def _undo(engine: Engine, words: Words) -> str:
    engine.table.undo()
    return ""


def _time_settings(engine: Engine, words: Words) -> str:
    main, extra, stones = take(words, "main time", "extra time", "stones")
    engine.clock.set(seconds(main), seconds(extra), whole(stones))
    return ""


def _kgs_time_settings(engine: Engine, words: Words) -> str:
    """Set the clock as KGS tells it; Japanese extra time counts as one stone in each period."""
    match words:
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
    return ""


def _time_left(engine: Engine, words: Words) -> str:
    colour, left, stones = take(words, "a color", "seconds", "stones")
    engine.clock.tell(read_colour(colour), seconds(left), whole(stones))
    return ""


def _set_random_seed(engine: Engine, words: Words) -> str:
    engine.seat().reset(whole(take(words, "a seed")[0]))
    return ""


def _final_score(engine: Engine, words: Words) -> str:
    state = engine.table.state
    return score_text(state.score(dead_stones(state)))


def _final_status_list(engine: Engine, words: Words) -> str:
    """List stones chain by chain; those in seki are told as alive."""
    [status] = take(words, "alive, dead or seki")
    if status not in STATUSES:
        raise BadText(f"invalid status {status[:20]!r}: there are {', '.join(STATUSES)}")
    state = engine.table.state
    dead = dead_stones(state)
    chains = {min(chain.stones): chain for chain in state.board.chains().values()}
    wanted = {"alive": False, "dead": True}.get(status)
    return "\n".join(
        points_text(engine, sorted(chain.stones))
        for first, chain in sorted(chains.items())
        if (first in dead) is wanted
    )


def _loadsgf(engine: Engine, words: Words) -> str:
    if not words:
        raise BadText("syntax error: this command takes a file, and the number of a move")
    numbered = len(words) > 1 and words[-1].isascii() and words[-1].isdigit()
    name = " ".join(words[:-1] if numbered else words)
    engine.table.load(Path(name), whole(words[-1]) if numbered else None)
    engine.seat()
    return ""


def _showboard(engine: Engine, words: Words) -> str:
    state = engine.table.state
    lines = state.game.draw(state, state.last if state.last >= 0 else None)
    drawn = "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
    return "\n" + drawn.replace("\N{MIDDLE DOT}", ".")


def _printsgf(engine: Engine, words: Words) -> str:
    from kibitz.games.go.sgf.games import write

    states = engine.table.states
    if any(after.to_move == before.to_move for before, after in pairwise(states)):
        raise BadText("cannot write a game in which one player has moved twice")
    return write(states[0], [state.last for state in states[1:]])


COMMANDS: Mapping[str, Order] = {
    "protocol_version": lambda engine, words: "2",
    "name": _name,
    "version": lambda engine, words: __version__,
    "known_command": _known,
    "list_commands": lambda engine, words: "\n".join(engine.commands),
    "quit": _quit,
    "boardsize": _boardsize,
    "clear_board": _clear_board,
    "komi": _komi,
    "fixed_handicap": _fixed_handicap,
    "place_free_handicap": _place_free_handicap,
    "set_free_handicap": _set_free_handicap,
    "play": _play,
    "genmove": _genmove,
    "reg_genmove": _reg_genmove,
    "undo": _undo,
    "time_settings": _time_settings,
    "time_left": _time_left,
    "final_score": _final_score,
    "final_status_list": _final_status_list,
    "loadsgf": _loadsgf,
    "showboard": _showboard,
    "printsgf": _printsgf,
    "set_random_seed": _set_random_seed,
    "cputime": lambda engine, words: f"{time.process_time():.3f}",
    "kgs-rules": _rules,
    "kgs-time_settings": _kgs_time_settings,
    "kgs-genmove_cleanup": _genmove,
    "gogui-play_sequence": _play_sequence,
    "gogui-interrupt": lambda engine, words: "",
}
