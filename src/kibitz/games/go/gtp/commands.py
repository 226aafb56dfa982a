"""The commands of GTP 2, and those added by KGS and GUIs: functions that take the engine and the arguments.

A command returns its answer, or None for an empty one; if it raises KibitzError,
the answer is that error. Sabaki and similar programs show an analysis with
lz-analyze and kata-analyze, GoGui with the commands in gogui-analyze_commands.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kibitz.core.agent import Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Player
from kibitz.core.version import __version__
from kibitz.games.go.evaluate import EVALUATIONS
from kibitz.games.go.gtp.lines import read_colour, read_vertex, score_text
from kibitz.games.go.players.mcts.owners import dead_stones, expected_owners
from kibitz.games.go.rules import MAX_BOARD_SIZE, GoState, Point, Scoring, max_handicap
from kibitz.games.go.words.reasons import reasons

if TYPE_CHECKING:
    from kibitz.games.go.gtp.engine import GtpEngine

Arguments: TypeAlias = Sequence[str]
Handler: TypeAlias = Callable[["GtpEngine", Arguments], str | None]

MAX_CLOCK_SECONDS = 10_000_000
_RULES: Mapping[str, Scoring] = {"chinese": "area", "aga": "area", "new_zealand": "area", "japanese": "territory"}
FIRST_SEARCH_SECONDS = 1.0
"""Time between two reports of an analysis unless the command sets it."""
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
_IS_DEAD = {"alive": False, "dead": True, "seki": None}
"""Status -> whether it lists dead stones; None lists nothing, since stones in seki are listed as alive."""


# Reading arguments


def expect(args: Arguments, *expected: str) -> Arguments:
    """Return the arguments if there are as many as expected. Otherwise raise BadText, naming those expected."""
    if len(args) != len(expected):
        raise BadText(f"syntax error: this command takes {', '.join(expected) or 'nothing'}")
    return args


def parse_player(args: Arguments) -> Player:
    """Parse the arguments of a command that takes only a colour; return the player. Raise BadText if invalid."""
    return read_colour(expect(args, "a color")[0])


def parse_whole(word: str) -> int:
    """Parse a whole number of up to nine digits. Raise BadText if the word is anything else."""
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise BadText(f"syntax error: {word[:20]!r} is not a whole number")
    return int(word)


def parse_seconds(word: str) -> float:
    """Parse a number of seconds. Raise BadText unless it is 0 to MAX_CLOCK_SECONDS."""
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number <= MAX_CLOCK_SECONDS:
        raise BadText(f"syntax error: {word[:20]!r} is not a number of seconds")
    return number


def points_text(engine: GtpEngine, points: Iterable[Point]) -> str:
    """Return points as GTP vertices, separated by spaces."""
    return " ".join(map(engine.position.game.move_text, points))


# Commands


def _known_command(engine: GtpEngine, args: Arguments) -> str:
    [name] = expect(args, "the name of a command")
    return "true" if name in engine.commands else "false"


def _quit(engine: GtpEngine, args: Arguments) -> None:
    engine.quitting = True


def _boardsize(engine: GtpEngine, args: Arguments) -> None:
    size = parse_whole(expect(args, "a size")[0])
    if not 1 <= size <= MAX_BOARD_SIZE:
        raise BadText(f"unacceptable size: it must be 1 to {MAX_BOARD_SIZE}")
    engine.new_game(replace(engine.position.game, size=size))


def _komi(engine: GtpEngine, args: Arguments) -> None:
    [word] = expect(args, "a komi")
    try:
        komi = float(word)
    except ValueError:
        raise BadText(f"syntax error: {word[:20]!r} is not a number") from None
    engine.position.change_rules(replace(engine.position.game, komi=komi))


def _kgs_rules(engine: GtpEngine, args: Arguments) -> None:
    name = expect(args, "the name of rules")[0].lower()
    if name not in _RULES:
        raise BadText(f"unknown rules {name[:20]!r}: use {', '.join(_RULES)}")
    game = replace(engine.position.game, scoring=_RULES[name], suicide=name == "new_zealand")
    engine.position.change_rules(game)


def _fixed_handicap(engine: GtpEngine, args: Arguments) -> str:
    stones = parse_whole(expect(args, "a number of stones")[0])
    return points_text(engine, engine.position.set_fixed_handicap(stones))


def _place_free_handicap(engine: GtpEngine, args: Arguments) -> str:
    """Put handicap stones on the star points; if there are too few, place fewer stones, which GTP allows."""
    size, stones = engine.position.game.size, parse_whole(expect(args, "a number of stones")[0])
    if 2 <= stones < size**2:
        stones = min(stones, max_handicap(size))
    return points_text(engine, engine.position.set_fixed_handicap(stones))


def _set_free_handicap(engine: GtpEngine, args: Arguments) -> None:
    engine.position.set_handicap_stones([read_vertex(engine.position.game, word) for word in args])


def _play(engine: GtpEngine, args: Arguments) -> None:
    colour, vertex = expect(args, "a color", "a vertex")
    player = read_colour(colour)
    try:
        engine.position.play(player, read_vertex(engine.position.game, vertex))
    except IllegalMove as error:
        raise BadText(f"illegal move: {error}") from None


def _play_sequence(engine: GtpEngine, args: Arguments) -> None:
    """Play several moves; if one of them is illegal, play none."""
    states_before = list(engine.position.states)
    try:
        for i in range(0, len(args), 2):
            _play(engine, args[i : i + 2])
    except BadText:
        engine.position.states = states_before
        raise


def _genmove(engine: GtpEngine, args: Arguments) -> str:
    return engine.generate(parse_player(args))[0]


def _reg_genmove(engine: GtpEngine, args: Arguments) -> str:
    """Return the agent's move without playing it; ignore the clock."""
    state, choice = engine.think(parse_player(args), engine.budget)
    return state.game.move_text(choice.move)


def _time_settings(engine: GtpEngine, args: Arguments) -> None:
    main, extra, stones = expect(args, "main time", "extra time", "stones")
    engine.clock.set(parse_seconds(main), parse_seconds(extra), parse_whole(stones))


def _kgs_time_settings(engine: GtpEngine, args: Arguments) -> None:
    """Set the clock to a KGS time system; byoyomi is treated as one stone per period."""
    match args:
        case ["none"]:
            engine.clock.set(0, 0, 0)
        case ["absolute", main]:
            engine.clock.set(parse_seconds(main), 0, 0)
        case ["byoyomi", main, period, periods]:
            parse_whole(periods)
            engine.clock.set(parse_seconds(main), parse_seconds(period), 1)
        case ["canadian", main, extra, stones]:
            engine.clock.set(parse_seconds(main), parse_seconds(extra), parse_whole(stones))
        case _:
            raise BadText("syntax error: write none, absolute, byoyomi or canadian with their numbers")


def _time_left(engine: GtpEngine, args: Arguments) -> None:
    colour, left, stones = expect(args, "a color", "seconds", "stones")
    engine.clock.set_left(read_colour(colour), parse_seconds(left), parse_whole(stones))


def _set_random_seed(engine: GtpEngine, args: Arguments) -> None:
    engine.current_agent().reset(parse_whole(expect(args, "a seed")[0]))


def _final_score(engine: GtpEngine, args: Arguments) -> str:
    state = engine.position.state
    return score_text(state.score(dead_stones(state)))


def _final_status_list(engine: GtpEngine, args: Arguments) -> str:
    """Return the stones with the given status (alive, dead or seki), one chain per line."""
    [status] = expect(args, "alive, dead or seki")
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
        raise BadText("syntax error: this command takes a file and, optionally, a move number")
    has_number = len(args) > 1 and args[-1].isascii() and args[-1].isdigit()
    name = " ".join(args[:-1] if has_number else args)
    engine.position.load(Path(name), parse_whole(args[-1]) if has_number else None)
    engine.current_agent()  # make an agent for the new rules now rather than on its first move


def _showboard(engine: GtpEngine, args: Arguments) -> str:
    state = engine.position.state
    lines = state.game.draw(state, state.last if state.last >= 0 else None)
    drawn = "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
    return "\n" + drawn.replace("\N{MIDDLE DOT}", ".")


def _printsgf(engine: GtpEngine, args: Arguments) -> str:
    from kibitz.games.go.sgf.games import write

    states = engine.position.states
    if any(after.to_move == before.to_move for before, after in pairwise(states)):
        raise BadText("cannot write a game in which a player has moved twice in a row")
    return write(states[0], [state.last for state in states[1:]])


# Analysis


def winrate(value: float, unit: str | None) -> float:
    """Convert a value to a win rate from 0 to 1; a share is returned as is, since GUIs have no other place for it."""
    if unit in ("probability", "share"):
        return value
    if unit == "result":
        return (value + 1) / 2
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, value / EVALUATIONS.known["score"].scale))))


def ranked_moves(choice: Choice) -> list[MoveValue]:
    """Return the moves an agent evaluated: its choice, then the others, best first. Raise BadText if there are none."""
    if choice.moves:
        return list(choice.candidates[:MAX_SHOWN_MOVES])
    if choice.value is None:
        raise BadText("this agent does not evaluate moves: start kibitz go gtp with another --agent")
    return [MoveValue(choice.move, choice.value, choice.exact, choice.line)]


@dataclass
class AnalysisOrder:
    """What lz-analyze or kata-analyze asks for."""

    player: Player
    seconds: float = FIRST_SEARCH_SECONDS
    """Time between two reports."""
    max_moves: int = MAX_SHOWN_MOVES
    fields: set[str] = field(default_factory=set)
    """Fields of kata-analyze: rootInfo, ownership."""

    @staticmethod
    def read(args: Arguments, player: Player, kata: bool) -> AnalysisOrder:
        """Parse the arguments of an analysis: colour, centiseconds, and pairs of names and values, all optional.

        Ignore unknown pairs, which GUIs may add. Raise BadText for a value that is not a number where one belongs.
        """
        order, words = AnalysisOrder(player), list(args)
        if words and words[0].lower() in ("b", "w", "black", "white"):
            order.player = read_colour(words.pop(0))
        if words and words[0].isascii() and words[0].isdigit():
            words.insert(0, "interval")
        for name, value in pairwise(words):
            if name == "interval":
                order.seconds = min(max(0.1, parse_whole(value) / 100), MAX_SEARCH_SECONDS)
            elif name == "maxmoves":
                order.max_moves = max(1, parse_whole(value))
            elif kata and name in ("rootInfo", "ownership") and value.lower() == "true":
                order.fields.add(name)
        return order


def info_line(state: GoState, choice: Choice, order: AnalysisOrder, kata: bool) -> str:
    """Return the line that lz-analyze or kata-analyze sends. Moves without visits get those of the whole search."""
    total, parts = max(choice.playouts or choice.nodes, 1), list[str]()
    for rank, each in enumerate(ranked_moves(choice)[: order.max_moves]):
        rate = winrate(each.value, choice.unit)
        line = each.line or (choice.line if each.move == choice.move else ()) or (each.move,)
        shown = f"{rate:.6f}" if kata else str(round(10_000 * rate))
        score = each.value if choice.unit == "points" else each.score
        lead = f" scoreLead {score:.3f} scoreMean {score:.3f}" if kata and score is not None else ""
        play, visits = " ".join(map(state.game.move_text, line)), total if each.visits is None else each.visits
        move, prior = state.game.move_text(each.move), "" if kata else " prior 0"
        parts.append(f"info move {move} visits {visits} winrate {shown}{lead}{prior} order {rank} pv {play}")
    if "rootInfo" in order.fields and choice.value is not None:
        lead = "" if choice.score is None else f" scoreLead {choice.score:.3f} scoreMean {choice.score:.3f}"
        parts.append(f"rootInfo visits {total} winrate {winrate(choice.value, choice.unit):.6f}{lead}")
    if "ownership" in order.fields:
        parts.append("ownership " + " ".join(f"{owner:.3f}" for owner in _owners_for_mover(state, choice)))
    return " ".join(parts)


def _owners_for_mover(state: GoState, choice: Choice) -> Sequence[float]:
    """Return the expected owner of each point, from 1 for the player to move to -1."""
    if choice.owners:
        return choice.owners
    return [share if state.to_move == 0 else -share for share in expected_owners(state)]


def _analyse(engine: GtpEngine, args: Arguments, kata: bool) -> None:
    """Search, and send the values at each interval if they have changed, until the next input line arrives.

    An agent that reports nothing while it searches is asked again and again, each time for twice as long.
    """
    order = AnalysisOrder.read(args, engine.position.state.to_move, kata)
    engine.watch = Watch()
    engine.input_arrived.clear()
    engine.analysing = True
    latest: Choice | None = None
    sent: Choice | None = None

    def search() -> None:
        nonlocal latest
        seconds = order.seconds
        while latest is None or not (engine.watch.stopped or latest.exact):
            _, latest = engine.think(order.player, Budget(seconds=seconds))
            seconds = min(2 * seconds, MAX_SEARCH_SECONDS)

    def report() -> None:
        nonlocal sent
        found = engine.watch.choice or latest
        if found is not None and found is not sent:
            opening = "" if engine.answered else f"={engine.id}\n"
            state = engine.position.state_for(order.player)
            engine.send(opening + info_line(state, found, order, kata) + "\n")
            engine.answered, sent = True, found

    with ThreadPoolExecutor(1, "kibitz-gtp-search") as executor:
        try:
            searching = executor.submit(search)
            while not engine.input_arrived.wait(order.seconds if engine.lines.empty() else 0) and engine.lines.empty():
                if searching.done():
                    searching.result()  # raises what the search raised
                report()
        finally:
            engine.watch.stop()
            engine.analysing = False
        searching.result()
    report()
    engine.send("\n")


def _genmove_analyse(engine: GtpEngine, args: Arguments, kata: bool) -> None:
    """Make a move, and send it with the values found by the search."""
    order = AnalysisOrder.read(args, engine.position.state.to_move, kata)
    state_before = engine.position.state_for(order.player)
    move, choice = engine.generate(order.player)
    info = ""
    if choice is not None and (choice.moves or choice.value is not None):
        info = info_line(state_before, choice, order, kata) + "\n"
    engine.send(f"={engine.id}\n{info}play {move}\n\n")
    engine.answered = True


def _move_values(engine: GtpEngine, args: Arguments) -> str:
    """Return the values of moves for GoGui to draw: percentages as labels, and squares sized by them."""
    state, choice = engine.think(parse_player(args), engine.budget)
    stones = [each for each in ranked_moves(choice) if each.move != state.game.pass_move]
    rates = {state.game.move_text(each.move): winrate(each.value, choice.unit) for each in stones}
    best = state.game.move_text(choice.move)
    lines = [f"LABEL {point} {round(100 * rate)}" for point, rate in rates.items()]
    lines.append("INFLUENCE " + " ".join(f"{point} {2 * rate - 1:.3f}" for point, rate in rates.items()))
    return "\n".join([*lines, f"TEXT {choice.playouts or choice.nodes} searched, best {best}"])


def _expected_line(engine: GtpEngine, args: Arguments) -> str:
    """Return the expected line of play as a GoGui variation, such as "B D4 W Q16"."""
    state, choice = engine.think(parse_player(args), engine.budget)
    player, parts = state.to_move, list[str]()
    for move in choice.line or (choice.move,):
        parts.append(f"{'BW'[player]} {state.game.move_text(move)}")
        player = 1 - player
    return " ".join(parts)


def _reasons_for_move(engine: GtpEngine, args: Arguments) -> str:
    """Return what a move does, in words."""
    colour, vertex = args if len(args) == 2 else ("", *expect(args, "a vertex"))
    state = engine.position.state_for(read_colour(colour) if colour else engine.position.state.to_move)
    clauses = reasons(state, state.game.parse_move(vertex))
    return ", ".join(clauses) or "no remarks"


def _owners(engine: GtpEngine, args: Arguments) -> str:
    """Return the expected owner of each point, from 1 for Black to -1 for White, row by row from the top."""
    size, shares = engine.position.game.size, expected_owners(engine.position.state)
    rows = [shares[row * size : (row + 1) * size] for row in range(size)]
    return "\n" + "\n".join(" ".join(f"{share:.2f}" for share in row) for row in rows)


def _all_legal(engine: GtpEngine, args: Arguments) -> str:
    state = engine.position.state_for(parse_player(args))
    return points_text(engine, [move for move in state.legal_moves() if move != state.game.pass_move])


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
    "gogui-analyze_commands": lambda engine, args: "\n".join(_GOGUI_COMMANDS),
    "lz-analyze": lambda engine, args: _analyse(engine, args, kata=False),
    "kata-analyze": lambda engine, args: _analyse(engine, args, kata=True),
    "lz-genmove_analyze": lambda engine, args: _genmove_analyse(engine, args, kata=False),
    "kata-genmove_analyze": lambda engine, args: _genmove_analyse(engine, args, kata=True),
    "kibitz-values": _move_values,
    "kibitz-line": _expected_line,
    "kibitz-why": _reasons_for_move,
    "kibitz-owners": _owners,
    "all_legal": _all_legal,
}
